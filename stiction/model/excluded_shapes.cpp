/// \file
/// The pairs of shapes that excludes keep from touching, for whoever needs them all at once.

#include <algorithm>

#include "stiction/model/model_structure.hpp"

namespace stiction {

namespace {

/// Adds every pair of a shape of `a` and a shape of `b`, the smaller index first.
void add_pairs(const std::vector<int>& shapes_a, const std::vector<int>& shapes_b,
               std::vector<std::pair<int, int>>& pairs) {
  for (const int a : shapes_a) {
    for (const int b : shapes_b) {
      if (a != b) pairs.push_back(std::minmax(a, b));
    }
  }
}

/// Shapes by owner; owner -1 comes first.
std::vector<std::vector<int>> shapes_by(const std::vector<int>& owners) {
  std::vector<std::vector<int>> result(1);
  for (std::size_t shape = 0; shape < owners.size(); ++shape) {
    const auto place = static_cast<std::size_t>(owners[shape] + 1);
    if (result.size() <= place) result.resize(place + 1);
    result[place].push_back(static_cast<int>(shape));
  }
  return result;
}

void add_excludes(const std::set<std::pair<int, int>>& excludes, const std::vector<int>& owners,
                  std::vector<std::pair<int, int>>& pairs) {
  if (excludes.empty()) return;
  const std::vector<std::vector<int>> shapes = shapes_by(owners);
  for (const auto& [owner_a, owner_b] : excludes) {
    const auto a = static_cast<std::size_t>(owner_a + 1);
    const auto b = static_cast<std::size_t>(owner_b + 1);
    if (std::max(a, b) < shapes.size()) add_pairs(shapes[a], shapes[b], pairs);
  }
}

}  // namespace

std::vector<std::pair<int, int>> Model::excluded_shapes() const {
  std::vector<int> bodies;
  for (const Shape& shape : structure_->shapes) bodies.push_back(shape.body);
  std::vector<std::pair<int, int>> pairs;
  add_excludes(structure_->excluded_bodies, bodies, pairs);
  add_excludes(structure_->excluded_links, structure_->shape_links, pairs);
  std::ranges::sort(pairs);
  const auto repeated = std::ranges::unique(pairs);
  pairs.erase(repeated.begin(), repeated.end());
  return pairs;
}

}  // namespace stiction
