// The part of derivatives.hpp that needs the factors of the mass matrix, and springs.

#include "stiction/dynamics/derivatives.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/spatial/rotation_jacobian.hpp"

namespace stiction {

namespace {

/// X <- M⁻¹ X for all columns of X at once, as solve_mass_matrix() does it for one. Column i of
/// `rows` is row i of X: numbers that are treated alike are side by side.
void solve_all(const Model& model, const Eigen::MatrixXd& factors, Eigen::MatrixXd& rows) {
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  const Eigen::Index n = rows.cols();
  const auto parent = [&](Eigen::Index k) -> Eigen::Index {
    return degrees[static_cast<std::size_t>(k)].parent;
  };
  for (Eigen::Index k = n; k-- > 0;) {
    for (Eigen::Index i = parent(k); i >= 0; i = parent(i)) {
      rows.col(i) -= factors(i, k) * rows.col(k);  // column k of `factors` is row k of L
    }
  }
  for (Eigen::Index k = 0; k < n; ++k) {
    rows.col(k) *= 1.0 / factors(k, k);
    for (Eigen::Index i = parent(k); i >= 0; i = parent(i)) {
      rows.col(k) -= factors(i, k) * rows.col(i);
    }
  }
}

}  // namespace

void solve_forward_derivatives(const Model& model, DerivativesData& derivatives) {
  const Eigen::Index n = model.velocity_count();
  derivatives.factors = derivatives.mass_matrix;  // symmetric, so rows are columns
  factorize_mass_matrix<double>(model,
                                {derivatives.factors.data(), static_cast<std::size_t>(n * n)});
  Eigen::MatrixXd& rows = derivatives.solved_rows;
  rows.topRows(n) = -derivatives.dtau_dq.transpose();
  rows.middleRows(n, n) = -derivatives.dtau_dv.transpose();
  rows.bottomRows(n).setIdentity();
  // No force moves a body whose motion is prescribed; what the caller added to its rows is void.
  for (const BodyConstants& body : model.constants()) {
    if (body.kinematic) rows.middleCols(body.velocity_index, body.velocity_count).setZero();
  }
  solve_all(model, derivatives.factors, rows);
  derivatives.da_dq = rows.topRows(n).transpose();
  derivatives.da_dv = rows.middleRows(n, n).transpose();
  derivatives.da_dtau = rows.bottomRows(n).transpose();
}

void forward_dynamics_derivatives(const Model& model, DynamicsData<double>& data,
                                  std::span<const double> dv, DerivativesData& derivatives,
                                  std::span<const Force<double>> external) {
  inverse_dynamics_derivatives(model, data, dv, derivatives, external);
  solve_forward_derivatives(model, derivatives);
}

void add_passive_derivatives(const Model& model, std::span<const double> q, double scale,
                             Eigen::MatrixXd& by_q, Eigen::MatrixXd& by_v) {
  const ModelParameters& parameters = model.parameters();
  by_v.diagonal() -= scale * parameters.damping;
  for (const Joint& joint : model.joints()) {
    const double stiffness = scale * parameters.stiffness[joint.body];
    if (stiffness == 0.0) continue;
    const Eigen::Index first = joint.velocity_index;
    if (joint.kind == JointKind::spherical) {
      const std::size_t at = static_cast<std::size_t>(joint.position_index);
      const Eigen::Vector3d angle = to_eigen(log_quaternion(read_quaternion(q, at)));
      by_q.block<3, 3>(first, first) -= stiffness * left_jacobian_inverse(angle).transpose();
    } else if (velocity_size(joint.kind) == 1) {
      by_q(first, first) -= stiffness;
    }
  }
}

}  // namespace stiction
