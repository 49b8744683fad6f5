#include "stiction/collision/pair_sieve.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Rounding of single precision, several times over: coordinates, differences, squares and sums.
constexpr double relative = 1e-6;

}  // namespace

void PairSieve::build(int count, std::span<const std::pair<int, int>> pairs) {
  words_.clear();
  planes_.clear();
  const std::size_t filled = at((count + word_bits - 1) / word_bits * word_bits);
  // Nothing is at the places that are only filled up.
  x_.assign(filled, 0.0F);
  y_.assign(filled, 0.0F);
  z_.assign(filled, 0.0F);
  radius_.assign(filled, 0.0F);
  for (int k = 0; k < static_cast<int>(pairs.size()); ++k) {
    const auto [a, b] = pairs[at(k)];
    const int block = b / word_bits;
    if (words_.empty() || words_.back().item != a || words_.back().block != block) {
      words_.push_back({.item = a, .block = block, .first_pair = k});
    }
    words_.back().allowed |= 1U << (b % word_bits);
  }
}

void PairSieve::set_sphere(int i, const Vector3<double>& center, double radius) {
  const double furthest =
      std::max({std::fabs(center.x), std::fabs(center.y), std::fabs(center.z), radius});
  x_[at(i)] = static_cast<float>(center.x);
  y_[at(i)] = static_cast<float>(center.y);
  z_[at(i)] = static_cast<float>(center.z);
  radius_[at(i)] = static_cast<float>(radius + relative * furthest + 1e-30);
}

void PairSieve::set_plane(int i, const Vector3<double>& normal, const Vector3<double>& point) {
  for (Plane& plane : planes_) {
    if (plane.item != i) continue;
    plane.normal = normal;
    plane.point = point;
    return;
  }
  planes_.push_back({i, normal, point});
  for (Word& word : words_) {
    if (word.item == i) word.plane = static_cast<int>(planes_.size()) - 1;
    if (word.block == i / word_bits) word.planes |= word.allowed & (1U << (i % word_bits));
  }
}

const PairSieve::Plane* PairSieve::plane_of(int item) const {
  for (const Plane& plane : planes_) {
    if (plane.item == item) return &plane;
  }
  return nullptr;
}

std::uint32_t PairSieve::near_sphere(const Word& word) const {
  const std::size_t item = at(word.item);
  const std::size_t first = at(word.block * word_bits);
  const float x = x_[item];
  const float y = y_[item];
  const float z = z_[item];
  const float radius = radius_[item];
  const float* const other_x = x_.data() + first;
  const float* const other_y = y_.data() + first;
  const float* const other_z = z_.data() + first;
  const float* const other_radius = radius_.data() + first;
  std::uint32_t far = 0;
  for (std::uint32_t k = 0; k < word_bits; ++k) {
    const float dx = other_x[k] - x;
    const float dy = other_y[k] - y;
    const float dz = other_z[k] - z;
    const float limit = other_radius[k] + radius;
    // Numbers that are none count as near.
    far |= static_cast<std::uint32_t>(dx * dx + dy * dy + dz * dz > limit * limit) << k;
  }
  return ~far;
}

bool PairSieve::is_near_plane(const Plane& plane, int item) const {
  const Vector3<double> center{x_[at(item)], y_[at(item)], z_[at(item)]};
  const Vector3<double> above = center - plane.point;
  const double slack = relative * norm(above);
  return !(dot(plane.normal, above) > static_cast<double>(radius_[at(item)]) + slack);
}

std::uint32_t PairSieve::near_plane(const Plane& plane, int block) const {
  const std::size_t first = at(block * word_bits);
  const auto nx = static_cast<float>(plane.normal.x);
  const auto ny = static_cast<float>(plane.normal.y);
  const auto nz = static_cast<float>(plane.normal.z);
  const auto px = static_cast<float>(plane.point.x);
  const auto py = static_cast<float>(plane.point.y);
  const auto pz = static_cast<float>(plane.point.z);
  const auto slack =
      static_cast<float>(relative * std::max({std::fabs(plane.point.x), std::fabs(plane.point.y),
                                              std::fabs(plane.point.z)}));
  constexpr auto small = static_cast<float>(relative);
  std::uint32_t far = 0;
  for (std::uint32_t k = 0; k < word_bits; ++k) {
    const float dx = x_[first + k] - px;
    const float dy = y_[first + k] - py;
    const float dz = z_[first + k] - pz;
    const float rounding = small * (std::fabs(dx) + std::fabs(dy) + std::fabs(dz)) + slack;
    far |= static_cast<std::uint32_t>(nx * dx + ny * dy + nz * dz > radius_[first + k] + rounding)
           << k;
  }
  return ~far;
}

void PairSieve::find_near() {
  for (Word& word : words_) {
    if (word.plane >= 0) {
      word.near = near_plane(planes_[at(word.plane)], word.block) & word.allowed;
      continue;
    }
    word.near = near_sphere(word) & word.allowed & ~word.planes;
    for (std::uint32_t left = word.planes; left != 0; left &= left - 1) {
      const int item = word.block * word_bits + __builtin_ctz(left);
      if (is_near_plane(*plane_of(item), word.item)) word.near |= left & (~left + 1);
    }
  }
}

}  // namespace stiction
