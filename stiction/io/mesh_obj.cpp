// Wavefront OBJ: vertices and faces. Normals, textures, groups and materials are not needed.

#include <charconv>
#include <fmt/format.h>

#include "stiction/io/raw_mesh.hpp"

namespace stiction {

namespace {

class ObjText {
 public:
  explicit ObjText(std::string_view text) : text_(text) {}

  RawMesh read() {
    for_each_line([this](MeshWords words, bool) {
      if (words.word() == "v") read_vertex(words);
    });
    std::int64_t vertices = 0;
    for_each_line([this, &vertices](MeshWords words, bool is_cut) {
      const std::string_view kind = words.word();
      if (kind == "v") ++vertices;
      if (kind == "f") read_face(words, vertices, is_cut);
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

  /// Faces with two corners are lines that some programs write; they enclose nothing.
  void read_face(MeshWords& words, std::int64_t vertices_before, bool is_cut) {
    corners_.clear();
    for (std::string_view word = words.word(); !word.empty() && word[0] != '#';
         word = words.word()) {
      corners_.push_back(corner(word, vertices_before, words.line()));
    }
    if (corners_.size() < 3 && is_cut) {
      throw MeshFault(
          fmt::format("is not complete: it ends within a face, on line {}", words.line()));
    }
    add_polygon(corners_, mesh_);
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

  std::string_view text_;
  RawMesh mesh_;
  std::vector<std::uint32_t> corners_;
};

}  // namespace

RawMesh read_obj(std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos) {
    throw MeshFault("is not OBJ: it contains binary data");
  }
  return ObjText(bytes).read();
}

}  // namespace stiction
