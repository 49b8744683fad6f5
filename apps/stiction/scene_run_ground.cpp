#include "apps/stiction/scene_run_ground.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "stiction/collision/collider.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/io/model_file.hpp"
#include "stiction/io/srdf.hpp"
#include "stiction/io/xml.hpp"

namespace stiction {

namespace {

constexpr double beyond_everything = 1e6;  // [m] a margin within which any robot is found

void add_ground(ModelBuilder& builder) {
  Shape ground;
  ground.name = "ground";
  ground.kind = ShapeKind::plane;
  ground.color = {0.55F, 0.57F, 0.6F, 1.0F};
  builder.add_world_shape(ground);
}

bool is_ground(const Model& model, int shape) {
  const Shape& s = model.shapes()[static_cast<std::size_t>(shape)];
  return s.kind == ShapeKind::plane && s.body == world_body;
}

/// How far above the ground the whole model is at the initial positions [m].
std::optional<double> height_above_ground(const Model& model) {
  return height_above_ground(model, model.initial_state(), 0, model.body_count());
}

/// The joint by which the robot floats in the world.
std::optional<int> floating_joint(const ModelBuilder& builder) {
  for (int i = 0; i < builder.joint_count(); ++i) {
    const JointSpec& joint = builder.joint(i);
    if (joint.kind == JointKind::floating && joint.parent == world_body) return i;
  }
  return std::nullopt;
}

/// Where the base is if the robot just touches the ground.
KeyframeSpec::JointValue touching(const ModelBuilder& builder, int joint, double height) {
  const Eigen::Isometry3d& pose = builder.joint(joint).pose_in_parent;
  const Eigen::Vector3d p = pose.translation() - height * Eigen::Vector3d::UnitZ();
  const Eigen::Quaterniond turn(pose.linear());
  return {joint, {p.x(), p.y(), p.z(), turn.x(), turn.y(), turn.z(), turn.w()}, {}};
}

/// Poses of an SRDF file say nothing of the base: it stands on the ground in each of them.
void add_srdf_on_ground(ModelBuilder& builder, int joint, const LoadOptions& options,
                        ProblemList& problems) {
  add_srdf(builder, *options.srdf, options.prefix, problems, [&builder, joint](KeyframeSpec& pose) {
    ModelBuilder posed = builder;
    posed.add_keyframe(pose);
    const Model model = posed.build();
    const State state = model.keyframe_state(*model.find_keyframe(pose.name));
    const auto height = height_above_ground(model, state, 0, model.body_count());
    if (height) pose.joints.push_back(touching(builder, joint, *height));
  });
}

Model looking_so(Model model, const AppearanceSpec& looks) {
  set_appearance(model, looks);
  return model;
}

/// A robot that floats stands on the ground.
LoadedModel standing(ModelBuilder builder, int joint, const std::string& file,
                     const LoadOptions& options, ProblemList problems,
                     const AppearanceSpec& looks) {
  if (options.srdf) add_srdf_on_ground(builder, joint, options, problems);
  if (problems.has_errors()) throw InputError(std::move(problems));
  const std::optional<double> height = height_above_ground(builder.build());
  if (height) {
    builder.add_keyframe({.name = "on_ground", .joints = {touching(builder, joint, *height)}});
  } else {
    problems.warning(
        {file, 0, ""},
        "no link has a shape that can touch the ground, so the robot will fall forever",
        "add a <collision> element to its feet, or fix the base with --base fixed");
  }
  return {looking_so(builder.build(), looks), std::move(problems)};
}

LoadedModel load_urdf_on_ground(const XmlFile& file, const std::filesystem::path& folder,
                                const LoadOptions& options) {
  ModelBuilder robot;
  ProblemList problems;
  LoadOptions without_srdf = options;
  without_srdf.srdf.reset();
  AppearanceSpec looks;
  add_urdf(robot, file, folder, without_srdf, problems, looks);
  ModelBuilder builder = robot;
  if (!problems.has_errors()) {
    add_ground(builder);
    problems.append(builder.check());
  }
  if (problems.has_errors()) throw InputError(std::move(problems));
  if (const std::optional<int> joint = floating_joint(builder)) {
    return standing(std::move(builder), *joint, file.name(), options, std::move(problems), looks);
  }
  if (options.srdf) {
    ProblemList same;
    add_srdf(builder, *options.srdf, options.prefix, problems);
    add_srdf(robot, *options.srdf, options.prefix, same);
    if (problems.has_errors()) throw InputError(std::move(problems));
  }
  Model model = builder.build();
  if (height_above_ground(model).value_or(0.0) >= 0.0) {
    return {looking_so(std::move(model), looks), std::move(problems)};
  }
  problems.warning({file.name(), 0, ""},
                   "the fixed robot reaches below z = 0 where it starts, so no ground is added",
                   "raise its base in the file, or give a scene with a ground as MJCF");
  return {looking_so(robot.build(), looks), std::move(problems)};
}

}  // namespace

std::optional<double> height_above_ground(const Model& model, const State& state, int first,
                                          int end) {
  DynamicsData<double> data(model);
  update_kinematics(model, data, state.q, state.v);
  Collider collider(model);
  for (const int i : collider.moving_shapes()) {
    const Shape& shape = model.shapes()[static_cast<std::size_t>(i)];
    const Eigen::Isometry3d pose = body_pose(data, shape.body) * shape.pose;
    Placement& placement = collider.placements()[static_cast<std::size_t>(i)];
    placement.rotation = from_eigen(Eigen::Matrix3d(pose.linear()));
    placement.position = from_eigen(Eigen::Vector3d(pose.translation()));
    collider.reaches()[static_cast<std::size_t>(i)] = 0.0;
  }
  const auto belongs = [&](int shape) {
    const int body = model.shapes()[static_cast<std::size_t>(shape)].body;
    return body >= first && body < end;
  };
  std::optional<double> lowest;
  for (const CollisionPoint& point : collider.find(beyond_everything)) {
    const bool own = (is_ground(model, point.shape_a) && belongs(point.shape_b)) ||
                     (is_ground(model, point.shape_b) && belongs(point.shape_a));
    if (own) lowest = std::min(lowest.value_or(point.gap), point.gap);
  }
  return lowest;
}

LoadedModel load_text_on_ground(const std::string& text, const std::string& name,
                                const std::filesystem::path& folder, const LoadOptions& options) {
  const XmlFile file(text, name);
  if (std::string_view(file.root().name()) != "robot") {
    return load_model_text(text, name, folder, options);
  }
  return load_urdf_on_ground(file, folder, options);
}

LoadedModel load_on_ground(const std::filesystem::path& path, const LoadOptions& options) {
  const XmlFile file = open_model_file(path);
  if (std::string_view(file.root().name()) != "robot") return load_model(path, options);
  return load_urdf_on_ground(file, path.parent_path(), options);
}

}  // namespace stiction
