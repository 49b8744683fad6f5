#pragma once

/// \file
/// MuJoCo 2.2.2 on the moments of a trot.

#include <memory>

#include "bench/trot_states.hpp"

namespace stiction::bench {

/// One setting of MuJoCo's solver.
class TrotMujoco {
 public:
  virtual ~TrotMujoco() = default;
  /// One step from a moment of the trot, by its number.
  virtual void step(std::size_t moment) = 0;
  /// Of the last step.
  [[nodiscard]] virtual int contacts() const = 0;
};

struct TrotMujocoEntry {
  std::string name;  ///< such as `MuJoCo, Newton pyramidal`
  std::unique_ptr<TrotMujoco> engine;
};

/// All solvers and cones; the first is MuJoCo's default. Empty if MuJoCo is not installed.
std::vector<TrotMujocoEntry> make_trot_mujoco(const Trot& trot);

}  // namespace stiction::bench
