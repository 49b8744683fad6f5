#include "stiction/contact/certificate.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/contact/block_laws.hpp"
#include "stiction/contact/certificate_lane.hpp"
#include "stiction/contact/friction_cone.hpp"
#include "stiction/contact/turn_laws.hpp"
#include "stiction/contact/unexamined.hpp"
#include "stiction/core/finite.hpp"

namespace stiction {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest_double = std::numeric_limits<double>::max();

/// Smallest velocity scale [m/s]: smaller differences are rounding errors.
constexpr double least_velocity = 1e-9;

/// Contacts slower than this, relative to the velocity scale, do not slip.
constexpr double least_slip = 1e-9;

Vector3<double> read3(const double* values) { return {values[0], values[1], values[2]}; }

/// NaN counts as zero.
double largest_magnitude(std::span<const double> values) {
  if (values.size() < lane_width) {
    double largest = 0.0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    return largest;
  }
  const double* value = values.data();
  const double* const end = value + values.size();
  // maximum(x, y) is y where x is NaN, so the maximum so far comes second.
  Lane largest(0.0);
  for (; end - value >= static_cast<std::ptrdiff_t>(lane_width); value += lane_width) {
    largest = maximum(abs(Lane::load_unaligned(value)), largest);
  }
  // The last lanes look at some numbers a second time, which does not change the maximum.
  largest = maximum(abs(Lane::load_unaligned(end - lane_width)), largest);
  double result = 0.0;
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    result = std::max(result, largest.get(slot));
  }
  return result;
}

/// Whether the impulse of a contact that hardly moves in one direction sticks, but for a velocity
/// that is nothing beside the largest impulse. Its exact answer would divide what rounding and the
/// tolerance of larger impulses leave by a mobility of nearly zero.
bool stops_but_for_rounding(const ContactFactor<double>& factor, double largest_impulse,
                            const Vector3<double>& lambda, const Vector3<double>& w) {
  const double least = factor.rounding * largest_impulse;
  return least > 0.0 && lambda.z > 0.0 && tangential_norm(lambda) <= factor.friction * lambda.z &&
         std::abs(w.x) <= least && std::abs(w.y) <= least && std::abs(w.z) <= least;
}

/// Adds the residuals of a block and remembers the worst block. NaN counts as infinite: a plain
/// comparison would ignore it.
void note(int block, double law, double natural, Certificate& certificate) {
  law = law <= largest_double ? law : infinity;
  natural = natural <= largest_double ? natural : infinity;
  if (std::max(law, natural) > certificate.residual()) certificate.worst_block = block;
  certificate.law_residual = std::max(certificate.law_residual, law);
  certificate.natural_residual = std::max(certificate.natural_residual, natural);
}

/// Number of consecutive contacts from a block on, at most four.
int contacts_from(std::span<const Block> blocks, int first) {
  const std::size_t end = std::min(blocks.size(), index(first) + 4);
  std::size_t i = index(first);
  while (i < end && has_cone(blocks[i])) ++i;
  return static_cast<int>(i) - first;
}

Certificate worst_certificate(const Scales& scales) {
  Certificate worst = unexamined(scales);
  worst.work = infinity;
  return worst;
}

}  // namespace

void Judge::open(const ContactProblem& problem) {
  problem_ = &problem;
  const std::size_t count = index(problem.block_count());
  factors_.resize(count);
  const bool has_locks = std::ranges::any_of(problem.blocks(), is_bilateral);
  if (has_locks || !lock_inverse_.empty()) lock_inverse_.resize(has_locks ? count : 0);
  skipped_.resize(count);
  skipped_count_ = 0;
  velocity_.resize(index(problem.row_count()));
  trial_velocity_.resize(velocity_.size());
  factorize();
  for (int i = 0; i < problem.block_count(); ++i) {
    const bool skipped = has_cone(problem.blocks()[index(i)]) ? factors_[index(i)].inverse_nn == 0.0
                                                              : is_immovable(i);
    skipped_[index(i)] = skipped ? 1 : 0;
    skipped_count_ += skipped_[index(i)];
  }
  const auto v = problem.free_velocity();
  velocity_scale_ = std::max(least_velocity, largest_magnitude({v.data(), index(v.size())}));
  remembers_ = false;
}

