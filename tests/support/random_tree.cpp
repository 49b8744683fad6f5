#include "support/random_tree.hpp"

#include <Eigen/Eigenvalues>
#include <numbers>

namespace stiction::test {

std::string joint_name(const LinkRecipe& link) {
  return link.joint_name.empty() ? link.name + "_joint" : link.joint_name;
}

Eigen::Vector3d random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

Eigen::Quaterniond random_rotation(Random& random) {
  Eigen::Quaterniond q(random.normal(), random.normal(), random.normal(), random.normal());
  q.normalize();
  return q;
}

Eigen::Vector3d random_axis(Random& random) {
  const int choice = random.index(9);
  if (choice < 3) return Eigen::Vector3d::Unit(choice);
  if (choice < 6) return -Eigen::Vector3d::Unit(choice - 3);
  Eigen::Vector3d axis(random.normal(), random.normal(), random.normal());
  return axis.normalized();
}

JointKind random_joint(Random& random, bool root) {
  const double u = random.uniform();
  if (root && u < 0.5) return JointKind::floating;
  const double w = random.uniform();
  if (w < 0.3) return JointKind::revolute;
  if (w < 0.45) return JointKind::continuous;
  if (w < 0.6) return JointKind::prismatic;
  if (w < 0.73) return JointKind::spherical;
  if (w < 0.83) return JointKind::planar;
  return JointKind::fixed;
}

void set_random_inertia(Random& random, LinkRecipe& link) {
  link.mass = random.uniform(0.3, 3.0);
  link.center_of_mass = random_vector(random, 0.15);
  const Eigen::Vector3d half(random.uniform(0.05, 0.3), random.uniform(0.05, 0.3),
                             random.uniform(0.05, 0.3));
  const Eigen::Vector3d squares = half.cwiseProduct(half);
  link.principal_moments =
      link.mass / 3.0 * (squares.sum() * Eigen::Vector3d::Ones() - squares).eval();
  link.principal_axes = random_rotation(random);
}

RobotRecipe random_tree(Random& random, const TreeOptions& options) {
  RobotRecipe robot;
  robot.name = "random_tree";
  robot.gravity = random_vector(random, 10.0);
  const int count = 1 + random.index(options.largest);
  const double chain = random.uniform();  // how often a link hangs on the one before it
  for (int i = 0; i < count; ++i) {
    LinkRecipe link;
    link.name = "link" + std::to_string(i);
    const bool root = i == 0 || random.uniform() < 0.08;
    link.parent = root ? world_body : random.uniform() < chain ? i - 1 : random.index(i);
    link.joint = random_joint(random, root);
    if (i == 0 && link.joint == JointKind::fixed) link.joint = JointKind::revolute;
    link.kinematic =
        options.kinematic && link.joint == JointKind::floating && random.uniform() < 0.4;
    link.position = random_vector(random, 0.4);
    if (random.uniform() < 0.7) link.rotation = random_rotation(random);
    const bool off_origin = link.joint != JointKind::floating && random.uniform() < 0.3;
    if (off_origin) link.joint_point = random_vector(random, 0.2);
    link.axis = random_axis(random);
    if (options.armature && random.uniform() < 0.3) link.armature = random.uniform(0.0, 0.2);
    set_random_inertia(random, link);
    robot.links.push_back(link);
  }
  return robot;
}

Eigen::Isometry3d pose_of(const Eigen::Vector3d& position, const Eigen::Quaterniond& rotation) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = rotation.toRotationMatrix();
  pose.translation() = position;
  return pose;
}

ModelBuilder make_builder(const RobotRecipe& robot) {
  ModelBuilder builder;
  builder.set_name(robot.name);
  builder.set_gravity(robot.gravity);
  for (const LinkRecipe& link : robot.links) {
    LinkSpec spec;
    spec.name = link.name;
    spec.mass = link.mass;
    spec.center_of_mass = link.center_of_mass;
    const Eigen::Matrix3d R = link.principal_axes.toRotationMatrix();
    const Eigen::Matrix3d inertia = R * link.principal_moments.asDiagonal() * R.transpose();
    spec.inertia = 0.5 * (inertia + inertia.transpose());
    builder.add_link(spec);
  }
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    const LinkRecipe& link = robot.links[i];
    JointSpec spec;
    spec.name = joint_name(link);
    spec.kind = link.joint;
    spec.parent = link.parent;
    spec.child = static_cast<int>(i);
    spec.pose_in_child.translation() = link.joint_point;
    spec.pose_in_parent = pose_of(link.position, link.rotation) * spec.pose_in_child;
    spec.axis = link.axis;
    spec.kinematic = link.kinematic;
    spec.armature = link.armature;
    builder.add_joint(spec);
  }
  return builder;
}

Model make_model(const RobotRecipe& robot) { return make_builder(robot).build(); }

RobotRecipe recipe_of(const Model& model) {
  RobotRecipe robot;
  robot.name = model.name();
  robot.gravity = model.gravity();
  for (int i = 0; i < model.body_count(); ++i) {
    LinkRecipe link;
    link.name = model.body_name(i);
    link.joint_name = model.joint(i).name;
    link.parent = model.parent(i);
    link.joint = model.joint(i).kind;
    link.kinematic = model.joint(i).kinematic;
    link.position = model.joint_pose(i).translation();
    link.rotation = Eigen::Quaterniond(model.joint_pose(i).linear()).normalized();
    link.axis = model.joint_axis(i);
    link.armature = model.parameters().armature[model.joint(i).velocity_index];
    const BodyInertia& body = model.body_inertia(i);
    link.mass = body.mass;
    link.center_of_mass = body.center_of_mass;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(body.inertia);
    link.principal_moments = solver.eigenvalues();
    Eigen::Matrix3d axes = solver.eigenvectors();
    if (axes.determinant() < 0.0) axes.col(0) = -axes.col(0);
    link.principal_axes = Eigen::Quaterniond(axes).normalized();
    robot.links.push_back(link);
  }
  return robot;
}

Eigen::VectorXd random_positions(Random& random, const Model& model) {
  Eigen::VectorXd q(model.position_count());
  for (const Joint& joint : model.joints()) {
    const int first = joint.position_index;
    switch (joint.kind) {
      case JointKind::revolute:
      case JointKind::continuous:
        q[first] = random.uniform(-std::numbers::pi, std::numbers::pi);
        break;
      case JointKind::prismatic:
        q[first] = random.uniform(-0.5, 0.5);
        break;
      case JointKind::spherical:
        q.segment<4>(first) = random_rotation(random).coeffs();
        break;
      case JointKind::planar:
        q.segment<2>(first) = random_vector(random, 0.5).head<2>();
        q[first + 2] = random.uniform(-std::numbers::pi, std::numbers::pi);
        break;
      case JointKind::floating:
        q.segment<3>(first) = random_vector(random, 1.0);
        q.segment<4>(first + 3) = random_rotation(random).coeffs();
        break;
      case JointKind::fixed:
        break;
    }
  }
  return q;
}

Eigen::VectorXd random_entries(Random& random, int count, double size) {
  Eigen::VectorXd x(count);
  for (double& entry : x) entry = size * random.normal();
  return x;
}

}  // namespace stiction::test
