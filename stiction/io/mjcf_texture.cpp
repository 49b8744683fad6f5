#include "stiction/io/mjcf_texture.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "stiction/io/mjcf_assets.hpp"
#include "stiction/io/png_image.hpp"

namespace stiction {

namespace {

constexpr double most_pixels = 4096.0 * 4096.0;
constexpr int largest_builtin = 1024;  ///< pixels of an edge: its patterns are as good with fewer

using Color = std::array<double, 3>;

/// Draws a pattern pixel by pixel.
class Pattern {
 public:
  enum class Fill { none, gradient, checker, flat };
  enum class Mark { none, edge, cross, random };

  explicit Pattern(const MjcfAttributes& given) : given_(given) {
    fill_ = given.keyword<Fill>("builtin",
                                {{"none", Fill::none},
                                 {"gradient", Fill::gradient},
                                 {"checker", Fill::checker},
                                 {"flat", Fill::flat}},
                                Fill::none);
    mark_ = given.keyword<Mark>("mark",
                                {{"none", Mark::none},
                                 {"edge", Mark::edge},
                                 {"cross", Mark::cross},
                                 {"random", Mark::random}},
                                Mark::none);
  }

  [[nodiscard]] bool there() const { return fill_ != Fill::none; }

  /// `cube`: gradients run from top to bottom.
  void draw(int columns, int rows, bool cube, Texture& texture) const {
    texture.rows = rows;
    texture.columns = columns;
    texture.pixels.reserve(static_cast<std::size_t>(3 * rows) * static_cast<std::size_t>(columns));
    const Color first = given_.overlay<3>("rgb1", {0.8, 0.8, 0.8});
    const Color second = given_.overlay<3>("rgb2", {0.5, 0.5, 0.5});
    const Color line = given_.overlay<3>("markrgb", {0, 0, 0});
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const double part = is_marked(row, column, rows, columns)
                                ? -1.0
                                : part_of_second(row, column, rows, columns, cube);
        for (std::size_t k = 0; k < 3; ++k) {
          const double value = part < 0.0 ? line[k] : (1.0 - part) * first[k] + part * second[k];
          texture.pixels.push_back(
              static_cast<unsigned char>(std::clamp(255.0 * value, 0.0, 255.0)));
        }
      }
    }
  }

 private:
  /// How much of the second colour a pixel has.
  [[nodiscard]] double part_of_second(int row, int column, int rows, int columns, bool cube) const {
    if (fill_ == Fill::flat) return 0.0;
    if (fill_ == Fill::checker) return (2 * row < rows) == (2 * column < columns) ? 0.0 : 1.0;
    // As MuJoCo: an S from the middle outwards, in cubes from the top downwards.
    const double x = 2.0 * column / std::max(columns - 1, 1) - 1.0;
    const double y = 1.0 - 2.0 * row / std::max(rows - 1, 1);
    const double way = cube ? y : 1.0 - 2.0 * std::hypot(x, y);
    return std::clamp(0.5 - 0.5 * std::sqrt(2.0) * way / std::hypot(1.0, way), 0.0, 1.0);
  }

  [[nodiscard]] bool is_marked(int row, int column, int rows, int columns) const {
    const auto at_end = [](int i, int count) { return i == 0 || i == count - 1; };
    if (mark_ == Mark::edge) return at_end(row, rows) || at_end(column, columns);
    return mark_ == Mark::cross && (row == rows / 2 || column == columns / 2);
  }

  const MjcfAttributes& given_;
  Fill fill_ = Fill::none;
  Mark mark_ = Mark::none;
};

bool is_one_image(const MjcfAttributes& given) {
  const auto grid = given.overlay<2>("gridsize", {1.0, 1.0});
  const bool has_sides = given.has("fileright") || given.has("fileup") || given.has("filefront");
  return grid[0] == 1.0 && grid[1] == 1.0 && !has_sides;
}

void read_image(const std::filesystem::path& file, MjcfTexture& result) {
  ColorImage image = read_color_png(file, most_pixels);
  result.problem = std::move(image.problem);
  result.remedy = std::move(image.remedy);
  result.texture.rows = image.rows;
  result.texture.columns = image.columns;
  result.texture.pixels = std::move(image.pixels);
}

}  // namespace

