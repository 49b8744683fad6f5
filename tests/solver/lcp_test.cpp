// Contact as a linear complementarity problem: the pyramid's laws, both methods, refusals and caps.

#include "stiction/solver/lcp.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

#include "support/contact_problems.hpp"
#include "support/exact_scenes.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "support/allocation_counter.hpp"

namespace stiction::test {
namespace {

using Method = LcpOptions::Method;
using Impulses = std::vector<double>;

constexpr Method both_methods[] = {Method::lemke, Method::newton};

SolverOptions options_of(Method method, int sides) {
  SolverOptions options;
  options.lcp.method = method;
  options.lcp.sides = sides;
  return options;
}

Impulses zeros(const ContactProblem& problem) {
  return Impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
}

bool pyramid_met(SolverStatus status) {
  return status == SolverStatus::solved || status == SolverStatus::certified;
}

/// Draws a scene of 1 to 10 contacts, hyperstatic in half of the cases.
Scene draw_scene(std::uint64_t seed, double largest_friction) {
  Random random(seed);
  const int contacts = 1 + random.index(10);
  const int freedoms = 3 + random.index(6 * contacts);
  return random_scene(random, contacts, freedoms, largest_friction);
}

/// The laws with a pyramid, seen from outside: no friction impulse of the polygon would take more
/// work out of the slip.
void expect_pyramid_laws(const ContactProblem& problem, const Impulses& impulses, int sides,
                         double tolerance) {
  const Eigen::Map<const Eigen::VectorXd> lambda(impulses.data(), problem.row_count());
  const Eigen::VectorXd w = problem.delassus() * lambda + problem.shifted_velocity();
  const double size = std::max(1.0, lambda.cwiseAbs().maxCoeff());
  for (const Block& block : problem.blocks()) {
    const Eigen::Vector3d f = lambda.segment<3>(block.row), v = w.segment<3>(block.row);
    EXPECT_GE(f.z(), 0.0);
    EXPECT_GE(v.z(), -tolerance * size);
    EXPECT_NEAR(f.z() * v.z(), 0.0, tolerance * size * size);
    double steepest = 0.0;
    for (int j = 0; j < sides; ++j) {
      const double angle = 2.0 * std::numbers::pi * j / sides;
      steepest = std::max(steepest, -v.x() * std::cos(angle) - v.y() * std::sin(angle));
    }
    EXPECT_NEAR(f.head<2>().dot(v.head<2>()), -block.friction * f.z() * steepest,
                tolerance * size * size);
    EXPECT_LE(f.head<2>().norm(), block.friction * f.z() * (1.0 + 1e-12));
  }
}

TEST(Lcp, MeetsThePyramidsLawsByBothMethods) {
  LcpSolver solver;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ContactProblem problem = draw_scene(seed, 1.0).problem();
    for (const int sides : {4, 8, 16}) {
      for (const Method method : both_methods) {
        if (method == Method::newton && sides == 16 && seed >= 20) continue;  // for time
        SCOPED_TRACE(testing::Message() << "seed " << seed << " sides " << sides << " method "
                                        << static_cast<int>(method));
        Impulses impulses = zeros(problem);
        const SolverReport report = solver.solve(problem, options_of(method, sides), impulses);
        ASSERT_TRUE(pyramid_met(report.status)) << to_string(report.status);
        // Newton's method stops at 1e-11 of the scaled problem, whose scales are within 1e3 here.
        expect_pyramid_laws(problem, impulses, sides, method == Method::lemke ? 1e-10 : 1e-8);
      }
    }
  }
}

TEST(Lcp, BothMethodsFindTheSameMotionUnderModerateFriction) {
  // Up to µ = 0.5 the motion is unique on these scenes; at larger µ both may differ and be right.
  LcpSolver solver;
  for (std::uint64_t seed = 100; seed < 160; ++seed) {
    const Scene scene = draw_scene(seed, 0.5);
    const ContactProblem problem = scene.problem();
    for (const int sides : {4, 10}) {
      Impulses a = zeros(problem), b = a;
      solver.solve(problem, options_of(Method::lemke, sides), a);
      solver.solve(problem, options_of(Method::newton, sides), b);
      EXPECT_LE((scene.motion(a) - scene.motion(b)).cwiseAbs().maxCoeff(), 1e-7)
          << "seed " << seed << " sides " << sides;
    }
  }
}

TEST(Lcp, IsExactWithoutFriction) {
  LcpSolver solver;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const ContactProblem problem = draw_scene(seed, 0.0).problem();
    for (const Method method : both_methods) {
      for (const Law law : {Law::coulomb, Law::max_dissipation, Law::convex}) {
        Impulses impulses = zeros(problem);
        SolverOptions options = options_of(method, 8);
        options.law = law;
        const SolverReport report = solver.solve(problem, options, impulses);
        EXPECT_TRUE(report.certified()) << report.message << " seed " << seed;
        EXPECT_EQ(solver.variable_count(), problem.contact_count());
      }
    }
  }
}

