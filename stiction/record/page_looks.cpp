#include "stiction/record/page_looks.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "stiction/io/png_image.hpp"
#include "stiction/model/appearance.hpp"
#include "stiction/record/mesh_reduction.hpp"

namespace stiction {

namespace {

using Json = nlohmann::ordered_json;

/// Meshes with fewer triangles are small and show every corner.
constexpr std::size_t small_mesh = 2000;

std::string packed_points(const std::vector<Eigen::Vector3d>& points) {
  std::vector<float> column;
  column.reserve(3 * points.size());
  for (const Eigen::Vector3d& point : points) {
    for (const double x : point) column.push_back(static_cast<float>(x));
  }
  return pack(column);
}

template <class Corner>
std::string packed_triangles(const std::vector<std::array<Corner, 3>>& triangles) {
  std::vector<std::uint32_t> column;
  column.reserve(3 * triangles.size());
  for (const std::array<Corner, 3>& triangle : triangles) {
    for (const Corner corner : triangle) column.push_back(static_cast<std::uint32_t>(corner));
  }
  return pack(column);
}

void add_paint(Json& entry, const MeshPaint& paint) {
  if (!paint.texture_triangles.empty()) {
    std::vector<float> places;
    for (const auto& place : paint.texture_places) {
      places.insert(places.end(), place.begin(), place.end());
    }
    entry["texture_places"] = pack(places);
    entry["texture_triangles"] = packed_triangles(paint.texture_triangles);
  }
  if (!paint.triangle_colors.empty()) {
    entry["colors"] = paint.colors;
    entry["triangle_colors"] = pack(paint.triangle_colors);
  }
}

Json mesh_json(const Mesh& mesh, const MeshPaint& paint) {
  Json entry;
  entry["name"] = mesh.name;
  entry["vertices"] = packed_points(mesh.vertices);
  entry["triangles"] = packed_triangles(mesh.triangles);
  entry["hull_vertices"] = packed_points(mesh.hull_vertices);
  entry["hull_triangles"] = packed_triangles(mesh.hull_triangles);
  add_paint(entry, paint);
  return entry;
}

std::size_t size_of(const Json& entry) {
  std::size_t size = 0;
  for (const auto& [key, value] : entry.items()) {
    if (value.is_string()) size += value.get_ref<const std::string&>().size();
  }
  return size;
}

/// The meshes of a scene, each as it is drawn.
class DrawnMeshes {
 public:
  explicit DrawnMeshes(const Model& model) : meshes_(model.meshes()) {
    const Appearance& appearance = appearance_of(model);
    for (std::size_t i = 0; i < meshes_.size(); ++i) {
      const auto found = appearance.mesh_paints.find(static_cast<int>(i));
      paints_.push_back(found == appearance.mesh_paints.end() ? MeshPaint() : found->second);
      triangles_ += meshes_[i].triangles.size();
      entries_.push_back(mesh_json(meshes_[i], paints_[i]));
    }
  }

  /// Until all together take at most `most` bytes. Returns what was done, or nothing.
  std::string reduce(std::size_t most) {
    const std::size_t before = triangles_;
    std::size_t reduced = 0;
    for (std::size_t size = total(); size > most && largest() > small_mesh; size = total()) {
      // What small meshes take is not to be had; a fifth less each time at least.
      const double part =
          std::min(0.8, 0.9 * static_cast<double>(most) / static_cast<double>(size));
      reduced = 0;
      for (std::size_t i = 0; i < meshes_.size(); ++i) reduced += reduce_one(i, part) ? 1 : 0;
    }
    if (reduced == 0) return {};
    triangles_ = 0;
    for (const Mesh& mesh : meshes_) triangles_ += mesh.triangles.size();
    return fmt::format("{} of {} meshes are drawn with fewer triangles, {} instead of {} in all",
                       reduced, meshes_.size(), triangles_, before);
  }

  [[nodiscard]] Json take() { return std::move(entries_); }

 private:
  bool reduce_one(std::size_t i, double part) {
    const std::size_t count = meshes_[i].triangles.size();
    if (count <= small_mesh) return false;
    const auto wanted = static_cast<std::size_t>(part * static_cast<double>(count));
    reduce_triangles(meshes_[i], paints_[i], std::max(wanted, small_mesh));
    entries_[i] = mesh_json(meshes_[i], paints_[i]);
    return true;
  }

