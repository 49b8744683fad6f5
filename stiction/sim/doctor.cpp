#include "stiction/sim/doctor.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/model/robot_shapes.hpp"
#include "stiction/sim/external_forces.hpp"
#include "stiction/touch/start_overlaps.hpp"

namespace stiction {

namespace {

// Robots are known from 5 g to 2 t and from 5 cm to 15 m. A factor of 1000 leaves these bounds.
constexpr double heaviest_robot = 2500.0;  // [kg]
constexpr double lightest_robot = 1e-3;    // [kg]
constexpr double largest_robot = 30.0;     // [m] from its root to its farthest point
constexpr double smallest_robot = 5e-3;    // [m]
/// A body of homogeneous material has a radius of gyration below its own reach. Motors and rotors
/// are compact, and some links are meant to be points, so small ones count only if all are tiny.
constexpr double widest_gyration = 8.0;  // in reaches of the body
constexpr double narrowest_gyration = 2e-3;
constexpr int links_to_judge = 3;
/// More turns than this are no hinge's range: 180 or 360 were degrees.
constexpr double widest_range = 20.0 * std::numbers::pi;  // [rad]
/// If every hinge of a robot moves less than this, radians were probably read as degrees.
constexpr double narrowest_range = 7.0 * std::numbers::pi / 180.0;  // [rad]
constexpr int hinges_to_judge = 3;
/// How far a servo may yield under the weight that it carries.
constexpr double largest_sag = 0.5;         // [rad]
constexpr double largest_slide_sag = 0.05;  // [m]
constexpr double slack = 1.02;              // of comparisons of forces
constexpr int named_parts = 4;              // listed by name in one message

/// A tree of bodies with at least one joint besides its root's, or one that hangs on the world.
struct Robot {
  int root = 0;
  int end = 0;  ///< one past its last body
  bool floats = false;
};

std::vector<Robot> robots_of(const Model& model) {
  std::vector<Robot> robots;
  for (int i = 0; i < model.body_count(); ++i) {
    if (model.parent(i) == world_body) {
      robots.push_back({i, i + 1, model.joint(i).kind == JointKind::floating});
    } else {
      robots.back().end = i + 1;
    }
  }
  // A free body alone is an object, not a robot.
  std::erase_if(robots,
                [](const Robot& robot) { return robot.floats && robot.end - robot.root < 2; });
  return robots;
}

/// Such as `'hip', 'knee' and 3 more`.
std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < named_parts; ++i) {
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", names[i]);
  }
  if (names.size() > named_parts) text += fmt::format(" and {} more", names.size() - named_parts);
  return text;
}

/// Farthest point of a shape from a point of its body, roughly: no more than √3 too far.
double reach_of(const Model& model, const Shape& shape, const Eigen::Vector3d& point) {
  const double distance = (shape.pose.translation() - point).norm();
  switch (shape.kind) {
    case ShapeKind::sphere:
      return distance + shape.size.x();
    case ShapeKind::capsule:
    case ShapeKind::cylinder:
      return distance + shape.size.x() + shape.size.y();
    case ShapeKind::box:
      return distance + shape.size.norm();
    case ShapeKind::ellipsoid:
      return distance + shape.size.maxCoeff();
    case ShapeKind::mesh: {
      double farthest = 0.0;
      for (const Eigen::Vector3d& vertex : model.meshes()[index(shape.mesh)].vertices) {
        farthest = std::max(farthest, (shape.pose * vertex - point).norm());
      }
      return farthest;
    }
    case ShapeKind::plane:
    case ShapeKind::height_field:
      break;
  }
  return distance;
}

/// How far shapes, child joints and the own joint are from the centre of mass of each body [m]; 0
/// for bodies without shapes: they stand for something that the file does not show.
std::vector<double> reaches_of(const Model& model) {
  std::vector<double> reaches(index(model.body_count()), 0.0);
  const auto extend = [&](int body, double distance) {
    reaches[index(body)] = std::max(reaches[index(body)], distance);
  };
  for (int i = 0; i < model.body_count(); ++i) {
    extend(i, model.body_inertia(i).center_of_mass.norm());
    const int parent = model.parent(i);
    if (parent == world_body) continue;
    const Eigen::Vector3d& center = model.body_inertia(parent).center_of_mass;
    extend(parent, (model.joint_pose(i).translation() - center).norm());
  }
  std::vector<char> has_shape(reaches.size(), 0);
  for (const Shape& shape : model.shapes()) {
    if (shape.body == world_body) continue;
    extend(shape.body, reach_of(model, shape, model.body_inertia(shape.body).center_of_mass));
    has_shape[index(shape.body)] = 1;
  }
  for (std::size_t i = 0; i < reaches.size(); ++i) reaches[i] *= has_shape[i];
  return reaches;
}

