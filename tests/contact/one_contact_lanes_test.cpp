/// \file
/// A lane gives the bits that the problem alone gives, whatever its neighbours are.

#include <array>
#include <gtest/gtest.h>
#include <limits>

#include "stiction/contact/one_contact_solvers.hpp"
#include "support/lanes.hpp"
#include "support/one_contact_problems.hpp"

namespace stiction::test {
namespace {

using Group = std::array<OneContactProblem, lane_width>;

/// Compiled once for each solver and scalar: inlined twice it takes a sanitizer minutes.
template <Scalar S, class Solve>
[[gnu::noinline]] ContactAnswer<S> answer(const Solve& solve, const ContactFactor<S>& factor,
                                          const Vector3<S>& c, const Vector3<S>& warm) {
  return solve(factor, c, warm);
}

/// Factors, answers and mode of one group, with either scalar.
template <Scalar S, class Solve>
void record(const Solve& solve, const Symmetric3<S>& W, const S& friction, const Vector3<S>& c,
            Record<S>& result) {
  const ContactFactor<S> f = factorize_contact(W, friction);
  result.section("factor");
  result.add_all(f.inverse_nn, f.axis.x, f.axis.y, f.major, f.minor, f.inverse_major,
                 f.inverse_minor, f.slope.x, f.slope.y);
  result.section("cold");
  const ContactAnswer<S> cold = answer<S>(solve, f, c, Vector3<S>{});
  result.add_all(cold.impulse, cold.mode);
  result.section("warm");
  const Vector3<S> guess = {cold.impulse.x + S(0.1) * cold.impulse.z, cold.impulse.y,
                            cold.impulse.z};
  const ContactAnswer<S> warm = answer<S>(solve, f, c, guess);
  result.add_all(warm.impulse, warm.mode);
}

Lane gather(const Group& group, double (*read)(const OneContactProblem&)) {
  Lane lane(0.0);
  for (std::size_t slot = 0; slot < lane_width; ++slot) set_lane(lane, slot, read(group[slot]));
  return lane;
}

template <class Solve>
void expect_same_bits_in_all_slots(const Solve& solve, const Group& group) {
  using P = OneContactProblem;
  const Symmetric3<Lane> W = {gather(group, [](const P& p) { return p.W.xx; }),
                              gather(group, [](const P& p) { return p.W.xy; }),
                              gather(group, [](const P& p) { return p.W.xz; }),
                              gather(group, [](const P& p) { return p.W.yy; }),
                              gather(group, [](const P& p) { return p.W.yz; }),
                              gather(group, [](const P& p) { return p.W.zz; })};
  const Vector3<Lane> c = {gather(group, [](const P& p) { return p.c.x; }),
                           gather(group, [](const P& p) { return p.c.y; }),
                           gather(group, [](const P& p) { return p.c.z; })};
  Record<Lane> lanes;
  record<Lane>(solve, W, gather(group, [](const P& p) { return p.friction; }), c, lanes);
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    Record<double> alone;
    record<double>(solve, group[slot].W, group[slot].friction, group[slot].c, alone);
    expect_same_bits(alone, lanes, slot);
  }
}

OneContactProblem filled_with(double value) {
  OneContactProblem p;
  p.W = {value, value, value, value, value, value};
  p.friction = value;
  p.c = {value, value, -value};
  return p;
}

/// Random problems of mixed modes; now and then a neighbour holds NaN, infinity or 1e300.
Group random_group(std::uint64_t seed) {
  constexpr double strange[] = {std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(), 1e300, 0.0};
  Group group;
  Random random(seed);
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    group[slot] = random_one_contact(lane_width * seed + slot);
  }
  if (random.uniform() < 0.3) {
    group[static_cast<std::size_t>(random.index(static_cast<int>(lane_width)))] =
        filled_with(strange[random.index(4)]);
  }
  return group;
}

class OneContactLanes : public testing::TestWithParam<std::pair<Law, OneContactOptions>> {};

TEST_P(OneContactLanes, EqualTheLoneProblemBitForBit) {
  const auto& [law, options] = GetParam();
  ASSERT_TRUE(visit_one_contact_solver(law, options, [](const auto& solve) {
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
      expect_same_bits_in_all_slots(solve, random_group(seed));
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
    }
  }));
}

std::vector<std::pair<Law, OneContactOptions>> all_solvers() {
  std::vector<std::pair<Law, OneContactOptions>> all;
  for (const Law law : {Law::coulomb, Law::max_dissipation, Law::convex}) {
    for (const SlipMethod method : {SlipMethod::newton, SlipMethod::quartic, SlipMethod::bisection,
                                    SlipMethod::golden_section, SlipMethod::bisection_printed}) {
      if (!supports(law, method) || (law == Law::convex && method != SlipMethod::newton)) continue;
      for (const PrintedGradient gradient :
           {PrintedGradient::hybrid, PrintedGradient::full, PrintedGradient::polar}) {
        if (method != SlipMethod::bisection_printed && gradient != PrintedGradient::hybrid) {
          continue;
        }
        OneContactOptions options;
        options.method = method;
        options.gradient = gradient;
        all.emplace_back(law, options);
      }
    }
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<std::pair<Law, OneContactOptions>>& info) {
  const auto& [law, options] = info.param;
  return std::string(to_string(law)) + "_" + std::string(to_string(options.method)) + "_" +
         std::to_string(static_cast<int>(options.gradient));
}

INSTANTIATE_TEST_SUITE_P(Solvers, OneContactLanes, testing::ValuesIn(all_solvers()), name_of);

}  // namespace
}  // namespace stiction::test
