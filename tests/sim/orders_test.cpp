// Orders of the integrators in free motion: the slope of the error against the step.

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>
#include <gtest/gtest.h>

#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

/// A tumbling box with an arm on a ball joint and another on a hinge, if so wished with spring and
/// damper.
Model acrobat(bool passive) {
  SceneBuilder scene;
  const int torso = scene.add_box("torso", {0.2, 0.1, 0.05}, 2.0, at(0, 0, 0));
  ModelBuilder& builder = scene.builder();
  const auto add_arm = [&](const std::string& name, JointKind kind, double side) {
    LinkSpec arm;
    arm.name = name;
    arm.mass = 0.5;
    arm.center_of_mass = {0.0, 0.0, -0.15};
    arm.inertia = Eigen::Vector3d(0.004, 0.0041, 0.0003).asDiagonal();
    JointSpec joint;
    joint.name = name + "_joint";
    joint.kind = kind;
    joint.parent = torso;
    joint.child = builder.add_link(std::move(arm));
    joint.pose_in_parent = at(side, 0, 0);
    joint.axis = Eigen::Vector3d::UnitY();
    if (kind == JointKind::revolute && passive) {
      joint.stiffness = 3.0;
      joint.damping = 0.02;
    }
    builder.add_joint(joint);
  };
  add_arm("left", JointKind::spherical, 0.2);
  add_arm("right", JointKind::revolute, -0.2);
  return scene.build();
}

constexpr double duration = 0.4;  // of all flights [s]

State start_of(const Model& model) {
  State state = model.initial_state();
  for (Eigen::Index k = 0; k < state.v.size(); ++k)
    state.v[k] = std::sin(1.0 + 2.0 * double(k)) * 3.0;
  return state;
}

State flown(const Model& model, const State& start, Integrator integrator, double h) {
  Simulation simulation(model, StepOptions{.time_step = h, .integrator = integrator});
  simulation.set_state(start);
  const StepReport& report = simulation.run(duration);
  EXPECT_TRUE(report.ok()) << report.message;
  EXPECT_NEAR(simulation.state().time, duration, 1e-9);
  return simulation.state();
}

double distance(const State& a, const State& b) {
  return std::max((a.q - b.q).lpNorm<Eigen::Infinity>(), (a.v - b.v).lpNorm<Eigen::Infinity>());
}

/// The oracle shares neither integrators nor articulated bodies with the step: the classical method
/// on the bare numbers of q, quaternions included, and M v̇ = τ − bias with M formed and factorized.
class BareRungeKutta {
 public:
  explicit BareRungeKutta(const Model& model) : model_(model), data_(model) {}

  /// Errors go with h⁴: 1e-12 at a quarter of a millisecond.
  State flown(State state, double h) {
    const auto steps = std::lround(duration / h);
    for (long n = 0; n < steps; ++n) {
      const Slope k1 = slope(state.q, state.v);
      const Slope k2 = slope(state.q + 0.5 * h * k1.q, state.v + 0.5 * h * k1.v);
      const Slope k3 = slope(state.q + 0.5 * h * k2.q, state.v + 0.5 * h * k2.v);
      const Slope k4 = slope(state.q + h * k3.q, state.v + h * k3.v);
      state.q += h / 6.0 * (k1.q + 2.0 * k2.q + 2.0 * k3.q + k4.q);
      state.v += h / 6.0 * (k1.v + 2.0 * k2.v + 2.0 * k3.v + k4.v);
    }
    return state;
  }

 private:
  struct Slope {
    Eigen::VectorXd q;
    Eigen::VectorXd v;
  };

  Slope slope(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    Slope result{Eigen::VectorXd(q.size()), Eigen::VectorXd(v.size())};
    Eigen::VectorXd unit = q;
    Eigen::VectorXd tau = Eigen::VectorXd::Zero(v.size());
    for (const Joint& joint : model_.joints()) {
      const Eigen::Index p = joint.position_index;
      const Eigen::Index k = joint.velocity_index;
      if (joint.kind == JointKind::revolute) {
        result.q[p] = v[k];
        tau[k] = -model_.parameters().stiffness[joint.body] * q[p] -
                 model_.parameters().damping[k] * v[k];
        continue;
      }
      const bool floating = joint.kind == JointKind::floating;
      if (floating) result.q.segment<3>(p) = v.segment<3>(k);
      const Eigen::Index turn = p + (floating ? 3 : 0);
      // Quaternion rates: ½ ω R of an angular velocity in the world, ½ R ω of one in the body.
      const Eigen::Quaterniond R(q[turn + 3], q[turn], q[turn + 1], q[turn + 2]);
      const Eigen::Vector3d half = 0.5 * v.segment<3>(k + (floating ? 3 : 0));
      const Eigen::Quaterniond omega(0.0, half.x(), half.y(), half.z());
      result.q.segment<4>(turn) = (floating ? omega * R : R * omega).coeffs();
      unit.segment<4>(turn).normalize();
    }
    update_kinematics(model_, data_, unit, v);
    result.v = mass_matrix(model_, data_).llt().solve(tau - bias_forces(model_, data_));
    return result;
  }

