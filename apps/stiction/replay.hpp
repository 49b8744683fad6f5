#pragma once

/// \file
/// What `stiction replay` is asked, and what it tells of a recording.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/stiction/output.hpp"
#include "stiction/record/recording.hpp"

namespace stiction {

struct ReplayArguments {
  std::string file;
  std::string html;  ///< files to write; empty: none
  std::string csv;
  std::vector<std::string> png;  ///< `t=SECONDS` and a file; empty: none
  std::string video;             ///< a file to write; empty: none
  std::string size;              ///< of the picture, such as 1280x800; empty: PictureSize's
  std::string camera;  ///< a preset, `fit`, `follow:BODY` or six numbers; empty: the usual
  double fps = 0.0;    ///< of the video; 0: VideoOptions'
  bool json = false;

  [[nodiscard]] bool draws() const { return !(png.empty() && video.empty()); }
  [[nodiscard]] bool writes() const { return draws() || !(html.empty() && csv.empty()); }
};

/// A recording in numbers.
struct RecordingSummary {
  std::string file;
  std::string model;
  RunDescription run;
  bool complete = false;
  long long frames = 0;
  double start_time = 0.0;  ///< [s]
  double end_time = 0.0;    ///< [s]
  long long steps = 0;
  long long not_certified = 0;
  long long iterations = 0;
  double worst_residual = 0.0;
  double deepest_overlap = 0.0;  ///< [m]
  double start_energy = 0.0;     ///< kinetic and potential [J]
  double end_energy = 0.0;       ///< [J]
  double contacts = 0.0;         ///< that are not open, mean over the frames
  long long most_contacts = 0;   ///< the same, in one frame
};

[[nodiscard]] RecordingSummary summarize(const std::string& file, const Recording& recording);
std::string recording_text(const RecordingSummary& summary, const Palette& palette);
nlohmann::ordered_json recording_json(const RecordingSummary& summary);

}  // namespace stiction
