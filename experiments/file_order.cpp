#include "experiments/file_order.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <optional>
#include <string>

#include "stiction/core/problem.hpp"

namespace stiction::experiments {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, std::string what, std::string remedy) {
  ProblemList problems;
  problems.error({file.string(), 0, ""}, std::move(what), std::move(remedy));
  throw InputError(std::move(problems));
}

}  // namespace

const std::array<std::string_view, 12> solo12_joints{"FL_HAA", "FL_HFE", "FL_KFE", "FR_HAA",
                                                     "FR_HFE", "FR_KFE", "HL_HAA", "HL_HFE",
                                                     "HL_KFE", "HR_HAA", "HR_HFE", "HR_KFE"};

const std::array<std::string_view, 31> romeo_joints{
    "LHipYaw",        "LHipRoll",       "LHipPitch",    "LKneePitch", "LAnklePitch", "LAnkleRoll",
    "RHipYaw",        "RHipRoll",       "RHipPitch",    "RKneePitch", "RAnklePitch", "RAnkleRoll",
    "TrunkYaw",       "LShoulderPitch", "LShoulderYaw", "LElbowRoll", "LElbowYaw",   "LWristRoll",
    "LWristYaw",      "LWristPitch",    "NeckYaw",      "NeckPitch",  "HeadPitch",   "HeadRoll",
    "RShoulderPitch", "RShoulderYaw",   "RElbowRoll",   "RElbowYaw",  "RWristRoll",  "RWristYaw",
    "RWristPitch"};

FileOrder::FileOrder(const Model& model, std::span<const std::string_view> names,
                     const std::filesystem::path& file) {
  if (model.body_count() == 0 || model.joint(0).kind != JointKind::floating) {
    refuse(file, fmt::format("the robot '{}' has no floating base", model.name()),
           "load it with BaseKind::floating");
  }
  for (const std::string_view name : names) {
    const std::optional<int> joint = model.find_joint(name);
    if (!joint || velocity_size(model.joint(*joint).kind) != 1) {
      refuse(
          file,
          fmt::format("the robot '{}' has no joint '{}' with one coordinate", model.name(), name),
          "this file is a motion of another robot; load that one");
    }
    joints_.push_back(model.joint(*joint).velocity_index - 6);
  }
  if (model.velocity_count() != velocity_count()) {
    refuse(file,
           fmt::format("the robot '{}' has {} joint coordinates, but the motion has {}",
                       model.name(), model.velocity_count() - 6, names.size()),
           "this file is a motion of another robot; load that one");
  }
}

MotionSample FileOrder::to_model(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const {
  MotionSample sample{q, v};
  sample.q.segment<4>(3).normalize();
  const Eigen::Quaterniond turn(sample.q[6], sample.q[3], sample.q[4], sample.q[5]);
  sample.v.head<3>() = turn * v.head<3>();
  sample.v.segment<3>(3) = turn * v.segment<3>(3);
  for (Eigen::Index i = 0; i < joint_count(); ++i) {
    const int at = joints_[static_cast<std::size_t>(i)];
    sample.q[7 + at] = q[7 + i];
    sample.v[6 + at] = v[6 + i];
  }
  return sample;
}

Eigen::VectorXd FileOrder::forces(const Eigen::VectorXd& joint_forces) const {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(velocity_count());
  for (Eigen::Index i = 0; i < joint_count(); ++i) {
    result[6 + joints_[static_cast<std::size_t>(i)]] = joint_forces[i];
  }
  return result;
}

Eigen::MatrixXd FileOrder::gains(const Eigen::MatrixXd& joint_gains) const {
  const Eigen::Index n = velocity_count();
  const auto in_model = [&](Eigen::Index k) {
    return k < 6 ? k : 6 + joints_[static_cast<std::size_t>(k - 6)];
  };
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(n, 2 * n);
  for (Eigen::Index row = 0; row < joint_count(); ++row) {
    for (Eigen::Index k = 0; k < n; ++k) {
      result(in_model(6 + row), in_model(k)) = joint_gains(row, k);
      result(in_model(6 + row), n + in_model(k)) = joint_gains(row, n + k);
    }
  }
  return result;
}

}  // namespace stiction::experiments
