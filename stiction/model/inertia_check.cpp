#include "stiction/model/inertia_check.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

namespace stiction {

std::string inertia_defect(const Eigen::Matrix3d& inertia) {
  if (!inertia.allFinite()) return "the inertia contains NaN or infinity";
  const double size = inertia.cwiseAbs().maxCoeff();
  if (size == 0.0) return {};
  if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > 1e-9 * size) {
    return "the inertia matrix is not symmetric";
  }
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(inertia / size, Eigen::EigenvaluesOnly);
  const Eigen::Vector3d moments = size * solver.eigenvalues();
  const double tolerance = 1e-4 * moments[2];
  if (moments[0] < -tolerance || moments[2] <= 0.0) {
    return fmt::format(
        "the inertia is not positive: principal moments {:.4g}, {:.4g}, {:.4g} kg·m²", moments[0],
        moments[1], moments[2]);
  }
  if (moments[0] + moments[1] < moments[2] - tolerance) {
    return fmt::format(
        "this inertia is impossible: the principal moments {:.4g} + {:.4g} < {:.4g} kg·m² violate "
        "the triangle inequality",
        moments[0], moments[1], moments[2]);
  }
  return {};
}

}  // namespace stiction
