#include "experiments/reference_motion.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/spatial/rotation.hpp"
#include "stiction/spatial/rotation_jacobian.hpp"

namespace stiction::experiments {

namespace {

Eigen::Quaterniond base_turn(const Eigen::VectorXd& q) {
  return Eigen::Quaterniond(q[6], q[3], q[4], q[5]).normalized();
}

Eigen::VectorXd velocity_in_own_axes(const MotionSample& sample) {
  const Eigen::Quaterniond back = base_turn(sample.q).conjugate();
  Eigen::VectorXd v = sample.v;
  v.head<3>() = back * sample.v.head<3>();
  v.segment<3>(3) = back * sample.v.segment<3>(3);
  return v;
}

Eigen::VectorXd position_difference(const Model& model, const Eigen::VectorXd& from,
                                    const Eigen::VectorXd& to) {
  const Eigen::Quaterniond back = base_turn(from).conjugate();
  const Eigen::Vector3d turn = to_eigen(log_quaternion(from_eigen(back * base_turn(to))));
  Eigen::VectorXd result(model.velocity_count());
  result.head<3>() = left_jacobian_inverse(turn) * (back * (to - from).head<3>());
  result.segment<3>(3) = turn;
  result.tail(result.size() - 6) = (to - from).tail(result.size() - 6);
  return result;
}

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& r) {
  Eigen::Matrix3d result;
  result << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  return result;
}

}  // namespace

double ReferenceMotion::duration() const {
  return static_cast<double>(feedforward.size()) * time_step;
}

void ReferenceMotion::lift(double height) {
  for (MotionSample& sample : samples) sample.q[2] += height;
}

std::size_t interval_at(const ReferenceMotion& motion, double time) {
  const double position = std::floor(time / motion.time_step + 1e-9);
  const double last = static_cast<double>(motion.feedforward.size()) - 1.0;
  return static_cast<std::size_t>(std::clamp(position, 0.0, last));
}

MotionSample sample_at(const Model& model, const ReferenceMotion& motion, double time) {
  const std::size_t k = interval_at(motion, time);
  if (k + 1 >= motion.samples.size()) return motion.samples.back();
  const MotionSample& before = motion.samples[k];
  const MotionSample& after = motion.samples[k + 1];
  const double share = std::clamp(time / motion.time_step - static_cast<double>(k), 0.0, 1.0);
  const Eigen::VectorXd step = share * position_difference(model, before.q, after.q);
  const Eigen::VectorXd v0 = velocity_in_own_axes(before);
  MotionSample result;
  result.q = move_in_own_axes(model, before.q, step);
  result.v = v0 + share * (velocity_in_own_axes(after) - v0);
  const Eigen::Quaterniond turn = base_turn(result.q);
  result.v.head<3>() = turn * Eigen::Vector3d(result.v.head<3>());
  result.v.segment<3>(3) = turn * Eigen::Vector3d(result.v.segment<3>(3));
  return result;
}

Eigen::VectorXd own_axes_difference(const Model& model, const MotionSample& from,
                                    const MotionSample& to) {
  Eigen::VectorXd result(2 * model.velocity_count());
  result << position_difference(model, from.q, to.q),
      velocity_in_own_axes(to) - velocity_in_own_axes(from);
  return result;
}

Eigen::VectorXd move_in_own_axes(const Model& model, const Eigen::VectorXd& q,
                                 const Eigen::VectorXd& step) {
  const Eigen::Quaterniond turn = base_turn(q);
  const Eigen::Vector3d angle = step.segment<3>(3);
  const Eigen::Quaterniond end = (turn * to_eigen(exp_quaternion(from_eigen(angle)))).normalized();
  Eigen::VectorXd result = q;
  result.head<3>() += turn * (left_jacobian(angle) * step.head<3>());
  result.segment<4>(3) = end.coeffs();  // x, y, z, w
  const Eigen::Index joints = model.velocity_count() - 6;
  result.tail(joints) += step.tail(joints);
  return result;
}

Eigen::VectorXd tracking_forces(const Model& model, const ReferenceMotion& motion, double time,
                                const MotionSample& current) {
  const std::size_t k = interval_at(motion, time);
  return motion.feedforward[k] +
         motion.gains[k] * own_axes_difference(model, current, sample_at(model, motion, time));
}

// With δ = x ⊖ x_ref in world axes and R, v the turn and velocity of the reference's base, the
// difference in own axes from x to x_ref is -(Rᵀ δp, Rᵀ δθ, ...), and that of velocities
// -(Rᵀ δv + Rᵀ (v x δθ), ...), because own-axes velocities Rᵀ v also change as R turns.
Eigen::MatrixXd gains_in_world_axes(const Model& model, const Eigen::MatrixXd& gains,
                                    const MotionSample& reference) {
  const Eigen::Index n = model.velocity_count();
  const Eigen::Matrix3d back = base_turn(reference.q).toRotationMatrix().transpose();
  Eigen::MatrixXd change = Eigen::MatrixXd::Identity(2 * n, 2 * n);
  for (const Eigen::Index first : {Eigen::Index{0}, Eigen::Index{3}}) {
    change.block<3, 3>(first, first) = back;
    change.block<3, 3>(n + first, n + first) = back;
    change.block<3, 3>(n + first, 3) = back * cross_matrix(reference.v.segment<3>(first));
  }
  return gains * change;
}

}  // namespace stiction::experiments
