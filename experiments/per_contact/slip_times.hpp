#pragma once

/// \file
/// What one slip problem costs [PCI, table I], on slip problems of the tasks.

#include <string>
#include <vector>

#include "experiments/driven_quadruped.hpp"
#include "stiction/contact/contact_problem.hpp"

namespace stiction::experiments {

/// Adds the contacts that slip in the sweeps of per-contact iteration, begun at zero, under the law
/// of maximum dissipation. Only problems with nothing but contacts.
void collect_slips(const ContactProblem& problem, std::vector<SlipSample>& samples);

struct SlipTime {
  std::string law;
  std::string method;
  double seconds = 0.0;    ///< median [s]
  double published = 0.0;  ///< [s]; 0: none
};

/// Times all methods to a relative 1e-6. At most `seconds` of it.
std::vector<SlipTime> time_slips(const std::vector<SlipSample>& samples, double seconds);

}  // namespace stiction::experiments
