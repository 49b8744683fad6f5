#include "stiction/compliant/polynomial_engine.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/compliant/columns.hpp"
#include "stiction/compliant/four_vectors.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

using columns::Four;
using Index = Eigen::Index;

namespace {

/// Eigenvectors of fewer rows are found sooner.
constexpr Index fewest_rows = 4;

/// The next of eight numbers per power of two, so that few intervals occur.
double rounded_up(double bound) {
  constexpr double smallest = 0.25;
  int exponent = 0;
  const double mantissa = std::frexp(std::max(bound, smallest), &exponent);
  return std::ldexp(std::ceil(16.0 * mantissa), exponent - 4);
}

/// Number of terms in a block: each doubling costs a product of matrices, and saves products with
/// vectors.
PolynomialWork cheapest_block(Index rows, double length) {
  const auto n = static_cast<double>(rows);
  PolynomialWork best{.products = HUGE_VAL};
  double products = 0.0;
  for (int block = 1; block <= 4; block *= 2, products += 0.25 * n) {
    const double cost = products + block + length / block;
    if (cost < best.products) best = {block, cost};
  }
  return best;
}

/// (f₀ + f₁, s₀ + s₁, f₂ + f₃, s₂ + s₃): sums of two rows are postponed to the end.
[[gnu::always_inline]] inline Four add_neighbours(const Four& first, const Four& second) {
#if defined(STICTION_FOUR_DOUBLES)
  return {stiction::add_neighbours(first.parts[0], second.parts[0])};
#else
  double f[4];
  double s[4];
  first.store(f);
  second.store(s);
  const double sums[4] = {f[0] + f[1], s[0] + s[1], f[2] + f[3], s[2] + s[3]};
  return Four::load(sums);
#endif
}

}  // namespace

PolynomialWork polynomial_work(Index rows, double step, double bound, double relaxation) {
  const double length = series_length(relaxation / step, rounded_up(step * step * bound));
  if (rows < fewest_rows || !(length <= ResponsePolynomials::most_nodes)) return {};
  return cheapest_block(rows, length);
}

void PolynomialEngine::reserve(Index rows) {
  const std::size_t side = index(columns::padded(rows));
  if (root_.size() >= side) return;
  matrix_.reserve(rows);
  second_.reserve(rows);
  fourth_.reserve(rows);
  root_.resize(side);
  vectors_.resize(16 * side);
  for (std::vector<double>& sums : sums_) sums.resize(4 * side);
}

EngineStatus PolynomialEngine::integrate(const LinearContacts& system, double step,
                                         const ContactResponse& out) {
  if (system.rows < fewest_rows) return EngineStatus::out_of_reach;
  if (!(step > 0.0) || !std::isfinite(step) || !valid_rows(system)) return EngineStatus::bad_input;
  if (!proportional_damping(system)) return EngineStatus::not_proportional;
  reserve(system.rows);
  fill_matrix(system, step);
  double bound = spectrum_bound();
  if (!std::isfinite(bound)) return EngineStatus::bad_input;
  bound = rounded_up(bound);
  const double damping = system.damping[0] / system.stiffness[0] / step;
  const int block = cheapest_block(system.rows, series_length(damping, bound)).block;
  const ResponsePolynomials& polynomials = store_.find(damping, bound, block);
  if (polynomials.blocks == 0) return EngineStatus::out_of_reach;
  matrix_.scale(4.0 / bound);
  matrix_.add_identity(-2.0);
  fill_vectors(system, step);
  const PaddedMatrix& matrix = square_matrix(block);
  find_chebyshev_vectors(block);
  if (block == 1) sum_blocks<1>(polynomials, matrix);
  if (block == 2) sum_blocks<2>(polynomials, matrix);
  if (block == 4) sum_blocks<4>(polynomials, matrix);
  write_response(system, step, out);
  return finite_response(out) ? EngineStatus::solved : EngineStatus::not_finite;
}

/// X = h² K^½ Υ K^½.
void PolynomialEngine::fill_matrix(const LinearContacts& system, double step) {
  const std::size_t rows = index(system.rows);
  for (std::size_t i = 0; i < rows; ++i) root_[i] = std::sqrt(system.stiffness[i]);
  matrix_.resize(system.rows);
  for (Index j = 0; j < system.rows; ++j) {
    const double* upsilon = system.upsilon + j * system.stride;
    const double factor = step * step * root_[index(j)];
    double* column = matrix_.column(j);
    for (std::size_t i = 0; i < rows; ++i) column[i] = factor * root_[i] * upsilon[i];
  }
}

/// At least as large as all eigenvalues: the smaller of two norms.
double PolynomialEngine::spectrum_bound() const {
  double largest = 0.0;
  double squares = 0.0;
  for (Index j = 0; j < matrix_.size(); ++j) {
    columns::Pack sum(0.0);
    columns::Pack square(0.0);
    const double* column = matrix_.column(j);
    for (Index i = 0; i < matrix_.stride(); i += columns::width) {
      const columns::Pack x = columns::load(column + i);
      sum += abs(x);
      square = fma(x, x, square);
    }
    largest = std::max(largest, columns::sum(sum));
    squares += columns::sum(square);
  }
  return std::isfinite(squares) ? std::min(largest, std::sqrt(squares)) : squares;
}

