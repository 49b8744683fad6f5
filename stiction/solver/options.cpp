#include "stiction/solver/options.hpp"

namespace stiction {

namespace {

/// Both false for NaN.
bool within(double x, double least, double most) { return x >= least && x <= most; }
bool above_zero(double x, double most) { return x > 0.0 && x <= most; }

constexpr int most_sweeps = 1'000'000;
constexpr int most_steps = 1'000'000'000;

bool is_step_count(int steps) { return steps >= 0 && steps <= most_steps; }

std::string_view fault_of(const OneContactOptions& own) {
  if (!above_zero(own.tolerance, 0.1)) {
    return "per_contact.one_contact.tolerance must be above 0 and at most 0.1";
  }
  if (!within(own.beta1, 1e-6, 1.0)) {
    return "per_contact.one_contact.beta1 must be from 1e-6 to 1 rad";
  }
  if (!within(own.beta2, 0.01, 0.99)) {
    return "per_contact.one_contact.beta2 must be from 0.01 to 0.99";
  }
  if (!within(own.beta3, 1.0, 10.0)) return "per_contact.one_contact.beta3 must be from 1 to 10";
  return {};
}

std::string_view fault_of(const PerContactOptions& own, Law law) {
  if (!supports(law, own.one_contact.method)) {
    return "per_contact.one_contact.method must know the law: golden_section and bisection_printed "
           "know max_dissipation and convex, newton takes every law";
  }
  if (!above_zero(own.relaxation, 1.0)) {
    return "per_contact.relaxation must be above 0 and at most 1";
  }
  if (!above_zero(own.relaxation_decay, 1.0)) {
    return "per_contact.relaxation_decay must be above 0 and at most 1";
  }
  if (!above_zero(own.relaxation_floor, 1.0)) {
    return "per_contact.relaxation_floor must be above 0 and at most 1";
  }
  if (!within(own.rest_share, 0.0, 1.0)) return "per_contact.rest_share must be from 0 to 1";
  return fault_of(own.one_contact);
}

std::string_view fault_of(const PgsOptions& own) {
  if (!above_zero(own.relaxation, 1.0)) return "pgs.relaxation must be above 0 and at most 1";
  if (!above_zero(own.printed_threshold, 1e9)) {
    return "pgs.printed_threshold must be above 0 and at most 1e9";
  }
  return {};
}

std::string_view fault_of(const ImplicitComplementarityOptions& own) {
  if (within(own.scaling, 1e-6, 1e6)) return {};
  return "implicit_complementarity.scaling must be from 1e-6 to 1e6";
}

std::string_view fault_of(const LcpOptions& own) {
  if (own.sides >= 4 && own.sides <= 64 && own.sides % 2 == 0) return {};
  return "lcp.sides must be an even number from 4 to 64";
}

std::string_view fault_of(const AdmmOptions& own) {
  if (within(own.proximal, 0.0, 1.0)) return {};
  return "admm.proximal must be from 0 to 1";
}

std::string_view fault_of(const HybridOptions& own) {
  if (own.sweeps < 1 || own.sweeps > most_sweeps) return "hybrid.sweeps must be from 1 to 1e6";
  if (!is_step_count(own.newton_steps)) return "hybrid.newton_steps must be from 0 to 1e9";
  if (!is_step_count(own.interior_steps)) return "hybrid.interior_steps must be from 0 to 1e9";
  if (!is_step_count(own.admm_steps)) return "hybrid.admm_steps must be from 0 to 1e9";
  return {};
}

/// The first of them that is a fault.
std::string_view first(std::string_view a, std::string_view b) { return a.empty() ? b : a; }

}  // namespace

std::string_view fault_of(const SolverOptions& options, std::string_view solver) {
  if (solver == "hybrid") {
    return first(first(fault_of(options.hybrid), fault_of(options.per_contact, options.law)),
                 fault_of(options.admm));
  }
  if (solver == "per_contact") return fault_of(options.per_contact, options.law);
  if (solver == "pgs") return fault_of(options.pgs);
  if (solver == "implicit_complementarity" && options.law == Law::coulomb) {  // or it refuses
    return first(fault_of(options.implicit_complementarity),
                 fault_of(options.per_contact, options.law));
  }
  if (solver == "lcp") return fault_of(options.lcp);
  if (solver == "admm") return fault_of(options.admm);
  return {};
}

}  // namespace stiction
