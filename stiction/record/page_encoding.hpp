#pragma once

/// \file
/// Columns of numbers and checked JSON for the viewer. Private to stiction/record.

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/model/joint.hpp"

namespace stiction {

static_assert(std::endian::native == std::endian::little, "columns are little-endian");

/// Base64 (RFC 4648) of some bytes.
[[nodiscard]] std::string base64_of(std::string_view bytes);

/// The same of the zlib stream (RFC 1950) of some bytes.
[[nodiscard]] std::string pack_bytes(std::span<const std::byte> bytes);

/// The same of numbers, little-endian.
template <class Number>
[[nodiscard]] std::string pack(const std::vector<Number>& numbers) {
  return pack_bytes(std::as_bytes(std::span<const Number>(numbers)));
}

/// JSON as one line. Names in files may be no UTF-8: such bytes become a replacement letter.
[[nodiscard]] std::string dump_page_json(const nlohmann::ordered_json& document);

/// Parses the text of a scene and checks all that poses and drawing rely on. Throws InputError.
[[nodiscard]] nlohmann::ordered_json parse_scene(const std::string& scene);

/// Of a joint that carries a body, so never `fixed`; nothing for any other word.
[[nodiscard]] std::optional<JointKind> parse_joint_kind(std::string_view word);

/// Throws InputError: what is wrong with the data of a page, and a remedy.
[[noreturn]] void refuse_page(std::string what, std::string remedy);

}  // namespace stiction
