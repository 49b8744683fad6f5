#include "stiction/model/model_checker.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "stiction/model/checker_words.hpp"
#include "stiction/model/inertia_check.hpp"

namespace stiction {

ModelChecker::ModelChecker(const ModelBuilder& builder)
    : builder_(builder), tree_(builder.links_, builder.joints_) {}

ProblemList ModelChecker::run() {
  check_scene();
  check_names();
  check_links();
  check_joints();
  check_tree();
  if (!problems_.has_errors()) check_bodies();
  check_assets();
  check_materials();
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
    problems_.error(source, "gravity is not finite", "give three numbers in m/s²");
  }
  if (!std::isfinite(builder_.time_step_) || builder_.time_step_ <= 0.0) {
    problems_.error(source, fmt::format("time step is {}", builder_.time_step_),
                    "give a positive number of seconds, such as 0.001");
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
          problems_.error(source, fmt::format("a {} has no name", kind), "name it");
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
    problems_.error(source, fmt::format("{} is not a finite position and rotation", what),
                    "give finite numbers and a rotation of unit length");
  }
  return good;
}

void ModelChecker::check_links() {
  for (int i = 0; i < builder_.link_count(); ++i) {
    const LinkSpec& link = builder_.link(i);
    const Source source = named(link.source, "link", link.name);
    if (!finite_not_negative(link.mass)) {
      problems_.error(source, fmt::format("mass is {} kg", link.mass), "give a positive mass");
    }
    if (!link.center_of_mass.allFinite()) {
      problems_.error(source, "the centre of mass is not finite", "give three numbers in metres");
    }
    if (!link.inertia.allFinite()) {
      problems_.error(source, "the inertia is not finite", "give finite numbers in kg·m²");
    } else if (const LinkPlace& place = tree_.places[static_cast<std::size_t>(i)];
               place.body >= 0 &&
               tree_.body_links[static_cast<std::size_t>(place.body)].size() > 1) {
      // A merged body is judged as a whole; its pieces only deserve a word.
      const std::string defect = inertia_defect(link.inertia);
      if (!defect.empty()) {
        problems_.warning(source, defect, "mend this piece, though the merged body may still do");
      }
    }
  }
}

void ModelChecker::check_joints() {
  std::vector<const JointSpec*> carrier(builder_.links_.size(), nullptr);
  for (const JointSpec& joint : builder_.joints_) {
    const Source source = named(joint.source, "joint", joint.name);
    if (joint.child < 0 || joint.child >= builder_.link_count() || !link_in_range(joint.parent)) {
      problems_.error(source, "its parent or child is not a link of this model", renumber);
      continue;
    }
    const LinkSpec& child = builder_.link(joint.child);
    if (joint.parent == joint.child) {
      problems_.error(source, fmt::format("it joins link '{}' to itself", child.name),
                      "name two different links");
    }
    const JointSpec*& first = carrier[static_cast<std::size_t>(joint.child)];
    if (first != nullptr) {
      problems_.error(
          source,
          fmt::format("link '{}' already hangs on joint '{}': a link has one parent", child.name,
                      first->name),
          "remove one of the joints; close a loop with a coupling (MJCF equality) instead");
    } else {
      first = &joint;
    }
    check_joint_numbers(joint, source);
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
    problems_.error(source, "a floating joint hangs on another link",
                    "floating joints hang on the world; use another kind, or no joint");
  }
  if (joint.kinematic && joint.kind != JointKind::floating) {
    problems_.error(source, fmt::format("a {} joint is kinematic", to_string(joint.kind)),
                    "only floating joints can have a prescribed motion");
  }
  const JointLimits& limits = joint.limits;
  if (!(limits.lower <= limits.upper)) {
    problems_.error(
        source,
        fmt::format("limits {:g} to {:g} are the wrong way round", limits.lower, limits.upper),
        "give the lower limit first");
  }
  if (!(limits.velocity >= 0.0) || !(limits.effort >= 0.0)) {
    problems_.error(source, "a velocity or effort limit is negative or not a number",
                    "give limits that are not negative");
  }
  const std::pair<const char*, double> amounts[] = {{"damping", joint.damping},
                                                    {"friction", joint.friction},
                                                    {"armature", joint.armature},
                                                    {"stiffness", joint.stiffness}};
  for (const auto& [what, value] : amounts) {
    if (!finite_not_negative(value)) {
      problems_.error(source, fmt::format("{} is {}", what, value),
                      "give a number that is not negative");
    }
  }
  if (!std::isfinite(joint.spring_reference) || !std::isfinite(joint.initial_position)) {
    problems_.error(source, "its initial position or spring reference is not finite",
                    "give finite numbers");
  }
}

