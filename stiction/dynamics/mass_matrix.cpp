#include "stiction/dynamics/mass_matrix.hpp"

namespace stiction {

namespace {

/// Force on a piece of inertia that is accelerated by one unit along a velocity's axis.
template <Scalar S>
[[gnu::always_inline]] inline Force<S> unit_force(const RigidInertia<S>& I, const Vector3<S>& axis,
                                                  bool angular) {
  if (angular) return {I.inertia * axis, cross(axis, I.mass_center)};
  return {cross(I.mass_center, axis), I.mass * axis};
}

template <Scalar S>
[[gnu::always_inline]] inline S along(const Force<S>& f, const Vector3<S>& axis, bool angular) {
  return dot(axis, angular ? f.angular : f.linear);
}

}  // namespace

template <Scalar S>
void mass_matrix(const Model& model, DynamicsData<S>& data, std::span<S> M) {
  const std::vector<BodyConstants>& constants = model.constants();
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  const std::size_t n = degrees.size();
  for (S& entry : M) entry = S(0.0);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    data.composite[i] = {S(constants[i].inertia.mass), data.bodies[i].mass_center,
                         data.bodies[i].inertia};
  }
  for (std::size_t i = constants.size(); i-- > 0;) {
    const BodyConstants& body = constants[i];
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);
    const std::size_t end = first + static_cast<std::size_t>(body.velocity_count);
    if (body.kinematic) {
      for (std::size_t k = first; k < end; ++k) M[k * n + k] = S(1.0);
      continue;
    }
    if (body.parent >= 0) {
      const std::size_t parent = static_cast<std::size_t>(body.parent);
      data.composite[parent] =
          data.composite[parent] + shift(data.composite[i], data.bodies[i].offset);
    }
    for (std::size_t k = first; k < end; ++k) {
      Force<S> f = unit_force(data.composite[i], data.dofs[k].axis, degrees[k].angular);
      M[k * n + k] = along(f, data.dofs[k].axis, degrees[k].angular) +
                     S(model.parameters().armature[static_cast<Eigen::Index>(k)]);
      for (std::size_t j = first; j < k; ++j) {
        M[k * n + j] = along(f, data.dofs[j].axis, degrees[j].angular);
        M[j * n + k] = M[k * n + j];
      }
      std::size_t at = i;
      while (constants[at].parent >= 0) {
        f = shift(f, data.bodies[at].offset);
        at = static_cast<std::size_t>(constants[at].parent);
        if (constants[at].kinematic) break;
        const std::size_t start = static_cast<std::size_t>(constants[at].velocity_index);
        const std::size_t stop = start + static_cast<std::size_t>(constants[at].velocity_count);
        for (std::size_t j = start; j < stop; ++j) {
          M[k * n + j] = along(f, data.dofs[j].axis, degrees[j].angular);
          M[j * n + k] = M[k * n + j];
        }
      }
    }
  }
}

template <Scalar S>
void factorize_mass_matrix(const Model& model, std::span<S> M) {
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  const std::size_t n = degrees.size();
  for (std::size_t k = n; k-- > 0;) {
    const S inverse = S(1.0) / M[k * n + k];
    for (int i = degrees[k].parent; i >= 0; i = degrees[static_cast<std::size_t>(i)].parent) {
      const std::size_t row = static_cast<std::size_t>(i);
      const S scaled = M[k * n + row] * inverse;
      for (int j = i; j >= 0; j = degrees[static_cast<std::size_t>(j)].parent) {
        const std::size_t column = static_cast<std::size_t>(j);
        M[row * n + column] = fnma(scaled, M[k * n + column], M[row * n + column]);
      }
      M[k * n + row] = scaled;
    }
  }
}

template <Scalar S>
void solve_mass_matrix(const Model& model, std::span<const S> factors, std::span<S> x) {
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  const std::size_t n = degrees.size();
  for (std::size_t k = n; k-- > 0;) {
    for (int i = degrees[k].parent; i >= 0; i = degrees[static_cast<std::size_t>(i)].parent) {
      const std::size_t row = static_cast<std::size_t>(i);
      x[row] = fnma(factors[k * n + row], x[k], x[row]);
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    S value = x[k] / factors[k * n + k];
    for (int i = degrees[k].parent; i >= 0; i = degrees[static_cast<std::size_t>(i)].parent) {
      const std::size_t row = static_cast<std::size_t>(i);
      value = fnma(factors[k * n + row], x[row], value);
    }
    x[k] = value;
  }
}

template void mass_matrix(const Model&, DynamicsData<double>&, std::span<double>);
template void mass_matrix(const Model&, DynamicsData<Lane>&, std::span<Lane>);
template void factorize_mass_matrix(const Model&, std::span<double>);
template void factorize_mass_matrix(const Model&, std::span<Lane>);
template void solve_mass_matrix(const Model&, std::span<const double>, std::span<double>);
template void solve_mass_matrix(const Model&, std::span<const Lane>, std::span<Lane>);

Eigen::MatrixXd mass_matrix(const Model& model, DynamicsData<double>& data) {
  const Eigen::Index n = model.velocity_count();
  Eigen::MatrixXd M(n, n);
  mass_matrix<double>(model, data, {M.data(), static_cast<std::size_t>(n * n)});
  return M;
}

}  // namespace stiction
