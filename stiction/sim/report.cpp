#include "stiction/sim/report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "stiction/collision/collider.hpp"
#include "stiction/contact/unexamined.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Each field the worse of both; scales and the block are those of the larger residual.
void worsen(Certificate& worst, const Certificate& other) {
  if (other.residual() > worst.residual() || worst.worst_block < 0) {
    worst.scales = other.scales;
    worst.worst_block = other.worst_block;
  }
  worst.signorini = std::max(worst.signorini, other.signorini);
  worst.cone = std::max(worst.cone, other.cone);
  worst.dissipation = std::max(worst.dissipation, other.dissipation);
  worst.penetration_rate = std::max(worst.penetration_rate, other.penetration_rate);
  worst.closing = std::max(worst.closing, other.closing);
  worst.law_residual = std::max(worst.law_residual, other.law_residual);
  worst.natural_residual = std::max(worst.natural_residual, other.natural_residual);
  worst.work += other.work;
}

void report_contacts(const ContactSet& set, const IslandSet& islands, const StepSolution& solution,
                     StepReport& report) {
  const std::size_t count = set.contacts.size();
  report.contacts.resize(count);
  const bool bounces = !solution.restitution.empty();
  const double* impulse = solution.impulses.data();
  const double* velocity = solution.velocities.data();
  for (std::size_t i = 0; i < count; ++i, impulse += 3, velocity += 3) {
    const Candidate& candidate = set.contacts[i];
    StepContact& contact = report.contacts[i];
    contact.shape_a = candidate.shape_a;
    contact.shape_b = candidate.shape_b;
    contact.body_a = candidate.contact.body_a;
    contact.body_b = candidate.contact.body_b;
    const int tree = candidate.tree_a >= 0 ? candidate.tree_a : candidate.tree_b;
    contact.island = islands.of_tree(tree);
    contact.feature = candidate.feature;
    contact.gap = candidate.gap;
    contact.friction = candidate.material.friction;
    contact.spin_friction = candidate.material.spin_friction;
    contact.roll_friction = candidate.material.roll_friction;
    contact.restitution = bounces ? solution.restitution[i] : 0.0;
    contact.point = candidate.contact.point;
    contact.axes = candidate.contact.axes;
    contact.impulse = {impulse[0], impulse[1], impulse[2]};
    contact.velocity = {velocity[0], velocity[1], velocity[2]};
    contact.moment = {};
    contact.mode = solution.modes[i];
    report.deepest_overlap = std::max(report.deepest_overlap, -candidate.gap);
  }
}

void report_constraints(const ContactSet& set, const IslandSet& islands,
                        const StepSolution& solution, StepReport& report) {
  report.constraints.resize(set.constraints.size());
  const double* impulse = solution.impulses.data() + 3 * set.contacts.size();
  for (std::size_t i = 0; i < set.constraints.size(); ++i, impulse += 6) {
    const Constraint& constraint = set.constraints[i];
    StepConstraint& entry = report.constraints[i];
    entry.kind = constraint.kind;
    entry.index = constraint.index;
    entry.tendon = constraint.tendon;
    const int tree = constraint.tree_a >= 0 ? constraint.tree_a : constraint.tree_b;
    entry.island = islands.of_tree(tree);
    entry.rows = constraint.rows;
    std::copy_n(impulse, 6, entry.impulse.begin());
    if (!constraint.is_turn()) continue;
    Vector3<double>& moment = report.contacts[index(constraint.index)].moment;
    if (constraint.kind == BlockKind::spin) {
      moment.z = impulse[0];
    } else {
      moment.x = impulse[0];
      moment.y = impulse[1];
    }
  }
}

/// Only where there are no new ones to write over them: clearing costs as much as filling.
void forget_contacts(StepReport& report) {
  report.contacts.clear();
  report.springs.clear();
  report.constraints.clear();
}

}  // namespace

void start_report(StepReport& report) {
  report.status = StepStatus::ok;
  report.solver_status = SolverStatus::certified;
  report.certificate = {};
  report.islands = 0;
  report.uncertified = 0;
  report.iterations = 0;
  report.deepest_overlap = 0.0;
  report.energy_gain = 0.0;
  report.springs.clear();
  report.balance = {};
  report.timings = {};
  report.message.clear();
}

void refuse(std::string fault, StepReport& report) {
  forget_contacts(report);
  report.status = StepStatus::refused;
  report.solver_status = SolverStatus::invalid_problem;
  report.certificate = unexamined();
  report.message = std::move(fault);
}

std::string too_many_contacts() {
  return fmt::format(
      "more than {} contacts, or more than {} pairs of shapes near each other: shapes lie in one "
      "another; move them apart, or keep them from touching by contype, conaffinity or exclude",
      max_collision_points, max_near_pairs);
}

void give_up(StepReport& report) {
  forget_contacts(report);
  report.status = StepStatus::diverged;
  report.solver_status = SolverStatus::breakdown;
  report.certificate = unexamined();
  report.message =
      "numbers overflowed, and the state was left as it was; take a shorter time step, weaker "
      "gains or smaller forces";
}

void report_energy(double gain, bool explosive, StepReport& report) {
  report.energy_gain += gain;
  if (!explosive) return;
  report.status = StepStatus::energy_grew;
  report.message.clear();
  fmt::format_to(std::back_inserter(report.message),
                 "energy grew by {:.3g} J without input; use a shorter time step or the integrator "
                 "`trapezoid`",
                 report.energy_gain);
}

void count_iterations(const IslandSet& islands, const StepSolution& solution, StepReport& report) {
  for (int i = 0; i < islands.count(); ++i) {
    report.iterations += solution.islands[index(i)].iterations;
  }
}

void fill_report(const ContactSet& set, const IslandSet& islands, const StepSolution& solution,
                 StepReport& report) {
  for (int i = 0; i < islands.count(); ++i) {
    const IslandResult& island = solution.islands[index(i)];
    if (island.status != SolverStatus::unsupported) continue;
    refuse(island.message, report);
    report.solver_status = SolverStatus::unsupported;
    return;
  }
  report.islands = islands.count();
  double worst = -1.0;
  int culprit = -1;
  for (int i = 0; i < islands.count(); ++i) {
    const IslandResult& island = solution.islands[index(i)];
    worsen(report.certificate, island.certificate);
    report.iterations += island.iterations;
    if (island.energy_bound > 0.0) report.energy_gain += std::max(0.0, island.energy_gain);
    if (island.status == SolverStatus::certified) continue;
    ++report.uncertified;
    if (island.certificate.residual() <= worst) continue;
    worst = island.certificate.residual();
    culprit = i;
  }
  report_contacts(set, islands, solution, report);
  report_constraints(set, islands, solution, report);
  if (culprit < 0) return;
  const IslandResult& island = solution.islands[index(culprit)];
  report.status = StepStatus::not_certified;
  report.solver_status = island.status;
  // Into the string as it is: its memory stays from step to step.
  fmt::format_to(std::back_inserter(report.message),
                 "{} of {} islands not certified; the worst ({} blocks, residual {:.1e}): {}",
                 report.uncertified, report.islands, islands.view(culprit).blocks.size(), worst,
                 island.message);
}

}  // namespace stiction
