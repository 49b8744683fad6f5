#pragma once

/// \file
/// One piece of a hot kernel in two costumes: the articulated inertias of a chain of revolute
/// joints, from its tip to its base, with plain structs and with Eigen's fixed-size matrices.

#include <span>

#include "stiction/core/scalar.hpp"

namespace stiction::bench {

/// A link and its joint, world axes, as bare numbers that neither costume prefers.
template <Scalar S>
struct CarrierLink {
  S axis[3];
  S offset[3];  ///< from the parent's origin
  S mass;
  S mass_center[3];  ///< mass times centre of mass
  S inertia[6];      ///< xx xy xz yy yz zz
};

/// What the elimination of one joint leaves.
template <Scalar S>
struct CarrierJoint {
  S response[6];  ///< U, angular first
  S inverse_inertia;
};

/// Eliminates all joints and shifts each articulated inertia to the parent. The same sums in the
/// same shape (three 3x3 blocks); only the type that holds them differs.
template <Scalar S>
void sweep_with_structs(std::span<const CarrierLink<S>> links, std::span<CarrierJoint<S>> joints);

template <Scalar S>
void sweep_with_eigen(std::span<const CarrierLink<S>> links, std::span<CarrierJoint<S>> joints);

/// As above, compiled with contraction: the compiler may fuse multiplications and additions as it
/// likes, and then a lane and a lone robot no longer agree.
template <Scalar S>
void sweep_with_contracted_eigen(std::span<const CarrierLink<S>> links,
                                 std::span<CarrierJoint<S>> joints);

}  // namespace stiction::bench
