#include "stiction/io/mjcf_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <system_error>
#include <vector>

namespace stiction {

namespace {

constexpr std::uintmax_t largest_file = std::uintmax_t{256} << 20;  // [bytes]

/// Moments in falling order, and their axes as a rotation. Turns axis by axis and stops where the
/// rest is rounding, so that axes that are principal already stay as they are.
std::pair<Eigen::Vector3d, Eigen::Matrix3d> principal_axes(Eigen::Matrix3d inertia) {
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  const double negligible = 1e-12 * inertia.trace();
  for (int turn = 0; turn < 100; ++turn) {
    int row = 0;
    int column = 1;
    for (const auto& [i, j] : {std::pair(0, 2), std::pair(1, 2)}) {
      if (std::abs(inertia(i, j)) > std::abs(inertia(row, column))) {
        row = i;
        column = j;
      }
    }
    if (!(std::abs(inertia(row, column)) > negligible)) break;
    const double angle =
        0.5 * std::atan2(2.0 * inertia(row, column), inertia(column, column) - inertia(row, row));
    Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
    rotation(row, row) = rotation(column, column) = std::cos(angle);
    rotation(row, column) = std::sin(angle);
    rotation(column, row) = -std::sin(angle);
    inertia = rotation.transpose() * inertia * rotation;
    axes = axes * rotation;
  }
  std::array<int, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(),
                   [&inertia](int a, int b) { return inertia(a, a) > inertia(b, b); });
  Eigen::Vector3d moments;
  Eigen::Matrix3d sorted;
  for (int i = 0; i < 3; ++i) {
    const int from = order[static_cast<std::size_t>(i)];
    moments[i] = inertia(from, from);
    sorted.col(i) = axes.col(from);
  }
  if (sorted.determinant() < 0.0) sorted.col(2) *= -1.0;
  return {moments, sorted};
}

/// The primitive inside of a box with these half sizes. A capsule's cap is cut by `cap` of its
/// radius.
Eigen::Vector3d inside_box(ShapeKind kind, const Eigen::Vector3d& half, double sphere,
                           double radius, double cap) {
  switch (kind) {
    case ShapeKind::sphere:
      return {sphere, 0.0, 0.0};
    case ShapeKind::capsule:
      return {radius, std::max(0.0, half.z() - cap * radius), 0.0};
    case ShapeKind::cylinder:
      return {radius, half.z(), 0.0};
    default:
      return half;
  }
}

template <class Number>
bool read_numbers(std::ifstream& stream, std::vector<Number>& numbers) {
  stream.read(reinterpret_cast<char*>(numbers.data()),
              static_cast<std::streamsize>(numbers.size() * sizeof(Number)));
  return static_cast<bool>(stream);
}

}  // namespace

