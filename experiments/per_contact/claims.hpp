#pragma once

/// \file
/// What the paper claims and what this experiment must show, each with our figure.

#include <string>
#include <vector>

#include "experiments/per_contact/results.hpp"

namespace stiction::experiments {

struct Claim {
  std::string text;
  std::string figure;  ///< ours
  bool holds = false;
  bool of_times = false;  ///< depends on the machine: says nothing in a short run
};

/// What [PCI] says. Claims about tasks that were not run are left out.
std::vector<Claim> paper_claims(const Results& results);
/// What Stiction must show.
std::vector<Claim> own_claims(const Results& results);

}  // namespace stiction::experiments
