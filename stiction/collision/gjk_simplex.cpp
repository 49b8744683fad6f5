/// \file
/// The point of a segment, triangle or tetrahedron that is nearest to the origin.

#include "stiction/collision/gjk.hpp"

namespace stiction {

namespace {

/// Which of the corners carry the nearest point, with what weights.
struct Nearest {
  Vector3<double> point;
  double squared = 0.0;
  std::array<int, 4> corner{};
  std::array<double, 4> weight{};
  int count = 0;
};

Nearest nearest_on_edge(const Simplex& s, int i, int j) {
  const Vector3<double>& p = s.point[static_cast<std::size_t>(i)].w;
  const Vector3<double>& q = s.point[static_cast<std::size_t>(j)].w;
  const Vector3<double> d = q - p;
  const double length2 = dot(d, d);
  const double along = -dot(p, d);
  Nearest result;
  if (!(along > 0.0) || !(length2 > 0.0)) {
    result.point = p;
    result.corner[0] = i;
    result.weight[0] = 1.0;
    result.count = 1;
  } else if (along >= length2) {
    result.point = q;
    result.corner[0] = j;
    result.weight[0] = 1.0;
    result.count = 1;
  } else {
    const double t = along / length2;
    result.point = multiply_add(t, d, p);
    result.corner = {i, j};
    result.weight = {1.0 - t, t};
    result.count = 2;
  }
  result.squared = dot(result.point, result.point);
  return result;
}

Nearest nearest_on_triangle(const Simplex& s, int i, int j, int k) {
  const Vector3<double>& p = s.point[static_cast<std::size_t>(i)].w;
  const Vector3<double>& q = s.point[static_cast<std::size_t>(j)].w;
  const Vector3<double>& r = s.point[static_cast<std::size_t>(k)].w;
  const Vector3<double> m = cross(q - p, r - p);
  const double area2 = dot(m, m);
  if (area2 > 0.0) {
    // Areas of the parts that the origin's foot cuts off, against each corner.
    const double u = dot(m, cross(q, r));
    const double v = dot(m, cross(r, p));
    const double w = dot(m, cross(p, q));
    if (u > 0.0 && v > 0.0 && w > 0.0) {
      Nearest result;
      const double scale = 1.0 / (u + v + w);
      result.corner = {i, j, k};
      result.weight = {u * scale, v * scale, w * scale};
      result.count = 3;
      // Along the normal: exact also where the weighted sum cancels.
      result.point = (dot(m, p) / area2) * m;
      result.squared = dot(result.point, result.point);
      return result;
    }
  }
  Nearest best = nearest_on_edge(s, i, j);
  for (const Nearest& other : {nearest_on_edge(s, j, k), nearest_on_edge(s, k, i)})
    if (other.squared < best.squared) best = other;
  return best;
}

Nearest nearest_on_tetrahedron(const Simplex& s) {
  constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
  Nearest best;
  for (const auto& face : faces) {
    const Vector3<double>& p = s.point[static_cast<std::size_t>(face[0])].w;
    const Vector3<double> m = cross(s.point[static_cast<std::size_t>(face[1])].w - p,
                                    s.point[static_cast<std::size_t>(face[2])].w - p);
    const double inner = dot(m, s.point[static_cast<std::size_t>(face[3])].w - p);
    // The origin is on the same side as the fourth corner: this face hides nothing. Flat
    // tetrahedra have no inside, so their faces are all looked at.
    if (inner * -dot(m, p) > 0.0) continue;
    const Nearest here = nearest_on_triangle(s, face[0], face[1], face[2]);
    if (best.count == 0 || here.squared < best.squared) best = here;
  }
  if (best.count == 0) best.count = 4;
  return best;
}

/// Weights of the origin in a tetrahedron that holds it.
void weigh_inside(Simplex& s) {
  const Vector3<double>& p = s.point[3].w;
  const Vector3<double> x = s.point[0].w - p;
  const Vector3<double> y = s.point[1].w - p;
  const Vector3<double> z = s.point[2].w - p;
  const double volume = dot(x, cross(y, z));
  s.weight[0] = -dot(p, cross(y, z)) / volume;
  s.weight[1] = -dot(x, cross(p, z)) / volume;
  s.weight[2] = -dot(x, cross(y, p)) / volume;
  s.weight[3] = 1.0 - s.weight[0] - s.weight[1] - s.weight[2];
}

}  // namespace

Vector3<double> reduce_to_nearest(Simplex& simplex) {
  Nearest nearest;
  switch (simplex.count) {
    case 1:
      simplex.weight[0] = 1.0;
      return simplex.point[0].w;
    case 2:
      nearest = nearest_on_edge(simplex, 0, 1);
      break;
    case 3:
      nearest = nearest_on_triangle(simplex, 0, 1, 2);
      break;
    default:
      nearest = nearest_on_tetrahedron(simplex);
      if (nearest.count == 4) {
        weigh_inside(simplex);
        return {};
      }
  }
  const Simplex all = simplex;
  simplex.count = nearest.count;
  for (std::size_t k = 0; k < static_cast<std::size_t>(nearest.count); ++k) {
    simplex.point[k] = all.point[static_cast<std::size_t>(nearest.corner[k])];
    simplex.weight[k] = nearest.weight[k];
  }
  return nearest.point;
}

}  // namespace stiction
