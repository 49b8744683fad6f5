#include "stiction/io/mjcf_attributes.hpp"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stiction/io/xml.hpp"

namespace stiction {

MjcfAttributes::MjcfAttributes(const MjcfDocument& document, MjcfReport& report,
                               const pugi::xml_node& element,
                               const std::vector<pugi::xml_node>& defaults)
    : document_(document), report_(report), levels_{element} {
  levels_.insert(levels_.end(), defaults.begin(), defaults.end());
}

pugi::xml_node MjcfAttributes::holder(const char* name) const {
  for (const pugi::xml_node& level : levels_) {
    if (level.attribute(name)) return level;
  }
  return {};
}

void MjcfAttributes::error(const char* name, const std::string& what,
                           const std::string& remedy) const {
  const pugi::xml_node node = holder(name);
  report_.error(node ? document_.source(node) : source(), what, remedy);
}

std::optional<std::vector<double>> MjcfAttributes::numbers_of(const pugi::xml_node& node,
                                                              const char* name, std::size_t least,
                                                              std::size_t most) const {
  std::string problem;
  auto numbers = parse_numbers(node.attribute(name).value(), problem);
  const std::string count = least == most ? fmt::format("{}", least)
                            : most > 1000 ? fmt::format("at least {}", least)
                                          : fmt::format("{} to {}", least, most);
  if (!numbers) {
    report_.error(document_.source(node), fmt::format("attribute '{}': {}", name, problem),
                  fmt::format("give {} finite number{}", count, most == 1 ? "" : "s"));
  } else if (numbers->size() < least || numbers->size() > most) {
    report_.error(document_.source(node),
                  fmt::format("attribute '{}' has {} number{}", name, numbers->size(),
                              numbers->size() == 1 ? "" : "s"),
                  fmt::format("give {}", count));
    numbers.reset();
  }
  return numbers;
}

std::string MjcfAttributes::text(const char* name, const std::string& fallback) const {
  const pugi::xml_node node = holder(name);
  return node ? std::string(node.attribute(name).value()) : fallback;
}

double MjcfAttributes::number(const char* name, double fallback) const {
  const auto value = exactly<1>(name);
  return value ? value->front() : fallback;
}

double MjcfAttributes::number_from(const char* name, double fallback, double least) const {
  // What is absent or no number needs no second message.
  const double value = number(name, std::numeric_limits<double>::quiet_NaN());
  if (std::isnan(value)) return fallback;
  if (value >= least) return value;
  error(name, fmt::format("attribute '{}' is {:g}", name, value),
        fmt::format("give a number that is at least {:g}", least));
  return fallback;
}

int MjcfAttributes::integer(const char* name, int fallback) const {
  const double value = number(name, fallback);
  if (value == std::floor(value) && std::abs(value) <= std::numeric_limits<int>::max()) {
    return static_cast<int>(value);
  }
  error(name, fmt::format("attribute '{}' is {:g}", name, value), "give a whole number");
  return fallback;
}

bool MjcfAttributes::flag(const char* name, bool fallback) const {
  return keyword<bool>(
      name, {{"true", true}, {"false", false}, {"enable", true}, {"disable", false}}, fallback);
}

TriState MjcfAttributes::tri_state(const char* name) const {
  return keyword<TriState>(
      name, {{"true", TriState::yes}, {"false", TriState::no}, {"auto", TriState::automatic}},
      TriState::automatic);
}

std::optional<std::array<double, 4>> MjcfAttributes::color(const char* name) const {
  if (text(name).find_first_not_of(" \t\r\n") == std::string::npos) return std::nullopt;
  return exactly<4>(name);
}

std::vector<double> MjcfAttributes::list(const char* name) const {
  const pugi::xml_node node = holder(name);
  if (!node) return {};
  return numbers_of(node, name, 0, std::numeric_limits<std::size_t>::max())
      .value_or(std::vector<double>{});
}

void MjcfAttributes::unknown_word(const pugi::xml_node& node, const char* name,
                                  std::string_view given,
                                  const std::vector<std::string_view>& known) const {
  report_.error(
      document_.source(node), fmt::format("attribute '{}' has the unknown value '{}'", name, given),
      report_.suggestion(given, known, fmt::format("use one of: {}", fmt::join(known, ", "))));
}

}  // namespace stiction
