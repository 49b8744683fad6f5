#include "stiction/contact/certificate_lane.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/contact/friction_cone.hpp"
#include "stiction/contact/laws.hpp"
#include "stiction/contact/one_contact_solvers.hpp"

namespace stiction {

namespace {

constexpr std::size_t width = 4;

/// If an impulse is this close to its answer, relative to its size, no other answer is closer.
constexpr double near_enough = 1e-6;

/// One number of each contact.
template <class Read>
Lane gather(const Read& read) {
  if constexpr (judges_in_lanes) {
    return Lane{read(0), read(1), read(2), read(3)};
  } else {
    return Lane(read(0));
  }
}

template <class Read>
Vector3<Lane> gather3(const Read& read) {
  return {gather([&](std::size_t k) { return read(k)[0]; }),
          gather([&](std::size_t k) { return read(k)[1]; }),
          gather([&](std::size_t k) { return read(k)[2]; })};
}

ContactFactor<Lane> gather_factors(const ContactFactor<double>* const* from) {
  const auto each = [from](const auto& read) {
    return gather([&](std::size_t k) { return read(*from[k]); });
  };
  ContactFactor<Lane> f;
  f.W = {each([](const auto& c) { return c.W.xx; }), each([](const auto& c) { return c.W.xy; }),
         each([](const auto& c) { return c.W.xz; }), each([](const auto& c) { return c.W.yy; }),
         each([](const auto& c) { return c.W.yz; }), each([](const auto& c) { return c.W.zz; })};
  f.friction = each([](const auto& c) { return c.friction; });
  f.inverse_nn = each([](const auto& c) { return c.inverse_nn; });
  f.axis = {each([](const auto& c) { return c.axis.x; }),
            each([](const auto& c) { return c.axis.y; })};
  f.major = each([](const auto& c) { return c.major; });
  f.minor = each([](const auto& c) { return c.minor; });
  f.inverse_major = each([](const auto& c) { return c.inverse_major; });
  f.inverse_minor = each([](const auto& c) { return c.inverse_minor; });
  f.slope = {each([](const auto& c) { return c.slope.x; }),
             each([](const auto& c) { return c.slope.y; })};
  f.rounding = each([](const auto& c) { return c.rounding; });
  f.singular = each([](const auto& c) { return c.singular; });
  return f;
}

/// Whether some contact must be examined alone.
bool is_unusual(const ContactFactor<Lane>& factor, const Vector3<Lane>& alone,
                const Vector3<Lane>& lambda, const ContactAnswer<Lane>& answer) {
  const Lane size = maximum(maximum(abs(alone.x), abs(alone.y)), abs(alone.z));
  const Lane trace = factor.W.xx + factor.W.yy + factor.W.zz;
  const auto moderate = size <= Lane(moderate_size) && size >= Lane(1.0 / moderate_size) &&
                        trace <= Lane(moderate_size) && trace >= Lane(1.0 / moderate_size);
  const Vector3<Lane>& l = answer.impulse;
  // Where numbers overflowed, the solver returns an impulse without friction.
  const auto fallback = answer.mode == Lane(2.0) && l.x == Lane(0.0) && l.y == Lane(0.0);
  const auto near = norm(l - lambda) <= Lane(near_enough) * norm(lambda) || !(lambda.z > Lane(0.0));
  return any(!moderate || fallback || (!near && may_have_several(factor)));
}

struct Measures {
  Lane signorini, penetration, closing, cone, dissipation, work, law, natural;
};

Measures measure(const ContactFactor<Lane>& factor, const Scales& scales,
                 const Vector3<Lane>& lambda, const Vector3<Lane>& w,
                 const Vector3<Lane>& target_and_free, const Vector3<Lane>& answer) {
  const Lane& mu = factor.friction;
  const Lane by_impulse(1.0 / scales.impulse);
  const Lane by_velocity(1.0 / scales.velocity);
  const Vector3<Lane> l = by_impulse * lambda;
  const Lane slip = Lane(scales.velocity) * tangential_norm(by_velocity * w);
  Measures m;
  m.work = Lane(0.5) * dot(lambda, target_and_free);
  m.signorini = abs(minimum(l.z, by_velocity * w.z));
  m.penetration = -w.z;
  m.closing = -(by_velocity * w.z);
  m.cone = maximum(tangential_norm(l) - mu * l.z, -l.z);
  m.dissipation = abs(mu * lambda.z * slip + lambda.x * w.x + lambda.y * w.y);
  m.law = norm(by_impulse * (lambda - answer));
  const Lane rho = Lane(3.0) / (factor.W.xx + factor.W.yy + factor.W.zz);
  const Vector3<Lane> step = (rho * by_impulse) * Vector3<Lane>{w.x, w.y, fma(mu, slip, w.z)};
  m.natural = norm(l - FrictionCone<Lane>{mu}.project(l - step));
  return m;
}

void add(const Measures& measures, int first, int count, Certificate& certificate) {
  double values[8][lane_width];
  const Lane* const lanes[8] = {&measures.signorini, &measures.penetration, &measures.closing,
                                &measures.cone,      &measures.dissipation, &measures.work,
                                &measures.law,       &measures.natural};
  for (std::size_t i = 0; i < 8; ++i) lanes[i]->store_unaligned(values[i]);
  for (int k = 0; k < count; ++k) {
    certificate.signorini = std::max(certificate.signorini, values[0][k]);
    certificate.penetration_rate = std::max(certificate.penetration_rate, values[1][k]);
    certificate.closing = std::max(certificate.closing, values[2][k]);
    certificate.cone = std::max(certificate.cone, values[3][k]);
    certificate.dissipation = std::max(certificate.dissipation, values[4][k]);
    certificate.work += values[5][k];
    if (std::max(values[6][k], values[7][k]) > certificate.residual()) {
      certificate.worst_block = first + k;
    }
    certificate.law_residual = std::max(certificate.law_residual, values[6][k]);
    certificate.natural_residual = std::max(certificate.natural_residual, values[7][k]);
  }
}

}  // namespace

bool examine_in_lane(const ContactProblem& problem, std::span<const ContactFactor<double>> factors,
                     int first, int count, std::span<const double> impulse,
                     std::span<const double> velocity, Certificate& certificate) {
  const ContactFactor<double>* each[width];
  std::size_t row[width];
  for (std::size_t k = 0; k < width; ++k) {  // spare places repeat the last contact
    const std::size_t block =
        static_cast<std::size_t>(std::min(first + static_cast<int>(k), first + count - 1));
    each[k] = &factors[block];
    row[k] = static_cast<std::size_t>(problem.blocks()[block].row);
  }
  const auto read = [&row](const double* from) {
    return gather3([&row, from](std::size_t k) { return from + row[k]; });
  };
  const ContactFactor<Lane> factor = gather_factors(each);
  const Vector3<Lane> lambda = read(impulse.data());
  const Vector3<Lane> w = read(velocity.data());
  const Vector3<Lane> alone = w - factor.W * lambda;
  const OneContactSolver<SlipNewton<Law::coulomb>> solve{{exact_tolerance}};
  const ContactAnswer<Lane> answer = solve(factor, alone, lambda);
  if (is_unusual(factor, alone, lambda, answer)) return false;
  const Vector3<Lane> sum =
      w + read(problem.target().data()) + read(problem.free_velocity().data());
  const Measures measures = measure(factor, certificate.scales, lambda, w, sum, answer.impulse);
  // NaN would pass every comparison below: such contacts are examined alone.
  if (any(!(measures.law + measures.natural <= Lane(moderate_size)))) return false;
  add(measures, first, count, certificate);
  return true;
}

}  // namespace stiction
