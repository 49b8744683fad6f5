#pragma once

/// \file
/// Runs every setting of every engine in one scene: first how accurate it is, then all in turns for
/// how long a step takes.

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "bench/peers/scenes.hpp"

namespace stiction::bench {

inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

struct PeerMeasureOptions {
  bool quick = false;
  int steps = 0;           ///< above 0: measure so many steps per setting, and time hardly
  double cpu_cap = 8.0;    ///< of one setting in one scene, without the timing [s]
  double time_cap = 45.0;  ///< of the timing of one scene [s]
  int blocks = 15;         ///< that count, per setting
  std::string filter;      ///< only settings with this in their name
  std::function<void(const std::string&)> progress;  ///< called with what begins; may be empty
};

/// One setting in one scene. NaN where something is not defined or was not measured.
struct PeerResult {
  std::string engine;
  std::string setting;
  std::string failure;  ///< why the setting is not stable or cannot do the scene; empty if it can
  bool built = false;   ///< whether the engine could make the scene at all

  double seconds = not_measured;  ///< of a step
  bool noisy = false;             ///< see Result::noisy
  bool in_turns = true;           ///< false: too slow for that; the time is from its run alone

  double contacts = not_measured;      ///< mean
  double mean_overlap = not_measured;  ///< [m]
  double deepest = not_measured;       ///< [m]
  double creep = not_measured;         ///< [m]
  double energy = not_measured;        ///< largest change, relative, where energy is constant
  double energy_rise = not_measured;   ///< largest rise, where nothing is driven [J]
  double momentum = not_measured;      ///< largest horizontal velocity of the common centre [m/s]
  double residual = not_measured;      ///< of the certificate, median of the samples
  double worst_residual = not_measured;

  [[nodiscard]] std::string name() const { return engine + ", " + setting; }
  [[nodiscard]] bool stable() const { return built && failure.empty(); }
  [[nodiscard]] double accuracy(Accuracy which) const;
};

struct PeerSceneResult {
  std::string name;
  std::string title;
  Accuracy accuracy = Accuracy::mean_overlap;
  bool is_robot = false;
  int bodies = 0;
  int velocities = 0;
  double time_step = 0.0;  ///< [s]
  double look = 0.0;       ///< what was measured [s]
  int rejected_blocks = 0;
  std::vector<PeerResult> results;

  /// The fastest stable setting of an engine, and the one with the smallest accuracy measure;
  /// nullptr if none is stable.
  [[nodiscard]] const PeerResult* fastest(const std::string& engine) const;
  [[nodiscard]] const PeerResult* most_accurate(const std::string& engine) const;
};

PeerSceneResult measure_peers(const PeerSceneEntry& scene, const std::vector<PeerEntry>& entries,
                              const PeerMeasureOptions& options);

/// Violations that differ by less than a hundredth, or by less than this [m, or 1 for energy], are
/// the same: a robot that still swings moves its feet in every engine.
inline constexpr double tied_violation = 1e-9;

/// Whether ours at default options is faster than the fastest setting of each other engine, and at
/// a violation that is not larger than that of its most accurate setting.
struct PeerVerdict {
  std::string scene;
  std::string engine;
  double speedup = not_measured;    ///< fastest stable setting of the peer over ours
  double violation = not_measured;  ///< ours over the most accurate setting of the peer
  /// Ours over the fastest setting.
  double violation_fastest = not_measured;
  bool ties = false;  ///< the measures are the same but for what the motion itself does
  [[nodiscard]] bool holds() const { return speedup > 1.0 && (violation <= 1.0 || ties); }
};
std::vector<PeerVerdict> verdicts(const PeerSceneResult& scene);

/// Engines of the results, in their order, each once.
std::vector<std::string> engines_of(const PeerSceneResult& scene);

}  // namespace stiction::bench
