#include "apps/stiction/page_camera.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apps/stiction/argument_checks.hpp"
#include "stiction/core/problem.hpp"

namespace stiction {

namespace {

/// As in viewer/src/camera.js; `fit` takes in all places that the run comes to.
constexpr std::array<std::string_view, 8> presets{"angle", "front", "back",  "left",
                                                  "right", "top",   "below", "fit"};
constexpr std::string_view follow = "follow:";

bool is_view(const std::string& text) {
  const std::vector<std::string> numbers = split(text, ',');
  return numbers.size() == 6 && std::ranges::all_of(numbers, [](const std::string& number) {
           return parse_number(number).has_value();
         });
}

/// A text as part of an address.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const bool plain = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                       (letter >= 'A' && letter <= 'Z') || letter == '_' || letter == '-' ||
                       letter == '.';
    if (plain) {
      result += letter;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    }
  }
  return result;
}

}  // namespace

std::string camera_words() {
  return fmt::format(
      "{}, follow:BODY, or the place of the camera and what it looks at in metres: X,Y,Z,X,Y,Z",
      fmt::join(presets, ", "));
}

std::string check_camera(const std::string& camera) {
  const bool known = std::ranges::find(presets, camera) != presets.end();
  if (known || is_view(camera) || (camera.starts_with(follow) && camera.size() > follow.size())) {
    return {};
  }
  return fmt::format("'{}' is no camera; give {}", camera, camera_words());
}

std::string camera_fragment(const std::string& camera, const std::string& scene) {
  if (camera.empty()) return {};
  if (is_view(camera)) return "&view=" + camera;
  if (!camera.starts_with(follow)) return "&camera=" + camera;
  const std::string body = camera.substr(follow.size());
  const auto document = nlohmann::json::parse(scene, nullptr, false);
  std::vector<std::string> names;
  for (const auto& entry : document.value("bodies", nlohmann::json::array())) {
    names.push_back(entry.value("name", ""));
  }
  if (std::ranges::find(names, body) == names.end()) {
    constexpr std::size_t most = 12;
    const bool more = names.size() > most;
    names.resize(std::min(names.size(), most));
    ProblemList problems;
    problems.error({}, fmt::format("--camera: there is no body '{}'", body),
                   fmt::format("choose one of {}{}", fmt::join(names, ", "), more ? ", ..." : ""));
    throw InputError(std::move(problems));
  }
  return "&follow=" + escaped(body);
}

}  // namespace stiction
