#pragma once

/// \file
/// Which shapes are parts of one robot, and links of it that are to leave each other alone.

#include <string_view>
#include <utility>
#include <vector>

#include "stiction/model/model.hpp"

namespace stiction {

/// The link that a shape belongs to, as the file names it; empty for the world's own shapes.
[[nodiscard]] std::string_view link_of_shape(const Model& model, int shape);

/// Whether both shapes are parts of one robot: on bodies of one tree, or one on a tree and the
/// other on the links that fix this tree to the world.
[[nodiscard]] bool are_of_one_robot(const Model& model, int shape_a, int shape_b);

/// The same scene, in which the links of each pair of shapes never touch, unless a contact pair
/// brings them together. Has a structure of its own.
[[nodiscard]] Model without_contacts(const Model& model,
                                     const std::vector<std::pair<int, int>>& shapes);

}  // namespace stiction
