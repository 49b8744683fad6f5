#include "stiction/contact/certificate_lane.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "stiction/contact/friction_cone.hpp"
#include "stiction/contact/laws.hpp"
#include "stiction/contact/one_contact_solvers.hpp"
#include "stiction/core/lane_records.hpp"

namespace stiction {

namespace {

constexpr std::size_t width = 4;

/// If an impulse is this close to its answer, relative to its size, no other answer is closer.
constexpr double near_enough = 1e-6;

/// The three rows of each contact: of four that follow each other as whole lanes.
[[gnu::always_inline]] inline Vector3<Lane> read_rows(const double* numbers, std::size_t first,
                                                      int count) {
  const double* const from = numbers + first;
#if defined(STICTION_FOUR_DOUBLES)
  if (count == static_cast<int>(width)) {
    const __m256d a = _mm256_loadu_pd(from);      // x0 y0 z0 x1
    const __m256d b = _mm256_loadu_pd(from + 4);  // y1 z1 x2 y2
    const __m256d c = _mm256_loadu_pd(from + 8);  // z2 x3 y3 z3
    const __m256d xy = _mm256_blend_pd(a, b, 0b1100);
    const __m256d zx = _mm256_permute2f128_pd(a, c, 0x21);
    const __m256d yz = _mm256_blend_pd(b, c, 0b1100);
    return {Lane(_mm256_shuffle_pd(xy, zx, 0b1010)), Lane(_mm256_shuffle_pd(xy, yz, 0b0101)),
            Lane(_mm256_shuffle_pd(zx, yz, 0b1010))};
  }
#endif
  const auto each = [&](std::size_t row) {
    return make_lane([&](std::size_t slot) {
      return from[3 * std::min(slot, static_cast<std::size_t>(count) - 1) + row];
    });
  };
  return {each(0), each(1), each(2)};
}

/// Where each slot finds its contact among the blocks [first, first + count); spare slots repeat
/// the last one.
template <class Pointer>
[[gnu::always_inline]] inline std::array<Pointer, lane_width> place_in_slots(Pointer first,
                                                                             int count) {
  std::array<Pointer, lane_width> places;
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    places[slot] = first + std::min(static_cast<int>(slot), count - 1);
  }
  return places;
}

constexpr std::size_t factor_numbers = sizeof(ContactFactor<double>) / sizeof(double);

template <class Factor>
[[gnu::always_inline]] inline auto numbers_of(const std::array<Factor*, lane_width>& factors) {
  using Number = std::conditional_t<std::is_const_v<Factor>, const double, double>;
  std::array<Number*, lane_width> numbers;
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    numbers[slot] = reinterpret_cast<Number*>(factors[slot]);
  }
  return numbers;
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

double largest(const Lane& lane) {
  double each[lane_width];
  lane.store_unaligned(each);
  return *std::max_element(each, each + lane_width);
}

/// Spare slots repeat the last contact, which changes no maximum.
void add(const Measures& measures, int first, int count, Certificate& certificate) {
  const auto raise = [](double& most, const Lane& lane) { most = std::max(most, largest(lane)); };
  raise(certificate.signorini, measures.signorini);
  raise(certificate.penetration_rate, measures.penetration);
  raise(certificate.closing, measures.closing);
  raise(certificate.cone, measures.cone);
  raise(certificate.dissipation, measures.dissipation);
  const Lane residuals = maximum(measures.law, measures.natural);
  if (const double worst = largest(residuals); worst > certificate.residual()) {
    double each[lane_width];
    residuals.store_unaligned(each);
    certificate.worst_block =
        first + static_cast<int>(std::find(each, each + lane_width, worst) - each);
  }
  raise(certificate.law_residual, measures.law);
  raise(certificate.natural_residual, measures.natural);
  double work[lane_width];
  measures.work.store_unaligned(work);
  for (int k = 0; k < count; ++k) certificate.work += work[k];
}

}  // namespace

void factorize_in_lane(const ContactProblem& problem, int first, int count,
                       std::span<ContactFactor<double>> factors) {
  const auto blocks =
      place_in_slots(problem.blocks().data() + static_cast<std::size_t>(first), count);
  std::array<const double*, lane_width> matrices;
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    matrices[slot] =
        problem.diagonal_block(first + std::min(static_cast<int>(slot), count - 1)).data();
  }
  const auto entry = [&](std::size_t i, std::size_t k) __attribute__((always_inline)) {
    return make_lane([&](std::size_t slot) { return matrices[slot][6 * k + i]; });
  };
  const ContactFactor<Lane> factor = factorize_contact<Lane>(
      {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)},
      make_lane([&](std::size_t slot) { return blocks[slot]->friction; }));
  // Spare slots write what the last contact has once more.
  scatter_records<factor_numbers>(
      reinterpret_cast<const Lane*>(&factor),
      numbers_of(place_in_slots(factors.data() + static_cast<std::size_t>(first), count)));
}

bool examine_in_lane(const ContactProblem& problem, std::span<const ContactFactor<double>> factors,
                     int first, int count, std::span<const double> impulse,
                     std::span<const double> velocity, Certificate& certificate) {
  ContactFactor<Lane> factor;
  gather_records<factor_numbers>(
      numbers_of(place_in_slots(factors.data() + static_cast<std::size_t>(first), count)),
      reinterpret_cast<Lane*>(&factor));
  const std::size_t row =
      static_cast<std::size_t>(problem.blocks()[static_cast<std::size_t>(first)].row);
  const auto read = [ row, count ](const double* from) __attribute__((always_inline)) {
    return read_rows(from, row, count);
  };
  const Vector3<Lane> lambda = read(impulse.data());
  const Vector3<Lane> w = read(velocity.data());
  const Vector3<Lane> alone = w - factor.W * lambda;
  const OneContactSolver<SlipNewton<Law::coulomb>> solve{{exact_tolerance}};
  const ContactAnswer<Lane> answer = solve(factor, alone, lambda);
  if (is_unusual(factor, alone, lambda, answer)) return false;
  const Vector3<Lane> sum =
      w + read(problem.target().data()) + read(problem.free_velocity().data());
  const Measures measures = measure(factor, certificate.scales, lambda, w, sum, answer.impulse);
  // So are contacts that hardly move in one direction and seem to miss their answer.
  if (any(factor.rounding > Lane(0.0) && measures.law > Lane(1e-12))) return false;
  // NaN would pass every comparison below: such contacts are examined alone.
  if (any(!(measures.law + measures.natural <= Lane(moderate_size)))) return false;
  add(measures, first, count, certificate);
  return true;
}

}  // namespace stiction
