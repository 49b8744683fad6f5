#include "support/program.hpp"

#include <cstdlib>
#include <sys/wait.h>

namespace stiction::test {

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const std::string& environment, const std::string& redirect) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "out").string();
  const std::string err = (folder.path() / "err").string();
  std::string command =
      "ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99 "
      "LSAN_OPTIONS=exitcode=99:${LSAN_OPTIONS:-} ";
  command += environment + ' ' + shell_quoted(program);
  for (const std::string& argument : arguments) command += ' ' + shell_quoted(argument);
  command += " >" + shell_quoted(out) + " 2>" + shell_quoted(err) + ' ' + redirect;

  const int status = std::system(command.c_str());
  const auto text_of = [](const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  ProgramResult result;
  // The shell turns a signal into 128 and its number.
  if (WIFEXITED(status) && WEXITSTATUS(status) < 128) result.exit_code = WEXITSTATUS(status);
  result.output = text_of(out);
  result.errors = text_of(err);
  return result;
}

ProgramResult run_stiction(const std::vector<std::string>& arguments,
                           const std::string& environment, const std::string& redirect) {
  return run_program(STICTION_PROGRAM, arguments, environment, redirect);
}

}  // namespace stiction::test
