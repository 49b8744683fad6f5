// Impacts of an island in the order of their times. In each pass those contacts meet that nobody
// else on their trees comes before; the solver brings them to ε times the velocity with which they
// met, and all contacts of the island learn the new velocities. Each pass conserves what the law of
// restitution conserves, so no bounce is lost to another one in the same step.
//
// Notation: gap(t) = gap + v t + ½ a t² + Σ Δv_e (t − t_e) = gap + (v + gained) t + ½ a t² − lag,
// along the normal that the contact had at the start of the step.

#include "stiction/sim/impacts.hpp"

#include <algorithm>
#include <cmath>

namespace stiction {

namespace {

constexpr int most_passes = 60;
/// Restitution is weakened so many times, the last time to nothing, before energy is let go.
constexpr int bounce_attempts = 5;
/// Contacts this close [m] when others on their trees meet are touched as well.
constexpr double touching = 1e-9;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

class Impacts {
 public:
  Impacts(const StepOptions& options, Workspace::Memory& memory, Island& island,
          IslandWorker& worker)
      : options_(options),
        memory_(memory),
        island_(island),
        worker_(worker),
        contacts_(worker.impacts),
        h_(memory.h),
        threshold_(options.restitution_threshold * memory.model.gravity().norm() * memory.h) {
    start();
  }

  SolverReport run() {
    for (int pass = 0; pass < most_passes && find_next(); ++pass) meet(false);
    if (find_next()) meet(true);
    worker_.impulses = worker_.total;
    report_.status = status_;
    return report_;
  }

 private:
  using Impact = IslandWorker::Impact;

  Candidate& candidate(std::size_t i) {
    return memory_.candidates[index(memory_.island_blocks[index(island_.block_first) + i])];
  }
  static double acceleration(const Candidate& c, double h) { return (c.free.z - c.before.z) / h; }

  Vector3<double> velocity_at(const Candidate& c, const Impact& impact, double t) const {
    return multiply_add(t / h_, c.free - c.before, c.before) + impact.gained;
  }
  double gap_at(const Candidate& c, const Impact& impact, double t) const {
    return c.gap + (c.before.z + impact.gained.z) * t + 0.5 * acceleration(c, h_) * t * t -
           impact.lag;
  }

  void start() {
    const std::size_t rows = worker_.impulses.size();
    contacts_.assign(index(island_.block_count), Impact{});
    worker_.total.assign(rows, 0.0);
    worker_.start.assign(rows, 0.0);
    worker_.change.resize(rows);
    island_.impact_work = 0.0;
    for (std::size_t i = 0; i < contacts_.size(); ++i) candidate(i).restitution = 0.0;
  }

  /// When a contact meets next, at the earliest when it was last changed; h: not in this step.
  double meeting_time(const Candidate& c, const Impact& impact) const {
    const double from = impact.changed;
    const double a = acceleration(c, h_);
    const double gap = gap_at(c, impact, from);
    const double v = velocity_at(c, impact, from).z;
    if (gap <= 0.0) return v < -least_speed(impact) ? from : h_;
    const double root = v * v - 2.0 * a * gap;
    if (root <= 0.0) return h_;
    const double divisor = std::sqrt(root) - v;
    return divisor > 0.0 ? std::min(from + 2.0 * gap / divisor, h_) : h_;
  }
  /// Contacts that have been held need not be held again for rounding.
  [[nodiscard]] double least_speed(const Impact& impact) const {
    return impact.held ? threshold_ : 0.0;
  }

  /// Chooses the contacts of the next pass; false if there are none.
  bool find_next() {
    std::vector<double>& first = memory_.tree_times;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Candidate& c = candidate(i);
      if (c.tree_a >= 0) first[index(c.tree_a)] = h_;
      if (c.tree_b >= 0) first[index(c.tree_b)] = h_;
    }
    bool any = false;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Candidate& c = candidate(i);
      Impact& impact = contacts_[i];
      impact.time = meeting_time(c, impact);
      any |= impact.time < h_;
      if (c.tree_a >= 0) first[index(c.tree_a)] = std::min(first[index(c.tree_a)], impact.time);
      if (c.tree_b >= 0) first[index(c.tree_b)] = std::min(first[index(c.tree_b)], impact.time);
    }
    if (!any) return false;
    for (std::size_t i = 0; i < contacts_.size(); ++i) choose(candidate(i), contacts_[i]);
    return true;
  }

