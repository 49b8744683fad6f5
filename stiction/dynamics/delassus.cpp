#include "stiction/dynamics/delassus.hpp"

#include <algorithm>
#include <cassert>

#include "stiction/dynamics/base_factor.hpp"

namespace stiction {

namespace {

/// The most bodies and velocities on the way from any body to its root.
std::pair<int, int> longest_path(const Model& model) {
  std::vector<std::pair<int, int>> lengths(static_cast<std::size_t>(model.body_count()), {0, 0});
  std::pair<int, int> longest{0, 0};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const BodyConstants& body = model.constants()[i];
    const std::pair<int, int> parent =
        body.parent < 0 ? std::pair{0, 0} : lengths[static_cast<std::size_t>(body.parent)];
    lengths[i] = {parent.first + 1, parent.second + body.velocity_count};
    longest.first = std::max(longest.first, lengths[i].first);
    longest.second = std::max(longest.second, lengths[i].second);
  }
  return longest;
}

/// The body itself if a force can move it, else none.
int movable(const Model& model, int body) {
  if (body < 0 || model.constants()[static_cast<std::size_t>(body)].kinematic) return world_body;
  return body;
}

template <Scalar S>
[[gnu::always_inline]] inline void subtract_outer(Matrix3<S>& m, const Vector3<S>& column,
                                                  const Vector3<S>& row) {
  m.c0 = multiply_subtract(row.x, column, m.c0);
  m.c1 = multiply_subtract(row.y, column, m.c1);
  m.c2 = multiply_subtract(row.z, column, m.c2);
}

}  // namespace

template <Scalar S>
DelassusKernel<S>::DelassusKernel(const Model& model, int capacity) : capacity_(capacity) {
  const auto [bodies, velocities] = longest_path(model);
  steps_per_contact_ = 2 * bodies;
  shares_per_contact_ = 2 * velocities;
  steps_.resize(static_cast<std::size_t>(capacity * steps_per_contact_));
  step_counts_.resize(static_cast<std::size_t>(capacity));
  shares_.resize(static_cast<std::size_t>(capacity * shares_per_contact_));
  residuals_.resize(static_cast<std::size_t>(model.velocity_count()));
  accelerations_.resize(static_cast<std::size_t>(model.body_count()));
}

template <Scalar S>
void DelassusKernel<S>::propagate(const Model& model, const DynamicsData<S>& data,
                                  std::span<const ContactPoint<S>> contacts) {
  assert(contacts.size() <= static_cast<std::size_t>(capacity_));
  count_ = static_cast<int>(contacts.size());
  for (int i = 0; i < count_; ++i) {
    propagate_one(model, data, contacts[static_cast<std::size_t>(i)], i);
  }
}

template <Scalar S>
void DelassusKernel<S>::propagate_one(const Model& model, const DynamicsData<S>& data,
                                      const ContactPoint<S>& contact, int index) {
  const auto start = [&](int body, const Matrix3<S>& axes) -> Wrench3 {
    if (body < 0) return {};
    const Vector3<S> arm = contact.point - data.bodies[static_cast<std::size_t>(body)].position;
    return {{cross(arm, axes.c0), cross(arm, axes.c1), cross(arm, axes.c2)}, axes};
  };
  int at_a = movable(model, contact.body_a);
  int at_b = movable(model, contact.body_b);
  Wrench3 wrench_b = start(at_b, contact.axes);
  Wrench3 wrench_a;
  if (at_a >= 0) {
    wrench_a = start(at_a, {-contact.axes.c0, -contact.axes.c1, -contact.axes.c2});
  }
  Step* steps = steps_.data() + index * steps_per_contact_;
  int step = 0;
  int share = index * shares_per_contact_;
  while (at_a >= 0 || at_b >= 0) {
    if (at_a == at_b) {
      wrench_b = {wrench_b.angular + wrench_a.angular, wrench_b.linear + wrench_a.linear};
      at_a = world_body;
    }
    int& at = at_b > at_a ? at_b : at_a;
    Wrench3& wrench = at_b > at_a ? wrench_b : wrench_a;
    const BodyConstants& body = model.constants()[static_cast<std::size_t>(at)];
    pass_body(model, data, at, wrench, shares_.data() + share);
    steps[step++] = {at, body.velocity_count, share};
    share += body.velocity_count;
    const Vector3<S>& r = data.bodies[static_cast<std::size_t>(at)].offset;
    at = movable(model, body.parent);
    if (at >= 0) {
      wrench.angular.c0 = cross_add(r, wrench.linear.c0, wrench.angular.c0);
      wrench.angular.c1 = cross_add(r, wrench.linear.c1, wrench.angular.c1);
      wrench.angular.c2 = cross_add(r, wrench.linear.c2, wrench.angular.c2);
    }
  }
  step_counts_[static_cast<std::size_t>(index)] = step;
}

