// Torsional and rolling friction in the solvers: random problems, by every solver that knows them.

#include <cmath>
#include <gtest/gtest.h>

#include "stiction/contact/turn_laws.hpp"
#include "stiction/solver/frozen_turns.hpp"
#include "support/contact_problems.hpp"
#include "support/solver_runs.hpp"

namespace stiction::test {
namespace {

/// The law by its own words, without the judge. Returns how many turns stick, slip and are open.
Eigen::Vector3i expect_law(const ContactProblem& problem, const SolverRun& run, double tolerance) {
  Eigen::Vector3i modes = Eigen::Vector3i::Zero();
  const double impulse_scale = run.certificate.scales.impulse;
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[static_cast<std::size_t>(i)];
    if (!is_turn(block)) continue;
    const int normal = problem.blocks()[static_cast<std::size_t>(block.contact)].row + 2;
    const double bound = block.friction * run.impulse[normal];
    const Eigen::VectorXd lambda = run.impulse.segment(block.row, block.rows);
    const Eigen::VectorXd w = run.velocity.segment(block.row, block.rows);
    const double least = tolerance * impulse_scale;
    const double slowest = 4.0 * least * problem.diagonal_block(i).trace();
    EXPECT_LE(lambda.norm(), bound + 1e-12 * impulse_scale);
    if (bound <= least) {
      ++modes[2];
    } else if (lambda.norm() < bound - least) {
      EXPECT_LT(w.norm(), slowest) << "block " << i << " creeps";
      ++modes[0];
    } else {
      EXPECT_LT((lambda * w.norm() + bound * w).norm(), 4.0 * least * w.norm() + bound * slowest)
          << "block " << i << " is not pulled against its motion";
      ++modes[1];
    }
  }
  return modes;
}

struct Choice {
  std::string_view solver;
  Law law = Law::coulomb;
};

class TurningSolver : public testing::TestWithParam<Choice> {};

TEST_P(TurningSolver, CertifiesRandomProblems) {
  SolverOptions options;
  options.law = GetParam().law;
  options.max_iterations = 100000;
  Eigen::Vector3i modes = Eigen::Vector3i::Zero();
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const int contacts = 1 + static_cast<int>(seed % 7);
    const double largest = seed % 2 == 0 ? 0.5 : 0.02;
    const ContactProblem bodies = turning_problem(
        seed, {.bodies = 1 + contacts / 2, .contacts = contacts, .largest_turn = largest});
    const ContactProblem dense = dense_copy(bodies);
    for (const ContactProblem* problem : {&bodies, &dense}) {
      const SolverRun run = run_solver(GetParam().solver, *problem, options);
      EXPECT_TRUE(run.certified()) << run.message << " residual " << run.certificate.residual();
      modes += expect_law(*problem, run, 1e-8);
    }
  }
  EXPECT_GT(modes.minCoeff(), 20) << modes.transpose();  // all modes occur
}

INSTANTIATE_TEST_SUITE_P(All, TurningSolver,
                         testing::Values(Choice{"hybrid"}, Choice{"per_contact"}, Choice{"pgs"},
                                         Choice{"hybrid", Law::max_dissipation},
                                         Choice{"hybrid", Law::convex},
                                         Choice{"per_contact", Law::max_dissipation},
                                         Choice{"per_contact", Law::convex}),
                         [](const testing::TestParamInfo<Choice>& info) {
                           return std::string(info.param.solver) + "_" +
                                  std::string(to_string(info.param.law));
                         });

/// After a sweep or two, only the stages with frozen bounds are left.
TEST(TurningFriction, FrozenBoundsFollowTheNormalImpulses) {
  SolverOptions options;
  options.hybrid.sweeps = 1;
  int certified = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    // More rows than Newton's method on modes takes.
    const ContactProblem problem =
        dense_copy(turning_problem(seed, {.bodies = 6, .contacts = 16, .largest_turn = 0.3}));
    ASSERT_GT(problem.row_count(), 72);
    const SolverRun run = run_solver("hybrid", problem, options);
    certified += run.certified() ? 1 : 0;
    if (run.certified()) expect_law(problem, run, 1e-8);
  }
  EXPECT_EQ(certified, 20);
}

TEST(TurningFriction, AFrozenProblemHasTheBoundsAsItsImpulses) {
  const ContactProblem problem = turning_problem(3, {.bodies = 2, .contacts = 3});
  std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
  for (const int contact : {0, 1, 2}) {
    impulses[static_cast<std::size_t>(3 * contact + 2)] = 1.0 + contact;
  }
  FrozenTurns frozen;
  frozen.freeze(problem, impulses, 1.0);
  EXPECT_FALSE(frozen.problem().has_turns());
  ASSERT_FALSE(frozen.problem().check(CheckLevel::full)) << "the matrix is a mechanical one";
  const SolverRun run = run_solver("hybrid", frozen.problem());
  ASSERT_TRUE(run.certified()) << run.message;
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[static_cast<std::size_t>(i)];
    if (block.kind != BlockKind::roll) continue;
    const Block& stand_in = frozen.problem().blocks()[static_cast<std::size_t>(i)];
    EXPECT_NEAR(run.impulse[stand_in.row + 2], turn_bound(problem, block, impulses), 1e-7);
  }
}

TEST(TurningFriction, SolversWithoutItSaySo) {
  const ContactProblem problem = dense_copy(turning_problem(1, {}));
  for (const char* name : {"implicit_complementarity", "lcp", "admm", "convex"}) {
    SolverOptions options;
    if (std::string_view(name) == "convex") options.law = Law::convex;
    const SolverRun run = run_solver(name, problem, options);
    EXPECT_EQ(run.status, SolverStatus::unsupported) << name;
    EXPECT_NE(run.message.find("torsional and rolling friction"), std::string::npos) << run.message;
    EXPECT_NE(run.message.find("`hybrid`"), std::string::npos) << run.message;
  }
}

}  // namespace
}  // namespace stiction::test
