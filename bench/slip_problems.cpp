#include "bench/slip_problems.hpp"

#include "stiction/contact/laws.hpp"
#include "stiction/core/random.hpp"

namespace stiction::bench {

namespace {

/// I/m + [r]ᵀ J⁻¹ [r] of a body, J⁻¹ diagonal: what a point at r gains by an impulse.
Symmetric3<double> point_mobility(Random& random, double mass, double radius) {
  const Vector3<double> r{random.uniform(-1.0, 1.0) * radius, random.uniform(-1.0, 1.0) * radius,
                          -radius};
  const double gyration = radius * radius * 0.4;
  const double inverse[3] = {1.0 / (mass * gyration * random.uniform(0.3, 1.0)),
                             1.0 / (mass * gyration * random.uniform(0.3, 1.0)),
                             1.0 / (mass * gyration * random.uniform(0.3, 1.0))};
  const Vector3<double> columns[3] = {{0.0, r.z, -r.y}, {-r.z, 0.0, r.x}, {r.y, -r.x, 0.0}};
  const auto entry = [&](int i, int j) {
    const Vector3<double>& a = columns[i];
    const Vector3<double>& b = columns[j];
    return a.x * inverse[0] * b.x + a.y * inverse[1] * b.y + a.z * inverse[2] * b.z +
           (i == j ? 1.0 / mass : 0.0);
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

bool slips(const ContactFactor<double>& factor, const Vector3<double>& c) {
  return CoulombLaw::classify(factor, c) == ContactMode::slip &&
         ConvexLaw::classify(factor, c) == ContactMode::slip;
}

}  // namespace

SlipSet<double> sliding_feet(int count, std::uint64_t seed) {
  SlipSet<double> set;
  Random random(seed);
  while (static_cast<int>(set.factors.size()) < count) {
    const Symmetric3<double> trunk = point_mobility(random, random.uniform(15.0, 40.0), 0.4);
    const Symmetric3<double> leg = point_mobility(random, random.uniform(1.0, 5.0), 0.2);
    const double share = random.uniform(0.05, 0.5);
    const Symmetric3<double> W = {trunk.xx + share * leg.xx, trunk.xy + share * leg.xy,
                                  trunk.xz + share * leg.xz, trunk.yy + share * leg.yy,
                                  trunk.yz + share * leg.yz, trunk.zz + share * leg.zz};
    const ContactFactor<double> factor = factorize_contact(W, random.uniform(0.3, 1.2));
    const Vector3<double> c{random.normal(), random.normal(), -std::abs(0.5 * random.normal())};
    if (!slips(factor, c)) continue;
    set.factors.push_back(factor);
    set.velocities.push_back(c);
  }
  return set;
}

SlipSet<Lane> in_lanes(const SlipSet<double>& set) {
  SlipSet<Lane> lanes;
  const auto place = [](Lane& lane, std::size_t slot, double value) {
    set_lane(lane, slot, value);
  };
  for (std::size_t first = 0; first + lane_width <= set.factors.size(); first += lane_width) {
    Symmetric3<Lane> W;
    Lane friction(0.0);
    Vector3<Lane> c;
    for (std::size_t slot = 0; slot < lane_width; ++slot) {
      const ContactFactor<double>& one = set.factors[first + slot];
      const Vector3<double>& velocity = set.velocities[first + slot];
      place(W.xx, slot, one.W.xx);
      place(W.xy, slot, one.W.xy);
      place(W.xz, slot, one.W.xz);
      place(W.yy, slot, one.W.yy);
      place(W.yz, slot, one.W.yz);
      place(W.zz, slot, one.W.zz);
      place(friction, slot, one.friction);
      place(c.x, slot, velocity.x);
      place(c.y, slot, velocity.y);
      place(c.z, slot, velocity.z);
    }
    lanes.factors.push_back(factorize_contact(W, friction));
    lanes.velocities.push_back(c);
  }
  return lanes;
}

}  // namespace stiction::bench
