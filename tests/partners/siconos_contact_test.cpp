// Our exact-Coulomb solvers against Siconos 4.4, which nobody here wrote.

#include "support/siconos_contact.hpp"

#include <gtest/gtest.h>
#include <optional>

#include "stiction/contact/certificate.hpp"
#include "stiction/core/random.hpp"
#include "stiction/solver/solver.hpp"
#include "support/contact_problems.hpp"

/// Siconos forgets some of its matrices; ours is still looked after.
extern "C" const char* __lsan_default_suppressions() { return "leak:libsiconos"; }

namespace stiction::test {
namespace {

/// Impulses certified at this leave the velocity uncertain by about this times the condition of the
/// contact space, which stays below 1e3 on these problems.
constexpr double certified_at = 1e-10;
constexpr double tolerance = 1e-7;

Eigen::VectorXd velocity_of(const ContactProblem& problem, std::span<const double> impulses) {
  Eigen::VectorXd velocity(problem.row_count());
  problem.multiply(impulses, std::span(velocity.data(), impulses.size()));
  return velocity + problem.free_velocity();
}

double difference(const ContactProblem& problem, const Eigen::VectorXd& a,
                  const Eigen::VectorXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / problem.free_velocity().cwiseAbs().maxCoeff();
}

/// The velocity that our solver finds from an impulse to start with; nothing if not certified.
std::optional<Eigen::VectorXd> ours(const ContactProblem& problem, std::string_view name,
                                    std::vector<double> impulses) {
  SolverOptions options;
  options.tolerance = certified_at;
  options.warm_start = true;
  options.max_iterations = 20000;
  const std::unique_ptr<Solver> solver = make_solver(name);
  if (!solver->solve(problem, options, impulses).certified()) return std::nullopt;
  return velocity_of(problem, impulses);
}

std::optional<Eigen::VectorXd> theirs(const ContactProblem& problem, SiconosMethod method) {
  SiconosContact contact(problem, SiconosStorage::dense);
  contact.solve(method, 1e-12, method == SiconosMethod::nsn_ac ? 200 : 100000);
  std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()));
  contact.impulses(impulses);
  Judge judge;
  judge.open(problem);
  if (!judge.examine(Law::coulomb, impulses).certified(1e-9)) return std::nullopt;
  return velocity_of(problem, impulses);
}

/// The one velocity that all starts lead to; nothing if they differ, for Coulomb's law may have
/// several answers.
std::optional<Eigen::VectorXd> unique_velocity(const ContactProblem& problem, Random& random) {
  const auto rows = static_cast<std::size_t>(problem.row_count());
  std::optional<Eigen::VectorXd> first;
  for (int start = 0; start < 6; ++start) {
    std::vector<double> impulses(rows, 0.0);
    if (start > 0) {
      for (double& impulse : impulses) impulse = random.uniform(-5.0, 5.0);
    }
    const auto velocity = ours(problem, start % 2 == 0 ? "hybrid" : "per_contact", impulses);
    if (!velocity) continue;
    if (first && difference(problem, *first, *velocity) > tolerance) return std::nullopt;
    first = velocity;
  }
  return first;
}

struct Tally {
  int unique = 0;
  int compared[3] = {0, 0, 0};
  double largest = 0.0;
};

void compare(const ContactProblem& problem, std::uint64_t seed, Tally& tally) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const auto velocity = unique_velocity(problem, random);
  if (!velocity) return;
  ++tally.unique;
  for (const SiconosMethod method :
       {SiconosMethod::nsgs, SiconosMethod::nsn_ac, SiconosMethod::admm}) {
    const auto other = theirs(problem, method);
    if (!other) continue;
    ++tally.compared[static_cast<int>(method)];
    const double error = difference(problem, *velocity, *other);
    EXPECT_LE(error, tolerance) << to_string(method);
    tally.largest = std::max(tally.largest, error);
  }
}

void print(const char* what, const Tally& tally) {
  std::printf("%s: %d unique; compared with NSGS %d, NSN_AC %d, ADMM %d; largest difference %.1e\n",
              what, tally.unique, tally.compared[0], tally.compared[1], tally.compared[2],
              tally.largest);
}

TEST(ContactAgainstSiconos, RobotsOnTheirFeet) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) compare(robot_problem(seed), seed, tally);
  print("robots", tally);
  EXPECT_GE(tally.unique, 80);
  EXPECT_GE(tally.compared[0], 60);
  EXPECT_GE(tally.compared[1], 60);
}

TEST(ContactAgainstSiconos, FreeBodies) {
  Tally tally;
  const ProblemMix mix{.contacts = 6};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    compare(dense_copy(body_problem(seed, 4, mix)), seed, tally);
  }
  print("bodies", tally);
  EXPECT_GE(tally.unique, 80);
  EXPECT_GE(tally.compared[0], 60);
  EXPECT_GE(tally.compared[1], 60);
}

}  // namespace
}  // namespace stiction::test
