#pragma once

/// \file
/// Another engine with the same robot: what it computes, to be checked, and its contestants.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/robots.hpp"

namespace stiction::bench {

class Partner {
 public:
  using Contestant = std::pair<std::string, std::function<void(std::int64_t)>>;

  virtual ~Partner() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// v̇ in the order and the axes of Model.
  virtual std::vector<double> acceleration(const RobotState& state) = 0;
  /// Loops over the states given to the constructor. The partner must outlive them.
  virtual std::vector<Contestant> contestants() = 0;
};

/// nullptr if this build is without MuJoCo.
std::unique_ptr<Partner> make_mujoco_partner(const Robot& robot,
                                             const std::vector<RobotState>& states);

/// nullptr if this build is without DART.
std::unique_ptr<Partner> make_dart_partner(const Robot& robot,
                                           const std::vector<RobotState>& states);

}  // namespace stiction::bench
