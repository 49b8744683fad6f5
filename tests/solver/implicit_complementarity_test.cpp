// Implicit complementarity: its function, its derivative, its edges, and both globalisations.

#include "stiction/solver/implicit_complementarity.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <vector>

#include "stiction/core/random.hpp"
#include "stiction/io/fclib.hpp"
#include "stiction/solver/implicit_map.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "support/allocation_counter.hpp"
#include "support/contact_problems.hpp"
#include "support/hyperstatic_box.hpp"

namespace stiction::test {
namespace {

using Globalization = ImplicitComplementarityOptions::Globalization;
using Impulses = std::vector<double>;

Impulses zeros(const ContactProblem& problem) {
  return Impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
}

/// The function of a problem with room for its vectors.
struct OpenMap {
  explicit OpenMap(const ContactProblem& problem, double scaling = 0.2) {
    judge.open(problem);
    map.open(problem, judge, scaling);
    for (WorkVector* vector : {&x, &step, &r, &ahead, &behind}) vector->resize(map.size());
  }
  void randomize(Random& random, WorkVector& vector) {
    for (double& value : vector) value = random.normal();
  }

  Judge judge;
  ImplicitMap map;
  WorkVector x, step, r, ahead, behind;
  WorkMatrix derivative;
};

/// One contact with G = 5 and R = 1, so that nothing is scaled.
ContactProblem unit_contact(double friction) {
  ContactProblem problem;
  problem.add_contact(friction);
  problem.use_dense();
  problem.edit_delassus() = 5.0 * Eigen::Matrix3d::Identity();
  problem.prepare();
  return problem;
}

TEST(ImplicitMap, DerivativeAgreesWithDifferencesAwayFromEdges) {
  constexpr double h = 1e-5;
  Random random(21);
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const ContactProblem problem = robot_problem(seed, every_kind);
    OpenMap open(problem);
    for (int sample = 0; sample < 10; ++sample) {
      open.randomize(random, open.x);
      open.randomize(random, open.step);
      open.ahead = open.x - h * open.step;
      open.step *= 2.0 * h;
      std::vector<double> edges;
      open.map.find_edges(open.ahead, open.step, edges);
      if (!edges.empty()) continue;
      open.map.derivative(open.x, 0.0, open.derivative);
      open.map.evaluate(open.ahead, open.behind);
      open.ahead += open.step;
      open.map.evaluate(open.ahead, open.r);
      const Eigen::VectorXd foretold = open.derivative * open.step;
      const Eigen::VectorXd seen = open.r - open.behind;
      EXPECT_LT((foretold - seen).norm(), 1e-7 * foretold.norm()) << "seed " << seed;
      ++compared;
    }
  }
  EXPECT_GT(compared, 250);
}

TEST(ImplicitMap, ProximalTermActsAsAMultipleOfOneAddedToTheMatrix) {
  ContactProblem problem = unit_contact(0.5);
  OpenMap open(problem);
  open.x << 0.3, -0.4, -0.6;  // slips
  WorkMatrix with_term;
  open.map.derivative(open.x, 0.01, with_term);
  problem.edit_delassus().diagonal().array() += 0.01;
  problem.prepare();
  open.map.open(problem, open.judge, 0.2 * 5.0 / 5.01);
  open.map.derivative(open.x, 0.0, open.derivative);
  EXPECT_LT((with_term - open.derivative).norm(), 1e-14);
}

TEST(ImplicitMap, KeepsTheLawForEveryX) {
  Random random(22);
  for (int sample = 0; sample < 200; ++sample) {
    const double friction = random.uniform(0.0, 1.5);
    const ContactProblem problem = unit_contact(friction);
    OpenMap open(problem);
    open.randomize(random, open.x);
    Impulses f(3);
    open.map.impulses_of(open.x, f);
    const double w[3] = {open.x[0] + f[0], open.x[1] + f[1], open.x[2] + f[2]};
    const double slip = std::hypot(w[0], w[1]);
    EXPECT_GE(f[2], 0.0);
    EXPECT_GE(w[2], 0.0);
    EXPECT_EQ(f[2] * w[2], 0.0);
    EXPECT_LE(std::hypot(f[0], f[1]), friction * f[2] + 1e-15);
    EXPECT_NEAR(f[0] * w[0] + f[1] * w[1], -friction * f[2] * slip, 1e-14);
  }
}

TEST(ImplicitMap, FindsPlanesConesAndBounds) {
  const ContactProblem contact = unit_contact(0.5);
  OpenMap open(contact);
  std::vector<double> edges;
  open.x << 2.0, 0.0, 1.0;
  open.step << 0.0, 0.0, -4.0;
  open.map.find_edges(open.x, open.step, edges);
  EXPECT_NE(std::ranges::find(edges, 0.25), edges.end()) << "the plane x_n = 0";
  edges.clear();
  open.x << 1.0, 0.0, -1.0;
  open.step << -1.0, 0.0, 0.0;
  open.map.find_edges(open.x, open.step, edges);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_DOUBLE_EQ(edges[0], 0.5) << "the cone |x_T| = 0.5";

  ContactProblem joint;
  joint.add_joint_friction(0.5);
  joint.use_dense();
  joint.edit_delassus()(0, 0) = 5.0;
  joint.prepare();
  OpenMap row(joint);
  edges.clear();
  row.x << -1.0;
  row.step << 2.0;
  row.map.find_edges(row.x, row.step, edges);
  std::ranges::sort(edges);
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_DOUBLE_EQ(edges[0], 0.25);
  EXPECT_DOUBLE_EQ(edges[1], 0.75);
}

class ImplicitComplementarity : public testing::TestWithParam<Globalization> {
 protected:
  ImplicitComplementarity() { options_.implicit_complementarity.globalization = GetParam(); }

