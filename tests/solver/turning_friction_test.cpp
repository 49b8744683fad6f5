// Torsional and rolling friction in the solvers: random problems, by every solver that knows them.

#include <Eigen/Geometry>
#include <cmath>
#include <gtest/gtest.h>

#include "stiction/contact/turn_laws.hpp"
#include "stiction/core/random.hpp"
#include "stiction/solver/frozen_turns.hpp"
#include "support/allocation_counter.hpp"
#include "support/contact_problems.hpp"
#include "support/solver_runs.hpp"

namespace stiction::test {
namespace {

struct Mix {
  int bodies = 3;
  int contacts = 4;
  double largest_turn = 0.5;  ///< coefficient of spin and roll
  double length = 0.1;        ///< rows are angular velocities times this [m]
};

/// Free bodies that touch each other and the world; every contact has a roll and a spin, or one of
/// them.
ContactProblem turning_problem(std::uint64_t seed, const Mix& mix) {
  Random random(seed);
  ContactProblem problem;
  for (int i = 0; i < mix.contacts; ++i) problem.add_contact(random.uniform(0.2, 1.0));
  for (int i = 0; i < mix.contacts; ++i) {
    if (i % 3 != 1) problem.add_roll(i, random.uniform(0.0, mix.largest_turn));
    if (i % 3 != 2) problem.add_spin(i, random.uniform(0.0, mix.largest_turn));
  }
  problem.use_bodies(mix.bodies);
  std::vector<Eigen::Matrix<double, 6, 1>> u(static_cast<std::size_t>(mix.bodies));
  for (int body = 0; body < mix.bodies; ++body) {
    ContactProblem::Matrix6 inverse_mass = ContactProblem::Matrix6::Zero();
    inverse_mass.diagonal().head(3).setConstant(1.0 / random.uniform(0.5, 2.0));
    for (int k = 3; k < 6; ++k) inverse_mass(k, k) = 1.0 / random.uniform(0.002, 0.01);
    problem.set_inverse_mass(body, inverse_mass);
    for (int k = 0; k < 6; ++k) {
      u[static_cast<std::size_t>(body)][k] = (k < 3 ? 1.0 : 10.0) * random.normal();
    }
  }
  struct Place {
    int bodies[2];
    Eigen::Matrix3d axes;
    Eigen::Vector3d arms[2];
  };
  std::vector<Place> places;
  for (int i = 0; i < mix.contacts; ++i) {
    const auto vector = [&random](double size) {
      return Eigen::Vector3d(random.uniform(-size, size), random.uniform(-size, size),
                             random.uniform(-size, size));
    };
    const Eigen::AngleAxisd turn(random.uniform(0.0, 3.0), vector(1.0).normalized());
    places.push_back({{i % mix.bodies, random.index(mix.bodies + 1) - 1},
                      turn.toRotationMatrix(),
                      {vector(0.1), vector(0.1)}});
  }
  Eigen::VectorXd v = Eigen::VectorXd::Zero(problem.row_count());
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block block = problem.blocks()[static_cast<std::size_t>(i)];
    const Place& place = places[static_cast<std::size_t>(is_turn(block) ? block.contact : i)];
    for (int side = 0; side < 2; ++side) {
      const int body = place.bodies[side];
      if (body < 0 || (side == 1 && body == place.bodies[0])) continue;
      const double sign = side == 0 ? 1.0 : -1.0;
      ContactProblem::Jacobian J(block.rows, 6);
      J.setZero();
      if (block.kind == BlockKind::contact) {
        J.leftCols(3) = sign * place.axes.transpose();
        J.rightCols(3) = -sign * place.axes.transpose() * skew(place.arms[side]);
      } else if (block.kind == BlockKind::roll) {
        J.rightCols(3) = sign * mix.length * place.axes.leftCols(2).transpose();
      } else {
        J.rightCols(3) = sign * mix.length * place.axes.col(2).transpose();
      }
      problem.couple(i, body, J);
      v.segment(block.row, block.rows) += J * u[static_cast<std::size_t>(body)];
    }
    if (block.kind == BlockKind::contact) v[block.row + 2] -= 1.5;
  }
  problem.edit_free_velocity() = v;
  problem.prepare();
  return problem;
}

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
    // More rows than ModeNewton takes.
    const ContactProblem problem =
        dense_copy(turning_problem(seed, {.bodies = 4, .contacts = 9, .largest_turn = 0.3}));
    ASSERT_GT(problem.row_count(), 36);
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

TEST(TurningFriction, ASecondSolveAllocatesNothing) {
  const ContactProblem problem = dense_copy(turning_problem(5, {.bodies = 4, .contacts = 9}));
  for (const char* name : {"hybrid", "per_contact", "pgs"}) {
    const std::unique_ptr<Solver> solver = make_solver(name);
    SolverOptions options;
    options.hybrid.sweeps = 1;  // all stages
    std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
    (void)solver->solve(problem, options, impulses);
    const std::vector<double> first = impulses;
    std::ranges::fill(impulses, 0.0);
    const AllocationCounter counter;
    (void)solver->solve(problem, options, impulses);
    EXPECT_EQ(counter.count(), 0u) << name;
    EXPECT_EQ(impulses, first) << name;
  }
}

}  // namespace
}  // namespace stiction::test
