#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <numbers>

#include "stiction/io/mjcf_scene.hpp"

namespace stiction {

namespace {

enum class GainType { fixed, affine, muscle, other };
enum class BiasType { none, affine, muscle, other };

/// What MuJoCo keeps for an actuator while its default classes and itself are read one by one.
struct Law {
  std::array<double, 10> gain{1};
  std::array<double, 10> bias{};
  std::array<double, 10> dynamics_values{1};
  GainType gain_type = GainType::fixed;
  BiasType bias_type = BiasType::none;
  std::string dynamics = "none";
  bool needs_activation_range = false;
  bool needs_control_range = false;
  /// Of <position>, as MuJoCo keeps it: -kv, or dampratio until it is known what the actuator
  /// moves.
  double servo_damping = 0.0;

  void set(GainType gains, BiasType biases) {
    gain_type = gains;
    bias_type = biases;
  }
};

void apply_general(const MjcfAttributes& level, Law& law) {
  law.gain = level.overlay<10>("gainprm", law.gain);
  law.bias = level.overlay<10>("biasprm", law.bias);
  law.dynamics_values = level.overlay<10>("dynprm", law.dynamics_values);
  law.gain_type = level.keyword<GainType>("gaintype",
                                          {{"fixed", GainType::fixed},
                                           {"affine", GainType::affine},
                                           {"muscle", GainType::muscle},
                                           {"user", GainType::other}},
                                          law.gain_type);
  law.bias_type = level.keyword<BiasType>("biastype",
                                          {{"none", BiasType::none},
                                           {"affine", BiasType::affine},
                                           {"muscle", BiasType::muscle},
                                           {"user", BiasType::other}},
                                          law.bias_type);
  law.dynamics = level.text("dyntype", law.dynamics);
}

void apply_position(const MjcfAttributes& level, Law& law) {
  law.gain[0] = level.number_from("kp", law.gain[0], 0.0);
  if (level.has("kv") && level.has("dampratio")) {
    level.error("dampratio",
                fmt::format("<{}> has both 'kv' and 'dampratio'", level.element().name()),
                "keep one of them");
  }
  // The level that is nearer wins, whichever of both it has.
  if (level.has("kv")) law.servo_damping = -level.number_from("kv", 0.0, 0.0);
  if (level.has("dampratio")) law.servo_damping = level.number_from("dampratio", 0.0, 0.0);
  law.bias = {0.0, -law.gain[0], law.servo_damping};
  law.set(GainType::fixed, BiasType::affine);
  if (level.has("timeconst")) {
    law.dynamics_values[0] = level.number_from("timeconst", 0.0, 0.0);
    law.dynamics = law.dynamics_values[0] > 0.0 ? "filterexact" : "none";
  }
}

void apply_cylinder(const MjcfAttributes& level, Law& law) {
  law.dynamics_values[0] = level.number_from("timeconst", law.dynamics_values[0], 0.0);
  law.gain[0] = level.number_from("area", law.gain[0], 0.0);
  if (level.has("diameter")) {
    const double diameter = level.number_from("diameter", 0.0, 0.0);
    law.gain[0] = 0.25 * std::numbers::pi * diameter * diameter;
  }
  const auto bias = level.overlay<3>("bias", {law.bias[0], law.bias[1], law.bias[2]});
  std::copy(bias.begin(), bias.end(), law.bias.begin());
  law.set(GainType::fixed, BiasType::affine);
  law.dynamics = "filter";
}

/// Numbers that nobody has set yet get those of a muscle.
void apply_muscle(const MjcfAttributes& level, Law& law) {
  const auto start = [](double& value, double unset, double wished) {
    if (value == unset) value = wished;
  };
  const MuscleCurve usual;
  start(law.dynamics_values[0], 1.0, 0.01);
  start(law.dynamics_values[1], 0.0, 0.04);
  const double curve[] = {usual.range[0], usual.range[1], usual.peak_force,
                          usual.scale,    usual.shortest, usual.longest,
                          usual.speed,    usual.passive,  usual.stretch};
  for (std::size_t i = 0; i < std::size(curve); ++i) {
    start(law.gain[i], i == 0 ? 1.0 : 0.0, curve[i]);
  }
  const auto times =
      level.overlay<2>("timeconst", {law.dynamics_values[0], law.dynamics_values[1]});
  std::copy(times.begin(), times.end(), law.dynamics_values.begin());
  law.dynamics_values[2] = level.number_from("tausmooth", law.dynamics_values[2], 0.0);
  const auto range = level.overlay<2>("range", {law.gain[0], law.gain[1]});
  std::copy(range.begin(), range.end(), law.gain.begin());
  const char* words[] = {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
  for (std::size_t i = 0; i < std::size(words); ++i) {
    law.gain[2 + i] = level.number(words[i], law.gain[2 + i]);
  }
  law.bias = law.gain;
  law.set(GainType::muscle, BiasType::muscle);
  law.dynamics = "muscle";
}

/// One level after another, outermost first; each tag sets what it implies.
void apply(const MjcfAttributes& level, Law& law) {
  const std::string_view tag = level.element().name();
  if (tag == "general") {
    apply_general(level, law);
  } else if (tag == "motor") {
    law.gain[0] = 1.0;
    law.set(GainType::fixed, BiasType::none);
    law.dynamics = "none";
  } else if (tag == "position") {
    apply_position(level, law);
  } else if (tag == "intvelocity") {
    apply_position(level, law);
    law.dynamics = "integrator";
    law.needs_activation_range = true;
  } else if (tag == "velocity") {
    law.gain[0] = level.number_from("kv", law.gain[0], 0.0);
    law.bias = {0.0, 0.0, -law.gain[0]};
    law.set(GainType::fixed, BiasType::affine);
    law.dynamics = "none";
  } else if (tag == "damper") {
    law.gain = {0.0, 0.0, -level.number_from("kv", 0.0, 0.0)};
    law.set(GainType::affine, BiasType::none);
    law.dynamics = "none";
    law.needs_control_range = true;
  } else if (tag == "cylinder") {
    apply_cylinder(level, law);
  } else if (tag == "muscle") {
    apply_muscle(level, law);
  } else if (tag == "adhesion") {
    law.gain[0] = level.number_from("gain", law.gain[0], 0.0);
    law.set(GainType::fixed, BiasType::none);
    law.needs_control_range = true;
  }
}

constexpr std::string_view pid_plugin = "mujoco.pid";

/// Where the settings of an actuator's plugin are: in an instance of <extension>, or in itself.
/// Empty if the plugin is not MuJoCo's PID controller, or, with an error, if there is no such
/// instance.
pugi::xml_node pid_settings(const MjcfScene& scene, const MjcfAttributes& given) {
  const pugi::xml_node& node = given.element();
  if (std::string_view(node.name()) != "plugin") return {};
  const std::string_view wanted = node.attribute("instance").value();
  const bool is_pid = node.attribute("plugin").value() == pid_plugin;
  if (wanted.empty()) return is_pid ? node : pugi::xml_node();
  for (const pugi::xml_node section : scene.document.root().children("extension")) {
    for (const pugi::xml_node plugin : section.children("plugin")) {
      for (const pugi::xml_node instance : plugin.children("instance")) {
        if (instance.attribute("name").value() != wanted) continue;
        return plugin.attribute("plugin").value() == pid_plugin ? instance : pugi::xml_node();
      }
    }
  }
  given.error("instance",
              fmt::format("there is no instance '{}' of a plugin in <extension>", wanted),
              "name an instance of <extension>");
  return {};
}

/// A position servo with the gains of a PID controller. Its integral and the limit of its rate are
/// not there.
void apply_pid(const MjcfAttributes& given, const pugi::xml_node& settings, Law& law) {
  double kp = 0.0;
  double kd = 0.0;
  bool has_more = false;
  for (const pugi::xml_node config : settings.children("config")) {
    const std::string_view key = config.attribute("key").value();
    char* end = nullptr;
    const char* text = config.attribute("value").value();
    const double value = std::strtod(text, &end);
    if (end == text || *end != '\0' || !std::isfinite(value) || value < 0.0) {
      given.error(fmt::format("'{}' of its plugin is '{}'", key, text), "give a number from 0 up");
      return;
    }
    if (key == "kp") kp = value;
    if (key == "kd") kd = value;
    has_more = has_more || (key != "kp" && key != "kd" && value != 0.0);
  }
  if (has_more) {
    given.report().unused(given.source(),
                          "ki, imax and slewmax of mujoco.pid are not used: the actuator is a "
                          "position servo with its kp and kd",
                          Severity::warning);
  }
  law.gain[0] = kp;
  law.bias = {0.0, -kp, -kd};
  law.set(GainType::fixed, BiasType::affine);
  law.dynamics = "none";
}

ActuatorKind kind_of(std::string_view tag) {
  if (tag == "motor") return ActuatorKind::motor;
  if (tag == "position") return ActuatorKind::position;
  if (tag == "velocity") return ActuatorKind::velocity;
  return ActuatorKind::general;
}

/// Why Stiction cannot have this actuator; empty if it can.
std::string obstacle(const MjcfAttributes& given, const Law& law, bool is_pid) {
  const std::string_view tag = given.element().name();
  if (is_pid) return {};
  for (const char* known : {"general", "motor", "position", "intvelocity", "velocity", "damper",
                            "cylinder", "muscle", "adhesion"}) {
    if (tag != known) continue;
    if (law.gain_type == GainType::other || law.bias_type == BiasType::other ||
        law.dynamics == "user") {
      return "actuators with user-defined gains, biases or dynamics are not used";
    }
    return {};
  }
  return fmt::format("<{}> actuators are not used", tag);
}

std::optional<ActuatorDynamics> dynamics_of(const MjcfAttributes& given, const std::string& word) {
  const std::pair<const char*, ActuatorDynamics> words[] = {
      {"none", ActuatorDynamics::none},
      {"integrator", ActuatorDynamics::integrator},
      {"filter", ActuatorDynamics::filter},
      {"filterexact", ActuatorDynamics::filter_exact},
      {"muscle", ActuatorDynamics::muscle}};
  std::vector<std::string_view> known;
  for (const auto& [name, dynamics] : words) {
    if (word == name) return dynamics;
    known.emplace_back(name);
  }
  given.error("dyntype", fmt::format("'dyntype' is '{}'", word),
              given.report().suggestion(word, known,
                                        "give none, integrator, filter, filterexact or muscle"));
  return std::nullopt;
}

MuscleCurve curve_of(const std::array<double, 10>& values) {
  return {{values[0], values[1]},
          values[2],
          values[3],
          values[4],
          values[5],
          values[6],
          values[7],
          values[8]};
}

/// Exactly one of what an actuator can act on.
bool has_one_target(const MjcfAttributes& given) {
  int targets = 0;
  for (const char* name : {"joint", "jointinparent", "tendon", "site", "cranksite", "body"}) {
    targets += given.element().attribute(name) ? 1 : 0;
  }
  if (targets > 1) {
    given.error("the actuator has more than one target",
                "keep one of joint, tendon, site, cranksite and body");
  } else if (targets == 0) {
    const bool adhesion = std::string_view(given.element().name()) == "adhesion";
    given.error("the actuator has no joint, tendon, site or body to act on",
                adhesion ? "give body=\"...\"" : "give joint=\"...\"");
  }
  return targets == 1;
}

bool find_sites(MjcfScene& scene, const MjcfAttributes& given, const char* first,
                const char* second, bool needs_second, Actuator& actuator) {
  const auto frame = scene.find(scene.site_by_name, given, first, "site");
  if (!frame) return false;
  actuator.frame = *frame;
  if (!needs_second && !given.has(second)) return true;
  const auto reference = scene.find(scene.site_by_name, given, second, "site");
  if (!reference) return false;
  actuator.reference = *reference;
  return true;
}

/// What the actuator acts on; false, with an error or a warning, if that cannot be had. `shapes`
/// are those of the body whose contacts it pulls together.
bool find_target(MjcfScene& scene, const MjcfAttributes& given, Actuator& actuator,
                 std::vector<std::pair<int, int>>& shapes) {
  const pugi::xml_node& element = given.element();
  if (!has_one_target(given)) return false;
  if (element.attribute("body")) {
    const auto body = scene.find(scene.body_by_name, given, "body", "body");
    if (!body) return false;
    actuator.adheres = true;
    scene.add_shapes_of(*body, shapes);
    return true;
  }
  if (element.attribute("tendon")) {
    const auto tendon = scene.find(scene.tendon_by_name, given, "tendon", "tendon");
    if (!tendon || *tendon < 0) return false;  // the tendon has an error
    actuator.tendon = *tendon;
    return true;
  }
  if (element.attribute("site")) {
    return find_sites(scene, given, "site", "refsite", false, actuator);
  }
  if (element.attribute("cranksite")) {
    actuator.rod = given.number_from("cranklength", 0.0, 0.0);
    if (actuator.rod == 0.0) {
      given.error("the crank has no length", "give cranklength=\"...\" in metres");
      return false;
    }
    return find_sites(scene, given, "cranksite", "slidersite", true, actuator);
  }
  actuator.in_parent = static_cast<bool>(element.attribute("jointinparent"));
  const auto joint = scene.find(scene.joint_by_name, given,
                                actuator.in_parent ? "jointinparent" : "joint", "joint");
  if (joint) actuator.joint = *joint;
  return joint.has_value();
}

/// What the actuator acts on, by its name in the file.
std::string target_name(const pugi::xml_node& node) {
  for (const char* name : {"joint", "jointinparent", "tendon", "site", "cranksite", "body"}) {
    if (node.attribute(name)) return node.attribute(name).value();
  }
  return "actuator";
}

/// The range of the joint or tendon that an actuator drives; infinite where it has none.
std::array<double, 2> range_of_target(const MjcfScene& scene, const Actuator& actuator) {
  if (actuator.tendon >= 0) return scene.builder.tendon(actuator.tendon).limits;
  const JointLimits none;
  const JointLimits& limits =
      actuator.joint >= 0 ? scene.builder.joint(actuator.joint).limits : none;
  return {limits.lower, limits.upper};
}

/// `inheritrange`: as much of that range around its middle.
std::optional<std::array<double, 2>> inherited_range(const MjcfScene& scene,
                                                     const MjcfAttributes& given,
                                                     const Actuator& actuator) {
  const double inherit = given.number_from("inheritrange", 0.0, 0.0);
  if (inherit <= 0.0) return std::nullopt;
  const std::array<double, 2> limits = range_of_target(scene, actuator);
  if (!std::isfinite(limits[0]) || !std::isfinite(limits[1])) {
    given.error("inheritrange",
                fmt::format("the {} has no range to inherit", actuator.tendon >= 0  ? "tendon"
                                                              : actuator.joint >= 0 ? "joint"
                                                                                    : "site"),
                "give ctrlrange instead");
    return std::nullopt;
  }
  const double middle = 0.5 * (limits[0] + limits[1]);
  const double half = 0.5 * inherit * (limits[1] - limits[0]);
  return std::array<double, 2>{middle - half, middle + half};
}

void set_ranges(MjcfScene& scene, const MjcfAttributes& given, const Law& law, Actuator& actuator) {
  const auto read = [&](const char* flag, const char* name, bool& limited,
                        std::array<double, 2>& range) {
    limited = is_limited(given, flag, name, scene.compiler);
    if (limited) range = given.exactly<2>(name).value_or(std::array<double, 2>{});
  };
  read("ctrllimited", "ctrlrange", actuator.control_limited, actuator.control_range);
  read("forcelimited", "forcerange", actuator.force_limited, actuator.force_range);
  read("actlimited", "actrange", actuator.activation_limited, actuator.activation_range);
  if (const auto range = inherited_range(scene, given, actuator)) {
    (law.needs_activation_range ? actuator.activation_limited : actuator.control_limited) = true;
    (law.needs_activation_range ? actuator.activation_range : actuator.control_range) = *range;
  }
  if (law.needs_activation_range && !actuator.activation_limited) {
    given.error("<intvelocity> has no range of its integrated target",
                "give actrange=\"lower upper\" or inheritrange");
  }
  if (law.needs_control_range && (!actuator.control_limited || actuator.control_range[0] < 0.0)) {
    given.error(
        fmt::format("<{}> has no range of controls that are not negative", given.element().name()),
        "give ctrlrange=\"0 upper\"");
  }
  if (!scene.option.clamp_control) actuator.control_limited = false;
}

void set_law(const MjcfAttributes& given, const Law& law, Actuator& actuator) {
  const std::size_t gains = law.gain_type == GainType::affine ? 3 : 1;
  const std::size_t biases = law.bias_type == BiasType::affine ? 3 : 0;
  actuator.gain = {};
  std::copy_n(law.gain.begin(), gains, actuator.gain.begin());
  std::copy_n(law.bias.begin(), biases, actuator.bias.begin());
  if (law.gain_type == GainType::muscle) actuator.muscle_gain = curve_of(law.gain);
  if (law.bias_type == BiasType::muscle) actuator.muscle_bias = curve_of(law.bias);
  actuator.dynamics = dynamics_of(given, law.dynamics).value_or(ActuatorDynamics::none);
  std::copy_n(law.dynamics_values.begin(), 3, actuator.dynamics_values.begin());
  actuator.early = given.flag("actearly", false);
  const bool of_plugin = std::string_view(given.element().name()) == "plugin";  // that is not there
  if (!of_plugin && given.has("actdim") && given.integer("actdim", -1) > 1) {
    given.error("actdim", "an actuator here has at most one activation", "remove actdim");
  }
}

/// The builder's index, or -1 if the actuator cannot be had.
int read_actuator(MjcfScene& scene, const pugi::xml_node& node) {
  const int class_index = scene.defaults.class_of(node, "class", MjcfDefaults::main_class);
  std::vector<pugi::xml_node> levels = scene.defaults.actuator_levels(class_index);
  Law law;
  for (const pugi::xml_node& level : levels) {
    apply(MjcfAttributes(scene.document, scene.report, level), law);
  }
  law.needs_activation_range = law.needs_control_range = false;  // of the element's own tag alone
  std::reverse(levels.begin(), levels.end());
  const MjcfAttributes given(scene.document, scene.report, node, levels);
  apply(given.only(node), law);

  const pugi::xml_node pid = pid_settings(scene, given);
  if (pid) apply_pid(given, pid, law);
  const std::string reason = obstacle(given, law, static_cast<bool>(pid));
  if (!reason.empty()) {
    scene.report.unused(given.source(), reason, Severity::warning);
    return -1;
  }
  Actuator actuator;
  std::vector<std::pair<int, int>> shapes;
  if (!find_target(scene, given, actuator, shapes)) return -1;
  actuator.source = given.source();
  actuator.name =
      scene.full(node.attribute("name") ? node.attribute("name").value()
                                        : scene.names.make("actuator", target_name(node)));
  actuator.kind = kind_of(node.name());
  actuator.gear = given.overlay<6>("gear", actuator.gear);
  actuator.enabled =
      scene.option.actuation && !scene.option.disabled_groups.contains(given.integer("group", 0));
  set_law(given, law, actuator);
  set_ranges(scene, given, law, actuator);
  actuator.length_range = given.exactly<2>("lengthrange").value_or(actuator.length_range);
  return actuator.adheres ? scene.builder.add_adhesion(std::move(actuator), std::move(shapes))
                          : scene.builder.add_actuator(std::move(actuator));
}

}  // namespace

void read_actuators(MjcfScene& scene) {
  for (const pugi::xml_node section : scene.document.root().children("extension")) {
    for (const pugi::xml_node plugin : section.children("plugin")) {
      if (plugin.attribute("plugin").value() == pid_plugin) continue;
      scene.report.unused(scene.document.source(plugin),
                          "plugins other than mujoco.pid are not used", Severity::warning);
    }
  }
  for (const pugi::xml_node section : scene.document.root().children("actuator")) {
    for (const pugi::xml_node node : section.children()) {
      const int position = static_cast<int>(scene.actuators.size());
      scene.actuators.push_back(read_actuator(scene, node));
      scene.actuator_by_name.try_emplace(node.attribute("name").value(), position);
    }
  }
}

}  // namespace stiction
