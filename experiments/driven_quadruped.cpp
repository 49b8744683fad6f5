#include "experiments/driven_quadruped.hpp"

#include <algorithm>
#include <cmath>

#include "bench/quadruped.hpp"
#include "stiction/contact/one_contact_solvers.hpp"
#include "stiction/core/random.hpp"

namespace stiction::experiments {

namespace {

/// The robot and one step of it.
class Drive {
 public:
  explicit Drive(const DriveOptions& options)
      : options_(options), robot_(4), feet_(feet_of(robot_)), random_(options.seed) {}

  void step(std::vector<SlipSample>& samples) {
    if (time_ >= options_.reset_time || robot_.base_height() < 0.2) reset();
    if (time_ >= next_reference_) choose_reference();
    robot_.advance_velocity(options_.step);
    find_contacts();
    if (!contacts_.empty()) resolve(samples);
    robot_.advance_position(options_.step);
    time_ += options_.step;
  }

 private:
  void reset() {
    robot_.stand();
    time_ = 0.0;
    next_reference_ = 0.0;
  }

  void choose_reference() {
    robot_.choose_reference(random_, options_.reference_deviation);
    next_reference_ = time_ + options_.reference_time;
  }

  /// Feet that would be below the ground after this step.
  void find_contacts() {
    contacts_.clear();
    velocity_.clear();
    for (const bench::Ball& foot : feet_) {
      const Eigen::Vector3d centre = robot_.centre_of(foot);
      ContactPoint<double> contact;
      contact.body_b = foot.body;
      contact.point = {centre.x(), centre.y(), centre.z() - foot.radius};
      Vector3<double> v = robot_.velocity_at(foot.body, contact.point);
      v.z += std::clamp(contact.point.z, -0.0005, 1.0) / options_.step;  // gap/h; pushed out gently
      if (v.z >= 0.0) continue;
      contacts_.push_back(contact);
      velocity_.push_back(v);
    }
  }

  /// Per-contact iteration under maximum dissipation, and what it does to v.
  void resolve(std::vector<SlipSample>& samples) {
    const std::size_t n = contacts_.size();
    matrix_.resize(9 * n * n);
    robot_.delassus(contacts_, matrix_);
    impulses_.assign(n, {});
    factors_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      factors_.push_back(factorize_contact(diagonal(i, n), options_.friction));
    }
    for (int sweep = 0; sweep < 100; ++sweep) {
      if (this->sweep(samples) < 1e-6) break;  // [N·s], as in [PCI]
    }
    robot_.apply_impulses(impulses_);
  }

  /// Returns the largest change of an impulse.
  double sweep(std::vector<SlipSample>& samples) {
    const OneContactSolver<SlipNewton<Law::max_dissipation>> solve{{1e-12}};
    const std::size_t n = contacts_.size();
    double change = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      Vector3<double> c = velocity_[i];
      for (std::size_t k = 0; k < n; ++k) {
        if (k != i) c += block_times(i, k, n, impulses_[k]);
      }
      const ContactAnswer<double> answer = solve(factors_[i], c, impulses_[i]);
      if (answer.mode == 2.0) samples.push_back({factors_[i], c});
      change = std::max(change, norm(answer.impulse - impulses_[i]));
      impulses_[i] = answer.impulse;
    }
    return change;
  }

  [[nodiscard]] double entry(std::size_t row, std::size_t column, std::size_t n) const {
    return matrix_[row * 3 * n + column];
  }
  [[nodiscard]] Symmetric3<double> diagonal(std::size_t i, std::size_t n) const {
    const std::size_t r = 3 * i;
    return {entry(r, r, n),         entry(r, r + 1, n),     entry(r, r + 2, n),
            entry(r + 1, r + 1, n), entry(r + 1, r + 2, n), entry(r + 2, r + 2, n)};
  }
  [[nodiscard]] Vector3<double> block_times(std::size_t i, std::size_t k, std::size_t n,
                                            const Vector3<double>& x) const {
    const auto row = [&](std::size_t r) {
      return entry(3 * i + r, 3 * k, n) * x.x + entry(3 * i + r, 3 * k + 1, n) * x.y +
             entry(3 * i + r, 3 * k + 2, n) * x.z;
    };
    return {row(0), row(1), row(2)};
  }

  DriveOptions options_;
  bench::Quadruped robot_;
  std::vector<bench::Ball> feet_;
  Random random_;
  std::vector<double> matrix_;  ///< G, row by row
  double time_ = 0.0, next_reference_ = 0.0;
  std::vector<ContactPoint<double>> contacts_;
  std::vector<Vector3<double>> velocity_;  ///< of the contacts, gap rule included
  std::vector<Vector3<double>> impulses_;
  std::vector<ContactFactor<double>> factors_;
};

}  // namespace

double SlipSample::eccentricity() const {
  return factor.friction * std::hypot(factor.slope.x, factor.slope.y);
}

std::vector<SlipSample> record_slip_problems(int count, const DriveOptions& options) {
  Drive drive(options);
  std::vector<SlipSample> samples;
  while (static_cast<int>(samples.size()) < count) drive.step(samples);
  samples.resize(static_cast<std::size_t>(count));
  return samples;
}

}  // namespace stiction::experiments
