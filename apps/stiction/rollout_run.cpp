#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>

#include "apps/stiction/progress.hpp"
#include "apps/stiction/rollout.hpp"
#include "apps/stiction/signal_watch.hpp"
#include "stiction/batch/environment_reset.hpp"
#include "stiction/core/index.hpp"
#include "stiction/core/mixer.hpp"
#include "stiction/core/write_file.hpp"
#include "stiction/record/options_json.hpp"
#include "stiction/record/page.hpp"
#include "stiction/sim/sensors.hpp"

namespace stiction {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Draws that are not those of a start state.
constexpr std::uint64_t draw_of_factors = 1ULL << 40;
constexpr std::uint64_t draw_of_controls = 1ULL << 41;
constexpr std::size_t told_faults = 5;
/// A base below this part of its height at the start has fallen.
constexpr double fallen_height = 0.5;

[[noreturn]] void refuse(const fs::path& file, const std::string& what, const std::string& remedy) {
  ProblemList problems;
  problems.error({file.string()}, what, remedy);
  throw InputError(std::move(problems));
}

fs::path file_name(int file) { return fmt::format("episodes_{:05}.hdf5", file); }

/// Entries of q with the height of floating bases that carry joints.
std::vector<int> heights_of_bases(const Model& model) {
  std::vector<int> heights;
  for (const Joint& joint : model.joints()) {
    if (joint.kind != JointKind::floating || joint.kinematic) continue;
    if (model.constants()[index(joint.body)].subtree_end > joint.body + 1) {
      heights.push_back(joint.position_index + 2);
    }
  }
  return heights;
}

double drawn(Random& random, const FactorRange& range) {
  const double at = random.uniform();
  return range.least + at * (range.most - range.least);
}

/// The environments of one file, from their start to their end.
class FileRun {
 public:
  FileRun(const RolloutPlan& plan, int file, Simulation& scratch)
      : plan_(plan),
        scratch_(scratch),
        first_(file * environments_per_file),
        count_(std::min(environments_per_file, plan.count - first_)),
        batch_(plan.model, count_, plan.options, plan.options.threads),
        bases_(heights_of_bases(plan.model)),
        fallen_(index(count_), 0) {
    batch_.read_sensors(!plan.model.sensors().empty());
    plan.controls.apply(scratch_);
    batch_.set_servos(scratch_.servos());
    episodes_.resize(index(count_));
    draw_numbers();
    for (int i = 0; i < count_; ++i) start(i);
  }

  /// One row of all environments.
  void advance() {
    for (int i = 0; i < count_; ++i) command(i);
    batch_.step(plan_.steps_per_row);
    for (int i = 0; i < count_; ++i) record(i);
  }

  [[nodiscard]] std::vector<Episode>& episodes() { return episodes_; }
  [[nodiscard]] EpisodeLayout layout() const {
    return {.position_count = index(plan_.model.position_count()),
            .velocity_count = index(plan_.model.velocity_count()),
            .sensor_count = index(batch_.sensor_size()),
            .action_count = plan_.model.actuators().size() + index(batch_.servo_count()),
            .plan = plan_.text};
  }
  [[nodiscard]] EpisodeTotals totals() const {
    EpisodeTotals totals;
    const RunCounts counts = batch_.counts();
    totals.episodes = count_;
    totals.steps = counts.steps - counts.refused;
    totals.not_certified = counts.not_certified;
    totals.worst_residual = counts.worst_residual;
    for (int i = 0; i < count_; ++i) {
      totals.rows += static_cast<std::int64_t>(episodes_[index(i)].steps());
      totals.terminated += episodes_[index(i)].terminated ? 1 : 0;
      totals.fallen += fallen_[index(i)];
    }
    return totals;
  }

 private:
  [[nodiscard]] std::uint64_t id(int i) const { return static_cast<std::uint64_t>(first_ + i); }

  void draw_numbers() {
    std::vector<double> mass, friction, damping, gains;
    for (int i = 0; i < count_; ++i) {
      Random random = random_of_reset(plan_.seed, id(i), draw_of_factors);
      mass.push_back(drawn(random, plan_.randomisation.mass));
      friction.push_back(drawn(random, plan_.randomisation.friction));
      damping.push_back(drawn(random, plan_.randomisation.damping));
      gains.push_back(drawn(random, plan_.randomisation.gains));
      episodes_[index(i)].numbers = {{"mass_factor", mass.back()},
                                     {"friction_factor", friction.back()},
                                     {"damping_factor", damping.back()},
                                     {"gains_factor", gains.back()}};
    }
    const auto varies = [](const FactorRange& range) {
      return range.least != 1.0 || range.most != 1.0;
    };
    const Randomisation& r = plan_.randomisation;
    if (varies(r.mass)) batch_.scale_masses(mass);
    if (varies(r.friction)) batch_.scale_friction(friction);
    if (varies(r.damping)) batch_.scale_joint_damping(damping);
    if (varies(r.gains)) batch_.scale_gains(gains);
    if (varies(r.gains)) {
      for (std::size_t k = 0; k < batch_.servo_stiffness().size(); ++k) {
        const double factor = gains[k / index(batch_.servo_count())];
        batch_.servo_stiffness()[k] *= factor;
        batch_.servo_damping()[k] *= factor;
      }
    }
  }

