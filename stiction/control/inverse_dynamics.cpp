#include "stiction/control/inverse_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <stdexcept>

#include "stiction/core/finite.hpp"
#include "stiction/core/index.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"

namespace stiction {

namespace {

std::span<const double> span_of(const Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
std::span<double> span_of(Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

void require_size(const Eigen::VectorXd& x, int expected, const char* what, bool may_be_empty) {
  if (x.size() == expected || (may_be_empty && x.size() == 0)) return;
  throw std::invalid_argument(
      fmt::format("{} has {} entries, but the model needs {}", what, x.size(), expected));
}

void require_finite(const Eigen::VectorXd& x, const char* what) {
  if (!all_finite(span_of(x))) {
    throw std::invalid_argument(fmt::format("{} contains NaN or infinity", what));
  }
}

void check_gains(const TaskGains& gains, const std::string& what) {
  if (gains.kp >= 0.0 && gains.weight >= 0.0 && std::isfinite(gains.kp) &&
      std::isfinite(gains.kd) && std::isfinite(gains.weight)) {
    return;
  }
  throw std::invalid_argument(
      fmt::format("{}: kp {}, kd {} and weight {} must be finite, kp and weight not negative", what,
                  gains.kp, gains.kd, gains.weight));
}

void check_contact(const ContactSpec& contact) {
  const std::string what = "contact of frame '" + contact.frame + "'";
  check_gains(contact.gains, what);
  const auto require = [&what](bool condition, const char* problem) {
    if (!condition) throw std::invalid_argument(what + ": " + problem);
  };
  require(contact.points.size() == 1 || contact.points.size() >= 3,
          "give one point, or at least three points");
  require(contact.radius == 0.0 || contact.points.size() == 1, "a ball has one point");
  require(contact.radius >= 0.0, "the radius is negative");
  require(contact.friction >= 0.0, "the friction is negative");
  require(contact.sides >= 3, "a friction pyramid has at least three sides");
  require(contact.least_force >= 0.0, "the least force is negative");
  require(contact.least_force <= contact.largest_force, "the least force is above the largest");
  require(contact.force_weight > 0.0, "the weight of forces is not positive");
  require(contact.wrench_weights.allFinite() && contact.wrench_weights.minCoeff() >= 0.0,
          "a weight of the wrench is negative or not finite");
  require(std::abs(contact.normal.norm() - 1.0) < 1e-9, "the normal is not a unit vector");
}

}  // namespace

double TaskGains::damping() const { return kd < 0.0 ? 2.0 * std::sqrt(kp) : kd; }

ContactSpec ContactSpec::ball(std::string frame, double radius, double friction) {
  ContactSpec contact;
  contact.frame = std::move(frame);
  contact.radius = radius;
  contact.friction = friction;
  return contact;
}

ContactSpec ContactSpec::rectangle(std::string frame, double x_rear, double x_front,
                                   double half_width, double z, double friction) {
  ContactSpec contact;
  contact.frame = std::move(frame);
  contact.points = {{x_front, half_width, z},
                    {x_front, -half_width, z},
                    {x_rear, half_width, z},
                    {x_rear, -half_width, z}};
  contact.friction = friction;
  return contact;
}

InverseDynamics::InverseDynamics(Model model, InverseDynamicsOptions options)
    : model_(std::move(model)), options_(std::move(options)), data_(model_) {
  const int n = model_.velocity_count();
  require_size(options_.torque_limits, n, "torque_limits", true);
  if (!(options_.regularization > 0.0)) {
    throw std::invalid_argument("the regularization must be positive");
  }
  least_torque_.setZero(n);
  largest_torque_.setZero(n);
  for (const Joint& joint : model_.joints()) {
    for (int i = 0; i < velocity_size(joint.kind); ++i) {
      const int entry = joint.velocity_index + i;
      const bool driven = joint.kind != JointKind::floating;
      (driven ? actuated_entries_ : base_entries_).push_back(entry);
      if (!driven) continue;
      const bool own = options_.torque_limits.size() > 0;
      least_torque_[entry] = own ? -options_.torque_limits[entry] : joint.limits.least_effort();
      largest_torque_[entry] = own ? options_.torque_limits[entry] : joint.limits.largest_effort();
    }
  }
  q_.setZero(model_.position_count());
  for (Eigen::VectorXd* x : {&v_, &bias_, &passive_, &posture_error_}) x->setZero(n);
  mass_.setZero(n, n);
  rows_.setZero(6, n);
  result_.torques.setZero(n);
  result_.accelerations.setZero(n);
  com_position_.setZero();
  com_velocity_.setZero();
}

InverseDynamics::Place InverseDynamics::find_place(const std::string& frame) const {
  const auto found = model_.find_frame(frame);
  if (!found) {
    std::string known;
    for (const Frame& each : model_.frames()) {
      if (known.size() > 300) break;
      known += (known.empty() ? "" : ", ") + each.name;
    }
    throw std::invalid_argument(
        fmt::format("there is no link or site '{}' in model '{}'; it has: {}{}", frame,
                    model_.name(), known, known.size() > 300 ? ", …" : ""));
  }
  const Frame& entry = model_.frames()[index(*found)];
  if (entry.body < 0) {
    throw std::invalid_argument(fmt::format("frame '{}' belongs to the world", frame));
  }
  return {entry.body, entry.pose};
}

int InverseDynamics::add_body_task(BodyTask task) {
  check_gains(task.gains, "task of frame '" + task.frame + "'");
  const Place place = find_place(task.frame);
  bodies_.push_back({std::move(task), place});
  reserved_ = false;
  return static_cast<int>(bodies_.size()) - 1;
}

int InverseDynamics::add_contact(ContactSpec contact) {
  check_contact(contact);
  ContactEntry entry;
  entry.place = find_place(contact.frame);
  entry.first_point = point_count_;
  entry.anchor.setIdentity();
  point_count_ += static_cast<int>(contact.points.size());
  entry.spec = std::move(contact);
  contacts_.push_back(std::move(entry));
  result_.forces.setZero(3, point_count_);
  reserved_ = false;
  return static_cast<int>(contacts_.size()) - 1;
}

BodyTask& InverseDynamics::body_task(int i) { return bodies_.at(index(i)).task; }
ContactSpec& InverseDynamics::contact(int i) { return contacts_.at(index(i)).spec; }
bool InverseDynamics::is_active(int i) const { return contacts_.at(index(i)).active; }

void InverseDynamics::set_active(int i, bool active) {
  ContactEntry& entry = contacts_.at(index(i));
  if (entry.active == active) return;
  entry.active = active;
  entry.anchored = false;
}

Eigen::Isometry3d InverseDynamics::pose_of(const Place& place) const {
  return stiction::body_pose(data_, place.body) * place.pose;
}
Eigen::Isometry3d InverseDynamics::body_task_pose(int i) const {
  return pose_of(bodies_.at(index(i)).place);
}
Eigen::Isometry3d InverseDynamics::contact_pose(int i) const {
  return pose_of(contacts_.at(index(i)).place);
}

double InverseDynamics::contact_height(int i) const {
  const ContactEntry& entry = contacts_.at(index(i));
  const Eigen::Isometry3d pose = pose_of(entry.place);
  double height = std::numeric_limits<double>::infinity();
  for (const Eigen::Vector3d& point : entry.spec.points) {
    height = std::min(height, entry.spec.normal.dot(pose * point) - entry.spec.radius);
  }
  return height;
}

void InverseDynamics::update(const State& state) {
  require_size(state.q, model_.position_count(), "state.q", false);
  require_size(state.v, model_.velocity_count(), "state.v", false);
  require_finite(state.q, "state.q");
  require_finite(state.v, "state.v");
  q_ = state.q;
  v_ = state.v;
  update_kinematics(model_, data_, q_, v_);
  const std::size_t n = static_cast<std::size_t>(v_.size());
  mass_matrix<double>(model_, data_, std::span(mass_.data(), n * n));
  bias_forces<double>(model_, data_, span_of(bias_));
  passive_forces<double>(model_, span_of(std::as_const(q_)), span_of(std::as_const(v_)),
                         span_of(passive_));
  bias_ -= passive_;
  const CentroidalState<double> centre = centroidal_state(model_, data_);
  com_position_ = to_eigen(centre.center_of_mass);
  com_velocity_ = to_eigen(centre.linear_momentum) / centre.mass;
}

void InverseDynamics::check_references() const {
  if (posture_.gains.weight > 0.0) {
    require_size(posture_.q, model_.position_count(), "posture().q", false);
    require_size(posture_.velocity, model_.velocity_count(), "posture().velocity", true);
    require_size(posture_.joint_weights, model_.velocity_count(), "posture().joint_weights", true);
    require_finite(posture_.q, "posture().q");
    require_finite(posture_.velocity, "posture().velocity");
  }
  if (center_of_mass_.gains.weight > 0.0 && !center_of_mass_.position.allFinite()) {
    throw std::invalid_argument("center_of_mass().position contains NaN or infinity");
  }
  for (const BodyEntry& entry : bodies_) {
    if (entry.task.gains.weight > 0.0 && !entry.task.pose.matrix().allFinite()) {
      throw std::invalid_argument(
          fmt::format("pose of the task of frame '{}' contains NaN or infinity", entry.task.frame));
    }
  }
}

const InverseDynamicsResult& InverseDynamics::compute(const State& state) {
  update(state);
  return solve();
}

const InverseDynamicsResult& InverseDynamics::solve() {
  check_references();
  reserve();
  add_rows_of_center_of_mass();
  for (const BodyEntry& entry : bodies_) {
    if (entry.task.gains.weight > 0.0) add_rows_of(entry);
  }
  add_base_rows();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (!contacts_[i].active) continue;
    add_motion_of(contacts_[i], static_cast<int>(i));
    add_points_of(contacts_[i]);
    add_force_rows(contacts_[i], static_cast<int>(i));
  }
  add_torque_rows();
  finish_objective();
  result_.status =
      solver_.solve({H_.topLeftCorner(n_, n_), g_.head(n_), A_.topLeftCorner(equalities_, n_),
                     b_.head(equalities_), C_.topLeftCorner(inequalities_, n_),
                     lower_.head(inequalities_), upper_.head(inequalities_), none_, none_});
  result_.iterations = solver_.iterations();
  if (result_.status == ProgramStatus::solved) {
    read_solution();
  } else {
    describe_failure();
  }
  return result_;
}

void InverseDynamics::read_solution() {
  const Eigen::Index n = v_.size();
  result_.message.clear();
  result_.accelerations = solver_.x().head(n);
  result_.torques.noalias() = mass_ * result_.accelerations;
  result_.torques += bias_;
  result_.torques.noalias() -=
      point_jacobians_.topRows(3 * points_).transpose() * solver_.x().tail(3 * points_);
  result_.base_residual = 0.0;
  for (const int entry : base_entries_) {
    result_.base_residual = std::max(result_.base_residual, std::abs(result_.torques[entry]));
    result_.torques[entry] = 0.0;
  }
  // The program holds limits up to rounding; the motor holds them exactly.
  for (const int entry : actuated_entries_) {
    result_.torques[entry] =
        std::clamp(result_.torques[entry], least_torque_[entry], largest_torque_[entry]);
  }
  result_.forces.setZero();
  Eigen::Index place = n;
  for (const ContactEntry& contact : contacts_) {
    if (!contact.active) continue;
    for (std::size_t i = 0; i < contact.spec.points.size(); ++i, place += 3) {
      result_.forces.col(contact.first_point + static_cast<int>(i)) = solver_.x().segment<3>(place);
    }
  }
}

}  // namespace stiction
