#pragma once

/// \file
/// What a user may choose for contacts that are springs with dampers. sim/option_table.cpp has a
/// row for each of it.

#include <string_view>

#include "stiction/compliant/engine_kind.hpp"

namespace stiction {

/// Where the anchors of contacts are, and what becomes of them.
enum class AnchorRules {
  /// The normal force follows the gap, so the rest height does not depend on the step; anchors roll
  /// along with the point of contact; a slipping anchor moves with its point during the step; a
  /// contact that would pull is left out, and the others are integrated again.
  surface,
  /// As in the authors' published code [EXP]: the anchor is the point of touch-down, also along the
  /// normal; it moves at the end of a step only; averages that pull are cut off.
  authors,
};
inline constexpr AnchorRules last_anchor_rules = AnchorRules::authors;

/// How a step with such contacts is integrated.
enum class ContactIntegrator {
  exponential,     ///< exact for contacts whose Υ and c stay as they are [EXP]
  explicit_euler,  ///< forces of the start; q⁺ = q ⊕ (h v + ½ h² v̇)
  semi_implicit,   ///< forces of the start; q⁺ = q ⊕ h v⁺
  rk4,             ///< fourth order; contacts are found at each of the four stages
  implicit_euler,  ///< forces of the end, by Newton's method; q⁺ = q ⊕ h v⁺
};
inline constexpr ContactIntegrator last_contact_integrator = ContactIntegrator::implicit_euler;

/// Orders of the engine `pade`: degree of the denominator.
enum class PadeOrder { order_1, order_2, order_3, order_5, order_7, order_9, order_13 };
inline constexpr PadeOrder last_pade_order = PadeOrder::order_13;

[[nodiscard]] int number_of(PadeOrder order);

std::string_view to_string(PadeOrder order);
std::string_view to_string(AnchorRules rules);
std::string_view to_string(ContactIntegrator integrator);

struct ViscoelasticOptions {
  double stiffness = 1e5;  ///< K along the normal [N/m]
  double damping = 300.0;  ///< B along the normal [N·s/m]
  /// K along the tangents [N/m]; 0: as along the normal.
  double tangential_stiffness = 0.0;
  /// B along the tangents [N·s/m]; 0: in the same ratio to the stiffness as along the normal.
  double tangential_damping = 0.0;
  AnchorRules rules = AnchorRules::surface;
  ContactIntegrator integrator = ContactIntegrator::exponential;
  EngineKind engine = EngineKind::modal;
  PadeOrder pade_order = PadeOrder::order_13;
  /// Whether `pade` halves the step until it is accurate. Without, order 1 is the cheapest, and
  /// decays like the exact answer.
  bool pade_scaling = true;
  double engine_tolerance = 1e-8;  ///< of `automatic`, relative to the forces
  double newton_tolerance = 1e-8;  ///< of `implicit_euler`, relative to the velocities
  int newton_iterations = 30;      ///< of `implicit_euler`, at most

  [[nodiscard]] double tangent_stiffness() const {
    return tangential_stiffness > 0.0 ? tangential_stiffness : stiffness;
  }
  [[nodiscard]] double tangent_damping() const {
    return tangential_damping > 0.0 ? tangential_damping
                                    : damping * (tangent_stiffness() / stiffness);
  }
};

}  // namespace stiction
