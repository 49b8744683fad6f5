#pragma once

/// \file
/// Runge-Kutta of fourth order for free motion, an oracle for energy and momentum.
///
/// Runge-Kutta-Munthe-Kaas: the step is taken in the rotation vector ξ that leads from the start of
/// the step, R = exp(ξ) R₀ (floating) or R₀ exp(ξ) (spherical), with ξ̇ = dexp⁻¹(ω). Two terms of
/// its series are enough for fourth order, for the third is zero.

#include <Eigen/Geometry>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/model/model.hpp"

namespace stiction::test {

/// Moves one robot through time under given joint forces.
class RungeKutta {
 public:
  RungeKutta(const Model& model, Eigen::VectorXd tau)
      : model_(model), data_(model), tau_(std::move(tau)) {}

  void step(Eigen::VectorXd& q, Eigen::VectorXd& v, double h) {
    const Eigen::Index n = v.size();
    const Slope k1 = slope(q, Eigen::VectorXd::Zero(n), v);
    const Slope k2 = slope(q, 0.5 * h * k1.position, v + 0.5 * h * k1.velocity);
    const Slope k3 = slope(q, 0.5 * h * k2.position, v + 0.5 * h * k2.velocity);
    const Slope k4 = slope(q, h * k3.position, v + h * k3.velocity);
    q = integrate(model_, q, k1.position + 2.0 * k2.position + 2.0 * k3.position + k4.position,
                  h / 6.0);
    v += h / 6.0 * (k1.velocity + 2.0 * k2.velocity + 2.0 * k3.velocity + k4.velocity);
  }

 private:
  struct Slope {
    Eigen::VectorXd position;  ///< ξ̇
    Eigen::VectorXd velocity;  ///< v̇
  };

  /// At the positions that lie at ξ from q.
  Slope slope(const Eigen::VectorXd& q, const Eigen::VectorXd& xi, const Eigen::VectorXd& v) {
    const Eigen::VectorXd there = integrate(model_, q, xi, 1.0);
    return {inverse_exponential_rate(xi, v),
            articulated_body_algorithm(model_, data_, there, v, tau_)};
  }

  [[nodiscard]] Eigen::VectorXd inverse_exponential_rate(const Eigen::VectorXd& xi,
                                                         const Eigen::VectorXd& v) const {
    Eigen::VectorXd rate = v;
    for (const Joint& joint : model_.joints()) {
      const bool floating = joint.kind == JointKind::floating;
      if (!floating && joint.kind != JointKind::spherical) continue;
      const Eigen::Index first = joint.velocity_index + (floating ? 3 : 0);
      const Eigen::Vector3d x = xi.segment<3>(first);
      const Eigen::Vector3d w = v.segment<3>(first);
      const double side = floating ? -0.5 : 0.5;
      rate.segment<3>(first) = w + side * x.cross(w) + x.cross(x.cross(w)) / 12.0;
    }
    return rate;
  }

  const Model& model_;
  DynamicsData<double> data_;
  Eigen::VectorXd tau_;
};

}  // namespace stiction::test
