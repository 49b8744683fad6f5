// The rows of the quadratic program of InverseDynamics.

#include <cmath>
#include <numbers>

#include "stiction/control/inverse_dynamics.hpp"
#include "stiction/core/index.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/spatial/rotation.hpp"
#include "stiction/spatial/rotation_jacobian.hpp"

namespace stiction {

namespace {

using Eigen::Index;
using Eigen::Vector3d;

/// Rotation vector from `from` to `to`, world axes [rad].
Vector3d turn(const Eigen::Matrix3d& from, const Eigen::Matrix3d& to) {
  return log_rotation(to * from.transpose());
}

/// From one pose to another as one screw, world axes: linear (at the origin of `from`), angular.
Eigen::Matrix<double, 6, 1> screw(const Eigen::Isometry3d& from, const Eigen::Isometry3d& to) {
  Eigen::Matrix<double, 6, 1> result;
  const Vector3d angle = turn(from.linear(), to.linear());
  result << left_jacobian_inverse(angle) * (to.translation() - from.translation()), angle;
  return result;
}

Eigen::Matrix3d cross_matrix(const Vector3d& r) {
  Eigen::Matrix3d result;
  result << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  return result;
}

Vector3d drift_of(const DynamicsData<double>& data, int body, const Vector3d& point) {
  return to_eigen(point_drift<double>(data, body, from_eigen(point)));
}

}  // namespace

void InverseDynamics::reserve() {
  const Index nv = v_.size();
  n_ = nv;
  task_rows_ = equalities_ = inequalities_ = points_ = 0;
  equality_owners_.clear();
  inequality_owners_.clear();
  for (const ContactEntry& contact : contacts_) {
    if (contact.active) n_ += 3 * static_cast<Index>(contact.spec.points.size());
  }
  if (reserved_) {
    A_.setZero();
    C_.setZero();
    return;
  }
  Index rows = static_cast<Index>(actuated_entries_.size());
  for (const ContactEntry& contact : contacts_) {
    rows += contact.spec.sides * static_cast<Index>(contact.spec.points.size()) + 1;
  }
  const Index most = nv + 3 * point_count_;
  const Index contact_rows = 6 * static_cast<Index>(contacts_.size());
  H_.setZero(most, most);
  g_.setZero(most);
  tasks_.setZero(3 + 6 * static_cast<Index>(bodies_.size()) + contact_rows, nv);
  task_targets_.setZero(tasks_.rows());
  A_.setZero(static_cast<Index>(base_entries_.size()) + contact_rows, most);
  b_.setZero(A_.rows());
  C_.setZero(rows, most);
  lower_.setZero(rows);
  upper_.setZero(rows);
  point_jacobians_.setZero(3 * point_count_, nv);
  equality_owners_.reserve(index(A_.rows()));
  inequality_owners_.reserve(index(rows));
  reserved_ = true;
}

/// Takes over the first rows of rows_ and right_, times the root of the weight.
void InverseDynamics::add_task_rows(Index count, double weight) {
  const double root = std::sqrt(weight);
  tasks_.middleRows(task_rows_, count) = root * rows_.topRows(count);
  task_targets_.segment(task_rows_, count) = root * right_.head(count);
  task_rows_ += count;
}

/// Jacobian of the centre of mass, and minus its drift.
void InverseDynamics::fill_center_jacobian() {
  const double mass = model_.total_mass();
  if (base_entries_.size() == 6 && base_entries_[0] == 0 && model_.joint(0).body == 0) {
    // Forces on the base of a robot that floats as a whole move its centre of mass only.
    rows_.topRows(3) = mass_.topRows(3) / mass;
    right_.head<3>() = -(bias_.head<3>() + passive_.head<3>()) / mass - model_.gravity();
    return;
  }
  const Index nv = v_.size();
  Vector3d drift = Vector3d::Zero();
  tasks_.topRows(3).setZero();  // the first task, so nothing else is here yet
  for (int body = 0; body < model_.body_count(); ++body) {
    const BodyInertia& inertia = model_.body_inertia(body);
    const Vector3d point = stiction::body_pose(data_, body) * inertia.center_of_mass;
    point_jacobian<double>(model_, data_, body, from_eigen(point),
                           std::span(rows_.data(), static_cast<std::size_t>(3 * nv)));
    tasks_.topRows(3) += (inertia.mass / mass) * rows_.topRows(3);
    drift += (inertia.mass / mass) * drift_of(data_, body, point);
  }
  rows_.topRows(3) = tasks_.topRows(3);
  right_.head<3>() = -drift;
}

void InverseDynamics::add_rows_of_center_of_mass() {
  const CenterOfMassTask& task = center_of_mass_;
  if (task.gains.weight <= 0.0) return;
  fill_center_jacobian();
  right_.head<3>() += task.acceleration + task.gains.kp * (task.position - com_position_) +
                      task.gains.damping() * (task.velocity - com_velocity_);
  add_task_rows(3, task.gains.weight);
}

void InverseDynamics::add_rows_of(const BodyEntry& entry) {
  const BodyTask& task = entry.task;
  const Eigen::Isometry3d pose = pose_of(entry.place);
  const Vector3d point = pose.translation();
  body_jacobian<double>(model_, data_, entry.place.body, from_eigen(point),
                        std::span(rows_.data(), static_cast<std::size_t>(rows_.size())));
  const BodyData<double>& body = data_.bodies[index(entry.place.body)];
  const Vector3d velocity =
      to_eigen(point_velocity<double>(data_, entry.place.body, from_eigen(point)));
  const double kp = task.gains.kp;
  const double kd = task.gains.damping();
  Eigen::Matrix<double, 6, 1> error = screw(pose, task.pose);
  if (task.part == BodyTask::Part::position) error.head<3>() = task.pose.translation() - point;
  right_.head<3>() = task.acceleration + kp * error.head<3>() + kd * (task.velocity - velocity) -
                     drift_of(data_, entry.place.body, point);
  right_.tail<3>() = task.angular_acceleration + kp * error.tail<3>() +
                     kd * (task.angular_velocity - to_eigen(body.velocity.angular)) -
                     to_eigen(body.drift.angular);
  if (task.part == BodyTask::Part::orientation) {
    rows_.topRows(3) = rows_.bottomRows(3).eval();
    right_.head<3>() = right_.tail<3>().eval();
  }
  add_task_rows(task.part == BodyTask::Part::both ? 6 : 3, task.gains.weight);
}

void InverseDynamics::add_base_rows() {
  // The forces' part comes with the contacts.
  for (const int entry : base_entries_) {
    A_.row(equalities_).head(v_.size()) = mass_.row(entry);
    b_[equalities_] = -bias_[entry];
    ++equalities_;
    equality_owners_.push_back({RowOwner::Kind::base, entry});
  }
}

/// Jacobian of the frame, and the acceleration that keeps the contact, drift taken off.
void InverseDynamics::fill_motion_rows(const ContactEntry& contact) {
  const int body_index = contact.place.body;
  const BodyData<double>& body = data_.bodies[index(body_index)];
  const Eigen::Isometry3d pose = pose_of(contact.place);
  const bool one_point = contact.spec.points.size() == 1;
  const Vector3d origin = one_point ? pose * contact.spec.points[0] : Vector3d(pose.translation());
  const Vector3d arm = -contact.spec.radius * contact.spec.normal;
  const Vector3d turning = to_eigen(body.velocity.angular);
  body_jacobian<double>(model_, data_, body_index, from_eigen(Vector3d(origin + arm)),
                        std::span(rows_.data(), static_cast<std::size_t>(rows_.size())));
  const double kp = contact.spec.gains.kp;
  const double kd = contact.spec.gains.damping();
  const Vector3d velocity =
      to_eigen(point_velocity<double>(data_, body_index, from_eigen(origin))) + turning.cross(arm);
  Eigen::Matrix<double, 6, 1> error = screw(pose, contact.anchor);
  if (one_point) error.head<3>() = contact.anchor * contact.spec.points[0] - origin;
  if (contact.spec.radius > 0.0) {
    error.head<3>() = contact.spec.normal * (contact.spec.radius - contact.spec.normal.dot(origin));
  }
  // A ball touches with ever other points, so that `arm` does not turn with it.
  const Vector3d drift =
      drift_of(data_, body_index, origin) + to_eigen(body.drift.angular).cross(arm);
  right_.head<3>() = kp * error.head<3>() - kd * velocity - drift;
  right_.tail<3>() = kp * error.tail<3>() - kd * turning - to_eigen(body.drift.angular);
}

void InverseDynamics::add_motion_of(ContactEntry& contact, int number) {
  if (!contact.anchored) {
    contact.anchor = pose_of(contact.place);
    contact.anchored = true;
  }
  fill_motion_rows(contact);
  const Index count = contact.spec.points.size() == 1 ? 3 : 6;
  if (contact.spec.gains.weight > 0.0) {
    add_task_rows(count, contact.spec.gains.weight);
    return;
  }
  A_.block(equalities_, 0, count, v_.size()) = rows_.topRows(count);
  b_.segment(equalities_, count) = right_.head(count);
  equalities_ += count;
  for (Index i = 0; i < count; ++i) equality_owners_.push_back({RowOwner::Kind::motion, number});
}

/// Jacobians of the points, from the one of the frame that fill_motion_rows() left in rows_.
void InverseDynamics::add_points_of(const ContactEntry& contact) {
  const Index nv = v_.size();
  const Eigen::Isometry3d pose = pose_of(contact.place);
  const bool one_point = contact.spec.points.size() == 1;
  for (const Vector3d& point : contact.spec.points) {
    auto J = point_jacobians_.middleRows(3 * points_, 3);
    J = rows_.topRows(3);
    if (!one_point) {
      const Vector3d r = pose.linear() * point;
      J.row(0) += r.z() * rows_.row(4) - r.y() * rows_.row(5);
      J.row(1) += r.x() * rows_.row(5) - r.z() * rows_.row(3);
      J.row(2) += r.y() * rows_.row(3) - r.x() * rows_.row(4);
    }
    for (std::size_t i = 0; i < base_entries_.size(); ++i) {
      A_.block(static_cast<Index>(i), nv + 3 * points_, 1, 3) =
          -J.col(base_entries_[i]).transpose();
    }
    ++points_;
  }
}

void InverseDynamics::add_force_rows(const ContactEntry& contact, int number) {
  const ContactSpec& spec = contact.spec;
  const Index count = static_cast<Index>(spec.points.size());
  const Index first = v_.size() + 3 * (points_ - count);
  const Vector3d t1 = spec.normal.unitOrthogonal();
  const Vector3d t2 = spec.normal.cross(t1);
  const double step = 2.0 * std::numbers::pi / spec.sides;
  const double slope = spec.friction * std::cos(0.5 * step);
  for (Index point = 0; point < count; ++point) {
    for (int side = 0; side < spec.sides; ++side) {
      const double angle = step * (side + 0.5);
      const Vector3d row = slope * spec.normal - std::cos(angle) * t1 - std::sin(angle) * t2;
      C_.block(inequalities_, first + 3 * point, 1, 3) = row.transpose();
      lower_[inequalities_] = 0.0;
      upper_[inequalities_] = std::numeric_limits<double>::infinity();
      ++inequalities_;
      inequality_owners_.push_back({RowOwner::Kind::friction, number});
    }
  }
  for (Index point = 0; point < count; ++point) {
    C_.block(inequalities_, first + 3 * point, 1, 3) = spec.normal.transpose();
  }
  lower_[inequalities_] = spec.least_force;
  upper_[inequalities_] = spec.largest_force;
  ++inequalities_;
  inequality_owners_.push_back({RowOwner::Kind::normal_force, number});
}

void InverseDynamics::add_torque_rows() {
  const Index nv = v_.size();
  for (const int entry : actuated_entries_) {
    if (std::isinf(least_torque_[entry]) && std::isinf(largest_torque_[entry])) continue;
    C_.row(inequalities_).head(nv) = mass_.row(entry);
    C_.row(inequalities_).segment(nv, 3 * points_) =
        -point_jacobians_.col(entry).head(3 * points_).transpose();
    lower_[inequalities_] = least_torque_[entry] - bias_[entry];
    upper_[inequalities_] = largest_torque_[entry] - bias_[entry];
    ++inequalities_;
    inequality_owners_.push_back({RowOwner::Kind::torque, entry});
  }
}

void InverseDynamics::add_posture() {
  const TaskGains& gains = posture_.gains;
  if (gains.weight <= 0.0) return;
  const auto view = [](const Eigen::VectorXd& x) {
    return std::span<const double>(x.data(), static_cast<std::size_t>(x.size()));
  };
  difference<double>(model_, view(q_), view(posture_.q),
                     {posture_error_.data(), static_cast<std::size_t>(posture_error_.size())});
  for (const int entry : actuated_entries_) {
    const double reference = posture_.velocity.size() > 0 ? posture_.velocity[entry] : 0.0;
    const double factor = posture_.joint_weights.size() > 0 ? posture_.joint_weights[entry] : 1.0;
    const double wished =
        gains.kp * posture_error_[entry] + gains.damping() * (reference - v_[entry]);
    H_(entry, entry) += factor * gains.weight;
    g_[entry] -= factor * gains.weight * wished;
  }
}

void InverseDynamics::finish_objective() {
  const Index nv = v_.size();
  H_.topLeftCorner(n_, n_).setZero();
  g_.head(n_).setZero();
  const auto J = tasks_.topRows(task_rows_);
  H_.topLeftCorner(nv, nv).noalias() = J.transpose() * J;
  g_.head(nv).noalias() = -J.transpose() * task_targets_.head(task_rows_);
  H_.diagonal().head(nv).array() += options_.regularization;
  add_posture();
  Index place = nv;
  for (const ContactEntry& contact : contacts_) {
    if (!contact.active) continue;
    const double share = 1.0 / static_cast<double>(contact.spec.points.size());
    for (std::size_t i = 0; i < contact.spec.points.size(); ++i, place += 3) {
      H_.diagonal().segment<3>(place).array() = contact.spec.force_weight;
      g_.segment<3>(place) = -contact.spec.force_weight * share * contact.spec.force;
    }
    if (contact.spec.wrench_weights.maxCoeff() > 0.0) add_wrench(contact, place);
  }
}

/// Weights of the total force and moment of a contact whose points end before `end`.
void InverseDynamics::add_wrench(const ContactEntry& contact, Index end) {
  const auto& points = contact.spec.points;
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  if (points.size() > 1) axes = pose_of(contact.place).linear();
  const Eigen::Matrix<double, 6, 1>& weights = contact.spec.wrench_weights;
  const Eigen::Matrix3d of_force = axes * weights.head<3>().asDiagonal() * axes.transpose();
  const Eigen::Matrix3d of_moment = axes * weights.tail<3>().asDiagonal() * axes.transpose();
  const Index count = static_cast<Index>(points.size());
  const Index first = end - 3 * count;
  for (Index i = 0; i < count; ++i) {
    const Eigen::Matrix3d r = cross_matrix(axes * points[static_cast<std::size_t>(i)]);
    for (Index j = 0; j < count; ++j) {
      const Eigen::Matrix3d s = cross_matrix(axes * points[static_cast<std::size_t>(j)]);
      H_.block<3, 3>(first + 3 * i, first + 3 * j) += of_force + r.transpose() * of_moment * s;
    }
  }
}

}  // namespace stiction
