#include "stiction/io/mesh_file.hpp"

#include <algorithm>
#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>
#include <string_view>
#include <system_error>

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

  void add(const aiMesh& part) {
    for (unsigned i = 0; i < part.mNumFaces; ++i) {
      const aiFace& face = part.mFaces[i];
      if (face.mNumIndices != 3) continue;
      std::array<int, 3> corners{};
      for (unsigned k = 0; k < 3; ++k) {
        if (face.mIndices[k] >= part.mNumVertices) return void(finite_ = false);
        corners[k] = vertex(part.mVertices[face.mIndices[k]]);
      }
      // A mirror turns triangles inside out.
      if (mirrored_) std::swap(corners[1], corners[2]);
      if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) {
        continue;
      }
      mesh.triangles.push_back(corners);
    }
  }

  [[nodiscard]] bool finite() const { return finite_; }

  Mesh mesh;

 private:
  int vertex(const aiVector3D& position) {
    const std::array<float, 3> key{position.x, position.y, position.z};
    if (!std::isfinite(key[0]) || !std::isfinite(key[1]) || !std::isfinite(key[2])) {
      finite_ = false;
      return 0;
    }
    const auto [entry, is_new] = index_.try_emplace(key, static_cast<int>(mesh.vertices.size()));
    if (is_new) {
      mesh.vertices.push_back(
          scale_.cwiseProduct(Eigen::Vector3d(position.x, position.y, position.z)));
    }
    return entry->second;
  }

  Eigen::Vector3d scale_;
  bool mirrored_;
  bool finite_ = true;
  std::map<std::array<float, 3>, int> index_;
};

void configure(Assimp::Importer& importer) {
  // Robots are z up whatever a Collada file says about its tool; ROS reads them so, too.
  importer.SetPropertyInteger(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE,
                              aiPrimitiveType_POINT | aiPrimitiveType_LINE);
}

MeshResult import_mesh(const std::filesystem::path& path, const Eigen::Vector3d& scale) {
  const std::string file = "mesh file " + path.string();
  Assimp::Importer importer;
  configure(importer);
  const aiScene* scene =
      importer.ReadFile(path.string(), aiProcess_Triangulate | aiProcess_SortByPType |
                                           aiProcess_PreTransformVertices);
  if (scene == nullptr) {
    return failure(file + " cannot be read (" + importer.GetErrorString() + ")",
                   "export the mesh again, or convert it to binary STL");
  }
  MeshWelder welder(scale);
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) welder.add(*scene->mMeshes[i]);
  if (!welder.finite()) {
    return failure(file + " has a vertex with NaN or infinity", "export the mesh again");
  }
  if (welder.mesh.triangles.empty()) {
    return failure(file + " has no triangles",
                   "export the surface of the shape, not points or lines");
  }
  MeshResult result;
  result.mesh = std::move(welder.mesh);
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
  } catch (const std::exception& error) {
    return failure("mesh file " + path.string() + " cannot be read (" + error.what() + ")",
                   "export the mesh again");
  }
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
