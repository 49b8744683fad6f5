/// \file
/// The polynomials N and D of PadeEngine at a matrix.

#include "stiction/compliant/pade_engine.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Powers of Ā² that are formed; higher ones are products of these with a sum.
int power_count(int degree) { return degree > 9 ? 3 : degree / 2; }

}  // namespace

bool PadeEngine::fill_approximant() {
  fill_powers(terms_.denominator_degree);
  fill_parts(terms_.denominator, terms_.denominator_degree);
  PaddedMatrix& D = denominator_.matrix();
  D.resize(matrix_.size());
  D.add(1.0, even_);
  D.add(-1.0, odd_);
  difference_.resize(matrix_.size());
  if (options_.family == PadeFamily::diagonal) {
    difference_.add(2.0, odd_);
  } else {
    difference_.add(-1.0, D);
    fill_parts(terms_.numerator, terms_.numerator_degree);
    difference_.add(1.0, even_);
    difference_.add(1.0, odd_);
  }
  return denominator_.factorize();
}

void PadeEngine::fill_powers(int degree) {
  const int count = power_count(degree);
  if (count > 0) powers_[0].set_product(matrix_, matrix_);
  for (int k = 1; k < count; ++k) powers_[index(k)].set_product(powers_[index(k - 1)], powers_[0]);
}

/// even_ ← Σ c₂ₖ Ā²ᵏ and odd_ ← Ā Σ c₂ₖ₊₁ Ā²ᵏ.
void PadeEngine::fill_parts(const std::array<double, 14>& coefficients, int degree) {
  const int count = power_count(degree);
  const auto sum = [&](int parity, PaddedMatrix& result) {
    result.resize(matrix_.size());
    if (degree > 2 * count + 1) {
      // The rest as Ā⁶ times a sum.
      scratch_.resize(matrix_.size());
      for (int k = 1; k <= count; ++k) {
        scratch_.add(coefficients[index(2 * (k + count) + parity)], powers_[index(k - 1)]);
      }
      result.set_product(powers_[index(count - 1)], scratch_);
    }
    for (int k = 1; k <= count; ++k) {
      result.add(coefficients[index(2 * k + parity)], powers_[index(k - 1)]);
    }
    result.add_identity(coefficients[index(parity)]);
  };
  sum(0, even_);
  if (degree < 3) {
    odd_.resize(matrix_.size());
    odd_.add(coefficients[1], matrix_);
  } else {
    sum(1, factor_);
    odd_.set_product(matrix_, factor_);
  }
}

}  // namespace stiction
