// Motions of files: order of joints, axes of velocities, and files that do not fit.

#include "experiments/motion_file.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "motion_writer.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/core/problem.hpp"
#include "stiction/io/load.hpp"
#include "support/temporary_folder.hpp"

namespace stiction::test {
namespace {

using namespace experiments;

Model robot(const char* name, BaseKind base = BaseKind::floating) {
  LoadOptions options;
  options.base = base;
  return load_model(models_folder() / name, options).model;
}

/// Entry i of a state of Solo12: a half turn about z, joint i has the angle i and the speed 100 +
/// i.
double state_entry(std::size_t i) {
  const std::size_t k = i % 37;
  if (k < 3) return 0.1 * static_cast<double>(k + 1);
  if (k < 7) return k == 5 ? 1.0 : 0.0;
  if (k < 19) return static_cast<double>(k - 7);
  if (k < 25) return static_cast<double>(k - 18);  // 1 2 3, 4 5 6 in own axes
  return 100.0 + static_cast<double>(k - 25);
}

/// The parts of a file of Solo12 with two intervals; tests spoil one.
struct Parts {
  std::vector<hsize_t> states{3, 37};
  std::vector<hsize_t> controls{2, 12};
  std::vector<hsize_t> feedback{2, 12, 36};
  double time_step = 0.01;
  double first_control = 0.0;
  double quaternion_scale = 1.0;
};

void write(const std::filesystem::path& path, const Parts& parts) {
  const MotionWriter file(path);
  if (parts.time_step != 0.0) file.time_step(parts.time_step);
  const auto count = [](std::size_t i) { return static_cast<double>(i); };
  if (!parts.states.empty()) {
    file.dataset("states", parts.states, [&](std::size_t i) {
      return state_entry(i) * (i % 37 == 5 ? parts.quaternion_scale : 1.0);
    });
  }
  if (!parts.controls.empty()) {
    file.dataset("controls", parts.controls,
                 [&](std::size_t i) { return i == 0 ? parts.first_control : count(i); });
  }
  if (!parts.feedback.empty()) file.dataset("feedback", parts.feedback, count);
}

class MotionFile : public ::testing::Test {
 protected:
  ReferenceMotion load(const Parts& parts) {
    write(path_, parts);
    return load_motion(path_, solo_, solo12_joints);
  }
  std::string refusal(const Parts& parts) {
    write(path_, parts);
    return refusal_of(solo_);
  }
  std::string refusal_of(const Model& model) {
    try {
      (void)load_motion(path_, model, solo12_joints);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "motion.h5";
  Model solo_ = robot("solo12.urdf");
};

TEST_F(MotionFile, JointsGoByTheirNames) {
  // The same file, read as if its joints were stored in reverse.
  std::vector<std::string_view> names(solo12_joints.rbegin(), solo12_joints.rend());
  write(path_, Parts());
  const ReferenceMotion motion = load_motion(path_, solo_, names);
  ASSERT_EQ(motion.samples.size(), 3U);
  ASSERT_EQ(motion.feedforward.size(), 2U);
  ASSERT_EQ(motion.gains.size(), 2U);
  EXPECT_EQ(motion.time_step, 0.01);
  EXPECT_EQ(motion.duration(), 0.02);
  const Eigen::MatrixXd& K = motion.gains[1];
  EXPECT_EQ(K.topRows(6).cwiseAbs().maxCoeff(), 0.0);
  for (int i = 0; i < 12; ++i) {
    const Joint& joint = solo_.joint(*solo_.find_joint(names[static_cast<std::size_t>(i)]));
    EXPECT_EQ(motion.samples[2].q[joint.position_index], i);
    EXPECT_EQ(motion.samples[2].v[joint.velocity_index], 100 + i);
    EXPECT_EQ(motion.feedforward[1][joint.velocity_index], 12 + i);
    const double row = 36.0 * (12 + i);  // counted row by row, second interval
    EXPECT_EQ(K(joint.velocity_index, 4), row + 4.0);
    EXPECT_EQ(K(joint.velocity_index, 18 + 4), row + 22.0);
    const Joint& other = solo_.joint(*solo_.find_joint(names[3]));
    EXPECT_EQ(K(joint.velocity_index, other.velocity_index), row + 9.0);
    EXPECT_EQ(K(joint.velocity_index, 18 + other.velocity_index), row + 27.0);
  }
}

TEST_F(MotionFile, VelocitiesOfTheBaseAreTurnedToWorldAxes) {
  const ReferenceMotion motion = load(Parts());
  const MotionSample& sample = motion.samples[1];
  EXPECT_TRUE(sample.q.head<7>().isApprox(
      (Eigen::VectorXd(7) << 0.1, 0.2, 0.3, 0.0, 0.0, 1.0, 0.0).finished(), 1e-15));
  // Half a turn about z.
  EXPECT_TRUE(sample.v.head<6>().isApprox(
      (Eigen::VectorXd(6) << -1.0, -2.0, 3.0, -4.0, -5.0, 6.0).finished(), 1e-15));
}

TEST_F(MotionFile, TheLastSampleMayBeMissing) {
  Parts parts;
  parts.states = {2, 37};
  const ReferenceMotion motion = load(parts);
  EXPECT_EQ(motion.samples.size(), 2U);
  EXPECT_EQ(motion.feedforward.size(), 2U);
  EXPECT_EQ(sample_at(solo_, motion, 0.015).q, motion.samples[1].q);
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_F(MotionFile, MissingPartsAreNamed) {
  Parts parts;
  parts.feedback = {};
  expect_contains(refusal(parts), "/feedback: this dataset is missing");
  parts = Parts();
  parts.time_step = 0.0;
  expect_contains(refusal(parts), "the attribute 'time_step' is missing");
  parts.time_step = -1.0;
  expect_contains(refusal(parts), "the attribute 'time_step' is -1, not a positive time");
}

TEST_F(MotionFile, WrongSizesAreNamed) {
  Parts parts;
  parts.states = {3, 36};
  expect_contains(refusal(parts), "/states: 36 numbers per sample are stored, but 37 are expected");
  parts = Parts();
  parts.states = {1, 37};
  parts.controls = {1, 12};
  expect_contains(refusal(parts), "/states: a motion needs two samples");
  parts = Parts();
  parts.controls = {4, 12};
  expect_contains(refusal(parts), "/controls: 4 intervals are stored for 3 samples");
  parts = Parts();
  parts.controls = {2, 18};
  expect_contains(refusal(parts), "/controls: 18 forces per interval are stored, but 12");
  parts = Parts();
  parts.feedback = {1, 12, 36};
  expect_contains(refusal(parts), "/feedback: 1 intervals are stored, but 2 are expected");
  parts.feedback = {2, 12, 37};
  expect_contains(refusal(parts), "/feedback: 37 columns per interval are stored, but 36");
  parts.feedback = {24, 36};
  expect_contains(refusal(parts), "/feedback: this dataset has 2 dimensions instead of 3");
}

TEST_F(MotionFile, WrongNumbersAreNamed) {
  Parts parts;
  parts.first_control = std::numeric_limits<double>::quiet_NaN();
  expect_contains(refusal(parts), "/controls: this dataset contains NaN or infinity");
  parts = Parts();
  parts.quaternion_scale = 0.9;
  expect_contains(refusal(parts), "numbers 3 to 6 of sample 0 are not a unit quaternion");
  folder_.write("motion.h5", "no HDF5");
  expect_contains(refusal_of(solo_), "this is not an HDF5 file; motions are HDF5");
}

TEST_F(MotionFile, OtherRobotsAreRefused) {
  write(path_, Parts());
  EXPECT_EQ(refusal_of(solo_), "accepted");
  // As many joints, with other names.
  expect_contains(refusal_of(robot("anymal.urdf")), "has no joint 'FL_HAA'");
  expect_contains(refusal_of(robot("solo12.urdf", BaseKind::fixed)), "has no floating base");
  try {
    (void)load_motion(path_, solo_, std::span(solo12_joints).first(9));
    FAIL() << "joints were missing";
  } catch (const InputError& error) {
    expect_contains(error.what(), "has 12 joint coordinates, but the motion has 9");
  }
}

}  // namespace
}  // namespace stiction::test
