#include "experiments/per_contact/tasks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "experiments/per_contact/trot_task.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/io/xml.hpp"

namespace stiction::experiments {

namespace {

class HangTask final : public Task {
 public:
  HangTask(double time_step, std::uint64_t seed) : Task(task_robot(true), time_step, seed) {}

 protected:
  void start() override { stand_at(release_height); }
};

class DropTask final : public Task {
 public:
  DropTask(double time_step, std::uint64_t seed) : Task(task_robot(false), time_step, seed) {}

 protected:
  void start() override {
    stand_at(release_height);
    throw_forward();
  }
  [[nodiscard]] bool is_over() const override { return died_ || since_start() >= longest_drop; }
  void look(const StepReport& report) override {
    Task::look(report);
    died_ = state().v.lpNorm<Eigen::Infinity>() < dead_speed;
  }

 private:
  using Task::state;
  bool died_ = false;
};

class RandomTask final : public Task {
 public:
  RandomTask(double time_step, std::uint64_t seed) : Task(task_robot(false), time_step, seed) {}

 protected:
  void start() override {
    stand_at(release_height);
    throw_forward();
    middle_ = state().q;
    references_ = middle_;
    next_reference_ = 0.0;
  }
  [[nodiscard]] bool is_over() const override { return since_start() >= random_period; }
  void drive() override {
    if (since_start() >= next_reference_) choose_references();
    for (const Joint& joint : model().joints()) {
      if (joint.kind == JointKind::floating) continue;
      const double error = references_[joint.position_index] - state().q[joint.position_index];
      const double torque = stiffness * error - damping * state().v[joint.velocity_index];
      torques()[joint.velocity_index] = std::clamp(torque, -torque_limit, torque_limit);
    }
  }

 private:
  void choose_references() {
    for (const Joint& joint : model().joints()) {
      if (joint.kind == JointKind::floating) continue;
      references_[joint.position_index] = middle_[joint.position_index] + random().normal();
    }
    next_reference_ += reference_time;
  }

  Eigen::VectorXd middle_, references_;
  double next_reference_ = 0.0;
};

}  // namespace

Model task_robot(bool feet_only) {
  const std::filesystem::path path = models_folder() / "anymal_lumped.xml";
  ModelBuilder builder;
  ProblemList problems;
  add_mjcf(builder, XmlFile(path), path.parent_path(), {}, problems);
  if (problems.has_errors()) throw InputError(problems);
  if (feet_only) {
    for (Shape& shape : builder.link(builder.find_link("base").value()).shapes) {
      shape.collides = false;
    }
  }
  return builder.build();
}

Task::Task(Model model, double time_step, std::uint64_t seed)
    : model_(std::move(model)),
      time_step_(time_step),
      random_(seed),
      state_(model_.initial_state()),
      stand_(model_.keyframe_state(model_.find_keyframe("stand").value()).q),
      torques_(Eigen::VectorXd::Zero(model_.velocity_count())) {}

StepInput Task::next() {
  if (resets_ < 0 || is_over()) {
    ++resets_;
    start();
    start_time_ = state_.time;
  }
  forces_.clear();
  drive();
  return {.joint_forces = {torques_.data(), static_cast<std::size_t>(torques_.size())},
          .forces = forces_};
}

void Task::look(const StepReport&) {}

void Task::stand_at(double height) {
  state_.q = stand_;
  state_.q[2] = height;
  state_.v.setZero();
  state_.memory.clear();
}

void Task::throw_forward() {
  const double heading = random_.uniform(0.0, 2.0 * std::numbers::pi);
  state_.v[0] = throwing_speed * std::cos(heading);
  state_.v[1] = throwing_speed * std::sin(heading);
}

std::unique_ptr<Task> make_task(std::string_view name, double time_step, std::uint64_t seed,
                                std::shared_ptr<TorqueScript> script) {
  if (name == "trot") return std::make_unique<TrotTask>(time_step, seed, std::move(script));
  if (name == "hang") return std::make_unique<HangTask>(time_step, seed);
  if (name == "drop") return std::make_unique<DropTask>(time_step, seed);
  if (name == "random") return std::make_unique<RandomTask>(time_step, seed);
  throw std::invalid_argument("there is no task '" + std::string(name) + "'");
}

}  // namespace stiction::experiments
