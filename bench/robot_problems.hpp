#pragma once

/// \file
/// Contact problems as the time step of a robot meets them, each with the impulses of the step
/// before.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/contact/law.hpp"

namespace stiction::bench {

inline constexpr std::array all_laws{Law::coulomb, Law::max_dissipation, Law::convex};

/// One problem, prepared. The arrays have an entry for each of `all_laws`.
struct RobotProblem {
  ContactProblem problem;
  /// Answer to the problem one time step earlier; zero at an impact.
  std::array<std::vector<double>, 3> warm;
  std::array<int, 3> slipping{};  ///< contacts that slip in the answer
  std::array<int, 3> open{};      ///< contacts that open in the answer
  bool impact = false;            ///< the contacts did not exist in the step before

  [[nodiscard]] const std::vector<double>& warm_impulses(Law law) const;
  [[nodiscard]] int slip_count(Law law) const;
  [[nodiscard]] int open_count(Law law) const;
};

/// Numbers of contacts that robot_problems() takes.
inline constexpr std::array robot_contact_counts{1, 4, 8, 16};

/// ANYmal, its joints driven to random angles, runs and falls on flat ground by steps of 1 ms. At
/// moments of that it is thrown down, and `contacts` of its feet, torso corners, knees and shanks
/// (in this order; one contact: any foot) meet uneven ground where they are. The problem is that of
/// the first to eighth step from there, in equal shares: an impact at first, then sliding on. Taken
/// are those with at least a third of the contacts closed. µ is 0.3 to 0.9.
std::vector<RobotProblem> robot_problems(int contacts, int count, std::uint64_t seed);

}  // namespace stiction::bench
