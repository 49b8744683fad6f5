#include "stiction/compliant/spring_island.hpp"

#include <algorithm>

#include "stiction/contact/dense_delassus.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Held rows that repeat others get this softness, relative to the largest [1].
constexpr double held_softness = 1e-10;

void put(const Vector3<double>& v, double* to) {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}

Vector3<double> get(std::span<const double> numbers, std::size_t contact) {
  const double* v = numbers.data() + 3 * contact;
  return {v[0], v[1], v[2]};
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
  active_.clear();
  for (std::size_t i = 0; i < springs.size(); ++i) {
    springs[i].pulls = false;
    active_.push_back(static_cast<int>(i));
  }
  for (;;) {
    const EngineStatus status = integrate_active(time_step, springs);
    if (status != EngineStatus::solved) return status;
    // The last contacts that are left may pull: then none is left.
    if (options_.rules == AnchorRules::authors || !drop_pulling(springs)) break;
  }
  for (AveragedSpring& spring : springs) {
    spring.slips = project_to_cone(spring.friction, spring.average);
    project_to_cone(spring.friction, spring.double_average);
  }
  return EngineStatus::solved;
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
    (j % 3 == 0 ? c.x : j % 3 == 1 ? c.y : c.z) += change;
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
  if (active_.empty()) return EngineStatus::solved;
  const std::size_t count = active_.size();
  const std::size_t rows = 3 * count;
  rows_.resize(5 * rows);
  response_.resize(4 * rows);
  for (std::size_t i = 0; i < count; ++i) {
    const AveragedSpring& entry = springs[index(active_[i])];
    put(constants_.stiffness, &rows_[3 * i]);
    put(constants_.damping, &rows_[rows + 3 * i]);
    put(entry.spring.stretch, &rows_[2 * rows + 3 * i]);
    put(entry.spring.velocity - entry.spring.anchor_velocity, &rows_[3 * rows + 3 * i]);
    put(entry.acceleration, &rows_[4 * rows + 3 * i]);
  }
  const double* upsilon = upsilon_.data();
  if (count < springs.size()) {
    part_.resize(rows * rows);
    for (std::size_t j = 0; j < rows; ++j) {
      const double* column = upsilon_.data() + (3 * index(active_[j / 3]) + j % 3) * index(stride_);
      for (std::size_t i = 0; i < rows; ++i) {
        part_[j * rows + i] = column[3 * index(active_[i / 3]) + i % 3];
      }
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
  for (std::size_t i = 0; i < count; ++i) {
    AveragedSpring& entry = springs[index(active_[i])];
    entry.average = get(response.average, i);
    entry.double_average = get(response.double_average, i);
  }
  return EngineStatus::solved;
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
