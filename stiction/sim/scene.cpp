#include "stiction/sim/scene.hpp"

#include <fmt/format.h>
#include <stdexcept>
#include <utility>

#include "stiction/model/solid.hpp"

namespace stiction {

namespace {

/// The joint of a body that floats or is moved.
const Joint& floating_joint(const Model& model, std::string_view body) {
  const auto index = model.find_body(body);
  if (!index) throw std::invalid_argument(fmt::format("there is no body '{}'", body));
  const Joint& joint = model.joint(*index);
  if (joint.kind != JointKind::floating) {
    throw std::invalid_argument(fmt::format("body '{}' does not float", body));
  }
  return joint;
}

}  // namespace

Eigen::Isometry3d at(const Eigen::Vector3d& position) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = position;
  return pose;
}

Eigen::Isometry3d at(const Eigen::Vector3d& position, double angle, const Eigen::Vector3d& axis) {
  Eigen::Isometry3d pose = at(position);
  pose.linear() = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
  return pose;
}

SceneBuilder::SceneBuilder(std::string name) { builder_.set_name(std::move(name)); }

int SceneBuilder::use_material(double friction, double restitution, double restitution_threshold) {
  const std::string name = fmt::format("friction {:g} restitution {:g} above {:g} m/s", friction,
                                       restitution, restitution_threshold);
  material_ = builder_.add_material({name, friction, restitution, restitution_threshold});
  return material_;
}

int SceneBuilder::use_material(Material material) {
  material_ = builder_.add_material(std::move(material));
  return material_;
}

Shape SceneBuilder::shape(ShapeKind kind, const Eigen::Vector3d& size,
                          const Eigen::Isometry3d& pose, int material) const {
  Shape result;
  result.kind = kind;
  result.size = size;
  result.pose = pose;
  result.material = material == current_material ? material_ : material;
  return result;
}

Shape SceneBuilder::sphere(double radius, const Eigen::Isometry3d& pose, int material) const {
  return shape(ShapeKind::sphere, {radius, 0.0, 0.0}, pose, material);
}

Shape SceneBuilder::box(const Eigen::Vector3d& half_extents, const Eigen::Isometry3d& pose,
                        int material) const {
  return shape(ShapeKind::box, half_extents, pose, material);
}

Shape SceneBuilder::capsule(double radius, double half_length, const Eigen::Isometry3d& pose,
                            int material) const {
  return shape(ShapeKind::capsule, {radius, half_length, 0.0}, pose, material);
}

Shape SceneBuilder::cylinder(double radius, double half_length, const Eigen::Isometry3d& pose,
                             int material) const {
  return shape(ShapeKind::cylinder, {radius, half_length, 0.0}, pose, material);
}

Shape SceneBuilder::conveyor(const Eigen::Vector3d& half_extents,
                             const Eigen::Vector3d& surface_velocity, const Eigen::Isometry3d& pose,
                             int material) const {
  Shape result = box(half_extents, pose, material);
  result.surface_velocity = surface_velocity;
  return result;
}

void SceneBuilder::add_plane(const std::string& name, const Eigen::Isometry3d& pose, int material) {
  Shape plane = shape(ShapeKind::plane, Eigen::Vector3d::Zero(), pose, material);
  plane.name = name;
  add_fixed(std::move(plane));
}

int SceneBuilder::add_sphere(const std::string& name, double radius, double mass,
                             const Eigen::Isometry3d& pose, int material) {
  return add_solid(name, sphere(radius, at(0, 0, 0), material), mass, pose);
}

int SceneBuilder::add_box(const std::string& name, const Eigen::Vector3d& half_extents, double mass,
                          const Eigen::Isometry3d& pose, int material) {
  return add_solid(name, box(half_extents, at(0, 0, 0), material), mass, pose);
}

