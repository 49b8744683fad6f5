#include "stiction/model/model_assembler.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/model/carried_part.hpp"
#include "stiction/model/principal_axes.hpp"
#include "stiction/model/sensor_kinds.hpp"
#include "stiction/model/start_lengths.hpp"

namespace stiction {

namespace {

bool turns_only(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::continuous ||
         kind == JointKind::spherical;
}

void set_axis(BodyConstants& constants, const Eigen::Vector3d& wished) {
  const Eigen::Vector3d axis = wished.normalized();
  constants.axis = from_eigen(axis);
  for (int k = 0; k < 3; ++k) {
    if (std::abs(axis[k]) == 1.0) {
      constants.axis_kind = static_cast<AxisKind>(k);
      constants.axis_sign = axis[k];
    }
  }
  const auto [plane_x, plane_y] = plane_of(axis);
  constants.plane_x = from_eigen(plane_x);
  constants.plane_y = from_eigen(plane_y);
}

/// q of a joint as the file shows it.
Eigen::VectorXd initial_position(const JointSpec& joint) {
  Eigen::VectorXd q = Eigen::VectorXd::Zero(position_size(joint.kind));
  switch (joint.kind) {
    case JointKind::revolute:
    case JointKind::continuous:
    case JointKind::prismatic:
      q[0] = joint.initial_position;
      break;
    case JointKind::spherical:
      q[3] = 1.0;
      break;
    case JointKind::floating: {
      const Eigen::Quaterniond quat(joint.pose_in_parent.linear());
      q.head<3>() = joint.pose_in_parent.translation();
      q.tail<4>() = quat.normalized().coeffs();
      break;
    }
    case JointKind::fixed:
    case JointKind::planar:
      break;
  }
  return q;
}

}  // namespace

ModelAssembler::ModelAssembler(const ModelBuilder& builder)
    : builder_(builder),
      tree_(builder.links_, builder.joints_),
      structure_(std::make_shared<Model::Structure>()),
      body_of_joint_(builder.joints_.size(), -1) {}

Model ModelAssembler::run() {
  structure_->name = builder_.name_;
  structure_->time_step = builder_.time_step_;
  parameters_.gravity = builder_.gravity_;
  add_bodies();
  add_frames();
  add_shapes();
  add_shape_bases();
  add_actuators_and_sensors();
  add_couplings();
  add_keyframes();
  add_fluid();
  add_collision_rules();
  add_names();
  return Model(std::move(structure_), std::move(parameters_));
}

int ModelAssembler::body_of_link(int link) const {
  return link < 0 ? world_body : tree_.places[static_cast<std::size_t>(link)].body;
}

Eigen::Isometry3d ModelAssembler::pose_of_link(int link) const {
  if (link < 0) return Eigen::Isometry3d::Identity();
  return tree_.places[static_cast<std::size_t>(link)].pose;
}

void ModelAssembler::add_bodies() {
  const int count = static_cast<int>(tree_.body_joint.size());
  parameters_.bodies = tree_.body_inertia;
  parameters_.stiffness.resize(count);
  std::vector<Eigen::VectorXd> initial;
  for (int body = 0; body < count; ++body) {
    add_body(body);
    const JointSpec& spec = builder_.joint(tree_.body_joint[static_cast<std::size_t>(body)]);
    initial.push_back(initial_position(spec));
    parameters_.stiffness[body] = spec.stiffness;
    const BodyInertia& compensated = tree_.body_compensation[static_cast<std::size_t>(body)];
    if (compensated.mass != 0.0) {
      structure_->gravity_compensation.push_back(
          {body, compensated.mass, compensated.center_of_mass});
    }
  }
  for (int body = count - 1; body >= 0; --body) {
    BodyConstants& constants = structure_->bodies[static_cast<std::size_t>(body)];
    constants.subtree_end = std::max(constants.subtree_end, body + 1);
    if (constants.parent < 0) continue;
    BodyConstants& parent = structure_->bodies[static_cast<std::size_t>(constants.parent)];
    parent.subtree_end = std::max(parent.subtree_end, constants.subtree_end);
  }

  for (int body = 0; body < count; ++body) {
    BodyConstants& constants = structure_->bodies[static_cast<std::size_t>(body)];
    if (constants.parent < 0 || constants.parent == body - 1) continue;
    BodyConstants& parent = structure_->bodies[static_cast<std::size_t>(constants.parent)];
    const bool last_child = constants.subtree_end == parent.subtree_end;
    constants.handover = last_child ? Handover::park : Handover::add;
    parent.gathers = true;
  }

  const int nv = structure_->velocity_count;
  parameters_.damping.resize(nv);
  parameters_.friction.resize(nv);
  parameters_.armature.resize(nv);
  structure_->initial_positions.resize(structure_->position_count);
  for (std::size_t i = 0; i < structure_->joints.size(); ++i) {
    const Joint& joint = structure_->joints[i];
    const JointSpec& spec = builder_.joint(tree_.body_joint[i]);
    const int size = velocity_size(joint.kind);
    parameters_.damping.segment(joint.velocity_index, size).setConstant(spec.damping);
    parameters_.friction.segment(joint.velocity_index, size).setConstant(spec.friction);
    parameters_.armature.segment(joint.velocity_index, size).setConstant(spec.armature);
    structure_->initial_positions.segment(joint.position_index, initial[i].size()) = initial[i];
  }
}

void ModelAssembler::add_body(int body) {
  const std::size_t slot = static_cast<std::size_t>(body);
  const int joint_index = tree_.body_joint[slot];
  const JointSpec& spec = builder_.joint(joint_index);
  body_of_joint_[static_cast<std::size_t>(joint_index)] = body;

  BodyConstants constants;
  constants.parent = tree_.body_parent[slot];
  constants.root = constants.parent < 0
                       ? body
                       : structure_->bodies[static_cast<std::size_t>(constants.parent)].root;
  constants.joint = spec.kind;
  constants.kinematic = spec.kinematic;
  constants.position_index = structure_->position_count;
  constants.velocity_index = structure_->velocity_count;
  constants.velocity_count = velocity_size(spec.kind);
  if (spec.kind != JointKind::floating) {
    // A floating joint's pose is its initial position, not a frame to count from.
    const Eigen::Isometry3d pose = pose_of_link(spec.parent) * spec.pose_in_parent;
    constants.joint_rotation = from_eigen(Eigen::Matrix3d(pose.linear()));
    constants.joint_translation = from_eigen(Eigen::Vector3d(pose.translation()));
    constants.rotated = pose.linear() != Eigen::Matrix3d::Identity();
    constants.coincident =
        constants.parent >= 0 && turns_only(spec.kind) && pose.translation().isZero(0.0);
    set_axis(constants, spec.axis);
  }
  structure_->bodies.push_back(constants);
  structure_->body_names.push_back(builder_.link(tree_.body_links[slot].front()).name);
  structure_->joints.push_back({spec.name, spec.kind, spec.kinematic, body,
                                constants.position_index, constants.velocity_index, spec.limits,
                                spec.spring_reference, spec.actuators_carry_weight,
                                spec.spring_damper});
  add_degrees_of_freedom(body);
  structure_->position_count += position_size(spec.kind);
  structure_->velocity_count += velocity_size(spec.kind);
}

void ModelAssembler::add_degrees_of_freedom(int body) {
  const BodyConstants& constants = structure_->bodies[static_cast<std::size_t>(body)];
  int previous = -1;
  if (constants.parent >= 0) {
    const BodyConstants& parent = structure_->bodies[static_cast<std::size_t>(constants.parent)];
    previous = parent.velocity_index + parent.velocity_count - 1;
  }
  for (int k = 0; k < constants.velocity_count; ++k) {
    const bool translation = constants.joint == JointKind::prismatic ||
                             (constants.joint == JointKind::floating && k < 3) ||
                             (constants.joint == JointKind::planar && k < 2);
    const int own = constants.velocity_index + k;
    const bool follows = previous >= 0 && previous == own - 1;
    const int run_start =
        follows ? structure_->degrees_of_freedom[static_cast<std::size_t>(previous)].run_start
                : own;
    structure_->degrees_of_freedom.push_back({body, !translation, previous, run_start});
    previous = own;
  }
}

void ModelAssembler::add_frames() {
  for (int link = 0; link < builder_.link_count(); ++link) {
    structure_->frames.push_back(
        {builder_.link(link).name, Frame::Kind::link, body_of_link(link), pose_of_link(link)});
  }
  for (const FrameSpec& spec : builder_.frames_) {
    frame_of_spec_.push_back(static_cast<int>(structure_->frames.size()));
    structure_->frames.push_back({spec.name, Frame::Kind::site, body_of_link(spec.link),
                                  pose_of_link(spec.link) * spec.pose});
  }
}

Shape ModelAssembler::placed(const Shape& shape, int link) const {
  Shape result = shape;
  result.body = body_of_link(link);
  result.pose = pose_of_link(link) * shape.pose;
  return result;
}

void ModelAssembler::add_shapes() {
  structure_->meshes = builder_.meshes_;
  structure_->height_fields = builder_.height_fields_;
  parameters_.materials = builder_.materials_;
  parameters_.material_pairs = builder_.material_pairs_;
  for (const Shape& shape : builder_.world_shapes_) {
    structure_->shapes.push_back(placed(shape, world_body));
    structure_->shape_links.push_back(world_body);
  }
  for (int link = 0; link < builder_.link_count(); ++link) {
    first_shape_.push_back(static_cast<int>(structure_->shapes.size()));
    for (const Shape& shape : builder_.link(link).shapes) {
      structure_->shapes.push_back(placed(shape, link));
      structure_->shape_links.push_back(link);
    }
  }
}

void ModelAssembler::add_shape_bases() {
  std::vector<int> above(static_cast<std::size_t>(builder_.link_count()), world_body);
  for (const JointSpec& joint : builder_.joints_) {
    above[static_cast<std::size_t>(joint.child)] = joint.parent;
  }
  const auto parent = [&](int link) { return above[static_cast<std::size_t>(link)]; };
  for (int link : structure_->shape_links) {
    while (link >= 0 && parent(link) >= 0) link = parent(link);
    // The first link of a robot that floats or turns in the world is not fixed to it.
    structure_->shape_bases.push_back(body_of_link(link) < 0 ? link : -1);
  }
}

void ModelAssembler::add_actuators_and_sensors() {
  for (Tendon tendon : builder_.tendons_) {
    for (Tendon::Term& term : tendon.terms) {
      term.joint = body_of_joint_[static_cast<std::size_t>(term.joint)];
    }
    for (Tendon::Part& part : tendon.path) {
      part.pose = pose_of_link(part.body) * part.pose;
      part.body = body_of_link(part.body);
      part.side = pose_of_link(part.side_body) * part.side;
      part.side_body = body_of_link(part.side_body);
    }
    structure_->tendons.push_back(std::move(tendon));
  }
  set_tendon_lengths(structure_->bodies, structure_->joints, structure_->initial_positions,
                     structure_->tendons);
  for (int i = 0; i < static_cast<int>(builder_.actuators_.size()); ++i) {
    Actuator actuator = builder_.actuators_[static_cast<std::size_t>(i)];
    const auto renumber = [](const std::vector<int>& numbers, int& number) {
      if (number >= 0) number = numbers[static_cast<std::size_t>(number)];
    };
    renumber(body_of_joint_, actuator.joint);
    renumber(frame_of_spec_, actuator.frame);
    renumber(frame_of_spec_, actuator.reference);
    if (const auto shapes = builder_.adhesive_shapes_.find(i);
        shapes != builder_.adhesive_shapes_.end()) {
      for (const auto& shape : shapes->second) actuator.shapes.push_back(shape_index(shape));
      std::ranges::sort(actuator.shapes);
    }
    const bool has_dynamics = actuator.dynamics != ActuatorDynamics::none;
    actuator.activation = has_dynamics ? structure_->activation_count++ : -1;
    parameters_.actuators.push_back(std::move(actuator));
  }
  for (int i = 0; i < static_cast<int>(builder_.sensors_.size()); ++i) add_sensor(i);
}

void ModelAssembler::add_sensor(int position) {
  Sensor sensor = builder_.sensors_[static_cast<std::size_t>(position)];
  const auto slot = static_cast<std::size_t>(sensor.index);
  int link = world_body;
  switch (sensor.target) {
    case Sensor::Target::joint:
      sensor.index = body_of_joint_[slot];
      break;
    case Sensor::Target::frame:
      link = builder_.frames_[slot].link;
      sensor.index = frame_of_spec_[slot];
      break;
    case Sensor::Target::body:
      // Link frames come first, in the order of the links: the frame keeps the link's own pose,
      // which its body may not have.
      link = sensor.index;
      sensor.target = Sensor::Target::frame;
      break;
    case Sensor::Target::none:
    case Sensor::Target::actuator:
    case Sensor::Target::shape:
    case Sensor::Target::tendon:
      break;
  }
  if (sensor.reference >= 0) {
    sensor.reference = frame_of_spec_[static_cast<std::size_t>(sensor.reference)];
  }
  const SensorSource source = traits_of(sensor.kind).source;
  if ((source == SensorSource::forces && link >= 0) || source == SensorSource::subtree) {
    sensor.part = carried_part(builder_.links_, builder_.joints_, tree_, first_shape_, link);
  }
  const auto shapes = builder_.sensor_shapes_.find(position);
  if (sensor.contacts && shapes != builder_.sensor_shapes_.end()) {
    std::vector<int>* sides[] = {&sensor.contacts->shapes_a, &sensor.contacts->shapes_b};
    for (std::size_t side = 0; side < 2; ++side) {
      for (const auto& shape : shapes->second[side]) sides[side]->push_back(shape_index(shape));
      std::ranges::sort(*sides[side]);
    }
  }
  structure_->sensors.push_back(std::move(sensor));
}

int ModelAssembler::shape_index(const std::pair<int, int>& shape) const {
  return shape.first < 0 ? shape.second
                         : first_shape_[static_cast<std::size_t>(shape.first)] + shape.second;
}

void ModelAssembler::add_couplings() {
  const auto joint_of = [this](int joint) {
    return joint < 0 ? -1 : body_of_joint_[static_cast<std::size_t>(joint)];
  };
  for (Coupling coupling : builder_.couplings_) {
    coupling.pose_a = pose_of_link(coupling.body_a) * coupling.pose_a;
    coupling.pose_b = pose_of_link(coupling.body_b) * coupling.pose_b;
    coupling.body_a = body_of_link(coupling.body_a);
    coupling.body_b = body_of_link(coupling.body_b);
    coupling.joint_a = joint_of(coupling.joint_a);
    coupling.joint_b = joint_of(coupling.joint_b);
    structure_->couplings.push_back(std::move(coupling));
  }
}

void ModelAssembler::add_keyframes() {
  for (const KeyframeSpec& spec : builder_.keyframes_) {
    Keyframe key{spec.name,
                 spec.time,
                 structure_->initial_positions,
                 Eigen::VectorXd::Zero(structure_->velocity_count),
                 Eigen::VectorXd::Zero(static_cast<Eigen::Index>(builder_.actuators_.size())),
                 Eigen::VectorXd::Zero(structure_->activation_count),
                 !spec.control.empty()};
    for (const KeyframeSpec::JointValue& value : spec.joints) {
      const int body = body_of_joint_[static_cast<std::size_t>(value.joint)];
      if (body < 0) continue;
      const Joint& joint = structure_->joints[static_cast<std::size_t>(body)];
      std::copy(value.q.begin(), value.q.end(), key.q.data() + joint.position_index);
      std::copy(value.v.begin(), value.v.end(), key.v.data() + joint.velocity_index);
    }
    std::copy(spec.control.begin(), spec.control.end(), key.control.data());
    std::copy(spec.activation.begin(), spec.activation.end(), key.activation.data());
    structure_->keyframes.push_back(std::move(key));
  }
}

void ModelAssembler::add_fluid() {
  Fluid& fluid = structure_->fluid;
  fluid = builder_.fluid_;
  if (!(fluid.density > 0.0) && !(fluid.viscosity > 0.0)) return;
  constexpr double weightless = 1e-15;  // [kg]
  for (int i = 0; i < builder_.link_count(); ++i) {
    const LinkSpec& link = builder_.link(i);
    const int body = body_of_link(i);
    if (body < 0 || structure_->bodies[static_cast<std::size_t>(body)].kinematic) continue;
    if (!(link.mass > weightless)) continue;
    const Eigen::Matrix3d axes =
        link.inertia_axes ? link.inertia_axes->toRotationMatrix() : principal_axes(link.inertia);
    const Eigen::Vector3d moments = (axes.transpose() * link.inertia * axes).diagonal();
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.linear() = axes;
    pose.translation() = link.center_of_mass;
    if (link.fluid_ellipsoids.empty()) {
      const Eigen::Vector3d squares =
          6.0 / link.mass *
          (Eigen::Vector3d::Constant(moments.sum()) - 2.0 * moments).cwiseMax(weightless);
      fluid.boxes.push_back(
          {body, pose_of_link(i) * pose, squares.cwiseSqrt(), link.mass, moments});
      continue;
    }
    const double share = 0.5 / static_cast<double>(link.fluid_ellipsoids.size());
    const double least = std::max(moments.minCoeff(), 0.0);
    for (FluidEllipsoid ellipsoid : link.fluid_ellipsoids) {
      const double arm = (ellipsoid.pose.translation() - link.center_of_mass).squaredNorm();
      ellipsoid.linear_share = arm == 0.0     ? share * link.mass
                               : least == 0.0 ? 0.0
                                              : share / (1.0 / link.mass + arm / least);
      ellipsoid.angular_share = share * least;
      ellipsoid.body = body;
      ellipsoid.pose = pose_of_link(i) * ellipsoid.pose;
      fluid.ellipsoids.push_back(ellipsoid);
    }
  }
}

void ModelAssembler::add_collision_rules() {
  for (const auto& [link_a, link_b] : builder_.excludes_) {
    structure_->excluded_bodies.insert(std::minmax({body_of_link(link_a), body_of_link(link_b)}));
  }
  for (const auto& [link_a, link_b] : builder_.link_excludes_) {
    structure_->excluded_links.insert(std::minmax({link_a, link_b}));
  }
  for (const ModelBuilder::PairSpec& pair : builder_.pairs_) {
    structure_->contact_pairs.push_back({shape_index(pair.shape_a), shape_index(pair.shape_b),
                                         pair.friction, pair.margin, pair.spin_friction,
                                         pair.roll_friction});
  }
}

void ModelAssembler::add_names() {
  Model::Structure& s = *structure_;
  const auto index_of = [](std::unordered_map<std::string, int>& map, const std::string& name,
                           std::size_t index) {
    if (!name.empty()) map.try_emplace(name, static_cast<int>(index));
  };
  for (std::size_t i = 0; i < s.body_names.size(); ++i) {
    index_of(s.body_by_name, s.body_names[i], i);
    index_of(s.joint_by_name, s.joints[i].name, i);
  }
  // Links stand before sites, so that a link wins where both have one name.
  for (std::size_t i = 0; i < s.frames.size(); ++i) index_of(s.frame_by_name, s.frames[i].name, i);
  for (std::size_t i = 0; i < parameters_.actuators.size(); ++i) {
    index_of(s.actuator_by_name, parameters_.actuators[i].name, i);
  }
  for (std::size_t i = 0; i < s.keyframes.size(); ++i) {
    index_of(s.keyframe_by_name, s.keyframes[i].name, i);
  }
}

}  // namespace stiction
