#pragma once

/// \file
/// What stands for a certificate where there is none.

#include <limits>

#include "stiction/contact/certificate.hpp"

namespace stiction {

/// Of a problem that was not solved, or a step that was not taken: infinite residuals, so that it
/// certifies nothing at any tolerance.
[[nodiscard]] inline Certificate unexamined(const Scales& scales = {}) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Certificate result;
  result.scales = scales;
  result.signorini = result.cone = result.dissipation = result.penetration_rate = infinity;
  result.closing = result.law_residual = result.natural_residual = infinity;
  return result;
}

}  // namespace stiction
