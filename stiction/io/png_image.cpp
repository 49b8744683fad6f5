#include "stiction/io/png_image.hpp"

#include <array>
#include <csetjmp>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <png.h>

namespace stiction {

namespace {

void give_up(png_structp png, png_const_charp message) {
  auto* text = static_cast<std::array<char, 128>*>(png_get_error_ptr(png));
  std::snprintf(text->data(), text->size(), "%s", message);
  std::longjmp(png_jmpbuf(png), 1);
}

void keep_quiet(png_structp, png_const_charp) {}

/// libpng's handles, freed at the end.
struct Decoder {
  explicit Decoder(std::array<char, 128>& message)
      : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, &message, give_up, keep_quiet)),
        info(png == nullptr ? nullptr : png_create_info_struct(png)) {}
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  png_structp png;
  png_infop info;
};

// libpng leaves by longjmp: the two functions below hold nothing that wants a destructor.

/// Reads the header, and asks for 8 bits per channel without opacity.
bool read_header(png_structp png, png_infop info, std::FILE* file) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_init_io(png, file);
  png_read_info(png, info);
  png_set_strip_16(png);
  png_set_palette_to_rgb(png);
  png_set_expand_gray_1_2_4_to_8(png);
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  return true;
}

bool read_rows(png_structp png, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_image(png, rows);
  png_read_end(png, nullptr);
  return true;
}

GrayImage failure(const std::filesystem::path& file, const std::string& what,
                  const std::string& remedy) {
  GrayImage result;
  result.problem = fmt::format("the image '{}' {}", file.string(), what);
  result.remedy = remedy;
  return result;
}

}  // namespace

GrayImage read_gray_png(const std::filesystem::path& file, double most_pixels) {
  constexpr const char* save_again = "save it again as a PNG image";
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) {
    return failure(file, "does not exist",
                   "correct the path; it is relative to the folder of the main file and meshdir");
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"),
                                                               std::fclose);
  if (!stream) return failure(file, "cannot be read", "check its permissions");
  std::array<unsigned char, 8> signature{};
  if (std::fread(signature.data(), 1, signature.size(), stream.get()) != signature.size() ||
      png_sig_cmp(signature.data(), 0, signature.size()) != 0) {
    return failure(file, "is not a PNG image", save_again);
  }
  std::array<char, 128> message{};
  Decoder decoder(message);
  if (decoder.info == nullptr) return failure(file, "cannot be read", save_again);
  png_set_sig_bytes(decoder.png, static_cast<int>(signature.size()));
  if (!read_header(decoder.png, decoder.info, stream.get())) {
    return failure(file, fmt::format("is damaged ({})", message.data()), save_again);
  }
  const std::size_t width = png_get_image_width(decoder.png, decoder.info);
  const std::size_t height = png_get_image_height(decoder.png, decoder.info);
  if (static_cast<double>(width) * static_cast<double>(height) > most_pixels) {
    return failure(file, fmt::format("has {} x {} pixels", width, height),
                   fmt::format("make it smaller: at most {:g} pixels are read", most_pixels));
  }
  const std::size_t row_size = png_get_rowbytes(decoder.png, decoder.info);
  const std::size_t channels = png_get_channels(decoder.png, decoder.info);
  std::vector<unsigned char> bytes(row_size * height);
  std::vector<png_bytep> rows(height);
  for (std::size_t i = 0; i < height; ++i) rows[i] = bytes.data() + i * row_size;
  if (!read_rows(decoder.png, rows.data())) {
    return failure(file, fmt::format("is damaged ({})", message.data()), save_again);
  }
  GrayImage result;
  result.rows = static_cast<int>(height);
  result.columns = static_cast<int>(width);
  result.pixels.reserve(width * height);
  for (const png_bytep row : rows) {
    for (std::size_t x = 0; x < width; ++x) result.pixels.push_back(row[x * channels]);
  }
  return result;
}

}  // namespace stiction
