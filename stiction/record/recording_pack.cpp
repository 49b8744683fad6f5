#include "stiction/record/recording_pack.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <zlib.h>

namespace stiction {

namespace {

constexpr std::size_t longest_match = 258;
constexpr std::size_t shortest_match = 3;
constexpr std::size_t longest_stored = 65535;
/// With fewer rows, heads of blocks could make a stream longer than ChunkPacker::bound().
constexpr std::size_t shortest_column = 32;
/// Contacts come in turns: the same byte is often not the one before but that of four feet ago.
constexpr std::size_t farthest = 4;

/// A code of deflate, its bits in the order in which they are written.
struct Code {
  std::uint16_t bits = 0;
  std::uint8_t count = 0;
};

constexpr Code reversed(unsigned value, unsigned count) {
  unsigned bits = 0;
  for (unsigned i = 0; i < count; ++i) bits |= ((value >> i) & 1U) << (count - 1 - i);
  return {static_cast<std::uint16_t>(bits), static_cast<std::uint8_t>(count)};
}

/// The fixed code of a symbol (RFC 1951, 3.2.6).
constexpr Code fixed_code(unsigned symbol) {
  if (symbol < 144) return reversed(0x30 + symbol, 8);
  if (symbol < 256) return reversed(0x190 + symbol - 144, 9);
  if (symbol < 280) return reversed(symbol - 256, 7);
  return reversed(0xc0 + symbol - 280, 8);
}

constexpr std::array<Code, 256> literal_codes = [] {
  std::array<Code, 256> codes{};
  for (unsigned i = 0; i < codes.size(); ++i) codes[i] = fixed_code(i);
  return codes;
}();

/// Codes of match lengths with their extra bits (RFC 1951, 3.2.5).
constexpr std::array<Code, longest_match + 1> length_codes = [] {
  std::array<Code, longest_match + 1> codes{};
  unsigned symbol = 257;
  unsigned length = shortest_match;
  for (unsigned extra = 0; extra <= 5; ++extra) {
    const unsigned symbols = extra == 0 ? 8 : 4;
    for (unsigned s = 0; s < symbols; ++s, ++symbol) {
      const Code code = fixed_code(symbol);
      for (unsigned e = 0; e < (1U << extra) && length <= longest_match; ++e, ++length) {
        codes[length] = {static_cast<std::uint16_t>(code.bits | (e << code.count)),
                         static_cast<std::uint8_t>(code.count + extra)};
      }
    }
  }
  codes[longest_match] = fixed_code(285);
  return codes;
}();

/// Blocks of deflate, one after the other.
class BlockWriter {
 public:
  explicit BlockWriter(unsigned char* out) : out_(out) {}

  void literal(unsigned char byte) { put(literal_codes[byte].bits, literal_codes[byte].count); }
  void match(std::size_t length, std::size_t distance) {
    put(length_codes[length].bits, length_codes[length].count);
    // Up to four, the code of a distance is the distance less one.
    const Code code = reversed(static_cast<unsigned>(distance - 1), 5);
    put(code.bits, code.count);
  }
  void open_coded() {
    if (coded_) return;
    put(0b010, 3);
    coded_ = true;
  }
  void close_coded() {
    if (coded_) put(0, 7);
    coded_ = false;
  }
  void store(std::span<const unsigned char> bytes) {
    close_coded();
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(bytes.size(), longest_stored));
      put(0b000, 3);
      align();
      const auto size = static_cast<std::uint16_t>(part.size());
      const std::array<std::uint16_t, 2> head{size, static_cast<std::uint16_t>(~size)};
      std::memcpy(out_, head.data(), sizeof head);
      std::memcpy(out_ + sizeof head, part.data(), part.size());
      out_ += sizeof head + part.size();
      bytes = bytes.subspan(part.size());
    }
  }
  /// An empty last block; returns the end.
  unsigned char* finish() {
    close_coded();
    put(0b011, 3);
    put(0, 7);
    align();
    return out_;
  }

 private:
  void put(std::uint64_t bits, unsigned count) {
    buffer_ |= bits << filled_;
    filled_ += count;
    if (filled_ >= 32) {
      const auto word = static_cast<std::uint32_t>(buffer_);
      std::memcpy(out_, &word, sizeof word);
      out_ += sizeof word;
      buffer_ >>= 32;
      filled_ -= 32;
    }
  }
  void align() {
    for (; filled_ > 0; filled_ -= std::min(filled_, 8U), buffer_ >>= 8) {
      *out_++ = static_cast<unsigned char>(buffer_);
    }
    buffer_ = 0;
  }