/// How many of 40 problems with every kind of block end with the status that they should: certified
/// without friction at the contacts, the pyramid met with it.
int good_ends(LcpSolver& solver, Method method, double friction) {
  int good = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    ProblemMix mix = every_kind;
    mix.least_friction = mix.largest_friction = friction;
    const ContactProblem dense = robot_problem(seed, mix);
    const ContactProblem bodies = body_problem(seed, 4, mix);
    for (const ContactProblem* problem : {&dense, &bodies}) {
      Impulses impulses = zeros(*problem);
      const SolverReport report = solver.solve(*problem, options_of(method, 8), impulses);
      good += friction == 0.0 ? report.certified() : pyramid_met(report.status);
    }
  }
  return good;
}

TEST(Lcp, TakesEveryKindOfBlock) {
  LcpSolver solver;
  EXPECT_EQ(good_ends(solver, Method::lemke, 0.0), 40);
  EXPECT_EQ(good_ends(solver, Method::lemke, 0.7), 40);
  EXPECT_EQ(good_ends(solver, Method::newton, 0.0), 40);
  // Newton's method has no guarantee on a matrix that is not monotone: 1 to 2 % end in a stall.
  EXPECT_GE(good_ends(solver, Method::newton, 0.7), 38);
}

TEST(Lcp, BothStoragesGiveTheSameImpulses) {
  LcpSolver solver;
  const ContactProblem bodies = body_problem(3, 5, contacts_only);
  const ContactProblem dense = dense_copy(bodies);
  Impulses a = zeros(bodies), b = zeros(dense);
  solver.solve(bodies, options_of(Method::lemke, 8), a);
  solver.solve(dense, options_of(Method::lemke, 8), b);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9);
}

TEST(Lcp, ApproachesCoulombsLawAsThePyramidGetsSides) {
  LcpSolver solver;
  double last = 1.0;
  for (const int sides : {4, 8, 16, 32, 64}) {
    double worst = 0.0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const ContactProblem problem = robot_problem(seed);
      Impulses impulses = zeros(problem);
      const SolverReport report = solver.solve(problem, options_of(Method::lemke, sides), impulses);
      ASSERT_TRUE(pyramid_met(report.status)) << sides;
      worst = std::max(worst, report.certificate.law_residual);
    }
    EXPECT_LT(worst, last) << sides;
    last = worst;
  }
  EXPECT_LT(last, std::numbers::pi / 64.0);  // friction points at most π/64 aside
}

TEST(Lcp, DoesNotBeginASetUpForWhichThereIsNoTime) {
  LcpSolver solver;
  for (const auto& [method, contacts] : {std::pair{Method::lemke, 500}, {Method::newton, 160}}) {
    const ContactProblem problem = row_of_balls(contacts);
    Impulses impulses = zeros(problem);
    SolverOptions options = options_of(method, 4);
    options.time_limit = 0.05;
    const SolverReport report = solver.solve(problem, options, impulses);
    EXPECT_EQ(report.status, SolverStatus::time_limit) << to_string(report.status);
    EXPECT_LT(report.seconds, 2.0 * options.time_limit);
  }
}

