#include "stiction/io/urdf_meshes.hpp"

#include <array>
#include <map>
#include <string_view>

#include "stiction/io/mesh_file.hpp"
#include "stiction/io/png_image.hpp"
#include "stiction/io/resource_path.hpp"
#include "stiction/io/urdf_scan.hpp"

namespace stiction {

namespace {

class MeshLoader {
 public:
  MeshLoader(const XmlFile& file, const std::filesystem::path& folder, const LoadOptions& options,
             ModelBuilder& builder, ProblemList& problems, AppearanceSpec& looks)
      : file_(file),
        folder_(folder),
        options_(options),
        builder_(builder),
        problems_(problems),
        looks_(looks) {}

  void load(UrdfShape& shape, bool collides) {
    const std::string uri = shape.geometry.attribute("filename").value();
    if (std::string_view(shape.geometry.name()) != "mesh" || uri.empty()) return;
    const std::vector<double> scale = urdf_numbers(shape.geometry, "scale", {1.0, 1.0, 1.0});
    if (scale[0] * scale[1] * scale[2] == 0.0) return;  // the scan has said it
    // Collision shapes come first, so whoever shares a mesh with one finds its hull made.
    const Key key{uri, {scale[0], scale[1], scale[2]}};
    auto found = known_.find(key);
    if (found == known_.end()) {
      found = known_.emplace(key, read(key, collides)).first;
      if (const std::string& note = found->second.note; !note.empty()) {
        problems_.note(urdf_source(file_, shape.geometry), note);
      }
    }
    Entry& entry = found->second;
    shape.mesh = entry.index;
    if (entry.problem.empty()) {
      if (!collides) paint(entry, shape);
      return;
    }
    const Source source = urdf_source(file_, shape.geometry);
    if (collides) {
      problems_.error(source, entry.problem, entry.remedy);
    } else {
      shape.dropped = true;
      problems_.warning(source, entry.problem + "; the visual shape is left out", entry.remedy);
    }
  }

  /// The texture that the <material> of a visual shape names.
  void load_texture(UrdfShape& shape) {
    if (shape.dropped) return;
    if (!shape.texture.empty()) {
      const ResourcePath resource = find_resource(shape.texture, folder_, options_.package_folders);
      if (resource.problem.empty()) {
        shape.finish = finish(resource.path, shape);
      } else {
        problems_.warning(urdf_source(file_, shape.element),
                          resource.problem + "; the shape is drawn in its color", resource.remedy);
      }
    }
    if (shape.finish >= 0 && !shape.has_color) shape.color = {1.0F, 1.0F, 1.0F, 1.0F};
  }

 private:
  static constexpr double most_pixels = 4096.0 * 4096.0;  ///< of a texture

  using Key = std::pair<std::string, std::array<double, 3>>;
  struct Entry {
    int index = -1;
    std::string problem;
    std::string remedy;
    std::string note;
    MeshPaint paint{};
    std::vector<std::size_t> without_picture{};
    std::filesystem::path picture{};
  };

  /// Colors and the texture that the mesh file itself names. What a <material> names decides.
  void paint(Entry& entry, UrdfShape& shape) {
    if (shape.texture.empty() && !entry.picture.empty()) {
      shape.finish = finish(entry.picture, shape);
      for (const std::size_t i : entry.without_picture) {
        entry.paint.texture_triangles[i].fill(MeshPaint::none);
      }
      entry.without_picture.clear();
    }
    if (!entry.paint.colors.empty() || !entry.paint.texture_triangles.empty()) {
      looks_.mesh_paints[entry.index] = entry.paint;
    }
  }

  /// The finish with a texture; -1, with a warning, if it cannot be read.
  int finish(const std::filesystem::path& path, const UrdfShape& shape) {
    const auto [known, is_new] = finishes_.try_emplace(path.string(), -1);
    if (!is_new) return known->second;
    ColorImage image = read_color_png(path, most_pixels);
    if (!image.problem.empty()) {
      problems_.warning(urdf_source(file_, shape.element),
                        image.problem + "; the shape is drawn in its color", image.remedy);
      return -1;
    }
    looks_.textures.push_back(
        {path.stem().string(), image.rows, image.columns, std::move(image.pixels)});
    Finish finish;
    finish.name = path.stem().string();
    finish.texture = static_cast<int>(looks_.textures.size()) - 1;
    finish.on_all_sides = true;
    known->second = static_cast<int>(looks_.finishes.size());
    looks_.finishes.push_back(std::move(finish));
    return known->second;
  }

  Entry read(const Key& key, bool collides) {
    const ResourcePath resource = find_resource(key.first, folder_, options_.package_folders);
    if (!resource.problem.empty()) return {-1, resource.problem, resource.remedy, {}};
    MeshResult result = read_mesh(resource.path, {key.second[0], key.second[1], key.second[2]});
    if (!result.problem.empty()) return {-1, result.problem, result.remedy, {}};
    // Flat meshes get none; the builder decides whether that hurts.
    std::string note;
    if (collides && add_convex_hull(result.mesh)) {
      if (const auto reduction = reduce_hull(result.mesh)) note = reduction->to_string();
    }
    return {builder_.add_mesh(std::move(result.mesh)),
            {},
            {},
            std::move(note),
            std::move(result.paint),
            std::move(result.without_picture),
            std::move(result.picture)};
  }

  const XmlFile& file_;
  const std::filesystem::path& folder_;
  const LoadOptions& options_;
  ModelBuilder& builder_;
  ProblemList& problems_;
  AppearanceSpec& looks_;
  std::map<Key, Entry> known_;
  std::map<std::string, int> finishes_;  ///< by path of the texture; -1: it cannot be read
};

}  // namespace

void load_urdf_meshes(UrdfRecord& record, const XmlFile& file, const std::filesystem::path& folder,
                      const LoadOptions& options, ModelBuilder& builder, ProblemList& problems,
                      AppearanceSpec& looks) {
  MeshLoader loader(file, folder, options, builder, problems, looks);
  for (UrdfLink& link : record.links) {
    for (UrdfShape& shape : link.collisions) loader.load(shape, true);
  }
  for (UrdfLink& link : record.links) {
    for (UrdfShape& shape : link.visuals) {
      loader.load(shape, false);
      loader.load_texture(shape);
    }
  }
}

}  // namespace stiction
