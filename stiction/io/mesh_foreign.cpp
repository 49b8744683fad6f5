#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <cmath>
#include <cstring>
#include <exception>
#include <new>

#include "stiction/io/child_process.hpp"
#include "stiction/io/raw_mesh.hpp"

namespace stiction {

namespace {

constexpr std::uint64_t most_memory = std::uint64_t{1536} << 20;  // [bytes]
constexpr std::uint64_t most_output = std::uint64_t{600} << 20;   // [bytes]
constexpr double least_seconds = 10.0;
constexpr double seconds_per_byte = 1e-6;

/// First byte of what the child answers.
constexpr char answer_is_mesh = 'm';
constexpr char answer_is_fault = 'f';

void configure(Assimp::Importer& importer) {
  // Robots are z up whatever a Collada file says about its tool; ROS reads them so, too.
  importer.SetPropertyInteger(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE,
                              aiPrimitiveType_POINT | aiPrimitiveType_LINE);
}

template <class Value>
void append(const Value& value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Value>
Value take(std::string_view& bytes) {
  if (bytes.size() < sizeof(Value)) throw MeshFault("cannot be read (the answer is cut short)");
  Value value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

void append_text(std::string_view text, std::string& bytes) {
  append(static_cast<std::uint32_t>(text.size()), bytes);
  bytes.append(text);
}

std::string take_text(std::string_view& bytes) {
  const auto size = take<std::uint32_t>(bytes);
  if (bytes.size() < size) throw MeshFault("cannot be read (the answer is cut short)");
  const std::string text(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return text;
}

/// Colour and picture of a part.
void append_material(const aiMaterial* material, std::string& bytes) {
  aiColor3D color(1.0F, 1.0F, 1.0F);
  aiString picture;
  if (material != nullptr) {
    static_cast<void>(material->Get(AI_MATKEY_COLOR_DIFFUSE, color));
    static_cast<void>(material->GetTexture(aiTextureType_DIFFUSE, 0, &picture));
  }
  append(std::array<float, 3>{color.r, color.g, color.b}, bytes);
  append_text({picture.data, picture.length}, bytes);
}

/// Places in its texture, one for each vertex, or none.
void append_places(const aiMesh& part, std::string& bytes) {
  const bool has_places = part.HasTextureCoords(0);
  append(std::uint32_t{has_places ? part.mNumVertices : 0}, bytes);
  for (unsigned i = 0; has_places && i < part.mNumVertices; ++i) {
    const aiVector3D& at = part.mTextureCoords[0][i];
    append(std::array<float, 2>{at.x, at.y}, bytes);
  }
}

void append_mesh(const aiMesh& part, std::string& bytes) {
  append(std::uint32_t{part.mNumVertices}, bytes);
  for (unsigned i = 0; i < part.mNumVertices; ++i) {
    const aiVector3D& at = part.mVertices[i];
    append(std::array<float, 3>{at.x, at.y, at.z}, bytes);
  }
  std::uint32_t triangles = 0;
  for (unsigned i = 0; i < part.mNumFaces; ++i) triangles += part.mFaces[i].mNumIndices == 3;
  append(triangles, bytes);
  for (unsigned i = 0; i < part.mNumFaces; ++i) {
    const aiFace& face = part.mFaces[i];
    if (face.mNumIndices != 3) continue;
    append(std::array<std::uint32_t, 3>{face.mIndices[0], face.mIndices[1], face.mIndices[2]},
           bytes);
  }
}

/// What the child process answers: every part of the scene, or a fault.
std::string import_scene(const std::string& path) {
  try {
    Assimp::Importer importer;
    configure(importer);
    const aiScene* scene = importer.ReadFile(
        path, aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_PreTransformVertices);
    if (scene == nullptr) return answer_is_fault + std::string(importer.GetErrorString());
    std::string bytes(1, answer_is_mesh);
    append(std::uint32_t{scene->mNumMeshes}, bytes);
    for (unsigned i = 0; i < scene->mNumMeshes; ++i) {
      const aiMesh& part = *scene->mMeshes[i];
      append_mesh(part, bytes);
      const bool has_material = part.mMaterialIndex < scene->mNumMaterials;
      append_material(has_material ? scene->mMaterials[part.mMaterialIndex] : nullptr, bytes);
      append_places(part, bytes);
    }
    return bytes;
  } catch (const std::bad_alloc&) {
    return answer_is_fault + std::string("it needs too much memory");
  } catch (const std::exception& error) {
    return answer_is_fault + std::string(error.what());
  }
}

/// Looks of the part whose triangles are the last ones of the mesh.
void take_looks(std::string_view& bytes, std::uint32_t vertices, std::uint32_t first,
                RawMesh& mesh) {
  RawPaint& paint = mesh.paint;
  RawMaterial material;
  material.color = take<std::array<float, 3>>(bytes);
  for (float& value : material.color) value = value >= 0.0F ? std::min(value, 1.0F) : 0.0F;
  material.picture = take_text(bytes);
  const std::size_t painted = paint.triangle_materials.size();
  paint.triangle_materials.resize(mesh.triangles.size(),
                                  static_cast<std::uint32_t>(paint.materials.size()));
  paint.materials.push_back(std::move(material));
  const auto places = take<std::uint32_t>(bytes);
  if (places == 0) return;
  if (places != vertices) throw MeshFault("cannot be read (the answer is damaged)");
  const auto first_place = static_cast<std::uint32_t>(paint.places.size());
  for (std::uint32_t i = 0; i < places; ++i) {
    auto place = take<std::array<float, 2>>(bytes);
    for (float& value : place) value = std::abs(value) < 1e6F ? value : 0.0F;
    paint.places.push_back(place);
  }
  constexpr std::array<std::uint32_t, 3> no_places{RawPaint::none, RawPaint::none, RawPaint::none};
  paint.triangle_places.resize(painted, no_places);
  for (std::size_t i = painted; i < mesh.triangles.size(); ++i) {
    auto corners = mesh.triangles[i];
    for (std::uint32_t& corner : corners) corner += first_place - first;
    paint.triangle_places.push_back(corners);
  }
}

void take_mesh(std::string_view& bytes, RawMesh& mesh) {
  const std::size_t first = mesh.vertices.size();
  const auto vertices = take<std::uint32_t>(bytes);
  for (std::uint32_t i = 0; i < vertices; ++i) {
    const auto at = take<std::array<float, 3>>(bytes);
    mesh.vertices.push_back(checked_vertex(at[0], at[1], at[2]));
  }
  const auto triangles = take<std::uint32_t>(bytes);
  for (std::uint32_t i = 0; i < triangles; ++i) {
    auto corners = take<std::array<std::uint32_t, 3>>(bytes);
    for (std::uint32_t& corner : corners) {
      if (corner >= vertices) {
        throw MeshFault("has a triangle with a vertex that is not there");
      }
      corner += static_cast<std::uint32_t>(first);
    }
    add_polygon(corners, mesh);
  }
  take_looks(bytes, vertices, static_cast<std::uint32_t>(first), mesh);
}

}  // namespace

RawMesh read_foreign_mesh(const std::filesystem::path& path, std::uintmax_t size) {
  const ChildLimits limits{.seconds = least_seconds + seconds_per_byte * static_cast<double>(size),
                           .memory = most_memory,
                           .output = most_output};
  const std::string name = path.string();
  const ChildResult answer = run_in_child([&name] { return import_scene(name); }, limits);
  const std::string remedy = "export the mesh again, or convert it to binary STL";
  if (!answer.fault.empty()) {
    throw MeshFault("cannot be read (its reader " + answer.fault + ")", remedy);
  }
  std::string_view bytes = answer.output;
  if (bytes.empty()) throw MeshFault("cannot be read (its reader ended early)", remedy);
  if (bytes[0] != answer_is_mesh) {
    throw MeshFault("cannot be read (" + std::string(bytes.substr(1)) + ")", remedy);
  }
  bytes.remove_prefix(1);
  RawMesh mesh;
  const auto parts = take<std::uint32_t>(bytes);
  for (std::uint32_t i = 0; i < parts; ++i) take_mesh(bytes, mesh);
  return mesh;
}

}  // namespace stiction
