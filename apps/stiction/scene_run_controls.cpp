#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/scene_run.hpp"
#include "apps/stiction/scene_run_drives.hpp"
#include "apps/stiction/scene_run_follow.hpp"
#include "apps/stiction/scene_run_gains.hpp"
#include "apps/stiction/scene_run_policy.hpp"
#include "apps/stiction/scene_run_pose.hpp"
#include "stiction/core/index.hpp"
#include "stiction/core/mixer.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/tendons.hpp"
#include "stiction/io/near_words.hpp"

namespace stiction {

namespace {

constexpr double draw_interval = 0.2;     // [s] between two sets of random targets
constexpr double random_angle = 0.3;      // [rad] at most from the pose
constexpr double random_distance = 0.05;  // [m] the same for joints that slide
constexpr double random_share = 0.1;      // of a control's range, where there are no joints
/// Of time comparisons: state times are sums of steps, and 0.3 is not three times 0.1.
constexpr double time_slack = 1e-9;  // [s]

std::vector<std::string_view> known_kinds() { return {"zero", "constant", "pd", "random"}; }
constexpr std::string_view policy_prefix = "policy:";

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  ProblemList problems;
  problems.error({}, what, remedy);
  throw InputError(std::move(problems));
}

/// Whether a robot with joints stands free in the scene.
bool has_free_robot(const Model& model) {
  for (const Joint& joint : model.joints()) {
    if (!can_be_held(joint)) continue;
    int root = joint.body;
    while (model.parent(root) != world_body) root = model.parent(root);
    if (model.joint(root).kind == JointKind::floating) return true;
  }
  return false;
}

/// A push that was read.
struct Push {
  ExternalForce force;
  double start = 0.0;  ///< [s]
  double end = 0.0;    ///< [s]
};

int body_of_push(const Model& model, const std::string& name) {
  if (const std::optional<int> body = model.find_body(name)) return *body;
  std::vector<std::string_view> known;
  for (int i = 0; i < model.body_count(); ++i) known.push_back(model.body_name(i));
  constexpr std::size_t named = 12;
  const bool many = known.size() > named;
  const std::vector<std::string_view> some(known.begin(),
                                           known.begin() + std::min(known.size(), named));
  const std::string all = fmt::format("choose from {}{}", fmt::join(some, ", "), many ? ", …" : "");
  refuse(fmt::format("--push: there is no body '{}'", name), suggestion(name, known, all));
}

/// BODY:FX,FY,FZ:START:DURATION; the body's name may itself have colons. Empty: what is wrong.
std::optional<std::array<std::string, 4>> push_parts(const std::string& text) {
  std::array<std::string, 4> parts;
  std::string rest = text;
  for (std::size_t i = 3; i > 0; --i) {
    const std::size_t colon = rest.rfind(':');
    if (colon == std::string::npos) return std::nullopt;
    parts[i] = rest.substr(colon + 1);
    rest.resize(colon);
  }
  parts[0] = rest;
  return parts;
}

std::string check_push(const std::string& text) {
  const std::string form = "give BODY:FX,FY,FZ:START:DURATION, such as base:0,60,0:1:0.1";
  const auto parts = push_parts(text);
  if (!parts || (*parts)[0].empty()) return fmt::format("'{}' is not a valid push; {}", text, form);
  const std::vector<std::string> force = split((*parts)[1]);
  const bool numbers = std::ranges::all_of(
      force, [](const std::string& number) { return parse_number(number).has_value(); });
  if (force.size() != 3 || !numbers) {
    return fmt::format("'{}' is not a force of three numbers [N]; {}", (*parts)[1], form);
  }
  for (const std::string& time : {(*parts)[2], (*parts)[3]}) {
    if (const std::string fault = check_not_negative(time); !fault.empty()) {
      return fmt::format("{}; {}", fault, form);
    }
  }
  return {};
}

Push parse_push(const std::string& text, const Model& model) {
  if (const std::string fault = check_push(text); !fault.empty()) refuse("--push: " + fault, "");
  const std::array<std::string, 4> parts = *push_parts(text);
  const std::vector<std::string> force = split(parts[1]);
  Push push;
  push.force.body = body_of_push(model, parts[0]);
  push.force.force << *parse_number(force[0]), *parse_number(force[1]), *parse_number(force[2]);
  push.force.point = model.body_inertia(push.force.body).center_of_mass;
  push.start = *parse_number(parts[2]);
  push.end = push.start + *parse_number(parts[3]);
  return push;
}

std::string check_kind(const std::string& word) {
  if (word.starts_with(policy_prefix)) return {};
  if (is_drive(word)) return check_drive(word);
  std::vector<std::string_view> known = known_kinds();
  known.insert(known.end(), {"policy:FILE", "table:FILE.csv", "sine:NAME,AMPLITUDE,FREQUENCY"});
  return check_word("control", word, known);
}

std::string check_finite(const std::string& text) {
  return parse_number(text) ? "" : fmt::format("'{}' is not a finite number", text);
}

}  // namespace

