#include "stiction/io/urdf_meshes.hpp"

#include <array>
#include <map>
#include <string_view>

#include "stiction/io/mesh_file.hpp"
#include "stiction/io/resource_path.hpp"
#include "stiction/io/urdf_scan.hpp"

namespace stiction {

namespace {

class MeshLoader {
 public:
  MeshLoader(const XmlFile& file, const std::filesystem::path& folder, const LoadOptions& options,
             ModelBuilder& builder, ProblemList& problems)
      : file_(file), folder_(folder), options_(options), builder_(builder), problems_(problems) {}

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
    const Entry& entry = found->second;
    shape.mesh = entry.index;
    if (entry.problem.empty()) return;
    const Source source = urdf_source(file_, shape.geometry);
    if (collides) {
      problems_.error(source, entry.problem, entry.remedy);
    } else {
      shape.dropped = true;
      problems_.warning(source, entry.problem + "; the visual shape is left out", entry.remedy);
    }
  }

 private:
  using Key = std::pair<std::string, std::array<double, 3>>;
  struct Entry {
    int index = -1;
    std::string problem;
    std::string remedy;
    std::string note;
  };

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
    return {builder_.add_mesh(std::move(result.mesh)), {}, {}, std::move(note)};
  }

  const XmlFile& file_;
  const std::filesystem::path& folder_;
  const LoadOptions& options_;
  ModelBuilder& builder_;
  ProblemList& problems_;
  std::map<Key, Entry> known_;
};

}  // namespace

void load_urdf_meshes(UrdfRecord& record, const XmlFile& file, const std::filesystem::path& folder,
                      const LoadOptions& options, ModelBuilder& builder, ProblemList& problems) {
  MeshLoader loader(file, folder, options, builder, problems);
  for (UrdfLink& link : record.links) {
    for (UrdfShape& shape : link.collisions) loader.load(shape, true);
  }
  for (UrdfLink& link : record.links) {
    for (UrdfShape& shape : link.visuals) loader.load(shape, false);
  }
}

}  // namespace stiction
