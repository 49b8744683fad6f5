#pragma once

/// \file
/// The linear system that spring-damper contacts are during one step, and what its integration
/// gives. Implements [EXP, section III].
///
/// Notation: Υ = J M⁻¹ Jᵀ → upsilon, K → stiffness, B → damping, Δp = p − p₀ → position,
/// Δṗ = ṗ − ṗ₀ → velocity, c = J M⁻¹ u + J̇ v → acceleration, h → step, λ̄ → average,
/// λ̄̄ → double_average.
///
///     Δp̈ = Υ λ + c,   λ = −K Δp − B Δṗ,   Υ, K, B and c constant over the step.

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <string_view>

namespace stiction {

/// One step of contacts that are springs with dampers. A row is one direction of one contact, of a
/// limit or of a lock. The memory belongs to the caller; every span has `rows` elements.
struct LinearContacts {
  Eigen::Index rows = 0;
  /// rows × rows, column by column, symmetric and positive semidefinite [1/kg]. Both triangles are
  /// read.
  const double* upsilon = nullptr;
  Eigen::Index stride = 0;               ///< from column to column of upsilon, ≥ rows
  std::span<const double> stiffness;     ///< K > 0 [N/m]
  std::span<const double> damping;       ///< B ≥ 0 [N s/m]
  std::span<const double> position;      ///< Δp at the start [m]
  std::span<const double> velocity;      ///< Δṗ at the start [m/s]
  std::span<const double> acceleration;  ///< c, without the forces of the rows [m/s²]
  /// What one newton of a further force adds to c, such as the friction of a sliding contact
  /// [1/kg]. For ModalEngine alone; empty: none.
  std::span<const double> load = {};
};

/// What the rows do over a step. The memory belongs to the caller; every span has `rows` elements,
/// or both of the end are empty, if nobody asks for it.
/// Momentum changes by h Jᵀ average, and position, on top of h v, by ½ h² M⁻¹ Jᵀ double_average.
struct ContactResponse {
  std::span<double> average;         ///< λ̄ = (1/h) ∫ λ [N]             [EXP] (23)
  std::span<double> double_average;  ///< λ̄̄ = (2/h²) ∫∫ λ [N]           [EXP] (25)
  std::span<double> end_position;    ///< Δp at the end [m]
  std::span<double> end_velocity;    ///< Δṗ at the end [m/s]
};

/// What one newton of the load adds to the averages [1]. Every span has `rows` elements.
struct LoadResponse {
  std::span<double> average;
  std::span<double> double_average;
};

enum class EngineStatus {
  solved,
  bad_input,         ///< h ≤ 0, K ≤ 0, B < 0, NaN or infinity in the system
  not_proportional,  ///< `modal` needs the same B/K in all rows
  not_converged,     ///< the eigenvalue iteration or a factorization failed
  not_finite,        ///< the result is beyond the range of numbers
  out_of_reach,      ///< of polynomials: another engine is faster
};

/// Such as `not_proportional`.
std::string_view to_string(EngineStatus status);

/// Whether K > 0, B ≥ 0, and everything but Υ finite.
[[nodiscard]] bool valid_rows(const LinearContacts& system);

/// Whether the step is positive and finite, K > 0, B ≥ 0, and everything finite.
[[nodiscard]] bool valid_input(const LinearContacts& system, double step);

/// Whether a response has no NaN and no infinity.
[[nodiscard]] bool finite_response(const ContactResponse& response);

/// The same B/K in all rows, to rounding.
[[nodiscard]] bool proportional_damping(const LinearContacts& system);

/// λ = −K Δp − B Δṗ at a given Δp and Δṗ [N], for instance those of the end of a step.
void spring_forces(const LinearContacts& system, std::span<const double> position,
                   std::span<const double> velocity, std::span<double> forces);

}  // namespace stiction