void PolynomialEngine::fill_vectors(const LinearContacts& system, double step) {
  for (std::size_t i = 0; i < index(system.rows); ++i) {
    double* row = vectors_.data() + 4 * i;
    row[0] = root_[i] * system.position[i];
    row[1] = root_[i] * (step * system.velocity[i]);
    row[2] = root_[i] * (step * step * system.acceleration[i]);
    row[3] = 0.0;
  }
}

/// 2 T_block(Y), by T₂ₖ = 2 Tₖ² − 1.
const PaddedMatrix& PolynomialEngine::square_matrix(int block) {
  if (block == 1) return matrix_;
  second_.set_product(matrix_, matrix_);
  second_.add_identity(-2.0);
  if (block == 2) return second_;
  fourth_.set_product(second_, second_);
  fourth_.add_identity(-2.0);
  return fourth_;
}

/// Tⱼ(Y) times the vectors, for j < block.
void PolynomialEngine::find_chebyshev_vectors(int block) {
  if (block == 1) return;
  const std::size_t size = 4 * root_.size();
  double* zeroth = vectors_.data();
  double* first = zeroth + size;
  const Four zero = Four{};
  columns::multiply(matrix_, zeroth, first, [&](Index) { return zero; });
  for (Index i = 0; i < 4 * matrix_.size(); ++i) first[i] *= 0.5;
  if (block == 2) return;
  // T₂ = ½ (2 T₂), and T₃ = 2 T₂ T₁ − T₁.
  double* second = first + size;
  double* third = second + size;
  columns::multiply(second_, zeroth, second, [&](Index) { return zero; });
  for (Index i = 0; i < 4 * matrix_.size(); ++i) second[i] *= 0.5;
  columns::multiply(second_, first, third,
                    [&](Index i) { return zero - Four::load(first + 4 * i); });
}

/// Clenshaw's sum over the blocks, in Tₖ(T_block(Y)).
template <std::size_t block>
void PolynomialEngine::sum_blocks(const ResponsePolynomials& polynomials,
                                  const PaddedMatrix& matrix) {
  const std::size_t size = 4 * root_.size();
  const double* vectors = vectors_.data();
  double* now = sums_[0].data();
  double* before = sums_[1].data();
  const auto sum_terms = [&](const double* terms, Index row) __attribute__((always_inline)) {
    Four average{};
    Four twice{};
    unroll<block>([&](auto j) __attribute__((always_inline)) {
      const Four x = Four::load(vectors + j * size + 4 * index(row));
      average.add_product(Four::load(terms + 8 * j), x);
      twice.add_product(Four::load(terms + 8 * j + 4), x);
    });
    return add_neighbours(average, twice);
  };
  // The first sum has nothing before it.
  const double* const last_terms = polynomials.term(polynomials.blocks - 1, 0);
  for (Index row = 0; row < matrix.size(); ++row) {
    sum_terms(last_terms, row).store(now + 4 * row);
  }
  std::fill_n(before, 4 * matrix.size(), 0.0);
  for (int k = polynomials.blocks - 2; k >= 0; --k) {
    // bₖ = sumₖ + 2 T bₖ₊₁ − bₖ₊₂, but in the end T b₁.
    if (k == 0) {
      for (Index i = 0; i < 4 * matrix.size(); ++i) now[i] *= 0.5;
    }
    const double* terms = polynomials.term(k, 0);
    columns::multiply(
        matrix, now, before, [&](Index row) __attribute__((always_inline)) {
          return sum_terms(terms, row) - Four::load(before + 4 * row);
        });
    std::swap(now, before);
  }
  if (now != sums_[0].data()) sums_[0].swap(sums_[1]);
}

void PolynomialEngine::write_response(const LinearContacts& system, double step,
                                      const ContactResponse& out) {
  const std::size_t rows = index(system.rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const double* sum = sums_[0].data() + 4 * i;
    out.average[i] = -root_[i] * (sum[0] + sum[2]);
    out.double_average[i] = -root_[i] * (sum[1] + sum[3]);
  }
  if (!out.end_position.empty()) write_end(system, step, out);
}

/// The averages explain the end.
void PolynomialEngine::write_end(const LinearContacts& system, double step,
                                 const ContactResponse& out) {
  const std::size_t rows = index(system.rows);
  for (std::size_t i = 0; i < rows; ++i) {
    out.end_velocity[i] = system.acceleration[i];
    out.end_position[i] = system.acceleration[i];
  }
  for (std::size_t j = 0; j < rows; ++j) {
    const double* column = system.upsilon + static_cast<Index>(j) * system.stride;
    for (std::size_t i = 0; i < rows; ++i) {
      out.end_velocity[i] = fma(column[i], out.average[j], out.end_velocity[i]);
      out.end_position[i] = fma(column[i], out.double_average[j], out.end_position[i]);
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const double way = step * (system.velocity[i] + 0.5 * step * out.end_position[i]);
    out.end_position[i] = system.position[i] + way;
    out.end_velocity[i] = system.velocity[i] + step * out.end_velocity[i];
  }
}

}  // namespace stiction
