#include "stiction/sim/option_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>

#include "stiction/model/time_step.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction {

namespace {

using Step = StepOptions;

using Springs = ViscoelasticOptions;
constexpr OptionRange positive{.above_least = true};

constexpr OptionRange fraction{.most = 1.0};
constexpr OptionRange any_size{};

constexpr std::array rows{
    option_row<&Step::time_step>(
        {.name = "time_step",
         .unit = "s",
         .range = {.least = shortest_time_step, .most = longest_time_step, .or_zero = true},
         .help = "length of a step, h; 0: what the file of the model says",
         .flag = "step"}),
    word_row<last_contact_family, &Step::contact>(
        {.name = "contact",
         .help = "rigid: hard contact, certified; viscoelastic: springs with dampers, by the "
                 "options viscoelastic.*"}),
    option_row<&Step::viscoelastic, &Springs::stiffness>({.name = "viscoelastic.stiffness",
                                                          .unit = "N/m",
                                                          .range = positive,
                                                          .help = "K of a contact along its normal",
                                                          .flag = "stiffness"}),
    option_row<&Step::viscoelastic, &Springs::damping>({.name = "viscoelastic.damping",
                                                        .unit = "N·s/m",
                                                        .range = any_size,
                                                        .help = "B of a contact along its normal",
                                                        .flag = "damping"}),
    option_row<&Step::viscoelastic, &Springs::tangential_stiffness>(
        {.name = "viscoelastic.tangential_stiffness",
         .unit = "N/m",
         .range = any_size,
         .help = "K along the tangents; 0: as along the normal"}),
    option_row<&Step::viscoelastic, &Springs::tangential_damping>(
        {.name = "viscoelastic.tangential_damping",
         .unit = "N·s/m",
         .range = any_size,
         .help =
             "B along the tangents; 0: in the same ratio to the stiffness as along the normal"}),
    word_row<last_anchor_rules, &Step::viscoelastic, &Springs::rules>(
        {.name = "viscoelastic.rules",
         .help =
             "surface: the normal force follows the gap, anchors roll along; authors: as in the "
             "published code of the method, to reproduce it"}),
    word_row<last_contact_integrator, &Step::viscoelastic, &Springs::integrator>(
        {.name = "viscoelastic.integrator",
         .help = "how bodies move that springs act on; exponential and implicit_euler take large "
                 "steps, "
                 "the others need short ones"}),
    word_row<last_engine_kind, &Step::viscoelastic, &Springs::engine>(
        {.name = "viscoelastic.engine",
         .help = "computes the exponential: modal is exact and fast"}),
    word_row<last_pade_order, &Step::viscoelastic, &Springs::pade_order>(
        {.name = "viscoelastic.pade_order", .help = "of the engine pade: more is more exact"}),
    option_row<&Step::viscoelastic, &Springs::pade_scaling>(
        {.name = "viscoelastic.pade_scaling",
         .help = "whether the engine pade halves the step until it is accurate"}),
    option_row<&Step::viscoelastic, &Springs::engine_tolerance>(
        {.name = "viscoelastic.engine_tolerance",
         .range = {.least = 1e-16, .most = 1e-2},
         .help = "error that the engine automatic aims at, relative to the forces"}),
    option_row<&Step::viscoelastic, &Springs::newton_tolerance>(
        {.name = "viscoelastic.newton_tolerance",
         .range = {.least = 1e-14, .most = 1e-2},
         .help = "last change of velocities by implicit_euler, relative to the velocities"}),
    option_row<&Step::viscoelastic, &Springs::newton_iterations>(
        {.name = "viscoelastic.newton_iterations",
         .range = {.least = 1.0, .most = 1000.0},
         .help = "of each search of implicit_euler, at most"}),
    word_row<last_effort, &Step::effort>(
        {.name = "effort",
         .help =
             "exact: certified at 1e-8; balanced: at 1e-4; fast: a few sweeps, for large heaps; "
             "sets other options where these have their default values"}),
    option_row<&Step::solver>(
        {.name = "solver", .help = "computes the impulses of each step", .words = solver_names}),
    word_row<GapRule::velocity, &Step::gap_rule>(
        {.name = "gap_rule",
         .help = "position: v_n⁺ ≥ −gap/h; velocity: v_n⁺ ≥ 0 where bodies touch, and what has "
                 "sunk in stays in unless push_out_sweeps takes it out"}),
    word_row<last_integrator, &Step::integrator>(
        {.name = "integrator", .help = "how trees move that no impulse acts on"}),
    option_row<&Step::push_out_fraction>(
        {.name = "push_out_fraction",
         .range = fraction,
         .help = "fraction of an overlap that is pushed out each step; 0: none"}),
    option_row<&Step::push_out_speed>({.name = "push_out_speed",
                                       .unit = "m/s",
                                       .range = any_size,
                                       .help = "maximum speed at which overlaps are pushed out"}),
    option_row<&Step::push_out_sweeps>(
        {.name = "push_out_sweeps",
         .range = {.most = 1000.0},
         .help =
             "0: overlaps are pushed out by velocities; else by at most this number of sweeps over "
             "the normals, "
             "out of the positions alone, so that velocities and their energy stay; not under "
             "explicit"}),
    option_row<&Step::recall_fraction>(
        {.name = "recall_fraction",
         .range = {.most = 1.0, .above_least = true},
         .help =
             "a step begins with the running mean of earlier impulses; this is the weight of the "
             "last one; 0.1 for heaps whose solver stops early"}),
    option_row<&Step::lock_fraction>(
        {.name = "lock_fraction",
         .range = fraction,
         .help = "fraction of the error of a lock (loop, coupling) that is removed each step"}),
    option_row<&Step::margin>({.name = "margin",
                               .unit = "m",
                               .range = any_size,
                               .help = "additional distance within which contacts are searched"}),
    option_row<&Step::four_face_points>(
        {.name = "four_face_points",
         .help = "of more than four points of two flat faces, the four that span most are kept: "
                 "faster, and what bears is a somewhat smaller face; faces that lean by more than "
                 "1e-4 rad, or have steps, keep all"}),
    option_row<&Step::restitution_threshold>(
        {.name = "restitution_threshold",
         .range = any_size,
         .help = "approach speed below which nothing bounces, as a multiple of gravity·h"}),
    option_row<&Step::threads>({.name = "threads",
                                .range = {.least = 1.0, .most = 1024.0},
                                .help = "that solve bodies which do not touch each other; the "
                                        "result is the same",
                                .shapes_motion = false}),
    option_row<&Step::balance>({.name = "balance",
                                .help = "energy and momentum in the report",
                                .shapes_motion = false,
                                .in_runs = false}),
    option_row<&Step::timings>({.name = "timings",
                                .help = "time of each stage in the report",
                                .shapes_motion = false,
                                .in_runs = false}),
};

bool is_solver(std::string_view name) {
  return std::ranges::find(solver_names(), name) != solver_names().end();
}

std::string fault_of_step_rows(const StepOptions& options) {
  if (all_in_range<rows>(options) && is_solver(options.solver)) return {};
  for (const OptionRow<StepOptions>& row : rows) {
    if (std::string fault = fault_of(row.info, row.value(options)); !fault.empty()) return fault;
  }
  return {};
}

std::string fault_of_solver_rows(const SolverOptions& own, std::string_view solver) {
  if (own.time_limit != std::numeric_limits<double>::infinity()) {
    return fmt::format(
        "solver_options.time_limit is {} s, but a step must not depend on the clock; leave it "
        "infinite and set work_limit or max_iterations",
        own.time_limit);
  }
  const std::string_view fault = fault_of(own, solver);
  if (fault.empty()) return {};
  const SolverOption* wrong = option_out_of_range(own, solver);
  return fmt::format("solver_options.{}",
                     wrong != nullptr ? fault_of(wrong->info, wrong->value(own)) : fault);
}

}  // namespace

