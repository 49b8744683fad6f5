#include "bench/peers/measure.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fmt/core.h>

#include "bench/peers/judge.hpp"

namespace stiction::bench {

namespace {

constexpr double fastest_allowed = 200.0;   ///< bodies beyond are on their way to infinity [m/s]
constexpr double energy_allowed = 0.5;      ///< relative error beyond which a chain is lost
constexpr double slowest_in_turns = 0.005;  ///< of a step [s]
constexpr double quick_share = 0.4;         ///< of the simulated time, in a quick run

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// One setting, from building it to the last look.
class QualityRun {
 public:
  QualityRun(const PeerScene& scene, PeerEngine& engine, const PeerMeasureOptions& options)
      : scene_(scene), engine_(engine), options_(options), judge_(scene), driver_(engine, scene) {
    const double h = scene.built.time_step;
    const double share = options.quick ? quick_share : 1.0;
    settle_ = static_cast<int>(std::lround(share * scene.settle / h));
    look_ = static_cast<int>(std::lround(share * scene.look / h));
    if (options.steps > 0) {
      settle_ = std::min(settle_, options.steps);
      look_ = std::min(look_, options.steps);
    }
  }

  void run(PeerResult& result) {
    engine_.watch_contacts(true);
    for (int k = 0; k < settle_ && !over(result, k); ++k) step(false);
    if (cut_) result.failure = "too slow to be measured";
    if (!result.failure.empty()) {
      if (steps_ > 0) result.seconds = spent_ / steps_;
      return;
    }
    judge_.look(engine_);
    const std::vector<Eigen::Vector3d> before = judge_.tracked();
    int done = 0;
    for (; done < look_ && !over(result, settle_ + done); ++done) step(true);
    judge_.look(engine_);
    check(result);
    write(result, before, done);
  }

 private:
  void step(bool measured) {
    const bool certified =
        measured && scene_.certify_steps > 0 && ++age_ % scene_.certify_steps == 0;
    if (certified) judge_.look(engine_);
    const double start = cpu_seconds();
    driver_.step();
    spent_ += cpu_seconds() - start;
    ++steps_;
    if (!measured) return;
    contacts_ += engine_.contacts();
    if (!certified && steps_ % scene_.look_steps != 0) return;
    judge_.look(engine_);
    if (!judge_.finite()) return;
    judge_.measure_overlaps();
    if (scene_.passive) account();
    if (scene_.keeps_momentum) momentum_ = std::max(momentum_, judge_.horizontal_velocity());
    if (certified && driver_.age() > 1) certify();
  }

  /// Energy since the scene began, or began anew.
  void account() {
    const double energy = judge_.energy();
    if (!watched_ || driver_.age() <= scene_.look_steps) first_ = lowest_ = energy;
    watched_ = true;
    rise_ = std::max(rise_, energy - lowest_);
    change_ = std::max(change_, std::abs(energy - first_));
    lowest_ = std::min(lowest_, energy);
  }

  void certify() {
    engine_.read_contacts(found_);
    const bool pressed = std::ranges::any_of(
        found_, [](const PeerContact& contact) { return contact.impulse.norm() > 0.0; });
    if (pressed) residuals_.push_back(judge_.certify(found_).residual());
  }

  /// Whether the run must end early.
  bool over(PeerResult& result, int steps) {
    if (steps % 50 != 0) return false;
    judge_.look(engine_);
    if (!judge_.finite() || !engine_.healthy() || judge_.fastest() > fastest_allowed) {
      result.failure = "unstable";
      return true;
    }
    // Who will not finish by far ends early.
    const double whole = steps_ > 0 ? spent_ / steps_ * (settle_ + look_) : 0.0;
    cut_ = spent_ > options_.cpu_cap ||
           (spent_ > 0.2 * options_.cpu_cap && whole > 3.0 * options_.cpu_cap);
    return cut_;
  }

