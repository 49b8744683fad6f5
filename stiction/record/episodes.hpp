#pragma once

/// \file
/// Many runs as data for learning: one HDF5 group per run, in the layout of Minari data sets, so
/// that its readers and plain h5py both open them. docs/rollouts.md has the layout.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stiction {

/// One run of one environment: T actions, and T + 1 observations, the first of them before any
/// action. All rows of one kind have the same length.
struct Episode {
  std::uint64_t id = 0;  ///< index of the environment in the whole set
  std::uint64_t seed = 0;
  bool terminated = false;  ///< it could not go on; otherwise its time was over
  std::string fault;        ///< why it could not
  std::vector<std::pair<std::string, double>> numbers;  ///< such as the drawn factor of the mass

  std::vector<double> times;           ///< T + 1 [s]
  std::vector<double> positions;       ///< (T + 1) × position_count
  std::vector<double> velocities;      ///< (T + 1) × velocity_count
  std::vector<double> sensors;         ///< (T + 1) × sensor_count
  std::vector<double> actions;         ///< T × action_count
  std::vector<double> residuals;       ///< T + 1: worst certificate of the steps that led there
  std::vector<std::int32_t> contacts;  ///< T + 1: that press

  [[nodiscard]] std::size_t steps() const { return times.empty() ? 0 : times.size() - 1; }
};

/// Lengths of the rows, and the plan that all files of a set share.
struct EpisodeLayout {
  std::size_t position_count = 0;
  std::size_t velocity_count = 0;
  std::size_t sensor_count = 0;
  std::size_t action_count = 0;
  std::string plan;  ///< a text: two files belong to one set if it is the same
};

/// Counts of a file of episodes, for summaries.
struct EpisodeTotals {
  std::int64_t episodes = 0;
  std::int64_t rows = 0;           ///< actions
  std::int64_t steps = 0;          ///< of the simulation
  std::int64_t not_certified = 0;  ///< of these
  std::int64_t terminated = 0;     ///< episodes
  std::int64_t fallen = 0;         ///< episodes
  double worst_residual = 0.0;

  void add(const EpisodeTotals& other);
};

/// Writes episodes to a file as a whole. Throws std::runtime_error if it cannot be written.
void write_episodes(const std::filesystem::path& path, const EpisodeLayout& layout,
                    std::span<const Episode> episodes, const EpisodeTotals& totals);

/// Plan and totals of a file. Throws InputError if it is not one that write_episodes() made.
struct EpisodeFileHead {
  std::string plan;
  EpisodeTotals totals;
};
[[nodiscard]] EpisodeFileHead read_episode_head(const std::filesystem::path& path);

/// Which episodes a file holds.
struct EpisodeFile {
  std::string name;  ///< in the folder of the joint file
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

/// The data set that joins the files: groups `episode_0`, `episode_1`, … that lead into them.
/// Throws std::runtime_error if it cannot be written.
void write_joint_episodes(const std::filesystem::path& path, std::span<const EpisodeFile> files,
                          const EpisodeTotals& totals);

/// Minari's `metadata.json`. `environment` describes where the data come from.
[[nodiscard]] std::string episode_metadata(const EpisodeLayout& layout, const EpisodeTotals& totals,
                                           std::string_view environment);

}  // namespace stiction
