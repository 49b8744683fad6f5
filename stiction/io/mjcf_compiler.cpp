#include "stiction/io/mjcf_compiler.hpp"

#include <cmath>
#include <fmt/format.h>

#include "stiction/model/time_step.hpp"

namespace stiction {

namespace {

constexpr double degree = 3.14159265358979323846 / 180.0;

/// The elements of one tag below the root, the last first, so that it wins.
MjcfAttributes all_of(const MjcfDocument& document, MjcfReport& report, const char* tag) {
  std::vector<pugi::xml_node> found;
  for (const pugi::xml_node node : document.root().children(tag)) found.insert(found.begin(), node);
  if (found.empty()) return {document, report, document.root()};
  const pugi::xml_node last = found.front();
  found.erase(found.begin());
  return {document, report, last, found};
}

std::string read_euler_sequence(const MjcfAttributes& compiler) {
  const std::string sequence = compiler.text("eulerseq", "xyz");
  if (sequence.size() == 3 && sequence.find_first_not_of("xyzXYZ") == std::string::npos) {
    return sequence;
  }
  compiler.error("eulerseq", fmt::format("attribute 'eulerseq' is '{}'", sequence),
                 "give three letters of x, y, z (rotating axes) or X, Y, Z (fixed axes)");
  return "xyz";
}

}  // namespace

MjcfCompiler read_compiler(const MjcfDocument& document, MjcfReport& report) {
  using Inertia = MjcfCompiler::InertiaFromGeom;
  const MjcfAttributes given = all_of(document, report, "compiler");
  MjcfCompiler result;
  result.angle_unit = given.keyword<double>("angle", {{"degree", degree}, {"radian", 1.0}}, degree);
  result.euler_sequence = read_euler_sequence(given);
  result.mesh_folder = given.text("meshdir", given.text("assetdir"));
  result.texture_folder = given.text("texturedir", given.text("assetdir"));
  result.strip_path = given.flag("strippath", false);
  result.autolimits = given.flag("autolimits", true);
  result.autolimits_given = given.has("autolimits");
  result.inertia_from_geom = given.keyword<Inertia>(
      "inertiafromgeom",
      {{"auto", Inertia::automatic}, {"true", Inertia::always}, {"false", Inertia::never}},
      Inertia::automatic);
  result.inertia_groups = given.exactly<2>("inertiagrouprange").value_or(result.inertia_groups);
  result.total_mass = given.number("settotalmass", -1.0);
  result.least_mass = given.number_from("boundmass", 0.0, 0.0);
  result.least_inertia = given.number_from("boundinertia", 0.0, 0.0);
  result.balance_inertia = given.flag("balanceinertia", false);
  result.exact_meshes = given.flag("exactmeshinertia", false);
  // The reader of bodies looks at it; here it is only checked.
  (void)given.keyword<bool>("coordinate", {{"local", false}, {"global", true}}, false);
  result.fit_to_bounds = given.flag("fitaabb", false);
  result.discard_visual = given.flag("discardvisual", false);
  if (given.flag("fusestatic", false)) {
    report.unused(given.source(), "fusestatic has no effect: static bodies are always merged");
  }
  return result;
}

MjcfCompilers::MjcfCompilers(const MjcfDocument& document, MjcfReport& report)
    : document_(document) {
  for (const MjcfPart& part : document.parts()) {
    if (!settings_.contains(part.document)) {
      settings_[part.document] = read_compiler(*part.document, report);
    }
  }
}

namespace {

void read_flags(const MjcfAttributes& flags, MjcfOption& option) {
  if (!flags.flag("gravity", true)) option.gravity.setZero();
  option.filter_parent = flags.flag("filterparent", option.filter_parent);
  option.contacts = flags.flag("contact", option.contacts);
  option.clamp_control = flags.flag("clampctrl", option.clamp_control);
  option.actuation = flags.flag("actuation", option.actuation);
  option.equalities = flags.flag("equality", option.equalities);
  option.limits = flags.flag("limit", option.limits);
  option.joint_friction = flags.flag("frictionloss", option.joint_friction);
  option.springs = flags.flag("spring", option.springs);
  option.dampers = flags.flag("damper", option.dampers);
  if (!flags.flag("passive", true)) option.springs = option.dampers = false;
  if (!flags.flag("constraint", true)) {
    option.contacts = option.equalities = option.limits = option.joint_friction = false;
  }
}

}  // namespace

MjcfOption read_option(const MjcfDocument& document, MjcfReport& report) {
  const MjcfAttributes given = all_of(document, report, "option");
  MjcfOption result;
  result.time_step = given.number("timestep", result.time_step);
  if (!(result.time_step >= shortest_time_step && result.time_step <= longest_time_step)) {
    given.error("timestep", fmt::format("the time step is {:g} s", result.time_step),
                fmt::format("give {:g} to {:g} seconds, such as 0.001", shortest_time_step,
                            longest_time_step));
    result.time_step = 0.001;
  }
  if (const auto gravity = given.exactly<3>("gravity")) result.gravity = to_vector(*gravity);
  result.density = given.number_from("density", 0.0, 0.0);
  result.viscosity = given.number_from("viscosity", 0.0, 0.0);
  if (const auto wind = given.exactly<3>("wind")) result.wind = to_vector(*wind);
  for (const double group : given.list("actuatorgroupdisable")) {
    result.disabled_groups.insert(static_cast<int>(std::clamp(group, -1.0, 31.0)));
  }
  for (const pugi::xml_node option : document.root().children("option")) {
    for (const pugi::xml_node node : option.children("flag")) {
      read_flags(MjcfAttributes(document, report, node), result);
    }
  }
  if (given.text("integrator") == "RK4") {
    report.note(
        given.source(),
        "the integrator RK4 is not used: it stands for accuracy in free motion, where ours is of "
        "second order; for fourth order, simulate with --integrator rk4");
  }
  // MuJoCo has no switch of its own for the other passive forces: they go with these two.
  if (!result.springs && !result.dampers) {
    result.gravity_compensation = false;
    result.density = result.viscosity = 0.0;
  }
  return result;
}

Eigen::Isometry3d make_pose(const Eigen::Vector3d& position, const Eigen::Quaterniond& rotation) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = rotation.toRotationMatrix();
  pose.translation() = position;
  return pose;
}

