#include "bench/step_drive.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "stiction/core/paths.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/io/load.hpp"

namespace stiction::bench {

namespace {

constexpr std::uint64_t seed = 11;
/// Motion has died when everything is slower than this [m/s, rad/s]; looked at every so many steps.
constexpr double dead_speed = 0.02;
constexpr int dead_steps = 50;

}  // namespace

StepRobot load_step_robot() {
  const auto path = models_folder() / "anymal_lumped.xml";
  Model model = load_model(path).model;
  const std::optional<int> key = model.find_keyframe("stand");
  if (!key) throw std::runtime_error("the robot has no keyframe 'stand'");
  Eigen::VectorXd stand = model.keyframe_state(*key).q;
  return {std::move(model), path.string(), std::move(stand)};
}

const std::vector<StepCase>& step_cases() {
  static const std::vector<StepCase> cases{
      {"stand", 100.0, 2.0, 0.0, 20, 0, false, 3.0, 5.0, 3e-6},
      {"drop", 0.0, 0.0, 0.0, 20, 2000, true, 3.0, 5.0, 4e-6},
      {"rand", 40.0, 1.0, 1.0, 20, 5000, false, 2.5, 0.0, 3e-6},
      {"mild", 100.0, 2.0, 0.3, 20, 5000, false, 3.0, 0.0, 3.5e-6},
  };
  return cases;
}

StepDriver::StepDriver(StepEngine& engine, const StepCase& rules, const StepRobot& robot)
    : engine_(engine), rules_(rules), stand_(robot.stand), random_(seed) {
  start();
}

void StepDriver::start() {
  count_ = 0;
  Eigen::Vector3d position = stand_.head<3>();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
  if (rules_.thrown) {
    const double heading = random_.uniform(0.0, 2.0 * std::numbers::pi);
    position.z() = 1.0;
    velocity = {std::cos(heading), std::sin(heading), 0.0};
  }
  engine_.reset(position, velocity);
}

void StepDriver::choose_targets() {
  for (std::size_t k = 0; k < leg_joint_count; ++k) {
    targets_[k] = stand_[static_cast<Eigen::Index>(7 + k)];
    if (rules_.deviation > 0.0) targets_[k] += rules_.deviation * random_.normal();
  }
}

void StepDriver::step() {
  if (count_ % rules_.target_steps == 0) choose_targets();
  if (rules_.stiffness > 0.0) {
    engine_.read_legs(legs_);
    for (std::size_t k = 0; k < leg_joint_count; ++k) {
      torques_[k] =
          rules_.stiffness * (targets_[k] - legs_.angle[k]) - rules_.damping * legs_.rate[k];
    }
  }
  engine_.step(torques_);
  ++count_;
  if (rules_.reset_steps == 0) return;
  const bool died = rules_.thrown && count_ % dead_steps == 0 && engine_.fastest() < dead_speed;
  if (died || count_ >= rules_.reset_steps) start();
}

StepObserver::StepObserver(const StepRobot& robot) : model_(robot.model), data_(model_) {}

void StepObserver::look(StepEngine& engine) {
  engine.read_state(state_);
  update_kinematics(model_, data_, state_.q, state_.v);
}

double StepObserver::penetration() const {
  double deepest = -1e9;
  for (const Shape& shape : model_.shapes()) {
    if (shape.body == world_body || !shape.collides) continue;
    const Eigen::Isometry3d pose = body_pose(data_, shape.body) * shape.pose;
    const double height = shape.kind == ShapeKind::sphere
                              ? shape.size.x()
                              : pose.rotation().row(2).cwiseAbs().dot(shape.size);
    deepest = std::max(deepest, height - pose.translation().z());
  }
  return deepest;
}

std::array<Eigen::Vector3d, 4> StepObserver::feet() const {
  std::array<Eigen::Vector3d, 4> centres;
  std::size_t k = 0;
  for (const char* name : {"LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"}) {
    centres[k++] = frame_pose(model_, data_, *model_.find_frame(name)).translation();
  }
  return centres;
}

}  // namespace stiction::bench