template <Scalar S>
void DelassusKernel<S>::pass_body(const Model& model, const DynamicsData<S>& data, int body,
                                  Wrench3& wrench, Share* shares) const {
  const BodyConstants& constants = model.constants()[static_cast<std::size_t>(body)];
  const std::size_t first = static_cast<std::size_t>(constants.velocity_index);
  if (constants.joint == JointKind::floating) {
    const BaseFactor<S>& factor = data.base_factors[static_cast<std::size_t>(
        data.base_factor_of_body[static_cast<std::size_t>(body)])];
    const Matrix3<S> linear = transpose(wrench.linear);
    const Matrix3<S> angular = transpose(wrench.angular);
    Vector3<S> x[6] = {linear.c0, linear.c1, linear.c2, angular.c0, angular.c1, angular.c2};
#pragma GCC unroll 6
    for (int i = 1; i < 6; ++i) {
#pragma GCC unroll 6
      for (int j = 0; j < i; ++j) {
        x[i] = multiply_subtract(factor.lower[packed_index(i, j)], x[j], x[i]);
      }
    }
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) shares[k] = {x[k], factor.inverse_diagonal[k] * x[k]};
    return;
  }
  for (int k = constants.velocity_count; k-- > 0;) {
    const std::size_t slot = first + static_cast<std::size_t>(k);
    const DofData<S>& dof = data.dofs[slot];
    const bool angular = model.degrees_of_freedom()[slot].angular;
    const Vector3<S> y = transpose_times(angular ? wrench.angular : wrench.linear, dof.axis);
    const Vector3<S> scaled = dof.inverse_inertia * y;
    shares[k] = {y, scaled};
    subtract_outer(wrench.angular, dof.response.angular, scaled);
    subtract_outer(wrench.linear, dof.response.linear, scaled);
  }
}

template <Scalar S>
void DelassusKernel<S>::delassus(std::span<S> G) const {
  const std::size_t n = 3 * static_cast<std::size_t>(count_);
  for (int i = 0; i < count_; ++i) {
    for (int j = 0; j <= i; ++j) {
      const Step* a = steps_.data() + i * steps_per_contact_;
      const Step* b = steps_.data() + j * steps_per_contact_;
      const Step* const a_end = a + step_counts_[static_cast<std::size_t>(i)];
      const Step* const b_end = b + step_counts_[static_cast<std::size_t>(j)];
      Matrix3<S> block;  // columns: the directions of contact j
      while (a != a_end && b != b_end) {
        if (a->body > b->body) {
          ++a;
        } else if (b->body > a->body) {
          ++b;
        } else {
          const Share* u = shares_.data() + a->first_share;
          const Share* w = shares_.data() + b->first_share;
          for (int k = 0; k < a->velocities; ++k) {
            block.c0 = multiply_add(w[k].scaled.x, u[k].y, block.c0);
            block.c1 = multiply_add(w[k].scaled.y, u[k].y, block.c1);
            block.c2 = multiply_add(w[k].scaled.z, u[k].y, block.c2);
          }
          ++a;
          ++b;
        }
      }
      const std::size_t row = 3 * static_cast<std::size_t>(i);
      const std::size_t column = 3 * static_cast<std::size_t>(j);
      const Vector3<S>* columns[3] = {&block.c0, &block.c1, &block.c2};
      for (std::size_t c = 0; c < 3; ++c) {
        const Vector3<S>& entry = *columns[c];
        G[row * n + column + c] = entry.x;
        G[(row + 1) * n + column + c] = entry.y;
        G[(row + 2) * n + column + c] = entry.z;
        // On the diagonal one triangle is written over the other: exactly symmetric.
        G[(column + c) * n + row] = entry.x;
        G[(column + c) * n + row + 1] = entry.y;
        G[(column + c) * n + row + 2] = entry.z;
      }
    }
  }
}

