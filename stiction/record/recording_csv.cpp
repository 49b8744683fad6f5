// Recordings as tables of text.

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>

#include "stiction/core/problem.hpp"
#include "stiction/core/write_file.hpp"
#include "stiction/model/joint.hpp"
#include "stiction/record/page_encoding.hpp"
#include "stiction/record/recording.hpp"

namespace stiction {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, std::string what, std::string remedy) {
  ProblemList problems;
  problems.error({path.string(), 0, ""}, std::move(what), std::move(remedy));
  throw InputError(std::move(problems));
}

/// Names by joint: `q_LF_HAA`, and `q_base_0`, `q_base_1` and so on for a joint of several entries.
void name_entries(std::string& line, char letter, const std::string& joint, int count) {
  for (int i = 0; i < count; ++i) {
    std::string name = fmt::format("{}_{}", letter, joint);
    if (count > 1) name += fmt::format("_{}", i);
    // A name with a comma, a quote or a line break would be two columns.
    for (char& c : name) {
      if (c == ',' || c == '"' || static_cast<unsigned char>(c) < ' ') c = '_';
    }
    line += ',' + name;
  }
}

std::string head_line(const Recording& recording) {
  const nlohmann::ordered_json scene = parse_scene(recording.scene());
  std::string positions;
  std::string velocities;
  for (const auto& body : scene["bodies"]) {
    const auto name = body["joint"]["name"].get<std::string>();
    const auto kind = parse_joint_kind(body["joint"]["kind"].get<std::string>());
    name_entries(positions, 'q', name, position_size(kind.value()));
    name_entries(velocities, 'v', name, velocity_size(kind.value()));
  }
  return "time" + positions + velocities +
         ",kinetic,potential,residual,overlap,contacts,candidates,iterations\n";
}

void add_line(std::string& text, const RecordedFrame& frame) {
  auto out = std::back_inserter(text);
  fmt::format_to(out, "{:.17g}", frame.state.time);
  for (const double x : frame.state.q) fmt::format_to(out, ",{:.17g}", x);
  for (const double x : frame.state.v) fmt::format_to(out, ",{:.17g}", x);
  const auto touching = std::ranges::count_if(
      frame.contacts, [](const RecordedContact& c) { return c.mode != ContactMode::open; });
  fmt::format_to(out, ",{:.17g},{:.17g},{:.17g},{:.17g},{},{},{}\n", frame.kinetic_energy,
                 frame.potential_energy, frame.worst_residual, frame.deepest_overlap, touching,
                 frame.contacts.size(), frame.iterations);
}

}  // namespace

void write_csv(const std::filesystem::path& path, const Recording& recording) {
  std::string text = head_line(recording);
  for (long long i = 0; i < recording.frame_count(); ++i) add_line(text, recording.frame(i));
  try {
    write_file(path, text);
  } catch (const std::runtime_error& error) {
    refuse(path, error.what(), "check that the folder exists and is writable");
  }
}

}  // namespace stiction
