#include "stiction/control/joint_control.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <fmt/core.h>
#include <stdexcept>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"

namespace stiction {

namespace {

void require_size(const Eigen::VectorXd& x, int expected, const char* what) {
  if (x.size() == expected) return;
  throw std::invalid_argument(
      fmt::format("{} has {} entries, but the model needs {}", what, x.size(), expected));
}

void check_gains(const Eigen::VectorXd& gains, int expected, const char* what) {
  require_size(gains, expected, what);
  for (Eigen::Index i = 0; i < gains.size(); ++i) {
    if (gains[i] >= 0.0) continue;
    throw std::invalid_argument(fmt::format("{} of velocity {} is {}", what, i, gains[i]));
  }
}

/// Limits hold, and nobody drives a floating base.
void keep_within_limits(const Model& model, Eigen::VectorXd& torques) {
  for (const Joint& joint : model.joints()) {
    for (int i = 0; i < velocity_size(joint.kind); ++i) {
      double& torque = torques[joint.velocity_index + i];
      torque = joint.kind == JointKind::floating
                   ? 0.0
                   : std::clamp(torque, joint.limits.least_effort(), joint.limits.largest_effort());
    }
  }
}

std::span<const double> span_of(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

PdController::PdController(Model model, Eigen::VectorXd kp, Eigen::VectorXd kd)
    : q(model.initial_positions()),
      v(Eigen::VectorXd::Zero(model.velocity_count())),
      feed_forward(v),
      model_(std::move(model)),
      kp_(std::move(kp)),
      kd_(std::move(kd)),
      torques_(v),
      error_(v) {
  check_gains(kp_, model_.velocity_count(), "kp");
  check_gains(kd_, model_.velocity_count(), "kd");
}

PdController::PdController(Model model, double kp, double kd)
    : PdController(model, Eigen::VectorXd::Constant(model.velocity_count(), kp),
                   Eigen::VectorXd::Constant(model.velocity_count(), kd)) {}

const Eigen::VectorXd& PdController::torques(const State& state) {
  require_size(state.q, model_.position_count(), "state.q");
  require_size(state.v, model_.velocity_count(), "state.v");
  require_size(q, model_.position_count(), "the reference q");
  require_size(v, model_.velocity_count(), "the reference v");
  require_size(feed_forward, model_.velocity_count(), "feed_forward");
  difference<double>(model_, span_of(state.q), span_of(q),
                     {error_.data(), static_cast<std::size_t>(error_.size())});
  torques_ = feed_forward + kp_.cwiseProduct(error_) + kd_.cwiseProduct(v - state.v);
  keep_within_limits(model_, torques_);
  return torques_;
}

GravityCompensationController::GravityCompensationController(Model model,
                                                             std::vector<std::string> supports)
    : model_(std::move(model)), data_(model_) {
  for (const std::string& name : supports) {
    const auto frame = model_.find_frame(name);
    if (!frame || model_.frames()[index(*frame)].body < 0) {
      throw std::invalid_argument(
          fmt::format("model '{}' has no link or site '{}' that moves", model_.name(), name));
    }
    supports_.push_back(*frame);
  }
  for (const Joint& joint : model_.joints()) {
    if (joint.kind != JointKind::floating) continue;
    if (!base_.empty()) throw std::invalid_argument("the model has more than one floating body");
    for (int i = 0; i < 6; ++i) base_.push_back(joint.velocity_index + i);
  }
  if (!base_.empty() && supports_.empty()) {
    throw std::invalid_argument("the robot floats: name the frames that it stands on");
  }
  const Eigen::Index n = model_.velocity_count();
  const Eigen::Index count = static_cast<Eigen::Index>(supports_.size());
  rest_.setZero(n);
  torques_.setZero(n);
  rows_.setZero(3, n);
  jacobians_.setZero(3 * count, n);
  carried_.setZero(6, 3 * count);
  forces_.setZero(3, count);
}

const Eigen::VectorXd& GravityCompensationController::torques(const State& state) {
  require_size(state.q, model_.position_count(), "state.q");
  update_kinematics<double>(model_, data_, span_of(state.q), span_of(rest_));
  bias_forces<double>(model_, data_, {torques_.data(), static_cast<std::size_t>(torques_.size())});
  if (!base_.empty()) {
    for (std::size_t i = 0; i < supports_.size(); ++i) {
      const Frame& frame = model_.frames()[index(supports_[i])];
      const Eigen::Vector3d point = body_pose(data_, frame.body) * frame.pose.translation();
      point_jacobian<double>(model_, data_, frame.body, from_eigen(point),
                             {rows_.data(), static_cast<std::size_t>(rows_.size())});
      jacobians_.middleRows(3 * static_cast<Eigen::Index>(i), 3) = rows_;
    }
    Eigen::Matrix<double, 6, 1> weight;
    for (int i = 0; i < 6; ++i) {
      carried_.row(i) = jacobians_.col(base_[index(i)]).transpose();
      weight[i] = torques_[base_[index(i)]];
    }
    // Supports on a line or in a point leave moments that nobody carries; the small number keeps
    // the system solvable then.
    Eigen::Matrix<double, 6, 6> square = carried_ * carried_.transpose();
    square.diagonal().array() += 1e-9 * square.diagonal().maxCoeff();
    const Eigen::Matrix<double, 6, 1> solution = square.llt().solve(weight);
    forces_.reshaped().noalias() = carried_.transpose() * solution;
    torques_.noalias() -= jacobians_.transpose() * forces_.reshaped();
  }
  keep_within_limits(model_, torques_);
  return torques_;
}

}  // namespace stiction
