// Inverse dynamics as a quadratic program: against the laws of motion, the step, and its own
// limits.

#include "stiction/dynamics/inverse_dynamics.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

#include "examples/legged_robots.hpp"
#include "stiction/core/random.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"

namespace stiction::test {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

/// A control that stands, with all tasks of interest.
InverseDynamics standing(const LeggedRobot& robot) {
  InverseDynamics control(robot.model, robot.options);
  for (const ContactSpec& foot : robot.feet) control.add_contact(foot);
  control.update(robot.start);
  control.center_of_mass().gains = {.kp = 30.0, .weight = 1.0};
  control.center_of_mass().position = control.center_of_mass_position();
  control.posture().gains = {.kp = 10.0, .weight = 1e-3};
  control.posture().q = robot.start.q;
  return control;
}

VectorXd random_vector(Random& random, int size, double range) {
  VectorXd x(size);
  for (double& value : x) value = random.uniform(-range, range);
  return x;
}

/// A state near the start, in motion.
State moving(const LeggedRobot& robot, Random& random, double speed) {
  State state = robot.start;
  state.v = random_vector(random, robot.model.velocity_count(), speed);
  state.q = integrate(robot.model, robot.start.q,
                      random_vector(random, robot.model.velocity_count(), 0.05), 1.0);
  return state;
}

/// Where the frame of a contact and the centre of mass are at q.
struct Places {
  Vector3d frame;
  Vector3d center;
};
Places places_at(const Model& model, const VectorXd& q, const std::string& name) {
  DynamicsData<double> data(model);
  update_kinematics(model, data, q, VectorXd::Zero(model.velocity_count()));
  const Frame& frame = model.frames()[static_cast<std::size_t>(model.find_frame(name).value())];
  return {body_pose(data, frame.body) * frame.pose.translation(),
          to_eigen(centroidal_state(model, data).center_of_mass)};
}

/// Accelerations of both by differences along q ⊕ (tv + ½t²a).
Places accelerations_at(const Model& model, const State& state, const VectorXd& a,
                        const std::string& name) {
  const double h = 1e-4;
  const auto at = [&](double t) {
    return places_at(model, integrate(model, state.q, t * state.v + 0.5 * t * t * a, 1.0), name);
  };
  const Places before = at(-h);
  const Places now = at(0.0);
  const Places after = at(h);
  return {(after.frame - 2.0 * now.frame + before.frame) / (h * h),
          (after.center - 2.0 * now.center + before.center) / (h * h)};
}

TEST(InverseDynamics, TorquesForcesAndAccelerationsObeyTheEquationsOfMotion) {
  const LeggedRobot robot = romeo();
  InverseDynamics control = standing(robot);
  Random random(7);
  for (int i = 0; i < 20; ++i) {
    const State state = moving(robot, random, 0.1);
    const InverseDynamicsResult& result = control.compute(state);
    ASSERT_TRUE(result.ok()) << result.message;
    DynamicsData<double> data(robot.model);
    update_kinematics(robot.model, data, state.q, state.v);
    VectorXd left = inverse_dynamics(robot.model, data, result.accelerations) - result.torques;
    int column = 0;
    for (const ContactSpec& foot : robot.feet) {
      const Frame& frame =
          robot.model
              .frames()[static_cast<std::size_t>(robot.model.find_frame(foot.frame).value())];
      for (const Vector3d& point : foot.points) {
        const Vector3d place = body_pose(data, frame.body) * (frame.pose * point);
        left -= point_jacobian(robot.model, data, frame.body, place).transpose() *
                result.forces.col(column++);
      }
    }
    EXPECT_LT(left.cwiseAbs().maxCoeff(), 1e-7);
  }
}

TEST(InverseDynamics, HardContactsAndTheCenterOfMassAccelerateAsAsked) {
  const LeggedRobot robot = romeo();
  InverseDynamics control = standing(robot);
  control.posture().gains.weight = 1e-9;
  control.center_of_mass().gains.kp = 5.0;
  // The wish for small forces takes force_weight · m² g / points = 0.2 m/s² of 9.81 by default.
  for (int i = 0; i < 2; ++i) control.contact(i).force_weight = 1e-9;
  Random random(8);
  for (int i = 0; i < 10; ++i) {
    const State state = moving(robot, random, 0.05);
    const InverseDynamicsResult& result = control.compute(state);
    ASSERT_TRUE(result.ok()) << result.message;
    const Places a = accelerations_at(robot.model, state, result.accelerations, "l_ankle");
    const int frame = robot.model.find_frame("l_ankle").value();
    const Vector3d velocity =
        (frame_jacobian(robot.model, control.data(), frame) * state.v).head<3>();
    // kp 0, kd 20 of ContactSpec; differences are good to about 1e-6.
    EXPECT_LT((a.frame + 20.0 * velocity).norm(), 1e-5);
    const CenterOfMassTask& task = control.center_of_mass();
    const Vector3d asked = task.gains.kp * (task.position - control.center_of_mass_position()) -
                           task.gains.damping() * control.center_of_mass_velocity();
    EXPECT_LT((a.center - asked).norm(), 1e-3) << "regularization and posture take a little";
  }
}

TEST(InverseDynamics, TheStepAcceleratesAsTheProgramSays) {
  for (const LeggedRobot& robot : {solo12(), romeo()}) {
    SCOPED_TRACE(robot.model.name());
    InverseDynamics control = standing(robot);
    control.center_of_mass().acceleration = Vector3d(0.2, -0.1, 0.3);
    const InverseDynamicsResult& result = control.compute(robot.start);
    ASSERT_TRUE(result.ok()) << result.message;
    Simulation simulation(robot.model);
    simulation.set_state(robot.start);
    simulation.joint_forces() = result.torques;
    ASSERT_TRUE(simulation.step().ok());
    const VectorXd difference = simulation.accelerations() - result.accelerations;
    // The step takes what happens within a millisecond; the program takes its start.
    EXPECT_LT(difference.norm(), 0.01 * result.accelerations.norm());
  }
}

TEST(InverseDynamics, ForcesStayInTheirCones) {
  LeggedRobot robot = solo12();
  for (ContactSpec& foot : robot.feet) {
    foot.friction = 0.3;
    foot.largest_force = 9.0;
  }
  InverseDynamics control = standing(robot);
  control.center_of_mass().acceleration = Vector3d(6.0, 0.0, 0.0);  // asks for twice the friction
  for (const int sides : {4, 8, 16}) {
    for (int i = 0; i < 4; ++i) control.contact(i).sides = sides;
    InverseDynamics fresh = standing(robot);
    for (int i = 0; i < 4; ++i) fresh.contact(i).sides = sides;
    fresh.center_of_mass().acceleration = control.center_of_mass().acceleration;
    const InverseDynamicsResult& result = fresh.compute(robot.start);
    ASSERT_TRUE(result.ok()) << result.message;
    double share = 0.0;
    for (int i = 0; i < 4; ++i) {
      const Vector3d f = result.forces.col(i);
      EXPECT_LE(f.head<2>().norm(), 0.3 * f.z() + 1e-8);
      EXPECT_LE(f.z(), 9.0 + 1e-8);
      share = std::max(share, f.head<2>().norm() / (0.3 * f.z()));
    }
    EXPECT_GT(share, std::cos(std::acos(-1.0) / sides) - 1e-6) << sides << " sides";
  }
}

TEST(InverseDynamics, WeightedContactsBecomeHardOnes) {
  const LeggedRobot robot = solo12();
  const auto torques_of = [&robot](double weight) {
    InverseDynamics control = standing(robot);
    control.center_of_mass().acceleration = Vector3d(0.5, 0.0, 1.0);
    for (int i = 0; i < 4; ++i) control.contact(i).gains.weight = weight;
    EXPECT_TRUE(control.compute(robot.start).ok());
    return VectorXd(control.result().torques);
  };
  const VectorXd hard = torques_of(0.0);
  EXPECT_GT((torques_of(1.0) - hard).norm(), 1e-3);
  EXPECT_LT((torques_of(1e6) - hard).norm(), 1e-4);
}

TEST(InverseDynamics, SaysWhichConstraintsContradict) {
  LeggedRobot robot = solo12();
  robot.feet[1].least_force = 1000.0;
  InverseDynamics control = standing(robot);
  const InverseDynamicsResult& result = control.compute(robot.start);
  EXPECT_EQ(result.status, ProgramStatus::infeasible);
  EXPECT_NE(result.message.find("least normal force of contact 'FR_FOOT'"), std::string::npos)
      << result.message;
  EXPECT_NE(result.message.find("torque of joint 'FR_"), std::string::npos) << result.message;
  control.contact(1).least_force = 0.0;
  EXPECT_TRUE(control.compute(robot.start).ok());
  EXPECT_EQ(control.result().message, "");
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(InverseDynamics, RefusesReferencesOfWrongSizeAndUnknownFrames) {
  const LeggedRobot robot = solo12();
  InverseDynamics control = standing(robot);
  State state = robot.start;
  state.v.conservativeResize(17);
  EXPECT_EQ(refusal([&] { control.update(state); }),
            "state.v has 17 entries, but the model needs 18");
  state = robot.start;
  state.q[8] = std::nan("");
  EXPECT_EQ(refusal([&] { control.update(state); }), "state.q contains NaN or infinity");
  control.update(robot.start);
  control.posture().q = VectorXd::Zero(12);
  EXPECT_EQ(refusal([&] { control.solve(); }),
            "posture().q has 12 entries, but the model needs 19");
  control.posture().q = robot.start.q;
  control.center_of_mass().position.x() = std::nan("");
  EXPECT_EQ(refusal([&] { control.solve(); }),
            "center_of_mass().position contains NaN or infinity");
  EXPECT_NE(refusal([&] {
              control.add_contact(ContactSpec::ball("FOOT", 0.0));
            }).find("there is no link or site 'FOOT' in model 'solo12'"),
            std::string::npos);
  InverseDynamicsOptions options;
  options.torque_limits = VectorXd::Ones(12);
  EXPECT_EQ(refusal([&] { InverseDynamics(robot.model, options); }),
            "torque_limits has 12 entries, but the model needs 18");
}

// With one point, the force of the contact is that of the point.
TEST(InverseDynamics, WeightsOfWrenchesAddToThoseOfForces) {
  const LeggedRobot robot = solo12();
  const auto torques = [&](double force_weight, double wrench_weight) {
    InverseDynamics control = standing(robot);
    for (int i = 0; i < control.contact_count(); ++i) {
      control.contact(i).force_weight = force_weight;
      control.contact(i).wrench_weights.head<3>().setConstant(wrench_weight);
    }
    Random random(5);
    const InverseDynamicsResult& result = control.compute(moving(robot, random, 0.1));
    EXPECT_TRUE(result.ok()) << result.message;
    return VectorXd(result.torques);
  };
  const VectorXd together = torques(1e-2, 0.0);
  EXPECT_LT((together - torques(4e-3, 6e-3)).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_GT((together - torques(4e-3, 0.0)).cwiseAbs().maxCoeff(), 1e-4);
}

// Romeo's soles: a weight on the moment about x moves the centre of pressure under the ankle.
TEST(InverseDynamics, WeightsOfMomentsMakeThemSmall) {
  const LeggedRobot robot = romeo();
  const auto moment = [&](double weight) {
    InverseDynamics control = standing(robot);
    for (int i = 0; i < control.contact_count(); ++i) control.contact(i).wrench_weights[4] = weight;
    const InverseDynamicsResult& result = control.compute(robot.start);
    EXPECT_TRUE(result.ok()) << result.message;
    double sum = 0.0;  // about y of the ankle: soles are level at the start
    for (int k = 0; k < 4; ++k) {
      const Vector3d& point = control.contact(0).points[static_cast<std::size_t>(k)];
      sum += point.cross(Vector3d(result.forces.col(k))).y();
    }
    return std::abs(sum);
  };
  EXPECT_LT(moment(1.0), 0.05 * moment(0.0));
}

TEST(InverseDynamics, NegativeWeightsOfWrenchesAreRefused) {
  const LeggedRobot robot = solo12();
  InverseDynamics control(robot.model);
  ContactSpec foot = robot.feet[0];
  foot.wrench_weights[2] = -1.0;
  EXPECT_THROW(control.add_contact(foot), std::invalid_argument);
}

}  // namespace
}  // namespace stiction::test
