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

/// An image as it is in the file, 8 bits per channel.
struct RawImage {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t channels = 0;  ///< 1 or 3
  std::vector<unsigned char> bytes;
  std::string problem;
  std::string remedy;
};

RawImage failure(const std::filesystem::path& file, const std::string& what,
                 const std::string& remedy) {
  RawImage result;
  result.problem = fmt::format("the image '{}' {}", file.string(), what);
  result.remedy = remedy;
  return result;
}

RawImage read_png(const std::filesystem::path& file, double most_pixels) {
  constexpr const char* save_again = "save it again as a PNG image";
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) {
    return failure(file, "does not exist",
                   "correct the path; it is relative to the folder of the main file and meshdir, "
                   "texturedir or assetdir");
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
  return {height, width, channels, std::move(bytes), {}, {}};
}

/// `wanted` channels of each pixel; of images without colours always the only one.
template <class Image>
Image with_channels(RawImage raw, std::size_t wanted) {
  Image image;
  image.problem = std::move(raw.problem);
  image.remedy = std::move(raw.remedy);
  if (!image.problem.empty()) return image;
  image.rows = static_cast<int>(raw.rows);
  image.columns = static_cast<int>(raw.columns);
  const std::size_t pixels = raw.rows * raw.columns;
  image.pixels.reserve(wanted * pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    for (std::size_t k = 0; k < wanted; ++k) {
      image.pixels.push_back(raw.bytes[raw.channels * i + (raw.channels == 3 ? k : 0)]);
    }
  }
  return image;
}

/// Appends to the text that it gets.
void append_bytes(png_structp png, png_bytep bytes, png_size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))
      ->append(reinterpret_cast<const char*>(bytes), size);
}

void flush_nothing(png_structp) {}

/// libpng leaves by longjmp, so this holds nothing that wants a destructor.
bool write_rows(png_structp png, png_infop info, std::string& text, png_uint_32 width,
                png_uint_32 height, png_bytepp rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(png, &text, append_bytes, flush_nothing);
  png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  png_write_image(png, rows);
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

GrayImage read_gray_png(const std::filesystem::path& file, double most_pixels) {
  return with_channels<GrayImage>(read_png(file, most_pixels), 1);
}

ColorImage read_color_png(const std::filesystem::path& file, double most_pixels) {
  return with_channels<ColorImage>(read_png(file, most_pixels), 3);
}

std::string write_color_png(int rows, int columns, const std::vector<unsigned char>& pixels) {
  std::array<char, 128> message{};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, give_up, keep_quiet);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  std::string text;
  if (info != nullptr) {
    std::vector<png_bytep> starts;
    std::vector<unsigned char> bytes = pixels;  // libpng wants to write them
    for (int row = 0; row < rows; ++row) {
      starts.push_back(bytes.data() + static_cast<std::ptrdiff_t>(3 * row) * columns);
    }
    if (!write_rows(png, info, text, static_cast<png_uint_32>(columns),
                    static_cast<png_uint_32>(rows), starts.data())) {
      text.clear();
    }
  }
  png_destroy_write_struct(&png, &info);
  return text;
}

}  // namespace stiction
