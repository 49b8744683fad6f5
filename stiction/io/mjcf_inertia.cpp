#include "stiction/io/mjcf_inertia.hpp"

#include <Eigen/Eigenvalues>

namespace stiction {

BodyInertia bounded(BodyInertia inertia, const MjcfCompiler& compiler) {
  inertia.mass = std::max(inertia.mass, compiler.least_mass);
  if (!inertia.inertia.allFinite()) return inertia;
  if (compiler.least_inertia <= 0.0 && !compiler.balance_inertia) return inertia;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia.inertia);
  Eigen::Vector3d moments = solver.eigenvalues();  // in rising order
  const bool raised = moments.minCoeff() < compiler.least_inertia;
  if (raised) moments = moments.cwiseMax(compiler.least_inertia);
  const bool unbalanced = compiler.balance_inertia && moments[0] + moments[1] < moments[2];
  if (unbalanced) moments.setConstant(moments.mean());
  if (raised || unbalanced) {
    inertia.inertia =
        solver.eigenvectors() * moments.asDiagonal() * solver.eigenvectors().transpose();
  }
  return inertia;
}

}  // namespace stiction
