#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "stiction/io/mjcf_scene.hpp"
#include "stiction/model/start_inertia.hpp"

namespace stiction {

namespace {

enum class GainType { fixed, affine, other };
enum class BiasType { none, affine, other };

/// What MuJoCo keeps for an actuator while its default classes and itself are read one by one.
struct Law {
  std::array<double, 10> gain{1};
  std::array<double, 10> bias{};
  GainType gain_type = GainType::fixed;
  BiasType bias_type = BiasType::none;
  std::string dynamics = "none";
  /// Of <position>, as MuJoCo keeps it: -kv, or dampratio until it is known what the actuator
  /// moves.
  double servo_damping = 0.0;
};

void apply_general(const MjcfAttributes& level, Law& law) {
  law.gain = level.overlay<10>("gainprm", law.gain);
  law.bias = level.overlay<10>("biasprm", law.bias);
  law.gain_type = level.keyword<GainType>("gaintype",
                                          {{"fixed", GainType::fixed},
                                           {"affine", GainType::affine},
                                           {"muscle", GainType::other},
                                           {"user", GainType::other}},
                                          law.gain_type);
  law.bias_type = level.keyword<BiasType>("biastype",
                                          {{"none", BiasType::none},
                                           {"affine", BiasType::affine},
                                           {"muscle", BiasType::other},
                                           {"user", BiasType::other}},
                                          law.bias_type);
  law.dynamics = level.text("dyntype", law.dynamics);
}

void apply_position(const MjcfAttributes& level, Law& law) {
  law.gain[0] = level.number_from("kp", law.gain[0], 0.0);
  if (level.has("kv") && level.has("dampratio")) {
    level.error("dampratio", "<position> has both 'kv' and 'dampratio'", "keep one of them");
  }
  // The level that is nearer wins, whichever of both it has.
  if (level.has("kv")) law.servo_damping = -level.number_from("kv", 0.0, 0.0);
  if (level.has("dampratio")) law.servo_damping = level.number_from("dampratio", 0.0, 0.0);
  law.bias = {0.0, -law.gain[0], law.servo_damping};
  law.gain_type = GainType::fixed;
  law.bias_type = BiasType::affine;
  law.dynamics = level.number("timeconst", 0.0) > 0.0 ? "filterexact" : "none";
}

/// One level after another, outermost first; each tag sets what it implies.
void apply(const MjcfAttributes& level, Law& law) {
  const std::string_view tag = level.element().name();
  if (tag == "general") {
    apply_general(level, law);
  } else if (tag == "motor") {
    law.gain[0] = 1.0;
    law.gain_type = GainType::fixed;
    law.bias_type = BiasType::none;
    law.dynamics = "none";
  } else if (tag == "position") {
    apply_position(level, law);
  } else if (tag == "velocity") {
    law.gain[0] = level.number_from("kv", law.gain[0], 0.0);
    law.bias = {0.0, 0.0, -law.gain[0]};
    law.gain_type = GainType::fixed;
    law.bias_type = BiasType::affine;
    law.dynamics = "none";
  } else if (tag == "damper") {
    law.gain = {0.0, 0.0, -level.number_from("kv", 0.0, 0.0)};
    law.gain_type = GainType::affine;
    law.bias_type = BiasType::none;
    law.dynamics = "none";
  }
}

ActuatorKind kind_of(std::string_view tag) {
  if (tag == "motor") return ActuatorKind::motor;
  if (tag == "position") return ActuatorKind::position;
  if (tag == "velocity") return ActuatorKind::velocity;
  return ActuatorKind::general;
}

/// Why Stiction cannot have this actuator; empty if it can.
std::string obstacle(const MjcfAttributes& given, const Law& law) {
  const std::string_view tag = given.element().name();
  if (tag != "general" && tag != "motor" && tag != "position" && tag != "velocity" &&
      tag != "damper") {
    return fmt::format("<{}> actuators are not used", tag);
  }
  for (const char* other : {"site", "body", "slidersite", "cranksite"}) {
    if (given.element().attribute(other)) {
      return fmt::format("actuators with transmission '{}' are not used", other);
    }
  }
  if (law.dynamics != "none") {
    return fmt::format("actuators with dynamics '{}' are not used", law.dynamics);
  }
  if (law.gain_type == GainType::other || law.bias_type == BiasType::other) {
    return "actuators with muscle or user-defined gains or biases are not used";
  }
  return {};
}

/// The joint that it drives, with an error or warning if there is none.
std::optional<int> find_joint(MjcfScene& scene, const MjcfAttributes& given) {
  const bool in_parent = given.has("jointinparent");
  if (!in_parent && !given.has("joint")) {
    given.error("the actuator has no joint to drive", "give joint=\"...\"");
    return std::nullopt;
  }
  const auto joint =
      scene.find(scene.joint_by_name, given, in_parent ? "jointinparent" : "joint", "joint");
  if (joint && in_parent && velocity_size(scene.builder.joint(*joint).kind) != 1) {
    scene.report.unused(given.source(),
                        "actuators of ball or free joints in the axes of the parent are not used",
                        Severity::warning);
    return std::nullopt;
  }
  return joint;
}

/// The range of the joint or tendon that an actuator drives; infinite where it has none.
std::array<double, 2> range_of_target(const MjcfScene& scene, const Actuator& actuator) {
  if (actuator.tendon >= 0) return scene.builder.tendon(actuator.tendon).limits;
  const JointLimits& limits = scene.builder.joint(actuator.joint).limits;
  return {limits.lower, limits.upper};
}

void set_ranges(MjcfScene& scene, const MjcfAttributes& given, Actuator& actuator) {
  const auto range = [&given](const char* name) {
    return given.exactly<2>(name).value_or(std::array<double, 2>{});
  };
  actuator.control_limited = is_limited(given, "ctrllimited", "ctrlrange", scene.compiler);
  if (actuator.control_limited) actuator.control_range = range("ctrlrange");
  actuator.force_limited = is_limited(given, "forcelimited", "forcerange", scene.compiler);
  if (actuator.force_limited) actuator.force_range = range("forcerange");

  const double inherit = given.number_from("inheritrange", 0.0, 0.0);
  if (inherit <= 0.0) return;
  const std::array<double, 2> limits = range_of_target(scene, actuator);
  if (!std::isfinite(limits[0]) || !std::isfinite(limits[1])) {
    given.error(
        "inheritrange",
        fmt::format("the {} has no range to inherit", actuator.tendon >= 0 ? "tendon" : "joint"),
        "give ctrlrange instead");
    return;
  }
  const double middle = 0.5 * (limits[0] + limits[1]);
  const double half = 0.5 * inherit * (limits[1] - limits[0]);
  actuator.control_limited = true;
  actuator.control_range = {middle - half, middle + half};
}

/// A servo whose damping is positive means the ratio to critical damping at the start, all other
/// joints held.
void damp(const MjcfScene& scene, std::optional<StartInertia>& inertias, Actuator& actuator) {
  const double kp = actuator.gain[0];
  const double ratio = actuator.bias[2];
  const double gear = actuator.gear[0];
  if (!(ratio > 0.0) || kp != -actuator.bias[1] || gear == 0.0) return;
  if (actuator.tendon >= 0 && scene.builder.tendon(actuator.tendon).kind == Tendon::Kind::spatial) {
    scene.report.unused(actuator.source,
                        "dampratio of actuators on spatial tendons is not used; give kv instead",
                        Severity::warning);
    actuator.bias[2] = 0.0;
    return;
  }
  if (!inertias) inertias.emplace(scene.builder);
  double inertia = 0.0;
  const auto add = [&](int joint, double moment) {
    if (velocity_size(scene.builder.joint(joint).kind) != 1 || moment == 0.0) return;
    inertia += inertias->about(joint) / (moment * moment);
  };
  if (actuator.tendon < 0) {
    add(actuator.joint, gear);
  } else {
    for (const Tendon::Term& term : scene.builder.tendon(actuator.tendon).terms) {
      add(term.joint, gear * term.coefficient);
    }
  }
  actuator.bias[2] = -2.0 * ratio * std::sqrt(kp * inertia);
}

void check_one_target(const MjcfAttributes& given) {
  int targets = 0;
  for (const char* name : {"joint", "jointinparent", "tendon", "site", "body", "cranksite"}) {
    targets += given.element().attribute(name) ? 1 : 0;
  }
  if (targets > 1) {
    given.error("the actuator has more than one target",
                "keep one of joint, tendon, site and body");
  }
}

/// The angle about a gear of a ball or free joint is not defined here: gains and biases that depend
/// on it do not act.
void warn_about_length(MjcfScene& scene, const MjcfAttributes& given, Actuator& actuator) {
  if (actuator.tendon >= 0 || velocity_size(scene.builder.joint(actuator.joint).kind) == 1) return;
  const bool depends = actuator.gain[1] != 0.0 || actuator.gain[2] != 0.0 ||
                       actuator.bias[1] != 0.0 || actuator.bias[2] != 0.0;
  if (!depends) return;
  scene.report.unused(given.source(),
                      "position and velocity gains of actuators on ball and free joints are not "
                      "used: only their constant force acts",
                      Severity::warning);
  for (const std::size_t k : {1, 2}) actuator.gain[k] = actuator.bias[k] = 0.0;
}

/// The builder's index, or -1 if the actuator cannot be had.
int read_actuator(MjcfScene& scene, const pugi::xml_node& node,
                  std::optional<StartInertia>& inertias) {
  const int class_index = scene.defaults.class_of(node, "class", MjcfDefaults::main_class);
  std::vector<pugi::xml_node> levels = scene.defaults.actuator_levels(class_index);
  Law law;
  for (const pugi::xml_node& level : levels) {
    apply(MjcfAttributes(scene.document, scene.report, level), law);
  }
  std::reverse(levels.begin(), levels.end());
  const MjcfAttributes given(scene.document, scene.report, node, levels);
  apply(given.only(node), law);

  const std::string reason = obstacle(given, law);
  if (!reason.empty()) {
    scene.report.unused(given.source(), reason, Severity::warning);
    return -1;
  }
  check_one_target(given);
  Actuator actuator;
  if (given.element().attribute("tendon")) {
    const auto tendon = scene.find(scene.tendon_by_name, given, "tendon", "tendon");
    if (!tendon) return -1;
    if (*tendon < 0) return -1;  // the tendon has an error
    actuator.tendon = *tendon;
  } else {
    const auto joint = find_joint(scene, given);
    if (!joint) return -1;
    actuator.joint = *joint;
  }
  actuator.source = given.source();
  if (node.attribute("name")) actuator.name = scene.full(node.attribute("name").value());
  actuator.kind = kind_of(node.name());
  actuator.gear = given.overlay<6>("gear", actuator.gear);
  const std::size_t gains = law.gain_type == GainType::affine ? 3 : 1;
  const std::size_t biases = law.bias_type == BiasType::affine ? 3 : 0;
  actuator.gain = {};
  std::copy_n(law.gain.begin(), gains, actuator.gain.begin());
  std::copy_n(law.bias.begin(), biases, actuator.bias.begin());
  damp(scene, inertias, actuator);
  warn_about_length(scene, given, actuator);
  set_ranges(scene, given, actuator);
  return scene.builder.add_actuator(std::move(actuator));
}

}  // namespace

void read_actuators(MjcfScene& scene) {
  std::optional<StartInertia> inertias;  // found once, if an actuator needs them
  for (const pugi::xml_node section : scene.document.root().children("actuator")) {
    for (const pugi::xml_node node : section.children()) {
      const int position = static_cast<int>(scene.actuators.size());
      scene.actuators.push_back(read_actuator(scene, node, inertias));
      scene.actuator_by_name.try_emplace(node.attribute("name").value(), position);
    }
  }
}

}  // namespace stiction
