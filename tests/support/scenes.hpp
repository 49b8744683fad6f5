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

namespace stiction::test {

constexpr double gravity = 9.81;

struct SceneSetting {
  std::string solver = "hybrid";
  Law law = Law::coulomb;
  GapRule gap_rule = GapRule::position;

  /// Residuals of 1e-11 keep what a thousand steps add up below the scenes' tolerances.
  [[nodiscard]] StepOptions options(double tolerance = 1e-11) const;

  /// Touching bodies begin so far inside of each other: the velocity rule sees overlaps alone, and
  /// rounding must not decide about it.
  [[nodiscard]] double overlap() const { return gap_rule == GapRule::velocity ? 1e-11 : 0.0; }
};

std::string to_string(const SceneSetting& setting);

void PrintTo(const SceneSetting& setting, std::ostream* out);

/// Whether a solver takes a law; pyramids (`lcp`) do, though they only come near to it.
bool claims(std::string_view solver, Law law);

/// Whether solvers take part that have a pyramid for a cone (`lcp`): it is the cone's equal only
/// along its edges, and Lemke's method returns a corner of the set where there are many answers.
enum class Pyramids { included, left_out };

/// Every solver under each of the laws that it claims, by both gap rules.
std::vector<SceneSetting> scene_settings(std::initializer_list<Law> laws,
                                         Pyramids pyramids = Pyramids::included);

Model load_scene(const std::string& name);

/// The same model with one friction coefficient for all.
Model with_friction(const Model& model, double friction);

/// The same model with a body's centre of mass at the height of its contacts, so that friction does
/// not change normal forces. Where it does, maximum dissipation lets the friction of neighbours
/// lean against each other and has a second answer, a slow slip, up to some per cent below the
/// friction angle; so its scenes of stick are these.
Model with_low_center(const Model& model, std::string_view body, double half_height);

/// The same model on a slope that falls along x by an angle [rad]: it is gravity that leans.
Model on_slope(const Model& model, double angle);

/// Starts at a keyframe, with its control.
Simulation scene_at(const Model& model, const StepOptions& options, const char* keyframe);

/// Sum of the normal impulses between two named shapes [N·s].
double normal_impulse(const Simulation& simulation, std::string_view a, std::string_view b);

}  // namespace stiction::test
