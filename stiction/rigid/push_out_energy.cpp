#include "stiction/rigid/push_out_energy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Solves with weaker targets, the last one with none, before the impulses are weakened.
constexpr int weakening_attempts = 2;
/// Below this, neither gain nor rounding is worth to ask for the bound [J].
constexpr double harmless_rounding = 1e-9;

/// Energy that rounding and the solver's tolerance may feign [J].
double noise_of(const IslandInput& input, const IslandWorker& worker) {
  const Certificate& certificate = worker.report.certificate;
  const double tolerance = input.settings.solver_options.tolerance;
  return std::max(1e-12, 10.0 * std::min(certificate.residual(), tolerance)) *
         certificate.scales.velocity * certificate.scales.impulse *
         static_cast<double>(worker.problem.block_count());
}

/// Energy that rounding may bring in unseen: bodies that are wedged bear impulses of any size, and
/// what moves them is the difference of these [J].
double rounding_of(const ContactProblem& problem, std::span<const double> impulses) {
  double square = 0.0;
  for (const double impulse : impulses) square += impulse * impulse;
  return std::numeric_limits<double>::epsilon() * static_cast<double>(impulses.size()) *
         problem.largest_trace() * square;
}

bool bounces(const StepSolution& solution, const ContactSet& set, std::span<const int> blocks) {
  return !solution.restitution.empty() && std::ranges::any_of(blocks, [&](int block) {
    return set.is_contact(block) && solution.restitution[index(block)] > 0.0;
  });
}

/// Whether locks are to be closed: their errors are finite, and files start with them.
bool closes_locks(const ContactProblem& problem) {
  return std::ranges::any_of(problem.blocks(), [&](const Block& block) {
    return block.kind == BlockKind::lock &&
           !problem.target().segment(block.row, block.rows).isZero(0.0);
  });
}

/// Multiplies what opens contacts and limits and closes locks.
void weaken_targets(const IslandInput& input, std::span<const int> blocks, double factor,
                    ContactProblem& problem, StepSolution& solution) {
  ContactProblem::VectorMap target = problem.edit_target();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& rows = problem.blocks()[i];
    for (int row = rows.row; row < rows.row + rows.rows; ++row) {
      if (rows.kind == BlockKind::lock || target[row] > 0.0) target[row] *= factor;
    }
    if (input.set.is_contact(blocks[i])) {
      solution.normal_target[index(blocks[i])] = target[rows.row + 2];
    }
  }
  problem.prepare();
}

/// The largest fraction of the impulses that brings in no more than `bound`.
double harmless_fraction(const ContactProblem& problem, std::span<const double> impulses,
                         std::span<const double> w, double bound) {
  const ContactProblem::ConstVectorMap free = problem.free_velocity();
  const ContactProblem::ConstVectorMap target = problem.target();
  double linear = 0.0;     // λᵀ v*
  double quadratic = 0.0;  // λᵀ G λ
  for (std::size_t row = 0; row < impulses.size(); ++row) {
    const Eigen::Index r = static_cast<Eigen::Index>(row);
    linear += impulses[row] * free[r];
    quadratic += impulses[row] * (w[row] + target[r] - free[r]);
  }
  if (!(quadratic > 0.0) || !std::isfinite(quadratic)) return 0.0;
  const double root = std::sqrt(linear * linear + 2.0 * quadratic * bound);
  return std::clamp((root - linear) / quadratic, 0.0, 1.0);
}

}  // namespace

double energy_gain(const ContactProblem& problem, std::span<const double> impulses,
                   std::span<const double> w) {
  const double* free = problem.free_velocity().data();
  const double* target = problem.target().data();
  double twice = 0.0;
  for (std::size_t row = 0; row < w.size(); ++row) {
    twice += impulses[row] * (w[row] + target[row] + free[row]);
  }
  return 0.5 * twice;
}

double energy_at_speed(const SceneSnapshot& scene, std::span<const int> trees, double speed) {
  double mass = 0.0;
  for (const int i : trees) {
    const Tree& tree = scene.layout.trees[index(i)];
    for (int body = tree.root; body < tree.end; ++body) {
      mass += scene.model.constants()[index(body)].inertia.mass;
    }
  }
  return 0.5 * mass * speed * speed;
}

void bound_energy_gain(const IslandInput& input, const IslandView& view, IslandWorker& worker,
                       StepSolution& solution, IslandResult& result) {
  const SolverOptions& options = input.settings.solver_options;
  const auto velocities = [&] { return worker.solver->last_judge().velocity(); };
  double rounding = 0.0;
  const auto exceeds = [&](double bound) {
    if (velocities().size() != worker.impulses.size()) return false;  // refused by the solver
    result.energy_gain = energy_gain(worker.problem, worker.impulses, velocities());
    rounding = rounding_of(worker.problem, worker.impulses);
    return !(result.energy_gain <= bound + noise_of(input, worker)) || rounding > bound;
  };
  result.energy_gain = result.energy_bound = 0.0;
  if (!exceeds(harmless_rounding) || bounces(solution, input.set, view.blocks)) return;
  const RigidSettings& settings = input.settings;
  const double speed = closes_locks(worker.problem)
                           ? std::max(settings.velocity_push_speed, settings.push_out_speed)
                           : settings.velocity_push_speed;
  const double bound = result.energy_bound = energy_at_speed(input.scene, view.trees, speed);
  for (int i = 1; i <= weakening_attempts; ++i) {
    if (!exceeds(bound)) return;
    const double share = bound / std::max(result.energy_gain, rounding);
    const double factor = i < weakening_attempts ? 0.9 * std::sqrt(share) : 0.0;
    weaken_targets(input, view.blocks, factor, worker.problem, solution);
    std::ranges::fill(worker.impulses, 0.0);
    const int iterations = worker.report.iterations;
    worker.solver->attempt(worker.problem, options, worker.impulses, worker.report);
    worker.report.iterations += iterations;
    worker.solver->certify(worker.problem, options, worker.impulses, worker.report);
  }
  if (!exceeds(bound)) return;
  const double fraction =
      std::min(harmless_fraction(worker.problem, worker.impulses, velocities(), bound),
               rounding > bound ? std::sqrt(bound / rounding) : 1.0);
  for (double& impulse : worker.impulses) impulse *= fraction;
  worker.solver->certify(worker.problem, options, worker.impulses, worker.report);
  (void)exceeds(bound);
}

}  // namespace stiction