void ControlArguments::add_to(CLI::App& command) {
  command
      .add_option(
          "--control", kinds,
          "Control of the joints: zero, constant (--values), pd (hold a pose), random "
          "(random targets around the pose) or policy:FILE (learnt, --command); default: "
          "constant if the keyframe has controls, else pd for a robot with a floating base, "
          "else zero. On top of it, any number of table:FILE.csv (time and names of actuators or "
          "joints in its first line) and sine:NAME,AMPLITUDE,FREQUENCY")
      ->type_name("KIND")
      ->allow_extra_args(false)
      ->check(check_kind);
  command
      .add_option("--command", this->command,
                  "Of a policy: velocity forward and to the left [m/s], and turning [rad/s]")
      ->type_name("X,Y,TURN")
      ->delimiter(',')
      ->expected(3)
      ->check(check_finite);
  command
      .add_option("--ctrl", controls,
                  "Control of single actuators, such as grip=255,wrist=0.1; the others keep theirs")
      ->type_name("NAME=VALUE[,...]")
      ->allow_extra_args(false);
  command
      .add_option("--values", values,
                  "Values of --control constant: one per actuator, or one for all (default: from "
                  "the keyframe)")
      ->type_name("NUMBER[,NUMBER...]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(check_finite);
  command.add_option("--kp", stiffness, "kp of pd and random (default: computed from the weight)")
      ->type_name("NUMBER")
      ->check(check_positive);
  command.add_option("--kd", damping, "kd of pd and random (default: critical damping)")
      ->type_name("NUMBER")
      ->check(check_positive);
  command
      .add_option(
          "--push", pushes,
          "Push a body at its centre of mass: force [N], start [s], duration [s]; can be repeated")
      ->type_name("BODY:FX,FY,FZ:START:DURATION")
      ->allow_extra_args(false)
      ->check(check_push);
  command.add_option("--seed", seed, "Seed of the random controls (default 1)")
      ->type_name("NUMBER")
      ->check(check_seed);
}

/// What acts when, worked out once.
struct Controls::Plan {
  /// A random target: of a servo, or of a position actuator.
  struct Target {
    int slot = 0;  ///< index into servos or control
    bool servo = false;
    double center = 0.0;
    double spread = 0.0;
    double lower = 0.0;
    double upper = 0.0;
    double gear = 1.0;  ///< of the actuator
  };

  std::string kind;
  std::string pose;                  ///< name of the keyframe, for the description
  std::vector<std::string> singles;  ///< as `--ctrl` gives them, for the description
  Eigen::VectorXd control;
  std::vector<JointServo> servos;
  std::vector<Target> targets;  ///< of `random`; empty otherwise
  std::vector<Push> pushes;
  std::shared_ptr<PolicyControl> policy;  ///< of `policy:FILE`, else null
  Drives drives;
  std::uint64_t seed = 1;

  void hold_joints(const ControlArguments& arguments, const Model& model, const State& at);
  void vary_controls(const Model& model);
  void draw(double time, Simulation& simulation) const;
};

TendonSet tendons_at(const Model& model, const State& at) {
  TendonSet tendons(model);
  DynamicsData<double> data(model);
  update_positions<double>(model, data, as_span(at.q));
  tendons.update(model, data, as_span(at.q));
  return tendons;
}

/// Whether some actuator acts on the joint above each body.
std::vector<bool> powered_bodies(const Model& model, const TendonSet& tendons) {
  std::vector<bool> powered(index(model.body_count()), false);
  for (const Actuator& actuator : model.actuators()) {
    if (actuator.joint >= 0) powered[index(model.joint(actuator.joint).body)] = true;
    if (actuator.tendon < 0) continue;
    for (const MomentTerm& term : tendons.moment(actuator.tendon)) {
      if (term.coefficient == 0.0) continue;
      powered[index(model.degrees_of_freedom()[index(term.index)].body)] = true;
    }
  }
  return powered;
}

/// Joints that have a position actuator follow it, the others that have some actuator get a servo.
void Controls::Plan::hold_joints(const ControlArguments& arguments, const Model& model,
                                 const State& at) {
  const std::vector<JointGains> gains = natural_gains(model, at);
  std::vector<bool> driven(index(model.body_count()), false);
  const TendonSet tendons = tendons_at(model, at);
  const auto add_target = [&](const Joint& joint, bool servo, int slot, double gear) {
    if (kind != "random") return;
    const bool slides = joint.kind == JointKind::prismatic;
    targets.push_back({slot, servo, at.q[joint.position_index],
                       slides ? random_distance : random_angle, joint.limits.lower,
                       joint.limits.upper, gear});
  };
  for (std::size_t i = 0; i < model.actuators().size(); ++i) {
    const Actuator& actuator = model.actuators()[i];
    if (!follows_position(actuator)) continue;
    if (actuator.tendon >= 0) {
      for (const MomentTerm& term : tendons.moment(actuator.tendon)) {
        if (term.coefficient == 0.0) continue;
        driven[index(model.degrees_of_freedom()[index(term.index)].body)] = true;
      }
      control[static_cast<Eigen::Index>(i)] = actuator.gear[0] * tendons.length(actuator.tendon);
      continue;
    }
    const Joint& joint = model.joint(actuator.joint);
    if (!can_be_held(joint)) continue;
    driven[index(joint.body)] = true;
    control[static_cast<Eigen::Index>(i)] = actuator.gear[0] * at.q[joint.position_index];
    add_target(joint, false, static_cast<int>(i), actuator.gear[0]);
  }
  const std::vector<bool> powered = powered_bodies(model, tendons);
  const bool any_powered = std::ranges::find(powered, true) != powered.end();
  for (const Joint& joint : model.joints()) {
    if (!can_be_held(joint) || driven[index(joint.body)]) continue;
    // What has no actuator moves freely, unless the file has none at all.
    if (any_powered && !powered[index(joint.body)]) continue;
    const JointGains& own = gains[index(joint.velocity_index)];
    const double kp = arguments.stiffness > 0.0 ? arguments.stiffness : own.stiffness;
    // Critical for the stiffness that is used.
    const double critical = own.damping * std::sqrt(kp / own.stiffness);
    add_target(joint, true, static_cast<int>(servos.size()), 1.0);
    servos.push_back({.velocity_index = joint.velocity_index,
                      .position_target = at.q[joint.position_index],
                      .stiffness = kp,
                      .damping = arguments.damping > 0.0 ? arguments.damping : critical});
  }
}

/// Random controls of a robot without joints to hold, such as a drone: around those of the
/// keyframe, within the ranges of the file.
void Controls::Plan::vary_controls(const Model& model) {
  for (std::size_t i = 0; i < model.actuators().size(); ++i) {
    const Actuator& actuator = model.actuators()[i];
    if (!actuator.control_limited) continue;
    const auto [lower, upper] = actuator.control_range;
    targets.push_back({static_cast<int>(i), false, control[static_cast<Eigen::Index>(i)],
                       random_share * (upper - lower), lower, upper, 1.0});
  }
}

/// Targets of the interval that a time lies in: a hash of seed, interval and joint.
void Controls::Plan::draw(double time, Simulation& simulation) const {
  const double interval = std::floor((time + time_slack) / draw_interval);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Target& target = targets[i];
    Mixer mixer;
    mixer.add(seed);
    mixer.add(interval);
    mixer.add(static_cast<std::uint64_t>(i));
    const double uniform = static_cast<double>(mixer.result() >> 11) * 0x1.0p-53;
    const double aim = std::clamp(target.center + target.spread * (2.0 * uniform - 1.0),
                                  target.lower, target.upper);
    if (target.servo) {
      simulation.servos()[index(target.slot)].position_target = aim;
    } else {
      simulation.control()[target.slot] = target.gear * aim;
    }
  }
}

