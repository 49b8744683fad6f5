#include "stiction/solver/anderson.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

namespace stiction {

void AndersonMixing::resize(Eigen::Index n) {
  residual_changes_.resize(n, memory);
  image_changes_.resize(n, memory);
  last_residual_.resize(n);
  last_image_.resize(n);
  residual_.resize(n);
  count_ = 0;
}

void AndersonMixing::mix(const WorkVector& point, const WorkVector& image, WorkVector& next) {
  residual_ = image - point;
  if (count_ > 0) {
    const Eigen::Index column = (count_ - 1) % memory;
    residual_changes_.col(column) = residual_ - last_residual_;
    image_changes_.col(column) = image - last_image_;
  }
  last_residual_ = residual_;
  last_image_ = image;
  const Eigen::Index columns = std::min(count_, memory);
  ++count_;
  next = last_image_;
  if (columns == 0) return;

  Small gram(columns, columns);
  SmallVector weights(columns);
  for (Eigen::Index i = 0; i < columns; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      gram(i, j) = residual_changes_.col(i).dot(residual_changes_.col(j));
      gram(j, i) = gram(i, j);
    }
    weights[i] = residual_changes_.col(i).dot(residual_);
  }
  constexpr double ridge = 1e-10;
  gram.diagonal().array() += ridge * gram.trace();
  const Eigen::LDLT<Small> factor(gram);
  weights = factor.solve(weights).eval();
  if (!weights.allFinite()) return;
  for (Eigen::Index i = 0; i < columns; ++i) next -= weights[i] * image_changes_.col(i);
}

}  // namespace stiction
