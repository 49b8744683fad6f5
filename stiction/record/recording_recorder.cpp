// The writing half of recordings: the caller's thread copies, a thread of the Recorder writes.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include "stiction/core/problem.hpp"
#include "stiction/io/hdf5_file.hpp"
#include "stiction/record/page.hpp"
#include "stiction/record/recording_batch.hpp"
#include "stiction/record/recording_file.hpp"
#include "stiction/sim/workspace.hpp"

namespace stiction {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t wake_frames = 128;    ///< waiting frames that wake the writer
constexpr std::size_t most_frames = 1024;   ///< waiting frames at which the caller waits
constexpr std::size_t wake_rows = 1 << 12;  ///< the same of contacts or memory
constexpr std::size_t most_rows = 1 << 15;

[[noreturn]] void refuse(const std::filesystem::path& path, std::string what, std::string remedy) {
  ProblemList problems;
  problems.error({path.string(), 0, ""}, std::move(what), std::move(remedy));
  throw InputError(std::move(problems));
}

void check_options(const RecorderOptions& options) {
  if (options.steps_per_frame < 1) throw std::invalid_argument("steps_per_frame must be 1 or more");
  if (!(options.flush_interval > 0.0 && options.flush_interval <= 1e6)) {
    throw std::invalid_argument("flush_interval must be more than 0 s and at most 1e6 s");
  }
  if (options.compression < 0 || options.compression > 9) {
    throw std::invalid_argument("compression must be 0 to 9");
  }
}

/// What renaming would replace, or HDF5 wait for.
void check_target(const std::filesystem::path& path) {
  const char* remedy = "give the path of a file, such as run.h5";
  if (path.empty()) refuse(path, "cannot write a recording to an empty path", remedy);
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return;
  if (std::filesystem::is_directory(status)) refuse(path, "this is a folder", remedy);
  if (!std::filesystem::is_regular_file(status)) refuse(path, "this is not a regular file", remedy);
  if (::access(path.c_str(), W_OK) != 0) {
    refuse(path, "no permission to write this file", "check its permissions, or give another path");
  }
}

/// Where a link leads, so that the link stays.
std::filesystem::path target_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target;
}

std::array<double, 3> array_of(const Vector3<double>& v) { return {v.x, v.y, v.z}; }

ContactRow row_of(const StepContact& contact) {
  return {contact.shape_a,
          contact.shape_b,
          static_cast<std::int64_t>(contact.mode),
          contact.gap,
          contact.friction,
          array_of(contact.point),
          array_of(contact.axes.c2),
          array_of(contact.axes * contact.impulse)};
}

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr AnchorRow no_anchor{{none, none, none}, {none, none, none}};

/// Rows for the contacts of a report.
void take_anchors(const StepReport& report, std::vector<AnchorRow>& rows) {
  rows.assign(report.contacts.size(), no_anchor);
  for (std::size_t i = 0; i < report.springs.size(); ++i) {
    const SpringEnds& spring = report.springs[i];
    if (spring.attached) rows[i] = {array_of(spring.a), array_of(spring.b)};
  }
}

/// The newest moment, and what happened since the last frame.
struct Moment {
  double time = 0.0;
  std::vector<double> q, v, activation, forces;
  FrameRow row;
  std::vector<ContactRow> contacts;
  std::vector<AnchorRow> anchors;
  std::vector<MemoryRow> memory;
};

template <class Row>
void add_rows(std::vector<Row>& to, const std::vector<Row>& rows) {
  to.insert(to.end(), rows.begin(), rows.end());
}

template <class Row>
bool fits(const std::vector<Row>& to, const std::vector<Row>& rows) {
  return to.size() + rows.size() <= to.capacity();
}

}  // namespace

struct Recorder::Implementation {
  Implementation(const std::filesystem::path& path, const Model& model, const RunDescription& run,
                 const RecorderOptions& options);

  void take(const State& state);
  void take(const StepReport& report);
  void take(const Workspace& workspace);
  void add(const State& state, const StepReport& report, const Workspace* workspace);
  void push();
  void throw_failure();
  void stop();

  void write_until_stopped();
  bool write_some();
  void fail(const std::string& what, const std::string& remedy) noexcept;
  [[nodiscard]] bool front_is_large() const;
  [[nodiscard]] bool front_has_room() const;

  const std::filesystem::path path;
  const int position_count;
  const int velocity_count;
  const int activation_count;
  const int actuator_count;
  const bool has_springs;
  const RecorderOptions options;
  FrameFinisher finisher;
  RecordingFile file;

  // Of the caller's thread.
  Moment moment;
  bool started = false;
  bool done = false;  ///< finished, or the failure was thrown
  std::uint64_t contact_end = 0;
  std::uint64_t memory_end = 0;

  // Of both.
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable room;
  FrameBatch front;  ///< the caller adds to it
  bool stopping = false;
  std::string failure;
  std::string failure_remedy;
  std::atomic<bool> failed = false;
  std::atomic<long long> frames = 0;

