#pragma once

/// \file
/// Scenes on which a solver may be slow or fail: heaps, stacks, dominoes, a rope, robots in
/// clutter.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/pile_engine.hpp"
#include "stiction/model/model.hpp"

namespace stiction::bench {

struct TailScene {
  std::string name;
  std::function<Model()> make;
  int steps = 1000;  ///< from the start: settling and at rest
  /// What other engines are given, if they know such bodies.
  std::optional<PileScene> pile;
  bool quick = true;  ///< also with --quick
};

/// All of them, small ones first.
std::vector<TailScene> tail_scenes();

}  // namespace stiction::bench