void Judge::factorize() {
  const std::span<const Block> blocks = problem_->blocks();
  for (int i = 0; i < problem_->block_count();) {
    const int count = judges_in_lanes ? contacts_from(blocks, i) : 0;
    if (count > 1) {
      factorize_in_lane(*problem_, i, count, factors_);
      i += count;
      continue;
    }
    if (has_cone(blocks[index(i)])) {
      factors_[index(i)] =
          factorize_contact(problem_->contact_matrix(i), blocks[index(i)].friction);
    } else if (is_bilateral(blocks[index(i)])) {
      invert_lock(i);
    }
    ++i;
  }
}

void Judge::invert_lock(int i) {
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  const int rows = problem_->blocks()[index(i)].rows;
  if (rows == 1) {
    const double mobility = problem_->diagonal_block(i)(0, 0);
    lock_inverse_[index(i)].setZero();
    lock_inverse_[index(i)](0, 0) = mobility > 0.0 ? 1.0 / mobility : 0.0;
    return;
  }
  // A pseudo-inverse, because the rows of a lock may be redundant.
  const Square G = problem_->diagonal_block(i).topLeftCorner(rows, rows);
  Eigen::CompleteOrthogonalDecomposition<Square> decomposition;
  decomposition.setThreshold(1e-12);
  decomposition.compute(G);
  lock_inverse_[index(i)].setZero();
  lock_inverse_[index(i)].topLeftCorner(rows, rows) = decomposition.pseudoInverse();
}

bool Judge::is_immovable(int i) const {
  if (!(problem_->diagonal_block(i).trace() > 0.0)) return true;
  const Block& block = problem_->blocks()[index(i)];
  if (!is_turn(block)) return false;
  for (int k = block.contact; k < block.contact + block.contacts; ++k) {
    if (!skips(k)) return false;
  }
  return true;  // its bound is zero
}

double Judge::largest_impulse(std::span<const double> impulse) const {
  if (skipped_count_ == 0 || impulse.empty()) return largest_magnitude(impulse);
  // Impulses of skipped blocks move nothing, so they must not enlarge the scale of the others.
  double largest = 0.0;
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    if (skips(i)) continue;
    largest =
        std::max(largest, largest_magnitude(impulse.subspan(index(block.row), index(block.rows))));
  }
  return largest;
}

Scales Judge::scales(std::span<const double> impulse) const {
  const double largest = largest_impulse(impulse);
  const double trace = problem_->largest_trace();
  const double by_velocity = trace > 0.0 ? velocity_scale_ / trace : 0.0;
  return {.velocity = velocity_scale_,
          .impulse = std::max({largest, by_velocity, std::numeric_limits<double>::min()})};
}

const Certificate& Judge::examine(Law law, std::span<const double> impulse) {
  if (remembers_ && law == last_law_ && std::ranges::equal(impulse, last_impulse_)) {
    return last_certificate_;
  }
  problem_->multiply(impulse, velocity_);
  const double* shifted = problem_->shifted_velocity().data();
  for (std::size_t row = 0; row < velocity_.size(); ++row) velocity_[row] += shifted[row];
  last_law_ = law;
  last_impulse_.assign(impulse.begin(), impulse.end());
  examine(law, impulse, velocity_, last_certificate_);
  remembers_ = true;
  return last_certificate_;
}

Certificate Judge::examine(Law law, std::span<const double> impulse,
                           std::span<const double> velocity) {
  Certificate certificate;
  examine(law, impulse, velocity, certificate);
  return certificate;
}

void Judge::examine(Law law, std::span<const double> impulse, std::span<const double> velocity,
                    Certificate& certificate) const {
  certificate = {};
  certificate.scales = scales(impulse);
  if (!all_finite(impulse) || !all_finite(velocity)) {
    certificate = worst_certificate(certificate.scales);
    return;
  }

  const bool in_lanes = judges_in_lanes && law == Law::coulomb && skipped_count_ == 0;
  for (int i = 0; i < problem_->block_count();) {
    const int count = in_lanes ? contacts_from(problem_->blocks(), i) : 0;
    if (count > 1 &&
        examine_in_lane(*problem_, factors_, i, count, impulse, velocity, certificate)) {
      i += count;
      continue;
    }
    for (const int end = i + std::max(count, 1); i < end; ++i) {
      examine_block(law, i, impulse, velocity, certificate);
    }
  }
}

