#pragma once

/// \file
/// State files as bytes. Private to stiction/record.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "stiction/model/model.hpp"
#include "stiction/record/model_identity.hpp"

namespace stiction {

/// Version of both layouts. A reader also takes the first one, which had no activations.
inline constexpr std::uint32_t state_file_version = 2;
inline constexpr std::uint32_t first_state_file_version = 1;

/// Longest name of a Model that a reader believes.
inline constexpr std::size_t longest_model_name = 1 << 16;

struct StoredState {
  ModelIdentity identity;
  State state;
};

/// What is wrong with the bytes of a file, and a remedy; state_file.cpp adds the path.
struct StateFileFault : std::runtime_error {
  StateFileFault(const std::string& what, std::string how)
      : std::runtime_error(what), remedy(std::move(how)) {}
  std::string remedy;
};

[[noreturn]] void throw_damaged(const std::string& what);
/// Throws unless a reader knows the version.
void check_version(std::uint64_t version);

[[nodiscard]] bool looks_like_binary(std::string_view bytes);
[[nodiscard]] std::string encode_binary(const StoredState& stored);
[[nodiscard]] StoredState decode_binary(std::string_view bytes);

[[nodiscard]] bool looks_like_hdf5(std::string_view bytes);
[[nodiscard]] std::string encode_hdf5(const StoredState& stored,
                                      std::uint32_t version = state_file_version);
[[nodiscard]] StoredState decode_hdf5(std::string_view bytes);

}  // namespace stiction
