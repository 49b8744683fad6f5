#include "stiction/compliant/spring_island.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/contact/dense_delassus.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// Held rows that repeat others get this softness, relative to the largest [1].
constexpr double held_softness = 1e-10;

/// Below this speed nothing slides [m/s]: rounding has no direction.
constexpr double slowest_slide = 1e-12;

/// Friction turns against the velocity by so many times the force of the damper per step. As steps
/// get shorter it points against the velocity; one that is turned a little per step would be late
/// by steps that are long.
constexpr double against_velocity = 10.0;

/// Friction whose normal force grows by more than this share of it is not solved for at once: it is
/// near Painlevé's paradox.
constexpr double most_gain = 0.9;

/// Friction of sliding contacts and normal forces are made to agree in at most so many
/// integrations.
constexpr int most_rubbings = 10;
/// In islands of more contacts an integration takes too long for that: so many.
constexpr std::size_t large_island = 64;
constexpr int most_rubbings_of_large = 2;

template <class Vector>
auto& component(Vector& v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// Tangential part of v along a tangent.
double along(const Vector3<double>& tangent, const Vector3<double>& v) {
  return tangent.x * v.x + tangent.y * v.y;
}

/// Friction of a sliding contact that goes with its normal force.
void rub(const AveragedSpring& entry, Vector3<double>& force) {
  const double size = entry.friction * std::max(force.z, 0.0);
  force.x = size * entry.direction.x;
  force.y = size * entry.direction.y;
}

/// y ← y + A f for three columns.
void add_product(const double* columns, Eigen::Index stride, std::size_t rows,
                 const Vector3<double>& f, double* y) {
  const double* second = columns + stride;
  const double* third = second + stride;
  for (std::size_t i = 0; i < rows; ++i) {
    y[i] = fma(third[i], f.z, fma(second[i], f.y, fma(columns[i], f.x, y[i])));
  }
}

/// The rows of a contact that are springs: of a sliding one the normal alone.
void put_rows(const AveragedSpring& entry, const Vector3<double>& v, double* to) {
  if (!entry.slides) {
    *to++ = v.x;
    *to++ = v.y;
  }
  *to = v.z;
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
                                     double time_step, bool whole,
                                     std::span<AveragedSpring> springs) {
  take_matrix(problem, 3 * static_cast<int>(springs.size()), !held.empty());
  by_modes_ = was_cut_ = false;
  share_left_ = 1.0;
  next_modes_ = 0;
  rubbings_.clear();
  part_count_ = 0;
  for (KnownModes& known : known_modes_) known.rows.clear();
  if (springs.size() > most_seen_ && springs.size() <= large_island) reserve(springs.size());
  if (!held.empty() && !hold(problem, held, springs)) return EngineStatus::not_converged;
  for (AveragedSpring& entry : springs) entry.free = entry.spring.apart;
  if (whole || options_.rules == AnchorRules::authors || springs.size() > large_island) {
    return integrate_part(time_step, true, springs);
  }
  return integrate_parts(time_step, springs);
}

/// Memory for events that need it later than their island has grown.
void SpringIsland::reserve(std::size_t contacts) {
  most_seen_ = contacts;
  for (KnownModes& known : known_modes_) {
    known.engine.reserve(3 * static_cast<Eigen::Index>(contacts));
    known.rows.reserve(3 * contacts);
    known.start.reserve(12 * contacts);
  }
  rows_.reserve(18 * contacts);
  sliders_.reserve(contacts);
}

/// Whether a contact that is on its cone at the start of a part slides, and where to.
void SpringIsland::find_slide(AveragedSpring& entry) const {
  const Spring& spring = entry.spring;
  entry.slides = entry.begins = false;
  if (options_.rules != AnchorRules::surface || !spring.slips) return;
  const double speed = length_of(spring.velocity.x, spring.velocity.y);
  if (!(speed > slowest_slide)) return;
  entry.rubbing = {spring.force.x, spring.force.y, 0.0};
  // Against the velocity half a part later, where that is not another one altogether.
  const double change = share_left_ * length_of(entry.turn.x, entry.turn.y);
  const double share = change > speed ? share_left_ * speed / change : share_left_;
  const double turn = against_velocity * spring.constants.damping.x;
  const double x = spring.force.x - turn * (spring.velocity.x + share * entry.turn.x);
  const double y = spring.force.y - turn * (spring.velocity.y + share * entry.turn.y);
  const double size = length_of(x, y);
  entry.direction =
      size > 0.0 ? Vector3<double>{x / size, y / size, 0.0}
                 : Vector3<double>{-spring.velocity.x / speed, -spring.velocity.y / speed, 0.0};
  // Along its own force: it is the spring that moves it.
  entry.slides = along(spring.force, spring.velocity) <= 0.0;
}

/// Averages over a part of the step, with the contacts that are not free. `drops`: those whose
/// average would pull are left out.
EngineStatus SpringIsland::integrate_part(double time_step, bool drops,
                                          std::span<AveragedSpring> springs) {
  active_.clear();
  for (std::size_t i = 0; i < springs.size(); ++i) {
    springs[i].pulls = springs[i].slid = false;
    find_slide(springs[i]);
    if (springs[i].free) springs[i].slides = false;
    if (!springs[i].free) active_.push_back(static_cast<int>(i));
    // Friction that goes with normal forces takes more than one integration.
    by_modes_ |= springs[i].slides && options_.engine != EngineKind::pade;
  }
  recall_rubbing(springs);
  for (int rubbings = 1;;) {
    const EngineStatus status = integrate_active(time_step, springs);
    if (status != EngineStatus::solved) return status;
    // The last contacts that are left may pull: then none is left.
    if (options_.rules == AnchorRules::authors) break;
    // Friction first, because a wrong one may make contacts seem to pull.
    const bool gives_up =
        rubbings >= (springs.size() > large_island ? most_rubbings_of_large : most_rubbings);
    const bool stops = !gives_up && stop_sliding(time_step, springs);
    if (stops) ++part_count_;
    if (repeat_rubbing(springs, gives_up) || stops) {
      ++rubbings;
      continue;
    }
    if (!(drops && drop_pulling(springs)) && !begin_sliding(springs)) break;
  }
  for (AveragedSpring& spring : springs) {
    spring.slips = project_to_cone(spring.friction, spring.average) || spring.slides;
    project_to_cone(spring.friction, spring.double_average);
  }
  if (options_.rules == AnchorRules::authors) return EngineStatus::solved;
  keep_rubbing(springs);
  find_accelerations(springs);
  carry_anchors(time_step, springs);
  return EngineStatus::solved;
}

/// Mean and double mean accelerations of all contacts under the averages.
void SpringIsland::find_accelerations(std::span<const AveragedSpring> springs) {
  const std::size_t rows = 3 * springs.size();
  accelerations_.resize(2 * rows);
  double* mean = accelerations_.data();
  double* twice = mean + rows;
  for (std::size_t i = 0; i < springs.size(); ++i) {
    const Vector3<double>& a = springs[i].acceleration;
    mean[3 * i] = twice[3 * i] = a.x;
    mean[3 * i + 1] = twice[3 * i + 1] = a.y;
    mean[3 * i + 2] = twice[3 * i + 2] = a.z;
  }
  for (std::size_t j = 0; j < springs.size(); ++j) {
    if (springs[j].free) continue;
    const double* columns = matrix_ + 3 * static_cast<Eigen::Index>(j) * stride_;
    add_product(columns, stride_, rows, springs[j].average, mean);
    add_product(columns, stride_, rows, springs[j].double_average, twice);
  }
}

/// Mean acceleration of a contact under forces of all.
Vector3<double> SpringIsland::acceleration_of(std::size_t contact,
                                              std::span<const AveragedSpring> springs,
                                              Vector3<double> AveragedSpring::*force) const {
  Vector3<double> sum = springs[contact].acceleration;
  const double* row = matrix_ + 3 * contact;
  for (std::size_t j = 0; j < springs.size(); ++j) {
    const Vector3<double>& f = springs[j].*force;
    for (int axis = 0; axis < 3; ++axis) {
      const double* column = row + (3 * static_cast<Eigen::Index>(j) + axis) * stride_;
      const double size = component(f, axis);
      sum.x += column[0] * size;
      sum.y += column[1] * size;
      sum.z += column[2] * size;
    }
  }
  return sum;
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

void SpringIsland::find_active_rows(std::span<const AveragedSpring> springs) {
  active_rows_.clear();
  sliders_.clear();
  for (const int contact : active_) {
    const AveragedSpring& entry = springs[index(contact)];
    if (entry.slides) {
      const double friction = length_of(entry.rubbing.x, entry.rubbing.y);
      sliders_.push_back({contact, active_rows_.size(), friction});
    }
    for (int k = entry.slides ? 2 : 0; k < 3; ++k) active_rows_.push_back(3 * contact + k);
  }
  // The share of each in the friction of all.
  double sum = 0.0;
  for (const Slider& slider : sliders_) sum += slider.share;
  for (Slider& slider : sliders_) {
    slider.share = sliders_.size() > 1 && sum > 0.0 ? slider.share / sum
                                                    : 1.0 / static_cast<double>(sliders_.size());
  }
}

/// Adds what forces along the tangents of a contact do to the active rows.
void SpringIsland::add_tangential(int contact, const Vector3<double>& force, double* to) const {
  const double* columns = matrix_ + 3 * contact * stride_;
  for (std::size_t i = 0; i < active_rows_.size(); ++i) {
    const int row = active_rows_[i];
    to[i] += columns[row] * force.x + columns[stride_ + row] * force.y;
  }
}

/// The system of the active rows. Its memory is valid until the next call. Without its matrix, it
/// is one for modes that are known. `with_load`: friction is its load.
LinearContacts SpringIsland::active_system(std::span<const AveragedSpring> springs,
                                           bool with_matrix, bool with_load) {
  const std::size_t rows = active_rows_.size();
  rows_.resize(6 * rows);
  response_.resize(4 * rows);
  double* row = rows_.data();
  for (const int contact : active_) {
    const AveragedSpring& entry = springs[index(contact)];
    const Spring& spring = entry.spring;
    put_rows(entry, spring.constants.stiffness, row);
    put_rows(entry, spring.constants.damping, row + rows);
    put_rows(entry, spring.stretch, row + 2 * rows);
    put_rows(entry, spring.velocity - spring.anchor_velocity, row + 3 * rows);
    put_rows(entry, entry.acceleration, row + 4 * rows);
    row += entry.slides ? 1 : 3;
  }
  // Sliding contacts push with a friction that does not change during the step.
  std::fill_n(rows_.data() + 5 * rows, rows, 0.0);
  for (const Slider& slider : sliders_) {
    const AveragedSpring& entry = springs[index(slider.contact)];
    if (with_load) {
      add_tangential(slider.contact, slider.share * entry.direction, rows_.data() + 5 * rows);
    } else {
      add_tangential(slider.contact, entry.rubbing, rows_.data() + 4 * rows);
    }
  }
  const double* upsilon = matrix_;
  Eigen::Index stride = stride_;
  if (!with_matrix) {
    upsilon = nullptr;
    stride = static_cast<Eigen::Index>(rows);
  } else if (rows < 3 * springs.size()) {
    part_.resize(rows * rows);
    for (std::size_t j = 0; j < rows; ++j) {
      const double* column = matrix_ + active_rows_[j] * stride_;
      for (std::size_t i = 0; i < rows; ++i) part_[j * rows + i] = column[active_rows_[i]];
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
          .acceleration = part(4),
          .load = part(5)};
}

ContactResponse SpringIsland::active_response() {
  const std::size_t rows = response_.size() / 4;
  const auto part = [&](std::size_t k) {
    return std::span<double>(response_).subspan(k * rows, rows);
  };
  return {part(0), part(1), part(2), part(3)};
}

/// The same without the end of the step.
ContactResponse SpringIsland::active_averages() {
  const ContactResponse response = active_response();
  return {response.average, response.double_average, {}, {}};
}

/// Adds the friction of sliding contacts, with the shares that these have in it: as much as goes
/// with their normal forces, where these do not drive themselves up by it.
void SpringIsland::add_friction(std::span<AveragedSpring> springs) {
  const ContactResponse response = active_response();
  double normal = 0.0;
  double gain = 0.0;
  double size = 0.0;
  for (const Slider& slider : sliders_) {
    const AveragedSpring& entry = springs[index(slider.contact)];
    normal += entry.friction * response.average[slider.row];
    gain += entry.friction * response.end_position[slider.row];
    size += length_of(entry.rubbing.x, entry.rubbing.y);
  }
  if (gain < most_gain) size = std::max(normal, 0.0) / (1.0 - gain);
  for (const Slider& slider : sliders_) {
    AveragedSpring& entry = springs[index(slider.contact)];
    entry.rubbing = (slider.share * size) * entry.direction;
  }
  for (std::size_t i = 0; i < active_rows_.size(); ++i) {
    response.average[i] = fma(size, response.end_position[i], response.average[i]);
    response.double_average[i] = fma(size, response.end_velocity[i], response.double_average[i]);
  }
}

/// Whether the load is that of all trials of the present part with these rows: nothing slides, or
/// what slides does from its begin on.
bool SpringIsland::keeps_load(std::span<const AveragedSpring> springs) const {
  return sliders_.empty() ||
         (sliders_.size() == 1 && !springs[index(sliders_.front().contact)].begins);
}

/// Start and load of the active rows; eigenvectors, unless these are known.
EngineStatus SpringIsland::start_modes(std::span<const AveragedSpring> springs, bool known,
                                       KnownModes& modes) {
  const LinearContacts system = active_system(springs, !known, true);
  const std::span<const double> start =
      std::span<const double>(rows_).subspan(2 * active_rows_.size());
  modes.trials_of = part_count_;
  if (known && std::ranges::equal(start, modes.start)) return EngineStatus::solved;
  modes.rows.clear();
  if (known) {
    modes.engine.restart(system);
  } else {
    const EngineStatus status = modes.engine.decompose(system, true);
    if (status != EngineStatus::solved) return status;
    next_modes_ = (next_modes_ + 1) % most_known_modes;
  }
  modes.rows.assign(active_rows_.begin(), active_rows_.end());
  modes.start.assign(start.begin(), start.end());
  return EngineStatus::solved;
}

/// With eigenvectors of these rows that are known from before, if there are any.
EngineStatus SpringIsland::respond_by_modes(std::span<AveragedSpring> springs, double time_step) {
  const auto found = std::ranges::find(known_modes_, active_rows_, &KnownModes::rows);
  const bool known = found != known_modes_.end();
  KnownModes& modes = known ? *found : known_modes_[next_modes_];
  response_.resize(4 * active_rows_.size());
  if (!known || modes.trials_of != part_count_ || !keeps_load(springs)) {
    if (const EngineStatus status = start_modes(springs, known, modes);
        status != EngineStatus::solved) {
      return status;
    }
  }
  if (sliders_.empty()) return modes.engine.evaluate(time_step, active_averages());
  const ContactResponse memory = active_response();
  const EngineStatus status = modes.engine.evaluate(time_step, active_averages(),
                                                    {memory.end_position, memory.end_velocity});
  if (status == EngineStatus::solved) add_friction(springs);
  return status;
}

EngineStatus SpringIsland::integrate_active(double time_step, std::span<AveragedSpring> springs) {
  for (AveragedSpring& spring : springs) spring.average = spring.double_average = {};
  if (active_.empty()) return EngineStatus::solved;
  find_active_rows(springs);
  EngineStatus status = EngineStatus::not_proportional;
  if (by_modes_) status = respond_by_modes(springs, time_step);
  if (status == EngineStatus::not_proportional || status == EngineStatus::not_converged) {
    const LinearContacts system = active_system(springs, true, false);
    status = engine_.integrate(system, time_step, active_averages());
  }
  if (status != EngineStatus::solved) return status;
  // What comes next has the same matrix, if not the same start, load or time.
  by_modes_ = options_.engine != EngineKind::pade;
  const double* average = response_.data();
  const double* double_average = average + active_rows_.size();
  for (const int contact : active_) {
    AveragedSpring& entry = springs[index(contact)];
    if (entry.slides) {
      entry.average.z = *average++;
      entry.double_average.z = *double_average++;
      rub(entry, entry.average);
      rub(entry, entry.double_average);
      continue;
    }
    entry.average = {average[0], average[1], average[2]};
    entry.double_average = {double_average[0], double_average[1], double_average[2]};
    average += 3;
    double_average += 3;
  }
  return EngineStatus::solved;
}

EngineStatus SpringIsland::predict(std::span<const AveragedSpring> springs,
                                   std::span<const double> times,
                                   std::span<Vector3<double>> forces) {
  active_.clear();
  for (std::size_t i = 0; i < springs.size(); ++i) active_.push_back(static_cast<int>(i));
  find_active_rows(springs);
  const LinearContacts system = active_system(springs, true, false);
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
    const std::span<Vector3<double>> now = forces.subspan(k * springs.size(), springs.size());
    for (std::size_t i = 0; i < active_rows_.size(); ++i) {
      component(now[index(active_rows_[i] / 3)], active_rows_[i] % 3) = response.average[i];
    }
    for (std::size_t i = 0; i < springs.size(); ++i) {
      if (springs[i].slides) rub(springs[i], now[i]);
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
