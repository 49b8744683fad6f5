// Plans of walking: pendulum, zero-moment point, feet.

#include "stiction/control/walking_plan.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace stiction::test {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Feet = std::array<Vector3d, 2>;

const Feet soles{Vector3d(0.01, 0.1, 0.0), Vector3d(0.01, -0.1, 0.0)};

WalkingPlan plan_of(int steps) {
  return {Vector3d(0.0, 0.005, 0.65), soles, steps_ahead(soles, steps, 0.12)};
}

TEST(WalkingPlan, CenterOfMassIsALinearInvertedPendulum) {
  const WalkingPlan plan = plan_of(5);
  const double h = 1e-4;
  for (double t = 0.0123; t < plan.duration() - h; t += 0.0317) {
    SCOPED_TRACE(t);
    const auto now = plan.at(t);
    const auto before = plan.at(t - h).center_of_mass;
    const auto after = plan.at(t + h).center_of_mass;
    const Vector3d v = (after.position - before.position) / (2 * h);
    const Vector3d a = (after.velocity - before.velocity) / (2 * h);
    EXPECT_LT((v - now.center_of_mass.velocity).norm(), 1e-6);
    EXPECT_LT((a - now.center_of_mass.acceleration).norm(), 1e-3);  // its slope jumps at pieces
    const Vector2d pendulum =
        9.81 / 0.65 * (now.center_of_mass.position.head<2>() - now.zero_moment_point);
    EXPECT_LT((pendulum - now.center_of_mass.acceleration.head<2>()).norm(), 1e-9);
  }
}

TEST(WalkingPlan, BeginsAtTheRobotAndEndsAtRestBetweenTheFeet) {
  const WalkingPlan plan = plan_of(4);
  EXPECT_LT((plan.at(0.0).center_of_mass.position - Vector3d(0.0, 0.005, 0.65)).norm(), 1e-12);
  const auto end = plan.at(plan.duration());
  EXPECT_LT((end.center_of_mass.position - Vector3d(0.01 + 4 * 0.12, 0.0, 0.65)).norm(), 2e-3);
  EXPECT_LT(end.center_of_mass.velocity.norm(), 1e-2);
  EXPECT_EQ(plan.at(plan.duration() + 1.0).center_of_mass.velocity.norm(), 0.0);
}

TEST(WalkingPlan, ZeroMomentPointIsInTheStandingFootWhileTheOtherSwings) {
  const WalkingPlan plan = plan_of(6);
  int swinging = 0;
  for (double t = 0.0; t < plan.duration(); t += 0.01) {
    const auto now = plan.at(t);
    EXPECT_TRUE(now.on_floor[0] || now.on_floor[1]);
    for (std::size_t foot = 0; foot < 2; ++foot) {
      const auto& sole = now.soles[foot];
      if (now.on_floor[foot]) {
        EXPECT_EQ(sole.velocity.norm(), 0.0);
        EXPECT_EQ(sole.position.z(), 0.0);
        continue;
      }
      ++swinging;
      EXPECT_LT((now.zero_moment_point - now.soles[1 - foot].position.head<2>()).norm(), 1e-12);
    }
  }
  EXPECT_EQ(swinging / 80, 7) << "six steps and one to close, 0.8 s each";
}

TEST(WalkingPlan, SwingFootRisesAndEndsAtRest) {
  const auto from = Vector3d(0.0, 0.1, 0.0);
  const auto to = Vector3d(0.2, 0.12, 0.0);
  EXPECT_LT((swing(from, to, 0.04, 0.0, 0.8).position - from).norm(), 1e-15);
  EXPECT_LT((swing(from, to, 0.04, 0.8, 0.8).position - to).norm(), 1e-15);
  EXPECT_NEAR(swing(from, to, 0.04, 0.4, 0.8).position.z(), 0.04, 1e-15);
  for (const double t : {0.0, 0.8}) {
    EXPECT_LT(swing(from, to, 0.04, t, 0.8).velocity.norm(), 1e-12);
    EXPECT_LT(swing(from, to, 0.04, t, 0.8).acceleration.norm(), 1e-12);
  }
  const double h = 1e-5;
  for (const double t : {0.1, 0.39, 0.4, 0.63}) {
    const auto now = swing(from, to, 0.04, t, 0.8);
    const auto after = swing(from, to, 0.04, t + h, 0.8);
    const auto before = swing(from, to, 0.04, t - h, 0.8);
    EXPECT_LT(((after.position - before.position) / (2 * h) - now.velocity).norm(), 1e-7);
    EXPECT_LT(((after.velocity - before.velocity) / (2 * h) - now.acceleration).norm(), 1e-3);
  }
}

TEST(WalkingPlan, RefusesImpossibleWalks) {
  const Vector3d com(0.0, 0.0, 0.65);
  EXPECT_THROW(WalkingPlan(com, soles, {{2, Vector3d::Zero()}}), std::invalid_argument);
  EXPECT_THROW(WalkingPlan(com, soles, {}, {.single_support = 0.0}), std::invalid_argument);
  EXPECT_THROW(WalkingPlan(Vector3d(0, 0, -1), soles, {}), std::invalid_argument);
}

}  // namespace
}  // namespace stiction::test
