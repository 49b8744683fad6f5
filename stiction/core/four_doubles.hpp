#pragma once

/// \file
/// Four doubles in one AVX register: the SIMD lane of builds with AVX2 and FMA.
///
/// A vector library would do, and does so for other instruction sets (scalar.hpp), but GCC 12 makes
/// poor code of it where kernels spend their time (docs/decisions/0098):
/// - registers as <immintrin.h> declares them may alias everything, so that each store of a lane
///   makes the compiler read pointers and counters again. These alias doubles alone.
/// - GCC turns the blend intrinsic into a comparison and a blend.

#if defined(__AVX2__) && defined(__FMA__)
#define STICTION_FOUR_DOUBLES

#include <cstddef>
#include <immintrin.h>

namespace stiction {

/// Which of four slots a comparison holds for; the bits of a slot are all set or all clear.
class FourFlags {
 public:
  FourFlags() = default;
  [[gnu::always_inline]] explicit FourFlags(__m256d bits) : bits_(bits) {}
  [[gnu::always_inline]] explicit FourFlags(bool each)
      : bits_(_mm256_castsi256_pd(_mm256_set1_epi64x(each ? -1 : 0))) {}
  [[nodiscard, gnu::always_inline]] __m256d bits() const { return bits_; }

  [[gnu::always_inline]] friend FourFlags operator&&(const FourFlags& a, const FourFlags& b) {
    return FourFlags(_mm256_and_pd(a.bits_, b.bits_));
  }
  [[gnu::always_inline]] friend FourFlags operator||(const FourFlags& a, const FourFlags& b) {
    return FourFlags(_mm256_or_pd(a.bits_, b.bits_));
  }
  [[gnu::always_inline]] FourFlags operator!() const {
    return FourFlags(_mm256_xor_pd(bits_, FourFlags(true).bits_));
  }
  [[gnu::always_inline]] friend bool any(const FourFlags& flags) {
    return _mm256_testz_pd(flags.bits_, flags.bits_) == 0;
  }

 private:
  typedef double Register __attribute__((vector_size(32)));
  Register bits_;
};

class FourDoubles {
 public:
  using batch_bool_type = FourFlags;
  static constexpr std::size_t size = 4;

  FourDoubles() = default;
  [[gnu::always_inline]] FourDoubles(double each) : values_{each, each, each, each} {}
  [[gnu::always_inline]] FourDoubles(double a, double b, double c, double d)
      : values_{a, b, c, d} {}
  [[gnu::always_inline]] FourDoubles(__m256d values) : values_(values) {}
  [[gnu::always_inline]] operator __m256d() const { return values_; }
  [[nodiscard, gnu::always_inline]] double get(std::size_t slot) const { return values_[slot]; }

  [[gnu::always_inline]] static FourDoubles load_aligned(const double* from) {
    return FourDoubles(*reinterpret_cast<const Register*>(from));
  }
  [[gnu::always_inline]] static FourDoubles load_unaligned(const double* from) {
    return FourDoubles(*reinterpret_cast<const Unaligned*>(from));
  }
  [[gnu::always_inline]] void store_aligned(double* to) const {
    *reinterpret_cast<Register*>(to) = values_;
  }
  [[gnu::always_inline]] void store_unaligned(double* to) const {
    *reinterpret_cast<Unaligned*>(to) = values_;
  }

  [[gnu::always_inline]] friend FourDoubles operator+(const FourDoubles& a, const FourDoubles& b) {
    return FourDoubles(__m256d(a.values_ + b.values_));
  }
  [[gnu::always_inline]] friend FourDoubles operator-(const FourDoubles& a, const FourDoubles& b) {
    return FourDoubles(__m256d(a.values_ - b.values_));
  }
  [[gnu::always_inline]] friend FourDoubles operator*(const FourDoubles& a, const FourDoubles& b) {
    return FourDoubles(__m256d(a.values_ * b.values_));
  }
  [[gnu::always_inline]] friend FourDoubles operator/(const FourDoubles& a, const FourDoubles& b) {
    return FourDoubles(__m256d(a.values_ / b.values_));
  }
  [[gnu::always_inline]] FourDoubles operator-() const { return FourDoubles(__m256d(-values_)); }
  [[gnu::always_inline]] FourDoubles& operator+=(const FourDoubles& b) { return *this = *this + b; }
  [[gnu::always_inline]] FourDoubles& operator-=(const FourDoubles& b) { return *this = *this - b; }
  [[gnu::always_inline]] FourDoubles& operator*=(const FourDoubles& b) { return *this = *this * b; }

