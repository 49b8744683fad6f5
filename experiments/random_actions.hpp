#pragma once

/// \file
/// A robot on a floor that is driven by random servo targets and pushed at random, for ever. Header
/// only, for the tests run a minute of it.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "stiction/core/random.hpp"
#include "stiction/io/load.hpp"
#include "stiction/io/xml.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction::experiments {

/// A robot of a URDF file above a floor with µ 0.8.
inline Model robot_on_floor(const std::filesystem::path& urdf) {
  SceneBuilder scene;
  scene.use_material(0.8);
  scene.add_plane("floor");
  LoadOptions options;
  options.base = BaseKind::floating;
  ProblemList problems;
  add_urdf(scene.builder(), XmlFile(urdf), urdf.parent_path(), options, problems);
  if (problems.count(Severity::error) > 0) throw InputError(problems);
  return scene.build();
}

struct ActionRules {
  double height = 1.0;         ///< of the base at the start [m]
  double reach = 1.0;          ///< deviation of the targets from the initial angles [rad]
  double target_time = 0.1;    ///< new targets after so long [s]
  double push_time = 1.0;      ///< mean time between pushes [s]
  double push_duration = 0.1;  ///< [s]
  double push_strength = 1.0;  ///< deviation of the force, relative to the robot's weight
};

/// Steps a robot. Each servo is as stiff as uses up its effort at half a radian.
class RandomActions {
 public:
  RandomActions(Model model, const StepOptions& options, const ActionRules& rules,
                std::uint64_t seed)
      : rules_(rules), random_(seed), simulation_(std::move(model), options) {
    const Model& robot = simulation_.model();
    weight_ = robot.total_mass() * robot.gravity().norm();
    simulation_.state().q[2] = rules.height;
    for (const Joint& joint : robot.joints()) {
      if (velocity_size(joint.kind) != 1) continue;
      const double effort = std::min(joint.limits.effort, 100.0);
      simulation_.servos().push_back({.velocity_index = joint.velocity_index,
                                      .stiffness = effort / 0.5,
                                      .damping = effort / 20.0});
    }
    target_steps_ = std::lround(rules.target_time / simulation_.time_step());
    push_steps_ = std::lround(rules.push_duration / simulation_.time_step());
  }

  const StepReport& step() {
    if (count_ % target_steps_ == 0) choose_targets();
    if (push_left_ == 0 && random_.uniform() < simulation_.time_step() / rules_.push_time) {
      choose_push();
    }
    if (push_left_ > 0) {
      --push_left_;
      simulation_.push(push_);
    }
    ++count_;
    const StepReport& report = simulation_.step();
    fastest_ = std::max(fastest_, simulation_.state().v.lpNorm<Eigen::Infinity>());
    contacts_ += static_cast<double>(report.contacts.size());
    return report;
  }

  [[nodiscard]] Simulation& simulation() { return simulation_; }
  [[nodiscard]] long long count() const { return count_; }
  [[nodiscard]] double fastest() const { return fastest_; }  ///< largest |v| so far [rad/s or m/s]
  [[nodiscard]] double mean_contacts() const {
    return count_ > 0 ? contacts_ / static_cast<double>(count_) : 0.0;
  }

 private:
  void choose_targets() {
    const Model& robot = simulation_.model();
    for (JointServo& servo : simulation_.servos()) {
      const int body =
          robot.degrees_of_freedom()[static_cast<std::size_t>(servo.velocity_index)].body;
      const Joint& joint = robot.joint(body);
      const double middle = robot.initial_positions()[joint.position_index];
      servo.position_target = std::clamp(middle + rules_.reach * random_.normal(),
                                         joint.limits.lower, joint.limits.upper);
    }
  }

  void choose_push() {
    push_left_ = push_steps_;
    push_.body = random_.index(simulation_.model().body_count());
    for (int k = 0; k < 3; ++k) {
      push_.force[k] = rules_.push_strength * weight_ * random_.normal();
    }
  }

  ActionRules rules_;
  Random random_;
  Simulation simulation_;
  double weight_ = 0.0;  ///< [N]
  ExternalForce push_;
  long push_left_ = 0;
  long push_steps_ = 0;
  long target_steps_ = 1;
  long long count_ = 0;
  double fastest_ = 0.0;
  double contacts_ = 0.0;
};

}  // namespace stiction::experiments