  void check(PeerResult& result) {
    if (!result.failure.empty()) return;
    if (!judge_.finite() || !engine_.healthy()) {
      result.failure = "unstable";
      return;
    }
    for (const int body : scene_.upright) {
      const Joint& joint = scene_.built.model.joint(body);
      const double start = scene_.q[joint.position_index + 2];
      if (judge_.height(body) < scene_.least_height * start) {
        result.failure = "falls";
        return;
      }
    }
    if (scene_.energy_scale > 0.0 && change_ / scene_.energy_scale > energy_allowed) {
      result.failure = "loses its energy";
    }
    if (cut_) result.failure = "too slow to be measured";
  }

  void write(PeerResult& result, const std::vector<Eigen::Vector3d>& before, int done) {
    if (steps_ > 0) result.seconds = spent_ / steps_;
    if (done == 0 || !judge_.finite()) return;
    result.contacts = contacts_ / done;
    if (scene_.energy_scale > 0.0) {
      result.energy = change_ / scene_.energy_scale;
    } else {
      result.mean_overlap = judge_.mean_overlap();
      result.deepest = judge_.deepest();
    }
    if (scene_.passive) result.energy_rise = rise_;
    if (scene_.keeps_momentum) result.momentum = momentum_;
    const std::vector<Eigen::Vector3d> after = judge_.tracked();
    if (!after.empty()) result.creep = 0.0;
    for (std::size_t k = 0; k < after.size(); ++k) {
      result.creep = std::max(result.creep, (after[k] - before[k]).norm());
    }
    if (residuals_.empty()) return;
    result.residual = median(residuals_);
    result.worst_residual = *std::ranges::max_element(residuals_);
  }

  const PeerScene& scene_;
  PeerEngine& engine_;
  const PeerMeasureOptions& options_;
  PeerJudge judge_;
  PeerDriver driver_;
  int settle_ = 0, look_ = 0;
  int steps_ = 0, age_ = 0;
  double spent_ = 0.0, contacts_ = 0.0;
  double first_ = 0.0, lowest_ = 0.0, rise_ = 0.0, change_ = 0.0, momentum_ = 0.0;
  bool cut_ = false, watched_ = false;
  std::vector<double> residuals_;
  std::vector<PeerContact> found_;
};

PeerResult quality_of(const PeerScene& scene, const PeerEntry& entry,
                      const PeerMeasureOptions& options) {
  PeerResult result;
  result.engine = entry.engine;
  result.setting = entry.setting;
  try {
    const auto engine = entry.make(scene.built);
    result.built = true;
    QualityRun(scene, *engine, options).run(result);
  } catch (const std::exception& error) {
    result.failure = error.what();
  }
  return result;
}

/// A setting in the race, alive as long as its contestant.
struct Runner {
  std::unique_ptr<PeerEngine> engine;
  std::unique_ptr<PeerDriver> driver;
};

void time_in_turns(const PeerScene& scene, const std::vector<PeerEntry>& entries,
                   const PeerMeasureOptions& options, PeerSceneResult& result) {
  Options rules;
  rules.blocks = options.blocks;
  rules.groups = 5;
  rules.time_cap = options.time_cap;
  Harness harness(rules);
  std::vector<Runner> runners;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    PeerResult& row = result.results[k];
    row.in_turns = row.stable() && row.seconds < slowest_in_turns;
    if (!row.in_turns) continue;
    Runner& runner = runners.emplace_back();
    runner.engine = entries[k].make(scene.built);
    runner.driver = std::make_unique<PeerDriver>(*runner.engine, scene);
    PeerDriver* driver = runner.driver.get();
    driver->run(std::clamp(static_cast<int>(0.1 / row.seconds), 1, 1000));  // warm
    harness.add(result.name, row.name(), [driver](std::int64_t n) { driver->run(n); });
  }
  if (runners.empty()) return;
  const Report report = harness.run();
  for (PeerResult& row : result.results) {
    const Result* timed = report.find(result.name, row.name());
    if (timed == nullptr) continue;
    row.seconds = timed->seconds;
    row.noisy = timed->noisy;
    result.rejected_blocks += timed->rejected;
  }
}

}  // namespace

