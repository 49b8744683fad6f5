#include "stiction/core/paths.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace stiction {

namespace fs = std::filesystem;

std::filesystem::path models_folder() {
  std::vector<fs::path> candidates;
  if (const char* given = std::getenv("STICTION_MODELS"); given != nullptr && *given != '\0') {
    candidates.emplace_back(given);
  } else {
    std::error_code no_proc;
    const fs::path program = fs::read_symlink("/proc/self/exe", no_proc);
    if (!no_proc) {
      candidates.push_back(program.parent_path().parent_path() / STICTION_RELATIVE_MODELS);
    }
    candidates.emplace_back(STICTION_SOURCE_MODELS);
    candidates.emplace_back(STICTION_INSTALLED_MODELS);
  }

  std::string tried;
  for (const fs::path& candidate : candidates) {
    std::error_code unreadable;
    if (fs::is_directory(candidate, unreadable)) {
      return candidate;
    }
    tried += "\n  " + candidate.string();
  }
  throw std::runtime_error(
      "the built-in models were not found; set STICTION_MODELS to their folder. Tried:" + tried);
}

}  // namespace stiction
