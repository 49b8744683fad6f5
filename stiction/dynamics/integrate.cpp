#include "stiction/dynamics/integrate.hpp"

#include "stiction/dynamics/spans.hpp"

namespace stiction {

namespace {

template <Scalar S>
[[gnu::always_inline]] inline void write(const Quaternion<S>& value, std::span<S> q,
                                         std::size_t first) {
  q[first] = value.x;
  q[first + 1] = value.y;
  q[first + 2] = value.z;
  q[first + 3] = value.w;
}

template <Scalar S>
[[gnu::always_inline]] inline Vector3<S> read3(std::span<const S> v, std::size_t first) {
  return {v[first], v[first + 1], v[first + 2]};
}

template <Scalar S>
[[gnu::always_inline]] inline void write3(const Vector3<S>& value, std::span<S> v,
                                          std::size_t first) {
  v[first] = value.x;
  v[first + 1] = value.y;
  v[first + 2] = value.z;
}

}  // namespace

template <Scalar S>
void integrate(const Model& model, std::span<const S> q, std::span<const S> v, const S& h,
               std::span<S> result) {
  for (const BodyConstants& body : model.constants()) {
    const std::size_t iq = static_cast<std::size_t>(body.position_index);
    const std::size_t iv = static_cast<std::size_t>(body.velocity_index);
    if (body.joint == JointKind::spherical) {
      const Quaternion<S> turn = exp_quaternion(h * read3(v, iv));
      write(normalized(read_quaternion(q, iq) * turn), result, iq);
    } else if (body.joint == JointKind::floating) {
      write3(multiply_add(h, read3(v, iv), read3(q, iq)), result, iq);
      const Quaternion<S> turn = exp_quaternion(h * read3(v, iv + 3));
      write(normalized(turn * read_quaternion(q, iq + 3)), result, iq + 3);
    } else {
      for (std::size_t k = 0; k < static_cast<std::size_t>(body.velocity_count); ++k) {
        result[iq + k] = fma(h, v[iv + k], q[iq + k]);
      }
    }
  }
}

template <Scalar S>
void difference(const Model& model, std::span<const S> q0, std::span<const S> q1, std::span<S> v) {
  for (const BodyConstants& body : model.constants()) {
    const std::size_t iq = static_cast<std::size_t>(body.position_index);
    const std::size_t iv = static_cast<std::size_t>(body.velocity_index);
    if (body.joint == JointKind::spherical) {
      write3(log_quaternion(conjugate(read_quaternion(q0, iq)) * read_quaternion(q1, iq)), v, iv);
    } else if (body.joint == JointKind::floating) {
      write3(read3(q1, iq) - read3(q0, iq), v, iv);
      write3(log_quaternion(read_quaternion(q1, iq + 3) * conjugate(read_quaternion(q0, iq + 3))),
             v, iv + 3);
    } else {
      for (std::size_t k = 0; k < static_cast<std::size_t>(body.velocity_count); ++k) {
        v[iv + k] = q1[iq + k] - q0[iq + k];
      }
    }
  }
}

template void integrate(const Model&, std::span<const double>, std::span<const double>,
                        const double&, std::span<double>);
template void integrate(const Model&, std::span<const Lane>, std::span<const Lane>, const Lane&,
                        std::span<Lane>);
template void difference(const Model&, std::span<const double>, std::span<const double>,
                         std::span<double>);
template void difference(const Model&, std::span<const Lane>, std::span<const Lane>,
                         std::span<Lane>);

Eigen::VectorXd integrate(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                          double h) {
  require_size(q, model.position_count(), "q");
  require_size(v, model.velocity_count(), "v");
  Eigen::VectorXd result(q.size());
  integrate<double>(model, as_span(q), as_span(v), h, as_span(result));
  return result;
}

Eigen::VectorXd difference(const Model& model, const Eigen::VectorXd& q0,
                           const Eigen::VectorXd& q1) {
  require_size(q0, model.position_count(), "q0");
  require_size(q1, model.position_count(), "q1");
  Eigen::VectorXd v(model.velocity_count());
  difference<double>(model, as_span(q0), as_span(q1), as_span(v));
  return v;
}

}  // namespace stiction
