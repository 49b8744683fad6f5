#include "bench/program.hpp"

#include <exception>
#include <fmt/core.h>
#include <stdexcept>

namespace stiction::bench {

int run_program(CLI::App& app, int argc, char** argv, const std::function<int()>& run) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}: {} (try --help)\n", app.get_name(), error.what());
    return 2;
  }
  try {
    return run();
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", app.get_name(), error.what());
    return 1;
  }
}

}  // namespace stiction::bench
