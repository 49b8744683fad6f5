// STL, in both kinds. The text kind has facets with three vertices; the binary kind has 80 free
// bytes, a count, and 50 bytes for each triangle: normal, three vertices, two free bytes.

#include <bit>
#include <cctype>
#include <cstring>
#include <fmt/format.h>

#include "stiction/io/raw_mesh.hpp"

namespace stiction {

namespace {

static_assert(std::endian::native == std::endian::little, "binary STL is copied as it is");

constexpr std::size_t head_size = 84;
constexpr std::size_t triangle_size = 50;
constexpr std::size_t normal_size = 12;

std::uint64_t counted_triangles(std::string_view bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + head_size - sizeof count, sizeof count);
  return count;
}

std::uint64_t size_of(std::uint64_t triangles) { return head_size + triangle_size * triangles; }

[[noreturn]] void refuse_size(std::string_view bytes) {
  if (bytes.size() < head_size) {
    throw MeshFault(
        fmt::format("is not STL: it has {} bytes, and does not start with 'solid'", bytes.size()));
  }
  const std::uint64_t count = counted_triangles(bytes);
  throw MeshFault(
      fmt::format("is not complete: as binary STL with {} triangles it should have {} bytes, but "
                  "it has {}",
                  count, size_of(count), bytes.size()));
}

RawMesh read_binary(std::string_view bytes) {
  const std::uint64_t count = counted_triangles(bytes);
  if (count > most_triangles) {
    throw MeshFault(fmt::format("has more than {} triangles", most_triangles), "simplify the mesh");
  }
  RawMesh mesh;
  mesh.vertices.reserve(3 * count);
  mesh.triangles.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::array<float, 9> numbers{};
    std::memcpy(numbers.data(), bytes.data() + head_size + i * triangle_size + normal_size,
                sizeof numbers);
    for (std::size_t k = 0; k < numbers.size(); k += 3) {
      mesh.vertices.push_back(checked_vertex(numbers[k], numbers[k + 1], numbers[k + 2]));
    }
    mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return mesh;
}

bool same_word(std::string_view word, std::string_view lower) {
  if (word.size() != lower.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(word[i])) != lower[i]) return false;
  }
  return true;
}

/// Facets of an STL text.
class StlText {
 public:
  explicit StlText(std::string_view text) : words_(text) {}

  RawMesh read() {
    std::string_view word = words_.word();
    while (same_word(word, "solid")) {
      words_.rest_of_line();
      read_solid();
      word = words_.word();
    }
    if (!word.empty()) refuse("solid", word);
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void refuse(std::string_view wanted, std::string_view found) const {
    throw MeshFault(found.empty()
                        ? fmt::format("is not complete: it ends on line {} where '{}' should be",
                                      words_.line(), wanted)
                        : fmt::format("has '{:.40}' where '{}' should be, on line {}", found,
                                      wanted, words_.line()));
  }

  void expect(std::string_view wanted) {
    const std::string_view word = words_.word();
    if (!same_word(word, wanted)) refuse(wanted, word);
  }

  void read_solid() {
    for (;;) {
      const std::string_view word = words_.word();
      if (same_word(word, "endsolid")) return void(words_.rest_of_line());
      if (!same_word(word, "facet")) refuse(word.empty() ? "endsolid" : "facet", word);
      words_.rest_of_line();  // the normal follows from the vertices
      read_facet();
    }
  }

  void read_facet() {
    expect("outer");
    expect("loop");
    const std::uint32_t first = static_cast<std::uint32_t>(mesh_.vertices.size());
    for (int k = 0; k < 3; ++k) {
      expect("vertex");
      const double x = number();
      const double y = number();
      const double z = number();
      mesh_.vertices.push_back(checked_vertex(x, y, z));
    }
    expect("endloop");
    expect("endfacet");
    add_polygon(std::array{first, first + 1, first + 2}, mesh_);
  }

  double number() {
    const std::string_view word = words_.word();
    return mesh_number(word, words_.line());
  }

  MeshWords words_;
  RawMesh mesh_;
};

}  // namespace

RawMesh read_stl(std::string_view bytes) {
  if (bytes.size() >= head_size && bytes.size() == size_of(counted_triangles(bytes))) {
    return read_binary(bytes);
  }
  // Some binary files start with 'solid' as well.
  const std::string_view start = MeshWords(bytes.substr(0, 1000)).word();
  if (!same_word(start, "solid") || bytes.find('\0') != std::string_view::npos) refuse_size(bytes);
  return StlText(bytes).read();
}

}  // namespace stiction
