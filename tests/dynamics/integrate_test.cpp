// Moving on the manifold of positions.

#include "stiction/dynamics/integrate.hpp"

#include <gtest/gtest.h>
#include <numbers>

#include "stiction/dynamics/spans.hpp"
#include "support/robots.hpp"

namespace stiction::test {
namespace {

/// Scales the angular velocities of ball and floating joints down to `most` [rad], so that the
/// shorter way round is the one that was gone.
Eigen::VectorXd with_turns_below(const Model& model, Eigen::VectorXd v, double most) {
  for (const Joint& joint : model.joints()) {
    const int skip = joint.kind == JointKind::floating ? 3 : 0;
    if (joint.kind != JointKind::floating && joint.kind != JointKind::spherical) continue;
    auto turn = v.segment<3>(joint.velocity_index + skip);
    if (turn.norm() > most) turn *= most / turn.norm();
  }
  return v;
}

TEST(Integrate, DifferenceUndoesIt) {
  for (const double size : {1e-9, 1e-5, 1e-3, 1.0, 3.0}) {
    SCOPED_TRACE(size);
    for_each_robot(60, [&](const Model& model, Random& random) {
      const Eigen::VectorXd q = random_positions(random, model);
      const Eigen::VectorXd v =
          with_turns_below(model, random_entries(random, model.velocity_count(), size), 3.1);
      const Eigen::VectorXd moved = integrate(model, q, v, 1.0);
      // Positions have about 1 for their size, so their last bit limits the difference; near half a
      // turn the logarithm loses another digit or two.
      EXPECT_LT((difference(model, q, moved) - v).cwiseAbs().maxCoeff(), 1e-14 * (1.0 + 20 * size));
      const Eigen::VectorXd back = integrate(model, moved, v, -1.0);
      EXPECT_LT(difference(model, q, back).cwiseAbs().maxCoeff(), 1e-14 * (1.0 + 20 * size));
    });
  }
}

TEST(Integrate, DifferenceOfTwoPositionsLeadsFromOneToTheOther) {
  for_each_robot(100, [&](const Model& model, Random& random) {
    const Eigen::VectorXd q0 = random_positions(random, model);
    const Eigen::VectorXd q1 = random_positions(random, model);
    const Eigen::VectorXd there = integrate(model, q0, difference(model, q0, q1), 1.0);
    EXPECT_LT(difference(model, there, q1).cwiseAbs().maxCoeff(), 1e-14);
  });
}

TEST(Integrate, TurnsSphericalJointsInBodyAxesAndFloatingOnesInWorldAxes) {
  ModelBuilder builder;
  for (const char* name : {"ball", "free"}) {
    LinkSpec link;
    link.name = name;
    link.mass = 1.0;
    link.inertia.setIdentity();
    builder.add_link(link);
  }
  JointSpec ball;
  ball.name = "ball_joint";
  ball.kind = JointKind::spherical;
  ball.child = 0;
  builder.add_joint(ball);
  JointSpec free;
  free.name = "free_joint";
  free.kind = JointKind::floating;
  free.child = 1;
  builder.add_joint(free);
  const Model model = builder.build();

  const Eigen::Quaterniond start(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()));
  const Eigen::Vector3d w(0.3, -0.2, 0.5);
  Eigen::VectorXd q(11);
  q << start.coeffs(), 1.0, 2.0, 3.0, start.coeffs();
  Eigen::VectorXd v(9);
  v << w, 0.1, 0.2, 0.3, w;
  const double h = 0.8;
  const Eigen::VectorXd moved = integrate(model, q, v, h);
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(h * w.norm(), w.normalized()));
  EXPECT_LT((moved.segment<4>(0) - (start * turn).coeffs()).norm(), 1e-15);
  EXPECT_LT((moved.segment<4>(7) - (turn * start).coeffs()).norm(), 1e-15);
  EXPECT_LT((moved.segment<3>(4) - Eigen::Vector3d(1.08, 2.16, 3.24)).norm(), 1e-15);
}

TEST(Integrate, KeepsQuaternionsAtUnitLengthForAMillionSteps) {
  Random random(7);
  RobotRecipe robot;
  robot.links.resize(1);
  robot.links[0].name = "body";
  robot.links[0].joint = JointKind::floating;
  const Model model = make_model(robot);
  Eigen::VectorXd q = random_positions(random, model);
  const Eigen::VectorXd v = random_entries(random, 6, 10.0);
  for (int i = 0; i < 1000000; ++i) {
    integrate<double>(model, as_span(std::as_const(q)), as_span(v), 1e-3, as_span(q));
  }
  EXPECT_NEAR(q.tail<4>().norm(), 1.0, 4e-16);
}

}  // namespace
}  // namespace stiction::test
