#pragma once

/// \file
/// Derivatives of q ⊕ v and q1 ⊖ q0. A small change of q is a velocity for unit time: q ⊕ δ, with
/// the axes that integrate() uses.

#include <Eigen/Core>

#include "stiction/model/model.hpp"

namespace stiction {

/// ∂(q ⊕ v)/∂q at the step v = velocity times time: (q ⊕ δ) ⊕ v = (q ⊕ v) ⊕ (result δ). Block
/// diagonal; the identity wherever q has no quaternion. It does not depend on q.
void integrate_by_q(const Model& model, const Eigen::VectorXd& v, Eigen::MatrixXd& result);

/// ∂(q ⊕ v)/∂v: q ⊕ (v + δ) = (q ⊕ v) ⊕ (result δ).
void integrate_by_v(const Model& model, const Eigen::VectorXd& v, Eigen::MatrixXd& result);

/// ∂(q1 ⊖ q0)/∂q1 at the difference v = q1 ⊖ q0.
void difference_by_end(const Model& model, const Eigen::VectorXd& v, Eigen::MatrixXd& result);

/// ∂(q1 ⊖ q0)/∂q0 at the difference v = q1 ⊖ q0.
void difference_by_start(const Model& model, const Eigen::VectorXd& v, Eigen::MatrixXd& result);

}  // namespace stiction
