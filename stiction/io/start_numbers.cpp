#include "stiction/io/start_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/transmission.hpp"

namespace stiction {

namespace {

bool is_muscle(const Actuator& actuator) { return actuator.muscle_gain || actuator.muscle_bias; }

/// Whether its damping is a ratio.
bool has_damping_ratio(const Actuator& actuator) {
  return actuator.bias[2] > 0.0 && actuator.gain[0] == -actuator.bias[1];
}

/// The robot at rest where the file shows it, without gravity.
class Start {
 public:
  explicit Start(Model model)
      : model_(std::move(model)),
        data_(model_),
        tendons_(model_),
        vector_(index(model_.velocity_count())),
        result_(vector_.size()) {
    model_.set_gravity(Eigen::Vector3d::Zero());
    update_kinematics<double>(model_, data_, as_span(model_.initial_positions()), vector_);
    factorize<double>(model_, data_);
  }

  /// Σ M_kk / m_k² over the velocities that an actuator moves.
  double inertia_of(const Actuator& actuator) {
    read_moment(actuator);
    double sum = 0.0;
    for (const MomentTerm& entry : moment_) {
      if (std::abs(entry.coefficient) < negligible) continue;
      const std::size_t k = index(entry.index);
      vector_[k] = 1.0;
      inverse_dynamics<double>(model_, data_, vector_, result_);
      vector_[k] = 0.0;
      sum += result_[k] / (entry.coefficient * entry.coefficient);
    }
    return sum;
  }

  /// Inertia of a joint, all others free: one over the mean of its diagonal of M⁻¹.
  double free_inertia_of(const Joint& joint) {
    const int size = velocity_size(joint.kind);
    double sum = 0.0;
    for (int k = joint.velocity_index; k < joint.velocity_index + size; ++k) {
      vector_[index(k)] = 1.0;
      apply_inverse<double>(model_, data_, vector_, result_);
      vector_[index(k)] = 0.0;
      sum += result_[index(k)];
    }
    return size / std::max(negligible, sum);
  }

  /// |M⁻¹ m|: the acceleration by a unit force.
  double acceleration_of(const Actuator& actuator) {
    read_moment(actuator);
    for (const MomentTerm& entry : moment_) vector_[index(entry.index)] += entry.coefficient;
    apply_inverse<double>(model_, data_, vector_, result_);
    std::ranges::fill(vector_, 0.0);
    double sum = 0.0;
    for (const double x : result_) sum += x * x;
    return std::sqrt(sum);
  }

  /// Shortest and longest that it can be within the ranges of its joints, by climbing from the
  /// start; nothing if a joint that it moves has no range.
  std::optional<std::array<double, 2>> lengths_of(const Actuator& actuator) {
    read_moment(actuator);
    for (const MomentTerm& entry : moment_) {
      const Joint& joint = model_.joint(body_of(entry));
      if (velocity_size(joint.kind) != 1 || !std::isfinite(joint.limits.lower) ||
          !std::isfinite(joint.limits.upper)) {
        return std::nullopt;
      }
    }
    return std::array<double, 2>{climb(actuator, -1.0), climb(actuator, 1.0)};
  }

 private:
  static constexpr double negligible = 1e-15;

  [[nodiscard]] int body_of(const MomentTerm& entry) const {
    return model_.degrees_of_freedom()[index(entry.index)].body;
  }

  /// And its moment there.
  double length_at(const Eigen::VectorXd& q, const Actuator& actuator) {
    moment_.clear();
    update_positions<double>(model_, data_, as_span(q));
    tendons_.update(model_, data_, as_span(q));
    return transmission(model_, data_, tendons_, as_span(q), actuator, moment_);
  }

  void read_moment(const Actuator& actuator) {
    (void)length_at(model_.initial_positions(), actuator);
  }

