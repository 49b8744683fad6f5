#pragma once

/// \file
/// What a step with contacts that are springs keeps in its Workspace.

#include <memory>
#include <span>
#include <vector>

#include "stiction/compliant/spring_island.hpp"
#include "stiction/rigid/solution.hpp"
#include "stiction/sim/implicit_springs.hpp"
#include "stiction/sim/spring_middle.hpp"
#include "stiction/touch/contact_set.hpp"
#include "stiction/touch/islands.hpp"

namespace stiction {

/// Forces of springs at times after the start of a step, for force_prediction.hpp.
struct SpringPrediction {
  std::span<const double> times;        ///< ≥ 0 [s]
  std::vector<Vector3<double>> forces;  ///< contact axes [N]; contact by contact, one per time
  std::vector<Vector3<double>> island;  ///< scratch: time by time, those of one island
};

/// What the averages over a step leave of a spring.
struct SpringOutcome {
  Vector3<double> stretch;
  Vector3<double> anchor_velocity;
  bool apart = false;
  bool slips = false;
  bool acted = false;  ///< else it stays as it was at the start
};

struct ViscoelasticParts {
  ViscoelasticParts(const Model& model, const SceneLayout& layout)
      : hard_islands(layout),
        velocity(static_cast<std::size_t>(model.velocity_count())),
        rate(velocity.size()),
        elsewhere(model) {}

  std::vector<Spring> springs;  ///< one per contact
  SpringIsland island;
  std::vector<AveragedSpring> averaged;  ///< those of one island
  std::vector<HeldRow> held;
  std::vector<char> is_held;            ///< per constraint: when springs were integrated last
  std::vector<SpringOutcome> outcomes;  ///< one per contact
  std::vector<double> impulses;         ///< rows of one island's problem
  std::vector<double> twice_impulses;   ///< the same of double averages
  std::vector<double> row_velocities;   ///< that they cause
  std::vector<Force<double>> body_forces;

  std::vector<Candidate> stage_contacts;  ///< at other states than the start
  std::vector<Spring> stage_springs;
  std::vector<double> stage_forces;

  std::unique_ptr<ImplicitParts> implicit;  ///< made by the first step of implicit Euler

  ContactSet hard;  ///< limits, joint friction and locks alone
  IslandSet hard_islands;
  StepSolution hard_solution;

  /// Of trees that springs act on and no hard row, one entry per velocity.
  std::vector<double> velocity;   ///< v⁺
  std::vector<double> rate;       ///< of positions
  std::vector<char> has_springs;  ///< per tree
  std::vector<char> is_smooth;    ///< per tree: no event within the step, which is at its middle

  SpringMiddle middle;
  DynamicsData<double> elsewhere;  ///< at the middle of the step, then positions alone at its end

  SpringPrediction* prediction = nullptr;  ///< filled along the way if someone asks for it
};

}  // namespace stiction
