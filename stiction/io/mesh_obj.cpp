// Wavefront OBJ: vertices, faces, places in textures and materials. Normals and groups are not
// needed.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "stiction/io/raw_mesh.hpp"

namespace stiction {

namespace {

/// Of looks: what is no number is the fallback.
float number_or(std::string_view word, float fallback) {
  float value = 0.0F;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() ? value : fallback;
}

class ObjText {
 public:
  explicit ObjText(std::string_view text) : text_(text) {}

  RawMesh read() {
    for_each_line([this](MeshWords words, bool) {
      const std::string_view kind = words.word();
      if (kind == "v") read_vertex(words);
      if (kind == "vt") read_place(words);
    });
    std::int64_t vertices = 0;
    std::int64_t places = 0;
    for_each_line([this, &vertices, &places](MeshWords words, bool is_cut) {
      const std::string_view kind = words.word();
      if (kind == "v") ++vertices;
      if (kind == "vt") ++places;
      if (kind == "f") read_face(words, vertices, places, is_cut);
      if (kind == "usemtl") use_material(words);
      if (kind == "mtllib") mesh_.paint.libraries.emplace_back(trimmed(words.rest_of_line()));
    });
    return std::move(mesh_);
  }

 private:
  /// Calls visit(words of the line, whether the file ends within it). A backslash joins a line with
  /// the next.
  template <class Visit>
  void for_each_line(Visit visit) {
    std::string joined;
    int number = 0;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      std::string_view line = text_.substr(at, end - at);
      const bool is_cut = end == text_.size();
      at = end + 1;
      ++number;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.ends_with('\\')) {
        joined.append(line.substr(0, line.size() - 1)).append(1, ' ');
      } else if (joined.empty()) {
        visit(MeshWords(line, number), is_cut);
      } else {
        joined.append(line);
        visit(MeshWords(joined, number), is_cut);
        joined.clear();
      }
    }
  }

  void read_vertex(MeshWords& words) {
    std::array<double, 3> at{};
    for (double& value : at) {
      const std::string_view word = words.word();
      value = mesh_number(word, words.line());
    }
    mesh_.vertices.push_back(checked_vertex(at[0], at[1], at[2]));
  }

  /// Looks are no reason to refuse a mesh: what is odd becomes zero.
  void read_place(MeshWords& words) {
    std::array<float, 2> place{};
    for (float& value : place) {
      const float number = number_or(words.word(), 0.0F);
      if (std::abs(number) < largest_place) value = number;
    }
    mesh_.paint.places.push_back(place);
  }

  void use_material(MeshWords& words) {
    const std::string name(trimmed(words.rest_of_line()));
    const auto [entry, is_new] =
        material_.try_emplace(name, static_cast<std::uint32_t>(mesh_.paint.materials.size()));
    if (is_new) mesh_.paint.materials.push_back({.name = name});
    current_ = entry->second;
  }

  /// Faces with two corners are lines that some programs write; they enclose nothing.
  void read_face(MeshWords& words, std::int64_t vertices_before, std::int64_t places_before,
                 bool is_cut) {
    corners_.clear();
    places_.clear();
    for (std::string_view word = words.word(); !word.empty() && word[0] != '#';
         word = words.word()) {
      corners_.push_back(corner(word, vertices_before, words.line()));
      if (!mesh_.paint.places.empty()) places_.push_back(place_of(word, places_before));
    }
    if (corners_.size() < 3 && is_cut) {
      throw MeshFault(
          fmt::format("is not complete: it ends within a face, on line {}", words.line()));
    }
    add_polygon(corners_, mesh_);
    paint_new_triangles();
  }

