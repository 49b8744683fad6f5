/// \file
/// All engines against a Taylor series in long double and Eigen's matrix exponential.

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "stiction/compliant/exponential_engine.hpp"
#include "tests/support/spring_contacts.hpp"

namespace stiction {
namespace {

constexpr std::uint64_t seed = 14;

struct Case {
  test::SpringContacts contacts;
  double step;
};

/// 1 to 12 points, stiff and soft, with more and with fewer freedoms than rows.
Case random_case(Random& random, bool proportional) {
  const int points = 1 + static_cast<int>(random.uniform(0.0, 12.0));
  const int freedoms = 3 + static_cast<int>(random.uniform(0.0, 3.0 * points + 6.0));
  const double stiffness = std::pow(10.0, random.uniform(3.0, 8.0));
  const double relaxation = std::pow(10.0, random.uniform(-5.0, -1.5));
  const double step = std::pow(10.0, random.uniform(-5.0, -1.0));
  Case made{test::random_contacts(random, points, freedoms, stiffness, relaxation), step};
  if (!proportional) {
    for (double& b : made.contacts.damping) b *= random.uniform(0.5, 2.0);
  }
  return made;
}

template <class Engine>
double error_of(Engine& engine, const Case& made, const test::SpringResponse& expected) {
  test::SpringResponse response(made.contacts.rows());
  const EngineStatus status = engine.integrate(made.contacts.view(), made.step, response.view());
  EXPECT_EQ(status, EngineStatus::solved) << to_string(status);
  return test::relative_difference(made.contacts, response, expected);
}

/// `usual` is what steps use: polynomials where they reach, else eigenvectors.
TEST(RandomSystems, ModalPadeAndTaylorInLongDoubleAgree) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  ModalEngine modal;
  PadeEngine pade;
  ExponentialEngine usual;
  double worst_usual = 0.0;
  double worst_modal = 0.0;
  double worst_pade = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const Case made = random_case(random, true);
    const test::SpringResponse expected = test::taylor_response(made.contacts, made.step);
    worst_usual = std::max(worst_usual, error_of(usual, made, expected));
    worst_modal = std::max(worst_modal, error_of(modal, made, expected));
    worst_pade = std::max(worst_pade, error_of(pade, made, expected));
  }
  RecordProperty("usual", testing::PrintToString(worst_usual));
  RecordProperty("modal", testing::PrintToString(worst_modal));
  RecordProperty("pade", testing::PrintToString(worst_pade));
  EXPECT_LE(worst_usual, 1e-10);
  EXPECT_LE(worst_modal, 1e-10);
  EXPECT_LE(worst_pade, 1e-10);
}

/// Eigen's error is larger: it squares the matrix itself, which hides small steps.
TEST(RandomSystems, ModalAgreesWithEigensMatrixExponential) {
  Random random(seed + 1);
  ModalEngine modal;
  for (int k = 0; k < 200; ++k) {
    const Case made = random_case(random, true);
    const test::SpringResponse expected = test::eigen_response(made.contacts, made.step);
    EXPECT_LE(error_of(modal, made, expected), 1e-9) << "case " << k << ", seed " << seed + 1;
  }
}

TEST(RandomSystems, PadeIsExactForDampingThatIsNotProportional) {
  Random random(seed + 2);
  PadeEngine pade;
  ModalEngine modal;
  for (int k = 0; k < 200; ++k) {
    const Case made = random_case(random, false);
    const test::SpringResponse expected = test::taylor_response(made.contacts, made.step);
    EXPECT_LE(error_of(pade, made, expected), 1e-10) << "case " << k << ", seed " << seed + 2;
    test::SpringResponse unused(made.contacts.rows());
    EXPECT_EQ(modal.integrate(made.contacts.view(), made.step, unused.view()),
              EngineStatus::not_proportional);
  }
}

/// The rounding of squarings grows with the norm that they have halved.
TEST(RandomSystems, AutomaticMeetsItsErrorTargetUpToRounding) {
  for (const double tolerance : {1e-3, 1e-6, 1e-8, 1e-12}) {
    Random random(seed + 3);
    ExponentialEngine automatic({.kind = EngineKind::automatic, .tolerance = tolerance});
    for (int k = 0; k < 100; ++k) {
      const Case made = random_case(random, k % 2 == 0);
      const test::SpringResponse expected = test::taylor_response(made.contacts, made.step);
      const double error = error_of(automatic, made, expected);
      const double rounding =
          std::numeric_limits<double>::epsilon() * (1.0 + automatic.used().norm);
      EXPECT_LE(error, tolerance + rounding) << "case " << k << ", seed " << seed + 3;
    }
  }
}

TEST(RandomSystems, EveryOrderWithScalingMeetsItsTolerance) {
  Random random(seed + 4);
  for (int k = 0; k < 100; ++k) {
    const Case made = random_case(random, false);
    const test::SpringResponse expected = test::taylor_response(made.contacts, made.step);
    for (const int order : {2, 3, 5, 7, 9, 13}) {
      for (const PadeFamily family : {PadeFamily::diagonal, PadeFamily::decaying}) {
        PadeEngine pade({.order = order, .tolerance = 1e-8, .family = family});
        EXPECT_LE(error_of(pade, made, expected), 1e-8)
            << "order " << order << ", case " << k << ", seed " << seed + 4;
      }
    }
  }
}

}  // namespace
}  // namespace stiction
