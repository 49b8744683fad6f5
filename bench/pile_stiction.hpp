#pragma once

/// \file
/// Our own piles, and the judge of everybody's.

#include "bench/pile_engine.hpp"
#include "stiction/collision/collider.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction::bench {

/// The pile as a Model: shapes 0 to 4 are the planes.
Model pile_model(const PileScene& scene);

/// What our engine is run with.
StepOptions pile_options();

class StictionPile : public PileEngine {
 public:
  StictionPile(const PileScene& scene, StepOptions options);
  void step() override;
  [[nodiscard]] int contacts() const override;
  void read(std::vector<Eigen::Isometry3d>& poses) const override;
  [[nodiscard]] const StepReport& report() const { return simulation_.report(); }
  [[nodiscard]] const RunCounts& counts() const { return simulation_.counts(); }
  [[nodiscard]] StepOptions& options() { return simulation_.options(); }

 private:
  Simulation simulation_;
};

std::vector<PileEntry> stiction_piles();

/// How badly a pile breaks the laws: overlaps from the poses alone, by one judge for all engines.
class PileJudge {
 public:
  explicit PileJudge(const PileScene& scene);

  /// Adds the overlaps of one moment.
  void look(const std::vector<Eigen::Isometry3d>& poses);
  /// Of the overlapping points of all moments [m].
  [[nodiscard]] double mean_overlap() const { return points_ > 0 ? sum_ / points_ : 0.0; }
  [[nodiscard]] double deepest() const { return deepest_; }

 private:
  Collider collider_;
  double sum_ = 0.0;
  double points_ = 0.0;
  double deepest_ = 0.0;
};

}  // namespace stiction::bench
