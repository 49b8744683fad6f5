#include "stiction/control/state_feedback.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction {

namespace {

void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(fmt::format("StateFeedback: {}", what));
}

void check_trajectory(const Model& model, const Trajectory& trajectory) {
  require(trajectory.time_step > 0.0 && std::isfinite(trajectory.time_step),
          "the time step is not positive");
  const std::size_t steps = trajectory.forces.size();
  require(steps > 0, "a trajectory needs one step at least");
  require(trajectory.q.size() == steps + 1 && trajectory.v.size() == steps + 1,
          "a trajectory needs one more sample of q and v than forces");
  for (const Eigen::VectorXd& q : trajectory.q) require_size(q, model.position_count(), "q");
  for (const Eigen::VectorXd& v : trajectory.v) require_size(v, model.velocity_count(), "v");
  for (const Eigen::VectorXd& tau : trajectory.forces) {
    require_size(tau, model.velocity_count(), "forces");
  }
}

}  // namespace

StateFeedback::StateFeedback(Model model, Trajectory trajectory, std::vector<Eigen::MatrixXd> gains,
                             std::vector<int> inputs)
    : model_(std::move(model)),
      trajectory_(std::move(trajectory)),
      gains_(std::move(gains)),
      inputs_(std::move(inputs)) {
  check_trajectory(model_, trajectory_);
  require(gains_.size() == trajectory_.forces.size(), "there is not one gain per step");
  const Eigen::Index n = model_.velocity_count();
  const Eigen::Index m = static_cast<Eigen::Index>(inputs_.size());
  for (const Eigen::MatrixXd& K : gains_) {
    require(K.rows() == m && K.cols() == 2 * n, "a gain is not inputs x 2 velocity_count");
  }
  for (const int input : inputs_) {
    require(input >= 0 && input < n, "an input is not an entry of v");
  }
  torques_.setZero(n);
  error_.setZero(2 * n);
  correction_.setZero(m);
}

std::size_t StateFeedback::step_at(double time) const {
  const double step = std::floor((time - start_time) / trajectory_.time_step + 1e-9);
  const double last = static_cast<double>(gains_.size()) - 1.0;
  return static_cast<std::size_t>(std::clamp(step, 0.0, last));
}

const Eigen::VectorXd& StateFeedback::torques(const State& state) {
  require_size(state.q, model_.position_count(), "q");
  require_size(state.v, model_.velocity_count(), "v");
  const std::size_t step = step_at(state.time);
  const double end = static_cast<double>(gains_.size()) - 1e-9;
  const bool ended = (state.time - start_time) / trajectory_.time_step >= end;
  const std::size_t sample = ended ? gains_.size() : step;
  const Eigen::Index n = model_.velocity_count();
  const std::span<double> error = as_span(error_);
  difference<double>(model_, as_span(trajectory_.q[sample]), as_span(state.q),
                     error.first(static_cast<std::size_t>(n)));
  error_.tail(n) = state.v - trajectory_.v[sample];
  correction_.noalias() = gains_[step].lazyProduct(error_);
  torques_ = trajectory_.forces[step];
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    torques_[inputs_[i]] -= correction_[static_cast<Eigen::Index>(i)];
  }
  return torques_;
}

StateFeedback track(const Model& model, Trajectory trajectory, const LqrCost& cost,
                    std::vector<int> inputs) {
  check_trajectory(model, trajectory);
  Linearizer linearizer(model, trajectory.time_step, std::move(inputs));
  std::vector<LinearStep> steps;
  for (std::size_t k = 0; k < trajectory.forces.size(); ++k) {
    steps.push_back(linearizer.linearize(trajectory.q[k], trajectory.v[k], trajectory.forces[k]));
  }
  LqrSolution solution = solve_lqr(steps, cost);
  return {model, std::move(trajectory), std::move(solution.gains), linearizer.inputs()};
}

StateFeedback hold(const Model& model, double time_step, const Eigen::VectorXd& q,
                   const Eigen::VectorXd& forces, const LqrCost& cost, std::vector<int> inputs) {
  constexpr double rest = 1e-6;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.velocity_count());
  Linearizer linearizer(model, time_step, std::move(inputs));
  const LinearStep& step = linearizer.linearize(q, zero, forces);
  require(linearizer.next_velocities().cwiseAbs().maxCoeff() <= rest * time_step,
          "the forces do not hold the robot at rest");
  const StationaryLqr lqr = solve_stationary_lqr(step, cost);
  return {model,
          Trajectory{time_step, {q, q}, {zero, zero}, {forces}},
          {lqr.gain},
          linearizer.inputs()};
}

}  // namespace stiction
