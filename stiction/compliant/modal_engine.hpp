#pragma once

/// \file
/// The engine `modal`: exact integration of contacts whose damping is proportional to their
/// stiffness, B = βK.
///
/// With u = K^½ Δp the system is ü + S (u + β u̇) = K^½ c, S = K^½ Υ K^½. The eigenvectors of S
/// separate it into damped oscillators η̈ + βω² η̇ + ω² η = γ, which have closed solutions
/// (oscillator.hpp), and λ = −K^½ Q (η + β η̇). Directions in which Υ has no inertia effect
/// (ω = 0) are parabolas.
/// Deviation from [EXP, section IV]: no matrix exponential.

#include <vector>

#include "stiction/compliant/linear_contacts.hpp"
#include "stiction/compliant/oscillator.hpp"
#include "stiction/compliant/symmetric_modes.hpp"

namespace stiction {

class ModalEngine {
 public:
  /// Memory for systems of up to that many rows. Larger systems allocate when they come.
  void reserve(Eigen::Index rows);

  /// The response over a step of `step` seconds.
  EngineStatus integrate(const LinearContacts& system, double step, const ContactResponse& out);

  /// The two parts of integrate(). After decompose(), evaluate() may be called for any number of
  /// times; it gives the averages over [0, time] and the motion at `time`. The spans of the system
  /// must still be there. `for_many`: more work now, less in each evaluation and restart.
  EngineStatus decompose(const LinearContacts& system, bool for_many = false);
  EngineStatus evaluate(double time, const ContactResponse& out);

  /// The same with the response to the system's load, at no further cost. `out` without the end.
  EngineStatus evaluate(double time, const ContactResponse& out, const LoadResponse& of_load);

  /// Another start and load for the matrix, stiffness and damping of the last decompose(). The
  /// matrix of `system` is not read. Numbers that are not finite show in evaluate().
  void restart(const LinearContacts& system);

 private:
  bool fill_matrix();
  void fill_coordinates();
  bool find_weights(double time);
  void average_mode(std::size_t mode, double time);
  void fill_frequencies();

  LinearContacts system_;
  double relaxation_ = 0.0;  ///< β = B/K [s]
  SymmetricModes modes_;
  std::vector<double> root_;                ///< K^½, padded like the columns of the matrix
  std::vector<OscillatorWeights> weights_;  ///< of each mode at weights_time_
  double weights_time_ = 0.0;               ///< 0: of none
  std::vector<double> frequencies_;         ///< ω² of each mode [1/s²]
  std::vector<double> coordinates_;         ///< η, η̇, γ and the load of each mode at the start
  std::vector<double> response_;  ///< averages, then η and η̇ or the averages of the load, of
                                  ///< each mode, then of each row
};

}  // namespace stiction
