#include "stiction/collision/convex_hull_shape.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace stiction {

namespace {

/// Up to here it is quicker to look at every vertex than to climb.
constexpr std::size_t small_hull = 24;

/// Vertices this close to a plane, in radii of the hull, count as in the plane: files with single
/// precision are that coarse.
constexpr double coplanar = 1e-6;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Vector3<double> unit(const Vector3<double>& v) {
  const double length = norm(v);
  return length > 0.0 ? (1.0 / length) * v : Vector3<double>{0.0, 0.0, 1.0};
}

/// Any unit vector across a unit vector.
Vector3<double> across(const Vector3<double>& n) {
  const Vector3<double> helper =
      std::fabs(n.x) < 0.6 ? Vector3<double>{1.0, 0.0, 0.0} : Vector3<double>{0.0, 1.0, 0.0};
  return unit(cross(n, helper));
}

/// The outline of points that lie about in the plane of the normal, counter-clockwise, without
/// those on a straight edge (Andrew's monotone chain).
std::vector<int> outline(const std::vector<Vector3<double>>& points, std::vector<int> members,
                         const Vector3<double>& normal, double tolerance) {
  const Vector3<double> x = across(normal);
  const Vector3<double> y = cross(normal, x);
  const auto u = [&](int i) { return dot(x, points[at(i)]); };
  const auto v = [&](int i) { return dot(y, points[at(i)]); };
  std::ranges::sort(
      members, [&](int i, int j) { return std::tuple(u(i), v(i), i) < std::tuple(u(j), v(j), j); });
  // How far `middle` is to the right of the line from `from` to `to`.
  const auto bulge = [&](int from, int middle, int to) {
    const double dx = u(to) - u(from);
    const double dy = v(to) - v(from);
    const double length = std::hypot(dx, dy);
    const double area = dy * (u(middle) - u(from)) - dx * (v(middle) - v(from));
    return length > 0.0 ? area / length : 0.0;
  };
  std::vector<int> loop;
  const auto chain = [&](auto first, auto last) {
    const std::size_t base = loop.size();
    for (auto i = first; i != last; ++i) {
      while (loop.size() >= base + 2 && bulge(loop[loop.size() - 2], loop.back(), *i) <= tolerance)
        loop.pop_back();
      loop.push_back(*i);
    }
    if (!loop.empty()) loop.pop_back();  // the other chain begins with it
  };
  chain(members.begin(), members.end());
  chain(members.rbegin(), members.rend());
  return loop;
}

}  // namespace

ConvexHull::ConvexHull(const Mesh& mesh) {
  std::vector<Vector3<double>> points;
  const bool solid = !mesh.hull_triangles.empty();
  for (const Eigen::Vector3d& vertex : solid ? mesh.hull_vertices : mesh.vertices)
    points.push_back(from_eigen(vertex));
  if (solid) {
    *this = ConvexHull(std::move(points), mesh.hull_triangles);
  } else {
    make_plate(points);
  }
}

ConvexHull::ConvexHull(std::vector<Vector3<double>> vertices,
                       const std::vector<std::array<int, 3>>& triangles)
    : vertices_(std::move(vertices)) {
  find_radius();
  connect(triangles);
  merge_faces(triangles);
  list_faces_of_vertices();
  find_starts();
}

void ConvexHull::find_radius() {
  for (const Vector3<double>& vertex : vertices_) radius_ = std::max(radius_, norm(vertex));
}

void ConvexHull::connect(const std::vector<std::array<int, 3>>& triangles) {
  std::vector<std::pair<int, int>> edges;
  for (const std::array<int, 3>& corner : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      edges.emplace_back(corner[k], corner[(k + 1) % 3]);
      edges.emplace_back(corner[(k + 1) % 3], corner[k]);
    }
  }
  std::ranges::sort(edges);
  edges.erase(std::ranges::unique(edges).begin(), edges.end());
  neighbour_begin_.assign(vertices_.size() + 1, 0);
  for (const auto& [from, to] : edges) ++neighbour_begin_[at(from) + 1];
  for (std::size_t i = 0; i < vertices_.size(); ++i) neighbour_begin_[i + 1] += neighbour_begin_[i];
  for (const auto& [from, to] : edges) neighbours_.push_back(to);
}