bool Judge::certifies(Law law, std::span<const double> impulse, double tolerance) {
  if (!all_finite(impulse)) return false;
  // With bodies storage, velocities are computed block by block up to the first block that fails.
  const bool of_bodies = problem_->storage() == DelassusStorage::bodies;
  if (of_bodies) {
    problem_->move_bodies(impulse);
  } else {
    problem_->multiply(impulse, trial_velocity_);
  }
  const double* shifted = problem_->shifted_velocity().data();
  Certificate certificate;
  certificate.scales = scales(impulse);
  for (int i = 0; i < problem_->block_count(); ++i) {
    const Block& block = problem_->blocks()[index(i)];
    double* velocity = trial_velocity_.data() + block.row;
    if (of_bodies) problem_->read_velocity(i, velocity);
    for (int k = 0; k < block.rows; ++k) velocity[k] += shifted[block.row + k];
    if (!all_finite({velocity, index(block.rows)})) return false;
    examine_block(law, i, impulse, trial_velocity_, certificate);
    if (!certificate.certified(tolerance)) return false;
  }
  return true;
}

void Judge::examine_block(Law law, int i, std::span<const double> impulse,
                          std::span<const double> velocity, Certificate& certificate) const {
  const Block& block = problem_->blocks()[index(i)];
  const double* lambda = impulse.data() + block.row;
  const double* w = velocity.data() + block.row;
  if (skips(i)) {
    examine_skipped(i, lambda, w, certificate);
    return;
  }
  if (has_cone(block)) {
    examine_contact(law, i, lambda, w, certificate);
  } else if (is_bilateral(block)) {
    examine_lock(i, w, certificate);
  } else if (is_turn(block)) {
    examine_turn(i, impulse, w, certificate);
  } else {
    examine_row(i, *lambda, *w, certificate);
  }
}

void Judge::examine_contact(Law law, int i, const double* impulse, const double* velocity,
                            Certificate& certificate) const {
  const Block& block = problem_->blocks()[index(i)];
  const ContactFactor<double>& factor = factors_[index(i)];
  const Vector3<double> lambda = read3(impulse);
  const Vector3<double> w = read3(velocity);

  // Work is done by the velocities themselves, so targets are added back.
  const Vector3<double> target = read3(problem_->target().data() + block.row);
  const Vector3<double> free = read3(problem_->free_velocity().data() + block.row);
  certificate.work += 0.5 * dot(lambda, w + target + free);

  const Scales& scales = certificate.scales;
  const double mu = block.friction;
  const double by_impulse = 1.0 / scales.impulse;
  const double by_velocity = 1.0 / scales.velocity;
  const Vector3<double> l = by_impulse * lambda;
  const double w_n = by_velocity * w.z;
  const double slip = scales.velocity * tangential_norm(by_velocity * w);
  certificate.signorini = std::max(certificate.signorini, std::abs(std::min(l.z, w_n)));
  certificate.penetration_rate = std::max(certificate.penetration_rate, -w.z);
  certificate.closing = std::max(certificate.closing, -w_n);
  certificate.cone = std::max({certificate.cone, tangential_norm(l) - mu * l.z, -l.z});
  certificate.dissipation = std::max(
      certificate.dissipation, std::abs(mu * lambda.z * slip + lambda.x * w.x + lambda.y * w.y));

  Vector3<double> miss;
  if (!stops_but_for_rounding(factor, scales.impulse, lambda, w)) {
    const Vector3<double> alone = w - factor.W * lambda;
    const ContactAnswer<double> answer = exact_answer(law, factor, alone, lambda);
    miss = by_impulse * (lambda - answer.impulse);
  }
  double natural = 0.0;
  if (traits_of(law).has_natural_map) {
    const double rho = 3.0 / (factor.W.xx + factor.W.yy + factor.W.zz);
    Vector3<double> step = w;
    if (law == Law::coulomb) step.z = fma(mu, slip, step.z);
    step = (rho * by_impulse) * step;
    natural = norm(l - FrictionCone<double>{mu}.project(l - step));
  }
  note(i, norm(miss), natural, certificate);
}

void Judge::examine_row(int i, double lambda, double w, Certificate& certificate) const {
  const Block& block = problem_->blocks()[index(i)];
  const Scales& scales = certificate.scales;
  const double G = problem_->diagonal_block(i)(0, 0);
  const double answer = project_row(block, lambda - w / G);
  if (is_one_sided(block)) {
    certificate.signorini = std::max(
        certificate.signorini, std::abs(std::min(lambda / scales.impulse, w / scales.velocity)));
    certificate.penetration_rate = std::max(certificate.penetration_rate, -w);
    certificate.closing = std::max(certificate.closing, -w / scales.velocity);
  }
  certificate.cone = std::max(certificate.cone, row_excess(block, lambda) / scales.impulse);
  const double residual = std::abs(lambda - answer) / scales.impulse;
  note(i, residual, residual, certificate);
}

