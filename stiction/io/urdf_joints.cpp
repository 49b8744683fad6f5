#include <Eigen/Core>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <unordered_map>

#include "stiction/io/urdf_record.hpp"
#include "stiction/io/urdf_scan.hpp"

namespace stiction {

namespace {

/// Finds what is wrong with the numbers of joints, beyond what each attribute shows by itself.
class JointCheck {
 public:
  JointCheck(const UrdfRecord& record, const XmlFile& file, bool strict, ProblemList& problems)
      : record_(record), file_(file), strict_(strict), problems_(problems) {
    for (const UrdfJoint& joint : record.joints) joints_.try_emplace(joint.name, &joint);
  }

  void run() {
    for (const UrdfJoint& joint : record_.joints) {
      if (joint.type == "fixed" || joint.type == "floating") {
        check_unused(joint);
        continue;
      }
      check_axis(joint);
      check_limit(joint);
      check_mimic(joint);
    }
    check_mimic_cycles();
  }

 private:
  [[nodiscard]] Source source(const pugi::xml_node& node) const { return urdf_source(file_, node); }

  void check_unused(const UrdfJoint& joint) {
    for (const char* tag : {"limit", "dynamics", "mimic"}) {
      if (const pugi::xml_node node = joint.element.child(tag)) {
        problems_.note(source(node), fmt::format("not used by a {} joint", joint.type));
      }
    }
  }

  void check_axis(const UrdfJoint& joint) {
    const pugi::xml_node axis = joint.element.child("axis");
    const std::vector<double> xyz = urdf_numbers(axis, "xyz", {1.0, 0.0, 0.0});
    const double length = Eigen::Vector3d(xyz[0], xyz[1], xyz[2]).norm();
    if (!(length > 1e-12)) {
      problems_.error(source(axis), "the axis has zero length",
                      "give a direction of unit length, such as xyz=\"0 0 1\"");
    } else if (std::abs(length - 1.0) > 1e-3) {
      problems_.warning(
          source(axis),
          fmt::format("the axis has length {:.4g}; only its direction is used", length),
          "give a direction of unit length, such as xyz=\"0 0 1\"");
    }
  }

  void check_limit(const UrdfJoint& joint) {
    const pugi::xml_node limit = joint.element.child("limit");
    const bool bounded = joint.type == "revolute" || joint.type == "prismatic";
    if (!limit) {
      if (bounded) {
        problems_.error(source(joint.element),
                        fmt::format("a {} joint needs a <limit>", joint.type),
                        joint.type == "revolute"
                            ? "add <limit lower upper effort velocity>, or make it continuous"
                            : "add <limit lower upper effort velocity>");
      }
      return;
    }
    check_strength(limit);
    if (!bounded) return;
    const double lower = position_limit(limit, "lower");
    const double upper = position_limit(limit, "upper");
    if (lower > upper) {
      problems_.error(source(limit),
                      fmt::format("lower limit {:g} is above upper limit {:g}", lower, upper),
                      "give the smaller one as lower");
    } else if (!limit.attribute("lower") && !limit.attribute("upper")) {
      problems_.warning(source(limit),
                        "lower and upper are missing and default to 0: it cannot move",
                        "give both, or make the joint continuous or fixed");
    }
  }

  /// 0 if it is not given, as URDF has it; NaN if the scan has complained about it already.
  static double position_limit(const pugi::xml_node& limit, const char* name) {
    constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
    return limit.attribute(name) ? urdf_numbers(limit, name, {not_a_number})[0] : 0.0;
  }

  void check_strength(const pugi::xml_node& limit) {
    const auto is_zero = [&limit](const char* name) {
      return limit.attribute(name) && urdf_numbers(limit, name, {1.0})[0] == 0.0;
    };
    if (is_zero("effort") && is_zero("velocity")) {
      problems_.warning(source(limit), "effort and velocity are both 0: they count as not given",
                        "give the limits of the motor; a passive joint has a velocity");
      return;
    }
    for (const char* name : {"effort", "velocity"}) {
      if (!limit.attribute(name)) {
        problems_.warning(source(limit),
                          fmt::format("{} is missing and defaults to unlimited", name),
                          fmt::format("add {}=\"...\"", name));
      } else if (is_zero(name)) {
        problems_.warning(source(limit), fmt::format("the {} limit is 0", name),
                          "give the limit of the motor, or remove it for no limit");
      }
    }
  }

  void check_mimic(const UrdfJoint& joint) {
    const pugi::xml_node mimic = joint.element.child("mimic");
    const std::string name = mimic.attribute("joint").value();
    if (name.empty()) return;
    const auto other = joints_.find(name);
    if (other == joints_.end()) {
      const std::string what = fmt::format("the joint '{}' that it follows does not exist", name);
      const std::string remedy = suggest_(
          name, [this] { return joint_names(); }, "name a joint of this robot");
      if (strict_) {
        problems_.error(source(mimic), what, remedy);
      } else {
        problems_.warning(source(mimic), what + "; it moves on its own", remedy);
      }
    } else if (other->second == &joint) {
      problems_.error(source(mimic), "the joint follows itself", "name another joint");
    } else if (!has_one_coordinate(joint) || !has_one_coordinate(*other->second)) {
      problems_.error(source(mimic),
                      "only revolute, continuous and prismatic joints can use <mimic>",
                      "remove the <mimic>");
    }
  }

  [[nodiscard]] std::vector<std::string_view> joint_names() const {
    std::vector<std::string_view> names;
    for (const UrdfJoint& joint : record_.joints) names.emplace_back(joint.name);
    return names;
  }

  /// Follows mimics from each joint; a way that comes back to itself is a cycle.
  void check_mimic_cycles() {
    std::unordered_map<const UrdfJoint*, const UrdfJoint*> seen_from;
    for (const UrdfJoint& start : record_.joints) {
      const UrdfJoint* at = &start;
      while (at != nullptr && seen_from.try_emplace(at, &start).second) at = master_of(*at);
      if (at == nullptr || seen_from.at(at) != &start || master_of(*at) == at) continue;
      report_cycle(*at);
    }
  }

  [[nodiscard]] const UrdfJoint* master_of(const UrdfJoint& joint) const {
    const std::string name = joint.element.child("mimic").attribute("joint").value();
    const auto other = joints_.find(name);
    return name.empty() || other == joints_.end() ? nullptr : other->second;
  }

  void report_cycle(const UrdfJoint& start) {
    std::string way = "'" + start.name + "'";
    const UrdfJoint* at = &start;
    do {
      at = master_of(*at);
      if (way.size() < 120) way += fmt::format(" → '{}'", at->name);
    } while (at != &start);
    problems_.error(source(start.element.child("mimic")),
                    fmt::format("the joints follow each other in a circle: {}", way),
                    "remove the <mimic> of the joint that leads");
  }

  const UrdfRecord& record_;
  const XmlFile& file_;
  bool strict_;
  ProblemList& problems_;
  Suggestions suggest_;
  std::unordered_map<std::string, const UrdfJoint*> joints_;
};

}  // namespace

void check_urdf_joints(const UrdfRecord& record, const XmlFile& file, bool strict,
                       ProblemList& problems) {
  JointCheck(record, file, strict, problems).run();
}

}  // namespace stiction
