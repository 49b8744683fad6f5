#pragma once

#include <optional>
#include <string_view>

namespace stiction {

/// How the exponential of a step is computed.
enum class EngineKind {
  modal,      ///< exact; for damping that is not proportional to the stiffness, `pade` of order 13
  pade,       ///< the approximant that the options describe
  automatic,  ///< the cheapest engine that meets the error target
};

/// Such as `modal`.
std::string_view to_string(EngineKind kind);
std::optional<EngineKind> parse_engine_kind(std::string_view word);
inline constexpr EngineKind last_engine_kind = EngineKind::automatic;

}  // namespace stiction
