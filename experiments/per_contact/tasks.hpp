#pragma once

/// \file
/// The four tasks of [PCI]: ANYmal trots, hangs from its feet, is dropped, or is thrown with random
/// references of its joints. What the paper leaves open is stated in docs/per_contact.md.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "stiction/core/random.hpp"
#include "stiction/model/model.hpp"
#include "stiction/model/state.hpp"
#include "stiction/sim/step_input.hpp"
#include "stiction/sim/step_report.hpp"

namespace stiction::experiments {

inline constexpr std::string_view task_names[] = {"trot", "hang", "drop", "random"};
inline constexpr double task_friction = 0.8;    ///< µ
inline constexpr double torque_limit = 80.0;    ///< of each joint [N·m]
inline constexpr double release_height = 1.0;   ///< of the base: hang, drop, random [m]
inline constexpr double throwing_speed = 1.0;   ///< horizontal: drop, random [m/s]
inline constexpr double random_period = 5.0;    ///< after which `random` is thrown again [s]
inline constexpr double reference_time = 0.02;  ///< for which `random` keeps its references [s]
inline constexpr double stiffness = 40.0;       ///< of the joints in `random` [N·m/rad]
inline constexpr double damping = 1.0;          ///< the same [N·m·s/rad]
/// In `drop`, motion has died when nothing is faster [m/s, rad/s]; the robot is thrown again then,
/// or after the second number at the latest [s].
inline constexpr double dead_speed = 0.02;
inline constexpr double longest_drop = 10.0;

/// Torques of a run, so that another run of the same steps need not compute them.
using TorqueScript = std::vector<double>;

/// A robot, what drives it and when it is put back. The same steps follow from the same seed.
class Task {
 public:
  Task(Model model, double time_step, std::uint64_t seed);
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] State& state() { return state_; }
  [[nodiscard]] double time_step() const { return time_step_; }
  /// Before a step: resets if it is time to, and says what acts.
  StepInput next();
  /// After the step.
  virtual void look(const StepReport& report);
  [[nodiscard]] int resets() const { return resets_; }

 protected:
  [[nodiscard]] virtual bool is_over() const { return false; }
  /// Puts `state()` where the robot starts.
  virtual void start() = 0;
  /// Fills `torques()` and `forces()` for the next step.
  virtual void drive() {}

  [[nodiscard]] Random& random() { return random_; }
  [[nodiscard]] Eigen::VectorXd& torques() { return torques_; }
  [[nodiscard]] std::vector<ExternalForce>& forces() { return forces_; }
  [[nodiscard]] double since_start() const { return state_.time - start_time_; }
  /// The standing posture at a height, at rest; time goes on.
  void stand_at(double height);
  /// A horizontal velocity in a random direction.
  void throw_forward();

 private:
  Model model_;
  double time_step_;
  Random random_;
  State state_;
  Eigen::VectorXd stand_;  ///< positions
  Eigen::VectorXd torques_;
  std::vector<ExternalForce> forces_;
  double start_time_ = 0.0;
  int resets_ = -1;  ///< the first start is none
};

/// ANYmal on a floor. Feet only: the torso passes through it.
Model task_robot(bool feet_only);

/// A task by its name. `script` is for `trot`: torques are taken from it as far as it reaches, and
/// computed and added to it beyond; null: always computed. Throws std::invalid_argument for another
/// name.
std::unique_ptr<Task> make_task(std::string_view name, double time_step, std::uint64_t seed = 1,
                                std::shared_ptr<TorqueScript> script = nullptr);

}  // namespace stiction::experiments