  /// Tells the triangles of the face just added where they are in the texture, and their material.
  void paint_new_triangles() {
    RawPaint& paint = mesh_.paint;
    if (current_ != RawPaint::none) {
      paint.triangle_materials.resize(painted_, RawPaint::none);
      paint.triangle_materials.resize(mesh_.triangles.size(), current_);
    }
    const bool flat = std::ranges::find(places_, RawPaint::none) != places_.end();
    if (!places_.empty() && !flat && places_.size() <= most_corners) {
      paint.triangle_places.resize(painted_, no_places);
      for (std::size_t i = painted_; i < mesh_.triangles.size(); ++i) {
        std::array<std::uint32_t, 3> places{};
        std::ranges::transform(mesh_.triangles[i], places.begin(), [this](std::uint32_t vertex) {
          return places_[static_cast<std::size_t>(std::ranges::find(corners_, vertex) -
                                                  corners_.begin())];
        });
        paint.triangle_places.push_back(places);
      }
    }
    painted_ = mesh_.triangles.size();
  }

  /// The second number of `7/1` or `7/1/3`; none if there is no such place.
  [[nodiscard]] std::uint32_t place_of(std::string_view word, std::int64_t places_before) const {
    const std::size_t slash = word.find('/');
    if (slash == std::string_view::npos) return RawPaint::none;
    std::int64_t number = 0;
    std::from_chars(word.data() + slash + 1, word.data() + word.size(), number);
    const std::int64_t place = number < 0 ? places_before + number : number - 1;
    const bool known = place >= 0 && place < static_cast<std::int64_t>(mesh_.paint.places.size());
    return known ? static_cast<std::uint32_t>(place) : RawPaint::none;
  }

  static std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
  }

  /// `7`, `7/1`, `7//3` or `7/1/3`, counted from 1; below zero from the last vertex so far.
  [[nodiscard]] std::uint32_t corner(std::string_view word, std::int64_t vertices_before,
                                     int line) const {
    std::int64_t number = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    if (error != std::errc() || (stop != end && *stop != '/')) {
      throw MeshFault(
          fmt::format("has '{:.40}' where a corner of a face should be, on line {}", word, line));
    }
    const std::int64_t place = number < 0 ? vertices_before + number : number - 1;
    if (number == 0 || place < 0 || place >= static_cast<std::int64_t>(mesh_.vertices.size())) {
      throw MeshFault(fmt::format("has a face with vertex {}, but only {} vertices, on line {}",
                                  number, mesh_.vertices.size(), line));
    }
    return static_cast<std::uint32_t>(place);
  }

  static constexpr float largest_place = 1e6F;  ///< times that a texture repeats on a mesh
  static constexpr std::size_t most_corners = 500;
  static constexpr std::array<std::uint32_t, 3> no_places{RawPaint::none, RawPaint::none,
                                                          RawPaint::none};

  std::string_view text_;
  RawMesh mesh_;
  std::vector<std::uint32_t> corners_;  ///< of the face that is read
  std::vector<std::uint32_t> places_;   ///< of its corners in a texture
  std::map<std::string, std::uint32_t> material_;
  std::uint32_t current_ = RawPaint::none;  ///< material of the faces that follow
  std::size_t painted_ = 0;                 ///< triangles whose looks are known
};

}  // namespace

void read_mtl(std::string_view bytes, std::vector<RawMaterial>& materials) {
  RawMaterial* current = nullptr;
  int line = 0;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    std::string_view text = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (text.ends_with('\r')) text.remove_suffix(1);
    MeshWords words(text, ++line);
    const std::string_view kind = words.word();
    if (kind == "newmtl") {
      const std::string_view name = words.word();
      const auto found = std::ranges::find(materials, name, &RawMaterial::name);
      current = found == materials.end() ? nullptr : &*found;
    } else if (current != nullptr && kind == "Kd") {
      for (float& value : current->color) {
        value = std::clamp(number_or(words.word(), value), 0.0F, 1.0F);
      }
    } else if (current != nullptr && kind == "map_Kd") {
      // Options such as `-s 1 1 1` stand before the name.
      for (std::string_view word = words.word(); !word.empty(); word = words.word()) {
        current->picture = word;
      }
    }
  }
}

RawMesh read_obj(std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos) {
    throw MeshFault("is not OBJ: it contains binary data");
  }
  return ObjText(bytes).read();
}

}  // namespace stiction
