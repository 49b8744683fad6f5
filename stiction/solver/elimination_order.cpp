#include "stiction/solver/elimination_order.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace stiction {

namespace {

constexpr std::size_t word_bits = 64;
constexpr int eliminated = std::numeric_limits<int>::max();

}  // namespace

void EliminationOrder::start(int nodes) {
  nodes_ = nodes;
  words_ = (index(nodes) + word_bits - 1) / word_bits;
  bits_.assign(index(nodes) * words_, 0);
  degree_.assign(index(nodes), 0);
  position_.assign(index(nodes), 0);
  first_.assign(1, 0);
  later_.clear();
  products_ = 0.0;
}

void EliminationOrder::join(int a, int b) {
  if (a == b) return;
  row(a)[index(b) / word_bits] |= Word{1} << index(b) % word_bits;
  row(b)[index(a) / word_bits] |= Word{1} << index(a) % word_bits;
}

void EliminationOrder::eliminate() {
  for (int node = 0; node < nodes_; ++node) count(node);
  for (int k = 0; k < nodes_; ++k) {
    const int node = least();
    position_[index(node)] = k;
    remove(node);
  }
  for (int& node : later_) node = position_[index(node)];
  for (int k = 0; k < nodes_; ++k) {
    std::sort(later_.begin() + static_cast<std::ptrdiff_t>(first_[index(k)]),
              later_.begin() + static_cast<std::ptrdiff_t>(first_[index(k) + 1]));
  }
}

std::optional<std::size_t> EliminationOrder::find(int node, int other) const {
  const int earlier = std::min(position(node), position(other));
  const int last = std::max(position(node), position(other));
  const std::span<const int> list = later(earlier);
  const auto at = std::ranges::lower_bound(list, last);
  if (at == list.end() || *at != last) return std::nullopt;
  return first(earlier) + static_cast<std::size_t>(at - list.begin());
}

void EliminationOrder::count(int node) {
  const Word* bits = row(node);
  int degree = 0;
  for (std::size_t w = 0; w < words_; ++w) degree += std::popcount(bits[w]);
  degree_[index(node)] = degree;
}

/// The first of the nodes with the smallest degree.
int EliminationOrder::least() const {
  return static_cast<int>(std::ranges::min_element(degree_) - degree_.begin());
}

/// Its neighbours become neighbours of each other.
void EliminationOrder::remove(int node) {
  const std::size_t begin = later_.size();
  Word* own = row(node);
  for (std::size_t w = 0; w < words_; ++w) {
    for (Word rest = own[w]; rest != 0; rest &= rest - 1) {
      later_.push_back(static_cast<int>(w * word_bits) + std::countr_zero(rest));
    }
  }
  first_.push_back(later_.size());
  degree_[index(node)] = eliminated;
  for (std::size_t k = begin; k < later_.size(); ++k) {
    const int other = later_[k];
    Word* bits = row(other);
    for (std::size_t w = 0; w < words_; ++w) bits[w] |= own[w];
    bits[index(other) / word_bits] &= ~(Word{1} << index(other) % word_bits);
    bits[index(node) / word_bits] &= ~(Word{1} << index(node) % word_bits);
    count(other);
  }
  const auto degree = static_cast<double>(later_.size() - begin);
  products_ += degree * (degree + 1.0);
}

}  // namespace stiction
