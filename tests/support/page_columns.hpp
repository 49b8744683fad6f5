#pragma once

/// \file
/// Reads what the viewer reads: packed columns, by zlib's own inflate and a decoder of base64.

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>
#include <zlib.h>

namespace stiction::test {

inline std::string decode_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  EXPECT_EQ(text.size() % 4, 0U);
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char letter : text) {
    if (letter == '=') break;
    const std::size_t value = letters.find(letter);
    EXPECT_NE(value, std::string::npos) << letter;
    bits = bits << 6 | static_cast<unsigned>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255u);
  }
  return bytes;
}

inline std::string inflate_bytes(const std::string& packed) {
  std::string bytes;
  std::array<char, 4096> part{};
  z_stream stream{};
  EXPECT_EQ(inflateInit(&stream), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    result = inflate(&stream, Z_NO_FLUSH);
    bytes.append(part.data(), part.size() - stream.avail_out);
  }
  EXPECT_EQ(result, Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0U) << "bytes after the stream, which browsers refuse";
  inflateEnd(&stream);
  return bytes;
}

template <class Number>
std::vector<Number> unpack(const std::string& column) {
  const std::string bytes = inflate_bytes(decode_base64(column));
  EXPECT_EQ(bytes.size() % sizeof(Number), 0U);
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

}  // namespace stiction::test
