#include "stiction/control/linearize.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <stdexcept>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/tangent.hpp"

namespace stiction {

namespace {

std::vector<int> checked_inputs(const Model& model, std::vector<int> inputs) {
  if (inputs.empty()) {
    inputs.resize(static_cast<std::size_t>(model.velocity_count()));
    std::iota(inputs.begin(), inputs.end(), 0);
  }
  for (const int input : inputs) {
    if (input >= 0 && input < model.velocity_count()) continue;
    throw std::invalid_argument(fmt::format(
        "Linearizer: input {} is not an entry of v, which has {}", input, model.velocity_count()));
  }
  return inputs;
}

}  // namespace

Linearizer::Linearizer(Model model, double time_step, std::vector<int> inputs)
    : model_(std::move(model)),
      time_step_(time_step),
      inputs_(checked_inputs(model_, std::move(inputs))),
      data_(model_),
      derivatives_(model_) {
  if (!(time_step > 0.0) || !std::isfinite(time_step)) {
    throw std::invalid_argument(
        fmt::format("Linearizer: the time step is {}; give a positive time", time_step));
  }
  const Eigen::Index n = model_.velocity_count();
  step_.A.setZero(2 * n, 2 * n);
  step_.B.setZero(2 * n, static_cast<Eigen::Index>(inputs_.size()));
  for (Eigen::VectorXd* vector : {&forces_, &acceleration_, &next_v_, &moved_}) vector->setZero(n);
  next_q_ = model_.initial_positions();
  by_q_.setZero(n, n);
  by_v_.setZero(n, n);
}

void Linearizer::move(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      const Eigen::VectorXd& tau) {
  require_size(q, model_.position_count(), "q");
  require_size(v, model_.velocity_count(), "v");
  require_size(tau, model_.velocity_count(), "tau");
  passive_forces<double>(model_, as_span(q), as_span(v), as_span(forces_));
  forces_ += tau;
  update_kinematics(model_, data_, q, v);
  factorize<double>(model_, data_);
  forward_dynamics<double>(model_, data_, as_span(forces_), as_span(acceleration_));
  next_v_ = v + time_step_ * acceleration_;
  integrate<double>(model_, as_span(q), as_span(next_v_), time_step_, as_span(next_q_));
}

const LinearStep& Linearizer::linearize(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                        const Eigen::VectorXd& tau) {
  move(q, v, tau);
  inverse_dynamics_derivatives(model_, data_, as_span(acceleration_), derivatives_);
  add_passive_derivatives(model_, as_span(q), -1.0, derivatives_.dtau_dq, derivatives_.dtau_dv);
  solve_forward_derivatives(model_, derivatives_);
  moved_ = time_step_ * next_v_;
  integrate_by_q(model_, moved_, by_q_);
  integrate_by_v(model_, moved_, by_v_);

  const Eigen::Index n = model_.velocity_count();
  auto v_by_q = step_.A.bottomLeftCorner(n, n);
  auto v_by_v = step_.A.bottomRightCorner(n, n);
  auto v_by_u = step_.B.bottomRows(n);
  v_by_q = time_step_ * derivatives_.da_dq;
  v_by_v = time_step_ * derivatives_.da_dv;
  v_by_v.diagonal().array() += 1.0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    v_by_u.col(static_cast<Eigen::Index>(i)) = time_step_ * derivatives_.da_dtau.col(inputs_[i]);
  }
  // q⁺ changes with q directly and with all three through v⁺. The product is lazy because Eigen's
  // other one allocates.
  by_v_ *= time_step_;
  step_.A.topLeftCorner(n, n).noalias() = by_v_.lazyProduct(v_by_q);
  step_.A.topLeftCorner(n, n) += by_q_;
  step_.A.topRightCorner(n, n).noalias() = by_v_.lazyProduct(v_by_v);
  step_.B.topRows(n).noalias() = by_v_.lazyProduct(v_by_u);
  return step_;
}

}  // namespace stiction
