#pragma once

/// \file
/// Eigen's vectors as spans: the border between the public interface and the kernels.

#include <Eigen/Core>
#include <span>
#include <stdexcept>
#include <string>

namespace stiction {

inline std::span<const double> as_span(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}
inline std::span<double> as_span(Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

/// The user's mistake is told at the border; the kernels behind it trust their sizes.
inline void require_size(const Eigen::VectorXd& vector, int size, const char* name) {
  if (vector.size() == size) return;
  throw std::invalid_argument(std::string(name) + " has " + std::to_string(vector.size()) +
                              " entries, but the model needs " + std::to_string(size));
}

}  // namespace stiction