  [[nodiscard]] std::size_t total() const {
    std::size_t size = 0;
    for (const Json& entry : entries_) size += size_of(entry);
    return size;
  }

  [[nodiscard]] std::size_t largest() const {
    std::size_t most = 0;
    for (const Mesh& mesh : meshes_) most = std::max(most, mesh.triangles.size());
    return most;
  }

  std::vector<Mesh> meshes_;
  std::vector<MeshPaint> paints_;
  std::size_t triangles_ = 0;
  Json entries_ = Json::array();
};

/// Half the edges, by the mean of four pixels.
void halve(Texture& texture) {
  const int rows = std::max(texture.rows / 2, 1);
  const int columns = std::max(texture.columns / 2, 1);
  std::vector<unsigned char> pixels;
  const auto at = [&texture](int row, int column, int k) {
    const int r = std::min(row, texture.rows - 1);
    const int c = std::min(column, texture.columns - 1);
    return int{texture.pixels[static_cast<std::size_t>(3 * (r * texture.columns + c) + k)]};
  };
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      for (int k = 0; k < 3; ++k) {
        const int sum = at(2 * row, 2 * column, k) + at(2 * row, 2 * column + 1, k) +
                        at(2 * row + 1, 2 * column, k) + at(2 * row + 1, 2 * column + 1, k);
        pixels.push_back(static_cast<unsigned char>((sum + 2) / 4));
      }
    }
  }
  texture.rows = rows;
  texture.columns = columns;
  texture.pixels = std::move(pixels);
}

std::string png_of(const Texture& texture) {
  return base64_of(write_color_png(texture.rows, texture.columns, texture.pixels));
}

/// Returns what was done, or nothing.
std::string add_textures(Json& scene, std::vector<Texture> textures) {
  std::vector<std::string> images;
  std::vector<bool> smaller(textures.size(), false);
  std::size_t total = 0;
  for (const Texture& texture : textures) images.push_back(png_of(texture));
  for (const std::string& image : images) total += image.size();
  while (total > most_texture_bytes) {
    const auto size = [](const std::string& image) { return image.size(); };
    const auto largest = std::ranges::max_element(images, {}, size);
    const auto i = static_cast<std::size_t>(largest - images.begin());
    if (textures[i].rows * textures[i].columns == 1) break;
    total -= largest->size();
    halve(textures[i]);
    *largest = png_of(textures[i]);
    total += largest->size();
    smaller[i] = true;
  }
  scene["textures"] = Json::array();
  for (std::size_t i = 0; i < textures.size(); ++i) {
    scene["textures"].push_back({{"name", textures[i].name},
                                 {"columns", textures[i].columns},
                                 {"rows", textures[i].rows},
                                 {"png", images[i]}});
  }
  const auto count = std::ranges::count(smaller, true);
  if (count == 0) return {};
  return fmt::format("{} of {} textures are drawn with fewer pixels", count, textures.size());
}

Json finish_json(const Finish& finish) {
  Json entry{{"name", finish.name}};
  if (finish.texture >= 0) {
    entry["texture"] = finish.texture;
    entry["repeat"] = finish.repeat;
    entry["per_metre"] = finish.per_metre;
    entry["on_all_sides"] = finish.on_all_sides;
  }
  entry["roughness"] = finish.roughness;
  entry["metalness"] = finish.metalness;
  entry["emission"] = finish.emission;
  return entry;
}

}  // namespace

void add_looks(Json& scene, const Model& model) {
  DrawnMeshes meshes(model);
  std::string reduced = meshes.reduce(most_mesh_bytes);
  scene["meshes"] = meshes.take();
  const Appearance& appearance = appearance_of(model);
  if (!appearance.finishes.empty()) {
    const std::string textures = add_textures(scene, appearance.textures);
    if (!textures.empty()) reduced += (reduced.empty() ? "" : "; ") + textures;
    scene["finishes"] = Json::array();
    for (const Finish& finish : appearance.finishes) {
      scene["finishes"].push_back(finish_json(finish));
    }
  }
  for (const auto& [shape, finish] : appearance.shape_finishes) {
    scene["shapes"][static_cast<std::size_t>(shape)]["finish"] = finish;
  }
  if (!reduced.empty()) scene["reduced"] = reduced;
}

}  // namespace stiction
