#pragma once

/// \file
/// Meshes, height fields and materials of an MJCF file, read when first used. Private to
/// stiction/io.

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stiction/io/mjcf_compiler.hpp"
#include "stiction/io/mjcf_defaults.hpp"
#include "stiction/model/appearance.hpp"
#include "stiction/model/model_builder.hpp"

namespace stiction {

/// A mesh of the file. `problem` says why it cannot be used.
struct MjcfMesh {
  pugi::xml_node element;
  std::string prefix;  ///< of the model that it belongs to
  Mesh mesh;
  /// At density 1; empty if it encloses nothing. With inertia="shell", of its surface.
  std::optional<BodyInertia> solid;
  bool read = false;
  bool used = false;
  bool fitted = false;         ///< some primitive has its size from it
  bool collides = false;       ///< some shape that uses it needs its hull
  bool textured = false;       ///< some shape that uses it has a texture
  MeshPaint paint;             ///< where its triangles are in a texture
  std::size_t open_edges = 0;  ///< counted if `solid` is right only for a closed mesh
  int most_hull_vertices = 0;  ///< 4 or more; 0: no limit
  int index = -1;              ///< in the builder, set by add_used()
  std::string problem;
  std::string remedy;
};

struct MjcfHeightField {
  pugi::xml_node element;
  std::string prefix;  ///< of the model that it belongs to
  HeightField field;
  bool read = false;
  bool used = false;
  int index = -1;
  std::string problem;
  std::string remedy;
};

class MjcfAssets {
 public:
  MjcfAssets(const MjcfDocument& document, MjcfReport& report, const MjcfCompilers& compilers,
             const MjcfDefaults& defaults, std::string prefix);

  /// Position in a list of the reader's own; add_used() gives the builder's. Empty, with an error
  /// at `user`, if there is no such asset.
  std::optional<int> find_mesh(const std::string& name, const MjcfAttributes& user);
  std::optional<int> find_height_field(const std::string& name, const MjcfAttributes& user);
  /// Reads it if that was not done yet.
  MjcfMesh& mesh(int position);
  MjcfHeightField& height_field(int position);
  /// Colour of a material, or nothing (with an error) if there is none of that name.
  std::optional<std::array<double, 4>> material_color(const std::string& name,
                                                      const MjcfAttributes& user);

  /// Index of the finish of a material in looks(); -1 if it has nothing but a color.
  int finish(const std::string& material, const MjcfAttributes& user);
  /// Textures and finishes that are in use, and the paint of meshes once add_used() is done.
  AppearanceSpec& looks() { return looks_; }

  /// Gives the builder what shapes use, with convex hulls where they collide.
  void add_used(ModelBuilder& builder);

 private:
  void read_mesh_asset(MjcfMesh& asset);
  static void become_hull(MjcfMesh& asset);
  void read_inline_mesh(MjcfMesh& asset, const MjcfAttributes& attributes);
  static void read_inline_places(MjcfMesh& asset, const std::vector<double>& places);
  void move_vertices(MjcfMesh& asset, const MjcfAttributes& attributes);
  void find_solid(MjcfMesh& asset, const MjcfAttributes& attributes);
  void reduce(MjcfMesh& asset);
  [[nodiscard]] std::filesystem::path path_of(const MjcfAttributes& attributes) const;
  void read_model(const MjcfPart& part);
  /// Index of a texture in looks(); -1, with a warning, if it cannot be drawn.
  int texture(const std::string& name, const MjcfAttributes& user, bool& on_all_sides);
  /// Nothing if it looks as shapes without a material do.
  std::optional<Finish> read_finish(const MjcfAttributes& given);

  /// Assets of one kind by name, in each of the files.
  using Names = std::map<std::string, int>;
  using NamesOfModels = std::map<const MjcfDocument*, Names>;
  /// Position of the asset that `user` means by `name`: one of its own file, or of a model that
  /// this file attaches, by its full name.
  std::optional<int> find(const NamesOfModels& names, const std::string& kind,
                          const std::string& name, const MjcfAttributes& user) const;

  const MjcfDocument& document_;
  MjcfReport& report_;
  const MjcfCompilers& compilers_;
  const MjcfDefaults& defaults_;
  std::string prefix_;
  std::vector<MjcfMesh> meshes_;
  std::vector<MjcfHeightField> fields_;
  std::vector<pugi::xml_node> materials_;
  std::vector<pugi::xml_node> textures_;
  AppearanceSpec looks_;
  std::map<int, std::pair<int, bool>> texture_index_;  ///< position → index, on all sides
  std::map<int, int> finish_index_;                    ///< position of a material → index
  NamesOfModels mesh_names_;
  NamesOfModels field_names_;
  NamesOfModels material_names_;
  NamesOfModels texture_names_;
};

/// Fills `field` from the element's attributes; sets `problem` if it cannot.
void read_height_field(MjcfHeightField& asset, const MjcfAttributes& attributes,
                       const std::filesystem::path& file);

}  // namespace stiction