void ConvexHull::merge_faces(const std::vector<std::array<int, 3>>& triangles) {
  std::map<std::pair<int, int>, std::vector<int>> beside;  // edge → its triangles
  std::vector<Vector3<double>> twice_area(triangles.size());
  std::vector<int> by_size(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const std::array<int, 3>& c = triangles[t];
    for (std::size_t k = 0; k < 3; ++k)
      beside[std::minmax(c[k], c[(k + 1) % 3])].push_back(static_cast<int>(t));
    twice_area[t] =
        cross(vertices_[at(c[1])] - vertices_[at(c[0])], vertices_[at(c[2])] - vertices_[at(c[0])]);
    by_size[t] = static_cast<int>(t);
  }
  // Large triangles first: their normals are the most exact.
  std::ranges::stable_sort(
      by_size, [&](int i, int j) { return norm(twice_area[at(i)]) > norm(twice_area[at(j)]); });

  std::vector<bool> taken(triangles.size(), false);
  for (const int seed : by_size) {
    if (taken[at(seed)]) continue;
    const Vector3<double> normal = unit(twice_area[at(seed)]);
    const double offset = dot(normal, vertices_[at(triangles[at(seed)][0])]);
    std::vector<int> region{seed};
    std::vector<int> members;
    taken[at(seed)] = true;
    for (std::size_t done = 0; done < region.size(); ++done) {
      const std::array<int, 3>& c = triangles[at(region[done])];
      members.insert(members.end(), c.begin(), c.end());
      for (std::size_t k = 0; k < 3; ++k) {
        for (const int next : beside[std::minmax(c[k], c[(k + 1) % 3])]) {
          if (taken[at(next)]) continue;
          const bool inside = std::ranges::all_of(triangles[at(next)], [&](int i) {
            return std::fabs(dot(normal, vertices_[at(i)]) - offset) <= coplanar * radius_;
          });
          const double area = norm(twice_area[at(next)]);
          const bool folded = dot(normal, twice_area[at(next)]) < 0.9 * area;
          if (!inside || (folded && area > coplanar * radius_ * radius_)) continue;
          taken[at(next)] = true;
          region.push_back(next);
        }
      }
    }
    add_face(members, normal);
  }
}

void ConvexHull::add_face(const std::vector<int>& members, const Vector3<double>& normal) {
  std::vector<int> unique = members;
  std::ranges::sort(unique);
  unique.erase(std::ranges::unique(unique).begin(), unique.end());
  const std::vector<int> loop = outline(vertices_, unique, normal, 1e-12 * radius_);
  if (loop.size() < 3) return;  // without area: its neighbours cover it
  faces_.push_back({normal, static_cast<int>(corners_.size()), static_cast<int>(loop.size())});
  corners_.insert(corners_.end(), loop.begin(), loop.end());
}

void ConvexHull::list_faces_of_vertices() {
  std::vector<std::vector<int>> lists(vertices_.size());
  for (std::size_t f = 0; f < faces_.size(); ++f)
    for (const int vertex : corners(faces_[f])) lists[at(vertex)].push_back(static_cast<int>(f));
  face_begin_.assign(1, 0);
  face_list_.clear();
  for (const std::vector<int>& list : lists) {
    face_list_.insert(face_list_.end(), list.begin(), list.end());
    face_begin_.push_back(static_cast<int>(face_list_.size()));
  }
}

