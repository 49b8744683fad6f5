#include "bench/quadruped.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "stiction/core/paths.hpp"
#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/io/load.hpp"

namespace stiction::bench {

namespace {

constexpr double foot_radius = 0.031;    // [m]
constexpr double foot_height = 0.02325;  // of the sphere's centre above the foot's frame [m]
constexpr std::array legs{"LF", "RF", "LH", "RH"};
constexpr std::array parts{"_HAA", "_HFE", "_KFE"};
/// Hip, thigh, knee of each leg; front knees point back, hind knees forward.
constexpr double nominal[4][3] = {
    {0.03, 0.4, -0.8}, {-0.03, 0.4, -0.8}, {0.03, -0.4, 0.8}, {-0.03, -0.4, 0.8}};

Model load_anymal() {
  LoadOptions options;
  options.base = BaseKind::floating;
  return load_model(models_folder() / "anymal.urdf", options).model;
}

}  // namespace

Quadruped::Quadruped(int contact_capacity)
    : model_(load_anymal()),
      data_(model_),
      kernel_(model_, contact_capacity),
      tau_(static_cast<std::size_t>(model_.velocity_count())),
      dv_(tau_.size()),
      columns_(3 * tau_.size()) {
  state.q.resize(static_cast<std::size_t>(model_.position_count()));
  state.v.resize(tau_.size());
  state.reference.resize(state.q.size());
  for (std::size_t leg = 0; leg < legs.size(); ++leg) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::optional<int> found = model_.find_joint(std::string(legs[leg]) + parts[part]);
      if (!found) throw std::runtime_error("a leg joint of ANYmal is missing");
      const Joint& joint = model_.joint(*found);
      legs_.push_back({static_cast<std::size_t>(joint.position_index),
                       static_cast<std::size_t>(joint.velocity_index), nominal[leg][part]});
    }
  }
  stand();
}

void Quadruped::stand() {
  std::ranges::fill(state.q, 0.0);
  std::ranges::fill(state.v, 0.0);
  state.q[2] = 0.6;
  state.q[6] = 1.0;
  for (const LegJoint& joint : legs_) state.q[joint.position] = joint.nominal;
  if (std::abs(state.q[3]) + std::abs(state.q[4]) + std::abs(state.q[5]) != 0.0) {
    throw std::logic_error("the quaternion of the base is not at the expected index");
  }
}

void Quadruped::choose_reference(Random& random, double deviation) {
  for (const LegJoint& joint : legs_) {
    state.reference[joint.position] = joint.nominal + deviation * random.normal();
  }
}

void Quadruped::control() {
  constexpr double stiffness = 40.0, damping = 1.0, limit = 80.0;  // [N·m, rad, s]
  std::ranges::fill(tau_, 0.0);
  for (const LegJoint& joint : legs_) {
    const double away = state.reference[joint.position] - state.q[joint.position];
    tau_[joint.velocity] =
        std::clamp(stiffness * away - damping * state.v[joint.velocity], -limit, limit);
  }
}

void Quadruped::advance_velocity(double h) {
  control();
  articulated_body_algorithm<double>(model_, data_, state.q, state.v, tau_, dv_);
  for (std::size_t k = 0; k < dv_.size(); ++k) state.v[k] += h * dv_[k];
  update_kinematics<double>(model_, data_, state.q, state.v);
}

void Quadruped::advance_position(double h) {
  integrate<double>(model_, state.q, state.v, h, state.q);
}

Ball Quadruped::ball(const std::string& frame, const Eigen::Vector3d& centre, double radius) const {
  const std::optional<int> found = model_.find_frame(frame);
  if (!found) throw std::runtime_error("ANYmal has no frame " + frame);
  return {model_.frames()[static_cast<std::size_t>(*found)].body, *found, centre, radius};
}

Eigen::Vector3d Quadruped::centre_of(const Ball& ball) const {
  return frame_pose(model_, data_, ball.frame) * ball.centre;
}

Vector3<double> Quadruped::velocity_at(int body, const Vector3<double>& point) const {
  return point_velocity(data_, body, point);
}

void Quadruped::delassus(std::span<const ContactPoint<double>> contacts, std::span<double> G) {
  factorize<double>(model_, data_);
  kernel_.propagate(model_, data_, contacts);
  kernel_.delassus(G);
}

void Quadruped::apply_impulses(std::span<const Vector3<double>> impulses) {
  const std::size_t n = state.v.size();
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    kernel_.inverse_mass_times_transpose(model_, data_, static_cast<int>(i), columns_);
    const double l[3] = {impulses[i].x, impulses[i].y, impulses[i].z};
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t axis = 0; axis < 3; ++axis) state.v[k] += columns_[axis * n + k] * l[axis];
    }
  }
}

std::vector<Ball> feet_of(const Quadruped& robot) {
  std::vector<Ball> feet;
  for (const char* leg : legs) {
    feet.push_back(robot.ball(std::string(leg) + "_FOOT", Eigen::Vector3d(0.0, 0.0, foot_height),
                              foot_radius));
  }
  return feet;
}

}  // namespace stiction::bench
