#pragma once

namespace stiction {

/// What a contact asks of its normal velocity.
enum class GapRule {
  position,  ///< it may close by at most its gap within the step: v_n⁺ ≥ −gap/h
  velocity,  ///< touching bodies may not approach, others are free: v_n⁺ ≥ 0 where gap ≤ 0 [PCI]
};

}  // namespace stiction
