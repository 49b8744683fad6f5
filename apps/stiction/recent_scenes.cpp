#include "apps/stiction/recent_scenes.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "stiction/core/write_file.hpp"

namespace stiction {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_scenes = 10;

}  // namespace

fs::path recent_scenes_file() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  fs::path folder;
  if (state != nullptr && *state == '/') {
    folder = state;
  } else if (home != nullptr && *home == '/') {
    folder = fs::path(home) / ".local" / "state";
  }
  return folder.empty() ? folder : folder / "stiction" / "recent_scenes";
}

std::vector<std::string> recent_scenes() {
  std::vector<std::string> scenes;
  std::ifstream file(recent_scenes_file());
  for (std::string line; scenes.size() < most_scenes && std::getline(file, line);) {
    std::error_code error;
    const bool again = std::ranges::find(scenes, line) != scenes.end();
    if (!again && fs::is_regular_file(line, error)) scenes.push_back(line);
  }
  return scenes;
}

void remember_scene(const fs::path& scene) {
  std::error_code error;
  const fs::path file = recent_scenes_file();
  const std::string own = fs::absolute(scene, error).lexically_normal().string();
  if (file.empty() || error || own.find('\n') != std::string::npos) return;
  std::vector<std::string> scenes = recent_scenes();
  std::erase(scenes, own);
  scenes.insert(scenes.begin(), own);
  std::string text;
  for (std::size_t i = 0; i < std::min(scenes.size(), most_scenes); ++i) text += scenes[i] + '\n';
  fs::create_directories(file.parent_path(), error);
  try {
    if (!error) write_file(file, text);
  } catch (const std::runtime_error&) {  // a full disk, or a home that is read only
  }
}

}  // namespace stiction