  /// A contact meets if nobody on its trees comes before it; it is touched if it is closed when
  /// they meet. One that opens then, for it has just bounced, is not: to hold it besides would
  /// bring energy in. If they push it together again, it meets in the next pass.
  void choose(const Candidate& c, Impact& impact) const {
    const auto first = [&](int tree) { return tree >= 0 ? memory_.tree_times[index(tree)] : h_; };
    const double earliest = std::min(first(c.tree_a), first(c.tree_b));
    const double same_time = 1e-9 * h_;
    impact.meets = impact.time < h_ && impact.time <= earliest + same_time;
    impact.touched = false;
    if (impact.meets || earliest >= h_) return;
    impact.touched =
        gap_at(c, impact, earliest) <= touching && velocity_at(c, impact, earliest).z <= threshold_;
    if (impact.touched) impact.time = earliest;
  }

  /// Velocities at the meeting and what is asked of them; `share` weakens restitution.
  void set_problem(double share, bool dead) {
    ContactProblem::VectorMap free = worker_.problem.edit_free_velocity();
    ContactProblem::VectorMap target = worker_.problem.edit_target();
    double fastest = 1e-3;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Impact& impact = contacts_[i];
      const Vector3<double> v = velocity_at(candidate(i), impact, std::min(impact.time, h_));
      const Eigen::Index row = static_cast<Eigen::Index>(3 * i);
      free[row] = v.x;
      free[row + 1] = v.y;
      free[row + 2] = v.z;
      fastest = std::max(fastest, std::abs(v.z));
    }
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Eigen::Index row = static_cast<Eigen::Index>(3 * i + 2);
      target[row] = target_of(candidate(i), contacts_[i], free[row], share, dead);
      if (!contacts_[i].meets && !contacts_[i].touched) target[row] = free[row] - 10.0 * fastest;
    }
    worker_.problem.prepare();
  }

  double target_of(const Candidate& c, Impact& impact, double v, double share, bool dead) const {
    const ContactMaterial material = memory_.material(c.shape_a, c.shape_b);
    const double least = std::max(threshold_, material.restitution_threshold);
    impact.restitution = !dead && impact.meets && v < -least ? share * material.restitution : 0.0;
    if (impact.restitution > 0.0) return -impact.restitution * v;
    // Held for the rest of the step.
    return std::max(0.0, -acceleration(c, h_) * (h_ - impact.time));
  }

  void meet(bool dead) {
    double share = 1.0;
    for (int i = 1; i <= bounce_attempts; ++i) {
      set_problem(share, dead);
      std::ranges::fill(worker_.impulses, 0.0);
      const SolverReport report =
          worker_.solver->solve(worker_.problem, options_.solver_options, worker_.impulses);
      const bool gains = report.certificate.work > noise_of(report);
      if (!gains || i == bounce_attempts) {
        take(report);
        break;
      }
      share = i + 1 == bounce_attempts ? 0.0 : 0.7 * share;
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
    island_.impact_work += report.certificate.work;
    any_ = true;
  }

  /// All contacts learn what the impulses have changed.
  void apply() {
    worker_.problem.multiply(worker_.impulses, worker_.change);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      Candidate& c = candidate(i);
      Impact& impact = contacts_[i];
      const double left = 1.0 - std::min(impact.time, h_) / h_;
      for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) {
        worker_.total[k] += worker_.impulses[k];
        worker_.start[k] += left * worker_.impulses[k];
      }
      if (impact.meets && impact.restitution > 0.0) c.restitution = impact.restitution;
      if (impact.meets || impact.touched) impact.held = impact.restitution == 0.0;
      const Vector3<double> change{worker_.change[3 * i], worker_.change[3 * i + 1],
                                   worker_.change[3 * i + 2]};
      if (dot(change, change) == 0.0) continue;
      learn(c, impact, change);
    }
  }

  /// Where both bodies were changed at different times, the earlier one counts for the gap: it then
  /// closes too early rather than too late.
  void learn(const Candidate& c, Impact& impact, const Vector3<double>& change) {
    const auto first = [&](int tree) { return tree >= 0 ? memory_.tree_times[index(tree)] : h_; };
    const double a = first(c.tree_a);
    const double b = first(c.tree_b);
    const double early = std::min(a, b);
    const double late = std::max(a < h_ ? a : 0.0, b < h_ ? b : 0.0);
    impact.gained += change;
    impact.lag += change.z * early;
    impact.changed = std::max({impact.changed, early, late});
  }

  const StepOptions& options_;
  Workspace::Memory& memory_;
  Island& island_;
  IslandWorker& worker_;
  std::vector<Impact>& contacts_;
  double h_;
  double threshold_;  ///< approach below which nothing bounces [m/s]
  SolverReport report_;
  SolverStatus status_ = SolverStatus::certified;
  bool any_ = false;
};

}  // namespace

SolverReport solve_impacts(const StepOptions& options, Workspace::Memory& memory, Island& island,
                           IslandWorker& worker) {
  return Impacts(options, memory, island, worker).run();
}

}  // namespace stiction
