#include "apps/stiction/replay.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/chromium.hpp"
#include "apps/stiction/commands.hpp"
#include "apps/stiction/output_files.hpp"
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

std::vector<OutputFile> outputs(const ReplayArguments& arguments) {
  return {{"--html", arguments.html},
          {"--csv", arguments.csv},
          {"--png", arguments.png.empty() ? "" : arguments.png[1]}};
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
        "--json", "prints the summary; it cannot be combined with --html, --csv or --png");
  }
  if (arguments.png.empty() && !arguments.size.empty()) {
    throw CLI::ValidationError("--size", "has no effect without --png");
  }
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
  if (arguments.png.empty()) return;
  check_viewer(arguments.png[1]);
  check_chromium();
  static_cast<void>(picture_time(arguments, recording));
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

void write_outputs(const ReplayArguments& arguments, const Recording& recording) {
  std::string page;
  if (!arguments.html.empty() || !arguments.png.empty()) {
    const std::vector<PageRun> runs{page_run(recording, recording.run().options.solver)};
    page = with_file(arguments.file, [&] { return replay_page(recording.scene(), runs); });
  }
  std::string picture;
  if (!arguments.png.empty()) {
    const double time = picture_time(arguments, recording);
    const PictureSize size = parse_size(arguments.size).value_or(PictureSize());
    picture = page_picture(page, fmt::format("t={:.9g}&bare", time), size);
  }
  write_output_file({"--html", arguments.html}, page);
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
  CLI::App* command =
      app.add_subcommand("replay", "Convert a recording to a web page, a table or a picture");
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
      ->add_option("--size", arguments->size,
                   fmt::format("Size of the picture in pixels (default {}x{})", PictureSize().width,
                               PictureSize().height))
      ->type_name("WIDTHxHEIGHT")
      ->check(check_size);
  command->add_flag("--json", arguments->json, "Print the summary as JSON");
  command->callback([&action, arguments] {
    check_arguments(*arguments);
    action = [arguments] { return replay(*arguments); };
  });
}

}  // namespace stiction
