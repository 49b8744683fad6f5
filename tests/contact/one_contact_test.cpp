/// \file
/// One contact: special cases with known answers, the branches of Coulomb's law, the three laws as
/// value types, and the friction cone.

#include "stiction/contact/one_contact.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "stiction/contact/friction_cone.hpp"
#include "stiction/contact/laws.hpp"
#include "stiction/contact/one_contact_solvers.hpp"
#include "support/one_contact_search.hpp"

namespace stiction::test {
namespace {

using Vector = Vector3<double>;

constexpr Law laws[] = {Law::coulomb, Law::max_dissipation, Law::convex};
constexpr SlipMethod methods[] = {SlipMethod::newton, SlipMethod::quartic, SlipMethod::bisection,
                                  SlipMethod::golden_section, SlipMethod::bisection_printed};

struct NamedAnswer {
  Law law;
  SlipMethod method;
  ContactAnswer<double> answer;
};

/// The answers of every solver there is. Not a template, so that they are compiled once.
std::vector<NamedAnswer> all_answers(const ContactFactor<double>& factor, const Vector& c) {
  std::vector<NamedAnswer> answers;
  for (const Law law : laws) {
    for (const SlipMethod method : methods) {
      OneContactOptions options;
      options.method = method;
      visit_one_contact_solver(law, options, [&](const auto& solve) {
        answers.push_back({law, method, solve(factor, c, Vector{})});
      });
    }
  }
  return answers;
}

/// Calls check(law, method, answer) for every solver there is.
template <class Check>
void solve_with_all(const Symmetric3<double>& W, double friction, const Vector& c, Check check) {
  for (const auto& [law, method, answer] : all_answers(factorize_contact(W, friction), c)) {
    SCOPED_TRACE(std::string(to_string(law)) + " " + std::string(to_string(method)));
    check(law, method, answer);
  }
}

Symmetric3<double> scaled_identity(double s) { return {s, 0.0, 0.0, s, 0.0, s}; }

TEST(OneContact, ParticleOnAPlaneSlidesAsTheBookSays) {
  // 2 kg, µ 0.5, falling at 1 m/s and sliding at 3 m/s: λ_n = 2, λ_T = −1 against the slip.
  solve_with_all(scaled_identity(0.5), 0.5, {3.0, 0.0, -1.0},
                 [](Law law, SlipMethod, const ContactAnswer<double>& answer) {
                   if (law == Law::convex) return;
                   EXPECT_NEAR(answer.impulse.x, -1.0, 1e-8);
                   EXPECT_NEAR(answer.impulse.y, 0.0, 1e-7);
                   EXPECT_NEAR(answer.impulse.z, 2.0, 1e-8);
                   EXPECT_EQ(answer.mode, 2.0);
                 });
}

TEST(OneContact, ParticleSticksInsideAndOpensOutsideTheCone) {
  solve_with_all(scaled_identity(0.5), 0.5, {0.4, 0.0, -1.0},
                 [](Law, SlipMethod, const ContactAnswer<double>& answer) {
                   EXPECT_NEAR(answer.impulse.x, -0.8, 1e-15);
                   EXPECT_NEAR(answer.impulse.z, 2.0, 1e-15);
                   EXPECT_EQ(answer.mode, 1.0);
                 });
  solve_with_all(scaled_identity(0.5), 0.5, {0.4, 0.0, 1.0},
                 [](Law, SlipMethod, const ContactAnswer<double>& answer) {
                   EXPECT_EQ(norm(answer.impulse), 0.0);
                   EXPECT_EQ(answer.mode, 0.0);
                 });
}

TEST(OneContact, ConvexSliderLiftsOffWithFrictionTimesSpeed) {
  const Symmetric3<double> W = scaled_identity(0.5);
  const ContactFactor<double> factor = factorize_contact(W, 0.5);
  const Vector c{3.0, 0.0, -1.0};
  const Vector v = W * exact_answer(Law::convex, factor, c, {}).impulse + c;
  EXPECT_NEAR(v.z, 0.5 * std::hypot(v.x, v.y), 1e-15);
  EXPECT_GT(v.z, 0.5);
}

TEST(OneContact, WithoutFrictionTheImpulseIsNormal) {
  const Symmetric3<double> W{1.0, 0.2, 0.3, 1.5, -0.4, 2.0};
  solve_with_all(W, 0.0, {1.0, -2.0, -3.0},
                 [](Law, SlipMethod, const ContactAnswer<double>& answer) {
                   EXPECT_EQ(answer.impulse.x, 0.0);
                   EXPECT_EQ(answer.impulse.y, 0.0);
                   EXPECT_NEAR(answer.impulse.z, 1.5, 1e-15);
                 });
}

TEST(OneContact, LockedPointIsSkipped) {
  for (const double W_nn : {0.0, 1e-14}) {
    solve_with_all({1.0, 0.2, 0.0, 1.5, 0.0, W_nn}, 0.7, {1.0, -2.0, -3.0},
                   [](Law, SlipMethod, const ContactAnswer<double>& answer) {
                     EXPECT_EQ(norm(answer.impulse), 0.0);
                     EXPECT_EQ(answer.mode, 0.0);
                   });
  }
}

TEST(OneContact, SingularMatricesAndExtremeNumbersGiveFiniteImpulses) {
  const std::vector<Symmetric3<double>> matrices = {
      {},                                    // nothing moves
      {0.0, 0.0, 0.0, 0.0, 0.0, 1.0},        // moves along n alone
      {1.0, 0.0, 1.0, 0.0, 0.0, 1.0},        // rank 1, aslant
      {1.0, 0.0, 0.0, 0.0, 0.0, 1.0},        // rank 2
      {2.0, 1.0, 1.0, 2.0, 1.0, 2.0 / 3.0},  // rank 2, aslant
      {1e-200, 0.0, 0.0, 1e-200, 0.0, 1e-200},
      {1e100, 0.0, 0.0, 1e100, 0.0, 1e100}};
  const std::vector<Vector> velocities = {{},
                                          {0.0, 0.0, -1.0},
                                          {1.0, 0.0, 0.0},
                                          {1.0, 1.0, -1.0},
                                          {1.0, -2.0, 1e-300},
                                          {1e-300, 0.0, -1e-300},
                                          {1e100, 1e100, -1e100}};
  for (const Symmetric3<double>& W : matrices) {
    for (const Vector& c : velocities) {
      for (const double friction : {0.0, 1e-300, 0.5, 1e8}) {
        SCOPED_TRACE(testing::Message() << "W_nn " << W.zz << " W_xx " << W.xx << " c " << c.x
                                        << ' ' << c.y << ' ' << c.z << ", friction " << friction);
        solve_with_all(W, friction, c, [](Law, SlipMethod, const ContactAnswer<double>& answer) {
          EXPECT_TRUE(std::isfinite(answer.impulse.x));
          EXPECT_TRUE(std::isfinite(answer.impulse.y));
          EXPECT_GE(answer.impulse.z, 0.0);
        });
      }
    }
  }
}

TEST(OneContact, SupportsNamesThePairsThatExist) {
  int visited = 0;
  for (const Law law : laws) {
    for (const SlipMethod method : methods) {
      OneContactOptions options;
      options.method = method;
      int calls = 0;
      const bool known = visit_one_contact_solver(law, options, [&](const auto&) { ++calls; });
      EXPECT_EQ(known, supports(law, method));
      EXPECT_EQ(calls, known ? 1 : 0);
      visited += calls;
      EXPECT_EQ(parse_slip_method(to_string(method)), method);
    }
  }
  EXPECT_EQ(visited, 13);  // all 15 but golden section and Algorithm 1 under Coulomb's law
  EXPECT_FALSE(parse_slip_method("simplex").has_value());
}

TEST(OneContact, ExactAnswerIsAFixedPoint) {
  // From the answer itself as guess the same answer comes out, to rounding.
  double worst = 0.0;
  for (std::uint64_t seed = 0; seed < 100'000; ++seed) {
    const OneContactProblem p = random_one_contact(seed);
    if (p.condition > 1e3 || p.eccentricity() > 2.0 || p.friction > 10.0) continue;
    const ContactFactor<double> factor = factorize_contact(p.W, p.friction);
    for (const Law law : laws) {
      const Vector first = exact_answer(law, factor, p.c, {}).impulse;
      const Vector again = exact_answer(law, factor, p.c, first).impulse;
      if (norm(first) > 0.0) worst = std::max(worst, norm(again - first) / norm(first));
    }
  }
  EXPECT_LE(worst, 1e-12);  // condition 1e3 of some thousand roundings
}

/// A rod that jams: e > 1, so that Coulomb's law has more than one answer.
OneContactProblem jamming_problem(double normal_velocity) {
  OneContactProblem p;
  p.W = {4.0, 0.0, -1.9, 1.0, 0.0, 1.0};
  p.largest = 5.0;
  p.friction = 1.5;
  p.c = {1.0, 0.1, normal_velocity};
  return p;
}

TEST(OneContact, ExactAnswerFollowsTheBranchItIsAskedNear) {
  int further = 0;
  for (const double normal_velocity : {-0.3, -0.05, 0.05, 0.3}) {
    for (const double sign : {1.0, -1.0}) {
      OneContactProblem p = jamming_problem(normal_velocity);
      p.c.x *= sign;
      ASSERT_GT(p.eccentricity(), 1.0);
      const ContactFactor<double> factor = factorize_contact(p.W, p.friction);
      const Vector standard = exact_answer(Law::coulomb, factor, p.c, {}).impulse;
      const ContactSearch oracle(Law::coulomb, LongContact(p));
      for (const LongContact::V3& l : oracle.answers()) {
        const Vector near{static_cast<double>(l.x), static_cast<double>(l.y),
                          static_cast<double>(l.z)};
        const Vector close = exact_answer(Law::coulomb, factor, p.c, 1.001 * near).impulse;
        EXPECT_LE(norm(close - near), 1e-12 * norm(near));
        further += norm(near - standard) > 1e-6 * norm(near);
      }
    }
  }
  EXPECT_GE(further, 2);
}

TEST(OneContact, OpeningPointMayAlsoBeHeldWhereItJams) {
  // c_n > 0: open is an answer, and so is a stick impulse inside the cone.
  const OneContactProblem p = jamming_problem(0.0);
  const ContactFactor<double> factor = factorize_contact(p.W, p.friction);
  const Vector hold{0.9, 0.0, 1.0};
  const Vector c = -(p.W * hold);
  ASSERT_GT(c.z, 0.0);
  EXPECT_EQ(norm(exact_answer(Law::coulomb, factor, c, {}).impulse), 0.0);
  const ContactAnswer<double> held = exact_answer(Law::coulomb, factor, c, hold);
  EXPECT_LE(norm(held.impulse - hold), 1e-14);
  EXPECT_EQ(held.mode, 1.0);
}

TEST(Laws, ClassifyProjectAndMeasureAgree) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const OneContactProblem p = random_one_contact(seed);
    const ContactFactor<double> factor = factorize_contact(p.W, p.friction);
    const auto check = [&]<class L>(L) {
      const ContactAnswer<double> answer = L::project(factor, p.c, {});
      EXPECT_EQ(static_cast<int>(L::classify(factor, p.c)), static_cast<int>(answer.mode));
      const Vector expected = exact_answer(L::law, factor, p.c, {}).impulse;
      EXPECT_EQ(norm(answer.impulse - expected), 0.0);
      if (p.condition > 1e3 || p.eccentricity() > 0.3 || !(norm(answer.impulse) > 0.0)) return;
      const double size = norm(answer.impulse);
      EXPECT_LE(L::measure(factor, p.c, answer.impulse), 1e-12 * size);
      EXPECT_NEAR(L::measure(factor, p.c, answer.impulse + Vector{0.0, 0.0, 0.1 * size}),
                  0.1 * size, 1e-11 * size);
    };
    check(CoulombLaw{});
    check(MaxDissipationLaw{});
    check(ConvexLaw{});
  }
}

