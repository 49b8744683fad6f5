#include "stiction/model/inertia_check.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

namespace stiction {

namespace {
constexpr double largest_repaired_excess = 0.5;
}

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

bool is_positive_inertia(const Eigen::Matrix3d& inertia) {
  if (!inertia.allFinite()) return false;
  const double size = inertia.cwiseAbs().maxCoeff();
  if (size == 0.0 || (inertia - inertia.transpose()).cwiseAbs().maxCoeff() > 1e-9 * size) {
    return false;
  }
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(inertia / size, Eigen::EigenvaluesOnly);
  return solver.eigenvalues()[0] > 1e-6;
}

std::optional<RepairedInertia> repair_inertia(const Eigen::Matrix3d& inertia) {
  if (!inertia.allFinite() || inertia_defect(inertia).empty()) return std::nullopt;
  const double size = inertia.cwiseAbs().maxCoeff();
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(0.5 / size * (inertia + inertia.transpose()));
  Eigen::Vector3d moments = solver.eigenvalues();
  const double largest = moments[2];
  const double excess = (largest - moments[0] - moments[1]) / largest;
  if (!(moments[0] >= 0.0) || !(excess > 0.0) || excess > largest_repaired_excess) {
    return std::nullopt;
  }
  const double shift = excess * largest / 3.0;
  moments += Eigen::Vector3d(shift, shift, -shift);
  const Eigen::Matrix3d& axes = solver.eigenvectors();
  const Eigen::Matrix3d repaired = size * axes * moments.asDiagonal() * axes.transpose();
  return RepairedInertia{0.5 * (repaired + repaired.transpose()), excess, shift / largest};
}

}  // namespace stiction
