// Compiled twice: STICTION_CARRIER_SWEEP names the function, the build chooses the contraction.
#include <Eigen/Core>
#include <Eigen/Geometry>

#include "bench/carrier.hpp"

namespace Eigen {

template <>
struct NumTraits<stiction::Lane> : GenericNumTraits<stiction::Lane> {
  using Real = stiction::Lane;
  using NonInteger = stiction::Lane;
  using Literal = stiction::Lane;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 0 };
};

}  // namespace Eigen

namespace stiction::bench {

namespace {

template <Scalar S>
using Vector = Eigen::Matrix<S, 3, 1>;
template <Scalar S>
using Matrix = Eigen::Matrix<S, 3, 3>;

template <Scalar S>
[[gnu::always_inline]] inline Vector<S> vector(const S (&values)[3]) {
  return {values[0], values[1], values[2]};
}

template <Scalar S>
[[gnu::always_inline]] inline Matrix<S> cross_matrix(const Vector<S>& r) {
  Matrix<S> result;
  result << S(0.0), -r[2], r[1], r[2], S(0.0), -r[0], -r[1], r[0], S(0.0);
  return result;
}

}  // namespace

template <Scalar S>
[[gnu::flatten]] void STICTION_CARRIER_SWEEP(std::span<const CarrierLink<S>> links,
                                             std::span<CarrierJoint<S>> joints) {
  Matrix<S> A = Matrix<S>::Constant(S(0.0));
  Matrix<S> B = A;
  Matrix<S> C = A;
  for (std::size_t i = links.size(); i-- > 0;) {
    const CarrierLink<S>& link = links[i];
    const S(&J)[6] = link.inertia;
    Matrix<S> inertia;
    inertia << J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5];
    A += inertia;
    B += cross_matrix<S>(vector(link.mass_center));
    C.diagonal().array() += link.mass;

    const Vector<S> axis = vector(link.axis);
    const Vector<S> U = A * axis;
    const Vector<S> V = B.transpose() * axis;
    const S inverse = S(1.0) / axis.dot(U);
    const Vector<S> scaled_U = U * inverse;
    const Vector<S> scaled_V = V * inverse;
    A.noalias() -= scaled_U * U.transpose();
    B.noalias() -= U * scaled_V.transpose();
    C.noalias() -= scaled_V * V.transpose();
    joints[i] = {{U[0], U[1], U[2], V[0], V[1], V[2]}, inverse};

    // By columns and rows, as nine cross products: a full product with the matrix of r would
    // multiply by its zeros.
    const Vector<S> r = vector(link.offset);
    Matrix<S> P;
    for (int k = 0; k < 3; ++k) P.col(k) = B.col(k) + r.cross(Vector<S>(C.col(k)));
    for (int k = 0; k < 3; ++k) {
      A.col(k) += r.cross(Vector<S>(P.row(k)));
      A.row(k) += r.cross(Vector<S>(B.row(k))).transpose();
    }
    B = P;
  }
}

template void STICTION_CARRIER_SWEEP(std::span<const CarrierLink<double>>,
                                     std::span<CarrierJoint<double>>);
template void STICTION_CARRIER_SWEEP(std::span<const CarrierLink<Lane>>,
                                     std::span<CarrierJoint<Lane>>);

}  // namespace stiction::bench
