#include "support/robots.hpp"

#include <algorithm>

namespace stiction::test {

std::vector<std::filesystem::path> model_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(models_folder())) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".urdf" || extension == ".xml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

RandomState::RandomState(Random& random, const Model& model)
    : q(random_positions(random, model)),
      v(random_entries(random, model.velocity_count())),
      tau(random_entries(random, model.velocity_count(), 10.0)) {}

}  // namespace stiction::test
