#include "stiction/record/recording_pack.hpp"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <zlib.h>

#include "stiction/core/random.hpp"

namespace stiction {
namespace {

using Bytes = std::vector<unsigned char>;

/// As HDF5 does on reading.
Bytes unpacked(std::span<const std::byte> stream, std::size_t size, std::size_t row_size) {
  Bytes columns(size);
  uLongf length = size;
  EXPECT_EQ(::uncompress(columns.data(), &length,
                         reinterpret_cast<const unsigned char*>(stream.data()), stream.size()),
            Z_OK);
  EXPECT_EQ(length, size);
  Bytes rows(size);
  const std::size_t count = size / row_size;
  for (std::size_t i = 0; i < size; ++i) rows[i % count * row_size + i / count] = columns[i];
  return rows;
}

TEST(RecordingPack, ComesBackWhateverTheBytes) {
  Random random(3);
  const auto noise = [&] { return static_cast<unsigned char>(random.uniform(0.0, 256.0)); };
  unsigned char last = 0;
  const std::vector<std::function<unsigned char(std::size_t)>> kinds{
      [](std::size_t) { return 0; },
      [](std::size_t) { return 255; },
      [&](std::size_t) { return noise(); },
      [](std::size_t i) { return static_cast<unsigned char>(i % 3); },
      [](std::size_t i) { return static_cast<unsigned char>(i % 4 * 70); },
      [](std::size_t i) { return static_cast<unsigned char>(i / 7); },
      [&](std::size_t) { return last = random.uniform() < 0.1 ? noise() : last; },
      [&](std::size_t) { return last = random.uniform() < 0.5 ? noise() : last; },
      [&](std::size_t i) { return i % 1000 < 500 ? noise() : last; },
  };
  for (const int level : {0, 1, 6}) {
    ChunkPacker packer(level);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      for (const std::size_t rows : {1, 2, 3, 5, 31, 32, 33, 128, 600}) {
        for (const std::size_t row_size : {1, 8, 72}) {
          Bytes chunk(rows * row_size);
          for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] = kinds[kind](i);
          const auto packed = packer.pack(std::as_bytes(std::span(chunk)), row_size);
          EXPECT_LE(packed.size(), ChunkPacker::bound(chunk.size()));
          ASSERT_EQ(unpacked(packed, chunk.size(), row_size), chunk)
              << level << ' ' << kind << ' ' << rows << ' ' << row_size;
        }
      }
    }
  }
}

TEST(RecordingPack, WhatRepeatsBecomesSmall) {
  // Numbers that change in their last digits only, and rows that take turns.
  constexpr std::size_t rows = 512;
  std::vector<double> slow(rows);
  std::vector<double> turns(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    slow[i] = 0.45 + 1e-9 * static_cast<double>(i);
    turns[i] = 1.0 / static_cast<double>(3 + i % 4);
  }
  ChunkPacker packer(1);
  // Half of each number stays the same, and a byte more changes seldom.
  EXPECT_LT(packer.pack(std::as_bytes(std::span(slow)), 8).size(), rows * 5);
  EXPECT_LT(packer.pack(std::as_bytes(std::span(turns)), 8).size(), rows * 8 / 20);
}

}  // namespace
}  // namespace stiction
