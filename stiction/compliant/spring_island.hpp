#pragma once

/// \file
/// Forces of the springs of one island over a step, by exponential integration [EXP].

#include <span>
#include <vector>

#include "stiction/compliant/dense.hpp"
#include "stiction/compliant/exponential_engine.hpp"
#include "stiction/compliant/springs.hpp"
#include "stiction/contact/contact_problem.hpp"

namespace stiction {

/// One contact of an island; contact axes.
struct AveragedSpring {
  Spring spring;
  double friction = 0.0;
  Vector3<double> acceleration;    ///< c [m/s²]
  Vector3<double> average;         ///< λ̄ within the cone [N]
  Vector3<double> double_average;  ///< λ̄̄ within the cone [N]
  bool pulls = false;              ///< it was left out, because it would have pulled
  bool slips = false;              ///< λ̄ is on the cone
  bool slides = false;             ///< `surface`: it has friction instead of springs along t1, t2
  Vector3<double> friction_force;  ///< then: along t1, t2 [N]
};

/// A row of a limit, lock or stuck joint that holds during the step: its velocity will be `target`.
struct HeldRow {
  int row = 0;                ///< of the island's problem
  double acceleration = 0.0;  ///< that it asks for: (target − v*) / h
};

/// Keeps its memory.
class SpringIsland {
 public:
  void set_options(const ViscoelasticOptions& options);

  /// Averages of all springs over `time_step`. `problem`: the island's, contacts first, assembled
  /// with the Delassus matrix. `held`: rows of it that the springs cannot move.
  EngineStatus integrate(const ContactProblem& problem, std::span<const HeldRow> held,
                         double time_step, std::span<AveragedSpring> springs);

 private:
  void take_matrix(const ContactProblem& problem, int rows);
  bool hold(const ContactProblem& problem, std::span<const HeldRow> held,
            std::span<AveragedSpring> springs);
  EngineStatus integrate_pushing(double time_step, std::span<AveragedSpring> springs);
  bool let_slide(std::span<AveragedSpring> springs) const;
  void list_rows(std::span<const AveragedSpring> springs);
  void fill_rows(std::span<AveragedSpring> springs);
  EngineStatus integrate_active(double time_step, std::span<AveragedSpring> springs);
  bool drop_pulling(std::span<AveragedSpring> springs);

  ViscoelasticOptions options_;
  SpringConstants constants_{ViscoelasticOptions{}};
  ExponentialEngine engine_;
  Eigen::MatrixXd full_;         ///< scratch: G of sparse problems
  std::vector<double> upsilon_;  ///< of all contacts of the island, column by column
  int stride_ = 0;
  std::vector<double> part_;      ///< that of the active contacts, where some were left out
  std::vector<int> active_;       ///< contacts that do not pull
  std::vector<int> row_list_;     ///< their rows that have springs
  std::vector<double> rows_;      ///< K, B, Δp, Δṗ, c of the active rows, one behind the other
  std::vector<double> response_;  ///< averages and end values, likewise
  PaddedMatrix held_matrix_;      ///< G of the held rows, then its Cholesky factor
  std::vector<double> held_columns_;
  std::vector<double> held_vector_;
};

}  // namespace stiction
