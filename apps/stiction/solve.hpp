#pragma once

/// \file
/// What `stiction solve` is asked, finds out and prints.

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/plot/figure.hpp"
#include "apps/stiction/output.hpp"
#include "stiction/core/problem.hpp"
#include "stiction/io/fclib.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction {

struct SolveArguments {
  std::vector<std::string> files;
  std::string solver_list;           ///< as given, with commas
  std::vector<std::string> solvers;  ///< each once, when all arguments are read
  /// Here a solver ends by the clock.
  SolverOptions options{.work_limit = std::numeric_limits<double>::infinity(), .time_limit = 10.0};
  bool compare = false;
  bool json = false;
  std::string plot;  ///< a file to draw; empty: none
};

/// One solver's work on one problem. A SolverReport that lives on after the next solve.
struct SolveOutcome {
  std::string solver;
  SolverStatus status = SolverStatus::invalid_problem;
  int iterations = 0;
  double seconds = 0.0;
  Certificate certificate;
  std::string message;
  int skipped_blocks = 0;
  std::vector<HistoryPoint> history;  ///< if there is to be a plot

  [[nodiscard]] bool certified() const { return status == SolverStatus::certified; }
  /// Whether there are impulses to be judged at all.
  [[nodiscard]] bool ran() const {
    return status != SolverStatus::unsupported && status != SolverStatus::invalid_problem;
  }
};

/// One file: its contents and results, or why it could not be read.
struct SolvedFile {
  std::string file;
  FclibForm form = FclibForm::local;
  FclibInfo info;
  int contacts = 0;
  int rows = 0;
  double asymmetry = 0.0;
  std::vector<SolveOutcome> outcomes;
  ProblemList problems;  ///< not empty if it could not be read

  /// Whether one answer, or every answer, is certified.
  [[nodiscard]] bool certified(bool one_is_enough) const;
};

/// A table of problem × solver, then what to do about those that are not certified.
std::string solve_text(const std::vector<SolvedFile>& files, const SolveArguments& arguments,
                       const Palette& palette);

/// The same and more, for programs.
nlohmann::ordered_json solve_json(const std::vector<SolvedFile>& files,
                                  const SolveArguments& arguments);

/// Residual against time and against iterations, one row of panels a file, one line a solver.
plot::Figure solve_figure(const std::vector<SolvedFile>& files, const SolveArguments& arguments);

/// Files that fit into one figure.
inline constexpr std::size_t max_plotted_files = 50;

}  // namespace stiction
