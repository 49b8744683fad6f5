#include "stiction/compliant/spring_island.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/contact/dense_delassus.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Held rows that repeat others get this softness, relative to the largest [1].
constexpr double held_softness = 1e-10;

/// Times that sliding contacts are integrated again with their friction.
constexpr int slide_passes = 3;

/// Entry of a contact's vector that a row of the island belongs to.
double& component(Vector3<double>& v, int row) {
  return row % 3 == 0 ? v.x : row % 3 == 1 ? v.y : v.z;
}

}  // namespace

void SpringIsland::set_options(const ViscoelasticOptions& options) {
  constants_ = SpringConstants(options);
  options_ = options;
  const EngineOptions& before = engine_.options();
  if (before.kind == options.engine && before.pade.order == number_of(options.pade_order) &&
      before.pade.scaling == options.pade_scaling && before.tolerance == options.engine_tolerance) {
    return;
  }
  EngineOptions engine;
  engine.kind = options.engine;
  engine.tolerance = options.engine_tolerance;
  // Without scaling, very stiff contacts must decay: [EXP] with order 1 blows up otherwise.
  engine.pade = options.pade_scaling ? exact_pade() : cheap_pade(number_of(options.pade_order));
  engine.pade.order = number_of(options.pade_order);
  // Order 1 would need too many pieces for more.
  if (options.pade_scaling && options.pade_order == PadeOrder::order_1)
    engine.pade.tolerance = 1e-6;
  engine_.set_options(engine);
}

EngineStatus SpringIsland::integrate(const ContactProblem& problem, std::span<const HeldRow> held,
                                     double time_step, std::span<AveragedSpring> springs) {
  take_matrix(problem, 3 * static_cast<int>(springs.size()));
  if (!held.empty() && !hold(problem, held, springs)) return EngineStatus::not_converged;
  for (AveragedSpring& spring : springs) {
    spring.pulls = spring.slides = false;
    spring.friction_force = {};
  }
  EngineStatus status = integrate_pushing(time_step, springs);
  if (options_.rules == AnchorRules::surface) {
    for (int pass = 0; pass < slide_passes && status == EngineStatus::solved; ++pass) {
      if (!let_slide(springs)) break;
      status = integrate_pushing(time_step, springs);
    }
  }
  if (status != EngineStatus::solved) return status;
  for (AveragedSpring& spring : springs) {
    spring.slips = project_to_cone(spring.friction, spring.average);
    project_to_cone(spring.friction, spring.double_average);
  }
  return EngineStatus::solved;
}

/// Averages of all contacts that do not pull; under `authors` of all.
EngineStatus SpringIsland::integrate_pushing(double time_step, std::span<AveragedSpring> springs) {
  active_.clear();
  for (std::size_t i = 0; i < springs.size(); ++i) active_.push_back(static_cast<int>(i));
  for (;;) {
    const EngineStatus status = integrate_active(time_step, springs);
    if (status != EngineStatus::solved) return status;
    // The last contacts that are left may pull: then none is left.
    if (options_.rules == AnchorRules::authors || !drop_pulling(springs)) return status;
  }
}

/// Contacts whose average is outside the cone slide: instead of springs along the tangents they
/// have the force of friction, against the springs' direction. Whether there are any.
bool SpringIsland::let_slide(std::span<AveragedSpring> springs) const {
  bool any = false;
  for (AveragedSpring& spring : springs) {
    Vector3<double> force = spring.average;
    if (!spring.slides && !(force.z > 0.0)) continue;
    if (spring.slides) {
      const double size = std::hypot(spring.friction_force.x, spring.friction_force.y);
      if (!(size > 0.0)) continue;
      const double scale = spring.friction * std::max(0.0, force.z) / size;
      force = {scale * spring.friction_force.x, scale * spring.friction_force.y, 0.0};
    } else if (!project_to_cone(spring.friction, force)) {
      continue;
    }
    spring.slides = any = true;
    spring.friction_force = {force.x, force.y, 0.0};
  }
  return any;
}

/// Υ of the contacts, which come first in the problem.
void SpringIsland::take_matrix(const ContactProblem& problem, int rows) {
  stride_ = rows;
  upsilon_.resize(index(rows) * index(rows));
  const auto copy = [&](const auto& G) {
    for (int j = 0; j < rows; ++j) {
      for (int i = 0; i < rows; ++i) upsilon_[index(j) * index(rows) + index(i)] = G(i, j);
    }
  };
  if (problem.storage() == DelassusStorage::dense) {
    copy(problem.delassus());
  } else {
    problem.to_dense(full_);
    copy(full_);
  }
}

