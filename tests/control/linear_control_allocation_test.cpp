// Linearization and feedback run in control loops, and allocate nothing there.

#include <gtest/gtest.h>

#include "stiction/control/state_feedback.hpp"
#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE  // in allocation_test.cpp
#include "support/allocation_counter.hpp"
#include "support/robots.hpp"

namespace stiction::test {
namespace {

TEST(Allocation, LinearizationAndFeedbackAllocateNothing) {
  for_each_robot(20, [](const Model& model, Random& random) {
    const RandomState at(random, model);
    const int n = model.velocity_count();
    Linearizer linearizer(model, 0.01);
    const Eigen::MatrixXd gain = Eigen::MatrixXd::Ones(n, 2 * n);
    StateFeedback feedback(model, {0.01, {at.q, at.q}, {at.v, at.v}, {at.tau}}, {gain},
                           linearizer.inputs());
    const State state = model.initial_state();
    const AllocationCounter counter;
    (void)linearizer.linearize(at.q, at.v, at.tau);
    (void)feedback.torques(state);
    EXPECT_EQ(counter.count(), 0U);
  });
}

}  // namespace
}  // namespace stiction::test
