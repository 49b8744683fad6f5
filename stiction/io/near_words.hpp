#pragma once

/// \file
/// What a user probably meant. For the readers of files and the program, not part of the interface.

#include <string>
#include <string_view>
#include <vector>

namespace stiction {

/// The word in `known` that is nearest to `word`, if it is near enough to be a slip of the pen.
std::string nearest_word(std::string_view word, const std::vector<std::string_view>& known);

/// `did you mean 'geom'?` if a known word is near, else `otherwise`.
std::string suggestion(std::string_view word, const std::vector<std::string_view>& known,
                       std::string_view otherwise);

}  // namespace stiction
