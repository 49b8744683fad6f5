#include "apps/stiction/solve.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/commands.hpp"
#include "apps/stiction/inspect.hpp"
#include "apps/stiction/option_flags.hpp"
#include "stiction/core/write_file.hpp"

namespace stiction {

namespace {

std::string check_solvers(const std::string& list) {
  return check_words("solver", list, known_solvers());
}

std::string check_plot_name(const std::string& name) {
  if (plot::format_of(name)) return {};
  return fmt::format("'{}' must end in .svg or .png", name);
}

/// One line on a terminal that says how far it is, gone at the end.
class Progress {
 public:
  explicit Progress(std::size_t total)
      : total_(total), shown_(isatty(STDERR_FILENO) == 1 && total > 1) {}
  ~Progress() {
    if (shown_) write_error("\r\033[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void next(const std::string& what) {
    ++count_;
    if (shown_) write_error(fmt::format("\r\033[K[{}/{}] {}", count_, total_, printable(what)));
  }

 private:
  std::size_t total_;
  std::size_t count_ = 0;
  bool shown_;
};

/// Residuals along the way, by a solve of their own: a solver that looks at its residual more often
/// may end sooner.
std::vector<HistoryPoint> history_of(Solver& solver, const ContactProblem& problem,
                                     SolverOptions options) {
  options.keep_history = true;
  std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
  const SolverReport report = solver.solve(problem, options, impulses);
  return {report.history.begin(), report.history.end()};
}

SolveOutcome solve_with(const std::string& name, const ContactProblem& problem,
                        const SolveArguments& arguments) {
  const std::unique_ptr<Solver> solver = make_solver(name);
  std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
  const SolverReport report = solver->solve(problem, arguments.options, impulses);
  SolveOutcome outcome{.solver = name,
                       .status = report.status,
                       .iterations = report.iterations,
                       .seconds = report.seconds,
                       .certificate = report.certificate,
                       .message = std::string(report.message),
                       .skipped_blocks = report.skipped_blocks};
  if (!arguments.plot.empty()) outcome.history = history_of(*solver, problem, arguments.options);
  return outcome;
}

/// A file that cannot be read does not keep the others from being solved.
SolvedFile solve_file(const std::string& name, const SolveArguments& arguments,
                      Progress& progress) {
  SolvedFile result;
  result.file = name;
  try {
    FclibFile file = load_fclib_file(name);
    result.form = file.form;
    result.info = std::move(file.info);
    result.contacts = file.problem.contact_count();
    result.rows = file.problem.row_count();
    result.asymmetry = file.asymmetry;
    for (const std::string& solver : arguments.solvers) {
      progress.next(fmt::format("{} {}", name, solver));
      result.outcomes.push_back(solve_with(solver, file.problem, arguments));
    }
  } catch (const InputError& error) {
    result.problems = error.problems();
  }
  return result;
}

/// Text of files may be no UTF-8; it must not break the output, too.
std::string dump(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

void check_combination(const SolveArguments& arguments) {
  if (!arguments.plot.empty() && arguments.files.size() > max_plotted_files) {
    throw CLI::ValidationError(
        "--plot", fmt::format("at most {} files fit in one figure", max_plotted_files));
  }
}

/// The words in place of which the user gave nothing, and each solver once.
void complete(SolveArguments& arguments) {
  std::vector<std::string> names = split(arguments.solver_list);
  const std::vector<std::string_view> known = known_solvers();
  if (arguments.compare) {
    names.assign(known.begin(), known.end());
  } else if (arguments.solver_list.empty()) {
    names.assign(1, std::string(known.front()));
  }
  for (const std::string& name : names) {
    if (std::ranges::find(arguments.solvers, name) == arguments.solvers.end()) {
      arguments.solvers.push_back(name);
    }
  }
}

int solve(const SolveArguments& arguments) {
  if (!arguments.plot.empty()) check_writable(arguments.plot);
  std::vector<SolvedFile> files;
  {
    Progress progress(arguments.files.size() * arguments.solvers.size());
    for (const std::string& name : arguments.files) {
      files.push_back(solve_file(name, arguments, progress));
    }
  }
  if (!arguments.plot.empty()) {
    write_file(arguments.plot,
               plot::render(solve_figure(files, arguments), *plot::format_of(arguments.plot)));
  }
  ProblemList unreadable;  // before the table, whose summary counts them
  for (const SolvedFile& file : files) unreadable.append(file.problems);
  if (!arguments.json && !unreadable.empty()) write_problems(unreadable);
  const int written =
      write_output(arguments.json ? dump(solve_json(files, arguments))
                                  : solve_text(files, arguments, Palette::of_stdout()));
  const bool certified = std::ranges::all_of(
      files, [&](const SolvedFile& file) { return file.certified(arguments.compare); });
  return written == exit_success && certified ? exit_success : exit_failure;
}

void add_arguments(CLI::App& command, SolveArguments& arguments) {
  command.add_option("files", arguments.files, "FCLIB files (HDF5), in local or global form")
      ->type_name("FILE")
      ->required();
  CLI::Option* solver =
      command
          .add_option("--solver", arguments.solver_list,
                      fmt::format("One or more of {} (default {})",
                                  fmt::join(known_solvers(), ", "), known_solvers().front()))
          ->type_name("NAME[,NAME...]")
          ->check(check_solvers);
  command.add_flag("--compare", arguments.compare, "Every solver in turn")->excludes(solver);
  for (const SolverOption& option : solver_option_table()) {
    if (!option.info.in_solve) continue;
    SolverOptions& options = arguments.options;
    add_flag(command, option.info, option.value(options),
             [&options, &option](const OptionValue& value) { option.set(options, value); });
  }
  command.add_flag("--json", arguments.json, "Print JSON for programs");
  command
      .add_option("--plot", arguments.plot,
                  "Draw residual against time and against iterations into this .svg or .png")
      ->type_name("FILE")
      ->check(check_plot_name);
}

}  // namespace

bool SolvedFile::certified(bool one_is_enough) const {
  if (!problems.empty() || outcomes.empty()) return false;
  return one_is_enough ? std::ranges::any_of(outcomes, &SolveOutcome::certified)
                       : std::ranges::all_of(outcomes, &SolveOutcome::certified);
}

void add_solve_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "solve",
      "Solve contact problems from FCLIB files, and check the solutions against the contact law");
  const auto arguments = std::make_shared<SolveArguments>();
  command->preparse_callback(
      [command, arguments](std::size_t) { add_arguments(*command, *arguments); });
  command->callback([&action, arguments] {
    check_combination(*arguments);
    complete(*arguments);
    action = [arguments] { return solve(*arguments); };
  });
}

}  // namespace stiction
