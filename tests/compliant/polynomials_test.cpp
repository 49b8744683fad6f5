/// \file
/// Polynomials instead of eigenvectors: the weights themselves, random systems, and what is out of
/// their reach.

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "stiction/compliant/exponential_engine.hpp"
#include "stiction/compliant/oscillator.hpp"
#include "tests/support/spring_contacts.hpp"

namespace stiction {
namespace {

constexpr std::uint64_t seed = 31;

/// Clenshaw's sum for one κ, block by block as the engine does it.
std::array<double, 8> value_of(const ResponsePolynomials& p, double kappa) {
  const double y = 2.0 * kappa / p.bound - 1.0;
  std::array<double, 4> chebyshev{1.0, y, 2.0 * y * y - 1.0, (4.0 * y * y - 3.0) * y};
  const double inner = std::cos(p.block * std::acos(std::clamp(y, -1.0, 1.0)));
  std::array<double, 8> result{};
  for (int i = 0; i < 8; ++i) {
    double now = 0.0;
    double before = 0.0;
    for (int k = p.blocks - 1; k >= 0; --k) {
      double sum = 0.0;
      for (int j = 0; j < p.block; ++j) {
        sum += p.term(k, j)[i] * chebyshev[static_cast<std::size_t>(j)];
      }
      const double next = sum + (k > 0 ? 2.0 : 1.0) * inner * now - before;
      before = now;
      now = next;
    }
    result[static_cast<std::size_t>(i)] = now;
  }
  return result;
}

/// Relative to the weight of a mode without stiffness, the largest of its kind.
TEST(Polynomials, EqualTheWeightsOfOscillatorsToRounding) {
  PolynomialStore store;
  int found = 0;
  for (const double damping : {0.0, 0.01, 0.3, 1.5, 30.0}) {
    const OscillatorWeights most = oscillator_weights(0.0, damping);
    for (const double bound : {0.25, 3.0, 24.0, 200.0, 3000.0}) {
      for (const int block : {1, 2, 4}) {
        const ResponsePolynomials& p = store.find(damping, bound, block);
        if (p.blocks == 0) continue;
        ++found;
        for (double share = 0.0; share <= 1.0; share += 1.0 / 64) {
          const OscillatorWeights w = oscillator_weights(share * bound, damping);
          const std::array<double, 8> is = value_of(p, share * bound);
          const double error = std::max(
              {std::abs(is[0] - w.value) / most.value, std::abs(is[1] - w.force) / most.force,
               std::abs(is[2] - w.force_mean) / most.force_mean,
               std::abs(is[4] - 2.0 * w.mean) / most.mean,
               std::abs(is[5] - 2.0 * w.force_mean) / most.force_mean,
               std::abs(is[6] - 2.0 * w.force_mean_twice) / most.force_mean_twice});
          // At its ends the last polynomial turns the rounding of y, 1e-16, into up to 128² times
          // that; its coefficient is small.
          EXPECT_LE(error, 1e-13) << "b " << damping << ", bound " << bound << ", block " << block
                                  << ", share " << share;
        }
      }
    }
  }
  EXPECT_GE(found, 45);
}

struct Case {
  test::SpringContacts contacts;
  double step;
};

/// 2 to 12 points, with more and with fewer freedoms than rows; steps that are not long for the
/// stiffest mode, and some that are.
Case random_case(Random& random) {
  const int points = 2 + static_cast<int>(random.uniform(0.0, 11.0));
  const int freedoms = 3 + static_cast<int>(random.uniform(0.0, 3.0 * points + 6.0));
  const double stiffness = std::pow(10.0, random.uniform(3.0, 6.0));
  const double relaxation = std::pow(10.0, random.uniform(-5.0, -1.5));
  const double step = std::pow(10.0, random.uniform(-5.0, -2.0));
  return {test::random_contacts(random, points, freedoms, stiffness, relaxation), step};
}

TEST(Polynomials, AgreeWithTaylorInLongDoubleOnRandomSystems) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  PolynomialEngine engine;
  double worst = 0.0;
  int reached = 0;
  for (int k = 0; k < 250; ++k) {
    const Case made = random_case(random);
    const test::SpringResponse expected = test::taylor_response(made.contacts, made.step);
    test::SpringResponse response(made.contacts.rows());
    const EngineStatus status = engine.integrate(made.contacts.view(), made.step, response.view());
    if (status == EngineStatus::out_of_reach) continue;
    ASSERT_EQ(status, EngineStatus::solved);
    ++reached;
    worst = std::max(worst, test::relative_difference(made.contacts, response, expected));
  }
  RecordProperty("reached", reached);
  RecordProperty("polynomials", testing::PrintToString(worst));
  EXPECT_GE(reached, 200);
  EXPECT_LE(worst, 1e-12);
}

/// 20 intervals and step lengths in turns are more than the store keeps.
TEST(Polynomials, BitsDoNotDependOnWhatTheStoreKeeps) {
  Random random(seed + 1);
  PolynomialEngine used;
  for (int k = 0; k < 60; ++k) {
    const test::SpringContacts contacts = test::random_contacts(random, 2, 18, 1e5, 3e-3);
    const double step = 1e-4 * (1 + k % 20);
    test::SpringResponse first(contacts.rows());
    test::SpringResponse second(contacts.rows());
    PolynomialEngine fresh;
    const EngineStatus status = used.integrate(contacts.view(), step, first.view());
    ASSERT_EQ(fresh.integrate(contacts.view(), step, second.view()), status);
    EXPECT_EQ(first.average, second.average);
    EXPECT_EQ(first.double_average, second.double_average);
  }
}

TEST(Polynomials, LongStepsAndFewRowsAreOutOfReach) {
  Random random(seed + 3);
  PolynomialEngine engine;
  const test::SpringContacts stiff = test::random_contacts(random, 2, 18, 1e8, 3e-3);
  const test::SpringContacts single = test::random_contacts(random, 1, 18, 1e5, 3e-3);
  test::SpringResponse response(6);
  test::SpringResponse small(3);
  EXPECT_EQ(engine.integrate(stiff.view(), 0.1, response.view()), EngineStatus::out_of_reach);
  EXPECT_EQ(engine.integrate(single.view(), 1e-3, small.view()), EngineStatus::out_of_reach);
}

}  // namespace
}  // namespace stiction