  double climb(const Actuator& actuator, double sign) {
    constexpr int most_steps = 2000;
    Eigen::VectorXd q = model_.initial_positions();
    const auto stepped = [&](double share) {
      Eigen::VectorXd next = q;
      double largest = negligible;
      for (const MomentTerm& entry : moment_) {
        const JointLimits& limits = model_.joint(body_of(entry)).limits;
        largest = std::max(largest, std::abs(entry.coefficient) * (limits.upper - limits.lower));
      }
      for (const MomentTerm& entry : moment_) {
        const Joint& joint = model_.joint(body_of(entry));
        const double width = joint.limits.upper - joint.limits.lower;
        const double step = sign * share * width * entry.coefficient * width / largest;
        next[joint.position_index] =
            std::clamp(next[joint.position_index] + step, joint.limits.lower, joint.limits.upper);
      }
      return next;
    };
    double length = length_at(q, actuator);
    std::vector<MomentTerm> here = moment_;
    double share = 0.5;
    for (int i = 0; i < most_steps && share > 1e-12; ++i) {
      moment_ = here;
      const Eigen::VectorXd next = stepped(share);
      const double reached = length_at(next, actuator);
      if (sign * (reached - length) > 0.0) {
        q = next;
        length = reached;
        here = moment_;
        share = std::min(1.0, 2.0 * share);
      } else {
        share *= 0.5;
      }
    }
    return length;
  }

  Model model_;
  DynamicsData<double> data_;
  TendonSet tendons_;
  std::vector<double> vector_;  ///< zeros between calls
  std::vector<double> result_;
  std::vector<MomentTerm> moment_;
};

void find_muscle_numbers(Start& start, Actuator& actuator, ProblemList& problems) {
  for (std::optional<MuscleCurve>* curve : {&actuator.muscle_gain, &actuator.muscle_bias}) {
    if (!*curve || (*curve)->peak_force >= 0.0) continue;
    (*curve)->peak_force = (*curve)->scale / std::max(1e-15, start.acceleration_of(actuator));
  }
  if (actuator.length_range[0] < actuator.length_range[1]) return;
  const auto lengths = start.lengths_of(actuator);
  if (lengths && (*lengths)[0] < (*lengths)[1]) {
    actuator.length_range = *lengths;
    return;
  }
  problems.warning(actuator.source,
                   "the length range of this muscle cannot be found, so it does not act",
                   "give lengthrange=\"shortest longest\", or the joints that it moves a range");
  actuator.enabled = false;
}

void find_springs(Model& model, std::optional<Start>& start) {
  for (std::size_t i = 0; i < model.joints().size(); ++i) {
    const Joint joint = model.joints()[i];
    const auto [time, ratio] = joint.spring_damper;
    if (!(time > 0.0 && ratio > 0.0)) continue;
    if (!start) start.emplace(model);
    const double inertia = start->free_inertia_of(joint);
    model.set_stiffness(static_cast<int>(i), inertia / (time * time * ratio * ratio));
    for (int k = 0; k < velocity_size(joint.kind); ++k) {
      model.set_damping(joint.velocity_index + k, 2.0 * inertia / time);
    }
  }
}

}  // namespace

void find_start_numbers(Model& model, ProblemList& problems) {
  std::optional<Start> start;
  find_springs(model, start);
  for (std::size_t i = 0; i < model.actuators().size(); ++i) {
    Actuator actuator = model.actuators()[i];
    const bool by_ratio = has_damping_ratio(actuator);
    if (!by_ratio && !is_muscle(actuator)) continue;
    if (!start) start.emplace(model);
    if (by_ratio) {
      const double inertia = start->inertia_of(actuator);
      if (inertia > 0.0) {
        actuator.bias[2] *= -2.0 * std::sqrt(actuator.gain[0] * inertia);
      }
    }
    if (is_muscle(actuator)) find_muscle_numbers(*start, actuator, problems);
    model.set_actuator(static_cast<int>(i), actuator);
  }
}

}  // namespace stiction
