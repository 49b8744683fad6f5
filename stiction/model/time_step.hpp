#pragma once

/// \file
/// Which time steps make sense, of files and of options alike.

namespace stiction {

inline constexpr double shortest_time_step = 1e-9;  ///< [s]; below, gap/h and time lose all digits
inline constexpr double longest_time_step = 10.0;   ///< [s]; beyond, hardly what was meant

}  // namespace stiction
