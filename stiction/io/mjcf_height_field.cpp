#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <system_error>

#include "stiction/io/mjcf_assets.hpp"
#include "stiction/io/png_image.hpp"

namespace stiction {

namespace {

constexpr double most_heights = 1e8;

/// Heights between 0 and 1, as MuJoCo stretches them.
void stretch(std::vector<double>& heights) {
  if (heights.empty()) return;
  const auto [least, most] = std::minmax_element(heights.begin(), heights.end());
  const double low = *least;
  const double span = *most - low;
  for (double& height : heights) height = span > 0.0 ? (height - low) / span : 0.0;
}

void set_problem(MjcfHeightField& asset, std::string what, std::string remedy) {
  asset.problem = std::move(what);
  asset.remedy = std::move(remedy);
}

/// MuJoCo's own format: rows and columns as int32, then float32 heights, row by row from -y.
void read_binary(MjcfHeightField& asset, const std::filesystem::path& file) {
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  std::ifstream stream(file, std::ios::binary);
  std::array<std::int32_t, 2> counts{};
  if (failed || !stream.read(reinterpret_cast<char*>(counts.data()), sizeof counts)) {
    set_problem(asset, fmt::format("cannot read the height field '{}'", file.string()),
                "correct the path; it is relative to the folder of the main file and meshdir");
    return;
  }
  const double total = static_cast<double>(counts[0]) * static_cast<double>(counts[1]);
  if (counts[0] < 2 || counts[1] < 2 || total > most_heights ||
      size != sizeof counts + static_cast<std::uintmax_t>(total) * sizeof(float)) {
    set_problem(asset,
                fmt::format("'{}' is not a height field in MuJoCo's binary format", file.string()),
                "write int32 rows, int32 columns, then rows x columns float32 heights");
    return;
  }
  asset.field.rows = counts[0];
  asset.field.columns = counts[1];
  std::vector<float> heights(static_cast<std::size_t>(total));
  stream.read(reinterpret_cast<char*>(heights.data()),
              static_cast<std::streamsize>(heights.size() * sizeof(float)));
  asset.field.heights.assign(heights.begin(), heights.end());
  if (!stream || !std::all_of(heights.begin(), heights.end(),
                              [](float height) { return std::isfinite(height); })) {
    set_problem(asset, fmt::format("'{}' contains NaN or infinite heights", file.string()),
                "write finite heights");
  }
}

/// The image shows the field from above: its first row lies at +y.
void read_png(MjcfHeightField& asset, const std::filesystem::path& file) {
  const GrayImage image = read_gray_png(file, most_heights);
  if (!image.problem.empty()) return set_problem(asset, image.problem, image.remedy);
  if (image.rows < 2 || image.columns < 2) {
    return set_problem(
        asset,
        fmt::format("the image '{}' has {} x {} pixels", file.string(), image.columns, image.rows),
        "give an image of at least 2 x 2 pixels");
  }
  asset.field.rows = image.rows;
  asset.field.columns = image.columns;
  for (std::size_t row = static_cast<std::size_t>(image.rows); row-- > 0;) {
    const auto first = image.pixels.begin() + static_cast<std::ptrdiff_t>(row) * image.columns;
    asset.field.heights.insert(asset.field.heights.end(), first, first + image.columns);
  }
}

void read_inline(MjcfHeightField& asset, const MjcfAttributes& attributes) {
  const int rows = attributes.integer("nrow", 0);
  const int columns = attributes.integer("ncol", 0);
  const double total = static_cast<double>(rows) * static_cast<double>(columns);
  if (rows < 2 || columns < 2 || total > most_heights) {
    set_problem(asset, fmt::format("the height field has {} rows and {} columns", rows, columns),
                "give nrow and ncol of at least 2, or a file");
    return;
  }
  asset.field.rows = rows;
  asset.field.columns = columns;
  const std::vector<double> given = attributes.list("elevation");
  const std::size_t count = static_cast<std::size_t>(total);
  if (!given.empty() && given.size() != count) {
    set_problem(asset, fmt::format("'elevation' has {} numbers", given.size()),
                fmt::format("give nrow x ncol = {}", count));
    return;
  }
  asset.field.heights.assign(count, 0.0);
  if (given.empty()) return;
  // The text shows the field from above: its first row lies at +y.
  const std::size_t width = static_cast<std::size_t>(columns);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    std::copy_n(given.end() - static_cast<std::ptrdiff_t>((row + 1) * width), columns,
                asset.field.heights.begin() + static_cast<std::ptrdiff_t>(row * width));
  }
}

}  // namespace

void read_height_field(MjcfHeightField& asset, const MjcfAttributes& attributes,
                       const std::filesystem::path& file) {
  const auto size = attributes.exactly<4>("size");
  if (!size || *std::min_element(size->begin(), size->end()) <= 0.0) {
    set_problem(asset, "the height field needs a size of four positive numbers",
                "give size=\"half_x half_y height base\"");
    return;
  }
  asset.field.half_size = {(*size)[0], (*size)[1]};
  asset.field.base = (*size)[3];
  if (!attributes.has("file")) {
    read_inline(asset, attributes);
  } else if (file.extension() == ".png" || file.extension() == ".PNG" ||
             attributes.text("content_type") == "image/png") {
    asset.field.file = file.string();
    read_png(asset, file);
  } else {
    asset.field.file = file.string();
    read_binary(asset, file);
  }
  stretch(asset.field.heights);
  for (double& height : asset.field.heights) height *= (*size)[2];
}

}  // namespace stiction
