#include "experiments/exponential/own_motions.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>

#include "examples/legged_robots.hpp"
#include "experiments/exponential/published_motions.hpp"
#include "stiction/control/motions.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/kinematics.hpp"

namespace stiction::experiments {

namespace {

template <class Controller, class Options>
std::function<ForceLaw()> law_maker(const LeggedRobot& robot, const Options& options) {
  return [model = robot.model, start = robot.start, options]() -> ForceLaw {
    return [controller = std::make_shared<Controller>(model, start, options)](
               const State& state, Eigen::VectorXd& forces) {
      if (!state.q.allFinite() || !state.v.allFinite()) return false;
      const InverseDynamicsResult& result = controller->compute(state);
      forces = result.torques;
      return result.ok();
    };
  };
}

/// What the options of all motions have in common.
template <class Options>
Options options_for(const LeggedRobot& robot, const char* trunk) {
  Options options;
  options.trunk = trunk;
  options.inverse_dynamics = robot.options;
  std::copy(robot.feet.begin(), robot.feet.end(), std::begin(options.feet));
  return options;
}

/// Feet that only just touch may be open for the whole first step.
constexpr double first_overlap = 1e-5;  // [m]

DrivenMotion motion_of(const LeggedRobot& robot, std::string_view name, double control_step,
                       double duration) {
  DrivenMotion motion{std::string(name), robot.model, robot.start, control_step, 0, {}};
  motion.start.q[2] -= first_overlap;
  motion.control_steps = static_cast<int>(std::lround(duration / control_step));
  return motion;
}

Eigen::VectorXd torque_limits(const Model& model) {
  Eigen::VectorXd limits =
      Eigen::VectorXd::Constant(model.velocity_count(), std::numeric_limits<double>::infinity());
  for (const Joint& joint : model.joints()) {
    if (joint.kind != JointKind::floating) limits[joint.velocity_index] = joint.limits.effort;
  }
  return limits;
}

/// Which shapes have pressed, and for how long none did.
class ContactWatch {
 public:
  explicit ContactWatch(const Model& model) : down_(model.shapes().size(), 0), swings_(down_) {}

  void look(double time, const StepReport& report) {
    std::vector<char> presses(down_.size(), 0);
    bool any = false;
    for (const StepContact& contact : report.contacts) {
      if (!(contact.impulse.z > 0.0)) continue;
      any = true;
      for (const int shape : {contact.shape_a, contact.shape_b}) {
        presses[static_cast<std::size_t>(shape)] = 1;
      }
    }
    if (any) last_touch_ = time;
    flight_ = std::max(flight_, time - last_touch_);
    for (std::size_t i = 0; i < presses.size(); ++i) {
      // A foot that bounces has not made a step.
      if (presses[i] != 0 && down_[i] != 0 && time - lifted_[i] > 0.05) ++swings_[i];
      if (presses[i] != 0) {
        down_[i] = 1;
        lifted_[i] = time;
      }
    }
  }

  [[nodiscard]] double flight() const { return flight_; }
  [[nodiscard]] std::vector<int> swings() const {
    std::vector<int> result;
    for (const char count : swings_) {
      if (count > 0) result.push_back(count);
    }
    return result;
  }
  void begin(double time) { lifted_.assign(down_.size(), time); }

