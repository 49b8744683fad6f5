// Impacts of an island in the order of their times. In each pass those contacts meet that nobody
// else on their trees comes before; the solver brings them to ε times the velocity with which they
// met, and all contacts of the island learn the new velocities. Each pass conserves what the law of
// restitution conserves, so no bounce is lost to another one in the same step.
//
// Notation: gap(t) = gap + v t + ½ a t² + Σ Δv_e (t − t_e) = gap + (v + gained) t + ½ a t² − lag,
// along the normal that the contact had at the start of the step.

#include "stiction/rigid/impacts.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

constexpr int most_passes = 60;
/// Restitution is weakened this number of times, the last time to nothing, before a gain of energy
/// is accepted.
constexpr int bounce_attempts = 5;
/// Contacts this close [m] when others on their trees meet are touched as well.
constexpr double touching = 1e-9;

class Impacts {
 public:
  Impacts(const IslandInput& input, const IslandView& view, IslandWorker& worker,
          StepSolution& solution)
      : input_(input),
        blocks_(view.blocks),
        worker_(worker),
        solution_(solution),
        contacts_(worker.impacts.contacts),
        h_(input.settings.time_step),
        threshold_(input.settings.bounce_speed) {
    start();
  }

  SolverReport run() {
    for (int pass = 0; pass < most_passes && find_next(); ++pass) meet(false);
    if (find_next()) meet(true);
    worker_.impulses = worker_.impacts.total;
    report_.status = status_;
    return report_;
  }

  [[nodiscard]] double work() const { return work_; }

 private:
  [[nodiscard]] const Candidate& candidate(std::size_t i) const {
    return input_.set.contact(blocks_[i]);
  }
  [[nodiscard]] const ContactVelocity& velocity(std::size_t i) const {
    return input_.velocities.contacts[index(blocks_[i])];
  }

  [[nodiscard]] double acceleration(std::size_t i) const {
    return (velocity(i).free.z - velocity(i).before.z) / h_;
  }
  [[nodiscard]] Vector3<double> velocity_at(std::size_t i, double t) const {
    const ContactVelocity& v = velocity(i);
    return multiply_add(t / h_, v.free - v.before, v.before) + contacts_[i].gained;
  }
  [[nodiscard]] double gap_at(std::size_t i, double t) const {
    return candidate(i).gap + (velocity(i).before.z + contacts_[i].gained.z) * t +
           0.5 * acceleration(i) * t * t - contacts_[i].lag;
  }

  void start() {
    const std::size_t rows = worker_.impulses.size();
    contacts_.assign(blocks_.size(), Impact{});
    worker_.impacts.total.assign(rows, 0.0);
    worker_.impacts.time_weighted.assign(rows, 0.0);
    worker_.impacts.change.resize(rows);
    for (const int block : blocks_) solution_.restitution[index(block)] = 0.0;
  }

  /// When a contact meets next, at the earliest when it was last changed; h: not in this step.
  [[nodiscard]] double meeting_time(std::size_t i) const {
    const double from = contacts_[i].changed;
    const double a = acceleration(i);
    const double gap = gap_at(i, from);
    const double v = velocity_at(i, from).z;
    if (gap <= 0.0) return v < -least_speed(contacts_[i]) ? from : h_;
    const double root = v * v - 2.0 * a * gap;
    if (root <= 0.0) return h_;
    const double divisor = std::sqrt(root) - v;
    return divisor > 0.0 ? std::min(from + 2.0 * gap / divisor, h_) : h_;
  }
  /// Contacts that have been held need not be held again for rounding.
  [[nodiscard]] double least_speed(const Impact& impact) const {
    return impact.held ? threshold_ : 0.0;
  }

  [[nodiscard]] double first_time(int tree) const {
    return tree >= 0 ? worker_.impacts.first_times[index(tree)] : h_;
  }