double PeerResult::accuracy(Accuracy which) const {
  switch (which) {
    case Accuracy::creep:
      return creep;
    case Accuracy::deepest:
      return deepest;
    case Accuracy::mean_overlap:
      return mean_overlap;
    case Accuracy::energy:
      return energy;
  }
  return not_measured;
}

const PeerResult* PeerSceneResult::fastest(const std::string& engine) const {
  const PeerResult* best = nullptr;
  for (const PeerResult& row : results) {
    if (row.engine != engine || !row.stable() || std::isnan(row.seconds)) continue;
    if (best == nullptr || row.seconds < best->seconds) best = &row;
  }
  return best;
}

const PeerResult* PeerSceneResult::most_accurate(const std::string& engine) const {
  const PeerResult* best = nullptr;
  for (const PeerResult& row : results) {
    if (row.engine != engine || !row.stable() || std::isnan(row.accuracy(accuracy))) continue;
    if (best == nullptr || row.accuracy(accuracy) < best->accuracy(accuracy)) best = &row;
  }
  return best;
}

PeerSceneResult measure_peers(const PeerSceneEntry& scene_entry,
                              const std::vector<PeerEntry>& entries,
                              const PeerMeasureOptions& options) {
  const PeerScene scene = make_peer_scene(scene_entry);
  PeerSceneResult result;
  result.name = scene.name;
  result.title = scene.title;
  result.accuracy = scene.accuracy;
  result.is_robot = scene.is_robot();
  result.bodies = scene.built.model.body_count();
  result.velocities = scene.built.model.velocity_count();
  result.time_step = scene.built.time_step;
  result.look = (options.quick ? quick_share : 1.0) * scene.look;
  std::vector<PeerEntry> wanted;
  for (const PeerEntry& entry : entries) {
    if (entry.name().find(options.filter) != std::string::npos) wanted.push_back(entry);
  }
  for (const PeerEntry& entry : wanted) {
    if (options.progress) options.progress(fmt::format("{}: {}", scene.name, entry.name()));
    result.results.push_back(quality_of(scene, entry, options));
  }
  if (options.progress) options.progress(fmt::format("{}: all in turns", scene.name));
  time_in_turns(scene, wanted, options, result);
  return result;
}

std::vector<std::string> engines_of(const PeerSceneResult& scene) {
  std::vector<std::string> engines;
  for (const PeerResult& row : scene.results) {
    if (std::ranges::find(engines, row.engine) == engines.end()) engines.push_back(row.engine);
  }
  return engines;
}

std::vector<PeerVerdict> verdicts(const PeerSceneResult& scene) {
  const auto ours = std::ranges::find_if(scene.results, [](const PeerResult& row) {
    return row.engine == "Stiction" && row.setting == "default";
  });
  std::vector<PeerVerdict> list;
  if (ours == scene.results.end()) return list;
  for (const std::string& engine : engines_of(scene)) {
    const PeerResult* fast = scene.fastest(engine);
    const PeerResult* accurate = scene.most_accurate(engine);
    if (engine == "Stiction" || fast == nullptr || accurate == nullptr) continue;
    PeerVerdict verdict{scene.name, engine};
    if (ours->stable()) {
      const double own = ours->accuracy(scene.accuracy);
      verdict.speedup = fast->seconds / ours->seconds;
      const double theirs = accurate->accuracy(scene.accuracy);
      verdict.violation = own / theirs;
      verdict.ties = own <= std::max(1.01 * theirs, theirs + tied_violation);
      verdict.violation_fastest = own / fast->accuracy(scene.accuracy);
    }
    list.push_back(verdict);
  }
  return list;
}

}  // namespace stiction::bench
