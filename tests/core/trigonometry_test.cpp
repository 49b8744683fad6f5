#include "stiction/core/trigonometry.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <vector>

#include "stiction/core/random.hpp"
#include "support/lanes.hpp"

namespace stiction::test {
namespace {

static_assert(LDBL_MANT_DIG >= 64, "long double must be the better judge");

/// Units in the last place of the double nearest to `exact` by which `value` is off.
double ulp_error(double value, long double exact) {
  const double rounded = std::fabs(static_cast<double>(exact));
  const double unit = std::nextafter(rounded, std::numeric_limits<double>::infinity()) - rounded;
  return static_cast<double>(std::fabs(static_cast<long double>(value) - exact) / unit);
}

double random_magnitude(Random& random, double low, double high) {
  const double size = std::exp(random.uniform(std::log(low), std::log(high)));
  return random.uniform() < 0.5 ? -size : size;
}

/// Largest errors of sine and cosine over samples [ulp].
template <class Sample>
double largest_error(int count, Sample sample) {
  double largest = 0.0;
  for (int i = 0; i < count; ++i) {
    const double x = sample();
    const SineCosine<double> result = sine_cosine(x);
    largest = std::max({largest, ulp_error(result.sine, std::sin(static_cast<long double>(x))),
                        ulp_error(result.cosine, std::cos(static_cast<long double>(x)))});
  }
  return largest;
}

TEST(Trigonometry, SineAndCosineAreRightToOneAndAHalfUnitsInTheLastPlace) {
  const std::uint64_t seed = 1;
  SCOPED_TRACE(seed);
  Random random(seed);
  const double one_turn =
      largest_error(1000000, [&] { return random.uniform(-std::numbers::pi, std::numbers::pi); });
  const double ordinary = largest_error(500000, [&] { return random.uniform(-1000.0, 1000.0); });
  const double any = largest_error(500000, [&] { return random_magnitude(random, 1e-300, 1e9); });
  const double huge = largest_error(200000, [&] { return random_magnitude(random, 1e9, 1e300); });
  std::printf(
      "sine and cosine, largest error [ulp]: one turn %.3f, |x| < 1000 %.3f, |x| < 1e9 %.3f, "
      "beyond %.3f\n",
      one_turn, ordinary, any, huge);
  EXPECT_LT(one_turn, 1.5);
  EXPECT_LT(ordinary, 1.5);
  EXPECT_LT(any, 1.5);
  EXPECT_LT(huge, 1.5);
}

// At a multiple of pi/2 one of the two is nearly zero, and what the reduction leaves out of pi/2
// (1.5e-33) counts as often as pi/2 was taken away: at most 6.4e8 times.
TEST(Trigonometry, NearMultiplesOfAQuarterTurnAnAbsoluteErrorOfTenToTheMinus24IsAdded) {
  const std::uint64_t seed = 2;
  SCOPED_TRACE(seed);
  Random random(seed);
  double largest_ulp = 0.0;
  for (int i = 0; i < 500000; ++i) {
    const double turns = std::floor(std::exp(random.uniform(0.0, std::log(6.3e8))));
    double x = static_cast<double>(turns * (std::numbers::pi_v<long double> / 2.0L));
    x += random.index(5) * (std::nextafter(x, 1e300) - x);
    const SineCosine<double> result = sine_cosine(x);
    const long double sine = std::sin(static_cast<long double>(x));
    const long double cosine = std::cos(static_cast<long double>(x));
    for (const auto& [value, exact] :
         {std::pair{result.sine, sine}, std::pair{result.cosine, cosine}}) {
      const double error = static_cast<double>(std::fabs(value - exact));
      largest_ulp = std::max(largest_ulp, ulp_error(value, exact));
      ASSERT_LT(error, 1e-24 + 1.5 * 0x1.0p-52 * static_cast<double>(std::fabs(exact)))
          << std::hexfloat << x;
    }
  }
  std::printf("near multiples of pi/2 up to 1e9: largest error %.3g ulp\n", largest_ulp);
}

TEST(Trigonometry, ZeroAndNumbersTooSmallForFullPrecisionAreExact) {
  EXPECT_EQ(sine_cosine(0.0).sine, 0.0);
  EXPECT_EQ(sine_cosine(-0.0).sine, 0.0);
  EXPECT_EQ(sine_cosine(0.0).cosine, 1.0);
  EXPECT_EQ(sine_cosine(5e-324).sine, 5e-324);
  EXPECT_EQ(sine_cosine(-1e-310).sine, -1e-310);
}

TEST(Trigonometry, InfinityAndNanGiveNan) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(sine_cosine(x).sine));
    EXPECT_TRUE(std::isnan(sine_cosine(x).cosine));
  }
}

