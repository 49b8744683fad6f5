#include "stiction/dynamics/mass_matrix.hpp"

#include <algorithm>

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

/// Copies the lower triangle to the upper one, in blocks that fit the cache.
template <Scalar S>
void mirror(std::span<S> M, std::size_t n) {
  constexpr std::size_t block = 8;
  for (std::size_t row = 0; row < n; row += block) {
    for (std::size_t column = 0; column <= row; column += block) {
      for (std::size_t i = row; i < std::min(row + block, n); ++i) {
        for (std::size_t j = column; j < std::min(column + block, i); ++j) {
          M[j * n + i] = M[i * n + j];
        }
      }
    }
  }
}

}  // namespace

template <Scalar S>
void mass_matrix(const Model& model, DynamicsData<S>& data, std::span<S> M) {
  const std::vector<BodyConstants>& constants = model.constants();
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  const std::size_t n = degrees.size();
  for (S& entry : M) entry = S(0.0);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    data.composite[i] = world_inertia(constants[i], data.bodies[i]);
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
        }
      }
    }
  }
  mirror(M, n);
}

namespace {

/// target[j] -= scale * source[j] for velocity `last` and all before it on the way to the root.
/// They lie in unbroken runs, which the compiler can vectorise.
template <Scalar S>
[[gnu::always_inline]] inline void subtract_ancestors(const DegreeOfFreedom* degrees, int last,
                                                      const S& scale, const S* source, S* target) {
  while (last >= 0) {
    const int start = degrees[last].run_start;
    for (int j = start; j <= last; ++j) target[j] = fnma(scale, source[j], target[j]);
    last = degrees[start].parent;
  }
}

}  // namespace

template <Scalar S>
void factorize_mass_matrix(const Model& model, std::span<S> M) {
  const DegreeOfFreedom* degrees = model.degrees_of_freedom().data();
  const std::size_t n = model.degrees_of_freedom().size();
  for (std::size_t k = n; k-- > 0;) {
    S* row = M.data() + k * n;
    const S inverse = S(1.0) / row[k];
    for (int i = degrees[k].parent; i >= 0; i = degrees[i].parent) {
      const S scaled = row[i] * inverse;
      subtract_ancestors(degrees, i, scaled, row, M.data() + static_cast<std::size_t>(i) * n);
      row[i] = scaled;
    }
  }
}

template <Scalar S>
void solve_mass_matrix(const Model& model, std::span<const S> factors, std::span<S> x) {
  const DegreeOfFreedom* degrees = model.degrees_of_freedom().data();
  const std::size_t n = model.degrees_of_freedom().size();
  for (std::size_t k = n; k-- > 0;) {
    subtract_ancestors(degrees, degrees[k].parent, x[k], factors.data() + k * n, x.data());
  }
  for (std::size_t k = 0; k < n; ++k) {
    const S* row = factors.data() + k * n;
    S value = x[k] / row[k];
    for (int i = degrees[k].parent; i >= 0; i = degrees[i].parent) {
      value = fnma(row[i], x[static_cast<std::size_t>(i)], value);
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
