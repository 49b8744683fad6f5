#pragma once

/// \file
/// Where the results of an experiment go: always to the screen; with `--out FOLDER` tables as CSV
/// and pictures as SVG and PNG into a folder; with `--docs` tables into the experiment's page of
/// the documentation and pictures beside it.

#include <filesystem>
#include <string>

#include "apps/plot/figure.hpp"
#include "bench/output.hpp"
#include "bench/program.hpp"

namespace stiction::experiments {

class ExperimentOutput {
 public:
  /// `page` is the file in docs/. Names of results begin with `experiment`.
  ExperimentOutput(std::string experiment, std::string page)
      : experiment_(std::move(experiment)), page_(std::move(page)) {}

  /// Adds `--out` and `--docs`.
  void add_to(bench::CommandLine& line);
  /// Call it before long work: throws if something cannot be written.
  void check() const;

  /// Prints `heading` and the table. Writes `EXPERIMENT_NAME.csv`, and into the page what stands
  /// between `<!-- EXPERIMENT_NAME -->` and `<!-- end -->`.
  void table(const std::string& name, const std::string& heading, const bench::Table& table);
  /// `EXPERIMENT_NAME.csv`, for programs alone.
  void csv(const std::string& name, const std::string& text);
  /// `EXPERIMENT_NAME.svg` and `.png`; of an empty name `EXPERIMENT.svg`. Nothing if no panel has a
  /// line.
  void figure(const std::string& name, const plot::Figure& figure);

 private:
  [[nodiscard]] std::string full_name(const std::string& name) const;
  [[nodiscard]] std::filesystem::path page_path() const;

  std::string experiment_;
  std::string page_;
  std::filesystem::path folder_;
  bool docs_ = false;
};

/// `page` with `block` between `<!-- name -->` and the next `<!-- end -->`. Throws
/// std::invalid_argument if the page has no such place.
std::string with_block(const std::string& page, const std::string& name, const std::string& block);

}  // namespace stiction::experiments