/// The checks of one Model, which share its kinematics and write into one list.
class Doctor {
 public:
  Doctor(const Model& model, const State& start, const std::string& file)
      : model_(model), start_(start), file_(file), data_(model), reaches_(reaches_of(model)) {
    update_kinematics(model_, data_, start_.q, Eigen::VectorXd::Zero(model_.velocity_count()));
  }

  ProblemList examine() {
    for (const Robot& robot : robots_of(model_)) {
      check_size(robot);
      check_inertias(robot);
      check_ranges(robot);
      if (robot.floats) check_collision_shapes(robot);
      if (robot.floats) check_friction(robot);
      if (robot.floats) check_start(robot);
      check_start_in_range(robot);
      if (!robot.floats) check_strength(robot);
    }
    return std::move(problems_);
  }

 private:
  void warn(const std::string& what, const std::string& remedy) {
    problems_.warning({file_, 0, ""}, what, remedy);
  }
  [[nodiscard]] std::string name_of(const Robot& robot) const {
    return fmt::format("the robot with root '{}'", model_.body_name(robot.root));
  }

  void check_size(const Robot& robot) {
    double mass = 0.0;
    double size = 0.0;
    const Eigen::Vector3d origin = body_pose(data_, robot.root).translation();
    for (int i = robot.root; i < robot.end; ++i) {
      const BodyInertia& inertia = model_.body_inertia(i);
      mass += inertia.mass;
      const Eigen::Vector3d center = body_pose(data_, i) * inertia.center_of_mass;
      size = std::max(size, (center - origin).norm() + reaches_[index(i)]);
    }
    if (mass > heaviest_robot || mass < lightest_robot) {
      warn(fmt::format("{} has a mass of {:.3g} kg", name_of(robot), mass),
           "masses are in kg: check whether the file gives grams or tonnes");
    }
    if (size > largest_robot || (size > 0.0 && size < smallest_robot)) {
      warn(fmt::format("{} reaches {:.3g} m from its root", name_of(robot), size),
           "lengths are in metres: if meshes are in millimetres, scale them by 0.001");
    }
  }

