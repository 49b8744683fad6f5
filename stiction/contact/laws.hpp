#pragma once

/// \file
/// The three contact laws as value types of one shape. Each classifies what a contact will do,
/// projects to the impulse that the law asks for, and measures how far an impulse is from it.
/// Here c is the velocity without this contact's impulse, v = c + W λ.

#include "stiction/contact/one_contact.hpp"

namespace stiction {

/// 0 ≤ λ_n ⊥ v_n ≥ 0, |λ_T| ≤ µλ_n, and λ_T = −µλ_n v_T/|v_T| while v_T ≠ 0  [PCI] (6).
struct CoulombLaw {
  static constexpr Law law = Law::coulomb;
  /// Opening where c_n > 0, else sticking where P is in the cone, else slipping.
  static ContactMode classify(const ContactFactor<double>& factor, const Vector3<double>& c);
  /// The exact answer. There may be several where the eccentricity |b| is at least
  /// 2√κ/(1 + κ), κ the condition of S: then the one nearest to `near`.
  static ContactAnswer<double> project(const ContactFactor<double>& factor,
                                       const Vector3<double>& c, const Vector3<double>& near);
  /// ‖λ − project(c, λ)‖ [N·s]
  static double measure(const ContactFactor<double>& factor, const Vector3<double>& c,
                        const Vector3<double>& impulse);
};

/// Where Coulomb's law may have further answers: |b| ≥ 2√κ/(1 + κ) with κ the condition of S.
template <Scalar S>
[[nodiscard]] auto may_have_several(const ContactFactor<S>& f) {
  const S b = f.friction * sqrt(f.slope.x * f.slope.x + f.slope.y * f.slope.y);
  return b * (f.major + f.minor) >= S(2.0) * sqrt(f.major * f.minor) * S(1.0 - 1e-9);
}

/// Of all impulses in the cone with v_n = 0, the one that leaves the least energy  [PCI] (8).
struct MaxDissipationLaw {
  static constexpr Law law = Law::max_dissipation;
  static ContactMode classify(const ContactFactor<double>& factor, const Vector3<double>& c);
  /// The exact answer, which is unique; `near` saves time if it is close.
  static ContactAnswer<double> project(const ContactFactor<double>& factor,
                                       const Vector3<double>& c, const Vector3<double>& near);
  static double measure(const ContactFactor<double>& factor, const Vector3<double>& c,
                        const Vector3<double>& impulse);
};

/// The impulse in the cone with the least energy, v_n = µ|v_T| while sliding  [PCI] (7).
struct ConvexLaw {
  static constexpr Law law = Law::convex;
  /// Opening where c is in the dual cone, else sticking where P is in the cone, else slipping.
  static ContactMode classify(const ContactFactor<double>& factor, const Vector3<double>& c);
  /// The exact answer, which is unique; `near` saves time if it is close.
  static ContactAnswer<double> project(const ContactFactor<double>& factor,
                                       const Vector3<double>& c, const Vector3<double>& near);
  static double measure(const ContactFactor<double>& factor, const Vector3<double>& c,
                        const Vector3<double>& impulse);
};

}  // namespace stiction
