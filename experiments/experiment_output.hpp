#pragma once

/// \file
/// Where the results of an experiment go: always to the screen and, as tables (CSV) and pictures
/// (SVG, PNG), into a folder; with `--docs` also into the experiment's page of the documentation.

#include <filesystem>
#include <functional>
#include <string>

#include "apps/plot/figure.hpp"
#include "bench/docs_page.hpp"
#include "bench/output.hpp"
#include "bench/program.hpp"

namespace stiction::experiments {

class ExperimentOutput {
 public:
  /// `page` is the file in docs/. Names of results begin with `experiment`. Places of the page are
  /// those of bench::DocsPage.
  ExperimentOutput(std::string experiment, std::string page)
      : experiment_(std::move(experiment)), file_(std::move(page)), page_(file_) {}

  /// Adds `--out` and `--docs`.
  void add_to(bench::CommandLine& line);
  /// Makes the folder. Call it before long work: throws if something cannot be written.
  void check() const;

  /// Prints `heading` (if not empty) and the table. Writes `EXPERIMENT_NAME.csv`, and the table
  /// into the page at `<!-- EXPERIMENT_NAME -->`.
  void table(const std::string& name, const std::string& heading, const bench::Table& table);
  /// `EXPERIMENT_NAME.csv`, for programs alone.
  void csv(const std::string& name, const std::string& text);
  /// `EXPERIMENT_NAME.svg` and `.png`; of an empty name `EXPERIMENT.svg`. Nothing if no panel has a
  /// line. The page gets the SVG.
  void figure(const std::string& name, const plot::Figure& figure);
  /// Says on the screen where files are, and in the page at `<!-- EXPERIMENT_run -->` what they are
  /// from: a command and its time [s]. Throws std::invalid_argument if the page lacks a place.
  void finish(const std::string& command, double seconds);

  [[nodiscard]] const std::string& experiment() const { return experiment_; }

 private:
  [[nodiscard]] std::string full_name(const std::string& name) const;
  /// Into the page. A place that is missing is remembered, so that the results of a long run are
  /// not lost.
  void put(const std::string& name, const std::string& markdown);

  std::string experiment_;
  std::string file_;
  bench::DocsPage page_;
  std::filesystem::path folder_;
  std::string missing_;  ///< places that the page does not have
  int files_ = 0;
  bool docs_ = false;
};

/// The main function of an experiment: adds the options of `output`, parses, finds out whether
/// results can be written, calls `run` and finishes the output. Exit codes as bench::run_program().
int run_experiment(bench::CommandLine& line, ExperimentOutput& output, int argc, char** argv,
                   const std::function<int()>& run);

}  // namespace stiction::experiments
