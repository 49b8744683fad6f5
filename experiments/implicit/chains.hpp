#pragma once

/// \file
/// Chains that fall on a floor and come to rest there, and the contact problems of their steps.
///
/// The paper does not say how its bodies look. Here: capsules on a free base, hinged about two axes
/// in turn or with ball joints, dropped in a random posture. A capsule touches the floor with up to
/// two points. How far chains bend out of the plane sets how many of them lie at once, and is
/// chosen such that the mean number of contacts is the published one.

#include <cstdint>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/sim/options.hpp"

namespace stiction::experiments {

/// A cell of the published table [INC].
struct PublishedCell {
  int bodies = 0;
  int contacts = 0;
  double friction = 0.0;
  double iterations = 0.0;  ///< mean
  double full = 0.0;        ///< share of iterations that take the Newton point without line search
};

const std::vector<PublishedCell>& published_cells();

struct ChainSettings {
  int drops = 8;
  double seconds = 1.5;
  double step = 0.005;
  GapRule gap_rule = GapRule::velocity;
  bool balls = false;
  std::uint64_t seed = 100;
};

/// The problems of all steps in which a contact presses, in order of time, drop after drop.
std::vector<ContactProblem> record_chains(const PublishedCell& cell, const ChainSettings& settings);

}  // namespace stiction::experiments