TEST(Trigonometry, ArcTangentOfARatioIsRightToFiveUnitsInTheLastPlace) {
  const std::uint64_t seed = 3;
  SCOPED_TRACE(seed);
  Random random(seed);
  double largest = 0.0;
  for (int i = 0; i < 1000000; ++i) {
    const bool sines = i % 2 == 0;
    const double angle = random.uniform(0.0, std::numbers::pi / 2);
    const double y = sines ? std::sin(angle) : std::fabs(random_magnitude(random, 1e-12, 1e12));
    const double x = sines ? std::cos(angle) : std::fabs(random_magnitude(random, 1e-12, 1e12));
    largest = std::max(
        largest, ulp_error(atan_of_ratio(y, x),
                           std::atan2(static_cast<long double>(y), static_cast<long double>(x))));
  }
  std::printf("arc tangent of a ratio, largest error %.3f ulp\n", largest);
  EXPECT_LT(largest, 5.0);
}

TEST(Trigonometry, ArcTangentAtItsEnds) {
  EXPECT_EQ(atan_of_ratio(0.0, 0.0), 0.0);
  EXPECT_EQ(atan_of_ratio(0.0, 1.0), 0.0);
  EXPECT_EQ(atan_of_ratio(1.0, 0.0), std::numbers::pi / 2);
  EXPECT_DOUBLE_EQ(atan_of_ratio(1.0, 1.0), std::numbers::pi / 4);
  EXPECT_EQ(atan_of_ratio(1e-300, 1.0), 1e-300);
}

TEST(Trigonometry, EachLaneGivesTheBitsOfALoneNumberBesideAnyNeighbour) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> extremes{
      0.0,    -0.0,     1e6,       1e12, 1e300,       5e-324,
      1e-310, infinity, -infinity, 1e9,  1.0000001e9, std::numeric_limits<double>::quiet_NaN()};
  Random random(4);
  for (int i = 0; i < 100000; ++i) {
    const auto draw = [&] {
      return random.uniform() < 0.5 ? extremes[static_cast<std::size_t>(
                                          random.index(static_cast<int>(extremes.size())))]
                                    : random.uniform(-10.0, 10.0);
    };
    alignas(Lane) double a[lane_width];
    alignas(Lane) double b[lane_width];
    for (std::size_t k = 0; k < lane_width; ++k) {
      a[k] = draw();
      b[k] = draw();
    }
    const Lane x = Lane::load_aligned(a);
    const Lane y = Lane::load_aligned(b);
    const SineCosine<Lane> lanes = sine_cosine(x);
    const Lane arc = atan_of_ratio(abs(y), abs(x));
    for (std::size_t k = 0; k < lane_width; ++k) {
      const SineCosine<double> alone = sine_cosine(a[k]);
      ASSERT_TRUE(same_bits(alone.sine, lane_value(lanes.sine, k))) << std::hexfloat << a[k];
      ASSERT_TRUE(same_bits(alone.cosine, lane_value(lanes.cosine, k))) << std::hexfloat << a[k];
      ASSERT_TRUE(same_bits(atan_of_ratio(std::fabs(b[k]), std::fabs(a[k])), lane_value(arc, k)))
          << std::hexfloat << b[k] << " / " << a[k];
    }
  }
}

TEST(Scalar, LanesAndDoubleRoundAlike) {
  Random random(5);
  for (int i = 0; i < 20000; ++i) {
    alignas(Lane) double a[lane_width];
    alignas(Lane) double b[lane_width];
    alignas(Lane) double c[lane_width];
    for (std::size_t k = 0; k < lane_width; ++k) {
      a[k] = random_magnitude(random, 1e-5, 1e5);
      b[k] = random_magnitude(random, 1e-5, 1e5);
      c[k] = -a[k] * b[k] * (1.0 + random.uniform(-1e-15, 1e-15));
      if (i % 7 == 0) a[k] = std::copysign(0.0, a[k]);
    }
    const Lane x = Lane::load_aligned(a);
    const Lane y = Lane::load_aligned(b);
    const Lane z = Lane::load_aligned(c);
    for (std::size_t k = 0; k < lane_width; ++k) {
      EXPECT_TRUE(same_bits(fma(a[k], b[k], c[k]), lane_value(fma(x, y, z), k)));
      EXPECT_TRUE(same_bits(fnma(a[k], b[k], c[k]), lane_value(fnma(x, y, z), k)));
      EXPECT_TRUE(same_bits(-a[k], lane_value(-x, k)));
      EXPECT_TRUE(same_bits(sqrt(abs(a[k])), lane_value(sqrt(abs(x)), k)));
      EXPECT_TRUE(same_bits(floor(a[k]), lane_value(floor(x), k)));
      EXPECT_TRUE(same_bits(minimum(a[k], b[k]), lane_value(minimum(x, y), k)));
      EXPECT_TRUE(same_bits(maximum(a[k], b[k]), lane_value(maximum(x, y), k)));
    }
  }
}

}  // namespace
}  // namespace stiction::test