namespace {

std::string default_kind(const ControlArguments& arguments, const SceneArgument& scene,
                         const Model& model, std::optional<int> keyframe) {
  const bool has_control = keyframe && model.keyframes()[index(*keyframe)].control_given;
  if (is_joint_list(scene.pose)) return "pd";
  if (has_control || !arguments.values.empty()) return "constant";
  if (has_free_robot(model)) return "pd";
  return arguments.controls.empty() ? "zero" : "constant";
}

/// The controls of the command line: one kind at most, and what varies in time on top of it.
struct SplitControls {
  std::string kind;
  std::vector<std::string> drives;
};

SplitControls split_controls(const std::vector<std::string>& controls) {
  SplitControls result;
  for (const std::string& control : controls) {
    if (is_drive(control)) {
      result.drives.push_back(control);
    } else if (result.kind.empty()) {
      result.kind = control;
    } else {
      refuse(fmt::format("--control {} and --control {} exclude each other", result.kind, control),
             "give one of them; tables and sines can come on top");
    }
  }
  if (result.kind.starts_with(policy_prefix) && !result.drives.empty()) {
    refuse("--control: tables and sines cannot come on top of a policy", "leave one of them out");
  }
  return result;
}

/// Whether sines or tables name joints that nothing drives to a position yet: pd holds these.
bool drives_joints(const std::vector<std::string>& drives, const Model& model) {
  const auto is_joint = [&](const std::string& name) {
    const std::optional<int> joint = model.find_joint(name);
    if (!joint || model.find_actuator(name)) return false;
    return std::ranges::none_of(model.actuators(), [&](const Actuator& actuator) {
      return actuator.joint == *joint && follows_position(actuator);
    });
  };
  return std::ranges::any_of(drives, [&](const std::string& drive) {
    return std::ranges::any_of(driven_names(drive), is_joint);
  });
}

/// The pose that pd and random hold.
State held_pose(const SceneArgument& scene, const Model& model, std::optional<int> keyframe) {
  State state = keyframe ? model.keyframe_state(*keyframe) : model.initial_state();
  if (is_joint_list(scene.pose)) set_joints(scene.pose, model, state);
  return state;
}

Eigen::VectorXd constant_control(const ControlArguments& arguments, const Model& model,
                                 const Eigen::VectorXd& keyframe_control) {
  if (arguments.values.empty()) return keyframe_control;
  const std::size_t count = model.actuators().size();
  if (count == 0) {
    refuse("--values: the scene has no actuators", "use --control pd, or add <actuator> elements");
  }
  if (arguments.values.size() != 1 && arguments.values.size() != count) {
    refuse(fmt::format("--values has {} numbers, but there are {} actuators",
                       arguments.values.size(), count),
           "give one per actuator, or one for all");
  }
  Eigen::VectorXd control(static_cast<Eigen::Index>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& text = arguments.values[arguments.values.size() == 1 ? 0 : i];
    control[static_cast<Eigen::Index>(i)] = parse_number(text).value_or(0.0);
  }
  return control;
}

/// Options that would silently do nothing.
void check_combination(const ControlArguments& arguments, const SceneArgument& scene,
                       const std::string& kind) {
  const bool holds = kind == "pd" || kind == "random";
  const auto forbid = [&](bool given, const char* option, const char* remedy) {
    if (given) refuse(fmt::format("{} has no effect with --control {}", option, kind), remedy);
  };
  forbid(!arguments.values.empty() && kind != "constant", "--values", "add --control constant");
  forbid(!scene.pose.empty() && !is_joint_list(scene.pose) && !holds, "--pose",
         "add --control pd, or give joint positions: hip=0.4,knee=-45deg");
  forbid(!arguments.controls.empty() && kind == "zero", "--ctrl", "add --control constant");
  forbid(!arguments.command.empty() && !kind.starts_with(policy_prefix), "--command",
         "add --control policy:FILE");
  forbid(arguments.stiffness > 0.0 && !holds, "--kp", "add --control pd");
  forbid(arguments.damping > 0.0 && !holds, "--kd", "add --control pd");
}

}  // namespace

