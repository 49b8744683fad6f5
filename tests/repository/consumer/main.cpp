#include <cstdio>
#include <exception>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"

// Loads the robot of the first argument, or the built-in quadruped, and prints its mass.
int main(int argc, char** argv) {
  try {
    const auto file =
        argc > 1 ? std::filesystem::path(argv[1]) : stiction::models_folder() / "anymal.urdf";
    const stiction::LoadedModel loaded = stiction::load_model(file);
    std::printf("total mass %.6f kg\n", loaded.model.total_mass());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