int SceneBuilder::add_capsule(const std::string& name, double radius, double half_length,
                              double mass, const Eigen::Isometry3d& pose, int material) {
  return add_solid(name, capsule(radius, half_length, at(0, 0, 0), material), mass, pose);
}

int SceneBuilder::add_cylinder(const std::string& name, double radius, double half_length,
                               double mass, const Eigen::Isometry3d& pose, int material) {
  return add_solid(name, cylinder(radius, half_length, at(0, 0, 0), material), mass, pose);
}

int SceneBuilder::add_ellipsoid(const std::string& name, const Eigen::Vector3d& radii, double mass,
                                const Eigen::Isometry3d& pose, int material) {
  return add_solid(name, shape(ShapeKind::ellipsoid, radii, at(0, 0, 0), material), mass, pose);
}

int SceneBuilder::add_solid(const std::string& name, const Shape& shape, double mass,
                            const Eigen::Isometry3d& pose) {
  return add_body(name, scaled_to_mass(primitive_solid(shape.kind, shape.size), mass), {shape},
                  pose);
}

int SceneBuilder::add_body(const std::string& name, const BodyInertia& inertia,
                           std::vector<Shape> shapes, const Eigen::Isometry3d& pose) {
  LinkSpec link;
  link.name = name;
  link.mass = inertia.mass;
  link.center_of_mass = inertia.center_of_mass;
  link.inertia = inertia.inertia;
  link.shapes = std::move(shapes);
  return add_floating(std::move(link), pose, false);
}

int SceneBuilder::add_kinematic(const std::string& name, std::vector<Shape> shapes,
                                const Eigen::Isometry3d& pose) {
  LinkSpec link;
  link.name = name;
  link.shapes = std::move(shapes);
  return add_floating(std::move(link), pose, true);
}

int SceneBuilder::add_floating(LinkSpec link, const Eigen::Isometry3d& pose, bool kinematic) {
  if (!link.shapes.empty() && link.shapes.front().name.empty()) {
    link.shapes.front().name = link.name;
  }
  JointSpec joint;
  joint.name = link.name + "_joint";
  joint.kind = JointKind::floating;
  joint.pose_in_parent = pose;
  joint.kinematic = kinematic;
  joint.child = builder_.add_link(std::move(link));
  builder_.add_joint(std::move(joint));
  return builder_.link_count() - 1;
}

void SceneBuilder::add_fixed(Shape shape) { builder_.add_world_shape(std::move(shape)); }

void set_velocity(const Model& model, State& state, std::string_view body,
                  const Eigen::Vector3d& linear, const Eigen::Vector3d& angular) {
  const Joint& joint = floating_joint(model, body);
  state.v.segment<3>(joint.velocity_index) = linear;
  state.v.segment<3>(joint.velocity_index + 3) = angular;
}

Eigen::Vector3d linear_velocity(const Model& model, const State& state, std::string_view body) {
  return state.v.segment<3>(floating_joint(model, body).velocity_index);
}

Eigen::Vector3d angular_velocity(const Model& model, const State& state, std::string_view body) {
  return state.v.segment<3>(floating_joint(model, body).velocity_index + 3);
}

void set_pose(const Model& model, State& state, std::string_view body,
              const Eigen::Isometry3d& pose) {
  const Joint& joint = floating_joint(model, body);
  state.q.segment<3>(joint.position_index) = pose.translation();
  state.q.segment<4>(joint.position_index + 3) =
      Eigen::Quaterniond(pose.linear()).normalized().coeffs();
}

Eigen::Isometry3d pose_of(const Model& model, const State& state, std::string_view body) {
  const Joint& joint = floating_joint(model, body);
  Eigen::Isometry3d pose = at(Eigen::Vector3d(state.q.segment<3>(joint.position_index)));
  pose.linear() = Eigen::Quaterniond(Eigen::Vector4d(state.q.segment<4>(joint.position_index + 3)))
                      .normalized()
                      .toRotationMatrix();
  return pose;
}

}  // namespace stiction
