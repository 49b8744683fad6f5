#pragma once

/// \file
/// How shapes look beyond their color: textures, finishes and the paint of meshes. It is drawn
/// only. No header of the step includes this one (docs/decisions/0085).

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stiction/model/model.hpp"

namespace stiction {

/// An image.
struct Texture {
  std::string name;
  int rows = 0;
  int columns = 0;
  std::vector<unsigned char> pixels;  ///< red, green, blue of each, row by row from the top
};

/// How the surface of a shape looks. Its texture multiplies its color.
struct Finish {
  std::string name;
  int texture = -1;                        ///< index into the textures; -1 is none
  std::array<double, 2> repeat{1.0, 1.0};  ///< how often the texture fits on the shape
  bool per_metre = false;                  ///< `repeat` is per metre instead
  bool on_all_sides = false;               ///< laid on each side of the shape, not from above
  double roughness = 0.62;                 ///< 0 (mirror) to 1 (matt)
  double metalness = 0.06;                 ///< 0 to 1
  double emission = 0.0;                   ///< light of its own, as a part of its color
};

/// What a mesh file says about looks. Triangles are those of the Mesh.
struct MeshPaint {
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  /// Places in a texture: from its left edge and from its lower edge, one picture from 0 to 1.
  std::vector<std::array<float, 2>> texture_places;
  /// Corners of each triangle as indices into texture_places, or `none` where it shows no texture;
  /// empty if the mesh has no places.
  std::vector<std::array<std::uint32_t, 3>> texture_triangles;
  std::vector<std::array<float, 3>> colors;    ///< red, green, blue
  std::vector<std::uint32_t> triangle_colors;  ///< index into `colors`; empty: color of the shape
};

struct Appearance {
  std::vector<Texture> textures;
  std::vector<Finish> finishes;
  std::map<int, int> shape_finishes;     ///< index of a shape → of its finish; others have none
  std::map<int, MeshPaint> mesh_paints;  ///< by index of the mesh

  [[nodiscard]] bool empty() const { return finishes.empty() && mesh_paints.empty(); }
};

/// The same while a builder is filled.
struct AppearanceSpec {
  std::vector<Texture> textures;
  std::vector<Finish> finishes;
  /// By (link, position in its `shapes`), world shapes by (world_body, order of adding).
  std::map<std::pair<int, int>, int> shape_finishes;
  std::map<int, MeshPaint> mesh_paints;  ///< by index from add_mesh()
};

/// Gives a Model its appearance. It gets a structure of its own, so this is for models that were
/// just built.
void set_appearance(Model& model, const AppearanceSpec& spec);

[[nodiscard]] const Appearance& appearance_of(const Model& model);

}  // namespace stiction
