// The reading half of recordings.

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "stiction/io/hdf5_file.hpp"
#include "stiction/record/recording_batch.hpp"
#include "stiction/record/recording_file.hpp"
#include "stiction/record/recording_input.hpp"
#include "stiction/sim/option_table.hpp"

namespace stiction {

namespace {

/// Entries of q or v that a reader believes in.
constexpr std::uint64_t most_columns = 1 << 20;

ModelIdentity read_identity(const RecordingInput& input) {
  ModelIdentity model{input.text("model"), input.integer("position_count"),
                      input.integer("velocity_count"), input.integer("structure")};
  if (input.has("activation_count")) model.activation_count = input.integer("activation_count");
  if (std::max(model.position_count, model.velocity_count) > most_columns) {
    input.fail("position_count", "the number of positions or velocities is too large");
  }
  if (model.activation_count > most_columns) {
    input.fail("activation_count", "the number of activations is too large");
  }
  return model;
}

std::uint64_t read_actuator_count(const RecordingInput& input) {
  const std::uint64_t count = input.integer("actuator_count");
  if (count > most_columns) input.fail("actuator_count", "the number of actuators is too large");
  return count;
}

/// What an option was in recordings that do not have it. Whoever changes the default of an option,
/// or adds one whose default changes the motion, sets here what went before.
StepOptions options_of_old_recordings() { return {}; }

/// A number or word of the option's type from its attribute.
OptionValue read_option(const RecordingInput& input, const std::string& name,
                        const OptionValue& example) {
  if (std::holds_alternative<double>(example)) return input.real(name.c_str());
  if (std::holds_alternative<std::string>(example)) return input.text(name.c_str());
  const bool is_switch = std::holds_alternative<bool>(example);
  const std::uint64_t number = input.integer(name.c_str());
  if (number > (is_switch ? 1U : std::numeric_limits<int>::max())) {
    input.fail(name, fmt::format("{} is impossible", number));
  }
  if (is_switch) return number == 1;
  return static_cast<int>(number);
}

/// Whether whoever recorded the run left it open: the first recordings had such options.
bool is_untold(const OptionValue& value) {
  return value == OptionValue(std::string()) || value == OptionValue(0.0);
}

StepOptions read_options(const RecordingInput& input) {
  StepOptions options = options_of_old_recordings();
  for (const StepOption& option : step_option_table()) {
    const std::string name(option.info().name);
    if (!option.info().shapes_motion || !input.has(name.c_str())) continue;
    const OptionValue value = read_option(input, name, option.value(options));
    const std::string fault = fault_of(option.info(), value);
    if (fault.empty()) {
      option.set(options, value);
    } else if (!is_untold(value)) {
      input.fail(name, fmt::format("this release knows no such option: {}", fault),
                 "read it with the release of Stiction that wrote it");
    }
  }
  return options;
}

std::vector<std::string> unknown_attributes(const RecordingInput& input) {
  constexpr std::array<std::string_view, 14> known{
      "format",           "version",         "model",
      "structure",        "position_count",  "velocity_count",
      "scene_hash",       "title",           "scene",
      "controls",         "steps_per_frame", "seed",
      "activation_count", "actuator_count"};
  std::vector<std::string> result = input.attributes();
  std::erase_if(result, [&](const std::string& name) {
    const StepOption* option = find_step_option(name);
    return std::ranges::find(known, name) != known.end() ||
           (option != nullptr && option->info().shapes_motion);
  });
  return result;
}

RunDescription read_run(const RecordingInput& input) {
  RunDescription run;
  run.title = input.text("title");
  run.scene = input.text("scene");
  run.options = read_options(input);
  run.controls = input.text("controls");
  const std::uint64_t steps = input.integer("steps_per_frame");
  if (steps < 1 || steps > std::numeric_limits<int>::max()) {
    input.fail("steps_per_frame", fmt::format("{} steps per frame is impossible", steps));
  }
  run.steps_per_frame = static_cast<int>(steps);
  run.seed = input.integer("seed");
  run.unknown_attributes = unknown_attributes(input);
  return run;
}

void check_format(const RecordingInput& input) {
  if (input.text("format") != recording_format) {
    input.fail("format", "this HDF5 file contains no recording",
               "give a file written by `stiction simulate --out`");
  }
  if (const std::uint64_t version = input.integer("version"); version != recording_version) {
    input.fail("version",
               fmt::format("the file has version {}, but only version {} is supported", version,
                           recording_version),
               "read it with the release of Stiction that wrote it");
  }
}

Vector3<double> vector_of(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

RecordedContact contact_of(const ContactRow& row) {
  return {row.shape_a,
          row.shape_b,
          static_cast<ContactMode>(row.mode),
          row.gap,
          row.friction,
          vector_of(row.point),
          vector_of(row.normal),
          vector_of(row.impulse)};
}

bool finite(const std::array<double, 3>& v) {
  return std::ranges::all_of(v, [](double x) { return std::isfinite(x); });
}

/// HDF5 cannot close all of a damaged file, and says so when the program ends unless it is told to
/// be silent on the thread that ends it.
struct SilentExit {
  ~SilentExit() {
    if (damaged) H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  bool damaged = true;  ///< until all is read
};

}  // namespace

struct Recording::Implementation {
  explicit Implementation(const std::filesystem::path& path);

  /// Rows of the chunk that the frame is in, so that one frame after the other is read fast.
  const FrameBatch& block_of(std::uint64_t frame) const;
  void load_block(std::uint64_t first, std::uint64_t count) const;
  void check_ends() const;
  [[nodiscard]] State state_of(std::uint64_t frame) const;
  [[nodiscard]] std::vector<RecordedContact> contacts_of(std::uint64_t frame) const;
  [[nodiscard]] std::vector<SpringEnds> springs_of(std::uint64_t frame) const;
  [[nodiscard]] RowCounts counts() const { return counts_of(model, actuators, has_anchors); }
  void add_forces(RecordedFrame& frame, std::uint64_t number) const;
  /// Rows of contacts or memory of a frame, from the start of the block's.
  template <class Row>
  [[nodiscard]] std::span<const Row> part(const std::vector<Row>& rows,
                                          std::uint64_t FrameRow::*end, std::uint64_t first_row,
                                          std::size_t k) const {
    const std::uint64_t begin = k == 0 ? first_row : block.frames[k - 1].*end;
    return std::span(rows).subspan(begin - first_row, block.frames[k].*end - begin);
  }

  mutable SilentExit exit;  // first, for SilentHdf5 puts back what was before
  SilentHdf5 silence;
  RecordingInput input;
  ModelIdentity model;
  RunDescription run;
  std::string scene;
  std::vector<double> times;
  bool complete = false;
  std::optional<std::uint64_t> actuators;  ///< whose forces were recorded
  bool has_anchors = false;                ///< older recordings of springs do not

  mutable FrameBatch block;
  mutable std::uint64_t block_first = 0;
  mutable std::uint64_t first_contact = 0;
  mutable std::uint64_t first_memory = 0;
};

Recording::Implementation::Implementation(const std::filesystem::path& path) : input(path) {
  check_format(input);
  model = read_identity(input);
  run = read_run(input);
  scene = input.long_text("scene_json");
  if (scene_hash(scene) != input.integer("scene_hash")) {
    input.fail("scene_json", "this text was modified");
  }
  // Before the tables: whoever finishes in between leaves a recording that looks unfinished, never
  // one that looks finished and is not.
  const std::int64_t finished = input.number("complete");
  has_anchors = input.has_table(Table::anchors);
  if (input.has_table(Table::forces)) actuators = read_actuator_count(input);
  input.open_tables(counts());
  const std::uint64_t count = input.rows(Table::time);
  for (const Table table : {Table::frames, Table::q, Table::v, Table::activation, Table::forces}) {
    if (has_table(table, counts()) && input.rows(table) < count)
      input.fail(name_of(table), "rows are missing at its end");
  }
  times.resize(count);
  input.read(Table::time, 0, count, times.data());
  if (!std::ranges::all_of(times, [](double t) { return std::isfinite(t); })) {
    input.fail("time", "a time is NaN or infinite");
  }
  complete = finished >= 0;
  if (complete && static_cast<std::uint64_t>(finished) != count) {
    input.fail("complete",
               fmt::format("{} frames are stored, but {} are expected", count, finished));
  }
  exit.damaged = false;
}

void Recording::Implementation::check_ends() const {
  std::uint64_t contact = first_contact;
  std::uint64_t memory = first_memory;
  for (const FrameRow& row : block.frames) {
    if (row.contact_end < contact || row.contact_end > input.rows(Table::contacts) ||
        row.memory_end < memory || row.memory_end > input.rows(Table::memory) || row.contacts < 0 ||
        row.contact_end - contact != static_cast<std::uint64_t>(row.contacts)) {
      input.fail("frames", "its rows refer to contacts or memory that do not exist");
    }
    if (row.steps < 0 || row.iterations < 0 || row.not_certified < 0) {
      input.fail("frames", "a count is negative");
    }
    contact = row.contact_end;
    memory = row.memory_end;
  }
}

void Recording::Implementation::load_block(std::uint64_t first, std::uint64_t count) const {
  block.clear();
  FrameRow before;
  if (first > 0) input.read(Table::frames, first - 1, 1, &before);
  first_contact = before.contact_end;
  first_memory = before.memory_end;
  std::vector<FrameRow> rows(count);
  input.read(Table::frames, first, count, rows.data());
  block.frames = std::move(rows);
  check_ends();
  block.q.resize(count * columns_of(model.position_count));
  block.v.resize(count * columns_of(model.velocity_count));
  block.contacts.resize(block.frames.back().contact_end - first_contact);
  block.memory.resize(block.frames.back().memory_end - first_memory);
  input.read(Table::q, first, count, block.q.data());
  input.read(Table::v, first, count, block.v.data());
  if (model.activation_count > 0) {
    block.activation.resize(count * model.activation_count);
    input.read(Table::activation, first, count, block.activation.data());
  }
  if (counts().forces > 0) {
    block.forces.resize(count * counts().forces);
    input.read(Table::forces, first, count, block.forces.data());
  }
  input.read(Table::contacts, first_contact, block.contacts.size(), block.contacts.data());
  if (has_anchors) {
    block.anchors.resize(block.contacts.size());
    input.read(Table::anchors, first_contact, block.anchors.size(), block.anchors.data());
  }
  input.read(Table::memory, first_memory, block.memory.size(), block.memory.data());
  block_first = first;
}

const FrameBatch& Recording::Implementation::block_of(std::uint64_t frame) const {
  if (block.frames.empty() || frame < block_first || frame >= block_first + block.frames.size()) {
    const SilentHdf5 quiet;
    const std::uint64_t chunk = input.chunk_rows(Table::frames);
    const std::uint64_t first = frame - frame % chunk;
    try {
      load_block(first, std::min<std::uint64_t>(chunk, times.size() - first));
    } catch (...) {
      exit.damaged = true;
      block.clear();
      throw;
    }
  }
  return block;
}

State Recording::Implementation::state_of(std::uint64_t frame) const {
  const std::size_t k = frame - block_first;
  const auto take = [k](const std::vector<double>& rows, std::uint64_t count) {
    const auto size = static_cast<Eigen::Index>(count);
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(rows.data() + k * columns_of(count), size));
  };
  State state;
  state.time = times[frame];
  state.q = take(block.q, model.position_count);
  state.v = take(block.v, model.velocity_count);
  if (model.activation_count > 0) {
    state.activation = take(block.activation, model.activation_count);
  }
  for (const MemoryRow& row : part(block.memory, &FrameRow::memory_end, first_memory, k)) {
    state.memory.push_back({row.key, row.impulse});
  }
  if (hash(state) != block.frames[k].hash) {
    input.fail("frames", fmt::format("the state of frame {} was modified", frame));
  }
  return state;
}

std::vector<RecordedContact> Recording::Implementation::contacts_of(std::uint64_t frame) const {
  const auto rows =
      part(block.contacts, &FrameRow::contact_end, first_contact, frame - block_first);
  std::vector<RecordedContact> contacts;
  contacts.reserve(rows.size());
  for (const ContactRow& row : rows) {
    if (row.mode < 0 || row.mode > static_cast<std::int64_t>(ContactMode::slip) ||
        row.shape_a < -1 || row.shape_b < -1) {
      input.fail("contacts", fmt::format("a contact of frame {} is invalid", frame));
    }
    contacts.push_back(contact_of(row));
  }
  return contacts;
}

std::vector<SpringEnds> Recording::Implementation::springs_of(std::uint64_t frame) const {
  if (!has_anchors) return {};
  const auto rows = part(block.anchors, &FrameRow::contact_end, first_contact, frame - block_first);
  std::vector<SpringEnds> springs;
  springs.reserve(rows.size());
  for (const AnchorRow& row : rows) {
    springs.push_back({vector_of(row.a), vector_of(row.b), finite(row.a) && finite(row.b)});
  }
  return springs;
}

void Recording::Implementation::add_forces(RecordedFrame& frame, std::uint64_t number) const {
  const auto count = static_cast<Eigen::Index>(counts().forces);
  if (count == 0) return;
  const double* row = block.forces.data() + (number - block_first) * counts().forces;
  const Eigen::Map<const Eigen::VectorXd> all(row, count);
  if (!all.allFinite()) input.fail("forces", fmt::format("frame {} has NaN or infinity", number));
  frame.joint_forces = all.head(static_cast<Eigen::Index>(model.velocity_count));
  frame.actuator_forces = all.tail(static_cast<Eigen::Index>(*actuators));
}

// ---- the interface -----------------------------------------------------------------------------

Recording::Recording(const std::filesystem::path& path)
    : implementation_(std::make_unique<Implementation>(path)) {}
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;

const RunDescription& Recording::run() const { return implementation_->run; }
const std::string& Recording::scene() const { return implementation_->scene; }
std::string Recording::model_name() const { return implementation_->model.name; }
bool Recording::complete() const { return implementation_->complete; }
std::span<const double> Recording::times() const { return implementation_->times; }
long long Recording::frame_count() const {
  return static_cast<long long>(implementation_->times.size());
}

RecordedFrame Recording::frame(long long index) const {
  if (index < 0 || index >= frame_count()) {
    throw std::out_of_range(
        fmt::format("there is no frame {} in a recording with {} frames", index, frame_count()));
  }
  const auto number = static_cast<std::uint64_t>(index);
  const Implementation& me = *implementation_;
  const FrameBatch& block = me.block_of(number);
  const FrameRow& row = block.frames[number - me.block_first];
  RecordedFrame result;
  result.state = me.state_of(number);
  result.contacts = me.contacts_of(number);
  result.springs = me.springs_of(number);
  result.kinetic_energy = row.kinetic_energy;
  result.potential_energy = row.potential_energy;
  result.worst_residual = row.worst_residual;
  result.deepest_overlap = row.deepest_overlap;
  result.iterations = row.iterations;
  result.not_certified = row.not_certified;
  result.steps = row.steps;
  me.add_forces(result, number);
  return result;
}

long long Recording::frame_at(double time) const {
  const auto all = times();
  const auto last = std::find_if(all.rbegin(), all.rend(), [time](double t) { return t <= time; });
  return last == all.rend() ? 0 : std::distance(last, all.rend()) - 1;
}

void Recording::check_model(const Model& model) const {
  const std::string difference = difference_of(implementation_->model, identity_of(model));
  if (difference.empty()) return;
  implementation_->input.fail("", "this is a recording of another model: " + difference,
                              "give the scene that was recorded");
}

}  // namespace stiction
