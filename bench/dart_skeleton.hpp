#pragma once

/// \file
/// Bodies of a Model in DART. Only for files that have DART.

#include <dart/dynamics/dynamics.hpp>

#include "stiction/model/model.hpp"

namespace stiction::bench {

/// The joint and the mass of one body, below `parent` (nullptr: the world). Throws
/// std::runtime_error for joints other than revolute, prismatic and floating ones.
dart::dynamics::BodyNode* add_dart_body(const Model& model, int body,
                                        dart::dynamics::Skeleton& skeleton,
                                        dart::dynamics::BodyNode* parent);

}  // namespace stiction::bench
