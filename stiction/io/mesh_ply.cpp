// PLY: a head in text says which elements follow and what each has; the body is text or binary.
// Stiction needs x, y, z of each vertex and the corners of each face.

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "stiction/io/raw_mesh.hpp"

namespace stiction {

namespace {

enum class PlyFormat { text, little_endian, big_endian };

enum class NumberKind { whole, natural, real };

struct NumberType {
  NumberKind kind = NumberKind::real;
  std::size_t size = 0;  ///< [bytes]
};

struct PlyProperty {
  std::string_view name;
  NumberType type;
  std::optional<NumberType> count;  ///< of lists: the type of their length
};

struct PlyElement {
  std::string_view name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
};

struct PlyHead {
  PlyFormat format = PlyFormat::text;
  std::vector<PlyElement> elements;
  std::size_t size = 0;  ///< where the body starts [bytes]
  int lines = 0;
};

constexpr std::size_t longest_head = 1 << 16;

NumberType number_type(std::string_view word, int line) {
  struct Row {
    std::string_view short_name;
    std::string_view long_name;
    NumberType type;
  };
  constexpr std::array<Row, 8> table{{{"char", "int8", {NumberKind::whole, 1}},
                                      {"uchar", "uint8", {NumberKind::natural, 1}},
                                      {"short", "int16", {NumberKind::whole, 2}},
                                      {"ushort", "uint16", {NumberKind::natural, 2}},
                                      {"int", "int32", {NumberKind::whole, 4}},
                                      {"uint", "uint32", {NumberKind::natural, 4}},
                                      {"float", "float32", {NumberKind::real, 4}},
                                      {"double", "float64", {NumberKind::real, 8}}}};
  for (const Row& row : table) {
    if (word == row.short_name || word == row.long_name) return row.type;
  }
  throw MeshFault(fmt::format("has the unknown number type '{:.40}' on line {}", word, line));
}

class PlyHeadReader {
 public:
  explicit PlyHeadReader(std::string_view bytes) : bytes_(bytes) {}

  PlyHead read() {
    if (MeshWords(next_line()).word() != "ply") {
      throw MeshFault("is not PLY: it does not start with 'ply'");
    }
    bool has_format = false;
    for (;;) {
      MeshWords words(next_line());
      const std::string_view kind = words.word();
      if (kind == "end_header") break;
      if (kind == "format") {
        has_format = true;
        read_format(words.word());
      } else if (kind == "element") {
        read_element(words);
      } else if (kind == "property") {
        read_property(words);
      } else if (!kind.empty() && kind != "comment" && kind != "obj_info") {
        throw MeshFault(fmt::format("has '{:.40}' in its head, on line {}", kind, head_.lines));
      }
    }
    if (!has_format) throw MeshFault("does not say its format in its head");
    head_.size = at_;
    return std::move(head_);
  }

 private:
  std::string_view next_line() {
    const std::size_t end = bytes_.substr(0, longest_head).find('\n', at_);
    if (end == std::string_view::npos) {
      throw MeshFault("is not complete: its head has no 'end_header'");
    }
    const std::string_view line = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    ++head_.lines;
    return line;
  }

  void read_format(std::string_view word) {
    if (word == "ascii") {
      head_.format = PlyFormat::text;
    } else if (word == "binary_little_endian") {
      head_.format = PlyFormat::little_endian;
    } else if (word == "binary_big_endian") {
      head_.format = PlyFormat::big_endian;
    } else {
      throw MeshFault(fmt::format("has the unknown format '{:.40}'", word));
    }
  }

  void read_element(MeshWords& words) {
    PlyElement element;
    element.name = words.word();
    const std::string_view count = words.word();
    const auto [stop, error] =
        std::from_chars(count.data(), count.data() + count.size(), element.count);
    if (error != std::errc() || stop != count.data() + count.size()) {
      throw MeshFault(
          fmt::format("has '{:.40}' where the number of '{:.40}' should be", count, element.name));
    }
    head_.elements.push_back(std::move(element));
  }

  void read_property(MeshWords& words) {
    if (head_.elements.empty()) throw MeshFault("has a property before its first element");
    PlyProperty property;
    std::string_view type = words.word();
    if (type == "list") {
      property.count = number_type(words.word(), head_.lines);
      if (property.count->kind == NumberKind::real) {
        throw MeshFault(fmt::format("has a list whose length is no whole number type, on line {}",
                                    head_.lines));
      }
      type = words.word();
    }
    property.type = number_type(type, head_.lines);
    property.name = words.word();
    head_.elements.back().properties.push_back(property);
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  PlyHead head_;
};

/// Numbers of the body, one after another.
class PlyNumbers {
 public:
  PlyNumbers(std::string_view body, const PlyHead& head)
      : format_(head.format), rest_(body), words_(body, head.lines + 1) {}

  double next(NumberType type) {
    if (format_ == PlyFormat::text) {
      const std::string_view word = words_.word();
      if (word.empty()) refuse_end();
      return mesh_number(word, words_.line());
    }
    if (rest_.size() < type.size) refuse_end();
    std::array<char, 8> bytes{};
    const bool turned =
        (format_ == PlyFormat::big_endian) != (std::endian::native == std::endian::big);
    for (std::size_t i = 0; i < type.size; ++i) {
      bytes[i] = rest_[turned ? type.size - 1 - i : i];
    }
    rest_.remove_prefix(type.size);
    return converted(bytes.data(), type);
  }

  [[noreturn]] static void refuse_end() {
    throw MeshFault("is not complete: it ends before its last element");
  }