template <Scalar S>
void DelassusKernel<S>::inverse_mass_times_transpose(const Model& model,
                                                     const DynamicsData<S>& data, int contact,
                                                     std::span<S> columns) {
  const std::vector<DegreeOfFreedom>& degrees = model.degrees_of_freedom();
  for (Vector3<S>& residual : residuals_) residual = {};
  const Step* steps = steps_.data() + contact * steps_per_contact_;
  for (int s = 0; s < step_counts_[static_cast<std::size_t>(contact)]; ++s) {
    const int first = model.constants()[static_cast<std::size_t>(steps[s].body)].velocity_index;
    for (int k = 0; k < steps[s].velocities; ++k) {
      residuals_[static_cast<std::size_t>(first + k)] =
          shares_[static_cast<std::size_t>(steps[s].first_share + k)].scaled;
    }
  }
  const std::size_t n = degrees.size();
  const auto write = [&columns, n](std::size_t k, const Vector3<S>& value) {
    columns[k] = value.x;
    columns[n + k] = value.y;
    columns[2 * n + k] = value.z;
  };
  for (std::size_t i = 0; i < accelerations_.size(); ++i) {
    const BodyConstants& body = model.constants()[i];
    const std::size_t first = static_cast<std::size_t>(body.velocity_index);
    Wrench3 a;  // angular and linear acceleration, one column per direction
    if (body.kinematic) {
      for (std::size_t k = first; k < first + 6; ++k) write(k, {});
    } else if (body.joint == JointKind::floating) {
      const BaseFactor<S>& factor =
          data.base_factors[static_cast<std::size_t>(data.base_factor_of_body[i])];
      Vector3<S> x[6];
      for (std::size_t k = 0; k < 6; ++k) x[k] = residuals_[first + k];
      for (int row = 5; row > 0; --row) {
        for (int j = 0; j < row; ++j) {
          x[j] = multiply_subtract(factor.lower[packed_index(row, j)], x[row], x[j]);
        }
      }
      for (std::size_t k = 0; k < 6; ++k) write(first + k, x[k]);
      a = {transpose(Matrix3<S>{x[3], x[4], x[5]}), transpose(Matrix3<S>{x[0], x[1], x[2]})};
    } else {
      if (body.parent >= 0) {
        a = accelerations_[static_cast<std::size_t>(body.parent)];
        const Vector3<S>& r = data.bodies[i].offset;
        a.linear.c0 = cross_add(a.angular.c0, r, a.linear.c0);
        a.linear.c1 = cross_add(a.angular.c1, r, a.linear.c1);
        a.linear.c2 = cross_add(a.angular.c2, r, a.linear.c2);
      }
      for (std::size_t k = first; k < first + static_cast<std::size_t>(body.velocity_count); ++k) {
        const DofData<S>& dof = data.dofs[k];
        const Vector3<S> carried = transpose_times(a.angular, dof.response.angular) +
                                   transpose_times(a.linear, dof.response.linear);
        const Vector3<S> value = multiply_subtract(dof.inverse_inertia, carried, residuals_[k]);
        write(k, value);
        subtract_outer(degrees[k].angular ? a.angular : a.linear, -dof.axis, value);
      }
    }
    accelerations_[i] = a;
  }
}

template class DelassusKernel<double>;
template class DelassusKernel<Lane>;

Eigen::MatrixXd delassus(const Model& model, const DynamicsData<double>& data,
                         std::span<const ContactPoint<double>> contacts) {
  DelassusKernel<double> kernel(model, static_cast<int>(contacts.size()));
  kernel.propagate(model, data, contacts);
  const Eigen::Index n = 3 * static_cast<Eigen::Index>(contacts.size());
  Eigen::MatrixXd G(n, n);
  kernel.delassus({G.data(), static_cast<std::size_t>(G.size())});
  return G;
}

}  // namespace stiction