  SolverReport solve(const ContactProblem& problem, Impulses& impulses) {
    impulses.assign(static_cast<std::size_t>(problem.row_count()), 0.0);
    return solver_.solve(problem, options_, impulses);
  }

  ImplicitComplementaritySolver solver_;
  SolverOptions options_;
};

TEST_P(ImplicitComplementarity, CertifiesRandomRobotsOfOneToTwentyContacts) {
  Impulses impulses;
  for (int contacts = 1; contacts <= 20; ++contacts) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const SolverReport report = solve(robot_problem(seed, {.contacts = contacts}), impulses);
      EXPECT_TRUE(report.certified())
          << contacts << " contacts, seed " << seed << ": " << report.certificate.residual();
    }
  }
}

TEST_P(ImplicitComplementarity, TakesEveryKindOfBlockInBothStorages) {
  Impulses impulses;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SolverReport dense = solve(robot_problem(seed, every_kind), impulses);
    EXPECT_TRUE(dense.certified()) << seed << ": " << dense.certificate.residual();
    const SolverReport bodies = solve(body_problem(seed, 5, every_kind), impulses);
    EXPECT_TRUE(bodies.certified()) << seed << ": " << bodies.certificate.residual();
  }
}

TEST_P(ImplicitComplementarity, CertifiesABoxOnMoreContactsThanItHasFreedoms) {
  Impulses impulses;
  for (const double push : {0.0, 0.002, 0.05}) {
    const SolverReport report = solve(hyperstatic_box(push), impulses);
    EXPECT_TRUE(report.certified()) << push << ": " << report.certificate.residual();
  }
}

// Low friction and no more rows than freedoms: the velocity is unique.
TEST_P(ImplicitComplementarity, AgreesWithOtherSolversOnTheVelocity) {
  options_.tolerance = 1e-11;
  Impulses impulses, other;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ContactProblem problem =
        robot_problem(seed, {.contacts = 4, .least_friction = 0.05, .largest_friction = 0.2});
    ASSERT_TRUE(solve(problem, impulses).certified()) << seed;
    for (const char* name : {"per_contact", "admm"}) {
      other = zeros(problem);
      ASSERT_TRUE(make_solver(name)->solve(problem, options_, other).certified()) << name << seed;
      for (std::size_t row = 0; row < other.size(); ++row) other[row] -= impulses[row];
      Impulses velocity = zeros(problem);
      problem.multiply(other, velocity);
      for (const double difference : velocity) EXPECT_NEAR(difference, 0.0, 1e-8) << name << seed;
    }
  }
}

