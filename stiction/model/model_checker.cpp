#include "stiction/model/model_checker.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "stiction/model/inertia_check.hpp"
#include "stiction/model/number_checks.hpp"
#include "stiction/model/time_step.hpp"

namespace stiction {

ModelChecker::ModelChecker(const ModelBuilder& builder)
    : builder_(builder),
      tree_(builder.links_, builder.joints_),
      faulty_links_(builder.links_.size(), false),
      faulty_joints_(builder.joints_.size(), false) {}

ProblemList ModelChecker::run() {
  check_scene();
  check_names();
  check_links();
  check_joints();
  check_tree();
  check_bodies();
  check_assets();
  check_materials();
  check_tendons();
  check_actuators();
  check_keyframes();
  check_references();
  return std::move(problems_);
}

bool ModelChecker::link_in_range(int link) const {
  return link >= world_body && link < builder_.link_count();
}

bool ModelChecker::joint_in_range(int joint) const {
  return joint >= 0 && joint < builder_.joint_count();
}

void ModelChecker::check_scene() {
  const Source source{{}, 0, fmt::format("model '{}'", builder_.name_)};
  if (!builder_.gravity_.allFinite()) {
    problems_.error(source, "gravity contains NaN or infinity",
                    "give three finite numbers in m/s²");
  }
  const Fluid& fluid = builder_.fluid_;
  if (!finite_not_negative(fluid.density) || !finite_not_negative(fluid.viscosity) ||
      !fluid.wind.allFinite()) {
    problems_.error(source, "density, viscosity or wind is negative or not finite",
                    "give kg/m³ and Pa·s from 0 up, and three numbers in m/s");
  }
  const double step = builder_.time_step_;
  if (!(step >= shortest_time_step && step <= longest_time_step)) {
    problems_.error(
        source, fmt::format("time step is {}", step),
        fmt::format("give {} to {} seconds, such as 0.001", shortest_time_step, longest_time_step));
  }
  if (builder_.links_.empty() && builder_.world_shapes_.empty()) {
    problems_.error(source, "the model has neither links nor shapes", "add at least one link");
  }
}

void ModelChecker::check_names() {
  const auto unique = [this](const auto& items, const char* kind, bool needed) {
    std::set<std::string_view> seen;
    for (const auto& item : items) {
      const Source source = named(item.source, kind, item.name);
      if (item.name.empty()) {
        if (needed) {
          problems_.error(source, fmt::format("a {} has no name", kind), "give it a name");
        }
      } else if (!seen.insert(item.name).second) {
        problems_.error(source, fmt::format("two {}s are called '{}'", kind, item.name),
                        "give each its own name");
      }
    }
  };
  unique(builder_.links_, "link", true);
  unique(builder_.joints_, "joint", true);
  unique(builder_.frames_, "site", true);
  unique(builder_.actuators_, "actuator", false);
  unique(builder_.sensors_, "sensor", false);
  unique(builder_.keyframes_, "keyframe", false);
}

bool ModelChecker::check_pose(const Eigen::Isometry3d& pose, const Source& source,
                              const char* what) {
  const Eigen::Matrix3d R = pose.linear();
  const bool good = pose.matrix().allFinite() &&
                    (R * R.transpose() - Eigen::Matrix3d::Identity()).norm() < 1e-6 &&
                    R.determinant() > 0.0;
  if (!good) {
    problems_.error(source, fmt::format("{} contains NaN, infinity or an invalid rotation", what),
                    "give finite numbers and a rotation of unit length");
  }
  return good;
}

void ModelChecker::check_links() {
  for (int i = 0; i < builder_.link_count(); ++i) {
    const LinkSpec& link = builder_.link(i);
    const Source source = named(link.source, "link", link.name);
    const std::size_t before = problems_.all().size();
    if (!finite_not_negative(link.mass)) {
      problems_.error(source, fmt::format("mass is {} kg", link.mass), "give a positive mass");
    }
    if (!link.center_of_mass.allFinite()) {
      problems_.error(source, "the centre of mass contains NaN or infinity",
                      "give three finite numbers in metres");
    }
    if (!link.inertia.allFinite()) {
      problems_.error(source, "the inertia contains NaN or infinity",
                      "give finite numbers in kg·m²");
    }
    if (!std::isfinite(link.gravity_compensation)) {
      problems_.error(source, "the gravity compensation is NaN or infinite",
                      "give the fraction of the weight that is carried, such as 1");
    }
    faulty_links_[static_cast<std::size_t>(i)] = problems_.all().size() > before;
    if (!faulty_links_[static_cast<std::size_t>(i)]) warn_about_piece(i, source);
  }
}

void ModelChecker::warn_about_piece(int link, const Source& source) {
  // A merged body is judged as a whole, and one that no joint reaches not at all; their pieces
  // deserve a word.
  const LinkPlace& place = tree_.places[static_cast<std::size_t>(link)];
  const bool alone =
      place.body >= 0 && tree_.body_links[static_cast<std::size_t>(place.body)].size() == 1;
  if (alone || (place.reached && place.body < 0)) return;
  const std::string defect = inertia_defect(builder_.link(link).inertia);
  if (!defect.empty()) {
    problems_.warning(source, defect, "fix this part; the merged body may still be valid");
  }
}

void ModelChecker::check_joints() {
  std::vector<const JointSpec*> carrier(builder_.links_.size(), nullptr);
  for (std::size_t j = 0; j < builder_.joints_.size(); ++j) {
    const JointSpec& joint = builder_.joints_[j];
    const Source source = named(joint.source, "joint", joint.name);
    faulty_joints_[j] = true;
    if (joint.child < 0 || joint.child >= builder_.link_count() || !link_in_range(joint.parent)) {
      problems_.error(source, "its parent or child is not a link of this model", renumber);
      continue;
    }
    const LinkSpec& child = builder_.link(joint.child);
    if (joint.parent == joint.child) {
      problems_.error(source, fmt::format("it connects link '{}' to itself", child.name),
                      "name two different links");
    }
    const JointSpec*& first = carrier[static_cast<std::size_t>(joint.child)];
    if (first != nullptr) {
      problems_.error(
          source,
          fmt::format("link '{}' is already the child of joint '{}': a link has only one parent",
                      child.name, first->name),
          "remove one of the joints; close a loop with a coupling (MJCF equality) instead");
    } else {
      first = &joint;
    }
    const std::size_t before = problems_.all().size();
    check_joint_numbers(joint, source);
    faulty_joints_[j] = problems_.all().size() > before;
    if (joint.stiffness > 0.0 && velocity_size(joint.kind) > 1 &&
        joint.kind != JointKind::spherical) {
      problems_.warning(source,
                        fmt::format("the spring of a {} joint is not used", to_string(joint.kind)),
                        "put springs on revolute, prismatic or spherical joints");
    }
  }
}

void ModelChecker::check_joint_numbers(const JointSpec& joint, const Source& source) {
  check_pose(joint.pose_in_parent, source, "its frame in the parent");
  check_pose(joint.pose_in_child, source, "its frame in the child");
  const bool turns_or_slides = joint.kind != JointKind::fixed &&
                               joint.kind != JointKind::floating &&
                               joint.kind != JointKind::spherical;
  if (turns_or_slides && !(std::abs(joint.axis.norm() - 1.0) < 1e-6)) {
    problems_.error(source,
                    fmt::format("its axis ({:g} {:g} {:g}) does not have length 1", joint.axis.x(),
                                joint.axis.y(), joint.axis.z()),
                    "give a direction of unit length, such as 0 0 1");
  }
  if (joint.kind == JointKind::floating && joint.parent != world_body) {
    problems_.error(source, "a floating joint is attached to another link",
                    "floating joints must be attached to the world; use another kind, or no joint");
  }
  if (joint.kinematic && joint.kind != JointKind::floating) {
    problems_.error(source, fmt::format("a {} joint is kinematic", to_string(joint.kind)),
                    "only floating joints can have a prescribed motion");
  }
  const JointLimits& limits = joint.limits;
  if (!(limits.lower <= limits.upper)) {
    problems_.error(source,
                    fmt::format("limits {:g} to {:g} are reversed", limits.lower, limits.upper),
                    "give the lower limit first");
  }
  if (!(limits.velocity >= 0.0) || !(limits.effort >= 0.0)) {
    problems_.error(source, "a velocity or effort limit is negative or NaN",
                    "give limits that are not negative");
  }
  if (limits.effort >= 0.0 && !(limits.least_effort() <= limits.largest_effort())) {
    problems_.error(source, "its range of effort is reversed or NaN", "give the lower limit first");
  }
  const std::pair<const char*, double> amounts[] = {{"damping", joint.damping},
                                                    {"friction", joint.friction},
                                                    {"armature", joint.armature},
                                                    {"stiffness", joint.stiffness},
                                                    {"margin", joint.limits.margin}};
  for (const auto& [what, value] : amounts) {
    if (!finite_not_negative(value)) {
      problems_.error(source, fmt::format("{} is {}", what, value),
                      "give a number that is not negative");
    }
  }
  if (!std::isfinite(joint.spring_reference) || !std::isfinite(joint.initial_position)) {
    problems_.error(source, "its initial position or spring reference is NaN or infinite",
                    "give finite numbers");
  }
}

std::vector<ModelChecker::Ending> ModelChecker::endings() const {
  std::vector<int> parent(builder_.links_.size(), no_joint);
  for (const JointSpec& joint : builder_.joints_) {
    if (joint.child < 0 || joint.child >= builder_.link_count() || !link_in_range(joint.parent)) {
      continue;
    }
    int& slot = parent[static_cast<std::size_t>(joint.child)];
    // A joint from a link to itself has had its own word.
    if (slot == no_joint) slot = joint.parent == joint.child ? world_body : joint.parent;
  }
  std::vector<Ending> result(builder_.links_.size(), Ending::unknown);
  std::vector<int> way;
  for (int link = 0; link < builder_.link_count(); ++link) {
    way.clear();
    Ending ending = Ending::unknown;
    for (int at = link; ending == Ending::unknown;) {
      if (at == world_body) {
        ending = Ending::world;
      } else if (at == no_joint) {
        ending = Ending::nowhere;
      } else if (Ending& known = result[static_cast<std::size_t>(at)]; known != Ending::unknown) {
        ending = known == Ending::on_the_way    ? Ending::loop
                 : known == Ending::second_root ? Ending::nowhere
                                                : known;
      } else {
        known = Ending::on_the_way;
        way.push_back(at);
        at = parent[static_cast<std::size_t>(at)];
      }
    }
    for (const int at : way) result[static_cast<std::size_t>(at)] = ending;
    if (!way.empty() && parent[static_cast<std::size_t>(way.back())] == no_joint) {
      result[static_cast<std::size_t>(way.back())] = Ending::second_root;
    }
  }
  return result;
}

void ModelChecker::check_tree() {
  const std::vector<Ending> ending = endings();
  std::string loop;
  Source loop_source;
  for (int i = 0; i < builder_.link_count(); ++i) {
    const LinkSpec& link = builder_.link(i);
    const Source source = named(link.source, "link", link.name);
    if (ending[static_cast<std::size_t>(i)] == Ending::second_root) {
      problems_.error(source, "no joint has this link as child: it is a second root",
                      "connect it to its parent, or to the world with a fixed or floating joint");
    } else if (ending[static_cast<std::size_t>(i)] == Ending::loop) {
      if (loop.empty()) loop_source = source;
      if (loop.size() < 200) loop += (loop.empty() ? "'" : ", '") + link.name + "'";
    }
  }
  if (!loop.empty()) {
    problems_.error(
        loop_source,
        fmt::format("the joints form a loop: links {} cannot be reached from a root", loop),
        "cut the loop at one joint and close it with a coupling (MJCF equality)");
  }
}

bool ModelChecker::is_faulty(std::size_t body) const {
  const auto faulty = [this](int link) { return faulty_links_[static_cast<std::size_t>(link)]; };
  return faulty_joints_[static_cast<std::size_t>(tree_.body_joint[body])] ||
         std::ranges::any_of(tree_.body_links[body], faulty);
}

void ModelChecker::check_bodies() {
  std::vector<char> has_child(tree_.body_joint.size(), 0);
  for (const int parent : tree_.body_parent) {
    if (parent >= 0) has_child[static_cast<std::size_t>(parent)] = 1;
  }
  for (std::size_t body = 0; body < tree_.body_joint.size(); ++body) {
    if (is_faulty(body)) continue;
    const LinkSpec& link = builder_.link(tree_.body_links[body].front());
    const JointSpec& joint = builder_.joint(tree_.body_joint[body]);
    const BodyInertia& inertia = tree_.body_inertia[body];
    const Source source = named(link.source, "link", link.name);
    const bool leaf = has_child[body] == 0;
    if (inertia.mass <= 0.0 && !joint.kinematic) {
      if (!link.virtual_link || leaf) {
        problems_.error(source, "it moves but has no mass",
                        "give it a positive mass and an inertia, or use a fixed joint");
        continue;
      }
      check_virtual_chain(static_cast<int>(body), source);
      continue;
    }
    const std::string defect = inertia_defect(inertia.inertia);
    const auto keeps = [&](int piece) { return builder_.link(piece).keeps_inertia; };
    if (!defect.empty() && std::ranges::any_of(tree_.body_links[body], keeps) &&
        is_positive_inertia(inertia.inertia)) {
      problems_.warning(source, defect, "it is kept as it is, as was asked for");
    } else if (!defect.empty()) {
      problems_.error(source, defect,
                      "check units and signs of ixx..izz; recompute them from the shape");
      continue;
    }
    if (leaf && !joint.kinematic &&
        !has_inertia_along(joint.kind, joint.axis, joint.armature, inertia)) {
      problems_.error(source, "it can rotate but has no inertia about that axis",
                      "give it an inertia, or the joint an armature");
    }
  }
}

namespace {

/// Adds the motions (angular, linear about the pose's world) that a joint allows, one column each.
void append_axes(const JointSpec& joint, const Eigen::Isometry3d& pose,
                 Eigen::Matrix<double, 6, Eigen::Dynamic>& axes) {
  const auto add = [&](const Eigen::Vector3d& direction, bool turns) {
    const Eigen::Vector3d axis = pose.linear() * direction;
    // conservativeResize would do, but GCC 12 takes Eigen's realloc for a use after free.
    Eigen::Matrix<double, 6, Eigen::Dynamic> grown(6, axes.cols() + 1);
    grown.leftCols(axes.cols()) = axes;
    axes.swap(grown);
    auto column = axes.col(axes.cols() - 1);
    column.setZero();
    if (turns) {
      column.head<3>() = axis;
      column.tail<3>() = pose.translation().cross(axis);
    } else {
      column.tail<3>() = axis;
    }
  };
  if (joint.kind == JointKind::spherical) {
    for (int k = 0; k < 3; ++k) add(Eigen::Vector3d::Unit(k), true);
    return;
  }
  if (joint.kind == JointKind::planar) {
    const auto [first, second] = plane_of(joint.axis);
    add(first, false);
    add(second, false);
  }
  add(joint.axis, joint.kind != JointKind::prismatic);
}

}  // namespace

void ModelChecker::check_virtual_chain(int body, const Source& source) {
  // Joints without mass between them (those of one MJCF body, or of URDF links without <inertial>)
  // must not undo each other: their axes, at the file's pose, must be independent, else no force
  // could tell them apart and the mass matrix is singular.
  Eigen::Matrix<double, 6, Eigen::Dynamic> axes(6, 0);
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  for (int current = body;;) {
    const std::size_t slot = static_cast<std::size_t>(current);
    const JointSpec& joint = builder_.joint(tree_.body_joint[slot]);
    if (is_faulty(slot)) return;
    if (current != body) {
      pose =
          pose * tree_.places[static_cast<std::size_t>(joint.parent)].pose * joint.pose_in_parent;
    }
    append_axes(joint, pose, axes);
    if (!builder_.link(tree_.body_links[slot].front()).virtual_link) break;
    const auto child = std::find(tree_.body_parent.begin(), tree_.body_parent.end(), current);
    if (child == tree_.body_parent.end()) break;
    current = static_cast<int>(child - tree_.body_parent.begin());
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(axes);
  qr.setThreshold(1e-9);
  if (qr.rank() < axes.cols()) {
    problems_.error(source,
                    "the joints before and behind it are not independent, and no mass lies between "
                    "them",
                    "give the joints independent axes, or give what lies between them a mass");
  }
}

}  // namespace stiction
