#pragma once

/// \file
/// PNG images.

#include <filesystem>
#include <string>
#include <vector>

namespace stiction {

struct GrayImage {
  int rows = 0;
  int columns = 0;
  std::vector<unsigned char> pixels;  ///< row by row from the top
  std::string problem;                ///< why there are none; empty if all is well
  std::string remedy;
};

/// Reads an image of at most `most_pixels`. Of coloured images, the red values; of 16 bits, the
/// upper 8; transparency is not looked at: as MuJoCo does.
GrayImage read_gray_png(const std::filesystem::path& file, double most_pixels);

struct ColorImage {
  int rows = 0;
  int columns = 0;
  std::vector<unsigned char> pixels;  ///< red, green, blue of each, row by row from the top
  std::string problem;                ///< as above
  std::string remedy;
};

/// The same in colours.
ColorImage read_color_png(const std::filesystem::path& file, double most_pixels);

/// The bytes of a PNG file with these pixels, three bytes each. Empty if there is no memory.
std::string write_color_png(int rows, int columns, const std::vector<unsigned char>& pixels);

}  // namespace stiction
