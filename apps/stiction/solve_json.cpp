#include "apps/stiction/inspect.hpp"
#include "apps/stiction/solve.hpp"
#include "stiction/solver/option_table.hpp"

namespace stiction {

namespace {

using nlohmann::ordered_json;

ordered_json certificate_json(const Certificate& certificate) {
  return {{"law_residual", certificate.law_residual},
          {"natural_residual", certificate.natural_residual},
          {"cone", certificate.cone},
          {"signorini", certificate.signorini},
          {"dissipation", certificate.dissipation},
          {"penetration_rate", certificate.penetration_rate},
          {"closing", certificate.closing},
          {"work", certificate.work},
          {"velocity_scale", certificate.scales.velocity},
          {"impulse_scale", certificate.scales.impulse},
          {"worst_block", certificate.worst_block}};
}

ordered_json outcome_json(const SolveOutcome& outcome) {
  ordered_json result{{"solver", outcome.solver},
                      {"status", to_string(outcome.status)},
                      {"certified", outcome.certified()},
                      {"message", outcome.message}};
  if (!outcome.ran()) return result;
  result["iterations"] = outcome.iterations;
  result["seconds"] = outcome.seconds;
  result["skipped_blocks"] = outcome.skipped_blocks;
  result["certificate"] = certificate_json(outcome.certificate);
  return result;
}

ordered_json file_json(const SolvedFile& file) {
  ordered_json result{{"file", file.file}, {"ok", file.problems.empty()}};
  if (!file.problems.empty()) {
    result["problems"] = problems_json(file.problems);
    return result;
  }
  result["form"] = to_string(file.form);
  result["title"] = file.info.title;
  result["description"] = file.info.description;
  result["math_info"] = file.info.math_info;
  result["contacts"] = file.contacts;
  result["rows"] = file.rows;
  result["asymmetry"] = file.asymmetry;
  result["results"] = ordered_json::array();
  for (const SolveOutcome& outcome : file.outcomes) {
    result["results"].push_back(outcome_json(outcome));
  }
  return result;
}

}  // namespace

nlohmann::ordered_json solve_json(const std::vector<SolvedFile>& files,
                                  const SolveArguments& arguments) {
  ordered_json result{{"law", to_string(arguments.options.law)},
                      {"tolerance", arguments.options.tolerance},
                      {"max_iterations", arguments.options.max_iterations},
                      {"time_limit", arguments.options.time_limit},
                      {"options", ordered_json::object()},
                      {"certified", true},
                      {"files", ordered_json::array()}};
  for (const SolverOption& option : solver_option_table()) {
    if (!option.info.in_solve) continue;
    std::visit([&](const auto& value) { result["options"][std::string(option.info.name)] = value; },
               option.value(arguments.options));
  }
  for (const SolvedFile& file : files) {
    result["files"].push_back(file_json(file));
    if (!file.certified(arguments.compare)) result["certified"] = false;
  }
  return result;
}

}  // namespace stiction