void Judge::examine_lock(int i, const double* velocity, Certificate& certificate) const {
  const int rows = problem_->blocks()[index(i)].rows;
  const Eigen::Map<const Eigen::VectorXd> w(velocity, rows);
  Eigen::Matrix<double, 6, 1> change = Eigen::Matrix<double, 6, 1>::Zero();
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < rows; ++column) {
      change[row] += lock_inverse_[index(i)](row, column) * w[column];
    }
  }
  const double residual = change.norm() / certificate.scales.impulse;
  // The residual does not contain velocities that this lock cannot change: examine them as well.
  note(i, residual, w.cwiseAbs().maxCoeff() / certificate.scales.velocity, certificate);
}

void Judge::examine_turn(int i, std::span<const double> impulse, const double* velocity,
                         Certificate& certificate) const {
  const Block& block = problem_->blocks()[index(i)];
  const ContactProblem::Matrix6& G = problem_->diagonal_block(i);
  const double by_impulse = 1.0 / certificate.scales.impulse;
  const double bound = turn_bound(*problem_, block, impulse);
  const TurnPair lambda = read_turn(block, impulse.data() + block.row);
  const TurnPair w = read_turn(block, velocity);
  const TurnPair target = read_turn(block, problem_->target().data() + block.row);
  const TurnPair free = read_turn(block, problem_->free_velocity().data() + block.row);
  certificate.work +=
      0.5 * (lambda.x * (w.x + target.x + free.x) + lambda.y * (w.y + target.y + free.y));
  certificate.cone = std::max(certificate.cone, by_impulse * (lambda.size() - bound));
  certificate.dissipation = std::max(certificate.dissipation,
                                     std::abs(bound * w.size() + lambda.x * w.x + lambda.y * w.y));
  // G(0, 1) and G(1, 1) of a spin are zero.
  const TurnPair alone{w.x - G(0, 0) * lambda.x - G(0, 1) * lambda.y,
                       w.y - G(0, 1) * lambda.x - G(1, 1) * lambda.y};
  const TurnPair answer = turn_answer(block, G, alone, bound);
  const double rho = block.rows / G.trace();
  const TurnPair projected = shorten({lambda.x - rho * w.x, lambda.y - rho * w.y}, bound);
  const auto miss = [&](const TurnPair& other) {
    return by_impulse * TurnPair{lambda.x - other.x, lambda.y - other.y}.size();
  };
  note(i, miss(answer), miss(projected), certificate);
}

void Judge::examine_skipped(int i, const double* impulse, const double* velocity,
                            Certificate& certificate) const {
  const Block& block = problem_->blocks()[index(i)];
  const double by_impulse = 1.0 / certificate.scales.impulse;
  const double residual = by_impulse * largest_magnitude({impulse, index(block.rows)});
  if (has_cone(block)) {
    const Vector3<double> l = by_impulse * read3(impulse);
    certificate.cone =
        std::max({certificate.cone, tangential_norm(l) - block.friction * l.z, -l.z});
  } else {
    for (int k = 0; k < block.rows; ++k) {
      certificate.cone = std::max(certificate.cone, by_impulse * row_excess(block, impulse[k]));
    }
  }
  if (is_one_sided(block)) {
    certificate.penetration_rate =
        std::max(certificate.penetration_rate, -velocity[block.rows - 1]);
  }
  double natural = 0.0;
  if (is_bilateral(block)) {
    natural = largest_magnitude({velocity, index(block.rows)}) / certificate.scales.velocity;
  }
  note(i, residual, natural, certificate);
}

ContactMode Judge::mode(int i, std::span<const double> impulse,
                        std::span<const double> velocity) const {
  const Block& block = problem_->blocks()[index(i)];
  if (is_turn(block)) {
    const double bound = turn_bound(*problem_, block, impulse);
    if (!(bound > 0.0)) return ContactMode::open;
    const double size = read_turn(block, impulse.data() + block.row).size();
    const double slip = read_turn(block, velocity.data() + block.row).size();
    const bool sticks = size < (1.0 - 1e-9) * bound || slip <= least_slip * velocity_scale_;
    return sticks ? ContactMode::stick : ContactMode::slip;
  }
  return mode_of(block, impulse.data() + block.row, velocity.data() + block.row,
                 least_slip * velocity_scale_);
}

}  // namespace stiction