Eigen::Quaterniond from_quat_wxyz(const std::array<double, 4>& wxyz, const char* attribute,
                                  const MjcfAttributes& attributes) {
  const Eigen::Quaterniond quaternion(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
  if (quaternion.norm() > 1e-10) return quaternion.normalized();
  attributes.error(attribute, fmt::format("the quaternion of '{}' is zero", attribute),
                   "give one of unit length, w first, such as 1 0 0 0");
  return Eigen::Quaterniond::Identity();
}

Eigen::Quaterniond from_euler(const std::array<double, 3>& angles, const MjcfCompiler& compiler) {
  Eigen::Quaterniond result = Eigen::Quaterniond::Identity();
  for (std::size_t i = 0; i < 3; ++i) {
    const char letter = compiler.euler_sequence[i];
    const bool turning_axes = letter >= 'x';
    const int axis = turning_axes ? letter - 'x' : letter - 'X';
    const Eigen::Quaterniond turn(
        Eigen::AngleAxisd(angles[i] * compiler.angle_unit, Eigen::Vector3d::Unit(axis)));
    result = turning_axes ? result * turn : turn * result;
  }
  return result;
}

Eigen::Quaterniond turn_z_to(const Eigen::Vector3d& direction) {
  const Eigen::Vector3d wished = direction.normalized();
  const Eigen::Vector3d cross = Eigen::Vector3d::UnitZ().cross(wished);
  const double sine = cross.norm();
  const Eigen::Vector3d axis =
      sine > 1e-10 ? Eigen::Vector3d(cross / sine) : Eigen::Vector3d::UnitX();
  return Eigen::Quaterniond(Eigen::AngleAxisd(std::atan2(sine, wished.z()), axis));
}

namespace {

Eigen::Quaterniond from_axis_angle(const std::array<double, 4>& values,
                                   const MjcfAttributes& attributes, double angle_unit) {
  const Eigen::Vector3d axis(values[0], values[1], values[2]);
  if (axis.norm() > 1e-10) {
    return Eigen::Quaterniond(Eigen::AngleAxisd(values[3] * angle_unit, axis.normalized()));
  }
  attributes.error("axisangle", "the axis of 'axisangle' has zero length",
                   "give x y z of a direction, then the angle");
  return Eigen::Quaterniond::Identity();
}

Eigen::Quaterniond from_xy_axes(const std::array<double, 6>& values,
                                const MjcfAttributes& attributes) {
  Eigen::Vector3d x(values[0], values[1], values[2]);
  Eigen::Vector3d y(values[3], values[4], values[5]);
  if (x.norm() > 1e-10) {
    x.normalize();
    y -= x.dot(y) * x;
  }
  if (x.norm() < 0.5 || y.norm() < 1e-10) {
    attributes.error("xyaxes", "the axes of 'xyaxes' are parallel or have zero length",
                     "give two directions at right angles");
    return Eigen::Quaterniond::Identity();
  }
  Eigen::Matrix3d rotation;
  rotation << x, y.normalized(), x.cross(y.normalized());
  return Eigen::Quaterniond(rotation);
}

/// The orientation of one level, other than by quat.
std::optional<Eigen::Quaterniond> alternative(const MjcfAttributes& level,
                                              const MjcfCompiler& compiler) {
  if (const auto v = level.exactly<4>("axisangle")) {
    return from_axis_angle(*v, level, compiler.angle_unit);
  }
  if (const auto v = level.exactly<3>("euler")) return from_euler(*v, compiler);
  if (const auto v = level.exactly<6>("xyaxes")) return from_xy_axes(*v, level);
  if (const auto v = level.exactly<3>("zaxis")) {
    if (to_vector(*v).norm() > 1e-10) return turn_z_to(to_vector(*v));
    level.error("zaxis", "the direction of 'zaxis' has zero length", "give a direction");
  }
  return std::nullopt;
}

void check_single_form(const pugi::xml_node& node, const MjcfAttributes& attributes) {
  int forms = 0;
  for (const char* form : {"quat", "axisangle", "euler", "xyaxes", "zaxis"}) {
    if (node.attribute(form)) ++forms;
  }
  if (forms > 1) {
    attributes.error("the orientation is given in more than one form", "keep one of them");
  }
}

}  // namespace

Eigen::Quaterniond read_orientation(const MjcfAttributes& attributes,
                                    const MjcfCompiler& compiler) {
  // As in MuJoCo, the other forms win over quat, even where they come from a default.
  for (const pugi::xml_node& node : attributes.levels()) {
    const MjcfAttributes level = attributes.only(node);
    check_single_form(node, level);
    if (const auto found = alternative(level, compiler)) {
      if (node != attributes.element() && attributes.element().attribute("quat")) {
        attributes.report().warning(
            attributes.source(),
            "its quat is overridden by another form of orientation in its default",
            "give the orientation in the form that the default uses");
      }
      return *found;
    }
  }
  const auto quat = attributes.exactly<4>("quat");
  return quat ? from_quat_wxyz(*quat, "quat", attributes) : Eigen::Quaterniond::Identity();
}

Eigen::Isometry3d read_pose(const MjcfAttributes& attributes, const MjcfCompiler& compiler) {
  const auto position = attributes.exactly<3>("pos").value_or(std::array<double, 3>{});
  return make_pose(to_vector(position), read_orientation(attributes, compiler));
}

bool is_limited(const MjcfAttributes& attributes, const char* flag, const char* range,
                const MjcfCompiler& compiler) {
  const TriState wish = attributes.tri_state(flag);
  const auto given = attributes.exactly<2>(range);
  const bool ordered = given && (*given)[0] < (*given)[1];
  if (wish == TriState::no) return false;
  if (wish == TriState::yes) {
    if (!attributes.has(range) || (given && !ordered)) {
      attributes.error(attributes.has(range) ? range : flag,
                       fmt::format("'{}' is true, but '{}' is not a valid range", flag, range),
                       fmt::format("give {}=\"lower upper\"", range));
    }
    return ordered;
  }
  if (!given || ((*given)[0] == 0.0 && (*given)[1] == 0.0)) return false;
  if (!compiler.autolimits) {
    attributes.error(range,
                     fmt::format("'{}' is given without '{}', and autolimits is off", range, flag),
                     fmt::format("add {}=\"true\" or \"false\"", flag));
    return false;
  }
  if (!ordered) {
    attributes.error(range, fmt::format("'{}' is reversed", range), "give the lower limit first");
  }
  if (ordered && !compiler.autolimits_given) {
    attributes.report().unused(
        attributes.source(),
        fmt::format("'{}' without '{}' acts as a limit, as if autolimits were true", range, flag));
  }
  return ordered;
}

}  // namespace stiction
