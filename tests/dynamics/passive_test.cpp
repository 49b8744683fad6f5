// Springs and dampers of joints.

#include <gtest/gtest.h>

#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "support/random_tree.hpp"

namespace stiction::test {
namespace {

/// A hinge, a slide and a ball in series, all with springs and dampers, without gravity.
Model sprung_robot() {
  ModelBuilder builder;
  builder.set_gravity(Eigen::Vector3d::Zero());
  const JointKind kinds[] = {JointKind::revolute, JointKind::prismatic, JointKind::spherical};
  for (int i = 0; i < 3; ++i) {
    LinkSpec link;
    link.name = "link" + std::to_string(i);
    link.mass = 1.0;
    link.inertia.setIdentity();
    builder.add_link(link);
    JointSpec joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = kinds[i];
    joint.parent = i - 1;
    joint.child = i;
    joint.stiffness = 10.0 + i;
    joint.spring_reference = i < 2 ? 0.3 : 0.0;
    joint.damping = 0.5 * i;
    builder.add_joint(joint);
  }
  return builder.build();
}

TEST(PassiveForces, SpringsPullDownTheSlopeOfTheirEnergy) {
  const Model model = sprung_robot();
  Random random(1);
  DynamicsData<double> data(model);
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(5);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Eigen::VectorXd q = random_positions(random, model);
    Eigen::VectorXd tau(5);
    passive_forces<double>(model, as_span(q), as_span(rest), as_span(tau));
    const auto energy = [&](int k, double t) {
      const Eigen::VectorXd there = integrate(model, q, Eigen::VectorXd::Unit(5, k), t);
      update_kinematics(model, data, there, rest);
      return potential_energy<double>(model, data, as_span(there));
    };
    for (int k = 0; k < 5; ++k) {
      const double h = 1e-4;  // leaves 1e-8 of truncation and 1e-10 of rounding
      EXPECT_NEAR(tau[k], -(energy(k, h) - energy(k, -h)) / (2.0 * h), 1e-6);
    }
  }
}

TEST(PassiveForces, DampersOpposeVelocity) {
  const Model model = sprung_robot();
  Random random(2);
  Eigen::VectorXd q = model.initial_positions();
  q.head<2>().setConstant(0.3);  // springs at rest
  const Eigen::VectorXd v = random_entries(random, 5);
  Eigen::VectorXd tau(5);
  passive_forces<double>(model, as_span(q), as_span(v), as_span(tau));
  Eigen::VectorXd expected(5);
  expected << 0.0, -0.5 * v[1], -v[2], -v[3], -v[4];
  EXPECT_LT((tau - expected).norm(), 1e-15);
}

}  // namespace
}  // namespace stiction::test
