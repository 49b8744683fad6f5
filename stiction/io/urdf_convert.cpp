#include "stiction/io/urdf_convert.hpp"

#include <string_view>

#include "stiction/io/urdf_scan.hpp"

namespace stiction {

namespace {

Eigen::Vector3d convert_vector(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

/// Stiction counts from the middle: half extents, half lengths.
void convert_geometry(const urdf::Geometry& geometry, const UrdfShape& record, Shape& shape) {
  switch (geometry.type) {
    case urdf::Geometry::SPHERE:
      shape.kind = ShapeKind::sphere;
      shape.size.x() = static_cast<const urdf::Sphere&>(geometry).radius;
      break;
    case urdf::Geometry::BOX:
      shape.kind = ShapeKind::box;
      shape.size = 0.5 * convert_vector(static_cast<const urdf::Box&>(geometry).dim);
      break;
    case urdf::Geometry::CYLINDER: {
      const auto& cylinder = static_cast<const urdf::Cylinder&>(geometry);
      const bool capsule = std::string_view(record.geometry.name()) == "capsule";
      shape.kind = capsule ? ShapeKind::capsule : ShapeKind::cylinder;
      shape.size = {cylinder.radius, 0.5 * cylinder.length, 0.0};
      break;
    }
    case urdf::Geometry::MESH:
      shape.kind = ShapeKind::mesh;
      shape.mesh = record.mesh;
      break;
  }
}

/// `Element` is urdf::Visual or urdf::Collision.
template <class Element>
Shape convert_shape(const Element& element, const UrdfShape& record, const XmlFile& file,
                    const std::string& prefix) {
  Shape shape;
  if (!element.name.empty()) shape.name = prefix + element.name;
  shape.pose = convert_pose(element.origin);
  shape.color = record.color;
  shape.source = urdf_source(file, record.geometry);
  convert_geometry(*element.geometry, record, shape);
  return shape;
}

JointKind convert_kind(const urdf::Joint& joint) {
  switch (joint.type) {
    case urdf::Joint::REVOLUTE:
      return JointKind::revolute;
    case urdf::Joint::CONTINUOUS:
      return JointKind::continuous;
    case urdf::Joint::PRISMATIC:
      return JointKind::prismatic;
    case urdf::Joint::FLOATING:
      return JointKind::floating;
    case urdf::Joint::PLANAR:
      return JointKind::planar;
    default:
      return JointKind::fixed;
  }
}

void convert_limits(const urdf::Joint& joint, JointKind kind, JointLimits& limits) {
  if (!joint.limits) return;
  if (kind == JointKind::revolute || kind == JointKind::prismatic) {
    limits.lower = joint.limits->lower;
    limits.upper = joint.limits->upper;
  }
  // Exporters write zeros for both where nobody gave them; a passive joint has a velocity.
  const bool given = joint.limits->effort > 0.0 || joint.limits->velocity > 0.0;
  if (given && joint.limits->effort < urdf_unlimited) limits.effort = joint.limits->effort;
  if (joint.limits->velocity < urdf_unlimited) limits.velocity = joint.limits->velocity;
}

}  // namespace

Eigen::Isometry3d convert_pose(const urdf::Pose& pose) {
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  result.translation() = convert_vector(pose.position);
  const urdf::Rotation& r = pose.rotation;
  result.linear() = Eigen::Quaterniond(r.w, r.x, r.y, r.z).normalized().toRotationMatrix();
  return result;
}

void convert_inertial(const urdf::Inertial& inertial, LinkSpec& link) {
  const Eigen::Isometry3d pose = convert_pose(inertial.origin);
  Eigen::Matrix3d inertia;
  inertia << inertial.ixx, inertial.ixy, inertial.ixz,  //
      inertial.ixy, inertial.iyy, inertial.iyz,         //
      inertial.ixz, inertial.iyz, inertial.izz;
  link.mass = inertial.mass;
  link.center_of_mass = pose.translation();
  link.inertia = pose.linear() * inertia * pose.linear().transpose();
}

std::vector<Shape> convert_shapes(const urdf::Link& link, const UrdfLink& record,
                                  const XmlFile& file, const std::string& prefix) {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < record.collisions.size(); ++i) {
    Shape shape = convert_shape(*link.collision_array[i], record.collisions[i], file, prefix);
    // A link without visual shapes is drawn as it collides.
    shape.visible = record.visuals.empty();
    shapes.push_back(std::move(shape));
  }
  for (std::size_t i = 0; i < record.visuals.size(); ++i) {
    if (record.visuals[i].dropped) continue;
    Shape shape = convert_shape(*link.visual_array[i], record.visuals[i], file, prefix);
    shape.collides = false;
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

JointSpec convert_joint(const urdf::Joint& joint) {
  JointSpec spec;
  spec.kind = convert_kind(joint);
  spec.pose_in_parent = convert_pose(joint.parent_to_joint_origin_transform);
  if (spec.kind == JointKind::fixed || spec.kind == JointKind::floating) return spec;
  spec.axis = convert_vector(joint.axis).normalized();
  convert_limits(joint, spec.kind, spec.limits);
  if (joint.dynamics) {
    spec.damping = joint.dynamics->damping;
    spec.friction = joint.dynamics->friction;
  }
  return spec;
}

}  // namespace stiction
