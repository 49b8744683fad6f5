#pragma once

/// \file
/// The laws of contact as types with the same functions: classify() finds the mode of a
/// contact, project() the impulse that the law requires, measure() the distance of an impulse from
/// it. c is the velocity without this contact's impulse, v = c + W λ.

#include "stiction/contact/one_contact.hpp"

namespace stiction {

/// 0 ≤ λ_n ⊥ v_n ≥ 0, |λ_T| ≤ µλ_n, and λ_T = −µλ_n v_T/|v_T| while v_T ≠ 0  [PCI] (6).
struct CoulombLaw {
  static constexpr Law law = Law::coulomb;
  /// Open if c_n > 0, otherwise stick if P is in the cone, otherwise slip.
  static ContactMode classify(const ContactFactor<double>& factor, const Vector3<double>& c);
  /// The exact answer; the one nearest to `near` if there are several (see may_have_several()).
  static ContactAnswer<double> project(const ContactFactor<double>& factor,
                                       const Vector3<double>& c, const Vector3<double>& near);
  /// ‖λ − project(c, λ)‖ [N·s]
  static double measure(const ContactFactor<double>& factor, const Vector3<double>& c,
                        const Vector3<double>& impulse);
};

/// Whether Coulomb's law may have several answers: if the eccentricity |b| is at least 2√κ/(1 + κ),
/// with κ the condition number of S.
template <Scalar S>
[[nodiscard]] auto may_have_several(const ContactFactor<S>& f) {
  const S b = f.friction * sqrt(f.slope.x * f.slope.x + f.slope.y * f.slope.y);
  return b * (f.major + f.minor) >= S(2.0) * sqrt(f.major * f.minor) * S(1.0 - 1e-9);
}

/// Among all impulses in the cone with v_n = 0, the one that leaves the least energy  [PCI] (8).
struct MaxDissipationLaw {
  static constexpr Law law = Law::max_dissipation;
  static ContactMode classify(const ContactFactor<double>& factor, const Vector3<double>& c);
  /// The exact answer, which is unique. A close `near` saves time.
  static ContactAnswer<double> project(const ContactFactor<double>& factor,
                                       const Vector3<double>& c, const Vector3<double>& near);
  static double measure(const ContactFactor<double>& factor, const Vector3<double>& c,
                        const Vector3<double>& impulse);
};

/// The impulse in the cone with the least energy, v_n = µ|v_T| while sliding  [PCI] (7).
struct ConvexLaw {
  static constexpr Law law = Law::convex;
  /// Open if c is in the dual cone, otherwise stick if P is in the cone, otherwise slip.
  static ContactMode classify(const ContactFactor<double>& factor, const Vector3<double>& c);
  /// The exact answer, which is unique. A close `near` saves time.
  static ContactAnswer<double> project(const ContactFactor<double>& factor,
                                       const Vector3<double>& c, const Vector3<double>& near);
  static double measure(const ContactFactor<double>& factor, const Vector3<double>& c,
                        const Vector3<double>& impulse);
};

/// What certificate and sweeps ask of a law, by the enum. A slipping answer without friction
/// (µλ_n > 0, λ_t = 0) stands for an overflow: the certificate takes it for none.
struct LawFunctions {
  Law law;
  ContactAnswer<double> (*project)(const ContactFactor<double>& factor, const Vector3<double>& c,
                                   const Vector3<double>& near);
};

[[nodiscard]] const LawFunctions& functions_of(Law law);

}  // namespace stiction
