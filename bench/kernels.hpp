#pragma once

/// \file
/// Stiction's dynamics kernels as contestants, over either scalar.

#include <memory>
#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "bench/robots.hpp"
#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/delassus.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"

namespace stiction::bench {

/// What is measured of a robot, each from (q, v) on, so kinematics is part of every kernel.
inline constexpr std::array kernel_names{"kinematics",  "RNEA", "CRBA",
                                         "CRBA + LTDL", "ABA",  "ABA + Delassus"};

inline std::string contestant_name(const std::string& kernel, bool lanes) {
  return kernel + (lanes ? ", lanes" : ", double");
}

/// A robot (or one robot per lane) with all that its kernels need. The states come in turn, so that
/// no kernel sees what it has just computed.
template <Scalar S>
class KernelRunner {
 public:
  KernelRunner(const Robot& robot, const std::vector<RobotState>& states)
      : robot_(robot),
        data_(robot.model),
        delassus_(robot.model, static_cast<int>(robot.feet.size())),
        q_(states[0].q.size(), S(0.0)),
        v_(states[0].v.size(), S(0.0)),
        tau_(v_),
        dv_(v_),
        matrix_(v_.size() * v_.size(), S(0.0)),
        delassus_matrix_(9 * robot.feet.size() * robot.feet.size(), S(0.0)) {
    for (std::size_t i = 0; i < states.size(); ++i) states_.push_back(packed(states, i));
  }

  void kinematics() { update_kinematics<S>(robot_.model, data_, q_, v_); }

  void rnea() {
    kinematics();
    bias_forces<S>(robot_.model, data_, dv_);
  }

  void crba() {
    update_positions<S>(robot_.model, data_, q_);
    mass_matrix<S>(robot_.model, data_, matrix_);
  }

  void crba_ltdl() {
    crba();
    factorize_mass_matrix<S>(robot_.model, matrix_);
    std::copy(tau_.begin(), tau_.end(), dv_.begin());
    solve_mass_matrix<S>(robot_.model, matrix_, dv_);
  }

  void aba() { articulated_body_algorithm<S>(robot_.model, data_, q_, v_, tau_, dv_); }

  /// Factorization, bias and the Delassus matrix of four feet. The factors that the
  /// articulated-body algorithm leaves serve the Delassus matrix.
  void aba_delassus() {
    aba();
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      const Foot& foot = robot_.feet[k];
      const BodyData<S>& body = data_.bodies[static_cast<std::size_t>(foot.body)];
      contacts_[k].body_b = foot.body;
      contacts_[k].point = multiply_add(body.rotation, broadcast<S>(foot.point), body.position);
    }
    delassus_.propagate(robot_.model, data_, contacts_);
    delassus_.delassus(delassus_matrix_);
  }

  /// Copies the next state in, as a simulation does.
  void next_state() {
    const Packed& state = states_[next_];
    next_ = next_ + 1 == states_.size() ? 0 : next_ + 1;
    std::copy(state.q.begin(), state.q.end(), q_.begin());
    std::copy(state.v.begin(), state.v.end(), v_.begin());
    std::copy(state.tau.begin(), state.tau.end(), tau_.begin());
  }

  [[nodiscard]] const std::vector<S>& acceleration() const { return dv_; }
  [[nodiscard]] const std::vector<S>& delassus_matrix() const { return delassus_matrix_; }

 private:
  struct Packed {
    std::vector<S> q;
    std::vector<S> v;
    std::vector<S> tau;
  };

  /// State i; with lanes each lane gets a state of its own.
  static Packed packed(const std::vector<RobotState>& states, std::size_t i) {
    Packed result;
    if constexpr (std::same_as<S, double>) {
      result = {states[i].q, states[i].v, states[i].tau};
    } else {
      const auto gather = [&](std::vector<double> RobotState::*part) {
        std::vector<S> values((states[i].*part).size(), S(0.0));
        for (std::size_t slot = 0; slot < lane_width; ++slot) {
          const std::vector<double>& source = states[(i + 3 * slot) % states.size()].*part;
          for (std::size_t k = 0; k < values.size(); ++k) set_lane(values[k], slot, source[k]);
        }
        return values;
      };
      result = {gather(&RobotState::q), gather(&RobotState::v), gather(&RobotState::tau)};
    }
    return result;
  }

  const Robot& robot_;
  DynamicsData<S> data_;
  DelassusKernel<S> delassus_;
  std::vector<Packed> states_;
  std::size_t next_ = 0;
  std::vector<S> q_;
  std::vector<S> v_;
  std::vector<S> tau_;
  std::vector<S> dv_;
  std::vector<S> matrix_;
  std::vector<S> delassus_matrix_;
  std::array<ContactPoint<S>, 4> contacts_;
};

/// A contestant's body: `kernel` on one state after the other.
template <Scalar S>
std::function<void(std::int64_t)> kernel_loop(const std::shared_ptr<KernelRunner<S>>& runner,
                                              void (KernelRunner<S>::*kernel)()) {
  return [runner, kernel](std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      runner->next_state();
      ((*runner).*kernel)();
      keep(*runner);
    }
  };
}

/// Every kernel of `kernel_names` with its loop. `robot` must outlive the result.
template <Scalar S>
std::vector<std::pair<std::string, std::function<void(std::int64_t)>>> kernel_contestants(
    const Robot& robot, const std::vector<RobotState>& states) {
  using Runner = KernelRunner<S>;
  const auto runner = std::make_shared<Runner>(robot, states);
  constexpr bool lanes = !std::same_as<S, double>;
  const std::array<void (Runner::*)(), kernel_names.size()> kernels{
      &Runner::kinematics, &Runner::rnea, &Runner::crba,
      &Runner::crba_ltdl,  &Runner::aba,  &Runner::aba_delassus};
  std::vector<std::pair<std::string, std::function<void(std::int64_t)>>> result;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    result.emplace_back(contestant_name(kernel_names[k], lanes),
                        kernel_loop<S>(runner, kernels[k]));
  }
  return result;
}

}  // namespace stiction::bench
