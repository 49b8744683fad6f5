// Motions between their samples, and the law that follows them.

#include "experiments/reference_motion.hpp"

#include <gtest/gtest.h>

#include "stiction/core/paths.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/io/load.hpp"
#include "support/robots.hpp"

namespace stiction::test {
namespace {

using namespace experiments;

class ReferenceMotions : public ::testing::Test {
 protected:
  ReferenceMotions() {
    std::printf("seed 5\n");
    motion_.time_step = 0.01;
    for (int k = 0; k < 4; ++k) motion_.samples.push_back(random_sample());
    for (int k = 0; k < 3; ++k) {
      motion_.feedforward.push_back(random_entries(random_, n_, 1.0));
      motion_.gains.push_back(Eigen::Map<const Eigen::MatrixXd>(
          random_entries(random_, 2 * n_ * n_).data(), n_, 2 * n_));
    }
  }
  MotionSample random_sample() {
    return {random_positions(random_, solo_), random_entries(random_, n_)};
  }

  Model solo_ = load_model(models_folder() / "solo12.urdf").model;
  int n_ = solo_.velocity_count();
  Random random_{5};
  ReferenceMotion motion_;
};

TEST_F(ReferenceMotions, GoThroughTheirSamples) {
  for (std::size_t k = 0; k < 4; ++k) {
    const MotionSample sample = sample_at(solo_, motion_, 0.01 * static_cast<double>(k));
    // A quaternion and its negative are the same turn.
    EXPECT_LT(difference(solo_, sample.q, motion_.samples[k].q).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_TRUE(sample.v.isApprox(motion_.samples[k].v, 1e-14));
  }
  EXPECT_EQ(interval_at(motion_, -1.0), 0U);
  EXPECT_EQ(interval_at(motion_, 9.0), 2U);
  // Sums of small steps round to a little less.
  const double time = 0.02 * (1.0 - 1e-15);
  ASSERT_LT(time, 0.02);
  EXPECT_EQ(interval_at(motion_, time), 2U);
  EXPECT_EQ(interval_at(motion_, 0.0199), 1U);
}

// A body with constant velocity in its own axes goes along a helix.
TEST_F(ReferenceMotions, FollowAHelixBetweenSamples) {
  const double speed = 2.0;
  const double rate = 3.0;
  const double radius = speed / rate;
  const auto on_circle = [&](double time) {
    MotionSample sample{solo_.initial_positions(), Eigen::VectorXd::Zero(n_)};
    const double angle = rate * time;
    sample.q.head<3>() << radius * std::sin(angle), -radius * std::cos(angle), 0.5 * time;
    sample.q.segment<4>(3) << 0.0, 0.0, std::sin(0.5 * angle), std::cos(0.5 * angle);
    sample.v.head<3>() << speed * std::cos(angle), speed * std::sin(angle), 0.5;
    sample.v[5] = rate;
    return sample;
  };
  motion_.time_step = 0.8;
  for (std::size_t k = 0; k < 4; ++k) motion_.samples[k] = on_circle(0.8 * static_cast<double>(k));
  for (const double time : {0.1, 0.4, 0.75, 1.0, 2.3}) {
    const MotionSample sample = sample_at(solo_, motion_, time);
    const MotionSample exact = on_circle(time);
    EXPECT_LT(difference(solo_, exact.q, sample.q).cwiseAbs().maxCoeff(), 1e-13) << time;
    EXPECT_LT((sample.v - exact.v).cwiseAbs().maxCoeff(), 1e-13) << time;
  }
}

TEST_F(ReferenceMotions, DifferencesLeadFromOneToTheOther) {
  for (int i = 0; i < 100; ++i) {
    const MotionSample from = random_sample();
    const MotionSample to = random_sample();
    const Eigen::VectorXd step = own_axes_difference(solo_, from, to).head(n_);
    const Eigen::VectorXd reached = move_in_own_axes(solo_, from.q, step);
    EXPECT_LT(difference(solo_, reached, to.q).cwiseAbs().maxCoeff(), 1e-12) << i;
    const Eigen::VectorXd half = move_in_own_axes(solo_, from.q, 0.5 * step);
    const Eigen::VectorXd twice = move_in_own_axes(solo_, half, 0.5 * step);
    EXPECT_LT(difference(solo_, twice, to.q).cwiseAbs().maxCoeff(), 1e-12) << i;
  }
}

TEST_F(ReferenceMotions, ForcesOnTheReferenceAreTheFeedforward) {
  for (const double time : {0.0, 0.004, 0.01, 0.027}) {
    const MotionSample sample = sample_at(solo_, motion_, time);
    EXPECT_EQ(tracking_forces(solo_, motion_, time, sample),
              motion_.feedforward[interval_at(motion_, time)]);
  }
}

TEST_F(ReferenceMotions, GainsInWorldAxesAreTheDerivativesOfTheLaw) {
  const double time = 0.013;
  const MotionSample reference = sample_at(solo_, motion_, time);
  const Eigen::MatrixXd K = gains_in_world_axes(solo_, motion_.gains[1], reference);
  const double h = 1e-5;
  for (int k = 0; k < 2 * n_; ++k) {
    const auto forces = [&](double x) {
      MotionSample moved = reference;
      if (k < n_) {
        moved.q = integrate(solo_, reference.q, Eigen::VectorXd::Unit(n_, k), x);
      } else {
        moved.v[k - n_] += x;
      }
      return tracking_forces(solo_, motion_, time, moved);
    };
    const Eigen::VectorXd slope = (forces(h) - forces(-h)) / (2.0 * h);
    // Truncation h² and rounding 1e-15 / h of gains and velocities of some tens.
    EXPECT_LT((slope + K.col(k)).cwiseAbs().maxCoeff(), 1e-8) << k;
  }
}

TEST_F(ReferenceMotions, LiftMovesTheBase) {
  const double before = motion_.samples[2].q[2];
  motion_.lift(-0.25);
  EXPECT_EQ(motion_.samples[2].q[2], before - 0.25);
}

}  // namespace
}  // namespace stiction::test
