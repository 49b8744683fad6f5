#include "stiction/solver/option_table.hpp"

#include <array>
#include <fmt/format.h>
#include <vector>

namespace stiction {

namespace {

using Solver = SolverOptions;
using PerContact = PerContactOptions;
using OneContact = OneContactOptions;
using Complementarity = ImplicitComplementarityOptions;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double most_steps = 1e9;
constexpr OptionRange positive{.above_least = true};
constexpr OptionRange limit{.most = infinity, .above_least = true};
constexpr OptionRange fraction{.most = 1.0};
constexpr OptionRange steps{.most = most_steps};
constexpr OptionRange any_count{.most = std::numeric_limits<int>::max()};

constexpr OptionRange above_zero(double most) { return {.most = most, .above_least = true}; }

constexpr std::array rows{
    word_row<last_law, &Solver::law>(
        {.name = "law", .help = "what contacts obey; the laws differ while a contact slips"}),
    option_row<&Solver::tolerance>(
        {.name = "tolerance",
         .range = positive,
         .help = "certified if no residual, relative to the problem, is larger"}),
    option_row<&Solver::max_iterations>(
        {.name = "max_iterations",
         .range = any_count,
         .help = "maximum number of iterations of a solve; 0: the default of the solver"}),
    option_row<&Solver::work_limit>(
        {.name = "work_limit",
         .unit = "multiply-adds",
         .range = limit,
         .help = "counted work after which a solve ends; 2e10 take about ten seconds"}),
    option_row<&Solver::time_limit>(
        {.name = "time_limit",
         .unit = "s",
         .range = limit,
         .help = "time after which a solve ends; a step refuses it, because it must not depend "
                 "on the clock",
         .shapes_motion = false,
         .in_runs = false}),
    option_row<&Solver::warm_start>(
        {.name = "warm_start",
         .help = "a solve begins with the impulses of the step before instead of zero",
         .in_solve = false}),
    option_row<&Solver::keep_history>(
        {.name = "keep_history",
         .help = "the residual of each iteration is kept in the report",
         .shapes_motion = false,
         .in_runs = false,
         .in_solve = false}),
    word_row<CheckLevel::full, &Solver::check>(
        {.name = "check",
         .help = "what is refused: numbers that are not finite, or also matrices that are not "
                 "symmetric and positive semidefinite, at the cost of a factorization"}),

    word_row<SlipMethod::bisection_printed, &Solver::per_contact, &PerContact::one_contact,
             &OneContact::method>(
        {.name = "per_contact.one_contact.method",
         .help = "how the slip of one contact is found; golden_section and bisection_printed do "
                 "not know Coulomb's law"}),
    option_row<&Solver::per_contact, &PerContact::one_contact, &OneContact::tolerance>(
        {.name = "per_contact.one_contact.tolerance",
         .range = above_zero(0.1),
         .help = "relative change of an impulse at which the search of one contact stops; more is "
                 "faster, and "
                 "leaves slip directions inexact"}),
    option_row<&Solver::per_contact, &PerContact::one_contact, &OneContact::beta1>(
        {.name = "per_contact.one_contact.beta1",
         .unit = "rad",
         .range = {.least = 1e-6, .most = 1.0},
         .help = "first step of bisection_printed"}),
    option_row<&Solver::per_contact, &PerContact::one_contact, &OneContact::beta2>(
        {.name = "per_contact.one_contact.beta2",
         .range = {.least = 0.01, .most = 0.99},
         .help = "factor on the step of bisection_printed where the arc is out of sight"}),
    option_row<&Solver::per_contact, &PerContact::one_contact, &OneContact::beta3>(
        {.name = "per_contact.one_contact.beta3",
         .range = {.least = 1.0, .most = 10.0},
         .help = "factor on the step of bisection_printed while the gradient keeps its sign"}),
    word_row<PrintedGradient::polar, &Solver::per_contact, &PerContact::one_contact,
             &OneContact::gradient>(
        {.name = "per_contact.one_contact.gradient",
         .help = "derivative that bisection_printed takes along the conic"}),
    option_row<&Solver::per_contact, &PerContact::relaxation>(
        {.name = "per_contact.relaxation",
         .range = above_zero(1.0),
         .help = "weight of a new impulse in the first sweep; less calms contacts that fight each "
                 "other"}),
    option_row<&Solver::per_contact, &PerContact::relaxation_decay>(
        {.name = "per_contact.relaxation_decay",
         .range = above_zero(1.0),
         .help = "factor on per_contact.relaxation after each sweep"}),
    option_row<&Solver::per_contact, &PerContact::relaxation_floor>(
        {.name = "per_contact.relaxation_floor",
         .range = above_zero(1.0),
         .help = "per_contact.relaxation never falls below this"}),
    option_row<&Solver::per_contact, &PerContact::rest_fraction>(
        {.name = "per_contact.rest_fraction",
         .range = fraction,
         .help = "blocks that a sweep changes by less than this fraction of the tolerance rest for "
                 "the next three; for large heaps; 0: none does"}),

    option_row<&Solver::pgs, &PgsOptions::relaxation>(
        {.name = "pgs.relaxation",
         .range = above_zero(1.0),
         .help = "weight of a new impulse in each sweep"}),
    word_row<PgsOptions::Stop::printed, &Solver::pgs, &PgsOptions::stop>(
        {.name = "pgs.stop",
         .help =
             "what ends the sweeps: the certificate, or sums of changes as the paper prints them"}),
    option_row<&Solver::pgs, &PgsOptions::printed_threshold>(
        {.name = "pgs.printed_threshold",
         .range = above_zero(1e9),
         .help = "printed sums, of impulses [N·s] and of velocities [m/s], that end the sweeps"}),

    word_row<Complementarity::Globalization::dogleg, &Solver::implicit_complementarity,
             &Complementarity::globalization>(
        {.name = "implicit_complementarity.globalization",
         .help = "what keeps Newton's steps from going too far"}),
    option_row<&Solver::implicit_complementarity, &Complementarity::scaling>(
        {.name = "implicit_complementarity.scaling",
         .range = {.least = 1e-6, .most = 1e6},
         .help = "R of a contact in tr G_ii / 3; 0.1 to 0.3 works best"}),
    option_row<&Solver::implicit_complementarity, &Complementarity::common_scaling>(
        {.name = "implicit_complementarity.common_scaling",
         .help = "all contacts have the same R, from the mean of tr G_ii, as published"}),
    option_row<&Solver::implicit_complementarity, &Complementarity::restarts>(
        {.name = "implicit_complementarity.restarts",
         .range = {.most = 100.0},
         .help =
             "most restarts from sweeps of per_contact where Newton's method stops short; 0: as "
             "published"}),

    word_row<LcpOptions::Method::newton, &Solver::lcp, &LcpOptions::method>(
        {.name = "lcp.method", .help = "Lemke's pivots, or Newton's method"}),
    option_row<&Solver::lcp, &LcpOptions::sides>(
        {.name = "lcp.sides",
         .range = {.least = 4.0, .most = 64.0, .even = true},
         .help = "sides of the friction pyramid"}),

    option_row<&Solver::convex, &ConvexOptions::restart>(
        {.name = "convex.restart", .help = "the momentum is forgotten when it points uphill"}),

    option_row<&Solver::admm, &AdmmOptions::proximal>(
        {.name = "admm.proximal",
         .range = fraction,
         .help = "proximal term, relative to the largest eigenvalue of G"}),
    option_row<&Solver::admm, &AdmmOptions::adapt>(
        {.name = "admm.adapt",
         .help = "the penalty is changed so that primal and dual residual stay alike"}),

    option_row<&Solver::hybrid, &HybridOptions::sweeps>(
        {.name = "hybrid.sweeps",
         .range = {.least = 1.0, .most = 1e6},
         .help = "sweeps of per-contact iteration before Newton's method is tried"}),
    option_row<&Solver::hybrid, &HybridOptions::newton_steps>(
        {.name = "hybrid.newton_steps",
         .range = steps,
         .help = "steps of Newton's method, at most, before the interior point method is tried"}),
    option_row<&Solver::hybrid, &HybridOptions::interior_steps>(
        {.name = "hybrid.interior_steps",
         .range = steps,
         .help = "steps of the interior point method, at most, before ADMM is tried"}),
    option_row<&Solver::hybrid, &HybridOptions::admm_steps>(
        {.name = "hybrid.admm_steps",
         .range = steps,
         .help = "steps of ADMM, at most, before the hybrid gives up"}),
};

/// The solver that an option is of; empty for those of all.
std::string_view group_of(const SolverOption& option) {
  const std::string_view name = option.info.name;
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

bool knows_law(const SolverOptions& options) {
  return supports(options.law, options.per_contact.one_contact.method);
}

/// Without the value, so that the texts can be made once and last.
std::string_view lasting_fault(const SolverOption& option) {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> result;
    for (const SolverOption& row : rows) {
      result.push_back(fmt::format("{} must be {}", row.info.name,
                                   range_text(row.info, row.value(SolverOptions{}))));
    }
    return result;
  }();
  return texts[static_cast<std::size_t>(&option - rows.data())];
}

}  // namespace

std::span<const SolverOption> solver_option_table() { return rows; }

bool uses_option(std::string_view solver, const SolverOption& option) {
  const std::string_view group = group_of(option);
  if (group.empty() || group == solver) return true;
  if (solver == "hybrid") return group == "per_contact" || group == "admm";
  return solver == "implicit_complementarity" && group == "per_contact";
}

const SolverOption* option_out_of_range(const SolverOptions& options, std::string_view solver) {
  if (all_in_range<rows>(options)) return nullptr;
  for (const SolverOption& row : rows) {
    if (uses_option(solver, row) && !fault_of(row.info, row.value(options)).empty()) return &row;
  }
  return nullptr;
}

std::string_view fault_of(const SolverOptions& options, std::string_view solver) {
  if (const SolverOption* wrong = option_out_of_range(options, solver)) {
    return lasting_fault(*wrong);
  }
  if (knows_law(options) ||
      (solver != "hybrid" && solver != "per_contact" && solver != "implicit_complementarity")) {
    return {};
  }
  return "per_contact.one_contact.method must know the law: golden_section and bisection_printed "
         "know max_dissipation and convex, newton takes every law";
}

}  // namespace stiction