void ConvexHull::make_plate(const std::vector<Vector3<double>>& points) {
  // The two furthest points from a corner span the plane together with the one furthest from
  // their line.
  Vector3<double> first;
  Vector3<double> normal{0.0, 0.0, 1.0};
  if (!points.empty()) first = points.front();
  const auto furthest = [&](auto measure) {
    return points.empty() ? first : *std::ranges::max_element(points, {}, measure);
  };
  const Vector3<double> far = furthest([&](const auto& p) { return norm(p - first); });
  const Vector3<double> side =
      furthest([&](const auto& p) { return norm(cross(p - first, far - first)); });
  const Vector3<double> area = cross(far - first, side - first);
  const double length = norm(far - first);
  if (norm(area) > 1e-12 * length * length) {
    normal = unit(area);
  } else if (length > 0.0) {
    normal = across(unit(far - first));
  }
  std::vector<int> members(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) members[i] = static_cast<int>(i);
  const std::vector<int> loop = outline(points, members, normal, 1e-12 * length);
  for (const int i : loop) vertices_.push_back(points[at(i)]);
  if (vertices_.empty()) vertices_.push_back(first);
  find_radius();

  std::vector<std::array<int, 3>> triangles;
  const int count = static_cast<int>(vertices_.size());
  for (int i = 1; i + 1 < count; ++i) triangles.push_back({0, i, i + 1});
  if (count == 2) triangles.push_back({0, 1, 1});
  connect(triangles);
  std::vector<int> all(vertices_.size());
  for (int i = 0; i < count; ++i) all[at(i)] = i;
  add_face(all, normal);
  add_face(all, -normal);
  list_faces_of_vertices();
  find_starts();
}

void ConvexHull::find_starts() {
  for (std::size_t code = 0; code < starts_.size(); ++code) {
    const std::size_t octant = code / 3;
    double coordinate[3];
    for (std::size_t k = 0; k < 3; ++k)
      coordinate[k] = ((octant >> k) & 1U ? 1.0 : -1.0) * (k == code % 3 ? 1.0 : 0.5);
    const Vector3<double> direction{coordinate[0], coordinate[1], coordinate[2]};
    const auto best = std::ranges::max_element(
        vertices_, {}, [&](const Vector3<double>& v) { return dot(v, direction); });
    starts_[code] = static_cast<int>(best - vertices_.begin());
  }
}

int ConvexHull::support(const Vector3<double>& direction, int start) const {
  if (vertices_.size() <= small_hull) {
    int best = 0;
    double furthest = dot(vertices_[0], direction);
    for (std::size_t i = 1; i < vertices_.size(); ++i) {
      const double along = dot(vertices_[i], direction);
      if (along > furthest) {
        furthest = along;
        best = static_cast<int>(i);
      }
    }
    return best;
  }
  int best = start;
  if (best < 0) {
    const double x = std::fabs(direction.x);
    const double y = std::fabs(direction.y);
    const double z = std::fabs(direction.z);
    const int octant =
        (direction.x > 0.0 ? 1 : 0) + (direction.y > 0.0 ? 2 : 0) + (direction.z > 0.0 ? 4 : 0);
    best = starts_[at(3 * octant + (x >= y && x >= z ? 0 : (y >= z ? 1 : 2)))];
  }
  double furthest = dot(vertices_[at(best)], direction);
  // Each round gains strictly, so it ends.
  for (int from = -1; from != best;) {
    from = best;
    for (const int i : neighbours(from)) {
      const double along = dot(vertices_[at(i)], direction);
      if (along > furthest) {
        furthest = along;
        best = i;
      }
    }
  }
  return best;
}

const ConvexHull::Face* ConvexHull::support_face(int vertex,
                                                 const Vector3<double>& direction) const {
  const Face* best = nullptr;
  double nearest = -2.0;
  for (const int f : faces_of(vertex)) {
    const double along = dot(faces_[at(f)].normal, direction);
    if (along > nearest) {
      nearest = along;
      best = &faces_[at(f)];
    }
  }
  return best;
}

}  // namespace stiction
