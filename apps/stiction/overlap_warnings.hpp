#pragma once

/// \file
/// Links of a robot that overlap where it starts: left out, and said so.

#include <string>
#include <string_view>

#include "stiction/io/load.hpp"

namespace stiction {

/// Warnings beyond this number are summed up in one.
inline constexpr std::size_t few_overlaps = 5;

/// Links of one robot that overlap deeply at `start` do not touch from now on. Adds a warning for
/// each pair, at most `most` of them, with the line that makes it permanent. `to_keep` says by what
/// they collide all the same.
void leave_out_overlaps(const std::string& file, const State& start, std::size_t most,
                        LoadedModel& loaded, std::string_view to_keep = "--keep-overlaps");

}  // namespace stiction
