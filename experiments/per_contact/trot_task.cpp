#include "experiments/per_contact/trot_task.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::experiments {

namespace {

constexpr std::array<const char*, 4> feet{"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"};
constexpr double foot_radius = 0.031;     // [m]
constexpr double assumed_friction = 0.7;  // below that of the floor
constexpr double endless = 1e6;           // [s]

double tilt_of(const State& state) {
  const Eigen::Quaterniond turn(state.q.segment<4>(3));
  return std::acos(std::clamp((turn * Eigen::Vector3d::UnitZ()).z(), -1.0, 1.0));
}

}  // namespace

TrotOptions anymal_trot(double seconds) {
  TrotOptions options;
  for (std::size_t i = 0; i < feet.size(); ++i) {
    options.feet[i] = ContactSpec::ball(feet[i], foot_radius, assumed_friction);
  }
  options.trunk = "base";
  options.speed = trot_speed;
  options.trot_time = seconds;
  options.ramp_time = 2.0;
  options.swing_time = 0.25;
  options.swing_height = 0.08;
  options.inverse_dynamics.torque_limits = Eigen::VectorXd::Constant(18, torque_limit);
  return options;
}

TrotTask::TrotTask(double time_step, std::uint64_t seed, std::shared_ptr<TorqueScript> script)
    : Task(task_robot(false), time_step, seed),
      script_(std::move(script)),
      control_steps_(std::max(1, static_cast<int>(std::lround(control_time / time_step)))) {}

void TrotTask::start() {
  const double x = state().q[0];
  const double y = state().q[1];
  stand_at(0.0);
  const TrotOptions options = anymal_trot(endless);
  put_on_floor(model(), {options.feet.begin(), options.feet.end()}, state());
  if (count_ > 0) {
    state().q[0] = x;
    state().q[1] = y;
  }
  controller_.reset();
  start_count_ = count_;
  fallen_ = false;
}

void TrotTask::drive() {
  if ((count_ - start_count_) % control_steps_ == 0) {
    const std::size_t joints = static_cast<std::size_t>(torques().size()) - 6;
    if (script_ && place_ + joints <= script_->size()) {
      std::copy_n(script_->begin() + static_cast<std::ptrdiff_t>(place_), joints,
                  torques().data() + 6);
    } else {
      compute_torques();
      if (script_) script_->insert(script_->end(), torques().begin() + 6, torques().end());
    }
    place_ += joints;
  }
  push();
  ++count_;
}

void TrotTask::compute_torques() {
  if (!controller_) controller_.emplace(model(), state(), anymal_trot(endless));
  const InverseDynamicsResult& result = controller_->compute(state());
  facts_.unsolved += result.ok() ? 0 : 1;
  facts_.base_wrench = std::max(facts_.base_wrench, result.base_residual);
  torques() = result.torques;
  facts_.largest_torque = std::max(facts_.largest_torque, torques().lpNorm<Eigen::Infinity>());
}

void TrotTask::push() {
  if (count_ >= push_until_ && random().uniform() < time_step() / push_time) {
    push_until_ = count_ + std::lround(push_duration / time_step());
    for (int k = 0; k < 3; ++k) push_.force[k] = push_force * random().normal();
    ++facts_.pushes;
  }
  if (count_ < push_until_) forces().push_back(push_);
}

void TrotTask::look(const StepReport& report) {
  const double tilt = tilt_of(state());
  facts_.lowest = std::min(facts_.lowest, state().q[2]);
  facts_.largest_tilt = std::max(facts_.largest_tilt, tilt);
  fallen_ = !(state().q[2] > fallen_height && tilt < fallen_tilt);
  facts_.falls += fallen_ ? 1 : 0;
  count_slips(report);
}

void TrotTask::count_slips(const StepReport& report) {
  for (const StepContact& contact : report.contacts) {
    if (contact.mode != ContactMode::slip) continue;
    if (contact.impulse.z < slip_force * time_step()) continue;
    if (std::hypot(contact.velocity.x, contact.velocity.y) < slip_speed) continue;
    const auto leg = static_cast<std::size_t>(std::max(0, contact.body_b - 1) / 3);
    double& last = slipped_at_[std::min<std::size_t>(leg, 3)];
    if (state().time - last > slip_memory) ++facts_.slips;
    last = state().time;
  }
}

}  // namespace stiction::experiments
