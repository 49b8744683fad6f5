#include "stiction/io/near_words.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace stiction {

namespace {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string_view>& known) {
  constexpr std::size_t longest = 64;  // what is longer is no slip of the pen
  if (word.empty() || word.size() > longest) return {};
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string_view nearest;
  for (const std::string_view candidate : known) {
    if (candidate.size() > longest) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return std::string(nearest);
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& known,
                       std::string_view otherwise) {
  const std::string nearest = nearest_word(word, known);
  return nearest.empty() ? std::string(otherwise) : fmt::format("did you mean '{}'?", nearest);
}

}  // namespace stiction
