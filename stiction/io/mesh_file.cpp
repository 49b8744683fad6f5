#include "stiction/io/mesh_file.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <fstream>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "stiction/io/raw_mesh.hpp"

namespace stiction {

namespace {

constexpr std::uintmax_t largest_mesh_file = std::uintmax_t{256} << 20;  // [bytes]
constexpr std::array<std::string_view, 4> known_endings{".stl", ".obj", ".dae", ".ply"};

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

MeshResult failure(std::string problem, std::string remedy) {
  MeshResult result;
  result.problem = std::move(problem);
  result.remedy = std::move(remedy);
  return result;
}

/// Everything that can be known about a mesh file without opening it; empty `problem` if all is
/// well.
MeshResult check_file(const std::filesystem::path& path) {
  const std::string file = "mesh file " + path.string();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::directory) {
    return failure(file + " is a folder", "name the mesh file inside it");
  }
  if (status.type() != std::filesystem::file_type::regular) {
    return failure(file + " does not exist", "check its path");
  }
  const std::string ending = lower_case(path.extension().string());
  if (std::find(known_endings.begin(), known_endings.end(), ending) == known_endings.end()) {
    return failure(file + " has the unknown extension '" + ending + "'",
                   "convert it to .stl, .obj, .dae or .ply");
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return failure(file + " cannot be read", "check its permissions");
  if (size == 0) return failure(file + " is empty", "export the mesh again");
  if (size > largest_mesh_file) {
    return failure(file + " is larger than 256 MB", "simplify the mesh");
  }
  return {};
}

/// Gathers triangles, each place in space once: STL repeats every corner, and hull and volume
/// are better off without the repeats.
class MeshWelder {
 public:
  explicit MeshWelder(const Eigen::Vector3d& scale)
      : scale_(scale), mirrored_(scale.prod() < 0.0) {}

  /// Numbers of the triangles in `raw` that are left.
  [[nodiscard]] const std::vector<std::size_t>& kept() const { return kept_; }
  [[nodiscard]] bool mirrored() const { return mirrored_; }

  Mesh weld(const RawMesh& raw) {
    // Each vertex of the file is looked up once, when the first triangle uses it.
    std::vector<int> place(raw.vertices.size(), -1);
    index_.reserve(std::min(raw.vertices.size(), raw.triangles.size()));
    mesh_.triangles.reserve(raw.triangles.size());
    for (std::size_t i = 0; i < raw.triangles.size(); ++i) {
      const auto& triangle = raw.triangles[i];
      std::array<int, 3> corners{};
      for (std::size_t k = 0; k < 3; ++k) {
        int& known = place[triangle[k]];
        if (known < 0) known = vertex(raw.vertices[triangle[k]]);
        corners[k] = known;
      }
      // A mirror turns triangles inside out.
      if (mirrored_) std::swap(corners[1], corners[2]);
      if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) {
        continue;
      }
      mesh_.triangles.push_back(corners);
      kept_.push_back(i);
    }
    return std::move(mesh_);
  }

 private:
  struct Hash {
    std::size_t operator()(const std::array<float, 3>& place) const {
      std::uint64_t mixed = 0;
      for (const float number : place) {
        mixed = (mixed ^ std::bit_cast<std::uint32_t>(number)) * 0x9E3779B97F4A7C15U;
        mixed ^= mixed >> 29U;
      }
      return mixed;
    }
  };

  int vertex(const std::array<float, 3>& place) {
    const auto [entry, is_new] = index_.try_emplace(place, static_cast<int>(mesh_.vertices.size()));
    if (is_new) {
      mesh_.vertices.push_back(scale_.cwiseProduct(Eigen::Vector3d(place[0], place[1], place[2])));
    }
    return entry->second;
  }