TEST_P(ImplicitComplementarity, AllocatesNothingAtASizeSeenBefore) {
  const ContactProblem large = body_problem(3, 30, {.contacts = 50});
  const ContactProblem small = robot_problem(3, every_kind);
  options_.check = CheckLevel::finite;
  Impulses large_impulses = zeros(large), small_impulses = zeros(small);
  solver_.solve(large, options_, large_impulses);
  solver_.solve(small, options_, small_impulses);
  const AllocationCounter counter;
  solver_.solve(large, options_, large_impulses);
  solver_.solve(small, options_, small_impulses);
  EXPECT_EQ(counter.count(), 0u);
}

TEST_P(ImplicitComplementarity, EndsInTimeWhenTheToleranceCannotBeMet) {
  options_.tolerance = 1e-30;
  options_.time_limit = 0.05;
  Impulses impulses;
  const SolverReport report = solve(robot_problem(4, {.contacts = 20}), impulses);
  EXPECT_TRUE(report.status == SolverStatus::time_limit || report.status == SolverStatus::stalled);
  EXPECT_LT(report.seconds, 0.5);
  EXPECT_LT(report.certificate.residual(), 1e-8);
}

TEST_P(ImplicitComplementarity, StopsAtTheIterationLimit) {
  options_.max_iterations = 2;
  options_.tolerance = 1e-14;
  Impulses impulses;
  const SolverReport report = solve(robot_problem(5, {.contacts = 12}), impulses);
  EXPECT_EQ(report.status, SolverStatus::iteration_limit);
  EXPECT_EQ(report.iterations, 2);
}

INSTANTIATE_TEST_SUITE_P(Both, ImplicitComplementarity,
                         testing::Values(Globalization::levenberg_marquardt, Globalization::dogleg),
                         [](const auto& info) {
                           return info.param == Globalization::dogleg ? "Dogleg"
                                                                      : "LevenbergMarquardt";
                         });

TEST(ImplicitComplementaritySolver, TakesTheNewtonPointWhereOneContactSticks) {
  ImplicitComplementaritySolver solver;
  SolverOptions options;
  options.implicit_complementarity.globalization = Globalization::dogleg;
  const ContactProblem problem = incline_problem(0.2, 0.8);
  Impulses impulses = zeros(problem);
  const SolverReport report = solver.solve(problem, options, impulses);
  EXPECT_TRUE(report.certified());
  EXPECT_EQ(report.iterations, 1);
  EXPECT_EQ(solver.full_newton_fraction(), 1.0);
}

TEST(ImplicitComplementaritySolver, CountsTheIterationsThatNeededALineSearch) {
  ImplicitComplementaritySolver solver;
  SolverOptions options;
  options.implicit_complementarity.globalization = Globalization::dogleg;
  double least = 1.0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = robot_problem(seed, {.contacts = 16});
    Impulses impulses = zeros(problem);
    solver.solve(problem, options, impulses);
    EXPECT_GE(solver.full_newton_fraction(), 0.0);
    EXPECT_LE(solver.full_newton_fraction(), 1.0);
    least = std::min(least, solver.full_newton_fraction());
  }
  EXPECT_LT(least, 1.0);
}

TEST(ImplicitComplementaritySolver, WithoutRestartsItSolvesFewerProblemsAndNeverSweeps) {
  ImplicitComplementaritySolver solver;
  int with = 0;
  int without = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const ContactProblem problem = robot_problem(seed, {.contacts = 16});
    SolverOptions options;
    Impulses impulses = zeros(problem);
    with += solver.solve(problem, options, impulses).certified() ? 1 : 0;
    options.implicit_complementarity.restarts = 0;
    impulses = zeros(problem);
    without += solver.solve(problem, options, impulses).certified() ? 1 : 0;
    EXPECT_EQ(solver.sweep_count(), 0) << "seed " << seed;
  }
  EXPECT_GT(with, without);
  EXPECT_GT(without, 0);
}