/// Υ − Υ_ch Υ_hh⁻¹ Υ_hc, and c with what the held rows do to the contacts.
bool SpringIsland::hold(const ContactProblem& problem, std::span<const HeldRow> held,
                        std::span<AveragedSpring> springs) {
  const bool dense = problem.storage() == DelassusStorage::dense;
  const ContactProblem::ConstDenseMap stored = problem.delassus();
  const auto G = [&](Eigen::Index i, Eigen::Index j) { return dense ? stored(i, j) : full_(i, j); };
  const Eigen::Index count = static_cast<Eigen::Index>(held.size());
  held_matrix_.resize(count);
  double largest = 0.0;
  for (const HeldRow& row : held) largest = std::max(largest, G(row.row, row.row));
  for (Eigen::Index j = 0; j < count; ++j) {
    for (Eigen::Index i = 0; i < count; ++i) {
      held_matrix_(i, j) =
          G(held[static_cast<std::size_t>(i)].row, held[static_cast<std::size_t>(j)].row);
    }
    held_matrix_(j, j) += held_softness * largest;
  }
  if (!(largest > 0.0)) return true;
  if (!factorize_cholesky_in_place(held_matrix_)) return false;
  const std::size_t stride = static_cast<std::size_t>(held_matrix_.stride());
  held_vector_.assign(stride, 0.0);
  for (std::size_t k = 0; k < held.size(); ++k) held_vector_[k] = held[k].acceleration;
  solve_cholesky(held_matrix_, held_vector_.data());
  held_columns_.assign(stride, 0.0);
  const std::size_t rows = index(stride_);
  for (std::size_t j = 0; j < rows; ++j) {
    double change = 0.0;
    for (std::size_t k = 0; k < held.size(); ++k) {
      held_columns_[k] = G(held[k].row, static_cast<Eigen::Index>(j));
      change += held_columns_[k] * held_vector_[k];
    }
    Vector3<double>& c = springs[j / 3].acceleration;
    component(c, static_cast<int>(j)) += change;
    solve_cholesky(held_matrix_, held_columns_.data());
    for (std::size_t i = 0; i < rows; ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k < held.size(); ++k) {
        sum += G(held[k].row, static_cast<Eigen::Index>(i)) * held_columns_[k];
      }
      upsilon_[j * rows + i] -= sum;
    }
  }
  // Exactly symmetric.
  for (std::size_t j = 0; j < rows; ++j) {
    for (std::size_t i = j + 1; i < rows; ++i) upsilon_[i * rows + j] = upsilon_[j * rows + i];
  }
  return true;
}

EngineStatus SpringIsland::integrate_active(double time_step, std::span<AveragedSpring> springs) {
  for (AveragedSpring& spring : springs) spring.average = spring.double_average = {};
  list_rows(springs);
  const std::size_t rows = row_list_.size();
  if (rows == 0) return EngineStatus::solved;
  fill_rows(springs);
  const double* upsilon = upsilon_.data();
  if (rows < index(stride_)) {
    part_.resize(rows * rows);
    for (std::size_t j = 0; j < rows; ++j) {
      const double* column = upsilon_.data() + index(row_list_[j]) * index(stride_);
      for (std::size_t i = 0; i < rows; ++i) part_[j * rows + i] = column[index(row_list_[i])];
    }
    upsilon = part_.data();
  }
  const auto part = [&](std::vector<double>& all, std::size_t k) {
    return std::span<double>(all).subspan(k * rows, rows);
  };
  const LinearContacts system{.rows = static_cast<Eigen::Index>(rows),
                              .upsilon = upsilon,
                              .stride = static_cast<Eigen::Index>(rows),
                              .stiffness = part(rows_, 0),
                              .damping = part(rows_, 1),
                              .position = part(rows_, 2),
                              .velocity = part(rows_, 3),
                              .acceleration = part(rows_, 4)};
  const ContactResponse response{part(response_, 0), part(response_, 1), part(response_, 2),
                                 part(response_, 3)};
  const EngineStatus status = engine_.integrate(system, time_step, response);
  if (status != EngineStatus::solved) return status;
  for (const int i : active_) {
    AveragedSpring& entry = springs[index(i)];
    entry.average = entry.double_average = entry.friction_force;
  }
  for (std::size_t k = 0; k < rows; ++k) {
    AveragedSpring& entry = springs[index(row_list_[k]) / 3];
    component(entry.average, row_list_[k]) = response.average[k];
    component(entry.double_average, row_list_[k]) = response.double_average[k];
  }
  return EngineStatus::solved;
}

/// Rows of active contacts with springs: sliding ones have none along the tangents.
void SpringIsland::list_rows(std::span<const AveragedSpring> springs) {
  row_list_.clear();
  for (const int i : active_) {
    for (int k = springs[index(i)].slides ? 2 : 0; k < 3; ++k) row_list_.push_back(3 * i + k);
  }
}

void SpringIsland::fill_rows(std::span<AveragedSpring> springs) {
  const std::size_t rows = row_list_.size();
  rows_.resize(5 * rows);
  response_.resize(4 * rows);
  for (std::size_t k = 0; k < rows; ++k) {
    const int row = row_list_[k];
    AveragedSpring& entry = springs[index(row) / 3];
    Vector3<double> velocity = entry.spring.velocity - entry.spring.anchor_velocity;
    rows_[k] = component(constants_.stiffness, row);
    rows_[rows + k] = component(constants_.damping, row);
    rows_[2 * rows + k] = component(entry.spring.stretch, row);
    rows_[3 * rows + k] = component(velocity, row);
    double acceleration = component(entry.acceleration, row);
    const double* column = upsilon_.data() + index(row) * index(stride_);
    for (const int j : active_) {
      const AveragedSpring& other = springs[index(j)];
      if (!other.slides) continue;
      acceleration +=
          column[3 * j] * other.friction_force.x + column[3 * j + 1] * other.friction_force.y;
    }
    rows_[4 * rows + k] = acceleration;
  }
}

/// Leaves out contacts that pull on average; whether there were any.
bool SpringIsland::drop_pulling(std::span<AveragedSpring> springs) {
  const auto pulls = [&](int i) {
    AveragedSpring& spring = springs[index(i)];
    spring.pulls = spring.average.z < 0.0;
    return spring.pulls;
  };
  return std::erase_if(active_, pulls) > 0;
}

}  // namespace stiction
