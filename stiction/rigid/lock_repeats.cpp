#include "stiction/rigid/lock_repeats.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Squares of the sines below which a row repeats others, and is at right angles to all motion.
constexpr double repeated = 1e-4;
constexpr double immovable = 1e-6;
/// Velocities that move all rows by less than this fraction of the largest motion do not count.
constexpr double no_motion = 1e-9;

}  // namespace

/// What each velocity between a body and its root does along the rows of a lock.
void LockRepeats::add_motions(const LockScene& locks, const Constraint& lock, int body, double sign,
                              int first) {
  const Model& model = locks.scene.model;
  const DynamicsData<double>& data = locks.scene.dynamics;
  const Vector3<double> axes[3] = {lock.contact.axes.c0, lock.contact.axes.c1,
                                   lock.contact.axes.c2};
  for (int at = body; at >= 0; at = model.parent(at)) {
    const BodyConstants& constants = model.constants()[index(at)];
    const Vector3<double> arm = lock.contact.point - data.bodies[index(at)].position;
    for (int k = 0; k < constants.velocity_count; ++k) {
      const int velocity = constants.velocity_index + k;
      const Vector3<double> axis = data.dofs[index(velocity)].axis;
      const bool turns = model.degrees_of_freedom()[index(velocity)].angular;
      const Vector3<double> moves = turns ? cross(axis, arm) : axis;
      for (int r = 0; r < lock.rows; ++r) {
        const double motion = r < 3 ? dot(axes[r], moves) : turns ? dot(axes[r - 3], axis) : 0.0;
        jacobian_(first + r, velocity) += sign * motion;
      }
    }
  }
}

void LockRepeats::add_lock(const LockScene& locks, const Constraint& lock) {
  if (!lock.acts_on_joints()) {
    add_motions(locks, lock, lock.contact.body_a, -1.0, count_);
    add_motions(locks, lock, lock.contact.body_b, 1.0, count_);
  } else if (lock.reach != nullptr) {
    for (const MomentTerm& term : locks.set.terms_of(lock)) {
      jacobian_(count_, term.index) += term.coefficient;
    }
  } else {
    for (int k = 0; k < lock.direction.count; ++k) {
      jacobian_(count_, lock.direction.index[k]) += lock.direction.coefficient[k];
    }
  }
}

void LockRepeats::measure_by_largest_motion() {
  const auto rows = jacobian_.topRows(count_);
  const double largest = rows.cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < rows.cols(); ++k) {
    const double own = rows.col(k).cwiseAbs().maxCoeff();
    jacobian_.col(k).head(count_) *= own > no_motion * largest ? 1.0 / own : 0.0;
  }
}

std::span<const int> LockRepeats::find(const LockScene& locks) {
  found_.clear();
  row_.clear();
  triple_.clear();
  int row = 0;
  for (const int block : locks.blocks) {
    const int rows = locks.set.rows(block);
    const bool is_lock =
        !locks.set.is_contact(block) && locks.set.constraint(block).kind == BlockKind::lock;
    for (int r = 0; is_lock && r < rows; ++r) {
      triple_.push_back(static_cast<int>(row_.size()) - r % 3);
      row_.push_back(row + r);
    }
    row += rows;
  }
  count_ = 0;
  jacobian_.setZero(static_cast<Eigen::Index>(row_.size()), locks.scene.model.velocity_count());
  for (const int block : locks.blocks) {
    if (locks.set.is_contact(block) || locks.set.constraint(block).kind != BlockKind::lock)
      continue;
    add_lock(locks, locks.set.constraint(block));
    count_ += locks.set.rows(block);
  }
  if (count_ == 0) return found_;
  measure_by_largest_motion();

  squares_.resize(index(count_));
  for (int i = 0; i < count_; ++i) squares_[index(i)] = jacobian_.row(i).squaredNorm();
  kept_.clear();
  for (int i = 0; i < count_; ++i) {
    const int first = triple_[index(i)];
    double largest = 0.0;
    for (int k = first; k < count_ && triple_[index(k)] == first; ++k) {
      largest = std::max(largest, squares_[index(k)]);
    }
    auto own = jacobian_.row(i);
    for (const int k : kept_) own -= own.dot(jacobian_.row(k)) * jacobian_.row(k);
    const double rest = own.squaredNorm();
    if (squares_[index(i)] <= immovable * largest || rest <= repeated * squares_[index(i)]) {
      found_.push_back(row_[index(i)]);
    } else {
      own /= std::sqrt(rest);
      kept_.push_back(i);
    }
  }
  return found_;
}

}  // namespace stiction