  const Model& model_;
  DynamicsData<double> data_;
};

/// Errors at a step, its half and its quarter; the slopes of the line through them are the order.
/// The next order's term bends it by a share of h.
void expect_order(const Model& model, const State& start, const State& exact, Integrator integrator,
                  double order) {
  const double coarse = order > 3.0 ? 4e-3 : 1e-3;
  const double e1 = distance(flown(model, start, integrator, coarse), exact);
  const double e2 = distance(flown(model, start, integrator, 0.5 * coarse), exact);
  const double e4 = distance(flown(model, start, integrator, 0.25 * coarse), exact);
  EXPECT_NEAR(std::log2(e1 / e2), order, 0.25) << e1 << ", " << e2;
  EXPECT_NEAR(std::log2(e2 / e4), order, 0.15) << e2 << ", " << e4;
}

class Order : public testing::TestWithParam<std::pair<Integrator, double>> {};

TEST_P(Order, IsWhatItsNamePromises) {
  const auto [integrator, order] = GetParam();
  // Springs and dampers are implicit for the trapezoid, and then only of first order.
  const Model model = acrobat(integrator != Integrator::trapezoid);
  const State start = start_of(model);
  BareRungeKutta oracle(model);
  const State exact = oracle.flown(start, 2.5e-4);
  ASSERT_LT(distance(exact, oracle.flown(start, 5e-4)), 1e-9) << "the oracle has not converged";
  expect_order(model, start, exact, integrator, order);
}

/// A symmetric top in free flight, by formula: its angular velocity is L/A + (1 − C/A) ω₃ e₃, the
/// sum of a turn about what stays in space and one about what stays in the body.
TEST_P(Order, HoldsAgainstTheFormulaOfAThrownTop) {
  constexpr double A = 0.02;  // moments of inertia across and along e₃ [kg m²]
  constexpr double C = 0.035;
  SceneBuilder scene;
  scene.add_body("top", {1.0, Eigen::Vector3d::Zero(), Eigen::Vector3d(A, A, C).asDiagonal()}, {},
                 at({0, 0, 0}, 0.3, {1, 2, 0}));
  const Model model = scene.build();
  const Eigen::Vector3d velocity(1.0, -2.0, 3.0);
  const Eigen::Vector3d omega(4.0, -1.0, 5.0);  // world
  State start = model.initial_state();
  set_velocity(model, start, "top", velocity, omega);

  const auto turned = [](const Eigen::Vector3d& rate) {
    return Eigen::AngleAxisd(duration * rate.norm(), rate.normalized()).toRotationMatrix();
  };
  const Eigen::Isometry3d pose = pose_of(model, start, "top");
  const Eigen::Matrix3d R = pose.linear();
  const double along = omega.dot(R.col(2));  // ω₃
  const Eigen::Vector3d L = A * omega + (C - A) * along * R.col(2);
  const Eigen::Vector3d own(0.0, 0.0, (1.0 - C / A) * along);
  Eigen::Isometry3d there = Eigen::Isometry3d::Identity();
  there.linear() = turned(L / A) * R * turned(own);
  there.translation() =
      pose.translation() + duration * velocity + 0.5 * duration * duration * model.gravity();
  State exact = start;
  set_pose(model, exact, "top", there);
  set_velocity(model, exact, "top", velocity + duration * model.gravity(),
               L / A + own.z() * there.linear().col(2));

  const auto [integrator, order] = GetParam();
  const Eigen::Vector4d end =
      flown(model, start, Integrator::rk4, 1e-3).q.segment<4>(3);  // q and −q are one turn
  if (end.dot(exact.q.segment<4>(3)) < 0.0) exact.q.segment<4>(3) *= -1.0;
  expect_order(model, start, exact, integrator, order);
}

INSTANTIATE_TEST_SUITE_P(FreeMotion, Order,
                         testing::Values(std::pair{Integrator::explicit_euler, 1.0},
                                         std::pair{Integrator::semi_implicit, 1.0},
                                         std::pair{Integrator::implicit, 1.0},
                                         std::pair{Integrator::trapezoid, 2.0},
                                         std::pair{Integrator::rk4, 4.0}),
                         [](const auto& info) { return std::string(to_string(info.param.first)); });

}  // namespace
}  // namespace stiction