  /// Radius of gyration in reaches of the body; empty for bodies without mass or extent.
  [[nodiscard]] std::optional<double> gyration_of(int body) const {
    const BodyInertia& inertia = model_.body_inertia(body);
    if (!(inertia.mass > 0.0) || !(reaches_[index(body)] > 0.0)) return std::nullopt;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia.inertia,
                                                                Eigen::EigenvaluesOnly);
    const double largest = std::max(0.0, solver.eigenvalues().maxCoeff());
    return std::sqrt(largest / inertia.mass) / reaches_[index(body)];
  }

  void check_inertias(const Robot& robot) {
    std::vector<std::string> wide;
    double worst = 0.0;
    int narrow = 0;
    int judged = 0;
    for (int i = robot.root; i < robot.end; ++i) {
      const std::optional<double> ratio = gyration_of(i);
      if (!ratio) continue;
      ++judged;
      worst = std::max(worst, *ratio);
      if (*ratio > widest_gyration) wide.push_back(model_.body_name(i));
      if (*ratio < narrowest_gyration) ++narrow;
    }
    if (!wide.empty()) {
      warn(fmt::format("the moments of inertia of {} are those of bodies up to {:.0f} times as "
                       "large as their shapes",
                       list_of(wide), worst),
           "moments of inertia are in kg·m²: check their unit");
    }
    if (judged >= links_to_judge && narrow == judged) {
      warn(fmt::format("the moments of inertia of {} are those of points, in every link",
                       name_of(robot)),
           "moments of inertia are in kg·m²: check their unit");
    }
  }

  void check_ranges(const Robot& robot) {
    int hinges = 0;
    double widest = 0.0;
    double widest_limited = 0.0;
    std::vector<std::string> degrees;
    for (int i = robot.root; i < robot.end; ++i) {
      const Joint& joint = model_.joint(i);
      if (joint.kind != JointKind::revolute) continue;
      const double range = joint.limits.upper - joint.limits.lower;
      ++hinges;
      if (!std::isfinite(range)) {
        widest = std::numeric_limits<double>::infinity();
        continue;
      }
      widest = std::max(widest, range);
      widest_limited = std::max(widest_limited, range);
      if (range > widest_range) degrees.push_back(joint.name);
    }
    if (!degrees.empty()) {
      warn(fmt::format("the ranges of hinges {} span up to {:.0f} rad", list_of(degrees),
                       widest_limited),
           "angles of URDF are in radians; in MJCF, <compiler angle> says what they are");
    }
    if (hinges >= hinges_to_judge && widest < narrowest_range) {
      warn(fmt::format("no hinge of {} can turn by more than {:.2g} degrees", name_of(robot),
                       widest * 180.0 / std::numbers::pi),
           "check the unit: angles of MJCF are in degrees unless it has <compiler "
           "angle=\"radian\"/>, those of URDF are in radians");
    }
  }

  /// Shapes of the world that something can stand on.
  [[nodiscard]] bool meets_world(int shape, bool& with_friction) const {
    bool meets = false;
    const auto count = static_cast<int>(model_.shapes().size());
    for (int other = 0; other < count; ++other) {
      if (model_.shapes()[index(other)].body != world_body) continue;
      if (!model_.may_collide(shape, other)) continue;
      meets = true;
      with_friction = with_friction || model_.contact_material(shape, other).friction > 0.0;
    }
    return meets;
  }

  /// Whether a body carries others.
  [[nodiscard]] bool is_inner(int body) const {
    return body + 1 < model_.body_count() && model_.parent(body + 1) == body;
  }

  void check_collision_shapes(const Robot& robot) {
    bool world = false;
    bool any = false;
    bool inner = false;
    for (std::size_t i = 0; i < model_.shapes().size(); ++i) {
      const Shape& shape = model_.shapes()[i];
      world = world || (shape.body == world_body && shape.collides);
      if (shape.body < robot.root || shape.body >= robot.end) continue;
      bool friction = false;
      if (!meets_world(static_cast<int>(i), friction)) continue;
      any = true;
      inner = inner || is_inner(shape.body);
    }
    if (!world || inner) return;
    if (any) {
      warn(
          fmt::format("only the outermost links of {} have shapes that can touch the world: if the "
                      "robot falls, its trunk sinks into the floor",
                      name_of(robot)),
          "let a shape of the trunk touch the floor, such as a box");
    } else {
      warn(fmt::format("{} floats and has no shape that can touch the world: it falls forever",
                       name_of(robot)),
           "add collision shapes, at least to its feet");
    }
  }

  void check_start(const Robot& robot) {
    constexpr double deep = 0.01;  // [m]
    const StartOverlap overlap = find_deepest_in_world(model_, start_, robot.root, robot.end);
    if (!(overlap.depth > deep)) return;
    warn(fmt::format("{} starts {:.0f} mm deep in the world, with '{}': it is pushed out first",
                     name_of(robot), 1e3 * overlap.depth, link_of_shape(model_, overlap.shape_b)),
         fmt::format("start it {:.0f} mm further out: raise it in the keyframe, or start from "
                     "another one with --keyframe",
                     std::ceil(1e3 * overlap.depth - 0.01)));
  }

  /// Limits are hard: a joint that starts outside of its range moves whatever is in its way.
  void check_start_in_range(const Robot& robot) {
    std::vector<std::string> outside;
    double most = 0.0;
    for (int body = robot.root; body < robot.end; ++body) {
      const Joint& joint = model_.joint(body);
      if (joint.kinematic || position_size(joint.kind) != 1) continue;
      const double q = start_.q[joint.position_index];
      const double excess = std::max(joint.limits.lower - q, q - joint.limits.upper);
      const double small = joint.kind == JointKind::prismatic ? 0.005 : 0.02;  // [m, rad]
      if (!(excess > small)) continue;
      outside.push_back(joint.name);
      most = std::max(most, excess);
    }
    if (outside.empty()) return;
    warn(
        fmt::format("joints {} of {} start up to {:.2g} rad or m outside of their ranges: they are "
                    "moved into them first",
                    list_of(outside), name_of(robot), most),
        "start in another pose, with --pose JOINT=VALUE or a keyframe");
  }

  void check_friction(const Robot& robot) {
    std::vector<std::string> smooth;
    for (std::size_t i = 0; i < model_.shapes().size(); ++i) {
      const Shape& shape = model_.shapes()[i];
      if (shape.body < robot.root || shape.body >= robot.end) continue;
      bool friction = false;
      if (meets_world(static_cast<int>(i), friction) && !friction) {
        smooth.push_back(shape.name.empty() ? model_.body_name(shape.body) : shape.name);
      }
    }
    if (smooth.empty()) return;
    warn(fmt::format("the friction of {} against the world is zero", list_of(smooth)),
         "give them or the floor a friction above zero, unless they are meant to slide");
  }

  /// What the weight asks of each joint beyond its spring, one entry per velocity.
  [[nodiscard]] Eigen::VectorXd weights() {
    ExternalForces carried(model_);
    carried.collect(model_, {}, data_, model_.time_step());
    Eigen::VectorXd tau(model_.velocity_count());
    bias_forces<double>(model_, data_, as_span(tau), carried.on_bodies());
    const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model_.velocity_count());
    Eigen::VectorXd springs = rest;
    passive_forces<double>(model_, as_span(start_.q), as_span(rest), as_span(springs));
    return tau - springs;
  }

  /// What drives a joint: the largest force that its actuators have, and their stiffness.
  struct Drive {
    bool exists = false;
    double force = 0.0;
    double stiffness = 0.0;
  };

  [[nodiscard]] Drive drive_of(const Joint& joint) const {
    Drive drive;
    for (const Actuator& actuator : model_.actuators()) {
      if (actuator.joint != joint.body) continue;
      drive.exists = true;
      drive.force += std::abs(actuator.gear[0]) * largest_force(actuator);
      drive.stiffness += std::max(0.0, -actuator.bias[1]) * actuator.gear[0] * actuator.gear[0];
    }
    drive.force = std::min(drive.force, joint.limits.effort);
    return drive;
  }

  [[nodiscard]] static double largest_force(const Actuator& actuator) {
    double force = std::numeric_limits<double>::infinity();
    if (actuator.force_limited) {
      force = std::max(std::abs(actuator.force_range[0]), std::abs(actuator.force_range[1]));
    }
    const bool plain = actuator.bias[0] == 0.0 && actuator.bias[1] == 0.0 &&
                       actuator.gain[1] == 0.0 && actuator.gain[2] == 0.0;
    if (plain && actuator.control_limited) {
      const auto& [lower, upper] = actuator.control_range;
      force =
          std::min(force, std::abs(actuator.gain[0]) * std::max(std::abs(lower), std::abs(upper)));
    }
    return force;
  }

  void check_strength(const Robot& robot) {
    const Eigen::VectorXd needed = weights();
    std::vector<std::string> weak;
    std::vector<std::string> soft;
    std::string first_weak;
    double worst_sag = 0.0;
    for (int i = robot.root; i < robot.end; ++i) {
      const Joint& joint = model_.joint(i);
      if (velocity_size(joint.kind) != 1) continue;
      const Drive drive = drive_of(joint);
      if (!drive.exists) continue;
      const double force = std::abs(needed[joint.velocity_index]);
      if (force > slack * drive.force && force > 1e-9) {
        if (weak.empty()) first_weak = fmt::format("needs {:.3g}, has {:.3g}", force, drive.force);
        weak.push_back(joint.name);
      }
      const double bound = joint.kind == JointKind::prismatic ? largest_slide_sag : largest_sag;
      if (drive.stiffness > 0.0 && force > bound * drive.stiffness) {
        soft.push_back(joint.name);
        worst_sag = std::max(worst_sag, force / drive.stiffness);
      }
    }
    if (!weak.empty()) {
      warn(fmt::format("the actuators of {} cannot hold the start pose against gravity ('{}' {} "
                       "N·m or N)",
                       list_of(weak), weak.front(), first_weak),
           "check force ranges, gears and masses, or start in another pose");
    }
    if (!soft.empty()) {
      warn(fmt::format("the position servos of {} yield by up to {:.2g} rad or m under the weight "
                       "that they carry",
                       list_of(soft), worst_sag),
           "raise their kp, or compensate gravity");
    }
  }

  const Model& model_;
  const State& start_;
  const std::string& file_;
  DynamicsData<double> data_;
  std::vector<double> reaches_;
  ProblemList problems_;
};

}  // namespace

ProblemList examine_robots(const Model& model, const State& start, const std::string& file) {
  if (model.body_count() == 0) return {};
  return Doctor(model, start, file).examine();
}

}  // namespace stiction
