#pragma once

/// \file
/// Eigen's vectors as spans: the border between the public interface and the kernels.

#include <Eigen/Core>
#include <span>

namespace stiction {

inline std::span<const double> as_span(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}
inline std::span<double> as_span(Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

}  // namespace stiction
