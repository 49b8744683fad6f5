#include "stiction/compliant/modal_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/compliant/columns.hpp"
#include "stiction/core/finite.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

using Index = Eigen::Index;

void ModalEngine::reserve(Index rows) {
  modes_.reserve(rows);
  const std::size_t side = index(columns::padded(rows));
  if (root_.size() >= side) return;
  root_.resize(side);
  frequencies_.resize(side);
  weights_.resize(side);
  coordinates_.resize(4 * side);
  response_.resize(4 * side);
}

EngineStatus ModalEngine::integrate(const LinearContacts& system, double step,
                                    const ContactResponse& out) {
  const EngineStatus status = decompose(system);
  return status == EngineStatus::solved ? evaluate(step, out) : status;
}

EngineStatus ModalEngine::decompose(const LinearContacts& system, bool for_many) {
  if (!valid_rows(system)) return EngineStatus::bad_input;
  if (!proportional_damping(system)) return EngineStatus::not_proportional;
  reserve(system.rows);
  system_ = system;
  weights_time_ = 0.0;
  relaxation_ = system.rows > 0 ? system.damping[0] / system.stiffness[0] : 0.0;
  if (!fill_matrix()) return EngineStatus::bad_input;
  fill_coordinates();
  if (!modes_.decompose(coordinates_.data())) return EngineStatus::not_converged;
  fill_frequencies();
  if (for_many) modes_.form_vectors();
  return EngineStatus::solved;
}

void ModalEngine::restart(const LinearContacts& system) {
  system_ = system;
  fill_coordinates();
  modes_.forward(coordinates_.data());
}

/// False if it has a NaN or an infinity.
bool ModalEngine::fill_matrix() {
  for (std::size_t i = 0; i < index(system_.rows); ++i) root_[i] = std::sqrt(system_.stiffness[i]);
  double* S = modes_.matrix(system_.rows);
  for (Index j = 0; j < system_.rows; ++j) {
    const double* upsilon = system_.upsilon + j * system_.stride;
    double* column = S + j * modes_.stride();
    for (Index i = 0; i < system_.rows; ++i) {
      column[i] = root_[index(i)] * root_[index(j)] * upsilon[i];
    }
  }
  return all_finite({S, index(system_.rows * modes_.stride())});
}

void ModalEngine::fill_coordinates() {
  for (std::size_t i = 0; i < index(system_.rows); ++i) {
    coordinates_[4 * i] = root_[i] * system_.position[i];
    coordinates_[4 * i + 1] = root_[i] * system_.velocity[i];
    coordinates_[4 * i + 2] = root_[i] * system_.acceleration[i];
    coordinates_[4 * i + 3] = system_.load.empty() ? 0.0 : root_[i] * system_.load[i];
  }
}

/// Eigenvalues that are rounding of the largest one are zero: with Υ singular, a step that is long
/// for the stiffest mode would make motion of them.
void ModalEngine::fill_frequencies() {
  const double* values = modes_.values();
  const Index rows = system_.rows;
  double largest = 0.0;
  for (Index i = 0; i < rows; ++i) largest = std::max(largest, values[i]);
  const double rounding =
      static_cast<double>(rows) * std::numeric_limits<double>::epsilon() * largest;
  for (Index i = 0; i < rows; ++i) {
    frequencies_[index(i)] = values[i] > rounding ? values[i] : 0.0;
  }
}

/// False if the time is none.
bool ModalEngine::find_weights(double time) {
  if (!(time > 0.0) || !std::isfinite(time)) return false;
  if (time == weights_time_) return true;
  for (std::size_t i = 0; i < index(system_.rows); ++i) {
    weights_[i] = oscillator_weights(time * time * frequencies_[i], relaxation_ / time);
  }
  weights_time_ = time;
  return true;
}

/// In units of the step, so that all terms have the unit of η.
void ModalEngine::average_mode(std::size_t mode, double time) {
  const OscillatorWeights& w = weights_[mode];
  const double* at = coordinates_.data() + 4 * mode;
  double* response = response_.data() + 4 * mode;
  const double rate = time * at[1];
  const double push = time * time * at[2];
  response[0] = at[0] * w.value + rate * w.force + push * w.force_mean;
  response[1] = 2.0 * (at[0] * w.mean + rate * w.force_mean + push * w.force_mean_twice);
}

EngineStatus ModalEngine::evaluate(double time, const ContactResponse& out) {
  if (!find_weights(time)) return EngineStatus::bad_input;
  const std::size_t rows = index(system_.rows);
  for (std::size_t i = 0; i < rows; ++i) {
    average_mode(i, time);
    const OscillatorWeights& w = weights_[i];
    const double kappa = time * time * frequencies_[i];
    const double rate = time * coordinates_[4 * i + 1];
    const double pull = time * time * coordinates_[4 * i + 2] - kappa * coordinates_[4 * i];
    response_[4 * i + 2] = rate * w.value + pull * w.mean;           // change of η
    response_[4 * i + 3] = pull * w.value - kappa * w.force * rate;  // change of η̇, times h
  }
  modes_.back(response_.data());
  for (std::size_t i = 0; i < rows; ++i) {
    const double* response = response_.data() + 4 * i;
    out.average[i] = -root_[i] * response[0];
    out.double_average[i] = -root_[i] * response[1];
    if (out.end_position.empty()) continue;
    out.end_position[i] = system_.position[i] + response[2] / root_[i];
    out.end_velocity[i] = system_.velocity[i] + response[3] / (root_[i] * time);
  }
  return finite_response(out) ? EngineStatus::solved : EngineStatus::not_finite;
}

EngineStatus ModalEngine::evaluate(double time, const ContactResponse& out,
                                   const LoadResponse& of_load) {
  if (!find_weights(time)) return EngineStatus::bad_input;
  const std::size_t rows = index(system_.rows);
  for (std::size_t i = 0; i < rows; ++i) {
    average_mode(i, time);
    const double push = time * time * coordinates_[4 * i + 3];
    response_[4 * i + 2] = push * weights_[i].force_mean;
    response_[4 * i + 3] = 2.0 * push * weights_[i].force_mean_twice;
  }
  modes_.back(response_.data());
  for (std::size_t i = 0; i < rows; ++i) {
    const double* response = response_.data() + 4 * i;
    out.average[i] = -root_[i] * response[0];
    out.double_average[i] = -root_[i] * response[1];
    of_load.average[i] = -root_[i] * response[2];
    of_load.double_average[i] = -root_[i] * response[3];
  }
  return finite_response(out) ? EngineStatus::solved : EngineStatus::not_finite;
}

}  // namespace stiction
