// A robot computes the same bits alone and in any slot of a lane, whatever its neighbours do.

#include <gtest/gtest.h>

#include "support/all_kernels.hpp"

namespace stiction::test {
namespace {

template <Scalar S>
Record<S> run_all(const Model& model, const Input<S>& in) {
  DynamicsData<S> data(model);
  return run_all<S>(model, in, data);
}

/// Robots that a neighbour may be: ordinary ones, angles past each reduction limit of the
/// trigonometry, numbers too small for full precision, zero, and a robot that has blown up.
std::vector<Input<double>> neighbours(Random& random, const Model& model) {
  const Input<double> some = plain(RandomState(random, model));
  const double infinity = std::numeric_limits<double>::infinity();
  return {some,
          extreme(some, 0.0),
          extreme(some, 1e6),
          extreme(some, 1e12),
          extreme(some, 5e-324),
          extreme(some, 1e-310),
          extreme(some, 1e300),
          extreme(some, infinity),
          extreme(some, std::numeric_limits<double>::quiet_NaN())};
}

Input<Lane> place(const Input<double>& robot, std::size_t slot,
                  const std::vector<Input<double>>& others, std::size_t turn) {
  std::array<std::vector<double>, lane_width> q;
  std::array<std::vector<double>, lane_width> v;
  std::array<std::vector<double>, lane_width> tau;
  for (std::size_t k = 0; k < lane_width; ++k) {
    const Input<double>& in = k == slot ? robot : others[(turn + k) % others.size()];
    q[k] = in.q;
    v[k] = in.v;
    tau[k] = in.tau;
  }
  return {pack(q), pack(v), pack(tau)};
}

void expect_same_in_every_slot(const Model& model, const Input<double>& robot, Random& random) {
  const Record<double> alone = run_all<double>(model, robot);
  const std::vector<Input<double>> others = neighbours(random, model);
  for (std::size_t turn = 0; turn < others.size(); ++turn) {
    const std::size_t slot = turn % lane_width;
    expect_same_bits(alone, run_all<Lane>(model, place(robot, slot, others, turn)), slot);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Lanes, EveryKernelGivesTheBitsOfALoneRobotInAnySlotBesideAnyNeighbour) {
  for_each_robot(60, [](const Model& model, Random& random) {
    expect_same_in_every_slot(model, plain(RandomState(random, model)), random);
  });
}

TEST(Lanes, RobotsWithExtremeNumbersGiveTheBitsOfALoneOne) {
  for_each_robot(20, [](const Model& model, Random& random) {
    for (const Input<double>& robot : neighbours(random, model)) {
      expect_same_in_every_slot(model, robot, random);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(Lanes, ARobotComputesTheSameTwiceWithUsedData) {
  for_each_robot(20, [](const Model& model, Random& random) {
    const RandomState first(random, model);
    const RandomState second(random, model);
    DynamicsData<double> fresh(model);
    DynamicsData<double> used(model);
    articulated_body_algorithm(model, used, first.q, first.v, first.tau);
    mass_matrix(model, used);
    EXPECT_EQ(articulated_body_algorithm(model, used, second.q, second.v, second.tau),
              articulated_body_algorithm(model, fresh, second.q, second.v, second.tau));
  });
}

}  // namespace
}  // namespace stiction::test
