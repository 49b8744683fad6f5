#pragma once

/// \file
/// Data of the viewer: scenes and runs as the page reads them. docs/page_format.md has the format.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/record/recording.hpp"

namespace stiction {

/// Bodies (with the joints that carry them), shapes, meshes, height fields and gravity of a Model,
/// as JSON. It is all that is needed to draw a run.
[[nodiscard]] std::string scene_json(const Model& model);

/// Poses of the bodies of a scene, computed from its JSON only, so that a recording can be drawn
/// without the file of the model.
class ScenePoses {
 public:
  /// Throws InputError if the JSON is not one that scene_json() wrote.
  explicit ScenePoses(const std::string& scene);
  ~ScenePoses();
  ScenePoses(ScenePoses&&) noexcept;
  ScenePoses& operator=(ScenePoses&&) noexcept;

  [[nodiscard]] int body_count() const;
  [[nodiscard]] int position_count() const;
  /// World poses of all bodies at positions q.
  [[nodiscard]] std::vector<Eigen::Isometry3d> poses(const Eigen::VectorXd& q) const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// One run of a page; a comparison shows several runs together.
struct PageRun {
  std::string label;  ///< such as the solver's name
  RunDescription run;
  std::vector<RecordedFrame> frames;
};

/// A point of a body that is pulled, and the force on it, world [m, N].
struct PulledPoint {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
};

/// One frame in the binary form of the live view (docs/page_format.md). `number` counts frames.
[[nodiscard]] std::string page_frame(const ScenePoses& scene, const RecordedFrame& frame,
                                     std::uint32_t number, std::uint64_t state_hash,
                                     std::span<const PulledPoint> pulls = {});

struct PageOptions {
  double frames_per_second = 60.0;  ///< at most; shown frames keep all contacts
};

/// Collects the frames that a page shows, so that a long run is not kept as a whole. Counts and
/// worst values of frames that are left out go into the next one that is kept.
class PageFrames {
 public:
  explicit PageFrames(const PageOptions& options = {});
  /// Frames in the order of time; the first one is always kept.
  void add(RecordedFrame frame);
  /// All frames that were kept, including the last one that was added.
  [[nodiscard]] std::vector<RecordedFrame> take();

 private:
  double frames_per_second_;
  double start_ = 0.0;    ///< time of the first frame [s]
  double next_ = 0.0;     ///< number of the next slot of 1 / frames_per_second
  bool pending_ = false;  ///< whether the last frame would be left out but for being the last
  std::vector<RecordedFrame> frames_;
};

/// The JSON that goes into the page. Throws InputError if the scene is damaged, or a run is not one
/// of this scene or contains NaN or infinity.
[[nodiscard]] std::string page_data(const std::string& scene, std::span<const PageRun> runs,
                                    const PageOptions& options = {});

/// The page: `viewer` (the built viewer, one HTML text) with the data in its place. Throws
/// std::invalid_argument if the viewer has no such place.
[[nodiscard]] std::string fill_page(std::string_view viewer, std::string_view data);

}  // namespace stiction
