// Robots side by side have the dynamics of each of them alone.

#include "stiction/dynamics/robot_lanes.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/limb_transfer.hpp"
#include "stiction/dynamics/spans.hpp"
#include "support/robots.hpp"

namespace stiction {
namespace {

/// Whether the first numbers of two records have the same bits; zeros may differ in sign.
template <class Record>
bool same_numbers(const Record& a, const Record& b, std::size_t count = sizeof(Record) / 8) {
  return std::equal(numbers(a), numbers(a) + count, numbers(b),
                    [](double x, double y) { return x == y; });
}

/// A copy of the robot with masses, armature and gravity of its own.
Model changed(const Model& original, Random& random) {
  Model model = original;
  for (int b = 0; b < model.body_count(); ++b) {
    BodyInertia inertia = model.body_inertia(b);
    if (inertia.mass == 0.0) continue;
    const double factor = random.uniform(0.5, 2.0);
    inertia.mass *= factor;
    inertia.inertia *= factor;
    model.set_body_inertia(b, inertia);
  }
  for (int k = 0; k < model.velocity_count(); ++k) {
    if (model.parameters().armature[k] > 0.0) {
      model.set_armature(k, random.uniform(0.01, 0.1));
    }
  }
  model.set_gravity({random.uniform(-1.0, 1.0), 0.5, random.uniform(-11.0, -8.0)});
  return model;
}

void expect_dynamics_of_each_alone(const Model& original, Random& random) {
  std::vector<Model> models;
  std::vector<test::RandomState> states;
  std::vector<DynamicsData<double>> alone, together;
  std::vector<Eigen::VectorXd> accelerations;
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    models.push_back(changed(original, random));
    states.emplace_back(random, original);
    alone.emplace_back(original);
    together.emplace_back(original, LimbUse::one_by_one);
    accelerations.emplace_back(original.velocity_count());
    update_kinematics<double>(models[slot], alone[slot], as_span(states[slot].q),
                              as_span(states[slot].v));
    factorize_and_accelerate<double>(models[slot], alone[slot], as_span(states[slot].tau),
                                     as_span(accelerations[slot]));
  }
  std::vector<Lane> q(index(original.position_count())), v(index(original.velocity_count()));
  std::vector<Lane> tau(v.size()), acceleration(v.size());
  const auto gather = [&](Eigen::VectorXd test::RandomState::*vector, std::span<Lane> lanes) {
    PerLane<const double*> sources;
    for (std::size_t slot = 0; slot < lane_width; ++slot) {
      sources[slot] = (states[slot].*vector).data();
    }
    gather_numbers(sources, lanes);
  };
  gather(&test::RandomState::q, q);
  gather(&test::RandomState::v, v);
  gather(&test::RandomState::tau, tau);
  PerLane<const Model*> robots;
  PerLane<DynamicsData<double>*> targets;
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    robots[slot] = &models[slot];
    targets[slot] = &together[slot];
  }
  ASSERT_TRUE(RobotLanes::go_together(robots));
  RobotLanes lanes(original);
  DynamicsData<Lane> data(original);
  lanes.take_numbers(robots);
  update_kinematics<Lane>(original, data, q, v);
  lanes.factorize_and_accelerate(data, tau, acceleration, {}, {});
  hand_out_motion(data, targets);
  hand_out_factors(data, targets);
  constexpr std::size_t motion = offsetof(BodyData<double>, force) / sizeof(double);
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    for (std::size_t i = 0; i < data.bodies.size(); ++i) {
      ASSERT_TRUE(same_numbers(together[slot].bodies[i], alone[slot].bodies[i], motion))
          << "body " << i << ", lane " << slot;
    }
    for (std::size_t k = 0; k < data.dofs.size(); ++k) {
      ASSERT_EQ(lane_value(acceleration[k], slot), accelerations[slot][static_cast<int>(k)])
          << "velocity " << k << ", lane " << slot;
      ASSERT_TRUE(same_numbers(together[slot].dofs[k].axis, alone[slot].dofs[k].axis));
    }
    for (std::size_t i = 0; i < data.base_factors.size(); ++i) {
      ASSERT_TRUE(std::ranges::equal(together[slot].base_factors[i].lower,
                                     alone[slot].base_factors[i].lower));
    }
  }
}

TEST(RobotLanes, HaveTheDynamicsOfEachRobotAlone) {
  test::for_each_robot(40, expect_dynamics_of_each_alone);
}

}  // namespace
}  // namespace stiction