/// With one R, units of mass do not matter: G and the impulses scale, the iterations stay.
TEST(ImplicitComplementaritySolver, OneScalingForAllContactsDoesNotDependOnUnits) {
  ImplicitComplementaritySolver solver;
  SolverOptions options;
  options.implicit_complementarity.common_scaling = true;
  options.implicit_complementarity.scaling = 1.0;
  options.implicit_complementarity.restarts = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const ContactProblem problem = robot_problem(seed, {.contacts = 4});
    ContactProblem scaled = problem;
    scaled.edit_delassus() *= 1024.0;
    scaled.prepare();
    Impulses impulses = zeros(problem);
    Impulses scaled_impulses = zeros(problem);
    const SolverReport report = solver.solve(problem, options, impulses);
    const int iterations = report.iterations;
    EXPECT_EQ(solver.solve(scaled, options, scaled_impulses).iterations, iterations);
    for (std::size_t i = 0; i < impulses.size(); ++i) {
      EXPECT_EQ(impulses[i], 1024.0 * scaled_impulses[i]);
    }
  }
}

TEST(ImplicitComplementaritySolver, DoesNotBeginAFactorizationForWhichThereIsNoTime) {
  ImplicitComplementaritySolver solver;
  const ContactProblem problem = row_of_balls(500);
  for (const Globalization globalization :
       {Globalization::dogleg, Globalization::levenberg_marquardt}) {
    Impulses impulses = zeros(problem);
    SolverOptions options;
    options.time_limit = 0.05;
    options.implicit_complementarity.globalization = globalization;
    const SolverReport report = solver.solve(problem, options, impulses);
    EXPECT_EQ(report.status, SolverStatus::time_limit) << to_string(report.status);
    EXPECT_LT(report.seconds, 2.0 * options.time_limit);
  }
}

TEST(ImplicitComplementaritySolver, RefusesWhatItDoesNotTake) {
  ImplicitComplementaritySolver solver;
  SolverOptions options;
  options.law = Law::convex;
  EXPECT_FALSE(solver.refusal(robot_problem(1), options).empty());
  options.law = Law::coulomb;
  EXPECT_TRUE(solver.refusal(robot_problem(1), options).empty());
  EXPECT_NE(solver.refusal(row_of_balls(501), {}).find("1500 rows"), std::string_view::npos);
}

TEST(ImplicitComplementaritySolver, NamesTheOptionThatIsOutOfItsRange) {
  ImplicitComplementaritySolver solver;
  const ContactProblem problem = robot_problem(1);
  for (const double wrong : {0.0, -1.0, 1e-300, 1e300, std::nan(""), HUGE_VAL}) {
    Impulses impulses = zeros(problem);
    SolverOptions options;
    options.implicit_complementarity.scaling = wrong;
    const SolverReport report = solver.solve(problem, options, impulses);
    EXPECT_EQ(report.status, SolverStatus::invalid_problem) << wrong;
    EXPECT_NE(report.message.find("implicit_complementarity.scaling"), std::string_view::npos);
  }
  Impulses impulses = zeros(problem);
  SolverOptions options;  // its restarts are sweeps of per-contact iteration
  options.per_contact.one_contact.method = SlipMethod::golden_section;
  EXPECT_EQ(solver.solve(problem, options, impulses).status, SolverStatus::invalid_problem);
}

TEST(ImplicitComplementaritySolver, CertifiesThePublishedProblemsByDogleg) {
  ImplicitComplementaritySolver solver;
  SolverOptions options;
  options.implicit_complementarity.globalization = Globalization::dogleg;
  const std::filesystem::path folder = std::filesystem::path(STICTION_REFERENCE_DIR) / "problems";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hdf5") continue;
    const ContactProblem problem = load_fclib(entry.path());
    if (problem.row_count() > 500) continue;  // seconds
    Impulses impulses = zeros(problem);
    const SolverReport report = solver.solve(problem, options, impulses);
    EXPECT_TRUE(report.certified()) << entry.path() << ": " << report.certificate.residual();
    ++files;
  }
  EXPECT_EQ(files, 11);
}

}  // namespace
}  // namespace stiction::test
