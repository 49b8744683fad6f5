// Whole motions through the real step with its default options: hard contact.

#include "stiction/control/motions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "examples/legged_robots.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/kinematics.hpp"

namespace stiction::test {
namespace {

/// Angle between the base's z axis and the vertical [rad].
double tilt_of(const State& state) {
  const Eigen::Quaterniond turn(state.q.segment<4>(3));
  return std::acos(std::min(1.0, (turn * Eigen::Vector3d::UnitZ()).z()));
}

/// Runs a controller, checks what every motion must hold, and measures.
class DrivenRobot {
 public:
  explicit DrivenRobot(const LeggedRobot& robot)
      : robot_(robot), simulation_(robot.model), data_(robot.model), swings_(robot.feet.size(), 0) {
    simulation_.set_state(robot.start);
  }

  /// `hold`: steps of the simulation per step of the controller.
  template <class Controller, class Each>
  void drive(Controller& controller, double until, Each each, int hold = 1) {
    int steps = 0;
    std::vector<bool> high(robot_.feet.size(), false);
    while (simulation_.state().time < until - 1e-9) {
      if (steps++ % hold == 0) {
        const InverseDynamicsResult& result = controller.compute(simulation_.state());
        ASSERT_TRUE(result.ok()) << simulation_.state().time << " s: " << result.message;
        check_torques(result);
        simulation_.joint_forces() = result.torques;
      }
      ASSERT_TRUE(simulation_.step().ok()) << simulation_.report().message;
      ASSERT_EQ(simulation_.report().uncertified, 0);
      measure(high);
      each(simulation_);
    }
  }

  [[nodiscard]] const Simulation& simulation() const { return simulation_; }
  [[nodiscard]] const State& end() const { return simulation_.state(); }
  [[nodiscard]] double center_height() const { return center_height_; }
  [[nodiscard]] int pushing_feet() const {
    const auto& contacts = simulation_.report().contacts;
    return static_cast<int>(std::count_if(contacts.begin(), contacts.end(),
                                          [](const auto& c) { return c.impulse.z > 0.0; }));
  }
  /// How often each foot rose by a centimetre and came down again.
  [[nodiscard]] const std::vector<int>& swings() const { return swings_; }
  [[nodiscard]] double largest_tilt() const { return largest_tilt_; }
  [[nodiscard]] double lowest_base() const { return lowest_base_; }

 private:
  void check_torques(const InverseDynamicsResult& result) const {
    for (int i = 0; i < 6; ++i) ASSERT_EQ(result.torques[i], 0.0) << "nobody pushes the base";
    ASSERT_LT(result.base_residual, 1e-6);
    for (const Joint& joint : robot_.model.joints()) {
      if (joint.kind == JointKind::floating) continue;
      const auto& own = robot_.options.torque_limits;
      const double limit = own.size() > 0 ? own[joint.velocity_index] : joint.limits.effort;
      ASSERT_LE(std::abs(result.torques[joint.velocity_index]), limit) << joint.name;
    }
  }

  void measure(std::vector<bool>& high) {
    const State& state = simulation_.state();
    update_kinematics(robot_.model, data_, state.q, state.v);
    center_height_ = centroidal_state(robot_.model, data_).center_of_mass.z;
    largest_tilt_ = std::max(largest_tilt_, tilt_of(state));
    lowest_base_ = std::min(lowest_base_, state.q[2]);
    for (std::size_t i = 0; i < robot_.feet.size(); ++i) {
      const ContactSpec& foot = robot_.feet[i];
      const Frame& frame =
          robot_.model
              .frames()[static_cast<std::size_t>(robot_.model.find_frame(foot.frame).value())];
      const Eigen::Isometry3d pose = body_pose(data_, frame.body) * frame.pose;
      double height = 1e9;
      for (const Eigen::Vector3d& point : foot.points) {
        height = std::min(height, (pose * point).z() - foot.radius);
      }
      if (height > 0.01) high[i] = true;
      if (height < 0.001 && high[i]) {
        high[i] = false;
        ++swings_[i];
      }
    }
  }

