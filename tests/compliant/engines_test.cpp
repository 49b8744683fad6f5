/// \file
/// The engines on systems with known answers, at large steps, and what they refuse.

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <vector>

#include "stiction/compliant/engine_plan.hpp"
#include "stiction/compliant/exponential_engine.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/spring_contacts.hpp"

namespace stiction {
namespace {

EngineOptions pade_options(const PadeOptions& pade) {
  return {.kind = EngineKind::pade, .pade = pade};
}

/// One mass on a spring.
test::SpringContacts mass_on_spring(double mass, double stiffness, double damping_ratio) {
  test::SpringContacts contacts(1);
  contacts.upsilon(0, 0) = 1.0 / mass;
  contacts.stiffness[0] = stiffness;
  contacts.damping[0] = 2.0 * damping_ratio * std::sqrt(stiffness * mass);
  contacts.position[0] = -1e-3;
  contacts.velocity[0] = 0.2;
  contacts.acceleration[0] = -9.81;
  return contacts;
}

/// The solution in textbooks, in long double. The averages follow from the momentum and the
/// position at the end.
test::SpringResponse closed_solution(const test::SpringContacts& contacts, double step) {
  using Real = long double;
  const Real upsilon = contacts.upsilon(0, 0);
  const Real t = step;
  const Real c = contacts.acceleration[0];
  const Real decay = upsilon * contacts.damping[0] / 2;
  const Real square = upsilon * contacts.stiffness[0] - decay * decay;
  const Real rest = c / (upsilon * contacts.stiffness[0]);
  const Real x = contacts.position[0] - rest;
  const Real v = contacts.velocity[0];
  const Real root = std::sqrt(std::abs(square));
  // Both with the factor exp(−decay t) inside, which keeps cosh from overflow.
  Real cosine = std::exp(-decay * t) * std::cos(root * t);
  Real sine = std::exp(-decay * t) * std::sin(root * t) / root;
  if (square < 0) {
    const Real slow = std::exp((root - decay) * t);
    const Real fast = std::exp(-(root + decay) * t);
    cosine = (slow + fast) / 2;
    sine = (slow - fast) / (2 * root);
  }
  const Real end = rest + x * cosine + (v + decay * x) * sine;
  const Real rate = v * cosine - ((decay * decay + square) * x + decay * v) * sine;
  test::SpringResponse response(1);
  response.end_position[0] = static_cast<double>(end);
  response.end_velocity[0] = static_cast<double>(rate);
  response.average[0] = static_cast<double>(((rate - v) / t - c) / upsilon);
  response.double_average[0] =
      static_cast<double>((2 * (end - contacts.position[0] - v * t) / (t * t) - c) / upsilon);
  return response;
}

TEST(Engines, MassOnSpringMovesAsTheClosedSolutionForAnyStep) {
  for (const EngineOptions& options :
       {EngineOptions{}, pade_options(exact_pade()),
        EngineOptions{.kind = EngineKind::automatic, .tolerance = 1e-13}}) {
    ExponentialEngine engine(options);
    for (const double ratio : {0.0, 0.01, 0.5, 0.9, 1.1, 3.0}) {
      for (const double step : {1e-4, 1e-3, 4e-3, 1e-2, 4e-2, 0.3, 1.0}) {
        const test::SpringContacts contacts = mass_on_spring(2.0, 1e4, ratio);
        test::SpringResponse response(1);
        ASSERT_EQ(engine.integrate(contacts.view(), step, response.view()), EngineStatus::solved);
        EXPECT_LE(test::relative_difference(contacts, response, closed_solution(contacts, step)),
                  1e-12)
            << to_string(options.kind) << ", damping ratio " << ratio << ", step " << step;
      }
    }
  }
}

TEST(Engines, ErrorIsFlatOverTheStiffness) {
  Random random(21);
  for (const EngineOptions& options : {EngineOptions{}, pade_options(exact_pade())}) {
    ExponentialEngine engine(options);
    for (double stiffness = 1e3; stiffness < 2e8; stiffness *= 10.0) {
      const double relaxation = 1.0 / std::sqrt(stiffness);  // damping ratio 0.5 for 1 kg
      const test::SpringContacts contacts =
          test::random_contacts(random, 4, 18, stiffness, relaxation);
      test::SpringResponse response(contacts.rows());
      ASSERT_EQ(engine.integrate(contacts.view(), 2e-3, response.view()), EngineStatus::solved);
      EXPECT_LE(
          test::relative_difference(contacts, response, test::taylor_response(contacts, 2e-3)),
          1e-11)
          << to_string(options.kind) << ", stiffness " << stiffness;
    }
  }
}

/// λ̄ is the change of momentum, and λ̄̄ that of position, whatever the engine.
TEST(Engines, AveragesExplainTheEndOfTheStep) {
  Random random(22);
  for (const int order : pade_orders) {
    ExponentialEngine engine(pade_options(cheap_pade(order)));
    for (const double step : {1e-3, 1e-2, 4e-2}) {
      const test::SpringContacts contacts = test::random_contacts(random, 4, 18, 1e5, 3e-3);
      test::SpringResponse response(contacts.rows());
      ASSERT_EQ(engine.integrate(contacts.view(), step, response.view()), EngineStatus::solved);
      test::SpringResponse explained = response;
      explained.end_velocity =
          contacts.velocity + step * (contacts.upsilon * response.average + contacts.acceleration);
      explained.end_position =
          contacts.position + step * contacts.velocity +
          0.5 * step * step * (contacts.upsilon * response.double_average + contacts.acceleration);
      EXPECT_LE(test::relative_difference(contacts, response, explained), 1e-9)
          << "order " << order << ", step " << step;
    }
  }
}

double energy(const test::SpringContacts& contacts, const Eigen::LLT<Eigen::MatrixXd>& upsilon) {
  return 0.5 * contacts.position.dot(contacts.stiffness.cwiseProduct(contacts.position)) +
         0.5 * contacts.velocity.dot(upsilon.solve(contacts.velocity));
}

/// Without drift the energy never grows. K up to 1e8 N/m and steps up to 1 s: norms up to 1e7.
TEST(Engines, EveryOrderLosesEnergyAtLargeSteps) {
  for (const int order : pade_orders) {
    Random random(23);
    ExponentialEngine engine(pade_options(cheap_pade(order)));
    for (double stiffness = 1e3; stiffness < 2e8; stiffness *= 10.0) {
      for (const double step : {1e-3, 1e-2, 1e-1, 1.0}) {
        test::SpringContacts contacts = test::random_contacts(random, 4, 18, stiffness, 3e-3);
        contacts.acceleration.setZero();
        const Eigen::LLT<Eigen::MatrixXd> upsilon(contacts.upsilon);
        const double start = energy(contacts, upsilon);
        double before = start;
        test::SpringResponse response(contacts.rows());
        for (int k = 0; k < 50; ++k) {
          ASSERT_EQ(engine.integrate(contacts.view(), step, response.view()), EngineStatus::solved);
          contacts.position = response.end_position;
          contacts.velocity = response.end_velocity;
          const double now = energy(contacts, upsilon);
          // Rounding of the start stays after all has decayed.
          ASSERT_LE(now, before * (1.0 + 1e-9) + 1e-20 * start)
              << "order " << order << ", stiffness " << stiffness << ", step " << step;
          before = now;
        }
      }
    }
  }
}

/// A rod that falls on two springs which cannot pull. Forces are cut as [EXP] cuts them: the
/// averages, each on its own. Returns the largest kinetic energy [J].
double falling_rod(ExponentialEngine& engine, double step) {
  constexpr double mass = 2.5;
  constexpr double arm = 0.2;
  constexpr double inertia = 0.3 * mass * arm * arm;
  const Eigen::Matrix2d J{{1.0, arm}, {1.0, -arm}};
  const Eigen::Vector2d inverse(1.0 / mass, 1.0 / inertia);
  const Eigen::Vector2d gravity(-9.81, 0.0);
  Eigen::Vector2d q(0.0, 0.02);
  Eigen::Vector2d v(-0.5, 0.0);
  double largest = 0.0;
  for (int k = 0; k < 2000 && largest < 1e6; ++k) {
    test::SpringContacts contacts(2);
    contacts.upsilon = J * inverse.asDiagonal() * J.transpose();
    contacts.stiffness.setConstant(1e5);
    contacts.damping.setConstant(300.0);
    contacts.position = J * q;
    contacts.velocity = J * v;
    contacts.acceleration = J * gravity;
    // A contact that is open is far from all others: no force, no influence.
    for (Eigen::Index i = 0; i < 2; ++i) {
      if (contacts.position[i] <= 0.0) continue;
      contacts.upsilon.row(i).setZero();
      contacts.upsilon.col(i).setZero();
      contacts.position[i] = contacts.velocity[i] = contacts.acceleration[i] = 0.0;
    }
    test::SpringResponse response(2);
    EXPECT_EQ(engine.integrate(contacts.view(), step, response.view()), EngineStatus::solved);
    const Eigen::Vector2d once = response.average.cwiseMax(0.0);
    const Eigen::Vector2d twice = response.double_average.cwiseMax(0.0);
    q += step * (v + 0.5 * step * (gravity + inverse.cwiseProduct(J.transpose() * twice)));
    v += step * (gravity + inverse.cwiseProduct(J.transpose() * once));
    largest = std::max(largest, 0.5 * v.cwiseProduct(v).dot(inverse.cwiseInverse()));
  }
  return largest;
}

/// The published order 1 gains energy by a factor of 1e4 where the exact integration does not.
TEST(Engines, CheapOrdersAreAsStableAsExactIntegrationUnderProjection) {
  for (const double step : {2e-3, 1e-2, 4e-2}) {
    ExponentialEngine modal;
    const double exact = falling_rod(modal, step);
    for (const int order : pade_orders) {
      ExponentialEngine cheap(pade_options(cheap_pade(order)));
      EXPECT_LE(falling_rod(cheap, step), 1.2 * exact) << "order " << order << ", step " << step;
    }
  }
  ExponentialEngine modal;
  ExponentialEngine published(pade_options(published_pade(1)));
  EXPECT_GE(falling_rod(published, 1e-2), 1e3 * falling_rod(modal, 1e-2));
}

TEST(Engines, NoAllocationAfterReserve) {
  Random random(24);
  std::vector<test::SpringContacts> systems;
  for (const int points : {1, 2, 5, 12, 3}) {
    systems.push_back(test::random_contacts(random, points, 2 * points, 1e5, 3e-3));
    systems.push_back(systems.back());
    systems.back().damping *= 0.5;
    systems.back().damping[0] *= 2.0;  // not proportional
  }
  std::vector<EngineOptions> all{{}, {.kind = EngineKind::automatic, .tolerance = 1e-6}};
  all.push_back(pade_options(exact_pade()));
  for (const int order : pade_orders) all.push_back(pade_options(cheap_pade(order)));
  for (const EngineOptions& options : all) {
    ExponentialEngine engine(options);
    engine.reserve(36);
    for (const test::SpringContacts& contacts : systems) {
      test::SpringResponse response(contacts.rows());
      const LinearContacts system = contacts.view();
      const ContactResponse out = response.view();
      EngineStatus status = EngineStatus::solved;
      std::size_t count = 0;
      {
        const test::AllocationCounter counter;
        status = engine.integrate(system, 5e-3, out);
        count = counter.count();
      }
      EXPECT_EQ(status, EngineStatus::solved);
      EXPECT_EQ(count, 0U) << to_string(options.kind) << ", order " << options.pade.order
                           << ", rows " << contacts.rows();
    }
  }
}

/// Each step length needs polynomials of its own.
TEST(Engines, NewStepLengthsDoNotAllocate) {
  Random random(29);
  const test::SpringContacts contacts = test::random_contacts(random, 4, 18, 1e5, 3e-3);
  test::SpringResponse response(contacts.rows());
  const LinearContacts system = contacts.view();
  const ContactResponse out = response.view();
  PolynomialEngine engine;
  engine.reserve(contacts.rows());
  const test::AllocationCounter counter;
  for (int k = 1; k <= 40; ++k) static_cast<void>(engine.integrate(system, 5e-5 * k, out));
  EXPECT_EQ(counter.count(), 0U);
}

/// Larger and smaller systems in turns: the bits do not depend on what came before.
TEST(Engines, ResultDoesNotDependOnTheSystemsBefore) {
  for (const EngineOptions& options :
       {EngineOptions{}, pade_options(exact_pade()), pade_options(cheap_pade(1)),
        pade_options(cheap_pade(5)), EngineOptions{.kind = EngineKind::automatic}}) {
    Random random(25);
    ExponentialEngine used(options);
    for (const int points : {1, 3, 2, 8, 1, 5, 12, 4}) {
      const test::SpringContacts contacts =
          test::random_contacts(random, points, 2 * points + 1, 1e5, 3e-3);
      test::SpringResponse first(contacts.rows());
      test::SpringResponse second(contacts.rows());
      ExponentialEngine fresh(options);
      ASSERT_EQ(used.integrate(contacts.view(), 5e-3, first.view()), EngineStatus::solved);
      ASSERT_EQ(fresh.integrate(contacts.view(), 5e-3, second.view()), EngineStatus::solved);
      EXPECT_EQ(first.average, second.average);
      EXPECT_EQ(first.double_average, second.double_average);
      EXPECT_EQ(first.end_position, second.end_position);
      EXPECT_EQ(first.end_velocity, second.end_velocity);
    }
  }
}

/// One prediction for many times, from one decomposition.
TEST(Engines, ModalEvaluatesAnyTimeAfterOneDecomposition) {
  Random random(26);
  const test::SpringContacts contacts = test::random_contacts(random, 4, 18, 1e5, 3e-3);
  ModalEngine modal;
  ASSERT_EQ(modal.decompose(contacts.view()), EngineStatus::solved);
  for (const double time : {1e-4, 5e-3, 2e-2}) {
    test::SpringResponse response(contacts.rows());
    ASSERT_EQ(modal.evaluate(time, response.view()), EngineStatus::solved);
    EXPECT_LE(test::relative_difference(contacts, response, test::taylor_response(contacts, time)),
              1e-11);
  }
}

/// Trials of an event and of friction start the same matrix anew.
TEST(Engines, RestartedModesAgreeWithANewDecomposition) {
  Random random(28);
  for (int k = 0; k < 16; ++k) {
    const int points = 1 + k / 2;
    test::SpringContacts contacts = test::random_contacts(random, points, 18, 1e5, 3e-3);
    const test::SpringContacts other = test::random_contacts(random, points, 18, 1e5, 3e-3);
    ModalEngine restarted;
    ASSERT_EQ(restarted.decompose(contacts.view(), k % 2 == 1), EngineStatus::solved);
    test::SpringResponse response(contacts.rows());
    ASSERT_EQ(restarted.evaluate(2e-3, response.view()), EngineStatus::solved);
    const test::SpringResponse first = response;
    contacts.position = other.position;
    contacts.velocity = other.velocity;
    contacts.acceleration = other.acceleration;
    restarted.restart(contacts.view());
    ASSERT_EQ(restarted.evaluate(2e-3, response.view()), EngineStatus::solved);
    ModalEngine fresh;
    test::SpringResponse expected(contacts.rows());
    ASSERT_EQ(fresh.integrate(contacts.view(), 2e-3, expected.view()), EngineStatus::solved);
    EXPECT_NE(response.average, first.average);
    EXPECT_LE(test::relative_difference(contacts, response, expected), 1e-13);  // rounding
  }
}

/// Four feet at the step of a trot, where polynomials take a fifth of the time of eigenvectors; one
/// foot at a short step, where order 1 is good enough; and a step that is too long for polynomials.
TEST(Engines, ThePlanKnowsWhatPolynomialsCost) {
  Random random(29);
  const test::SpringContacts feet = test::random_contacts(random, 4, 18, 1e5, 3e-3);
  const EnginePlan trot = cheapest_plan(feet.view(), 2e-3, 1e-12);
  const EnginePlan nap = cheapest_plan(feet.view(), 10.0, 1e-12);
  EXPECT_TRUE(trot.modal);
  EXPECT_TRUE(nap.modal);
  EXPECT_LT(trot.cost, 0.3 * nap.cost);
  const test::SpringContacts foot = test::random_contacts(random, 1, 6, 1e5, 3e-3);
  const EnginePlan creep = cheapest_plan(foot.view(), 1e-7, 1e-2);
  EXPECT_FALSE(creep.modal);
  EXPECT_EQ(creep.order, 1);
}

TEST(Engines, ModalOptionTakesPadeWhereDampingIsNotProportional) {
  Random random(27);
  test::SpringContacts contacts = test::random_contacts(random, 2, 18, 1e5, 3e-3);
  contacts.damping[1] *= 2.0;
  ExponentialEngine engine;
  test::SpringResponse response(contacts.rows());
  ASSERT_EQ(engine.integrate(contacts.view(), 5e-3, response.view()), EngineStatus::solved);
  EXPECT_FALSE(engine.used().modal);
  EXPECT_EQ(engine.used().order, 13);
  EXPECT_LE(test::relative_difference(contacts, response, test::taylor_response(contacts, 5e-3)),
            1e-11);
}

TEST(Engines, BadInputIsAStatusAndBadOptionsThrow) {
  const test::SpringContacts good = mass_on_spring(1.0, 1e4, 0.5);
  test::SpringResponse response(1);
  for (const EngineKind kind : {EngineKind::modal, EngineKind::pade, EngineKind::automatic}) {
    ExponentialEngine engine(EngineOptions{.kind = kind});
    const auto status = [&](const test::SpringContacts& contacts, double step) {
      return engine.integrate(contacts.view(), step, response.view());
    };
    for (const double step : {0.0, -1e-3, std::nan(""), HUGE_VAL}) {
      EXPECT_EQ(status(good, step), EngineStatus::bad_input) << "step " << step;
    }
    test::SpringContacts bad = good;
    bad.stiffness[0] = 0.0;
    EXPECT_EQ(status(bad, 1e-3), EngineStatus::bad_input);
    bad = good;
    bad.damping[0] = -1.0;
    EXPECT_EQ(status(bad, 1e-3), EngineStatus::bad_input);
    bad = good;
    bad.upsilon(0, 0) = std::nan("");
    EXPECT_EQ(status(bad, 1e-3), EngineStatus::bad_input);
  }
  EXPECT_THROW(PadeEngine({.order = 4}), std::invalid_argument);
  EXPECT_THROW(PadeEngine({.order = 1}), std::invalid_argument);
  EXPECT_THROW(PadeEngine({.tolerance = 0.5}), std::invalid_argument);
  EXPECT_THROW(ExponentialEngine(EngineOptions{.tolerance = 0.0}), std::invalid_argument);
}

TEST(Engines, NamesAreParsed) {
  for (const EngineKind kind : {EngineKind::modal, EngineKind::pade, EngineKind::automatic}) {
    EXPECT_EQ(parse_engine_kind(to_string(kind)), kind);
  }
  EXPECT_FALSE(parse_engine_kind("taylor").has_value());
}

}  // namespace
}  // namespace stiction
