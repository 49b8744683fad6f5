#include "stiction/solver/linear_complementarity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction {

void LinearComplementarity::resize(int size) {
  size_ = size;
  const auto n = static_cast<std::size_t>(size);
  matrix_.assign(n * n, 0.0);
  vector_.assign(n, 0.0);
}

void LinearComplementarity::evaluate(std::span<const double> z, std::span<double> w) const {
  const Eigen::Map<const Eigen::VectorXd> x(z.data(), size_);
  const Eigen::Map<const Matrix> matrix = M();
  for (int row = 0; row < size_; ++row) {
    w[static_cast<std::size_t>(row)] =
        matrix.row(row).dot(x) + vector_[static_cast<std::size_t>(row)];
  }
}

double LinearComplementarity::residual(std::span<const double> z, std::span<const double> w) {
  double worst = 0.0;
  double scale = 1.0;
  double sum = 0.0;  // finite only if every number is
  for (std::size_t i = 0; i < z.size(); ++i) {
    worst = std::max(worst, std::abs(std::min(z[i], w[i])));
    scale = std::max(scale, std::abs(z[i]));
    sum += 0.0 * (z[i] + w[i]);
  }
  return sum == 0.0 ? worst / scale : std::numeric_limits<double>::infinity();
}

}  // namespace stiction
