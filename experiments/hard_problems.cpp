/// \file
/// The hard set of 200 contact problems: how many of each family each solver certifies, and how
/// long it takes. `--out` writes them as FCLIB files, for other programs to try.

#include "tests/support/hard_problems.hpp"

#include <filesystem>
#include <fmt/core.h>
#include <string>
#include <vector>

#include "bench/output.hpp"
#include "bench/program.hpp"
#include "stiction/io/fclib.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction::experiments {

namespace {

struct Arguments {
  std::filesystem::path out;
  std::vector<std::string> solvers;
  double tolerance = 1e-8;
  double time_limit = 1.0;
};

constexpr int families = test::hard_problem_count / test::hard_problems_per_family;

void write_problems(const std::filesystem::path& folder) {
  for (int i = 0; i < test::hard_problem_count; ++i) {
    const std::filesystem::path path = folder / fmt::format("hard_{:03}.hdf5", i);
    save_fclib(path, test::hard_problem(i), {.title = std::string(test::hard_problem_family(i))});
  }
  fmt::print("Wrote {} files to {}\n", test::hard_problem_count, folder.string());
}

/// One row of the table: certified by family, in all, and the time of all solves.
std::vector<std::string> measure(const std::string& name, const Arguments& arguments) {
  const std::unique_ptr<Solver> solver = make_solver(name);
  SolverOptions options;
  options.tolerance = arguments.tolerance;
  options.time_limit = arguments.time_limit;
  options.check = CheckLevel::finite;
  if (name == "convex") options.law = Law::convex;
  std::vector<int> certified(families, 0);
  double seconds = 0.0;
  std::vector<double> impulses;
  for (int i = 0; i < test::hard_problem_count; ++i) {
    if (bench::progress_wanted()) {
      fmt::print(stderr, "\r{} {}/{}   ", name, i + 1, test::hard_problem_count);
    }
    const ContactProblem problem = test::hard_problem(i);
    impulses.assign(static_cast<std::size_t>(problem.row_count()), 0.0);
    const SolverReport report = solver->solve(problem, options, impulses);
    seconds += report.seconds;
    if (report.certified())
      ++certified[static_cast<std::size_t>(i / test::hard_problems_per_family)];
  }
  if (bench::progress_wanted()) fmt::print(stderr, "\r{:60}\r", "");
  std::vector<std::string> row{name};
  int total = 0;
  for (const int count : certified) {
    row.push_back(std::to_string(count));
    total += count;
  }
  row.push_back(std::to_string(total));
  row.push_back(fmt::format("{:.2f}", seconds));
  return row;
}

int run(const Arguments& arguments) {
  for (const std::string& name : arguments.solvers) {
    if (!make_solver(name)) {
      throw std::invalid_argument(fmt::format("unknown solver '{}'", name));
    }
  }
  if (!arguments.out.empty()) write_problems(arguments.out);
  std::vector<std::string> heading{"solver"};
  for (int family = 0; family < families; ++family) {
    heading.emplace_back(test::hard_problem_family(family * test::hard_problems_per_family));
  }
  heading.insert(heading.end(), {"of 200", "all solves [s]"});
  bench::Table table(heading);
  for (const std::string& name : arguments.solvers) table.add(measure(name, arguments));
  fmt::print(
      "Certified at {:.0e}, at most {} s per problem, 40 problems per family; `convex` under its "
      "own law.\n\n{}",
      arguments.tolerance, arguments.time_limit, table.text());
  return 0;
}

}  // namespace

}  // namespace stiction::experiments

int main(int argc, char** argv) {
  using namespace stiction::experiments;
  Arguments arguments;
  for (const std::string_view name : stiction::solver_names()) arguments.solvers.emplace_back(name);
  stiction::bench::CommandLine line("How many problems of the hard set each solver certifies.",
                                    "hard_problems");
  line.add_option("--out", arguments.out, "folder for the problems as FCLIB files")
      .existing_folder();
  line.add_option("--solver", arguments.solvers, "solvers, separated by commas (default: all)")
      .separated_by(',');
  line.add_option("--tolerance", arguments.tolerance, "largest residual of a certified solution")
      .range(1e-15, 1.0);
  line.add_option("--time-limit", arguments.time_limit, "seconds per problem").range(1e-3, 1e3);
  return stiction::bench::run_program(line, argc, argv, [&arguments] { return run(arguments); });
}