MjcfTexture read_texture(const MjcfAttributes& given, const std::filesystem::path& file) {
  enum class Type { flat, cube, skybox };
  const Type type = given.keyword<Type>(
      "type", {{"2d", Type::flat}, {"cube", Type::cube}, {"skybox", Type::skybox}}, Type::cube);
  MjcfTexture result;
  result.on_all_sides = type == Type::cube;
  const Pattern pattern(given);
  if (type == Type::skybox) {
    result.problem = "a material cannot show a sky";
    result.remedy = "give the texture type=\"2d\" or type=\"cube\"";
  } else if (pattern.there()) {
    const int columns = std::clamp(given.integer("width", 0), 1, largest_builtin);
    const int rows =
        result.on_all_sides ? columns : std::clamp(given.integer("height", 0), 1, largest_builtin);
    pattern.draw(columns, rows, result.on_all_sides, result.texture);
  } else if (!is_one_image(given)) {
    result.problem = "cubes of several images are not drawn";
    result.remedy = "use one image for all sides";
  } else if (!given.has("file")) {
    result.problem = "the texture has neither a file nor builtin";
    result.remedy = "give file=\"...\" or builtin=\"...\"";
  } else {
    read_image(file, result);
  }
  return result;
}

// The parts of MjcfAssets that are about looks.

int MjcfAssets::texture(const std::string& name, const MjcfAttributes& user, bool& on_all_sides) {
  const std::optional<int> position = find(texture_names_, "texture", name, user);
  if (!position) return -1;
  const pugi::xml_node node = textures_[static_cast<std::size_t>(*position)];
  auto [known, is_new] = texture_index_.try_emplace(*position, -1, false);
  if (is_new) {
    const MjcfAttributes given(document_, report_, node);
    const MjcfCompiler& compiler = compilers_.of(node);
    const std::filesystem::path path(given.text("file"));
    MjcfTexture read =
        read_texture(given, document_.model_of(node).folder() / compiler.texture_folder /
                                (compiler.strip_path ? path.filename() : path));
    if (read.problem.empty()) {
      read.texture.name = prefix_ + name;
      known->second = {static_cast<int>(looks_.textures.size()), read.on_all_sides};
      looks_.textures.push_back(std::move(read.texture));
    } else {
      report_.warning(document_.source(node),
                      read.problem + "; what has this texture is drawn in its color", read.remedy);
    }
  }
  on_all_sides = known->second.second;
  return known->second.first;
}

int MjcfAssets::finish(const std::string& material, const MjcfAttributes& user) {
  const std::optional<int> position = find(material_names_, "material", material, user);
  if (!position) return -1;
  const auto [known, is_new] = finish_index_.try_emplace(*position, -1);
  if (is_new) {
    const pugi::xml_node node = materials_[static_cast<std::size_t>(*position)];
    const int class_index = defaults_.class_of(node, "class", MjcfDefaults::main_class);
    const MjcfAttributes given(document_, report_, node, defaults_.levels(class_index, "material"));
    if (auto finish = read_finish(given)) {
      finish->name = prefix_ + material;
      known->second = static_cast<int>(looks_.finishes.size());
      looks_.finishes.push_back(std::move(*finish));
    }
  }
  return known->second;
}

std::optional<Finish> MjcfAssets::read_finish(const MjcfAttributes& given) {
  Finish finish;
  std::string texture_name = given.text("texture");
  for (const pugi::xml_node layer : given.element().children("layer")) {
    const std::string_view role = layer.attribute("role").value();
    if (role == "rgb" || role == "rgba") texture_name = layer.attribute("texture").value();
  }
  if (!texture_name.empty()) finish.texture = texture(texture_name, given, finish.on_all_sides);
  finish.repeat = given.overlay<2>("texrepeat", {1.0, 1.0});
  finish.per_metre = given.flag("texuniform", false);
  // MuJoCo's light and ours differ: its defaults look as shapes without a material do here.
  const double shine = given.number("specular", 0.5) * given.number("shininess", 0.5);
  const double rough = given.number("roughness", -1.0);
  const double metallic = given.number("metallic", -1.0);
  finish.roughness = std::clamp(rough >= 0.0 ? rough : finish.roughness + 0.25 - shine, 0.15, 1.0);
  if (metallic >= 0.0) finish.metalness = std::min(metallic, 1.0);
  finish.emission = std::clamp(given.number("emission", 0.0), 0.0, 1.0);
  const Finish plain;
  const bool is_plain = finish.texture < 0 && finish.roughness == plain.roughness &&
                        finish.metalness == plain.metalness && finish.emission == 0.0;
  if (is_plain) return std::nullopt;
  return finish;
}

}  // namespace stiction
