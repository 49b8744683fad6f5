#pragma once

/// \file
/// Moving along v on the manifold of positions: q ⊕ v h, and back.

#include <Eigen/Core>
#include <span>

#include "stiction/model/model.hpp"
#include "stiction/spatial/rotation.hpp"

namespace stiction {

/// result = q ⊕ h v. Quaternions turn by the exponential of h times their angular velocity
/// (spherical: body axes; floating: world axes) and come out with unit length. `result` and `q` may
/// be the same.
template <Scalar S>
void integrate(const Model& model, std::span<const S> q, std::span<const S> v, const S& h,
               std::span<S> result);

/// v = q1 ⊖ q0: the velocity that takes q0 to q1 in unit time; quaternions go the shorter way
/// round, angles of one coordinate as many turns as they differ by.
template <Scalar S>
void difference(const Model& model, std::span<const S> q0, std::span<const S> q1, std::span<S> v);

/// \name For one robot in Eigen's vectors
/// @{
Eigen::VectorXd integrate(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                          double h);
Eigen::VectorXd difference(const Model& model, const Eigen::VectorXd& q0,
                           const Eigen::VectorXd& q1);
/// @}

}  // namespace stiction
