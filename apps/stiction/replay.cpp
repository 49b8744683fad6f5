#include "apps/stiction/replay.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/chromium.hpp"
#include "apps/stiction/commands.hpp"
#include "apps/stiction/output_files.hpp"
#include "apps/stiction/page_camera.hpp"
#include "apps/stiction/page_video.hpp"
#include "apps/stiction/progress.hpp"
#include "apps/stiction/replay_page.hpp"
#include "apps/stiction/signal_watch.hpp"

namespace stiction {

namespace {

/// The SECONDS of `t=SECONDS`.
std::optional<double> parse_time(const std::string& text) {
  return text.starts_with("t=") ? parse_number(text.substr(2)) : std::nullopt;
}

std::optional<PictureSize> parse_size(const std::string& text) {
  constexpr int most = 8192;
  const std::vector<std::string> parts = split(text, 'x');
  if (parts.size() != 2) return std::nullopt;
  for (const std::string& part : parts) {
    if (part.size() > 4 || !check_count(part).empty() || std::stoi(part) > most) {
      return std::nullopt;
    }
  }
  return PictureSize{std::stoi(parts[0]), std::stoi(parts[1])};
}

std::string check_size(const std::string& text) {
  if (parse_size(text)) return {};
  return fmt::format("'{}' is not a size such as 1280x800, with at most 8192 pixels per side",
                     text);
}

std::string check_rate(const std::string& text) {
  const std::optional<double> rate = parse_number(text);
  return rate && *rate >= 1.0 && *rate <= 240.0
             ? std::string()
             : fmt::format("'{}' is not a number from 1 to 240", text);
}

std::vector<OutputFile> outputs(const ReplayArguments& arguments) {
  return {{"--html", arguments.html},
          {"--csv", arguments.csv},
          {"--png", arguments.png.empty() ? "" : arguments.png[1]},
          {"--video", arguments.video}};
}

/// Options that say how a picture or video looks.
void check_drawing(const ReplayArguments& arguments) {
  const std::string& video = arguments.video;
  if (!video.empty() && !video.ends_with(".mp4") && !video.ends_with(".webm")) {
    throw CLI::ValidationError("--video", fmt::format("'{}' must end in .mp4 or .webm", video));
  }
  if (!arguments.draws() && !arguments.size.empty()) {
    throw CLI::ValidationError("--size", "has no effect without --png or --video");
  }
  if (!arguments.draws() && !arguments.camera.empty()) {
    throw CLI::ValidationError("--camera", "has no effect without --png or --video");
  }
  if (video.empty() && arguments.fps > 0.0) {
    throw CLI::ValidationError("--fps", "has no effect without --video");
  }
  const std::optional<PictureSize> size = parse_size(arguments.size);
  if (!video.empty() && size && (size->width % 2 != 0 || size->height % 2 != 0)) {
    throw CLI::ValidationError("--size", "a video needs even numbers of pixels");
  }
}

/// What is wrong with the arguments beyond what each option checks by itself.
void check_arguments(const ReplayArguments& arguments) {
  if (!arguments.png.empty()) {
    if (!parse_time(arguments.png[0])) {
      throw CLI::ValidationError("--png",
                                 fmt::format("'{}' is not a time such as t=1.5", arguments.png[0]));
    }
    if (!arguments.png[1].ends_with(".png")) {
      throw CLI::ValidationError("--png", fmt::format("'{}' must end in .png", arguments.png[1]));
    }
  }
  if (arguments.json && arguments.writes()) {
    throw CLI::ValidationError(
        "--json", "prints the summary; it cannot be combined with --html, --csv, --png or --video");
  }
  check_drawing(arguments);
  const std::string fault = fault_of_names(outputs(arguments));
  if (!fault.empty()) throw CLI::ValidationError("files", fault);
}

[[noreturn]] void refuse(const std::string& file, const std::string& what,
                         const std::string& remedy) {
  ProblemList problems;
  problems.error({file, 0, ""}, what, remedy);
  throw InputError(std::move(problems));
}

/// The time of the picture; throws if the run was not there then.
double picture_time(const ReplayArguments& arguments, const Recording& recording) {
  constexpr double rounding = 1e-9;  // [s]
  const double time = *parse_time(arguments.png[0]);
  const double first = recording.times().front();
  const double last = recording.times().back();
  if (time < first - rounding || time > last + rounding) {
    refuse(arguments.file, fmt::format("the recording has no frame at {:.6g} s", time),
           fmt::format("give --png a time from t={:.6g} to t={:.6g}", first, last));
  }
  return time;
}

/// All that can be known to fail is looked at before something is written.
void check_possible(const ReplayArguments& arguments, const Recording& recording) {
  check_outputs(outputs(arguments), {arguments.file});
  if (recording.frame_count() == 0) {
    refuse(arguments.file, "the recording has no frames yet", "wait until the run has started");
  }
  check_viewer(arguments.html);
  if (!arguments.draws()) return;
  check_viewer(arguments.video.empty() ? arguments.png[1] : arguments.video);
  static_cast<void>(require_chromium());
  if (!arguments.video.empty()) require_video_programs();
  static_cast<void>(camera_fragment(arguments.camera, recording.scene()));
  if (!arguments.png.empty()) static_cast<void>(picture_time(arguments, recording));
}

/// Damage that shows only while the frames are read gets the name of the file, too.
template <class Work>
auto with_file(const std::string& file, Work work) {
  try {
    return work();
  } catch (const InputError& error) {
    ProblemList problems;
    for (Problem problem : error.problems().all()) {
      if (problem.source.file.empty()) problem.source.file = file;
      problems.error(problem.source, problem.what, problem.remedy);
    }
    throw InputError(std::move(problems));
  }
}

/// Bytes of the video, with its progress on a terminal.
std::string film(const ReplayArguments& arguments, const Recording& recording,
                 const std::string& page, const std::string& camera) {
  VideoOptions options;
  options.from = recording.times().front();
  options.to = recording.times().back();
  options.size = parse_size(arguments.size).value_or(options.size);
  if (arguments.fps > 0.0) options.rate = arguments.fps;
  if (arguments.video.ends_with(".webm")) options.format = "webm";
  const long long count = picture_count(options);
  Progress progress(true, count);
  return page_video(page, fmt::format("t={:.9g}&bare{}", options.from, camera), options,
                    [&](long long i) {
                      if (progress.is_due()) progress.draw(i, fmt::format("picture {}", i + 1));
                    });
}

void write_outputs(const ReplayArguments& arguments, const Recording& recording) {
  std::string page;
  if (!arguments.html.empty() || arguments.draws()) {
    const std::vector<PageRun> runs{page_run(recording, recording.run().options.solver)};
    page = with_file(arguments.file, [&] { return replay_page(recording.scene(), runs); });
  }
  const std::string camera = camera_fragment(arguments.camera, recording.scene());
  std::string video;
  if (!arguments.video.empty()) video = film(arguments, recording, page, camera);
  std::string picture;
  if (!arguments.png.empty()) {
    const double time = picture_time(arguments, recording);
    const PictureSize size = parse_size(arguments.size).value_or(PictureSize());
    picture = page_picture(page, fmt::format("t={:.9g}&bare{}", time, camera), size);
  }
  if (!arguments.html.empty()) write_output_file({"--html", arguments.html}, page);
  if (!arguments.video.empty()) write_output_file({"--video", arguments.video}, video);
  if (!arguments.png.empty()) write_output_file({"--png", arguments.png[1]}, picture);
  if (!arguments.csv.empty()) write_csv(arguments.csv, recording);
}

int replay(const ReplayArguments& arguments) {
  const Recording recording(arguments.file);
  if (arguments.writes()) {
    check_possible(arguments, recording);
    try {
      write_outputs(arguments, recording);
    } catch (const Interrupted& interrupted) {
      write_error("stiction: interrupted; nothing was written\n");
      return signal_exit + interrupted.signal;
    }
    std::string text;
    for (const OutputFile& file : outputs(arguments)) {
      if (!file.path.empty()) text += fmt::format("wrote {}\n", printable(file.path));
    }
    return write_output(text);
  }
  const RecordingSummary summary = summarize(arguments.file, recording);
  using Handler = nlohmann::ordered_json::error_handler_t;
  return write_output(arguments.json
                          ? recording_json(summary).dump(2, ' ', false, Handler::replace) + '\n'
                          : recording_text(summary, Palette::of_stdout()));
}

}  // namespace

void add_replay_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "replay", "Convert a recording to a web page, a table, a picture or a video");
  const auto arguments = std::make_shared<ReplayArguments>();
  command
      ->add_option("recording", arguments->file, "Recording written by `stiction simulate --out`")
      ->type_name("FILE")
      ->required()
      ->check(check_file_name);
  command->add_option("--html", arguments->html, "Write a web page that replays the run")
      ->type_name("FILE")
      ->check(check_file_name);
  command->add_option("--csv", arguments->csv, "Write a table with one line per frame")
      ->type_name("FILE")
      ->check(check_file_name);
  command
      ->add_option("--png", arguments->png,
                   "Write a picture of the run at a time, such as --png t=1.5 out.png (needs "
                   "Chromium)")
      ->type_name("t=SECONDS FILE")
      ->expected(2);
  command
      ->add_option("--video", arguments->video,
                   "Write a video of the whole run, .mp4 or .webm (needs Chromium and ffmpeg)")
      ->type_name("FILE")
      ->check(check_file_name);
  command
      ->add_option(
          "--fps", arguments->fps,
          fmt::format("Pictures per second of the video (default {:g})", VideoOptions().rate))
      ->type_name("NUMBER")
      ->check(check_rate);
  command
      ->add_option("--camera", arguments->camera,
                   fmt::format("Camera of the picture or video: {}", camera_words()))
      ->type_name("WORD")
      ->check(check_camera);
  command
      ->add_option("--size", arguments->size,
                   fmt::format("Size of the picture or video in pixels (default {}x{})",
                               PictureSize().width, PictureSize().height))
      ->type_name("WIDTHxHEIGHT")
      ->check(check_size);
  command->add_flag("--json", arguments->json, "Print the summary as JSON");
  command->callback([&action, arguments] {
    check_arguments(*arguments);
    action = [arguments] { return replay(*arguments); };
  });
}

}  // namespace stiction
