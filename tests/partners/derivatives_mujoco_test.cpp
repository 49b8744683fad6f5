// Our derivatives of the dynamics against differences of MuJoCo 2.2.2's own dynamics.

#include <cstdio>
#include <gtest/gtest.h>

#include "stiction/core/paths.hpp"
#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/derivatives.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/io/load.hpp"
#include "support/finite_differences.hpp"
#include "support/mjcf_text.hpp"
#include "support/mujoco_robot.hpp"

namespace stiction::test {
namespace {

/// Errors relative to the largest entry of each matrix: ∂τ/∂q, ∂τ/∂v, ∂a/∂q, ∂a/∂v.
using Errors = Eigen::Array4d;

Errors compare_derivatives(const Model& model, MujocoRobot& partner, Random& random) {
  const Eigen::VectorXd at = random_positions(random, model);
  const Eigen::VectorXd speed = random_entries(random, model.velocity_count());
  const Eigen::VectorXd tau = random_entries(random, model.velocity_count(), 10.0);
  DynamicsData<double> data(model);
  DerivativesData ours(model);
  const Eigen::VectorXd dv = articulated_body_algorithm(model, data, at, speed, tau);
  forward_dynamics_derivatives(model, data, as_span(dv), ours);

  const auto forces = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& v) -> Eigen::VectorXd {
    partner.set_state(q, v, tau);
    return partner.mass_matrix() * dv + partner.bias_forces();
  };
  const auto accelerations = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    partner.set_state(q, v, tau);
    return partner.accelerations();
  };
  const auto by_q = [&](auto f, double h) {
    return derivative_by_q(
        model, at, [&](const Eigen::VectorXd& q) { return f(q, speed); }, h);
  };
  const auto by_v = [&](auto f) {
    return derivative_by(speed, [&](const Eigen::VectorXd& v) { return f(at, v); });
  };
  return {relative_error(ours.dtau_dq, by_q(forces, difference_step)),
          relative_error(ours.dtau_dv, by_v(forces)),
          relative_error(ours.da_dq, by_q(accelerations, 1e-3)),
          relative_error(ours.da_dv, by_v(accelerations))};
}

void expect_agreement(const char* name, const Model& model, Random& random, int states) {
  MujocoRobot partner(mjcf_text(recipe_of(model), model), model);
  Errors worst = Errors::Zero();
  for (int i = 0; i < states; ++i) {
    worst = worst.max(compare_derivatives(model, partner, random));
  }
  std::printf("%s: dtau/dq %.1e, dtau/dv %.1e, da/dq %.1e, da/dv %.1e\n", name, worst[0], worst[1],
              worst[2], worst[3]);
  // MuJoCo's own rounding (some 1e-12), divided by the step of the differences.
  EXPECT_LT(worst[0], 1e-9);
  EXPECT_LT(worst[1], 1e-9);
  EXPECT_LT(worst[2], 1e-7);
  EXPECT_LT(worst[3], 1e-8);
}

TEST(DerivativesAgainstMujoco, RobotsWithFloatingBase) {
  LoadOptions options;
  options.base = BaseKind::floating;
  for (const char* file : {"anymal.urdf", "romeo.urdf", "solo12.urdf"}) {
    Random random(21);
    SCOPED_TRACE(std::string(file) + ", seed 21");
    expect_agreement(file, load_model(models_folder() / file, options).model, random, 3);
  }
}

TEST(DerivativesAgainstMujoco, RandomTreesWithEveryKindOfJoint) {
  for (int seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    RobotRecipe robot = random_tree(random);
    const Model model = make_model(robot);
    if (model.velocity_count() == 0) continue;
    expect_agreement(robot.name.c_str(), model, random, 1);
  }
}

}  // namespace
}  // namespace stiction::test