  // Of the writer's thread.
  FrameBatch back;  ///< is written while the caller fills the other
  Clock::time_point next_publish;
  std::thread writer;
};

namespace {

void reserve(FrameBatch& batch, const Moment& moment) {
  batch.time.reserve(most_frames);
  batch.q.reserve(most_frames * moment.q.size());
  batch.v.reserve(most_frames * moment.v.size());
  batch.activation.reserve(most_frames * moment.activation.size());
  batch.forces.reserve(most_frames * moment.forces.size());
  batch.frames.reserve(most_frames);
  batch.contacts.reserve(most_rows);
  batch.memory.reserve(most_rows);
}

RecordingFile start_file(const std::filesystem::path& path, const Model& model,
                         const RunDescription& run, const RecorderOptions& options) {
  check_options(options);
  check_target(path);
  RecordingHead head{identity_of(model), run, scene_json(model), {}, recording_version};
  if (options.forces) head.actuators = model.actuators().size();
  head.run.steps_per_frame = options.steps_per_frame;
  try {
    return RecordingFile(target_of(path), head, options.compression);
  } catch (const DiskFull& error) {
    refuse(path, fmt::format("cannot write the recording: {}", error.what()),
           "free some space on this disk, or give a path on another disk");
  } catch (const std::runtime_error& error) {
    refuse(path, fmt::format("cannot write the recording: {}", error.what()),
           "check that the folder exists and is writable");
  }
}

}  // namespace

Recorder::Implementation::Implementation(const std::filesystem::path& path_, const Model& model,
                                         const RunDescription& run, const RecorderOptions& options_)
    : path(path_),
      position_count(model.position_count()),
      velocity_count(model.velocity_count()),
      activation_count(model.activation_count()),
      actuator_count(static_cast<int>(model.actuators().size())),
      has_springs(run.options.contact == ContactFamily::viscoelastic),
      options(options_),
      finisher(model),
      file(start_file(path_, model, run, options_)) {
  moment.q.resize(columns_of(static_cast<std::uint64_t>(position_count)));
  moment.v.resize(columns_of(static_cast<std::uint64_t>(velocity_count)));
  moment.activation.resize(static_cast<std::size_t>(activation_count));
  if (options.forces) {
    moment.forces.resize(static_cast<std::size_t>(velocity_count + actuator_count));
  }
  for (FrameBatch* batch : {&front, &back}) {
    reserve(*batch, moment);
    if (has_springs) batch->anchors.reserve(most_rows);
  }
  writer = std::thread([this] { write_until_stopped(); });
}

// ---- the caller's thread -----------------------------------------------------------------------

void Recorder::Implementation::take(const State& state) {
  if (state.q.size() != position_count || state.v.size() != velocity_count ||
      state.activation.size() != activation_count) {
    throw std::invalid_argument("the state does not belong to the recorded model");
  }
  moment.time = state.time;
  std::copy(state.q.begin(), state.q.end(), moment.q.begin());
  std::copy(state.v.begin(), state.v.end(), moment.v.begin());
  std::copy(state.activation.begin(), state.activation.end(), moment.activation.begin());
  moment.memory.resize(state.memory.size());
  std::ranges::transform(state.memory, moment.memory.begin(), [](const ImpulseMemory& entry) {
    return MemoryRow{entry.key, entry.impulse};
  });
}

void Recorder::Implementation::take(const StepReport& report) {
  FrameRow& row = moment.row;
  row.worst_residual = std::max(row.worst_residual, report.certificate.residual());
  row.deepest_overlap = std::max(row.deepest_overlap, report.deepest_overlap);
  // Long frames of small steps have many; the sum stays at the most there is.
  row.iterations = static_cast<std::int32_t>(std::min<std::int64_t>(
      std::int64_t{row.iterations} + report.iterations, std::numeric_limits<std::int32_t>::max()));
  row.not_certified += report.ok() ? 0 : 1;
  ++row.steps;
  moment.contacts.resize(report.contacts.size());
  std::ranges::transform(report.contacts, moment.contacts.begin(), row_of);
  if (has_springs) take_anchors(report, moment.anchors);
}

void Recorder::Implementation::take(const Workspace& workspace) {
  const auto joints = static_cast<std::size_t>(velocity_count);
  workspace.actuator_forces(std::span(moment.forces).first(joints));
  for (int i = 0; i < actuator_count; ++i) {
    moment.forces[joints + static_cast<std::size_t>(i)] = workspace.actuator_force(i);
  }
}

void Recorder::Implementation::add(const State& state, const StepReport& report,
                                   const Workspace* workspace) {
  if (done) return;
  if (failed) throw_failure();
  if (options.forces && workspace == nullptr) {
    throw std::invalid_argument("a recording of forces needs the workspace of each step");
  }
  take(state);
  take(report);
  if (options.forces) take(*workspace);
  started = true;
  if (moment.row.steps >= options.steps_per_frame) push();
}

