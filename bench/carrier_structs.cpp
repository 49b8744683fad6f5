#include "bench/carrier.hpp"
#include "stiction/spatial/spatial.hpp"

namespace stiction::bench {

namespace {

template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> vector(const S (&values)[3]) {
  return {values[0], values[1], values[2]};
}

template <Scalar S>
[[gnu::always_inline]] inline RigidInertia<S> rigid(const CarrierLink<S>& link) {
  const S(&J)[6] = link.inertia;
  return {link.mass, vector(link.mass_center), {J[0], J[1], J[2], J[3], J[4], J[5]}};
}

}  // namespace

template <Scalar S>
void sweep_with_structs(std::span<const CarrierLink<S>> links, std::span<CarrierJoint<S>> joints) {
  ArticulatedInertia<S> I{};
  for (std::size_t i = links.size(); i-- > 0;) {
    const CarrierLink<S>& link = links[i];
    add_rigid(I, rigid(link));
    const Vector3<S> axis = vector(link.axis);
    const Force<S> U{I.angular * axis, transpose_times(I.coupling, axis)};
    const S inverse = S(1.0) / dot(axis, U.angular);
    subtract_outer(I, U, Force<S>{inverse * U.angular, inverse * U.linear});
    joints[i] = {{U.angular.x, U.angular.y, U.angular.z, U.linear.x, U.linear.y, U.linear.z},
                 inverse};
    I = shift(I, vector(link.offset));
  }
}

template void sweep_with_structs(std::span<const CarrierLink<double>>,
                                 std::span<CarrierJoint<double>>);
template void sweep_with_structs(std::span<const CarrierLink<Lane>>, std::span<CarrierJoint<Lane>>);

}  // namespace stiction::bench
