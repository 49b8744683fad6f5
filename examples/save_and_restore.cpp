// Saves a run half way, continues, restores it from the file, and gets the same bits again.
// Run it with a folder as argument. Without one, it writes to the folder for temporary files.

#include <cinttypes>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <unistd.h>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/record/state_file.hpp"
#include "stiction/sim/simulation.hpp"

int main(int argc, char** argv) try {
  const std::filesystem::path folder =
      argc > 1 ? std::filesystem::path(argv[1]) : std::filesystem::temp_directory_path();
  const stiction::Model model =
      stiction::load_model(stiction::models_folder() / "anymal_lumped.xml").model;
  stiction::Simulation simulation(model);
  simulation.run(0.5);

  // The file ending selects HDF5 or a compact binary. (The name contains the process id, so that
  // two runs do not collide.)
  bool same = true;
  const stiction::State half_way = simulation.state();
  simulation.run(0.5);
  const std::uint64_t through = hash(simulation.state());
  std::printf("run through:         hash %016" PRIx64 " at t = %.3f s\n", through,
              simulation.state().time);
  for (const std::string ending : {".state", ".h5"}) {
    const std::filesystem::path file =
        folder / ("stiction_example_" + std::to_string(::getpid()) + ending);
    save_state(file, model, half_way);
    const auto size = std::filesystem::file_size(file);
    // Another simulation, independent of the first.
    stiction::Simulation other(model);
    other.set_state(stiction::load_state(file, model));
    other.run(0.5);
    std::printf("restored from %-6s hash %016" PRIx64 " (%zu bytes)\n", ending.c_str(),
                hash(other.state()), static_cast<std::size_t>(size));
    same &= hash(other.state()) == through;
    std::filesystem::remove(file);
  }
  return same ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
