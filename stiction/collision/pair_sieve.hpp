#pragma once

/// \file
/// Which of a fixed list of pairs are near each other, by spheres about the shapes.
///
/// For up to a few hundred shapes. Each shape is a row; bits of a row say which later shapes it may
/// touch. All spheres of a row are compared at once in single precision, rounded outwards, so a
/// pair that is left out is apart for certain.

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "stiction/spatial/linear.hpp"

namespace stiction {

class PairSieve {
 public:
  /// Items 0 … count-1, and the pairs (a < b) of them that may touch, ascending.
  void build(int count, std::span<const std::pair<int, int>> pairs);

  /// What item i is inside of: a sphere [m]. Infinite radii are near to everything.
  void set_sphere(int i, const Vector3<double>& center, double radius);
  /// Item i is what lies below a plane through `point` with the unit `normal`.
  void set_plane(int i, const Vector3<double>& normal, const Vector3<double>& point);

  /// Calls `visit(k)` for each pair k of the list that may be near, ascending. Planes must not be
  /// paired with planes.
  template <class Visit>
  void visit_near(const Visit& visit) {
    find_near();
    for (const Word& word : words_) {
      // The number of a pair is that of the word's first pair and the allowed bits below its own.
      for (std::uint32_t left = word.near; left != 0; left &= left - 1) {
        const std::uint32_t below = (left & (~left + 1)) - 1;
        visit(word.first_pair + __builtin_popcount(word.allowed & below));
      }
    }
  }

 private:
  static constexpr int word_bits = 32;
  /// Partners [32 block, 32 block + 32) of an item that has any there.
  struct Word {
    int item = 0;
    int block = 0;
    int first_pair = 0;
    std::uint32_t allowed = 0;
    std::uint32_t planes = 0;  ///< of the allowed ones
    std::uint32_t near = 0;
    int plane = -1;  ///< index into planes_, if the item is one
  };
  struct Plane {
    int item = 0;
    Vector3<double> normal;
    Vector3<double> point;
  };

  void find_near();
  [[nodiscard]] std::uint32_t near_sphere(const Word& word) const;
  [[nodiscard]] std::uint32_t near_plane(const Plane& plane, int block) const;
  [[nodiscard]] bool is_near_plane(const Plane& plane, int item) const;
  [[nodiscard]] const Plane* plane_of(int item) const;

  std::vector<Word> words_;  ///< ascending
  std::vector<Plane> planes_;
  std::vector<float> x_;  ///< of each item, filled up to whole words [m]
  std::vector<float> y_;
  std::vector<float> z_;
  std::vector<float> radius_;
};

}  // namespace stiction