  void start(int i) {
    State state = plan_.start;
    Random random = random_of_reset(plan_.seed, id(i), 0);
    if (!(plan_.randomisation.spread == RandomSpread{})) {
      disturb(plan_.model, plan_.randomisation.spread, random, state);
    }
    batch_.set_state(i, state);
    Episode& episode = episodes_[index(i)];
    episode.id = id(i);
    episode.seed = random_of_reset(plan_.seed, id(i), draw_of_controls).bits();
    controls_.push_back(plan_.controls.with_seed(episode.seed));
    for (const int height : bases_) start_heights_.push_back(state.q[height]);
    add_row(i, 0.0, 0);
  }

  /// Inputs of the next row: what Controls would give a Simulation at that time.
  void command(int i) {
    if (batch_.frozen()[index(i)] != 0) return;
    scratch_.state().time = batch_.times()[index(i)];
    if (plan_.controls.policy_interval()) show_state(i);
    scratch_.clear_pushes();
    controls_[index(i)].apply(scratch_);
    Episode& episode = episodes_[index(i)];
    std::ranges::copy(scratch_.control(), batch_.controls(i).begin());
    episode.actions.insert(episode.actions.end(), batch_.controls(i).begin(),
                           batch_.controls(i).end());
    const std::size_t servos = index(batch_.servo_count());
    for (std::size_t k = 0; k < servos; ++k) {
      const double target = scratch_.servos()[k].position_target;
      batch_.servo_targets()[index(i) * servos + k] = target;
      episode.actions.push_back(target);
    }
    for (const ExternalForce& force : scratch_.input().forces) batch_.push(i, force);
  }

  /// For controls that read the state.
  void show_state(int i) {
    std::ranges::copy(batch_.positions(i), scratch_.state().q.begin());
    std::ranges::copy(batch_.velocities(i), scratch_.state().v.begin());
    const std::size_t servos = index(batch_.servo_count());
    for (std::size_t k = 0; k < servos; ++k) {
      scratch_.servos()[k].position_target = batch_.servo_targets()[index(i) * servos + k];
    }
  }

  void record(int i) {
    Episode& episode = episodes_[index(i)];
    if (episode.terminated) return;
    add_row(i, batch_.residuals()[index(i)], batch_.contacts()[index(i)]);
    if (batch_.frozen()[index(i)] != 0) {
      episode.terminated = true;
      episode.fault = batch_.fault(i);
    }
    for (std::size_t b = 0; b < bases_.size(); ++b) {
      const double height = batch_.positions(i)[index(bases_[b])];
      if (height < fallen_height * start_heights_[index(i) * bases_.size() + b]) {
        fallen_[index(i)] = 1;
      }
    }
  }

  void add_row(int i, double residual, std::int32_t contacts) {
    Episode& episode = episodes_[index(i)];
    const auto append = [](std::vector<double>& to, std::span<const double> values) {
      to.insert(to.end(), values.begin(), values.end());
    };
    episode.times.push_back(batch_.times()[index(i)]);
    append(episode.positions, batch_.positions(i));
    append(episode.velocities, batch_.velocities(i));
    const std::size_t size = index(batch_.sensor_size());
    append(episode.sensors, batch_.sensors().subspan(index(i) * size, size));
    episode.residuals.push_back(residual);
    episode.contacts.push_back(contacts);
  }

