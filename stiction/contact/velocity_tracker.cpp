#include "stiction/contact/velocity_tracker.hpp"

#include <algorithm>

namespace stiction {

namespace {
using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using BodyVector = Eigen::Map<Eigen::Matrix<double, 6, 1>>;
using ConstBodyVector = Eigen::Map<const Eigen::Matrix<double, 6, 1>>;
}  // namespace

void VelocityTracker::start(const ContactProblem& problem, std::span<const double> impulse) {
  problem_ = &problem;
  if (problem.storage() == DelassusStorage::dense) {
    velocity_.resize(static_cast<std::size_t>(problem.row_count()));
    problem.multiply(impulse, velocity_);
    Eigen::Map<Eigen::VectorXd>(velocity_.data(), problem.row_count()) +=
        problem.shifted_velocity();
    return;
  }
  body_velocity_.assign(6 * static_cast<std::size_t>(problem.body_count()), 0.0);
  for (int i = 0; i < problem.block_count(); ++i) {
    apply(i, impulse.data() + problem.blocks()[static_cast<std::size_t>(i)].row);
  }
}

void VelocityTracker::read(int block, double* velocity) const {
  const Block& b = problem_->blocks()[static_cast<std::size_t>(block)];
  if (problem_->storage() == DelassusStorage::dense) {
    std::copy_n(velocity_.data() + b.row, b.rows, velocity);
    return;
  }
  std::copy_n(problem_->shifted_velocity().data() + b.row, b.rows, velocity);
  for (const ContactProblem::Coupling& coupling : problem_->couplings(block)) {
    if (coupling.body < 0) continue;
    Eigen::Map<Eigen::VectorXd>(velocity, b.rows).noalias() +=
        coupling.jacobian *
        ConstBodyVector(&body_velocity_[6 * static_cast<std::size_t>(coupling.body)]);
  }
}

void VelocityTracker::apply(int block, const double* change) {
  const Block& b = problem_->blocks()[static_cast<std::size_t>(block)];
  if (problem_->storage() == DelassusStorage::dense) {
    Eigen::Map<Eigen::VectorXd>(velocity_.data(), problem_->row_count()).noalias() +=
        problem_->delassus().middleCols(b.row, b.rows) * ConstVector(change, b.rows);
    return;
  }
  for (const ContactProblem::Coupling& coupling : problem_->couplings(block)) {
    if (coupling.body < 0) continue;
    BodyVector(&body_velocity_[6 * static_cast<std::size_t>(coupling.body)]).noalias() +=
        coupling.response.transpose() * ConstVector(change, b.rows);
  }
}

void VelocityTracker::read_all(std::span<double> velocity) const {
  if (problem_->storage() == DelassusStorage::dense) {
    std::ranges::copy(velocity_, velocity.begin());
    return;
  }
  for (int i = 0; i < problem_->block_count(); ++i) {
    read(i, velocity.data() + problem_->blocks()[static_cast<std::size_t>(i)].row);
  }
}

}  // namespace stiction