const OptionInfo& StepOption::info() const {
  return std::visit([](const auto* row) -> const OptionInfo& { return row->info; }, row_);
}

OptionValue StepOption::value(const StepOptions& options) const {
  if (of_solver()) return std::get<1>(row_)->value(options.solver_options);
  return std::get<0>(row_)->value(options);
}

void StepOption::set(StepOptions& options, const OptionValue& value) const {
  if (of_solver()) return std::get<1>(row_)->set(options.solver_options, value);
  std::get<0>(row_)->set(options, value);
}

std::string StepOption::read(StepOptions& options, std::string_view text) const {
  OptionValue result = value(options);
  std::string fault = read_value(info(), text, result);
  if (fault.empty()) set(options, result);
  return fault;
}

std::span<const StepOption> step_option_table() {
  static const std::vector<StepOption> table = [] {
    std::vector<StepOption> result;
    for (const OptionRow<StepOptions>& row : rows) result.emplace_back(&row);
    for (const SolverOption& row : solver_option_table()) result.emplace_back(&row);
    return result;
  }();
  return table;
}

const StepOption* find_step_option(std::string_view name) {
  const auto table = step_option_table();
  const auto found =
      std::ranges::find(table, name, [](const StepOption& option) { return option.info().name; });
  return found == table.end() ? nullptr : &*found;
}

std::vector<std::string> different_options(const StepOptions& options, const StepOptions& others) {
  std::vector<std::string> result;
  for (const StepOption& option : step_option_table()) {
    const OptionValue value = option.value(options);
    if (!option.info().shapes_motion || value == option.value(others)) continue;
    result.push_back(fmt::format("{} {}", option.info().name, to_text(value)));
  }
  return result;
}

std::string RightOptions::fault_of_next(const StepOptions& options) {
  if (std::string fault = fault_of_step_rows(options); !fault.empty()) return fault;
  // Bytes between the members may differ where the members do not: then all are looked at again.
  const bool known = std::memcmp(bytes_.data(), &options.solver_options, bytes_.size()) == 0;
  if (known && solver_ == options.solver) return {};
  std::string fault = fault_of_solver_rows(options.solver_options, options.solver);
  if (fault.empty()) {
    std::memcpy(bytes_.data(), &options.solver_options, bytes_.size());
    solver_ = options.solver;
  }
  return fault;
}

std::string fault_of(const StepOptions& options) {
  if (std::string fault = fault_of_step_rows(options); !fault.empty()) return fault;
  return fault_of_solver_rows(options.solver_options, options.solver);
}

}  // namespace stiction
