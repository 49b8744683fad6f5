#pragma once

/// \file
/// Contact forces that lie ahead, without simulating [EXP, section V-D]: contacts are springs with
/// dampers, and the linear system that the exponential step builds at the current state also gives
/// their forces later, as long as the inertia, the load and the set of contacts do not change much.
///
///     const std::vector<double> times{0.0, 0.005, 0.010, 0.015, 0.020};
///     const ForcePrediction ahead = predict_forces(simulation, {.times = times});
///     for (const PredictedContact& contact : ahead.contacts) use(contact.forces);

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stiction/sim/simulation.hpp"

namespace stiction {

/// What a prediction is asked for.
struct PredictionRequest {
  std::span<const double> times;  ///< after the current state, ≥ 0, in any order [s]
  /// Forces are cut to what a contact can do: it pushes, within the friction cone. Without, springs
  /// also pull, and the prediction is the exact solution of the linear system.
  bool within_cones = true;
};

/// One contact that touches at the current state.
struct PredictedContact {
  int shape_a = -1;  ///< index into Model::shapes(); the normal points from a to b
  int shape_b = -1;
  int body_a = -1;  ///< -1 is the world
  int body_b = -1;
  std::uint16_t feature = 0;  ///< which point of this pair
  double gap = 0.0;           ///< at the current state [m]
  double friction = 0.0;
  Vector3<double> point;                ///< at the current state, world [m]
  Matrix3<double> axes;                 ///< columns t1, t2, n, world
  std::vector<Vector3<double>> forces;  ///< on body b along t1, t2, n, one per time [N]

  [[nodiscard]] const Vector3<double>& normal() const { return axes.c2; }
};

struct ForcePrediction {
  StepStatus status = StepStatus::ok;  ///< that of evaluate()
  std::string message;                 ///< what is wrong and a remedy; empty if nothing is
  std::vector<double> times;           ///< as asked for [s]
  std::vector<PredictedContact> contacts;

  /// Else there are no contacts here.
  [[nodiscard]] bool ok() const {
    return status != StepStatus::refused && status != StepStatus::diverged;
  }
};

/// Forces of all contacts at the times of the request, from the system of the step that would come
/// next: anchors of the state, inputs held, limits and locks that hold in that step. Springs are
/// those of `options.viscoelastic`, whatever options.contact and the integrator are. The state does
/// not move. The workspace and its results are as after evaluate().
void predict_forces(const Model& model, const StepOptions& options, const StepInput& input,
                    const State& state, const PredictionRequest& request, Workspace& workspace,
                    ForcePrediction& result);

/// The same at the current state of a simulation, with its input.
[[nodiscard]] ForcePrediction predict_forces(Simulation& simulation,
                                             const PredictionRequest& request);

}  // namespace stiction
