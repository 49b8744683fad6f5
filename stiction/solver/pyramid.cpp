#include "stiction/solver/pyramid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/contact/block_laws.hpp"

namespace stiction {

namespace {

/// Sides of the pyramid that stands for joint friction.
constexpr int sides_of_box = 2;

/// Smallest response of a row to impulses that is used for scaling, relative to the largest.
constexpr double least_response = 1e-12;

}  // namespace

int Pyramid::variable_count(const ContactProblem& problem, int sides) {
  int count = 0;
  for (const Block& block : problem.blocks()) {
    switch (impulse_set(block)) {
      case ImpulseSet::cone:
        count += block.friction > 0.0 ? sides + 2 : 1;
        break;
      case ImpulseSet::half_line:
        count += 1;
        break;
      case ImpulseSet::interval:
        count += sides_of_box + 1;
        break;
      case ImpulseSet::all:
        count += 2 * block.rows;
        break;
      case ImpulseSet::disc:  // refused by LcpSolver
        break;
    }
  }
  return count;
}

void Pyramid::assemble(const ContactProblem& problem, const Judge& judge, int sides,
                       LinearComplementarity& result) {
  problem_ = &problem;
  variables_.clear();
  groups_.clear();
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block& block = problem.blocks()[index(i)];
    switch (impulse_set(block)) {
      case ImpulseSet::cone:
        if (!judge.skips(i)) add_cone(i, block, sides);
        break;
      case ImpulseSet::half_line:
        if (!judge.skips(i)) add_half_line(i, block);
        break;
      case ImpulseSet::interval:
        if (!judge.skips(i)) add_interval(i, block);
        break;
      case ImpulseSet::all:
        add_bilateral(i, block);
        break;
      case ImpulseSet::disc:  // refused by LcpSolver
        break;
    }
  }
  read_delassus();
  result.resize(static_cast<int>(variables_.size()));
  fill_impulse_rows(result);
  fill_slack_rows(result);
}

// ---- variables ---------------------------------------------------------------------------------

void Pyramid::add_variable(int row, double first, double second, double response) {
  const double floor = least_response * problem_->largest_trace();
  const double scale = 1.0 / std::sqrt(std::max(response, floor));
  variables_.push_back({row, first, second, scale, scale});
}

/// `sides` directions in the plane of the rows `row` and `row` + 1; two sides are the two
/// directions of the row itself.
void Pyramid::add_sides(int row, double response, int sides) {
  for (int j = 0; j < sides; ++j) {
    const double angle = 2.0 * std::numbers::pi * j / sides;
    const double second = sides > sides_of_box ? std::sin(angle) : 0.0;
    add_variable(row, std::cos(angle), second, response);
  }
}

/// σ, scaled so that the largest entries of its row and its column are 1. `weight` is the entry of
/// its row for the normal impulse, in scaled variables.
void Pyramid::add_slack(double weight) {
  const double side = variables_.back().column_scale;
  variables_.push_back({.row_scale = 1.0 / std::max(weight, side), .column_scale = 1.0 / side});
}

void Pyramid::add_cone(int i, const Block& block, int sides) {
  const bool rough = block.friction > 0.0;
  const int first = static_cast<int>(variables_.size());
  groups_.push_back({.block = i, .first = first, .normal = 1, .sides = rough ? sides : 0});
  const auto& W = problem_->diagonal_block(i);
  add_variable(normal_row(block), 1.0, 0.0, W(2, 2));
  if (!rough) return;
  add_sides(block.row, std::max(W(0, 0), W(1, 1)), sides);
  add_slack(block.friction * variables_[index(first)].column_scale);
}

void Pyramid::add_half_line(int i, const Block& block) {
  const int first = static_cast<int>(variables_.size());
  groups_.push_back({.block = i, .first = first, .normal = 1, .sides = 0});
  add_variable(block.row, 1.0, 0.0, problem_->diagonal_block(i)(0, 0));
}

void Pyramid::add_interval(int i, const Block& block) {
  const int first = static_cast<int>(variables_.size());
  groups_.push_back({.block = i, .first = first, .normal = 0, .sides = sides_of_box});
  add_sides(block.row, problem_->diagonal_block(i)(0, 0), sides_of_box);
  add_slack(0.0);
}

void Pyramid::add_bilateral(int i, const Block& block) {
  groups_.push_back(
      {.block = i, .first = static_cast<int>(variables_.size()), .normal = 0, .sides = 0});
  for (int k = 0; k < block.rows; ++k) {
    const double response = problem_->diagonal_block(i)(k, k);
    add_variable(block.row + k, 1.0, 0.0, response);
    add_variable(block.row + k, -1.0, 0.0, response);
  }
}

// ---- numbers -----------------------------------------------------------------------------------

void Pyramid::read_delassus() {
  const int rows = problem_->row_count();
  delassus_.resize(index(rows) * index(rows));
  column_.assign(index(rows) + 1, 0.0);  // one more, so that row + 1 may always be read
  Eigen::Map<LinearComplementarity::Matrix> G(delassus_.data(), rows, rows);
  if (problem_->storage() == DelassusStorage::dense) {
    G = problem_->delassus();
    return;
  }
  for (int row = 0; row < rows; ++row) {
    column_[index(row)] = 1.0;
    problem_->multiply({column_.data(), index(rows)}, {delassus_.data() + row * rows, index(rows)});
    column_[index(row)] = 0.0;
  }
}