void ModelChecker::check_tree() {
  std::vector<char> has_joint(builder_.links_.size(), 0);
  for (const JointSpec& joint : builder_.joints_) {
    if (joint.child >= 0 && joint.child < builder_.link_count()) {
      has_joint[static_cast<std::size_t>(joint.child)] = 1;
    }
  }
  std::string loop;
  Source loop_source;
  for (int i = 0; i < builder_.link_count(); ++i) {
    const std::size_t slot = static_cast<std::size_t>(i);
    if (tree_.places[slot].reached) continue;
    const LinkSpec& link = builder_.link(i);
    const Source source = named(link.source, "link", link.name);
    if (!has_joint[slot]) {
      problems_.error(source, "no joint holds this link: it is a second root",
                      "join it to its parent, or to the world by a fixed or floating joint");
    } else {
      if (loop.empty()) loop_source = source;
      if (loop.size() < 200) loop += (loop.empty() ? "'" : ", '") + link.name + "'";
    }
  }
  const bool only_loops = !loop.empty() && !problems_.has_errors();
  if (only_loops) {
    problems_.error(
        loop_source,
        fmt::format("the joints form a loop: links {} cannot be reached from a root", loop),
        "cut the loop at one joint and close it with a coupling (MJCF equality)");
  }
}

void ModelChecker::check_bodies() {
  std::vector<char> has_child(tree_.body_joint.size(), 0);
  for (const int parent : tree_.body_parent) {
    if (parent >= 0) has_child[static_cast<std::size_t>(parent)] = 1;
  }
  for (std::size_t body = 0; body < tree_.body_joint.size(); ++body) {
    const LinkSpec& link = builder_.link(tree_.body_links[body].front());
    const JointSpec& joint = builder_.joint(tree_.body_joint[body]);
    const BodyInertia& inertia = tree_.body_inertia[body];
    const Source source = named(link.source, "link", link.name);
    const bool leaf = has_child[body] == 0;
    if (inertia.mass <= 0.0 && !joint.kinematic) {
      if (!link.virtual_link || leaf) {
        problems_.error(source, "it moves but has no mass",
                        "give it a positive mass and an inertia, or hold it by a fixed joint");
        continue;
      }
      check_virtual_chain(static_cast<int>(body), source);
      continue;
    }
    const std::string defect = inertia_defect(inertia.inertia);
    if (!defect.empty()) {
      problems_.error(source, defect,
                      "check units and signs of ixx..izz; recompute them from the shape");
      continue;
    }
    if (!leaf || joint.kinematic) continue;
    const Eigen::Vector3d c = inertia.center_of_mass;
    const Eigen::Matrix3d about_origin =
        inertia.inertia +
        inertia.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
    const double least =
        joint.kind == JointKind::floating
            ? inertia.inertia.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff()
        : joint.kind == JointKind::spherical
            ? about_origin.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff()
        : joint.kind == JointKind::prismatic ? inertia.mass
                                             : joint.axis.dot(about_origin * joint.axis);
    if (least + joint.armature <= 0.0) {
      problems_.error(source, "it can turn but has no inertia about that axis",
                      "give it an inertia, or the joint an armature");
    }
  }
}

void ModelChecker::check_virtual_chain(int body, const Source& source) {
  // Joints of one MJCF body must not undo each other: their axes, at the file's pose, must be
  // independent, else no force could tell them apart and the mass matrix is singular.
  Eigen::Matrix<double, 6, Eigen::Dynamic> axes(6, 0);
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  for (int current = body;;) {
    const std::size_t slot = static_cast<std::size_t>(current);
    const JointSpec& joint = builder_.joint(tree_.body_joint[slot]);
    if (current != body)
      pose =
          pose * tree_.places[static_cast<std::size_t>(joint.parent)].pose * joint.pose_in_parent;
    const int count = velocity_size(joint.kind);
    for (int k = 0; k < count; ++k) {
      Eigen::Matrix<double, 6, 1> column = Eigen::Matrix<double, 6, 1>::Zero();
      const bool ball = joint.kind == JointKind::spherical;
      const Eigen::Vector3d axis =
          pose.linear() * (ball ? Eigen::Vector3d(Eigen::Vector3d::Unit(k % 3)) : joint.axis);
      if (joint.kind == JointKind::prismatic) {
        column.tail<3>() = axis;
      } else {
        column.head<3>() = axis;
        column.tail<3>() = pose.translation().cross(axis);
      }
      axes.conservativeResize(6, axes.cols() + 1);
      axes.col(axes.cols() - 1) = column;
    }
    if (!builder_.link(tree_.body_links[slot].front()).virtual_link) break;
    const auto child = std::find(tree_.body_parent.begin(), tree_.body_parent.end(), current);
    if (child == tree_.body_parent.end()) break;
    current = static_cast<int>(child - tree_.body_parent.begin());
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(axes);
  qr.setThreshold(1e-9);
  if (qr.rank() < axes.cols()) {
    problems_.error(source, "the joints of this body can undo each other",
                    "give the body joints with independent axes");
  }
}

}  // namespace stiction