  /// Chooses the contacts of the next pass; false if there are none.
  bool find_next() {
    std::vector<double>& first = worker_.impacts.first_times;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Candidate& c = candidate(i);
      if (c.tree_a >= 0) first[index(c.tree_a)] = h_;
      if (c.tree_b >= 0) first[index(c.tree_b)] = h_;
    }
    bool any = false;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Candidate& c = candidate(i);
      const double time = contacts_[i].time = meeting_time(i);
      any |= time < h_;
      if (c.tree_a >= 0) first[index(c.tree_a)] = std::min(first[index(c.tree_a)], time);
      if (c.tree_b >= 0) first[index(c.tree_b)] = std::min(first[index(c.tree_b)], time);
    }
    if (!any) return false;
    for (std::size_t i = 0; i < contacts_.size(); ++i) choose(i);
    return true;
  }

  /// A contact meets if no other on its trees comes before it. It is touched if it is closed when
  /// they meet. One that opens then, because it has just bounced, is not: to hold it as well would
  /// bring energy in. If they push it together again, it meets in the next pass.
  void choose(std::size_t i) {
    const Candidate& c = candidate(i);
    Impact& impact = contacts_[i];
    const double earliest = std::min(first_time(c.tree_a), first_time(c.tree_b));
    const double same_time = 1e-9 * h_;
    impact.meets = impact.time < h_ && impact.time <= earliest + same_time;
    impact.touched = false;
    if (impact.meets || earliest >= h_) return;
    impact.touched = gap_at(i, earliest) <= touching && velocity_at(i, earliest).z <= threshold_;
    if (impact.touched) impact.time = earliest;
  }

  /// Velocities at the meeting and what is asked of them; `scale` weakens restitution.
  void set_problem(double scale, bool dead) {
    ContactProblem::VectorMap free = worker_.problem.edit_free_velocity();
    ContactProblem::VectorMap target = worker_.problem.edit_target();
    double fastest = 1e-3;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Vector3<double> v = velocity_at(i, std::min(contacts_[i].time, h_));
      const Eigen::Index row = static_cast<Eigen::Index>(3 * i);
      free[row] = v.x;
      free[row + 1] = v.y;
      free[row + 2] = v.z;
      fastest = std::max(fastest, std::abs(v.z));
    }
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Eigen::Index row = static_cast<Eigen::Index>(3 * i + 2);
      target[row] = target_of(i, free[row], scale, dead);
      if (!contacts_[i].meets && !contacts_[i].touched) target[row] = free[row] - 10.0 * fastest;
    }
    worker_.problem.prepare();
  }

  double target_of(std::size_t i, double v, double scale, bool dead) {
    const ContactMaterial& material = candidate(i).material;
    Impact& impact = contacts_[i];
    const double least = std::max(threshold_, material.restitution_threshold);
    impact.restitution = !dead && impact.meets && v < -least ? scale * material.restitution : 0.0;
    if (impact.restitution > 0.0) return -impact.restitution * v;
    // Held for the rest of the step.
    return std::max(0.0, -acceleration(i) * (h_ - impact.time));
  }

  void meet(bool dead) {
    double scale = 1.0;
    for (int i = 1; i <= bounce_attempts; ++i) {
      set_problem(scale, dead);
      std::ranges::fill(worker_.impulses, 0.0);
      const SolverReport report =
          worker_.solver->solve(worker_.problem, input_.settings.solver_options, worker_.impulses);
      const bool gains = report.certificate.work > noise_of(report);
      if (!gains || i == bounce_attempts) {
        take(report);
        break;
      }
      scale = i + 1 == bounce_attempts ? 0.0 : 0.7 * scale;
    }
    apply();
  }

  /// Energy that rounding and the solver's tolerance may feign [J].
  [[nodiscard]] double noise_of(const SolverReport& report) const {
    const Scales& scales = report.certificate.scales;
    return std::max(1e-12, 10.0 * report.certificate.residual()) * scales.velocity *
           scales.impulse * static_cast<double>(contacts_.size());
  }

  void take(const SolverReport& report) {
    const int iterations = report_.iterations + report.iterations;
    const bool worse = !any_ || report.certificate.residual() > report_.certificate.residual();
    if (worse) report_ = report;
    if (!any_ || (!report.certified() && status_ == SolverStatus::certified)) {
      status_ = report.status;
    }
    report_.iterations = iterations;
    work_ += report.certificate.work;
    any_ = true;
  }

  /// All contacts get the velocities that the impulses have changed.
  void apply() {
    ImpactScratch& scratch = worker_.impacts;
    worker_.problem.multiply(worker_.impulses, scratch.change);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      Impact& impact = contacts_[i];
      const double left = 1.0 - std::min(impact.time, h_) / h_;
      for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) {
        scratch.total[k] += worker_.impulses[k];
        scratch.time_weighted[k] += left * worker_.impulses[k];
      }
      if (impact.meets && impact.restitution > 0.0) {
        solution_.restitution[index(blocks_[i])] = impact.restitution;
      }
      if (impact.meets || impact.touched) impact.held = impact.restitution == 0.0;
      const Vector3<double> change{scratch.change[3 * i], scratch.change[3 * i + 1],
                                   scratch.change[3 * i + 2]};
      if (dot(change, change) == 0.0) continue;
      add_change(i, change);
    }
  }

  /// Where both bodies were changed at different times, the earlier one counts for the gap: it then
  /// closes too early rather than too late.
  void add_change(std::size_t i, const Vector3<double>& change) {
    const double a = first_time(candidate(i).tree_a);
    const double b = first_time(candidate(i).tree_b);
    const double early = std::min(a, b);
    const double late = std::max(a < h_ ? a : 0.0, b < h_ ? b : 0.0);
    Impact& impact = contacts_[i];
    impact.gained += change;
    impact.lag += change.z * early;
    impact.changed = std::max({impact.changed, early, late});
  }

  const IslandInput& input_;
  std::span<const int> blocks_;
  IslandWorker& worker_;
  StepSolution& solution_;
  std::vector<Impact>& contacts_;
  double h_;
  double threshold_;  ///< approach below which nothing bounces [m/s]
  double work_ = 0.0;
  SolverReport report_;
  SolverStatus status_ = SolverStatus::certified;
  bool any_ = false;
};

}  // namespace

SolverReport solve_impacts(const IslandInput& input, const IslandView& view, IslandWorker& worker,
                           StepSolution& solution, double& work) {
  Impacts impacts(input, view, worker, solution);
  SolverReport report = impacts.run();
  work = impacts.work();
  return report;
}

}  // namespace stiction
