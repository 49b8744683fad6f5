#include "stiction/compliant/response_polynomials.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/compliant/columns.hpp"
#include "stiction/compliant/oscillator.hpp"
#include "stiction/core/index.hpp"
#include "stiction/core/trigonometry.hpp"

namespace stiction {

namespace {

using Numbers = std::array<double, ResponsePolynomials::numbers>;

/// Terms below this are left out, relative to the weight at κ = 0, which is the largest.
constexpr double negligible = 1e-15;

Numbers weights(double kappa, double damping) {
  const OscillatorWeights w = oscillator_weights(kappa, damping);
  return {w.value,
          w.force,
          w.force_mean,
          0.0,
          2.0 * w.mean,
          2.0 * w.force_mean,
          2.0 * w.force_mean_twice,
          0.0};
}

/// Values at the nodes of Chebyshev's polynomial of that degree, and its series.
class Series {
 public:
  Series(double damping, double bound, int nodes) : nodes_(nodes) {
    const double angle = 0.5 * std::numbers::pi / nodes;
    for (int i = 0; i <= nodes; ++i) cosines_[index(i)] = sine_cosine(angle * i).cosine;
    // Sums for even and differences for odd terms, which are symmetric about the middle.
    for (int k = 0; k < nodes / 2; ++k) {
      const double y = cosine(2 * k + 1);
      const Numbers right = weights(0.5 * bound * (1.0 + y), damping);
      const Numbers left = weights(0.5 * bound * (1.0 - y), damping);
      for (std::size_t i = 0; i < right.size(); ++i) {
        even_[index(k)][i] = right[i] + left[i];
        odd_[index(k)][i] = right[i] - left[i];
      }
    }
  }

  /// Coefficients of the term of degree `degree`.
  void term(int degree, double* coefficients) const {
    Numbers sum{};
    const auto& values = degree % 2 == 0 ? even_ : odd_;
    for (int k = 0; k < nodes_ / 2; ++k) {
      const double factor = cosine((2 * k + 1) * degree);
      columns::add_scaled(0, ResponsePolynomials::numbers, factor, values[index(k)].data(),
                          sum.data());
    }
    const double scale = (degree == 0 ? 1.0 : 2.0) / nodes_;
    for (std::size_t i = 0; i < sum.size(); ++i) coefficients[i] = scale * sum[i];
  }

 private:
  /// cos(i π / (2 nodes))
  [[nodiscard]] double cosine(int i) const {
    i %= 4 * nodes_;
    if (i > 2 * nodes_) i = 4 * nodes_ - i;
    return i > nodes_ ? -cosines_[index(2 * nodes_ - i)] : cosines_[index(i)];
  }

  static constexpr std::size_t half = ResponsePolynomials::most_nodes / 2;

  int nodes_;
  std::array<double, ResponsePolynomials::most_nodes + 1> cosines_;
  std::array<Numbers, half> even_;
  std::array<Numbers, half> odd_;
};

bool is_negligible(const double* coefficients, const Numbers& scale) {
  for (std::size_t i = 0; i < scale.size(); ++i) {
    if (std::abs(coefficients[i]) > negligible * scale[i]) return false;
  }
  return true;
}

/// T_{qk + j} = 2 T_{qk} Tⱼ − T_{qk − j}, from the last block to the first.
void gather_blocks(ResponsePolynomials& to) {
  const auto at = [&](int degree) {
    return to.coefficients.data() + ResponsePolynomials::numbers * degree;
  };
  for (int k = to.blocks - 1; k > 0; --k) {
    for (int j = 1; j < to.block; ++j) {
      double* term = at(to.block * k + j);
      double* mirrored = at(to.block * k - j);
      for (Eigen::Index i = 0; i < ResponsePolynomials::numbers; ++i) {
        mirrored[i] -= term[i];
        term[i] *= 2.0;
      }
    }
  }
}

void compute(double damping, double bound, int block, ResponsePolynomials& to) {
  to.damping = damping;
  to.bound = bound;
  to.block = block;
  to.blocks = 0;
  const double length = series_length(damping, bound);
  if (!(length <= ResponsePolynomials::most_nodes)) return;
  const int nodes = std::min((static_cast<int>(length) + 4) & ~3, ResponsePolynomials::most_nodes);
  const Series series(damping, bound, nodes);
  const Numbers scale = weights(0.0, damping);
  int terms = nodes;
  for (int degree = nodes - 1; degree >= 0; --degree) {
    double* term = to.coefficients.data() + ResponsePolynomials::numbers * degree;
    series.term(degree, term);
    if (terms == degree + 1 && is_negligible(term, scale)) terms = degree;
  }
  // The last ones tell that the series has converged.
  if (terms == nodes) return;
  to.blocks = (terms + block - 1) / block;
  std::fill(to.coefficients.begin() + ResponsePolynomials::numbers * terms,
            to.coefficients.begin() + ResponsePolynomials::numbers * to.blocks * block, 0.0);
  gather_blocks(to);
}

}  // namespace

double series_length(double damping, double bound) {
  return 9.0 + 5.2 * std::sqrt(damping * bound) + 0.75 * std::sqrt(bound);
}

const ResponsePolynomials& PolynomialStore::find(double damping, double bound, int block) {
  const auto fits = [&](const ResponsePolynomials& known) {
    return known.damping == damping && known.bound == bound && known.block == block;
  };
  if (fits(kept_[last_])) return kept_[last_];
  for (std::size_t i = 0; i < count; ++i) {
    if (fits(kept_[i])) return kept_[last_ = i];
  }
  last_ = oldest_;
  oldest_ = (oldest_ + 1) % count;
  compute(damping, bound, block, kept_[last_]);
  return kept_[last_];
}

}  // namespace stiction
