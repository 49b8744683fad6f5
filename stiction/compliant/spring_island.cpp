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
  take_matrix(problem, 3 * static_cast<int>(springs.size()), !held.empty());
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

/// Υ of the contacts, which come first in the problem; a copy of it if it is going to change.
void SpringIsland::take_matrix(const ContactProblem& problem, int rows, bool changes) {
  if (problem.storage() == DelassusStorage::dense) {
    matrix_ = problem.delassus().data();
    stride_ = problem.delassus().outerStride();
  } else {
    problem.to_dense(full_);
    matrix_ = full_.data();
    stride_ = full_.rows();
  }
  if (!changes) return;
  upsilon_.resize(index(rows) * index(rows));
  for (int j = 0; j < rows; ++j) {
    std::copy_n(matrix_ + j * stride_, rows, upsilon_.data() + j * rows);
  }
  matrix_ = upsilon_.data();
  stride_ = rows;
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

/// The system of the active contacts. Its memory is valid until the next call.
LinearContacts SpringIsland::active_system(std::span<const AveragedSpring> springs) {
  const std::size_t count = active_.size();
  const std::size_t rows = 3 * count;
  rows_.resize(5 * rows);
  response_.resize(4 * rows);
  for (std::size_t i = 0; i < count; ++i) {
    const AveragedSpring& entry = springs[index(active_[i])];
    put(entry.spring.constants.stiffness, &rows_[3 * i]);
    put(entry.spring.constants.damping, &rows_[rows + 3 * i]);
    put(entry.spring.stretch, &rows_[2 * rows + 3 * i]);
    put(entry.spring.velocity - entry.spring.anchor_velocity, &rows_[3 * rows + 3 * i]);
    put(entry.acceleration, &rows_[4 * rows + 3 * i]);
  }
  const double* upsilon = matrix_;
  Eigen::Index stride = stride_;
  if (count < springs.size()) {
    part_.resize(rows * rows);
    for (std::size_t j = 0; j < rows; ++j) {
      const double* column = matrix_ + (3 * index(active_[j / 3]) + j % 3) * index(stride_);
      for (std::size_t i = 0; i < rows; ++i) {
        part_[j * rows + i] = column[3 * index(active_[i / 3]) + i % 3];
      }
    }
    upsilon = part_.data();
    stride = static_cast<Eigen::Index>(rows);
  }
  const auto part = [&](std::size_t k) {
    return std::span<const double>(rows_).subspan(k * rows, rows);
  };
  return {.rows = static_cast<Eigen::Index>(rows),
          .upsilon = upsilon,
          .stride = stride,
          .stiffness = part(0),
          .damping = part(1),
          .position = part(2),
          .velocity = part(3),
          .acceleration = part(4)};
}

ContactResponse SpringIsland::active_response() {
  const std::size_t rows = response_.size() / 4;
  const auto part = [&](std::size_t k) {
    return std::span<double>(response_).subspan(k * rows, rows);
  };
  return {part(0), part(1), part(2), part(3)};
}

EngineStatus SpringIsland::integrate_active(double time_step, std::span<AveragedSpring> springs) {
  for (AveragedSpring& spring : springs) spring.average = spring.double_average = {};
  if (active_.empty()) return EngineStatus::solved;
  const LinearContacts system = active_system(springs);
  const ContactResponse response = active_response();
  const EngineStatus status = engine_.integrate(system, time_step, response);
  if (status != EngineStatus::solved) return status;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    AveragedSpring& entry = springs[index(active_[i])];
    entry.average = get(response.average, i);
    entry.double_average = get(response.double_average, i);
  }
  return EngineStatus::solved;
}

EngineStatus SpringIsland::predict(std::span<const AveragedSpring> springs,
                                   std::span<const double> times,
                                   std::span<Vector3<double>> forces) {
  active_.clear();
  for (std::size_t i = 0; i < springs.size(); ++i) active_.push_back(static_cast<int>(i));
  const LinearContacts system = active_system(springs);
  const ContactResponse response = active_response();
  // One decomposition serves all times; without proportional damping each time is integrated anew.
  EngineStatus status = prediction_.decompose(system);
  const bool modal = status == EngineStatus::solved;
  if (!modal && status != EngineStatus::not_proportional) return status;
  PadeEngine exact;
  for (std::size_t k = 0; k < times.size(); ++k) {
    std::span<const double> position = system.position;
    std::span<const double> velocity = system.velocity;
    if (times[k] > 0.0) {
      status = modal ? prediction_.evaluate(times[k], response)
                     : exact.integrate(system, times[k], response);
      if (status != EngineStatus::solved) return status;
      position = response.end_position;
      velocity = response.end_velocity;
    }
    spring_forces(system, position, velocity, response.average);
    for (std::size_t i = 0; i < springs.size(); ++i) {
      forces[k * springs.size() + i] = get(response.average, i);
    }
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
