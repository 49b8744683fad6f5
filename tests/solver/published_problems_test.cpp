// The problems that others have published, as FCLIB files in ../shared/reference/problems; and the
// same claims on problems that come with every clone: those of models/problems, and generated ones.

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "stiction/io/fclib.hpp"
#include "stiction/solver/solver.hpp"
#include "support/contact_problems.hpp"
#include "support/hyperstatic_box.hpp"

namespace stiction {
namespace {

std::vector<std::filesystem::path> problem_files() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = std::filesystem::path(STICTION_REFERENCE_DIR) / "problems";
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

class PublishedProblem : public testing::TestWithParam<std::filesystem::path> {};
// Without the folder there is one test, which says so.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PublishedProblem);

struct Solved {
  SolverStatus status;
  Certificate certificate;
  Eigen::VectorXd velocity;  ///< w = v − target
};

Solved solve(std::string_view name, const ContactProblem& problem, double tolerance) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.check = CheckLevel::finite;
  Eigen::VectorXd impulses(problem.row_count());
  const std::span<double> span(impulses.data(), static_cast<std::size_t>(impulses.size()));
  const SolverReport report = make_solver(name)->solve(problem, options, span);
  Solved result{report.status, report.certificate, Eigen::VectorXd(problem.row_count())};
  problem.multiply(span, {result.velocity.data(), span.size()});
  result.velocity += problem.shifted_velocity();
  return result;
}

/// The file whose matrix was 1.3e-3 off symmetry before the reader symmetrised it.
double asked_tolerance(const std::filesystem::path& file) {
  return file.stem() == "Capsules-i125-1213" ? 1e-6 : 1e-8;
}

/// Who does not certify a file at 1e-9, of all that are compared: known and listed, so that no
/// other drops out unseen.
bool known_to_fail(std::string_view solver, const std::filesystem::path& file) {
  constexpr std::pair<std::string_view, std::string_view> known[] = {
      {"per_contact", "BoxesStack1-i100000-32"},  // sweeps gain too little
      {"per_contact", "Capsules-i125-1213"},
      {"pgs", "BoxesStack1-i100000-32"},
      {"implicit_complementarity", "BoxesStack1-i100000-32"},  // certified at 1e-8
      {"implicit_complementarity", "Capsules-i125-1213"}};     // seconds a step; not tried
  const std::string stem = file.stem().string();
  return std::ranges::find(known, std::pair(solver, std::string_view(stem))) != std::end(known);
}

TEST_P(PublishedProblem, IsCertifiedByHybrid) {
  const Solved solved = solve("hybrid", load_fclib(GetParam()), asked_tolerance(GetParam()));
  EXPECT_EQ(solved.status, SolverStatus::certified) << "residual " << solved.certificate.residual();
}

constexpr std::string_view solvers_of_coulombs_law[] = {"per_contact", "pgs",
                                                        "implicit_complementarity", "admm"};

/// All certify the problem at 1e-9, with velocities that agree, relative to the largest.
template <class Skip>
void expect_one_velocity(const ContactProblem& problem, double agreement, const Skip& skips) {
  const Solved reference = solve("hybrid", problem, 1e-9);
  ASSERT_EQ(reference.status, SolverStatus::certified);
  for (const std::string_view name : solvers_of_coulombs_law) {
    if (skips(name)) continue;
    const Solved solved = solve(name, problem, 1e-9);
    EXPECT_EQ(solved.status, SolverStatus::certified)
        << name << ": " << to_string(solved.status) << ", residual "
        << solved.certificate.residual();
    EXPECT_LE((solved.velocity - reference.velocity).cwiseAbs().maxCoeff(),
              agreement * reference.certificate.scales.velocity)
        << name;
  }
}

/// With friction of 0.04 to 0.8 nothing proves the velocity unique, but no two solvers were ever
/// seen to differ on these files. 1e-6: a residual of 1e-9 leaves so much on the worst conditioned
/// of them.
TEST_P(PublishedProblem, HasOneVelocityForAllSolversOfCoulombsLaw) {
  expect_one_velocity(load_fclib(GetParam()), 1e-6,
                      [](std::string_view name) { return known_to_fail(name, GetParam()); });
}

/// Robots, free bodies and a box on four feet. Robots on many feet with more friction than this do
/// have several answers. 4e-8 is the largest difference seen.
TEST(GeneratedProblems, HaveOneVelocityForAllSolversOfCoulombsLaw) {
  const auto none = [](std::string_view) { return false; };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    for (const int contacts : {1, 4}) {
      expect_one_velocity(test::robot_problem(seed, {.contacts = contacts}), 1e-7, none);
    }
    for (const int contacts : {8, 16}) {
      const test::ProblemMix slippery{
          .contacts = contacts, .least_friction = 0.1, .largest_friction = 0.2};
      expect_one_velocity(test::robot_problem(seed, slippery), 1e-7, none);
    }
    const test::ProblemMix heap{.contacts = 20, .largest_friction = 0.8};
    expect_one_velocity(test::body_problem(seed, 10, heap), 1e-7, none);
  }
  for (const double push : {0.0, 0.002, 0.05}) {
    expect_one_velocity(test::hyperstatic_box(push), 1e-7, none);
  }
}

/// A stack and a table at 1:1000 and rods beyond Painlevé's bound. Sweeps (per_contact, pgs) do not
/// get there.
TEST(OwnProblems, AreCertifiedByEverySolverThatDoesNotSweep) {
  for (const char* name : {"stack", "table", "wedge"}) {
    const ContactProblem problem =
        load_fclib(std::string(STICTION_SOURCE_DIR "/models/problems/") + name + ".hdf5");
    for (const std::string_view solver : {"hybrid", "implicit_complementarity", "admm"}) {
      const Solved solved = solve(solver, problem, 1e-8);
      EXPECT_EQ(solved.status, SolverStatus::certified)
          << name << " by " << solver << ", residual " << solved.certificate.residual();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, PublishedProblem, testing::ValuesIn(problem_files()),
                         [](const auto& info) {
                           std::string name = info.param.stem().string();
                           std::ranges::replace_if(
                               name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST(PublishedProblems, AreThere) {
  const std::size_t count = problem_files().size();
  if (count == 0) GTEST_SKIP() << "../shared/reference/problems is not there";
  EXPECT_GE(count, 12u);
}

}  // namespace
}  // namespace stiction
