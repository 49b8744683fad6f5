#pragma once

/// \file
/// What a user may choose for each solver. option_table.cpp has a row for each of it.

#include <limits>
#include <string_view>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/contact/law.hpp"
#include "stiction/contact/one_contact.hpp"

namespace stiction {

/// Per-contact iteration: one exact answer after the other [PCI, Algorithm 2].
struct PerContactOptions {
  OneContactOptions one_contact;
  /// Relaxation of the first sweep, its decay a sweep, and its floor; each in (0, 1]. 1 is fastest
  /// where it converges, smaller values calm contacts that fight each other.
  double relaxation = 1.0;
  double relaxation_decay = 0.99;
  double relaxation_floor = 0.7;
  /// A block that a sweep changes by less than this fraction of the tolerance rests for the next
  /// three, 0 to 1: in large heaps most of the sweeps' time goes to blocks that have settled. 0:
  /// none does.
  double rest_fraction = 0.0;
};

/// Projected Gauss-Seidel, row by row [PCI] (17), (18).
struct PgsOptions {
  double relaxation = 0.6;  ///< α in (0, 1]
  /// What ends the iteration: our certificate, or the paper's sum of |Δλ| [N·s] and of penetrating
  /// velocities [m/s] below `printed_threshold`. With `printed` the status is `solved` unless the
  /// certificate happens to be met too.
  enum class Stop { certificate, printed } stop = Stop::certificate;
  double printed_threshold = 1e-6;  ///< 1 µN·s and 1 µm/s in the paper; its remedy is 1e-8
};

/// Newton's method on the implicit complementarity function [INC].
struct ImplicitComplementarityOptions {
  enum class Globalization { levenberg_marquardt, dogleg } globalization = Globalization::dogleg;
  /// R = scaling · tr G_ii / 3 of each contact, 1e-6 to 1e6; 0.1 to 0.3 works best, the paper's
  /// R = 1 depends on units.
  double scaling = 0.2;
  /// One R for all contacts, from the mean of their traces, as published with R = 1 in fitting
  /// units. Otherwise each contact has its own.
  bool common_scaling = false;
  /// Restarts from sweeps of per-contact iteration where ½‖r‖² has a minimum above zero, at most;
  /// 0 to 100. 0 is the algorithm as published.
  int restarts = 14;
};

/// Linear complementarity with a friction pyramid [LCP].
struct LcpOptions {
  enum class Method { lemke, newton } method = Method::lemke;
  int sides = 8;  ///< of the pyramid, 4 to 64, even
};

/// Accelerated projected gradient on the convex relaxation.
struct ConvexOptions {
  bool restart = true;  ///< forget the momentum when it points uphill
};

/// Alternating direction method of multipliers with a proximal term.
struct AdmmOptions {
  double proximal = 1e-6;  ///< relative to the largest eigenvalue of G, 0 to 1
  bool adapt = true;       ///< balance primal and dual residual by changing the penalty
};

/// The default: sweeps of per-contact iteration, then for each island that needs it proximal
/// Newton, an interior point method and ADMM, by certificate.
struct HybridOptions {
  int sweeps = 10;          ///< of per-contact iteration before Newton is tried
  int newton_steps = 30;    ///< at most, before the interior point method is tried
  int interior_steps = 60;  ///< at most, of the interior point method, before ADMM is tried
  int admm_steps = 2000;    ///< at most, before the hybrid gives up
};

struct SolverOptions {
  Law law = Law::coulomb;
  /// Certified at this: law and natural residual relative to the scales of the problem. 1e-8 is
  /// plenty for simulation; below about 1e-13 rounding wins and the status says so.
  double tolerance = 1e-8;
  /// 0: the solver's own default. What one iteration is stands in each solver's header.
  int max_iterations = 0;
  /// Counted work of a solve, in multiply-adds: it ends soon after, with the best impulses so far.
  /// 2e10 take some ten seconds. The count depends on the problem alone, never on the machine.
  double work_limit = 2e10;
  /// Wall time [s]: the solve ends soon after. Infinite: the clock is not read. A finite limit
  /// makes the answer depend on the machine, so a step takes none.
  double time_limit = std::numeric_limits<double>::infinity();
  bool warm_start = false;  ///< begin with the impulses passed in instead of zero
  bool keep_history = false;
  CheckLevel check = CheckLevel::full;

  PerContactOptions per_contact;
  PgsOptions pgs;
  ImplicitComplementarityOptions implicit_complementarity;
  LcpOptions lcp;
  ConvexOptions convex;
  AdmmOptions admm;
  HybridOptions hybrid;
};

/// \name Words as on the command line
/// @{
std::string_view to_string(CheckLevel level);
std::string_view to_string(PrintedGradient gradient);
std::string_view to_string(PgsOptions::Stop stop);
std::string_view to_string(ImplicitComplementarityOptions::Globalization globalization);
std::string_view to_string(LcpOptions::Method method);
/// @}

/// What is wrong with the options that a solver of this name uses: the option and its range, a
/// text that lasts; empty if nothing is. Options of other solvers are not looked at.
[[nodiscard]] std::string_view fault_of(const SolverOptions& options, std::string_view solver);

}  // namespace stiction