  const LeggedRobot& robot_;
  Simulation simulation_;
  DynamicsData<double> data_;
  std::vector<int> swings_;
  double center_height_ = 0.0;
  double largest_tilt_ = 0.0;
  double lowest_base_ = 1e9;
};

const auto nothing = [](const Simulation&) {};

TEST(Motions, SquatMovesTheCenterOfMassByThreeCentimetres) {
  const LeggedRobot robot = solo12();
  SquatOptions options;
  options.feet = robot.feet;
  options.trunk = "base_link";
  options.inverse_dynamics = robot.options;
  for (const int hold : {1, 40}) {  // steps of 1 ms
    SCOPED_TRACE(hold);
    SquatController controller(robot.model, robot.start, options);
    DrivenRobot run(robot);
    double lowest = 1e9;
    double highest = 0.0;
    int fewest_feet = 4;
    const auto look = [&](const Simulation& simulation) {
      fewest_feet = std::min(fewest_feet, run.pushing_feet());
      if (simulation.state().time < 3.15) return;  // the first period is the start from rest
      lowest = std::min(lowest, run.center_height());
      highest = std::max(highest, run.center_height());
    };
    run.drive(controller, 6.3, look, hold);
    const double middle = controller.reference(0.0).position.z();
    EXPECT_NEAR(highest - middle, 0.03, 0.003);
    EXPECT_NEAR(middle - lowest, 0.03, 0.003);
    EXPECT_EQ(fewest_feet, 4);
    EXPECT_LT(run.largest_tilt(), 0.02);
  }
}

TEST(Motions, JumpFliesForAFifthOfASecondAndStandsAfterwards) {
  const LeggedRobot robot = solo12();
  JumpOptions options;
  options.feet = robot.feet;
  options.trunk = "base_link";
  options.inverse_dynamics = robot.options;
  JumpController controller(robot.model, robot.start, options);
  DrivenRobot run(robot);
  double flight = 0.0;
  double longest = 0.0;
  double highest = 0.0;
  run.drive(controller, 3.0, [&](const Simulation& simulation) {
    flight = run.pushing_feet() == 0 ? flight + simulation.time_step() : 0.0;
    longest = std::max(longest, flight);
    highest = std::max(highest, run.center_height());
  });
  EXPECT_GT(longest, 0.2);
  // Free fall for that time from take-off to landing rises by g T²/8; legs that are drawn up or
  // stretched shift the landing.
  EXPECT_GT(highest - run.center_height(), 9.81 * 0.2 * 0.2 / 8.0);
  EXPECT_EQ(controller.phase(), JumpController::Phase::landing);
  EXPECT_EQ(run.pushing_feet(), 4);
  EXPECT_NEAR(run.end().q[2], robot.start.q[2], 0.005);
  EXPECT_LT(tilt_of(run.end()), 0.02);
  EXPECT_LT(run.end().v.norm(), 1e-3);
}

TEST(Motions, TrotGoesHalfAMetreInThreeSecondsAndStops) {
  const LeggedRobot robot = solo12();
  TrotOptions options;
  std::copy(robot.feet.begin(), robot.feet.end(), options.feet.begin());
  options.trunk = "base_link";
  options.inverse_dynamics = robot.options;
  TrotController controller(robot.model, robot.start, options);
  DrivenRobot run(robot);
  run.drive(controller, 3.0, nothing);
  EXPECT_GT(run.end().q[0] - robot.start.q[0], 0.5);
  EXPECT_LT(std::abs(run.end().q[1]), 0.02);
  run.drive(controller, 4.5, nothing);
  EXPECT_LT(run.largest_tilt(), 0.05);
  EXPECT_GT(run.lowest_base(), robot.start.q[2] - 0.01);
  for (const int count : run.swings()) EXPECT_GE(count, 8);
  EXPECT_EQ(run.pushing_feet(), 4);
  EXPECT_LT(run.end().v.norm(), 0.01);
  EXPECT_NEAR(run.end().q[0] - robot.start.q[0], controller.forward(4.5).position, 0.005);
}

TEST(Motions, TrotGoesOnForTwentySeconds) {
  const LeggedRobot robot = solo12();
  TrotOptions options;
  std::copy(robot.feet.begin(), robot.feet.end(), options.feet.begin());
  options.trunk = "base_link";
  options.trot_time = 20.0;
  options.inverse_dynamics = robot.options;
  TrotController controller(robot.model, robot.start, options);
  DrivenRobot run(robot);
  run.drive(controller, 20.0, nothing);
  EXPECT_NEAR(run.end().q[0] - robot.start.q[0], controller.forward(20.0).position, 0.02);
  EXPECT_LT(std::abs(run.end().q[1]), 0.02);
  EXPECT_LT(run.largest_tilt(), 0.05);
}

TEST(Motions, RomeoWalksSevenStepsAndStandsUpright) {
  const LeggedRobot robot = romeo();
  WalkingOptions options;
  options.feet = {robot.feet[0], robot.feet[1]};
  options.trunk = "torso";
  WalkingController controller(robot.model, robot.start, options);
  DrivenRobot run(robot);
  double worst = 0.0;
  run.drive(controller, controller.plan().duration() + 1.0, [&](const Simulation&) {
    const Eigen::Vector3d wished = controller.inverse_dynamics().center_of_mass().position;
    worst =
        std::max(worst, (controller.inverse_dynamics().center_of_mass_position() - wished).norm());
  });
  EXPECT_EQ(run.swings(), (std::vector<int>{3, 4}));
  EXPECT_NEAR(run.end().q[0] - robot.start.q[0], 6 * options.step_length, 0.02);
  EXPECT_LT(worst, 0.02);
  EXPECT_LT(run.largest_tilt(), 0.1);
  EXPECT_NEAR(run.end().q[2], robot.start.q[2], 0.005);
  EXPECT_LT(run.end().v.norm(), 0.01);
}

/// Heights of the base in the authors' squat, one per 40 ms.
std::vector<double> published_squat() {
  std::ifstream file(std::filesystem::path(STICTION_REFERENCE_DIR) /
                     "exponential/squat_gt_exp.csv");
  std::vector<double> heights;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::stringstream cells(line);
    std::string cell;
    for (int i = 0; i < 4; ++i) std::getline(cells, cell, ',');
    heights.push_back(std::stod(cell));
  }
  return heights;
}

TEST(Motions, SquatWithTheGainsOfOthersFollowsTheirHeights) {
  const std::vector<double> published = published_squat();
  if (published.empty()) GTEST_SKIP() << "../shared/reference is not there";
  const LeggedRobot robot = solo12();
  SquatOptions options;
  options.feet = robot.feet;
  options.center_of_mass = {.kp = 2.0, .weight = 1.0};
  options.posture = {.kp = 2.0, .weight = 1e-3};
  options.contact = {.kp = 1.0, .weight = 1.0};
  options.force_weight = 1e-6;
  SquatController controller(robot.model, robot.start, options);
  DrivenRobot run(robot);
  double worst = 0.0;
  int step = 0;
  const double shift = robot.start.q[2] - published[0];  // our feet are balls, theirs are points
  run.drive(
      controller, 4.0,
      [&](const Simulation& simulation) {
        if (++step % 40 != 0) return;
        const double ours = simulation.state().q[2] - shift;
        worst = std::max(worst, std::abs(ours - published[static_cast<std::size_t>(step / 40)]));
      },
      40);
  // Theirs stands on springs of 1e5 N/m, and its feet do not roll.
  EXPECT_LT(worst, 1e-3);
}

}  // namespace
}  // namespace stiction::test