Controls::Controls(const ControlArguments& arguments, const SceneArgument& scene,
                   const Model& model) {
  const auto plan = std::make_shared<Plan>();
  const std::optional<int> start = keyframe_of(model, scene.keyframe, scene.model.file);
  const bool by_name = !scene.pose.empty() && !is_joint_list(scene.pose);
  const std::optional<int> pose =
      by_name ? keyframe_of(model, scene.pose, scene.model.file) : start;
  const auto none = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(model.actuators().size()));
  const Eigen::VectorXd keyframe_control =
      start ? model.keyframes()[index(*start)].control : Eigen::VectorXd(none);
  const SplitControls given = split_controls(arguments.kinds);
  plan->kind = given.kind.empty() ? default_kind(arguments, scene, model, start) : given.kind;
  if (given.kind.empty() && plan->kind == "zero" && drives_joints(given.drives, model)) {
    plan->kind = "pd";
  }
  plan->seed = arguments.seed;
  check_combination(arguments, scene, plan->kind);
  plan->control = none;
  if (plan->kind.starts_with(policy_prefix)) {
    plan->policy = std::make_shared<PolicyControl>(plan->kind.substr(policy_prefix.size()),
                                                   arguments.command, model);
  } else if (plan->kind == "constant") {
    plan->control = constant_control(arguments, model, keyframe_control);
    if (arguments.values.empty() && start) plan->pose = model.keyframes()[index(*start)].name;
  } else if (plan->kind != "zero") {
    const bool has_joints = std::ranges::any_of(model.joints(), can_be_held);
    plan->control = keyframe_control;
    if (!has_joints && plan->kind == "random") plan->vary_controls(model);
    if (!has_joints && plan->targets.empty()) {
      refuse(fmt::format("--control {}: the scene has no joints to hold", plan->kind),
             plan->kind == "random" ? "give the actuators a ctrlrange, or use --control zero"
                                    : "use --control zero");
    }
    plan->pose = pose ? model.keyframes()[index(*pose)].name : "initial pose";
    if (is_joint_list(scene.pose)) plan->pose = scene.pose;
    plan->hold_joints(arguments, model, held_pose(scene, model, pose));
    if (arguments.stiffness > 0.0 && plan->servos.empty()) {
      refuse("--kp has no effect: position actuators of the file drive all joints",
             "change their gains in the file");
    }
  }
  for (const std::string& list : arguments.controls) set_controls(list, model, plan->control);
  plan->singles = arguments.controls;
  for (const std::string& push : arguments.pushes) plan->pushes.push_back(parse_push(push, model));
  plan->drives = Drives(given.drives, model, plan->servos);
  plan_ = plan;
}