 private:
  template <class Number>
  static double as(const char* bytes) {
    Number number{};
    std::memcpy(&number, bytes, sizeof number);
    return static_cast<double>(number);
  }

  static double converted(const char* bytes, NumberType type) {
    switch (type.kind) {
      case NumberKind::real:
        return type.size == 4 ? as<float>(bytes) : as<double>(bytes);
      case NumberKind::whole:
        if (type.size == 1) return as<std::int8_t>(bytes);
        return type.size == 2 ? as<std::int16_t>(bytes) : as<std::int32_t>(bytes);
      case NumberKind::natural:
        break;
    }
    if (type.size == 1) return as<std::uint8_t>(bytes);
    return type.size == 2 ? as<std::uint16_t>(bytes) : as<std::uint32_t>(bytes);
  }

  PlyFormat format_;
  std::string_view rest_;
  MeshWords words_;
};

/// Bytes that one element takes at least: a digit and a blank per number in a text.
std::uint64_t least_size(const PlyElement& element, PlyFormat format) {
  std::uint64_t size = 0;
  for (const PlyProperty& property : element.properties) {
    size += format == PlyFormat::text ? 2 : (property.count ? property.count : property.type)->size;
  }
  return size;
}

class PlyBody {
 public:
  PlyBody(std::string_view bytes, const PlyHead& head)
      : head_(head), numbers_(bytes.substr(head.size), head), room_(bytes.size() - head.size) {}

  RawMesh read() {
    check_sizes();
    bool has_vertices = false;
    for (const PlyElement& element : head_.elements) {
      if (element.name == "vertex") {
        has_vertices = true;
        read_vertices(element);
      } else if (element.name == "face" && !has_vertices) {
        throw MeshFault("has its faces before its vertices");
      } else if (element.name == "face") {
        read_faces(element);
      } else {
        skip(element);
      }
    }
    return std::move(mesh_);
  }

 private:
  /// Counts cannot exceed what the file has room for. The last number of a text needs no blank.
  void check_sizes() const {
    std::uint64_t least = 0;
    for (const PlyElement& element : head_.elements) {
      const std::uint64_t size = least_size(element, head_.format);
      if (element.properties.empty() && element.count > 0) {
        throw MeshFault(fmt::format("has an element '{:.40}' without properties", element.name));
      }
      if (size > 0 && element.count > (room_ + 1) / size) {
        throw MeshFault(fmt::format("is not complete: {} of '{:.40}' do not fit into its {} bytes",
                                    element.count, element.name, room_));
      }
      least += element.count * size;
    }
    if (least > room_ + 1) PlyNumbers::refuse_end();
  }

  std::size_t list_length(const PlyProperty& property) {
    const double length = numbers_.next(*property.count);
    if (!(length >= 0.0 && length <= static_cast<double>(room_)) || length != std::floor(length)) {
      throw MeshFault(fmt::format("has a list of {} numbers", length));
    }
    return static_cast<std::size_t>(length);
  }

  void skip(const PlyProperty& property) {
    const std::size_t length = property.count ? list_length(property) : 1;
    for (std::size_t i = 0; i < length; ++i) (void)numbers_.next(property.type);
  }

  void skip(const PlyElement& element) {
    if (element.name == "tristrips" && element.count > 0) {
      throw MeshFault("has triangle strips", "export the mesh with triangles");
    }
    for (std::uint64_t i = 0; i < element.count; ++i) {
      for (const PlyProperty& property : element.properties) skip(property);
    }
  }

  void read_vertices(const PlyElement& element) {
    for (const std::string_view axis : {"x", "y", "z"}) {
      bool found = false;
      for (const PlyProperty& property : element.properties) {
        found = found || (property.name == axis && !property.count);
      }
      if (!found) throw MeshFault(fmt::format("has vertices without '{}'", axis));
    }
    mesh_.vertices.reserve(element.count);
    for (std::uint64_t i = 0; i < element.count; ++i) {
      std::array<double, 3> at{};
      for (const PlyProperty& property : element.properties) {
        const bool is_axis = !property.count && property.name.size() == 1 &&
                             property.name[0] >= 'x' && property.name[0] <= 'z';
        if (is_axis) {
          at[static_cast<std::size_t>(property.name[0] - 'x')] = numbers_.next(property.type);
        } else {
          skip(property);
        }
      }
      mesh_.vertices.push_back(checked_vertex(at[0], at[1], at[2]));
    }
  }

  void read_faces(const PlyElement& element) {
    for (std::uint64_t i = 0; i < element.count; ++i) {
      for (const PlyProperty& property : element.properties) {
        if (property.count &&
            (property.name == "vertex_indices" || property.name == "vertex_index")) {
          read_face(property);
        } else {
          skip(property);
        }
      }
    }
  }

  void read_face(const PlyProperty& property) {
    const std::size_t count = list_length(property);
    corners_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const double number = numbers_.next(property.type);
      if (!(number >= 0.0 && number < static_cast<double>(mesh_.vertices.size())) ||
          number != std::floor(number)) {
        throw MeshFault(fmt::format("has a face with vertex {}, but only {} vertices", number,
                                    mesh_.vertices.size()));
      }
      corners_.push_back(static_cast<std::uint32_t>(number));
    }
    add_polygon(corners_, mesh_);
  }

  const PlyHead& head_;
  PlyNumbers numbers_;
  std::uint64_t room_;  ///< size of the body [bytes]
  RawMesh mesh_;
  std::vector<std::uint32_t> corners_;
};

}  // namespace

RawMesh read_ply(std::string_view bytes) {
  const PlyHead head = PlyHeadReader(bytes).read();
  return PlyBody(bytes, head).read();
}

}  // namespace stiction