  Eigen::Vector3d scale_;
  bool mirrored_;
  Mesh mesh_;
  std::vector<std::size_t> kept_;
  std::unordered_map<std::array<float, 3>, int, Hash> index_;
};

std::string bytes_of(const std::filesystem::path& path, std::uintmax_t size) {
  std::string bytes(size, '\0');
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw MeshFault("cannot be opened", "check its permissions");
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  // It may have shrunk since its size was asked for.
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

/// What a repository has in place of a large file until it is fetched.
void refuse_pointer(const std::filesystem::path& path) {
  constexpr std::string_view pointer = "version https://git-lfs";
  if (bytes_of(path, pointer.size()) != pointer) return;
  throw MeshFault("is not the mesh but a pointer to it (Git LFS)",
                  "fetch the files with `git lfs pull`");
}

/// Own readers for what robots mostly have: they are faster, and no file can harm them.
RawMesh read_raw_mesh(const std::filesystem::path& path) {
  refuse_pointer(path);
  const std::uintmax_t size = std::filesystem::file_size(path);
  const std::string ending = lower_case(path.extension().string());
  if (ending == ".stl") return read_stl(bytes_of(path, size));
  if (ending == ".obj") return read_obj(bytes_of(path, size));
  if (ending == ".ply") return read_ply(bytes_of(path, size));
  return read_foreign_mesh(path, size);
}

/// Points without faces stand for their convex hull; empty if they are flat.
Mesh hull_of_points(const RawMesh& raw, const Eigen::Vector3d& scale) {
  Mesh points;
  for (const std::array<float, 3>& place : raw.vertices) {
    points.vertices.emplace_back(scale.cwiseProduct(Eigen::Vector3d(place[0], place[1], place[2])));
    if (!points.vertices.back().allFinite()) {
      throw MeshFault("has vertices that are not finite numbers");
    }
  }
  Mesh mesh;
  if (add_convex_hull(points)) {
    mesh.vertices = std::move(points.hull_vertices);
    mesh.triangles = std::move(points.hull_triangles);
  }
  return mesh;
}

/// Colours that a mesh names are in files beside it. Without them it has the color of its shape.
void read_libraries(const std::filesystem::path& mesh, RawPaint& paint) {
  constexpr std::uintmax_t largest = std::uintmax_t{1} << 20;  // [bytes]
  constexpr std::size_t most = 16;
  for (std::size_t i = 0; i < std::min(most, paint.libraries.size()); ++i) {
    const std::string& name = paint.libraries[i];
    const std::filesystem::path path = mesh.parent_path() / name;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    read_mtl(bytes_of(path, largest), paint.materials);
  }
}

/// The same for the triangles that are left.
template <class Entry>
std::vector<Entry> of_kept(const std::vector<Entry>& all, const std::vector<std::size_t>& kept,
                           const Entry& none) {
  std::vector<Entry> left;
  left.reserve(kept.size());
  for (const std::size_t i : kept) left.push_back(i < all.size() ? all[i] : none);
  return left;
}

void take_places(const RawPaint& raw, const MeshWelder& welder, MeshPaint& paint) {
  using Places = std::array<std::uint32_t, 3>;
  if (raw.triangle_places.empty()) return;
  paint.texture_places = raw.places;
  constexpr Places none{MeshPaint::none, MeshPaint::none, MeshPaint::none};
  paint.texture_triangles = of_kept(raw.triangle_places, welder.kept(), none);
  for (Places& places : paint.texture_triangles) {
    if (welder.mirrored()) std::swap(places[1], places[2]);
  }
}

void take_colors(const RawPaint& raw, const MeshWelder& welder, MeshPaint& paint) {
  const bool plain = std::ranges::all_of(raw.materials, [](const RawMaterial& material) {
    return material.color == std::array{1.0F, 1.0F, 1.0F};
  });
  if (plain) return;
  for (const RawMaterial& material : raw.materials) paint.colors.push_back(material.color);
  const auto white = static_cast<std::uint32_t>(paint.colors.size());
  paint.triangle_colors = of_kept(raw.triangle_materials, welder.kept(), RawPaint::none);
  for (std::uint32_t& color : paint.triangle_colors) color = std::min(color, white);
  paint.colors.push_back({1.0F, 1.0F, 1.0F});
}

void take_looks(RawPaint& raw, const std::filesystem::path& path, const MeshWelder& welder,
                MeshResult& result) {
  read_libraries(path, raw);
  take_places(raw, welder, result.paint);
  take_colors(raw, welder, result.paint);
  const auto pictured = std::ranges::find_if(
      raw.materials, [](const RawMaterial& material) { return !material.picture.empty(); });
  if (pictured == raw.materials.end() || result.paint.texture_triangles.empty()) return;
  result.picture = path.parent_path() / pictured->picture;
  const auto materials = of_kept(raw.triangle_materials, welder.kept(), RawPaint::none);
  for (std::size_t i = 0; i < materials.size(); ++i) {
    const bool there = materials[i] < raw.materials.size() &&
                       raw.materials[materials[i]].picture == pictured->picture;
    if (!there) result.without_picture.push_back(i);
  }
}

MeshResult import_mesh(const std::filesystem::path& path, const Eigen::Vector3d& scale) {
  RawMesh raw = read_raw_mesh(path);
  check_indices(raw);
  MeshResult result;
  if (raw.triangles.empty()) {
    result.mesh = hull_of_points(raw, scale);
  } else {
    MeshWelder welder(scale);
    result.mesh = welder.weld(raw);
    take_looks(raw.paint, path, welder, result);
  }
  if (result.mesh.triangles.empty()) {
    throw MeshFault("has no triangles", "export the surface of the shape, not points or lines");
  }
  result.mesh.file = path.string();
  result.mesh.name = path.stem().string();
  return result;
}

}  // namespace

MeshResult read_mesh(const std::filesystem::path& path, const Eigen::Vector3d& scale) {
  if (!scale.allFinite() || scale.prod() == 0.0) {
    return failure("the scale of mesh file " + path.string() + " is zero, NaN or infinite",
                   "give three finite numbers other than zero");
  }
  MeshResult checked = check_file(path);
  if (!checked.problem.empty()) return checked;
  try {
    return import_mesh(path, scale);
  } catch (const MeshFault& fault) {
    return failure("mesh file " + path.string() + ' ' + fault.what(), fault.remedy());
  } catch (const std::exception& error) {
    return failure("mesh file " + path.string() + " cannot be read (" + error.what() + ")",
                   "export the mesh again");
  }
}

std::size_t count_open_edges(const Mesh& mesh) {
  // Each edge as often one way as the other: +1 for one, -1 for the other.
  std::unordered_map<std::uint64_t, int> balance;
  balance.reserve(2 * mesh.triangles.size());
  for (const auto& triangle : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint64_t from = static_cast<std::uint32_t>(triangle[k]);
      const std::uint64_t to = static_cast<std::uint32_t>(triangle[(k + 1) % 3]);
      balance[std::min(from, to) << 32U | std::max(from, to)] += from < to ? 1 : -1;
    }
  }
  std::size_t open = 0;
  for (const auto& [edge, count] : balance) open += count != 0 ? 1 : 0;
  return open;
}

