// The part of derivatives.hpp that needs the factors of the mass matrix, and springs.

#include "stiction/dynamics/derivatives.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/spatial/rotation_jacobian.hpp"

namespace stiction {

void solve_forward_derivatives(const Model& model, DerivativesData& derivatives) {
  const std::size_t n = static_cast<std::size_t>(model.velocity_count());
  derivatives.factors = derivatives.mass_matrix;  // symmetric, so rows are columns
  const std::span<double> factors(derivatives.factors.data(), n * n);
  factorize_mass_matrix<double>(model, factors);
  derivatives.da_dq = -derivatives.dtau_dq;
  derivatives.da_dv = -derivatives.dtau_dv;
  derivatives.da_dtau.setIdentity();
  // No force moves a body whose motion is prescribed; what the caller added to its rows is void.
  for (const BodyConstants& body : model.constants()) {
    if (!body.kinematic) continue;
    for (Eigen::MatrixXd* matrix : {&derivatives.da_dq, &derivatives.da_dv, &derivatives.da_dtau}) {
      matrix->middleRows(body.velocity_index, body.velocity_count).setZero();
    }
  }
  for (Eigen::MatrixXd* matrix : {&derivatives.da_dq, &derivatives.da_dv, &derivatives.da_dtau}) {
    for (std::size_t k = 0; k < n; ++k) {
      solve_mass_matrix<double>(model, std::span<const double>(factors),
                                {matrix->data() + k * n, n});
    }
  }
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