TEST(Laws, MaximumDissipationNeverDoesWork) {
  for (std::uint64_t seed = 0; seed < 200'000; ++seed) {
    const OneContactProblem p = random_one_contact(seed);
    const ContactFactor<double> factor = factorize_contact(p.W, p.friction);
    const Vector l = exact_answer(Law::max_dissipation, factor, p.c, {}).impulse;
    // ½ λ·(v + c), in long double, less what rounding of λ may do.
    const LongContact contact(p);
    const LongContact::V3 v = contact.velocity({l.x, l.y, l.z});
    const Real gain = l.x * (v.x + p.c.x) + l.y * (v.y + p.c.y) + l.z * (v.z + p.c.z);
    const Real size = norm(l) * (p.largest * norm(l) + norm(p.c));
    EXPECT_LE(gain, 1e-12L * size) << "seed " << seed;
  }
}

TEST(FrictionCone, ProjectsToTheNearestPoint) {
  Random random(1);
  for (int k = 0; k < 20'000; ++k) {
    const FrictionCone<double> cone{random.uniform(0.0, 3.0)};
    const Vector x{random.normal(), random.normal(), random.normal()};
    const Vector nearest = cone.project(x);
    EXPECT_LE(cone.excess(nearest), 1e-15);
    EXPECT_GE(nearest.z, 0.0);
    // Moreau: the rest is orthogonal to it and in the polar cone.
    const Vector rest = x - nearest;
    EXPECT_NEAR(dot(rest, nearest), 0.0, 1e-14);
    EXPECT_LE(cone.friction * std::hypot(rest.x, rest.y) + rest.z, 1e-14);
    if (cone.contains(x)) {
      EXPECT_EQ(norm(rest), 0.0);
    }
    if (cone.dual_contains(-x)) {
      EXPECT_LE(norm(nearest), 1e-15);
    }
  }
}

}  // namespace
}  // namespace stiction::test