Mesh read_msh(const std::filesystem::path& file, std::string& problem, MeshPaint& paint) {
  Mesh mesh;
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  std::ifstream stream(file, std::ios::binary);
  std::vector<std::int32_t> counts(4);
  if (failed || !read_numbers(stream, counts)) {
    problem = fmt::format("mesh file {} cannot be read", file.string());
    return mesh;
  }
  const bool positive = std::all_of(counts.begin(), counts.end(), [](int n) { return n >= 0; });
  std::uintmax_t expected = 0;
  if (positive) {
    const auto n = [&counts](std::size_t i) { return static_cast<std::uintmax_t>(counts[i]); };
    expected = 16 + 12 * n(0) + 12 * n(1) + 8 * n(2) + 12 * n(3);
  }
  if (!positive || counts[0] < 4 || size > largest_file || size != expected) {
    problem = fmt::format(
        "mesh file {} is not in MuJoCo's MSH format: its counts do not fit its "
        "length of {} bytes",
        file.string(), size);
    return mesh;
  }
  std::vector<float> vertices(3 * static_cast<std::size_t>(counts[0]));
  std::vector<float> normals(3 * static_cast<std::size_t>(counts[1]));
  std::vector<float> places(2 * static_cast<std::size_t>(counts[2]));
  std::vector<std::int32_t> faces(3 * static_cast<std::size_t>(counts[3]));
  read_numbers(stream, vertices);
  read_numbers(stream, normals);
  read_numbers(stream, places);
  if (!read_numbers(stream, faces) ||
      !std::all_of(vertices.begin(), vertices.end(), [](float x) { return std::isfinite(x); }) ||
      !std::all_of(faces.begin(), faces.end(),
                   [&counts](std::int32_t i) { return i >= 0 && i < counts[0]; })) {
    problem = fmt::format("mesh file {} has NaN, infinite, or missing vertices", file.string());
    return mesh;
  }
  for (std::size_t i = 0; i < vertices.size(); i += 3) {
    mesh.vertices.emplace_back(vertices[i], vertices[i + 1], vertices[i + 2]);
  }
  for (std::size_t i = 0; i < faces.size(); i += 3) {
    mesh.triangles.push_back({faces[i], faces[i + 1], faces[i + 2]});
  }
  mesh.file = file.string();
  const bool finite = std::ranges::all_of(places, [](float x) { return std::isfinite(x); });
  if (counts[2] == counts[0] && finite) {
    // One for each vertex, counted from the upper edge of the texture.
    for (std::size_t i = 0; i + 1 < places.size(); i += 2) {
      paint.texture_places.push_back({places[i], 1.0F - places[i + 1]});
    }
    for (std::size_t i = 0; i < faces.size(); i += 3) {
      const auto corner = [&](std::size_t k) { return static_cast<std::uint32_t>(faces[i + k]); };
      paint.texture_triangles.push_back({corner(0), corner(1), corner(2)});
    }
  }
  return mesh;
}

bool shell_inertia(const Mesh& mesh, BodyInertia& result) {
  double area = 0.0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();   // ∫ x dA
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();  // ∫ x xᵀ dA
  for (const auto& triangle : mesh.triangles) {
    Eigen::Matrix3d corners;
    for (std::size_t k = 0; k < 3; ++k) {
      corners.col(static_cast<Eigen::Index>(k)) =
          mesh.vertices[static_cast<std::size_t>(triangle[k])];
    }
    const Eigen::Vector3d side = corners.col(1) - corners.col(0);
    const double part = 0.5 * side.cross(corners.col(2) - corners.col(0)).norm();
    const Eigen::Vector3d sum = corners.rowwise().sum();
    area += part;
    first += part / 3.0 * sum;
    second += part / 12.0 * (sum * sum.transpose() + corners * corners.transpose());
  }
  if (!(area > 0.0)) return false;
  result.mass = area;
  result.center_of_mass = first / area;
  const Eigen::Matrix3d spread =
      second - area * result.center_of_mass * result.center_of_mass.transpose();
  result.inertia = spread.trace() * Eigen::Matrix3d::Identity() - spread;
  return true;
}

FittedShape fit_shape(ShapeKind kind, const Mesh& mesh, const BodyInertia& solid, bool to_bounds) {
  FittedShape result;
  const auto [moments, axes] = principal_axes(solid.inertia);
  result.pose.linear() = axes;
  result.pose.translation() = solid.center_of_mass;
  if (!to_bounds) {
    Eigen::Vector3d half;
    for (int i = 0; i < 3; ++i) {
      const double square = 6.0 * (moments.sum() - 2.0 * moments[i]) / solid.mass;
      half[i] = 0.5 * std::sqrt(std::max(0.0, square));
    }
    result.size = inside_box(kind, half, half.mean(), 0.5 * (half.x() + half.y()), 0.5);
    return result;
  }
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3d& vertex : mesh.vertices) {
    box.extend(Eigen::Vector3d(axes.transpose() * (vertex - solid.center_of_mass)));
  }
  const Eigen::Vector3d half = 0.5 * box.sizes();
  result.pose.translation() += axes * box.center();
  result.size = inside_box(kind, half, half.maxCoeff(), std::max(half.x(), half.y()), 1.0);
  return result;
}

}  // namespace stiction