  const RolloutPlan& plan_;
  Simulation& scratch_;
  int first_;
  int count_;
  Batch batch_;
  std::vector<Episode> episodes_;
  std::vector<Controls> controls_;
  std::vector<int> bases_;
  std::vector<double> start_heights_;
  std::vector<int> fallen_;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The folder and its plan: made, or compared with this one.
void prepare_folder(const RolloutPlan& plan, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder / "data", error);
  if (error) {
    refuse(folder, fmt::format("the folder cannot be made: {}", error.message()),
           "choose a folder that you can write to");
  }
  const fs::path file = folder / "plan.json";
  if (!fs::exists(file)) {
    // Another process may have written its plan and a file in the meantime.
    if (!fs::is_empty(folder / "data") && !fs::exists(file)) {
      refuse(folder, "the folder has data, but no plan.json", "choose another folder");
    }
    write_file(file, plan.text);
    return;
  }
  if (text_of(file) == plan.text) return;
  refuse(file, "the folder holds a rollout with another plan",
         "choose another folder, or give the arguments of that plan");
}

/// Once all files are there, whoever sees it joins them. All write the same bytes.
void join(const RolloutPlan& plan, const fs::path& folder, const EpisodeLayout& layout,
          RolloutSummary& summary) {
  std::vector<EpisodeFile> files;
  for (int file = 0; file < plan.files(); ++file) {
    const fs::path path = folder / "data" / file_name(file);
    if (!fs::exists(path)) {
      ++summary.files_missing;
      continue;
    }
    summary.whole.add(read_episode_head(path).totals);
    const int end = std::min(plan.count, (file + 1) * environments_per_file);
    files.push_back({file_name(file).string(),
                     static_cast<std::uint64_t>(file * environments_per_file),
                     static_cast<std::uint64_t>(end)});
  }
  if (summary.files_missing > 0) return;
  write_joint_episodes(folder / "data" / "main_data.hdf5", files, summary.whole);
  write_file(folder / "data" / "metadata.json",
             episode_metadata(layout, summary.whole, plan.title));
  const EpisodeTotals& t = summary.whole;
  nlohmann::ordered_json manifest = {{"plan", nlohmann::ordered_json::parse(plan.text)},
                                     {"files", nlohmann::ordered_json::array()},
                                     {"episodes", t.episodes},
                                     {"rows", t.rows},
                                     {"steps", t.steps},
                                     {"not_certified", t.not_certified},
                                     {"worst_residual", t.worst_residual},
                                     {"terminated", t.terminated},
                                     {"fallen", t.fallen}};
  for (const EpisodeFile& file : files) {
    manifest["files"].push_back(
        {{"name", "data/" + file.name}, {"first", file.first}, {"end", file.end}});
  }
  write_file(folder / "manifest.json", manifest.dump(2) + '\n');
}

}  // namespace

std::string plan_text(const RolloutPlan& plan, const std::string& inputs) {
  Mixer scene;
  scene.add(scene_json(plan.model));
  const nlohmann::ordered_json document = {
      {"title", plan.title},
      {"scene", plan.scene},
      {"model_hash", fmt::format("{:016x}", scene.result())},
      {"start_hash", fmt::format("{:016x}", hash(plan.start))},
      {"options", options_json<nlohmann::ordered_json>(plan.options)},
      {"controls", plan.controls.description()},
      {"inputs", inputs},
      {"randomise", plan.randomisation.text},
      {"seed", plan.seed},
      {"environments", plan.count},
      {"rows", plan.rows},
      {"steps_per_row", plan.steps_per_row},
      {"environments_per_file", environments_per_file}};
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

RolloutSummary run_rollout(const RolloutPlan& plan, const fs::path& folder,
                           const ShardChoice& shard, bool resume, bool progress) {
  RolloutSummary summary;
  summary.folder = folder;
  std::vector<int> files;
  for (int file = shard.index; file < plan.files(); file += shard.count) files.push_back(file);
  if (!folder.empty()) {
    prepare_folder(plan, folder);
    for (const int file : files) {
      const fs::path path = folder / "data" / file_name(file);
      if (resume || !fs::exists(path)) continue;
      refuse(path, "the file is there already",
             "add --resume to keep what is there, or choose another folder");
    }
  }
  const SignalWatch signals;
  Progress line(progress, static_cast<long long>(files.size()) * plan.rows);
  Simulation scratch(plan.model, plan.options);
  const Clock::time_point begin = Clock::now();
  EpisodeLayout layout;
  long long rows = 0;
  for (const int file : files) {
    const fs::path path = folder / "data" / file_name(file);
    if (!folder.empty() && fs::exists(path)) {
      if (read_episode_head(path).plan != plan.text) {
        refuse(path, "the file belongs to a rollout with another plan",
               "remove it, or choose another folder");
      }
      ++summary.files_skipped;
      rows += plan.rows;
      continue;
    }
    FileRun run(plan, file, scratch);
    for (int k = 0; k < plan.rows; ++k) {
      if ((summary.signal = SignalWatch::caught()) != 0) break;
      run.advance();
      ++rows;
      if (line.is_due()) {
        line.draw(rows, fmt::format("file {} of {}", file + 1, plan.files()));
      }
    }
    if ((summary.signal = SignalWatch::caught()) != 0) break;
    for (const Episode& episode : run.episodes()) {
      if (episode.terminated && summary.faults.size() < told_faults) {
        summary.faults.push_back(fmt::format("run {}: {}", episode.id, episode.fault));
      }
    }
    const EpisodeTotals totals = run.totals();
    summary.totals.add(totals);
    if (!folder.empty()) {
      write_episodes(path, run.layout(), run.episodes(), totals);
      ++summary.files_made;
    }
  }
  summary.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!folder.empty() && summary.signal == 0) {
    SensorArray sensors(plan.model);
    plan.controls.apply(scratch);
    layout = {.position_count = index(plan.model.position_count()),
              .velocity_count = index(plan.model.velocity_count()),
              .sensor_count = index(sensors.size()),
              .action_count = plan.model.actuators().size() + scratch.servos().size(),
              .plan = plan.text};
    join(plan, folder, layout, summary);
  }
  return summary;
}

}  // namespace stiction
