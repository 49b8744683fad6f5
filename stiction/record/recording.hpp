#pragma once

/// \file
/// Runs in HDF5 files: written while they happen, readable while they grow and after a kill.
/// docs/recording.md has the layout.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stiction/contact/law.hpp"
#include "stiction/model/model.hpp"
#include "stiction/sim/options.hpp"
#include "stiction/sim/step_report.hpp"

namespace stiction {

/// Description of a run, for people and for continuing the run.
struct RunDescription {
  std::string title;     ///< such as the name of the scene
  std::string scene;     ///< the file as the user gave it; empty for a scene built in code
  StepOptions options;   ///< those that shape the motion are recorded; a time_step of 0: not told
  std::string controls;  ///< such as `pd stand`
  int steps_per_frame = 1;
  std::uint64_t seed = 0;
  /// Of a recording that was read: attributes that this release does not know, such as options of
  /// a later one. They are not looked at.
  std::vector<std::string> unknown_attributes;
};

/// A contact as recorded.
struct RecordedContact {
  std::int32_t shape_a = -1;  ///< the normal points from a to b
  std::int32_t shape_b = -1;
  ContactMode mode = ContactMode::open;
  double gap = 0.0;  ///< before the step [m]
  double friction = 0.0;
  Vector3<double> point;    ///< world [m]
  Vector3<double> normal;   ///< world
  Vector3<double> impulse;  ///< on body b, world axes [N·s], of the last step of the frame
};

/// One moment of a run. `worst` values cover every step since the previous frame, so that no step
/// between two frames is missed.
struct RecordedFrame {
  State state;                            ///< complete: a run can continue from here bit for bit
  std::vector<RecordedContact> contacts;  ///< of the last step, including those with mode open
  /// Anchors at this moment, one entry per contact, if the recording has any. Where contacts were
  /// hard in such a recording, none is attached.
  std::vector<SpringEnds> springs;
  double kinetic_energy = 0.0;     ///< [J]
  double potential_energy = 0.0;   ///< [J]
  double worst_residual = 0.0;     ///< of the certificates
  double deepest_overlap = 0.0;    ///< [m]
  std::int32_t iterations = 0;     ///< of the solver, summed over the steps
  std::int32_t not_certified = 0;  ///< steps
  std::int32_t steps = 0;          ///< since the previous frame; 0 for the first
  /// Of actuators and servos in the last step, one per velocity [N·m or N], and of each actuator,
  /// before its gear; empty if they were not recorded.
  Eigen::VectorXd joint_forces{};
  Eigen::VectorXd actuator_forces{};
};

struct RecorderOptions {
  int steps_per_frame = 1;      ///< number of steps between two frames
  double flush_interval = 0.5;  ///< data older than this is readable by others [s of wall time]
  int compression = 1;          ///< of zlib, 0 to 9
  bool forces = false;          ///< of joints and actuators, too: step() needs the Workspace then
};

class Workspace;

/// Writes a run. A separate thread does all work except copying (compressing, writing);
/// if it cannot keep up, step() waits for it.
class Recorder {
 public:
  /// Creates the file (replaces an old one only once the new one is complete in its first part) and
  /// writes model and description. Anchors are recorded if the options of the description have
  /// viscoelastic contact. Throws InputError if the path cannot be written.
  Recorder(const std::filesystem::path& path, const Model& model, const RunDescription& run,
           const RecorderOptions& options = {});
  ~Recorder();  ///< finish(), without throwing
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The state that the run starts from: frame 0.
  void start(const State& state);
  /// After each step. Throws InputError once if writing failed (disk full): what was written before
  /// is kept and readable, and all later calls do nothing.
  void step(const State& state, const StepReport& report);
  /// The same with the Workspace of the step, which RecorderOptions::forces needs.
  void step(const State& state, const StepReport& report, const Workspace& workspace);
  /// Adds a last frame if steps happened since the last one, then closes the file. Throws as step()
  /// does.
  void finish();

  [[nodiscard]] long long frames() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// A recorded run, opened for reading; the file may still be growing.
class Recording {
 public:
  /// Throws InputError if the file is missing, damaged, not a recording, or of another version.
  explicit Recording(const std::filesystem::path& path);
  ~Recording();
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;

  [[nodiscard]] const RunDescription& run() const;
  /// The model as scene_json() described it.
  [[nodiscard]] const std::string& scene() const;
  [[nodiscard]] std::string model_name() const;
  [[nodiscard]] bool complete() const;  ///< whether the recorder finished: not killed, not growing
  [[nodiscard]] long long frame_count() const;
  [[nodiscard]] std::span<const double> times() const;  ///< [s], one per frame

  [[nodiscard]] RecordedFrame frame(long long index) const;
  /// The last frame at or before a time [s]; the first frame if the time is earlier.
  [[nodiscard]] long long frame_at(double time) const;
  /// Throws InputError if the recording is not of this Model (names, joints).
  void check_model(const Model& model) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Times, q, v, energies and certificate of every frame as a table with a header line. The file
/// is written completely or not at all.
void write_csv(const std::filesystem::path& path, const Recording& recording);

}  // namespace stiction