bool solid_inertia(const Mesh& mesh, double density, BodyInertia& result) {
  if (mesh.triangles.empty()) return false;
  // Sums over tetrahedra from a point amid the mesh, which keeps cancellation small.
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& vertex : mesh.vertices) middle += vertex;
  middle /= static_cast<double>(mesh.vertices.size());

  double volume = 0.0;
  double size = 0.0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();   // ∫ x dV
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();  // ∫ x xᵀ dV
  for (const auto& triangle : mesh.triangles) {
    Eigen::Matrix3d corners;
    for (int k = 0; k < 3; ++k) {
      corners.col(k) =
          mesh.vertices[static_cast<std::size_t>(triangle[static_cast<std::size_t>(k)])] - middle;
    }
    const double part = corners.determinant() / 6.0;
    const Eigen::Vector3d sum = corners.rowwise().sum();
    volume += part;
    size += std::abs(part);
    first += part / 4.0 * sum;
    second += part / 20.0 * (sum * sum.transpose() + corners * corners.transpose());
  }
  // An open or flat surface encloses rounding noise only.
  if (!(std::abs(volume) > 1e-9 * size)) return false;
  const Eigen::Vector3d center = first / volume;
  const double mass = density * std::abs(volume);
  const Eigen::Matrix3d spread =
      density * std::abs(volume) * (second / volume - center * center.transpose());
  result.mass = mass;
  result.center_of_mass = middle + center;
  result.inertia = spread.trace() * Eigen::Matrix3d::Identity() - spread;
  return mass > 0.0;
}

bool legacy_inertia(const Mesh& mesh, double density, BodyInertia& result) {
  const auto corners_from = [&mesh](const std::array<int, 3>& triangle,
                                    const Eigen::Vector3d& start) {
    Eigen::Matrix3d corners;
    for (int k = 0; k < 3; ++k) {
      const int vertex = triangle[static_cast<std::size_t>(k)];
      corners.col(k) = mesh.vertices[static_cast<std::size_t>(vertex)] - start;
    }
    return corners;
  };
  double area = 0.0;
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();  // of the surface
  for (const auto& triangle : mesh.triangles) {
    const Eigen::Matrix3d corners = corners_from(triangle, Eigen::Vector3d::Zero());
    const double part =
        0.5 * (corners.col(1) - corners.col(0)).cross(corners.col(2) - corners.col(0)).norm();
    area += part;
    middle += part / 3.0 * corners.rowwise().sum();
  }
  if (!(area > 0.0)) return false;
  middle /= area;
  double volume = 0.0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  for (const auto& triangle : mesh.triangles) {
    const Eigen::Matrix3d corners = corners_from(triangle, middle);
    const double part = std::abs(corners.determinant()) / 6.0;
    volume += part;
    first += part / 4.0 * corners.rowwise().sum();
  }
  if (!(volume > 1e-9 * std::pow(area, 1.5))) return false;  // flat but for rounding
  result.center_of_mass = middle + first / volume;
  // Once more from the centre, which changes the volume if the mesh is not convex.
  volume = 0.0;
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (const auto& triangle : mesh.triangles) {
    const Eigen::Matrix3d corners = corners_from(triangle, result.center_of_mass);
    const double part = std::abs(corners.determinant()) / 6.0;
    const Eigen::Vector3d sum = corners.rowwise().sum();
    volume += part;
    second += part / 20.0 * (sum * sum.transpose() + corners * corners.transpose());
  }
  result.mass = density * volume;
  result.inertia = density * (second.trace() * Eigen::Matrix3d::Identity() - second);
  return true;
}

}  // namespace stiction