bool Recorder::Implementation::front_is_large() const {
  return front.frames.size() >= wake_frames || front.contacts.size() >= wake_rows ||
         front.memory.size() >= wake_rows;
}

/// Only a frame larger than all room for rows makes that grow. Anchors have as many rows as
/// contacts.
bool Recorder::Implementation::front_has_room() const {
  if (front.frames.empty()) return true;
  return front.frames.size() < most_frames && fits(front.contacts, moment.contacts) &&
         fits(front.memory, moment.memory);
}

void Recorder::Implementation::push() {
  contact_end += moment.contacts.size();
  memory_end += moment.memory.size();
  moment.row.contact_end = contact_end;
  moment.row.memory_end = memory_end;
  moment.row.contacts = static_cast<std::int32_t>(moment.contacts.size());
  moment.row.hash = moment.memory.size();  // FrameFinisher puts the hash here
  std::unique_lock lock(mutex);
  if (!front_has_room()) room.wait(lock, [this] { return front_has_room() || failed; });
  const bool was_large = front_is_large();
  front.time.push_back(moment.time);
  add_rows(front.q, moment.q);
  add_rows(front.v, moment.v);
  add_rows(front.activation, moment.activation);
  add_rows(front.forces, moment.forces);
  front.frames.push_back(moment.row);
  add_rows(front.contacts, moment.contacts);
  add_rows(front.anchors, moment.anchors);
  add_rows(front.memory, moment.memory);
  const bool now_large = front_is_large();
  lock.unlock();
  moment.row = {};
  frames.fetch_add(1, std::memory_order_relaxed);
  if (now_large && !was_large) wake.notify_one();
}

void Recorder::Implementation::throw_failure() {
  done = true;
  const std::lock_guard lock(mutex);
  refuse(path, failure, failure_remedy);
}

void Recorder::Implementation::stop() {
  if (!writer.joinable()) return;
  {
    const std::lock_guard lock(mutex);
    stopping = true;
  }
  wake.notify_one();
  writer.join();
}

// ---- the writer's thread -----------------------------------------------------------------------

void Recorder::Implementation::fail(const std::string& what, const std::string& remedy) noexcept {
  file.abandon();
  const std::lock_guard lock(mutex);
  failure = fmt::format("recording stopped: {}; {} frames are kept", what, file.published());
  failure_remedy = remedy;
  failed = true;
  room.notify_one();
}

/// Whether there is more to come.
bool Recorder::Implementation::write_some() {
  std::unique_lock lock(mutex);
  wake.wait_until(lock, next_publish, [this] { return stopping || front_is_large(); });
  std::swap(front, back);
  const bool last = stopping;
  lock.unlock();
  room.notify_one();
  if (!back.frames.empty()) {
    finisher.finish(back);
    file.append(back);
    back.clear();
  }
  if (last) {
    file.finish();
  } else if (const auto now = Clock::now(); now >= next_publish) {
    file.publish();
    next_publish = now + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(options.flush_interval));
  }
  return !last;
}

void Recorder::Implementation::write_until_stopped() {
  const SilentHdf5 silence;
  next_publish = Clock::now();
  try {
    while (write_some()) {
    }
  } catch (const DiskFull& error) {
    fail(error.what(), "free some space on this disk, or record fewer frames");
  } catch (const std::exception& error) {
    fail(error.what(), "check the disk, or record to another disk");
  }
}

// ---- the interface -----------------------------------------------------------------------------

Recorder::Recorder(const std::filesystem::path& path, const Model& model, const RunDescription& run,
                   const RecorderOptions& options)
    : implementation_(std::make_unique<Implementation>(path, model, run, options)) {}

Recorder::~Recorder() {
  try {
    finish();
  } catch (const std::exception&) {
    // Who wants to know calls finish().
  }
}

void Recorder::start(const State& state) {
  Implementation& me = *implementation_;
  if (me.done) return;
  if (me.started) throw std::logic_error("a recording can start only once, before its first step");
  if (me.failed) me.throw_failure();
  me.take(state);
  me.started = true;
  me.push();
}

void Recorder::step(const State& state, const StepReport& report) {
  implementation_->add(state, report, nullptr);
}

void Recorder::step(const State& state, const StepReport& report, const Workspace& workspace) {
  implementation_->add(state, report, &workspace);
}

void Recorder::finish() {
  Implementation& me = *implementation_;
  if (!me.done && !me.failed && me.moment.row.steps > 0) me.push();
  me.stop();
  if (me.done) return;
  me.done = true;
  if (me.failed) me.throw_failure();
}

long long Recorder::frames() const {
  const Implementation& me = *implementation_;
  return me.failed ? me.file.published() : me.frames.load();
}

}  // namespace stiction