 private:
  std::vector<char> down_, swings_;
  std::vector<double> lifted_;
  double last_touch_ = 0.0;
  double flight_ = 0.0;
};

double tilt_of(const State& state) {
  const Eigen::Quaterniond turn(state.q.segment<4>(3));
  return std::acos(std::clamp((turn * Eigen::Vector3d::UnitZ()).z(), -1.0, 1.0));
}

}  // namespace

DrivenMotion own_motion(std::string_view name) {
  static_cast<void>(published_test(name));
  if (name == "romeo") {
    const LeggedRobot robot = romeo();
    auto options = options_for<WalkingOptions>(robot, "torso");
    DrivenMotion motion = motion_of(robot, name, 0.04, 10.7);
    motion.make_law = law_maker<WalkingController>(robot, options);
    return motion;
  }
  const LeggedRobot robot = solo12();
  if (name == "squat") {
    SquatOptions options;
    options.feet = robot.feet;
    options.trunk = "base_link";
    options.inverse_dynamics = robot.options;
    DrivenMotion motion = motion_of(robot, name, 0.04, 6.28);
    motion.make_law = law_maker<SquatController>(robot, options);
    return motion;
  }
  if (name == "jump") {
    JumpOptions options;
    options.feet = robot.feet;
    options.trunk = "base_link";
    options.inverse_dynamics = robot.options;
    DrivenMotion motion = motion_of(robot, name, 0.01, 3.0);
    motion.make_law = law_maker<JumpController>(robot, options);
    return motion;
  }
  DrivenMotion motion = motion_of(robot, name, 0.002, 3.0);
  motion.make_law = law_maker<TrotController>(robot, options_for<TrotOptions>(robot, "base_link"));
  return motion;
}

MotionFacts observe(const DrivenMotion& motion, const StepOptions& options, int substeps) {
  ContactWatch contacts(motion.model);
  contacts.begin(motion.start.time);
  MotionFacts facts;
  DynamicsData<double> data(motion.model);
  const double half = 0.5 * motion.control_steps * motion.control_step;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  const DrivenRun run =
      drive(motion, options, substeps, [&](const State& state, const StepReport& report) {
        contacts.look(state.time, report);
        facts.largest_tilt = std::max(facts.largest_tilt, tilt_of(state));
        if (state.time < half) return;
        update_kinematics(motion.model, data, state.q, state.v);
        const double height = centroidal_state(motion.model, data).center_of_mass.z;
        low = std::min(low, height);
        high = std::max(high, height);
      });
  const State& end = run.states.back();
  facts.failed = run.failed;
  facts.way = end.q[0] - motion.start.q[0];
  facts.amplitude = 0.5 * (high - low);
  facts.flight = contacts.flight();
  facts.end_height = end.q[2] - motion.start.q[2];
  facts.end_speed = end.v.norm();
  facts.swings = contacts.swings();
  const Eigen::VectorXd limits = motion.name == "romeo"
                                     ? torque_limits(motion.model)
                                     : *solo12().options.torque_limits.data() *
                                           Eigen::VectorXd::Ones(motion.model.velocity_count());
  for (const Eigen::VectorXd& forces : run.forces) {
    facts.base_wrench = std::max(facts.base_wrench, forces.head<6>().cwiseAbs().maxCoeff());
    facts.torque_share =
        std::max(facts.torque_share, forces.cwiseAbs().cwiseQuotient(limits).maxCoeff());
  }
  return facts;
}

std::string complaint(std::string_view name, const MotionFacts& facts) {
  if (facts.failed) return "the simulation failed";
  if (facts.torque_share > 1.0) return "a torque is above its limit";
  if (facts.base_wrench > 0.0) return "somebody pushes the base";
  if (name == "squat" && std::abs(facts.amplitude - 0.03) > 0.003) {
    return fmt::format("the squat has an amplitude of {:.4f} m", facts.amplitude);
  }
  if (name == "jump" && facts.flight < 0.2) {
    return fmt::format("the jump flies for {:.3f} s", facts.flight);
  }
  if (name == "jump" && (std::abs(facts.end_height) > 0.01 || facts.end_speed > 0.01)) {
    return fmt::format("after the jump it does not stand: {:.4f} m, {:.1e} m/s", facts.end_height,
                       facts.end_speed);
  }
  if (name == "trot" && facts.way < 0.5) return fmt::format("it trots {:.3f} m", facts.way);
  if (name == "romeo") {
    int steps = 0;
    for (const int count : facts.swings) steps = std::max(steps, count);
    if (2 * steps < 4) return fmt::format("a foot makes {} steps", steps);
    if (facts.end_speed > 0.05) return "it does not stand at the end";
  }
  if (name != "jump" && facts.largest_tilt > 0.2) {
    return fmt::format("it tilts by {:.2f} rad", facts.largest_tilt);
  }
  return {};
}

}  // namespace stiction::experiments
