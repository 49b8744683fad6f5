#pragma once

/// \file
/// Derivatives by central differences of sixth order: at a step of 0.01 the truncation of smooth
/// functions of robots' size is near rounding, some 1e-12 relative.

#include <Eigen/Core>

#include "stiction/dynamics/integrate.hpp"

namespace stiction::test {

inline constexpr double difference_step = 0.01;

/// d f(x)/dx at 0 for a function of one number with values in vectors.
template <class Function>
Eigen::VectorXd derivative(Function f, double h = difference_step) {
  const Eigen::VectorXd near = f(h) - f(-h);
  const Eigen::VectorXd middle = f(2.0 * h) - f(-2.0 * h);
  const Eigen::VectorXd far = f(3.0 * h) - f(-3.0 * h);
  return (0.75 * near - 0.15 * middle + far / 60.0) / h;
}

/// ∂f/∂q by moving along each velocity: column k is d f(q ⊕ x e_k)/dx.
template <class Function>
Eigen::MatrixXd derivative_by_q(const Model& model, const Eigen::VectorXd& q, Function f,
                                double h = difference_step) {
  const Eigen::Index n = model.velocity_count();
  Eigen::MatrixXd result(f(q).size(), n);
  for (Eigen::Index k = 0; k < n; ++k) {
    result.col(k) = derivative(
        [&](double x) -> Eigen::VectorXd {
          return f(integrate(model, q, Eigen::VectorXd::Unit(n, k), x));
        },
        h);
  }
  return result;
}

/// ∂f/∂x of a function of a vector.
template <class Function>
Eigen::MatrixXd derivative_by(const Eigen::VectorXd& at, Function f) {
  Eigen::MatrixXd result(f(at).size(), at.size());
  for (Eigen::Index k = 0; k < at.size(); ++k) {
    result.col(k) = derivative([&](double x) -> Eigen::VectorXd {
      return f(Eigen::VectorXd(at + x * Eigen::VectorXd::Unit(at.size(), k)));
    });
  }
  return result;
}

}  // namespace stiction::test