  unsigned char* out_;
  std::uint64_t buffer_ = 0;
  unsigned filled_ = 0;  ///< bits of the buffer, below 32
  bool coded_ = false;
};

/// How many bytes are equal to those `distance` before.
std::size_t repeats(std::span<const unsigned char> column, std::size_t distance) {
  std::size_t count = 0;
  for (std::size_t i = distance; i < column.size();) {
    // Short sums fit into a byte each, which is what makes this fast.
    const std::size_t end = std::min(column.size(), i + 128);
    std::uint8_t part = 0;
    for (; i < end; ++i)
      part = static_cast<std::uint8_t>(part + (column[i] == column[i - distance]));
    count += part;
  }
  return count;
}

/// The distance at which a column repeats itself most; 0 if it is noise, or too short to gain by
/// it.
std::size_t best_distance(std::span<const unsigned char> column) {
  if (column.size() < shortest_column) return 0;
  std::size_t best = 0;
  std::size_t most = column.size() / 3;
  for (std::size_t distance = 1; distance <= farthest; ++distance) {
    const std::size_t count = repeats(column, distance);
    if (count > most) {
      best = distance;
      most = count;
    }
    if (most > column.size() - column.size() / 8) break;
  }
  return best;
}

std::size_t match_length(const unsigned char* a, const unsigned char* b, std::size_t limit) {
  std::size_t length = 0;
  for (; length + 8 <= limit; length += 8) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::memcpy(&x, a + length, 8);
    std::memcpy(&y, b + length, 8);
    if (x != y) return length + static_cast<std::size_t>(std::countr_zero(x ^ y)) / 8;
  }
  while (length < limit && a[length] == b[length]) ++length;
  return length;
}

void write_repeating(BlockWriter& out, std::span<const unsigned char> column,
                     std::size_t distance) {
  out.open_coded();
  std::size_t i = 0;
  for (; i < distance; ++i) out.literal(column[i]);
  while (i < column.size()) {
    const unsigned char* here = column.data() + i;
    const std::size_t length =
        match_length(here, here - distance, std::min(column.size() - i, longest_match));
    if (length >= shortest_match) {
      out.match(length, distance);
      i += length;
    } else {
      out.literal(*here);
      ++i;
    }
  }
}

}  // namespace

void ChunkPacker::shuffle(std::span<const std::byte> chunk, std::size_t row_size) {
  if (columns_.size() < chunk.size()) {
    columns_.resize(chunk.size());
    stream_.resize(bound(chunk.size()));
  }
  size_ = chunk.size();
  const std::size_t rows = size_ / row_size;
  const auto* in = reinterpret_cast<const unsigned char*>(chunk.data());
  for (std::size_t column = 0; column < row_size; ++column) {
    unsigned char* out = columns_.data() + column * rows;
    for (std::size_t row = 0; row < rows; ++row) out[row] = in[row * row_size + column];
  }
}

std::size_t ChunkPacker::deflate_columns(std::size_t rows) {
  const auto all = std::span<const unsigned char>(columns_).first(size_);
  stream_[0] = 0x78;  // head of zlib: deflate with the usual window, fast
  stream_[1] = 0x01;
  BlockWriter out(stream_.data() + 2);
  std::size_t noise = 0;  // where columns that wait to be stored begin
  for (std::size_t begin = 0; begin < size_; begin += rows) {
    const auto column = all.subspan(begin, rows);
    const std::size_t distance = best_distance(column);
    if (distance == 0) continue;
    out.store(all.subspan(noise, begin - noise));
    write_repeating(out, column, distance);
    noise = begin + rows;
  }
  out.store(all.subspan(noise));
  unsigned char* end = out.finish();
  const auto sum = static_cast<std::uint32_t>(
      ::adler32(::adler32(0, nullptr, 0), columns_.data(), static_cast<uInt>(size_)));
  for (int shift = 24; shift >= 0; shift -= 8) *end++ = static_cast<unsigned char>(sum >> shift);
  return static_cast<std::size_t>(end - stream_.data());
}

std::size_t ChunkPacker::deflate_by_zlib() {
  uLongf length = stream_.size();
  if (::compress2(stream_.data(), &length, columns_.data(), size_, level_) != Z_OK) {
    throw std::runtime_error("zlib cannot pack a chunk");
  }
  return length;
}

std::span<const std::byte> ChunkPacker::pack(std::span<const std::byte> chunk,
                                             std::size_t row_size) {
  shuffle(chunk, row_size);
  const std::size_t length = level_ == 1 ? deflate_columns(size_ / row_size) : deflate_by_zlib();
  return std::as_bytes(std::span(stream_).first(length));
}

}  // namespace stiction
