#include "stiction/io/raw_mesh.hpp"

#include <Eigen/Geometry>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace stiction {

namespace {

/// Cutting off ears takes time with the square of the corners; a polygon with more becomes a fan.
constexpr std::size_t most_corners = 500;

constexpr std::string_view blanks = " \t\r\v\f";

/// A polygon seen along its normal.
class FlatPolygon {
 public:
  FlatPolygon(std::span<const std::uint32_t> corners, const RawMesh& mesh) {
    Eigen::Vector3d normal = Eigen::Vector3d::Zero();
    std::vector<Eigen::Vector3d> places;
    for (const std::uint32_t corner : corners) {
      const auto& at = mesh.vertices[corner];
      places.emplace_back(at[0], at[1], at[2]);
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      normal += places[i].cross(places[(i + 1) % places.size()]);
    }
    Eigen::Vector3d::Index drop = 0;
    normal.cwiseAbs().maxCoeff(&drop);
    const Eigen::Index across = (drop + 1) % 3;
    const Eigen::Index up = (drop + 2) % 3;
    const double side = normal[drop] < 0.0 ? -1.0 : 1.0;
    for (const Eigen::Vector3d& place : places)
      points_.emplace_back(side * place[across], place[up]);
  }

  [[nodiscard]] std::size_t size() const { return points_.size(); }

  /// Twice the area of a triangle; negative if it turns clockwise.
  [[nodiscard]] double turn(std::size_t a, std::size_t b, std::size_t c) const {
    const Eigen::Vector2d first = points_[b] - points_[a];
    const Eigen::Vector2d second = points_[c] - points_[a];
    return first.x() * second.y() - first.y() * second.x();
  }

  [[nodiscard]] bool is_fan() const {
    for (std::size_t i = 1; i + 1 < size(); ++i) {
      if (turn(0, i, i + 1) < 0.0) return false;
    }
    return true;
  }

  [[nodiscard]] bool contains(std::size_t a, std::size_t b, std::size_t c, std::size_t p) const {
    return turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
  }

 private:
  std::vector<Eigen::Vector2d> points_;
};

/// Whether the corner at `place` of what is left can be cut off.
bool is_ear(const FlatPolygon& polygon, const std::vector<std::size_t>& left, std::size_t place) {
  const std::size_t a = left[(place + left.size() - 1) % left.size()];
  const std::size_t b = left[place];
  const std::size_t c = left[(place + 1) % left.size()];
  if (!(polygon.turn(a, b, c) > 0.0)) return false;
  for (const std::size_t other : left) {
    if (other != a && other != b && other != c && polygon.contains(a, b, c, other)) return false;
  }
  return true;
}

void add_triangle(std::array<std::uint32_t, 3> corners, RawMesh& mesh) {
  if (mesh.triangles.size() >= most_triangles) {
    throw MeshFault(fmt::format("has more than {} triangles", most_triangles), "simplify the mesh");
  }
  mesh.triangles.push_back(corners);
}

void cut_ears(std::span<const std::uint32_t> corners, const FlatPolygon& polygon, RawMesh& mesh) {
  std::vector<std::size_t> left(corners.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  while (left.size() > 3) {
    std::size_t ear = 0;
    while (ear < left.size() && !is_ear(polygon, left, ear)) ++ear;
    // A polygon that crosses itself or has no area has no ears: any corner does.
    if (ear == left.size()) ear = 1;
    add_triangle({corners[left[(ear + left.size() - 1) % left.size()]], corners[left[ear]],
                  corners[left[(ear + 1) % left.size()]]},
                 mesh);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  add_triangle({corners[left[0]], corners[left[1]], corners[left[2]]}, mesh);
}

}  // namespace

std::array<float, 3> checked_vertex(double x, double y, double z) {
  constexpr double largest = std::numeric_limits<float>::max();
  std::array<float, 3> vertex{};
  std::size_t k = 0;
  for (const double value : {x, y, z}) {
    if (!(std::abs(value) <= largest)) throw MeshFault("has a vertex with NaN or infinity");
    vertex[k++] = static_cast<float>(value) + 0.0F;  // no negative zero
  }
  return vertex;
}

void check_indices(const RawMesh& mesh) {
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle) {
      if (corner < mesh.vertices.size()) continue;
      throw MeshFault(fmt::format("has a triangle with vertex {}, but only {} vertices", corner,
                                  mesh.vertices.size()));
    }
  }
}

void add_polygon(std::span<const std::uint32_t> corners, RawMesh& mesh) {
  if (corners.size() < 3) return;
  if (corners.size() == 3) return add_triangle({corners[0], corners[1], corners[2]}, mesh);
  if (corners.size() <= most_corners) {
    const FlatPolygon polygon(corners, mesh);
    if (!polygon.is_fan()) return cut_ears(corners, polygon, mesh);
  }
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    add_triangle({corners[0], corners[i], corners[i + 1]}, mesh);
  }
}

std::string_view MeshWords::word() {
  std::size_t at = 0;
  for (; at < rest_.size(); ++at) {
    if (rest_[at] == '\n') {
      ++line_;
    } else if (blanks.find(rest_[at]) == std::string_view::npos) {
      break;
    }
  }
  std::size_t end = at;
  while (end < rest_.size() && rest_[end] != '\n' &&
         blanks.find(rest_[end]) == std::string_view::npos) {
    ++end;
  }
  const std::string_view found = rest_.substr(at, end - at);
  rest_.remove_prefix(end);
  return found;
}

std::string_view MeshWords::rest_of_line() {
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  const std::string_view found = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return found;
}

double mesh_number(std::string_view word, int line) {
  const std::string_view whole = word;
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double value = 0.0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (stop != word.data() + word.size() || error == std::errc::invalid_argument) {
    throw MeshFault(word.empty() ? fmt::format("ends where a number should be, on line {}", line)
                                 : fmt::format("has '{:.40}' where a number should be, on line {}",
                                               whole, line));
  }
  // Out of range: too small is zero, too large is caught as infinite.
  if (error == std::errc::result_out_of_range) {
    return word.find("e-") != std::string_view::npos || word.find("E-") != std::string_view::npos
               ? 0.0
               : std::numeric_limits<double>::infinity();
  }
  return value;
}

}  // namespace stiction
