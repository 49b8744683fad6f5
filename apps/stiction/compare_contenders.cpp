#include "apps/stiction/compare_contenders.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "apps/stiction/argument_checks.hpp"

namespace stiction {

namespace {

/// A page with more runs over each other shows nothing.
constexpr std::size_t most_contenders = 32;

/// Each word of a list once; the default one where there is no list.
std::vector<std::string> words_of(const std::string& list, const std::string& fallback) {
  if (list.empty()) return {fallback};
  std::vector<std::string> words;
  for (const std::string& word : split(list)) {
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
  return words;
}

std::string label_of(const StepArguments& words, const CompareArguments& arguments) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& list, const std::string& word) {
    if (words_of(list, word).size() > 1) parts.push_back(word);
  };
  add(arguments.solvers, words.solver);
  add(arguments.laws, words.law);
  add(arguments.gap_rules, words.gap_rule);
  add(arguments.integrators, words.integrator);
  return fmt::format("{}", fmt::join(parts, ", "));
}

Contender contender_of(const StepArguments& words, const CompareArguments& arguments) {
  Contender contender;
  contender.label = label_of(words, arguments);
  try {
    contender.options = words.options();
  } catch (const CLI::ValidationError& error) {
    contender.refusal = error.what();
  }
  return contender;
}

}  // namespace

std::vector<Contender> contenders_of(const CompareArguments& arguments) {
  std::vector<Contender> contenders;
  StepArguments words = arguments.step;
  for (const std::string& solver : words_of(arguments.solvers, arguments.step.solver)) {
    words.solver = solver;
    for (const std::string& law : words_of(arguments.laws, arguments.step.law)) {
      words.law = law;
      for (const std::string& rule : words_of(arguments.gap_rules, arguments.step.gap_rule)) {
        words.gap_rule = rule;
        for (const std::string& integrator :
             words_of(arguments.integrators, arguments.step.integrator)) {
          words.integrator = integrator;
          contenders.push_back(contender_of(words, arguments));
        }
      }
    }
  }
  return contenders;
}

void check_contenders(const std::vector<Contender>& contenders) {
  if (contenders.size() < 2) {
    throw CLI::ValidationError(
        "there is nothing to compare; give a list, such as --solver hybrid,admm");
  }
  if (contenders.size() > most_contenders) {
    throw CLI::ValidationError(
        fmt::format("{} combinations are too many; give lists with at most {} combinations",
                    contenders.size(), most_contenders));
  }
  if (std::ranges::none_of(contenders, [](const Contender& c) { return c.refusal.empty(); })) {
    throw CLI::ValidationError(contenders.front().refusal);
  }
}

}  // namespace stiction