void Controls::apply(Simulation& simulation) const {
  const double time = simulation.state().time + time_slack;
  simulation.control() = plan_->control;
  if (plan_->policy != nullptr) {
    plan_->policy->apply(simulation);
  } else {
    simulation.servos() = plan_->servos;
  }
  if (!plan_->targets.empty()) plan_->draw(simulation.state().time, simulation);
  if (!plan_->drives.empty()) plan_->drives.apply(simulation.state().time, simulation);
  for (const Push& push : plan_->pushes) {
    if (time >= push.start && time < push.end) simulation.push(push.force);
  }
}

std::string Controls::description() const {
  std::string text = plan_->kind;
  if (!plan_->pose.empty()) text += ' ' + plan_->pose;
  if (plan_->policy != nullptr) text += ' ' + plan_->policy->fingerprint();
  for (const std::string& single : plan_->singles) text += ", " + single;
  for (const std::string& drive : plan_->drives.descriptions()) text += ", " + drive;
  if (!plan_->pushes.empty()) {
    text += fmt::format(", {} push{}", plan_->pushes.size(), plan_->pushes.size() == 1 ? "" : "es");
  }
  return text;
}

std::vector<std::filesystem::path> ControlArguments::files() const {
  std::vector<std::filesystem::path> result;
  for (const std::string& kind : kinds) {
    if (kind.starts_with(policy_prefix)) result.emplace_back(kind.substr(policy_prefix.size()));
    if (is_drive(kind)) result.push_back(drive_file(kind));
  }
  return result;
}

std::uint64_t Controls::seed() const { return plan_->seed; }

std::optional<double> Controls::policy_interval() const {
  return plan_->policy == nullptr ? std::nullopt : std::optional(plan_->policy->interval());
}

std::optional<Eigen::Vector3d> Controls::command() const {
  return plan_->policy == nullptr ? std::nullopt : std::optional(plan_->policy->command());
}

void Controls::set_command(const Eigen::Vector3d& command) const {
  plan_->policy->set_command(command);
}

Controls Controls::with_seed(std::uint64_t seed) const {
  Controls other = *this;
  const auto plan = std::make_shared<Plan>(*plan_);
  plan->seed = seed;
  other.plan_ = plan;
  return other;
}

}  // namespace stiction
