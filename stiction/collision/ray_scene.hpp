#pragma once

/// \file
/// All shapes that can be seen, for rays: also those that do not collide.

#include <span>
#include <vector>

#include "stiction/collision/geometry.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

/// Meshes are their triangles here, not their hulls; planes end where they are drawn, unless they
/// are endless; shapes without opacity are not there.
class RayScene {
 public:
  explicit RayScene(const Model& model);

  /// Shapes that are not fixed to the world: the caller writes their placement before cast().
  [[nodiscard]] std::span<const int> moving_shapes() const { return moving_; }
  /// One per shape of the Model; those of the world are filled in already.
  [[nodiscard]] std::span<Placement> placements() { return placements_; }

  /// Distance along the unit vector `direction` to the first shape that does not belong to
  /// `ignored_body` [m]; -1 if there is none.
  [[nodiscard]] double cast(const Vector3<double>& origin, const Vector3<double>& direction,
                            int ignored_body) const;
  /// The same where only shapes that are fixed to the world count.
  [[nodiscard]] double cast_at_world(const Vector3<double>& origin,
                                     const Vector3<double>& direction) const;

 private:
  template <class Counts>
  [[nodiscard]] double cast_at(const Vector3<double>& origin, const Vector3<double>& direction,
                               const Counts& counts) const;
  [[nodiscard]] bool is_beyond_edge(std::size_t shape, const Vector3<double>& point) const;

  Model model_;  ///< shares what is large
  std::vector<ShapeGeometry> geometries_;
  std::vector<Placement> placements_;
  std::vector<int> moving_;
};

}  // namespace stiction