TEST(Lcp, SaysWhatItDoesNotTake) {
  LcpSolver solver;
  const ContactProblem problem = robot_problem(1);
  for (const int sides : {-4, 0, 2, 3, 5, 66}) {
    Impulses impulses = zeros(problem);
    const SolverReport report = solver.solve(problem, options_of(Method::lemke, sides), impulses);
    EXPECT_EQ(report.status, SolverStatus::invalid_problem);
    EXPECT_NE(report.message.find("lcp.sides"), std::string_view::npos) << report.message;
  }
  SolverOptions convex;
  convex.law = Law::convex;
  EXPECT_NE(solver.refusal(problem, convex).find("coulomb"), std::string_view::npos);
  const ContactProblem large = row_of_balls(500);
  EXPECT_NE(solver.refusal(large, {}).find("4000 variables"), std::string_view::npos);
  EXPECT_NE(solver.refusal(large, options_of(Method::newton, 4)).find("1000 variables"),
            std::string_view::npos);
}

TEST(Lcp, CountsVariablesAndPivots) {
  LcpSolver solver;
  const ContactProblem problem = robot_problem(1, {.contacts = 5});
  Impulses impulses = zeros(problem);
  const SolverReport report = solver.solve(problem, options_of(Method::lemke, 8), impulses);
  EXPECT_EQ(solver.variable_count(), 50);
  EXPECT_EQ(solver.pivots(), report.iterations);
  EXPECT_GT(solver.pivots(), 5);
  solver.solve(problem, options_of(Method::newton, 8), impulses);
  EXPECT_EQ(solver.pivots(), 0);
}

TEST(Lcp, EndsAtItsCaps) {
  LcpSolver solver;
  const ContactProblem problem = robot_problem(1, {.contacts = 5});
  for (const Method method : both_methods) {
    SolverOptions options = options_of(method, 8);
    Impulses impulses = zeros(problem);
    options.max_iterations = 3;
    SolverReport report = solver.solve(problem, options, impulses);
    EXPECT_EQ(report.status, SolverStatus::iteration_limit) << to_string(report.status);
    EXPECT_EQ(report.iterations, 3);
    options.max_iterations = 0;
    options.time_limit = 1e-9;
    report = solver.solve(problem, options, impulses);
    EXPECT_EQ(report.status, SolverStatus::time_limit) << to_string(report.status);
    EXPECT_TRUE(std::ranges::all_of(impulses, [](double x) { return std::isfinite(x); }));
  }
}

TEST(Lcp, NewtonProfitsFromAWarmStart) {
  LcpSolver solver;
  const ContactProblem problem = robot_problem(1, {.contacts = 5});
  SolverOptions options = options_of(Method::newton, 8);
  Impulses impulses = zeros(problem);
  const int cold = solver.solve(problem, options, impulses).iterations;
  options.warm_start = true;
  const SolverReport warm = solver.solve(problem, options, impulses);
  EXPECT_TRUE(pyramid_met(warm.status));
  EXPECT_LT(2 * warm.iterations, cold);
}

TEST(Lcp, AllocatesNothingAtASizeSeenBefore) {
  LcpSolver solver;
  const ContactProblem small = body_problem(3, 3, every_kind);
  const ContactProblem large = robot_problem(4, {.contacts = 8});
  for (const Method method : both_methods) {
    const SolverOptions options = options_of(method, 8);
    Impulses a = zeros(small), b = zeros(large);
    SolverOptions quick = options;
    quick.check = CheckLevel::finite;
    solver.solve(small, quick, a);
    solver.solve(large, quick, b);
    const AllocationCounter counter;
    solver.solve(small, quick, a);
    solver.solve(large, quick, b);
    EXPECT_EQ(counter.count(), 0u) << static_cast<int>(method);
  }
}

}  // namespace
}  // namespace stiction::test
