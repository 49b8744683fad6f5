#include "apps/stiction/scene_run_gains.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"

namespace stiction {

namespace {

constexpr double bending = 0.25;          // [rad] under the weight of all
constexpr double sliding = 0.01;          // [m]
constexpr double shortest_limb = 0.01;    // [m] wheels and the like
constexpr double gravity_at_home = 9.81;  // [m/s²] where a scene has none

/// Mass of the tree of each body [kg].
std::vector<double> tree_masses(const Model& model) {
  std::vector<int> root(index(model.body_count()));
  std::vector<double> sum(root.size(), 0.0);
  for (int i = 0; i < model.body_count(); ++i) {
    root[index(i)] = model.parent(i) == world_body ? i : root[index(model.parent(i))];
    sum[index(root[index(i)])] += model.body_inertia(i).mass;
  }
  std::vector<double> result(root.size());
  for (std::size_t i = 0; i < root.size(); ++i) result[i] = sum[index(root[i])];
  return result;
}

/// The farthest that a centre of mass or of a shape is from each body's joint, of the body itself
/// and all that hangs on it [m].
std::vector<double> limb_lengths(const Model& model, const DynamicsData<double>& data) {
  std::vector<double> result(index(model.body_count()), shortest_limb);
  const auto reach = [&](int body, const Eigen::Vector3d& point) {
    const Eigen::Vector3d world = body_pose(data, body) * point;
    for (int i = body; i != world_body; i = model.parent(i)) {
      const double length = (world - body_pose(data, i).translation()).norm();
      result[index(i)] = std::max(result[index(i)], length);
    }
  };
  for (int i = 0; i < model.body_count(); ++i) reach(i, model.body_inertia(i).center_of_mass);
  for (const Shape& shape : model.shapes()) {
    if (shape.body != world_body) reach(shape.body, shape.pose.translation());
  }
  return result;
}

}  // namespace

std::vector<JointGains> natural_gains(const Model& model, const State& pose) {
  DynamicsData<double> data(model);
  update_kinematics(model, data, pose.q, pose.v);
  const std::vector<double> masses = tree_masses(model);
  const std::vector<double> lengths = limb_lengths(model, data);
  const Eigen::MatrixXd M = mass_matrix(model, data);
  const double g = model.gravity().norm() > 0.0 ? model.gravity().norm() : gravity_at_home;
  std::vector<JointGains> result(index(model.velocity_count()));
  for (const Joint& joint : model.joints()) {
    if (velocity_size(joint.kind) != 1) continue;
    const double weight = masses[index(joint.body)] * g;
    const bool slides = joint.kind == JointKind::prismatic;
    JointGains& gains = result[index(joint.velocity_index)];
    gains.stiffness = slides ? weight / sliding : weight * lengths[index(joint.body)] / bending;
    const double inertia = M(joint.velocity_index, joint.velocity_index);
    gains.damping = 2.0 * std::sqrt(gains.stiffness * inertia);
  }
  return result;
}

}  // namespace stiction
