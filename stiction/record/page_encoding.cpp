#include "stiction/record/page_encoding.hpp"

#include <array>
#include <new>
#include <stdexcept>
#include <zlib.h>

#include "stiction/core/problem.hpp"

namespace stiction {

namespace {

std::vector<unsigned char> compressed(std::span<const std::byte> bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::vector<unsigned char> packed(size);
  const int result = compress2(packed.data(), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                               static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION);
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  if (result != Z_OK) throw std::runtime_error("zlib could not compress a column");
  packed.resize(size);
  return packed;
}

std::string base64(std::span<const unsigned char> bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? letters[group >> (18 - 6 * k) & 63u] : '=';
    }
  }
  return text;
}

}  // namespace

std::string base64_of(std::string_view bytes) {
  return base64({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

std::string pack_bytes(std::span<const std::byte> bytes) { return base64(compressed(bytes)); }

std::string dump_page_json(const nlohmann::ordered_json& document) {
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void refuse_page(std::string what, std::string remedy) {
  ProblemList problems;
  problems.error({}, std::move(what), std::move(remedy));
  throw InputError(std::move(problems));
}

}  // namespace stiction
