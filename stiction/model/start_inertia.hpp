#pragma once

/// \file
/// What a joint has to move at the start: diagonal entries of the mass matrix, from a builder.

#include <vector>

#include "stiction/model/model_builder.hpp"

namespace stiction {

/// Diagonal of the mass matrix at the initial positions, for joints with one velocity. Reads the
/// builder as it is at construction.
class StartInertia {
 public:
  explicit StartInertia(const ModelBuilder& builder);

  /// Of all that hangs on the joint, with its armature [kg·m² or kg].
  [[nodiscard]] double about(int joint) const;

 private:
  const ModelBuilder& builder_;
  std::vector<BodyInertia> pieces_;  ///< one per link: it and all that hangs on it, in its frame
};

}  // namespace stiction