void Pyramid::fill_impulse_rows(LinearComplementarity& lcp) {
  const int rows = problem_->row_count();
  const Eigen::Map<const LinearComplementarity::Matrix> G(delassus_.data(), rows, rows);
  Eigen::Map<Eigen::VectorXd> response(column_.data(), rows);
  const auto velocity = problem_->shifted_velocity();
  scale_ = 0.0;
  for (int i = 0; i < lcp.size(); ++i) {
    const Variable& a = variables_[index(i)];
    if (a.row < 0) continue;
    const int next = std::min(a.row + 1, rows - 1);
    response = a.first * G.row(a.row).transpose() + a.second * G.row(next).transpose();
    for (int j = 0; j < lcp.size(); ++j) {
      const Variable& b = variables_[index(j)];
      if (b.row < 0) continue;
      const double* at = column_.data() + b.row;
      lcp.M()(i, j) = a.row_scale * b.column_scale * (b.first * at[0] + b.second * at[1]);
    }
    lcp.q()[i] = a.row_scale * (a.first * velocity[a.row] + a.second * velocity[next]);
    scale_ = std::max(scale_, std::abs(lcp.q()[i]));
  }
  if (!(scale_ > 0.0)) scale_ = 1.0;
  lcp.q() /= scale_;
}

void Pyramid::fill_slack_rows(LinearComplementarity& lcp) {
  for (const Group& group : groups_) {
    if (group.sides == 0) continue;
    const Block& block = problem_->blocks()[index(group.block)];
    const int slack = group.first + group.normal + group.sides;
    const Variable& sigma = variables_[index(slack)];
    for (int i = group.first + group.normal; i < slack; ++i) {
      lcp.M()(i, slack) = variables_[index(i)].row_scale * sigma.column_scale;
      lcp.M()(slack, i) = -sigma.row_scale * variables_[index(i)].column_scale;
    }
    if (group.normal == 1) {
      lcp.M()(slack, group.first) =
          sigma.row_scale * block.friction * variables_[index(group.first)].column_scale;
    } else {
      lcp.q()[slack] = sigma.row_scale * block.bound / scale_;
    }
  }
}

// ---- impulses ----------------------------------------------------------------------------------

void Pyramid::impulses(std::span<const double> z, std::span<double> impulses) const {
  std::ranges::fill(impulses, 0.0);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Variable& variable = variables_[i];
    if (variable.row < 0) continue;
    const double size = variable.column_scale * scale_ * z[i];
    impulses[index(variable.row)] += variable.first * size;
    if (variable.second != 0.0) impulses[index(variable.row) + 1] += variable.second * size;
  }
  for (const Group& group : groups_) {
    if (group.sides == 0) continue;
    const Block& block = problem_->blocks()[index(group.block)];
    double* impulse = &impulses[index(block.row)];
    if (has_cone(block)) {
      const double length = std::hypot(impulse[0], impulse[1]);
      const double scale = friction_scale(block, length, impulse[2]);
      impulse[0] *= scale;
      impulse[1] *= scale;
    } else if (const double length = std::abs(impulse[0]); length > block.bound) {
      impulse[0] *= block.bound / length;
    }
  }
}

void Pyramid::from_impulses(std::span<const double> impulses, std::span<double> z) {
  problem_->multiply(impulses, {column_.data(), impulses.size()});
  std::ranges::fill(z, 0.0);
  for (const Group& group : groups_) {
    const Block& block = problem_->blocks()[index(group.block)];
    if (is_bilateral(block)) {
      for (int k = 0; k < block.rows; ++k) {
        const double impulse = impulses[index(block.row + k)];
        set(group.first + 2 * k + (impulse < 0.0 ? 1 : 0), std::abs(impulse), z);
      }
      continue;
    }
    if (group.normal == 1) set(group.first, std::max(0.0, impulses[index(normal_row(block))]), z);
    if (group.sides > 0) sides_from_impulses(group, impulses, z);
  }
}

/// The two sides next to the friction impulse, and the σ that its velocity requires.
void Pyramid::sides_from_impulses(const Group& group, std::span<const double> impulses,
                                  std::span<double> z) const {
  const Block& block = problem_->blocks()[index(group.block)];
  const bool plane = has_cone(block);
  const double* impulse = &impulses[index(block.row)];
  const double width = 2.0 * std::numbers::pi / group.sides;
  const double y = plane ? impulse[1] : 0.0;
  const double length = std::hypot(impulse[0], y);
  const double turns = (std::atan2(y, impulse[0]) + 2.0 * std::numbers::pi) / width;
  const int side = static_cast<int>(turns);
  const double angle = (turns - side) * width;
  const int first = group.first + group.normal;
  const double by_sine = plane ? 1.0 / std::sin(width) : 1.0;
  set(first + side % group.sides, length * (plane ? by_sine * std::sin(width - angle) : 1.0), z);
  if (plane) set(first + (side + 1) % group.sides, length * by_sine * std::sin(angle), z);

  double slack = 0.0;
  for (int i = first; i < first + group.sides; ++i) {
    const Variable& variable = variables_[index(i)];
    const double* change = column_.data() + block.row;
    const auto free = problem_->shifted_velocity();
    double velocity = variable.first * (change[0] + free[block.row]);
    if (plane) velocity += variable.second * (change[1] + free[block.row + 1]);
    slack = std::max(slack, -velocity);
  }
  set(first + group.sides, slack, z);
}

void Pyramid::set(int variable, double value, std::span<double> z) const {
  z[index(variable)] = value / (variables_[index(variable)].column_scale * scale_);
}

}  // namespace stiction
