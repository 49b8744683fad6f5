#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

#include "apps/stiction/argument_checks.hpp"
#include "apps/stiction/rollout.hpp"
#include "stiction/core/index.hpp"
#include "stiction/io/near_words.hpp"

namespace stiction {

namespace {

struct SpreadKey {
  std::string_view name;
  double RandomSpread::*value;
};
constexpr std::array<SpreadKey, 7> spread_keys{{{"joint_position", &RandomSpread::joint_position},
                                                {"joint_velocity", &RandomSpread::joint_velocity},
                                                {"base_position", &RandomSpread::base_position},
                                                {"base_height", &RandomSpread::base_height},
                                                {"base_yaw", &RandomSpread::base_yaw},
                                                {"base_velocity", &RandomSpread::base_velocity},
                                                {"base_turning", &RandomSpread::base_turning}}};

struct FactorKey {
  std::string_view name;
  FactorRange Randomisation::*value;
};
constexpr std::array<FactorKey, 4> factor_keys{{{"mass", &Randomisation::mass},
                                                {"friction", &Randomisation::friction},
                                                {"damping", &Randomisation::damping},
                                                {"gains", &Randomisation::gains}}};

constexpr double largest_factor = 1e6;

std::string read_factor(std::string_view name, const std::string& text, FactorRange& range) {
  const std::size_t dots = text.find("..");
  const auto least = dots == std::string::npos ? std::nullopt : parse_number(text.substr(0, dots));
  const auto most = dots == std::string::npos ? std::nullopt : parse_number(text.substr(dots + 2));
  if (!least || !most || !(*least > 0.0) || !(*most >= *least) || *most > largest_factor) {
    return fmt::format(
        "'{0}' is not a range of factors above 0; give {1}=LOW..HIGH, such as "
        "{1}=0.8..1.2",
        text, name);
  }
  range = {*least, *most};
  return {};
}

/// Fills `result` and returns what is wrong.
std::string read_randomisation(const std::string& text, Randomisation& result) {
  result = {};
  result.text = text;
  if (text.empty()) return {};
  std::vector<std::string_view> known;
  for (const FactorKey& key : factor_keys) known.push_back(key.name);
  for (const SpreadKey& key : spread_keys) known.push_back(key.name);
  std::vector<std::string> seen;
  for (const std::string& part : split(text)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      return fmt::format("'{}' is not NAME=VALUE; give mass=0.8..1.2,joint_position=0.1", part);
    }
    const std::string name = part.substr(0, equals);
    const std::string value = part.substr(equals + 1);
    if (std::ranges::find(seen, name) != seen.end()) {
      return fmt::format("{} is given twice; give it once", name);
    }
    seen.push_back(name);
    const auto factor = std::ranges::find(factor_keys, name, &FactorKey::name);
    const auto spread = std::ranges::find(spread_keys, name, &SpreadKey::name);
    if (factor != factor_keys.end()) {
      const std::string fault = read_factor(name, value, result.*(factor->value));
      if (!fault.empty()) return fault;
    } else if (spread != spread_keys.end()) {
      if (std::string fault = check_not_negative(value); !fault.empty()) {
        return fmt::format("{}: {}", name, fault);
      }
      result.spread.*(spread->value) = *parse_number(value);
    } else {
      return check_word("name of what is drawn", name, known);
    }
  }
  return {};
}

std::optional<ShardChoice> read_shard(const std::string& text) {
  const std::vector<std::string> parts = split(text, '/');
  if (parts.size() != 2) return std::nullopt;
  const std::optional<double> index = parse_number(parts[0]);
  const std::optional<double> count = parse_number(parts[1]);
  constexpr double most = 1e6;
  const auto whole = [](double number) { return number == std::floor(number); };
  if (!index || !count || !whole(*index) || !whole(*count)) return std::nullopt;
  if (!(*count >= 1.0 && *count <= most && *index >= 0.0 && *index < *count)) return std::nullopt;
  return ShardChoice{static_cast<int>(*index), static_cast<int>(*count)};
}

}  // namespace

std::string check_randomisation(const std::string& text) {
  Randomisation unused;
  return read_randomisation(text, unused);
}

Randomisation parse_randomisation(const std::string& text) {
  Randomisation result;
  read_randomisation(text, result);
  return result;
}

std::string check_shard(const std::string& text) {
  if (read_shard(text)) return {};
  return fmt::format("'{}' is not a part; give INDEX/COUNT from 0/COUNT on, such as 0/4", text);
}

ShardChoice shard_of(const std::string& text) {
  if (!text.empty()) return read_shard(text).value_or(ShardChoice{});
  // Open MPI, MPICH and others that speak PMI, Slurm.
  constexpr std::array<std::array<const char*, 2>, 3> names{
      {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
       {"PMI_RANK", "PMI_SIZE"},
       {"SLURM_PROCID", "SLURM_NTASKS"}}};
  for (const auto& [rank, size] : names) {
    const char* const own = std::getenv(rank);
    const char* const all = std::getenv(size);
    if (own == nullptr || all == nullptr) continue;
    if (const auto shard = read_shard(fmt::format("{}/{}", own, all))) return *shard;
  }
  return {};
}

}  // namespace stiction
