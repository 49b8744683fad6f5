#pragma once

/// \file
/// Which Model a state or a recording belongs to.

#include <cstdint>
#include <string>

#include "stiction/model/model.hpp"

namespace stiction {

/// What a State needs of the Model that it is given to. Changes of numbers leave it as it is.
struct ModelIdentity {
  std::string name;
  std::uint64_t position_count = 0;
  std::uint64_t velocity_count = 0;
  std::uint64_t structure = 0;  ///< mixed from names, parents and joints of all bodies
  std::uint64_t activation_count = 0;
};

[[nodiscard]] ModelIdentity identity_of(const Model& model);
/// How a stored Model differs from the one at hand, to be read after `another model: `; empty if it
/// does not.
[[nodiscard]] std::string difference_of(const ModelIdentity& stored, const ModelIdentity& own);

}  // namespace stiction
