#pragma once

/// \file
/// Collects the points of a shape on a surface, drops doubles, and keeps the most telling ones.
/// Private to stiction/collision.

#include <array>
#include <cstdint>

#include "stiction/collision/geometry.hpp"

namespace stiction {

/// What a point on a surface comes from; with two numbers it makes the point's identity.
enum class SurfaceSource : std::uint8_t {
  ball,    ///< a ball or corner of the shape: its number; how many it gave before
  vertex,  ///< a vertex of the surface; 0
  edge,    ///< an edge of the surface (3·triangle + edge); the edge of the shape
};

/// Points in the axes of the surface, with normals out of the surface.
class SurfacePoints {
 public:
  /// `scale`: the size of the shape, with which distances are compared [m].
  SurfacePoints(const Placement& surface, double scale) : surface_(surface), scale_(scale) {}

  /// `point` lies midway. Of two points at one place with one normal the deeper one stays.
  void add(SurfaceSource source, int first, int second, const Vector3<double>& point,
           const Vector3<double>& normal, double gap);
  [[nodiscard]] int count() const { return count_; }
  void rewind(int count) { count_ = count; }  ///< only to fewer

  /// Writes the points in world axes, by ascending feature, with normals into the surface. A ball
  /// keeps its number as feature wherever it rolls; other identities are hashed, and the few that
  /// then agree move on to the next free number.
  void write(PointBuffer& points);

 private:
  struct Candidate {
    Vector3<double> point;
    Vector3<double> normal;
    double gap = 0.0;
    std::uint64_t identity = 0;
    std::uint16_t feature = 0;
  };
  static constexpr int capacity = 64;
  Candidate& at(int i) { return candidates_[static_cast<std::size_t>(i)]; }
  void reduce(int count);
  void number();

  Placement surface_;
  double scale_;
  std::array<Candidate, capacity> candidates_;
  int count_ = 0;
};

}  // namespace stiction
