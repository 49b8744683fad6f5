#pragma once

/// \file
/// Triangles as a mesh file has them, and the readers of the formats. Private to stiction/io.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/model/appearance.hpp"

namespace stiction {

/// More is no shape of a robot, and would take gigabytes.
inline constexpr std::size_t most_triangles = 10'000'000;

/// How a part of a mesh looks.
struct RawMaterial {
  std::string name;
  std::array<float, 3> color{1.0F, 1.0F, 1.0F};
  std::string picture;  ///< path of a texture as the file has it; empty: none
};

/// What a mesh file says about looks. What has a triangle number belongs to that triangle; missing
/// entries at the end are `none`.
struct RawPaint {
  static constexpr std::uint32_t none = MeshPaint::none;
  std::vector<std::array<float, 2>> places;  ///< in a texture, from its left and lower edge
  std::vector<std::array<std::uint32_t, 3>> triangle_places;
  std::vector<RawMaterial> materials;
  std::vector<std::uint32_t> triangle_materials;
  std::vector<std::string> libraries;  ///< files with the materials that are only named yet
};

/// Vertices in the order of the file, triangles that refer to them.
struct RawMesh {
  std::vector<std::array<float, 3>> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  RawPaint paint;
};

/// Why a mesh file cannot be used. The text continues `mesh file box.stl ...`.
class MeshFault : public std::runtime_error {
 public:
  explicit MeshFault(const std::string& what,
                     std::string remedy = "export the mesh again, or copy the file again")
      : std::runtime_error(what), remedy_(std::move(remedy)) {}
  [[nodiscard]] const std::string& remedy() const { return remedy_; }

 private:
  std::string remedy_;
};

/// Fills in the materials that an MTL file defines. Words that it does not know are skipped.
void read_mtl(std::string_view bytes, std::vector<RawMaterial>& materials);

/// Readers of a whole file. They throw MeshFault, and take no more memory than a small multiple of
/// the file's size, whatever its bytes are.
RawMesh read_stl(std::string_view bytes);
RawMesh read_obj(std::string_view bytes);
RawMesh read_ply(std::string_view bytes);

/// Any format that assimp knows. It runs in a child process, because assimp crashes on, loops over
/// or takes all memory for some damaged files. `size` is that of the file [bytes].
RawMesh read_foreign_mesh(const std::filesystem::path& path, std::uintmax_t size);

/// A vertex from three numbers of a file. Throws MeshFault if one of them is not a finite float.
std::array<float, 3> checked_vertex(double x, double y, double z);

/// Splits a polygon into triangles: a fan where that is right, else by cutting off ears. Its
/// vertices must be in the mesh already.
void add_polygon(std::span<const std::uint32_t> corners, RawMesh& mesh);

/// Throws MeshFault if a triangle refers to a vertex that is not there.
void check_indices(const RawMesh& mesh);

/// Reads the words of a text one by one and knows the line. Blanks and line ends separate words.
class MeshWords {
 public:
  explicit MeshWords(std::string_view text, int first_line = 1) : rest_(text), line_(first_line) {}

  /// Empty at the end of the text.
  std::string_view word();
  /// The rest of this line, without its end.
  std::string_view rest_of_line();
  [[nodiscard]] int line() const { return line_; }

 private:
  std::string_view rest_;
  int line_;
};

/// A number, as mesh files have it; NaN where the text says so. Throws MeshFault for anything else.
double mesh_number(std::string_view word, int line);

}  // namespace stiction
