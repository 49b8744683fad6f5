#include "apps/stiction/overlap_warnings.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "stiction/model/robot_shapes.hpp"
#include "stiction/touch/start_overlaps.hpp"

namespace stiction {

namespace {

/// What to paste into the file, or into the SRDF file beside it.
std::string exclude_line(const std::string& file, std::string_view a, std::string_view b) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".urdf" || ending == ".xacro") {
    return fmt::format(
        "add <disable_collisions link1=\"{}\" link2=\"{}\" reason=\"Default\"/> to an SRDF file", a,
        b);
  }
  return fmt::format("add <exclude body1=\"{}\" body2=\"{}\"/> to <contact>", a, b);
}

}  // namespace

void leave_out_overlaps(const std::string& file, const State& start, std::size_t most,
                        LoadedModel& loaded, std::string_view to_keep) {
  const std::vector<StartOverlap> overlaps = find_start_overlaps(loaded.model, start);
  for (std::size_t i = 0; i < std::min(most, overlaps.size()); ++i) {
    const std::string_view a = link_of_shape(loaded.model, overlaps[i].shape_a);
    const std::string_view b = link_of_shape(loaded.model, overlaps[i].shape_b);
    loaded.problems.warning(
        {file, 0, ""},
        fmt::format("'{}' and '{}' overlap by {:.2g} mm in the start pose, so they do not collide",
                    a, b, 1e3 * overlaps[i].depth),
        fmt::format("{} to confirm, or let them collide with {}", exclude_line(file, a, b),
                    to_keep));
  }
  if (overlaps.size() > most) {
    loaded.problems.warning(
        {file, 0, ""},
        fmt::format("{} more pairs of links overlap in the start pose and do not collide",
                    overlaps.size() - most),
        "list all with `stiction inspect`");
  }
  loaded.model = without_overlaps(loaded.model, overlaps);
}

}  // namespace stiction
