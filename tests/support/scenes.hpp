#pragma once

/// \file
/// Scenes of models/scenes, and the solvers, laws and gap rules that they are run under.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"
#include "stiction/solver/solver.hpp"
#include "support/contact_problems.hpp"

namespace stiction::test {

constexpr double gravity = 9.81;

struct SceneSetting {
  std::string solver = "hybrid";
  Law law = Law::coulomb;
  GapRule gap_rule = GapRule::position;

  /// Residuals of 1e-11 keep what a thousand steps add up below the scenes' tolerances.
  [[nodiscard]] StepOptions options(double tolerance = 1e-11) const {
    StepOptions result;
    result.solver = solver;
    result.solver_options.law = law;
    result.solver_options.tolerance = tolerance;
    result.gap_rule = gap_rule;
    // Gauss-Seidel takes some twenty thousand sweeps to begin with where contacts nearly slip.
    if (solver == "per_contact" || solver == "pgs") result.solver_options.max_iterations = 200000;
    return result;
  }

  /// Touching bodies begin so far inside of each other: the velocity rule sees overlaps alone, and
  /// rounding must not decide about it.
  [[nodiscard]] double overlap() const { return gap_rule == GapRule::velocity ? 1e-11 : 0.0; }
};

inline std::string to_string(const SceneSetting& setting) {
  return setting.solver + '_' + std::string(stiction::to_string(setting.law)) + '_' +
         std::string(stiction::to_string(setting.gap_rule));
}

inline void PrintTo(const SceneSetting& setting, std::ostream* out) { *out << to_string(setting); }

/// Whether a solver takes a law; pyramids (`lcp`) do, though they only come near to it.
inline bool claims(std::string_view solver, Law law) {
  SolverOptions options;
  options.law = law;
  return make_solver(solver)->refusal(robot_problem(1), options).empty();
}

/// Whether solvers take part that have a pyramid for a cone (`lcp`): it is the cone's equal only
/// along its edges, and Lemke's method returns a corner of the set where there are many answers.
enum class Pyramids { included, left_out };

/// Every solver under each of the laws that it claims, by both gap rules.
inline std::vector<SceneSetting> scene_settings(std::initializer_list<Law> laws,
                                                Pyramids pyramids = Pyramids::included) {
  std::vector<SceneSetting> result;
  for (const std::string_view solver : solver_names()) {
    for (const Law law : laws) {
      if (!claims(solver, law)) continue;
      if (pyramids == Pyramids::left_out && solver == "lcp") continue;
      for (const GapRule rule : {GapRule::position, GapRule::velocity}) {
        result.push_back({std::string(solver), law, rule});
      }
    }
  }
  return result;
}

inline Model load_scene(const std::string& name) {
  return load_model(std::string(STICTION_SOURCE_DIR) + "/models/scenes/" + name + ".xml").model;
}

/// The same model with one friction coefficient for all.
inline Model with_friction(const Model& model, double friction) {
  ModelParameters parameters = model.parameters();
  for (Material& material : parameters.materials) material.friction = friction;
  return model.with_parameters(parameters);
}

/// The same model with a body's centre of mass at the height of its contacts, so that friction does
/// not change normal forces. Where it does, maximum dissipation lets the friction of neighbours
/// lean against each other and has a second answer, a slow slip, up to some per cent below the
/// friction angle; so its scenes of stick are these.
inline Model with_low_center(const Model& model, std::string_view body, double half_height) {
  ModelParameters parameters = model.parameters();
  parameters.bodies[static_cast<std::size_t>(*model.find_body(body))].center_of_mass.z() =
      -half_height;
  return model.with_parameters(parameters);
}

/// The same model on a slope that falls along x by an angle [rad]: it is gravity that leans.
inline Model on_slope(const Model& model, double angle) {
  ModelParameters parameters = model.parameters();
  parameters.gravity << gravity * std::sin(angle), 0.0, -gravity * std::cos(angle);
  return model.with_parameters(parameters);
}

/// Starts at a keyframe, with its control.
inline Simulation scene_at(const Model& model, const StepOptions& options, const char* keyframe) {
  Simulation simulation(model, options);
  simulation.reset_to_keyframe(keyframe);
  return simulation;
}

/// Sum of the normal impulses between two named shapes [N·s].
inline double normal_impulse(const Simulation& simulation, std::string_view a, std::string_view b) {
  const std::vector<Shape>& shapes = simulation.model().shapes();
  double sum = 0.0;
  for (const StepContact& contact : simulation.report().contacts) {
    const std::string& first = shapes[static_cast<std::size_t>(contact.shape_a)].name;
    const std::string& second = shapes[static_cast<std::size_t>(contact.shape_b)].name;
    if ((first == a && second == b) || (first == b && second == a)) sum += contact.impulse.z;
  }
  return sum;
}

}  // namespace stiction::test