  // As comparisons of doubles: false where a number is NaN, but for !=.
  [[gnu::always_inline]] friend FourFlags operator<(const FourDoubles& a, const FourDoubles& b) {
    return FourFlags(_mm256_cmp_pd(a, b, _CMP_LT_OQ));
  }
  [[gnu::always_inline]] friend FourFlags operator<=(const FourDoubles& a, const FourDoubles& b) {
    return FourFlags(_mm256_cmp_pd(a, b, _CMP_LE_OQ));
  }
  [[gnu::always_inline]] friend FourFlags operator>(const FourDoubles& a, const FourDoubles& b) {
    return FourFlags(_mm256_cmp_pd(a, b, _CMP_GT_OQ));
  }
  [[gnu::always_inline]] friend FourFlags operator>=(const FourDoubles& a, const FourDoubles& b) {
    return FourFlags(_mm256_cmp_pd(a, b, _CMP_GE_OQ));
  }
  [[gnu::always_inline]] friend FourFlags operator==(const FourDoubles& a, const FourDoubles& b) {
    return FourFlags(_mm256_cmp_pd(a, b, _CMP_EQ_OQ));
  }
  [[gnu::always_inline]] friend FourFlags operator!=(const FourDoubles& a, const FourDoubles& b) {
    return FourFlags(_mm256_cmp_pd(a, b, _CMP_NEQ_UQ));
  }

 private:
  // No `may_alias`, unlike __m256d.
  typedef double Register __attribute__((vector_size(32)));
  typedef double Unaligned __attribute__((vector_size(32), aligned(8)));
  Register values_;
};

[[gnu::always_inline]] inline FourDoubles fma(const FourDoubles& a, const FourDoubles& b,
                                              const FourDoubles& c) {
  return FourDoubles(_mm256_fmadd_pd(a, b, c));
}
[[gnu::always_inline]] inline FourDoubles fnma(const FourDoubles& a, const FourDoubles& b,
                                               const FourDoubles& c) {
  return FourDoubles(_mm256_fnmadd_pd(a, b, c));
}

[[gnu::always_inline]] inline FourDoubles select(const FourFlags& flags, const FourDoubles& yes,
                                                 const FourDoubles& no) {
#if defined(__GNUC__) && !defined(__clang__)
  __m256d result;
  asm("vblendvpd %[flags], %[yes], %[no], %[result]"
      : [result] "=x"(result)
      : [flags] "x"(flags.bits()), [yes] "xm"(static_cast<__m256d>(yes)),
        [no] "x"(static_cast<__m256d>(no)));
  return FourDoubles(result);
#else
  return FourDoubles(_mm256_blendv_pd(no, yes, flags.bits()));
#endif
}

[[gnu::always_inline]] inline FourDoubles sqrt(const FourDoubles& x) {
  return FourDoubles(_mm256_sqrt_pd(x));
}
[[gnu::always_inline]] inline FourDoubles abs(const FourDoubles& x) {
  return FourDoubles(_mm256_andnot_pd(_mm256_set1_pd(-0.0), x));
}
[[gnu::always_inline]] inline FourDoubles floor(const FourDoubles& x) {
  return FourDoubles(_mm256_floor_pd(x));
}
/// a < b ? a : b and a > b ? a : b, which is what the instructions do, also with NaN and zeros.
[[gnu::always_inline]] inline FourDoubles minimum(const FourDoubles& a, const FourDoubles& b) {
  return FourDoubles(_mm256_min_pd(a, b));
}
[[gnu::always_inline]] inline FourDoubles maximum(const FourDoubles& a, const FourDoubles& b) {
  return FourDoubles(_mm256_max_pd(a, b));
}

/// (x₀ + x₂) + (x₁ + x₃)
[[gnu::always_inline]] inline double sum_of_slots(const FourDoubles& x) {
  return (x.get(0) + x.get(2)) + (x.get(1) + x.get(3));
}

/// One slot in all of them.
template <std::size_t slot>
[[gnu::always_inline]] inline FourDoubles spread_slot(const FourDoubles& x) {
  return FourDoubles(_mm256_permute4x64_pd(x, static_cast<int>(slot * 0x55)));
}

/// (a₀ + a₁, b₀ + b₁, a₂ + a₃, b₂ + b₃)
[[gnu::always_inline]] inline FourDoubles add_neighbours(const FourDoubles& a,
                                                         const FourDoubles& b) {
  return FourDoubles(_mm256_unpacklo_pd(a, b)) + FourDoubles(_mm256_unpackhi_pd(a, b));
}

/// Rows become columns.
[[gnu::always_inline]] inline void transpose(FourDoubles& r0, FourDoubles& r1, FourDoubles& r2,
                                             FourDoubles& r3) {
  const __m256d a = _mm256_unpacklo_pd(r0, r1);
  const __m256d b = _mm256_unpackhi_pd(r0, r1);
  const __m256d c = _mm256_unpacklo_pd(r2, r3);
  const __m256d d = _mm256_unpackhi_pd(r2, r3);
  r0 = FourDoubles(_mm256_permute2f128_pd(a, c, 0x20));
  r1 = FourDoubles(_mm256_permute2f128_pd(b, d, 0x20));
  r2 = FourDoubles(_mm256_permute2f128_pd(a, c, 0x31));
  r3 = FourDoubles(_mm256_permute2f128_pd(b, d, 0x31));
}

}  // namespace stiction

#endif
