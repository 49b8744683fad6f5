#include "stiction/record/episodes.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <hdf5.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "stiction/core/problem.hpp"
#include "stiction/core/write_file.hpp"
#include "stiction/io/hdf5_file.hpp"
#include "stiction/record/recording_layout.hpp"

namespace stiction {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view format_word = "stiction episodes";

void require(bool good) {
  if (!good) throw std::runtime_error("HDF5 cannot make a file of episodes");
}

/// A file that is made in memory, so that it reaches the disk as a whole.
class MemoryFile {
 public:
  MemoryFile() {
    Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    constexpr std::size_t increment = 1 << 20;
    H5Pset_fapl_core(access, increment, 0);
    file_ = Hdf5Handle(H5Fcreate("episodes", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    require(file_.good());
  }
  [[nodiscard]] hid_t id() const { return file_; }

  void write_to(const fs::path& path) {
    require(H5Fflush(file_, H5F_SCOPE_GLOBAL) >= 0);
    const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
    require(size > 0);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    require(H5Fget_file_image(file_, bytes.data(), bytes.size()) == size);
    write_file(path, bytes);
  }

 private:
  SilentHdf5 silence_;
  Hdf5Handle file_;
};

/// Python's bool, as h5py stores it.
Hdf5Handle boolean_type() {
  Hdf5Handle type(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
  const std::array<signed char, 2> values{0, 1};
  require(type.good() && H5Tenum_insert(type, "FALSE", &values[0]) >= 0 &&
          H5Tenum_insert(type, "TRUE", &values[1]) >= 0);
  return type;
}

void write_attribute(hid_t place, const char* name, hid_t stored, hid_t native, const void* value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle entry(H5Acreate2(place, name, stored, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  require(entry.good() && H5Awrite(entry, native, value) >= 0);
}
void write_attribute(hid_t place, const char* name, std::int64_t value) {
  write_attribute(place, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}
void write_attribute(hid_t place, const char* name, std::uint64_t value) {
  write_attribute(place, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}
void write_attribute(hid_t place, const char* name, double value) {
  write_attribute(place, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}
/// Of variable length, as h5py reads and writes them: it has no limit of size then.
void write_attribute(hid_t place, const char* name, const std::string& text) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const char* value = text.c_str();
  write_attribute(place, name, type, type, &value);
}

void write_set(hid_t place, const char* name, hid_t stored, hid_t native,
               std::span<const hsize_t> shape, const void* values) {
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                         H5Sclose);
  // Without times, the same data make the same bytes.
  const Hdf5Handle plain(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_obj_track_times(plain, false);
  const Hdf5Handle set(H5Dcreate2(place, name, stored, space, H5P_DEFAULT, plain, H5P_DEFAULT),
                       H5Dclose);
  const bool empty = std::ranges::find(shape, hsize_t{0}) != shape.end();
  require(set.good() &&
          (empty || H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0));
}

void write_rows(hid_t place, const char* name, std::size_t rows, std::size_t width,
                const std::vector<double>& values) {
  if (values.size() != rows * width) throw std::logic_error("an episode has rows of two lengths");
  const std::array<hsize_t, 2> shape{rows, width};
  write_set(place, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, shape, values.data());
}

void write_column(hid_t place, const char* name, const std::vector<double>& values) {
  const std::array<hsize_t, 1> shape{values.size()};
  write_set(place, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, shape, values.data());
}

void write_flags(hid_t place, const char* name, std::size_t rows, bool last) {
  std::vector<signed char> flags(rows, 0);
  if (rows > 0 && last) flags.back() = 1;
  const Hdf5Handle type = boolean_type();
  const std::array<hsize_t, 1> shape{rows};
  write_set(place, name, type, type, shape, flags.data());
}

Hdf5Handle make_group(hid_t place, const std::string& name) {
  Hdf5Handle group(H5Gcreate2(place, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                   H5Gclose);
  require(group.good());
  return group;
}

std::string group_name(std::uint64_t id) { return fmt::format("episode_{}", id); }

void write_episode(hid_t file, const EpisodeLayout& layout, const Episode& episode) {
  const std::size_t steps = episode.steps();
  const Hdf5Handle group = make_group(file, group_name(episode.id));
  write_attribute(group, "id", episode.id);
  write_attribute(group, "total_steps", static_cast<std::int64_t>(steps));
  write_attribute(group, "seed", episode.seed);
  if (!episode.fault.empty()) write_attribute(group, "fault", episode.fault);
  for (const auto& [name, value] : episode.numbers) write_attribute(group, name.c_str(), value);

  const Hdf5Handle observations = make_group(group, "observations");
  write_rows(observations, "positions", steps + 1, layout.position_count, episode.positions);
  write_rows(observations, "velocities", steps + 1, layout.velocity_count, episode.velocities);
  if (layout.sensor_count > 0) {
    write_rows(observations, "sensors", steps + 1, layout.sensor_count, episode.sensors);
  }
  write_rows(group, "actions", steps, layout.action_count, episode.actions);
  write_column(group, "rewards", std::vector<double>(steps, 0.0));
  write_flags(group, "terminations", steps, episode.terminated);
  write_flags(group, "truncations", steps, !episode.terminated);

  const Hdf5Handle infos = make_group(group, "infos");
  write_column(infos, "time", episode.times);
  write_column(infos, "residual", episode.residuals);
  const std::array<hsize_t, 1> shape{episode.contacts.size()};
  write_set(infos, "contacts", H5T_STD_I32LE, H5T_NATIVE_INT32, shape, episode.contacts.data());
}

void write_totals(hid_t file, const EpisodeTotals& totals) {
  write_attribute(file, "total_episodes", totals.episodes);
  write_attribute(file, "total_steps", totals.rows);
  write_attribute(file, "simulated_steps", totals.steps);
  write_attribute(file, "not_certified", totals.not_certified);
  write_attribute(file, "terminated", totals.terminated);
  write_attribute(file, "fallen", totals.fallen);
  write_attribute(file, "worst_residual", totals.worst_residual);
}

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  ProblemList problems;
  problems.error({path.string()}, what, "remove the file, or choose another folder");
  throw InputError(std::move(problems));
}

class HeadReader {
 public:
  explicit HeadReader(const fs::path& path)
      : path_(path), file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
    if (!file_.good()) refuse(path_, "this is not a file of episodes: HDF5 cannot open it");
  }
  [[nodiscard]] std::int64_t integer(const char* name) const {
    std::int64_t value = 0;
    read(name, H5T_INTEGER, H5T_NATIVE_INT64, &value);
    return value;
  }
  [[nodiscard]] double real(const char* name) const {
    double value = 0.0;
    read(name, H5T_FLOAT, H5T_NATIVE_DOUBLE, &value);
    return value;
  }
  [[nodiscard]] std::string text(const char* name) const {
    const Hdf5Handle entry = open(name);
    const Hdf5Handle type(H5Aget_type(entry), H5Tclose);
    if (!type.good() || H5Tis_variable_str(type) <= 0) fail(name);
    char* value = nullptr;
    if (H5Aread(entry, type, &value) < 0 || value == nullptr) fail(name);
    std::string text = value;
    H5free_memory(value);
    return text;
  }

 private:
  [[noreturn]] void fail(const char* name) const {
    refuse(path_, fmt::format("this is not a file of episodes: attribute '{}' is missing or of "
                              "another kind",
                              name));
  }
  [[nodiscard]] Hdf5Handle open(const char* name) const {
    if (H5Aexists(file_, name) <= 0) fail(name);
    return {H5Aopen(file_, name, H5P_DEFAULT), H5Aclose};
  }
  void read(const char* name, H5T_class_t kind, hid_t native, void* value) const {
    const Hdf5Handle entry = open(name);
    const Hdf5Handle type(entry.good() ? H5Aget_type(entry) : -1, H5Tclose);
    const Hdf5Handle space(entry.good() ? H5Aget_space(entry) : -1, H5Sclose);
    const bool fits = type.good() && H5Tget_class(type) == kind && space.good() &&
                      H5Sget_simple_extent_npoints(space) == 1;
    if (!fits || H5Aread(entry, native, value) < 0) fail(name);
  }

  fs::path path_;
  SilentHdf5 silence_;
  Hdf5Handle file_;
};

/// A box without bounds, as Minari's text of a space. (Python's JSON knows Infinity.)
std::string box_text(std::size_t size) {
  std::string low, high;
  for (std::size_t k = 0; k < size; ++k) {
    low += k == 0 ? "-Infinity" : ", -Infinity";
    high += k == 0 ? "Infinity" : ", Infinity";
  }
  return fmt::format(
      R"({{"type": "Box", "dtype": "float64", "shape": [{}], "low": [{}], "high": [{}]}})", size,
      low, high);
}

}  // namespace

void EpisodeTotals::add(const EpisodeTotals& other) {
  episodes += other.episodes;
  rows += other.rows;
  steps += other.steps;
  not_certified += other.not_certified;
  terminated += other.terminated;
  fallen += other.fallen;
  worst_residual = std::max(worst_residual, other.worst_residual);
}

void write_episodes(const fs::path& path, const EpisodeLayout& layout,
                    std::span<const Episode> episodes, const EpisodeTotals& totals) {
  MemoryFile file;
  write_attribute(file.id(), "format", std::string(format_word));
  write_attribute(file.id(), "plan", layout.plan);
  write_totals(file.id(), totals);
  for (const Episode& episode : episodes) write_episode(file.id(), layout, episode);
  file.write_to(path);
}

EpisodeFileHead read_episode_head(const fs::path& path) {
  const HeadReader file(path);
  if (file.text("format") != format_word) refuse(path, "this is not a file of episodes");
  EpisodeFileHead head;
  head.plan = file.text("plan");
  head.totals = {.episodes = file.integer("total_episodes"),
                 .rows = file.integer("total_steps"),
                 .steps = file.integer("simulated_steps"),
                 .not_certified = file.integer("not_certified"),
                 .terminated = file.integer("terminated"),
                 .fallen = file.integer("fallen"),
                 .worst_residual = file.real("worst_residual")};
  return head;
}

void write_joint_episodes(const fs::path& path, std::span<const EpisodeFile> files,
                          const EpisodeTotals& totals) {
  MemoryFile file;
  write_totals(file.id(), totals);
  for (const EpisodeFile& part : files) {
    for (std::uint64_t id = part.first; id < part.end; ++id) {
      const std::string name = group_name(id);
      require(H5Lcreate_external(part.name.c_str(), ("/" + name).c_str(), file.id(), name.c_str(),
                                 H5P_DEFAULT, H5P_DEFAULT) >= 0);
    }
  }
  file.write_to(path);
}

std::string episode_metadata(const EpisodeLayout& layout, const EpisodeTotals& totals,
                             std::string_view environment) {
  std::string observations =
      fmt::format(R"({{"type": "Dict", "subspaces": {{"positions": {}, "velocities": {})",
                  box_text(layout.position_count), box_text(layout.velocity_count));
  if (layout.sensor_count > 0) {
    observations += fmt::format(R"(, "sensors": {})", box_text(layout.sensor_count));
  }
  observations += "}}";
  const nlohmann::ordered_json document = {{"total_episodes", totals.episodes},
                                           {"total_steps", totals.rows},
                                           {"data_format", "hdf5"},
                                           {"observation_space", observations},
                                           {"action_space", box_text(layout.action_count)},
                                           {"description", environment},
                                           {"minari_version", "0.5.0"}};
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace stiction
