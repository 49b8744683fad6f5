// Analytic derivatives of the dynamics against differences of Newton-Euler and of articulated
// bodies, and against identities of mechanics.

#include "stiction/dynamics/derivatives.hpp"

#include <cstdio>
#include <gtest/gtest.h>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/dynamics/spans.hpp"
#include "support/finite_differences.hpp"
#include "support/robots.hpp"

namespace stiction::test {
namespace {

constexpr int tree_count = 100;

// Truncation and rounding of the differences, relative to the largest entry of the matrix.
constexpr double tolerance = 1e-9;

/// As relative_error(), but a matrix of zeros is asked for 1e-9 of the forces, as differences of
/// forces round to that.
double difference_error(const Eigen::MatrixXd& exact, const Eigen::MatrixXd& differences,
                        double size) {
  if (exact.size() == 0) return 0.0;
  return (exact - differences).cwiseAbs().maxCoeff() /
         std::max(size, differences.cwiseAbs().maxCoeff());
}

std::vector<Force<double>> random_forces(Random& random, const Model& model) {
  std::vector<Force<double>> forces(static_cast<std::size_t>(model.body_count()));
  for (Force<double>& force : forces) {
    force = {from_eigen(random_vector(random, 5.0)), from_eigen(random_vector(random, 20.0))};
  }
  return forces;
}

Eigen::VectorXd joint_forces(const Model& model, DynamicsData<double>& data,
                             const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                             const Eigen::VectorXd& dv, const std::vector<Force<double>>& forces) {
  update_kinematics(model, data, q, v);
  Eigen::VectorXd tau(model.velocity_count());
  inverse_dynamics<double>(model, data, as_span(dv), as_span(tau), forces);
  return tau;
}

Eigen::VectorXd accelerations(const Model& model, DynamicsData<double>& data,
                              const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                              const Eigen::VectorXd& tau,
                              const std::vector<Force<double>>& forces) {
  update_kinematics(model, data, q, v);
  factorize<double>(model, data);
  Eigen::VectorXd dv(model.velocity_count());
  forward_dynamics<double>(model, data, as_span(tau), as_span(dv), forces);
  return dv;
}

DerivativesData inverse_derivatives(const Model& model, DynamicsData<double>& data,
                                    const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                    const Eigen::VectorXd& dv,
                                    const std::vector<Force<double>>& forces = {}) {
  DerivativesData result(model);
  update_kinematics(model, data, q, v);
  inverse_dynamics_derivatives(model, data, as_span(dv), result, forces);
  return result;
}

TEST(Derivatives, OfInverseDynamicsAreTheDifferencesOfNewtonEuler) {
  double worst_q = 0.0;
  double worst_v = 0.0;
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    const Eigen::VectorXd dv = random_entries(random, model.velocity_count(), 3.0);
    const std::vector<Force<double>> forces = random_forces(random, model);
    DynamicsData<double> data(model);
    const DerivativesData exact = inverse_derivatives(model, data, state.q, state.v, dv, forces);
    const Eigen::MatrixXd by_q =
        derivative_by_q(model, state.q, [&](const Eigen::VectorXd& q) -> Eigen::VectorXd {
          return joint_forces(model, data, q, state.v, dv, forces);
        });
    const Eigen::MatrixXd by_v = derivative_by(state.v, [&](const Eigen::VectorXd& v) {
      return joint_forces(model, data, state.q, v, dv, forces);
    });
    const double error_q = difference_error(exact.dtau_dq, by_q, 1.0);
    const double error_v = difference_error(exact.dtau_dv, by_v, 1.0);
    EXPECT_LT(error_q, tolerance);
    EXPECT_LT(error_v, tolerance);
    worst_q = std::max(worst_q, error_q);
    worst_v = std::max(worst_v, error_v);
  });
  std::printf("inverse dynamics: largest relative error by q %.1e, by v %.1e\n", worst_q, worst_v);
}

TEST(Derivatives, ByAccelerationsAreTheMassMatrixOfCompositeBodies) {
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    DynamicsData<double> data(model);
    const DerivativesData exact = inverse_derivatives(model, data, state.q, state.v, state.tau);
    const Eigen::MatrixXd M = mass_matrix(model, data);
    EXPECT_LT(relative_error(exact.mass_matrix, M), 1e-13);
    EXPECT_TRUE(exact.mass_matrix == exact.mass_matrix.transpose());
  });
}

TEST(Derivatives, OfForwardDynamicsAreTheDifferencesOfArticulatedBodies) {
  double worst = 0.0;
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    const std::vector<Force<double>> forces = random_forces(random, model);
    DynamicsData<double> data(model);
    const Eigen::VectorXd dv = accelerations(model, data, state.q, state.v, state.tau, forces);
    DerivativesData exact(model);
    forward_dynamics_derivatives(model, data, as_span(dv), exact, forces);
    // M⁻¹ bends more than M: a smaller step.
    const Eigen::MatrixXd by_q = derivative_by_q(
        model, state.q,
        [&](const Eigen::VectorXd& q) {
          return accelerations(model, data, q, state.v, state.tau, forces);
        },
        1e-3);
    const Eigen::MatrixXd by_v = derivative_by(state.v, [&](const Eigen::VectorXd& v) {
      return accelerations(model, data, state.q, v, state.tau, forces);
    });
    const Eigen::MatrixXd by_tau = derivative_by(state.tau, [&](const Eigen::VectorXd& tau) {
      return accelerations(model, data, state.q, state.v, tau, forces);
    });
    const double size = dv.cwiseAbs().maxCoeff();
    worst = std::max({worst, difference_error(exact.da_dq, by_q, size),
                      difference_error(exact.da_dv, by_v, size),
                      difference_error(exact.da_dtau, by_tau, 0.0)});
  });
  EXPECT_LT(worst, 1e-8);  // rounding of the articulated bodies, divided by the small step
  std::printf("forward dynamics: largest relative error %.1e\n", worst);
}

TEST(Derivatives, NoRobotFeelsWhereItsFloatingBaseIs) {
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    DynamicsData<double> data(model);
    const DerivativesData exact = inverse_derivatives(model, data, state.q, state.v, state.tau);
    for (const Joint& joint : model.joints()) {
      if (joint.kind != JointKind::floating) continue;
      EXPECT_EQ(exact.dtau_dq.middleCols<3>(joint.velocity_index).cwiseAbs().maxCoeff(), 0.0);
      EXPECT_LT(exact.dtau_dv.middleCols<3>(joint.velocity_index).cwiseAbs().maxCoeff(),
                1e-12 * (1.0 + exact.dtau_dv.cwiseAbs().maxCoeff()));
    }
  });
}

// Forces of velocity are quadratic in v, so v times their derivative is twice themselves (Euler).
TEST(Derivatives, ByVelocityTimesVelocityAreTwiceTheForcesOfVelocity) {
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.velocity_count());
    DynamicsData<double> data(model);
    const Eigen::VectorXd weight = joint_forces(model, data, state.q, zero, zero, {});
    const Eigen::VectorXd bias = joint_forces(model, data, state.q, state.v, zero, {});
    const DerivativesData exact = inverse_derivatives(model, data, state.q, state.v, state.tau);
    const Eigen::VectorXd twice = 2.0 * (bias - weight);
    const double size = 1.0 + bias.cwiseAbs().maxCoeff() + weight.cwiseAbs().maxCoeff();
    EXPECT_LT((exact.dtau_dv * state.v - twice).cwiseAbs().maxCoeff(), 1e-12 * size);
  });
}

bool has_scalar_joints(const Model& model) {
  for (const Joint& joint : model.joints()) {
    if (velocity_size(joint.kind) != 1) return false;
  }
  return true;
}

// Without velocities and with coordinates for q, ∂τ/∂q is the Hessian of the potential energy.
TEST(Derivatives, AtRestAreTheHessianOfThePotentialEnergy) {
  int checked = 0;
  for_each_robot(200, [&](const Model& model, Random& random) {
    if (!has_scalar_joints(model) || model.has_passive_forces()) return;
    const RandomState state(random, model);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.velocity_count());
    DynamicsData<double> data(model);
    const DerivativesData exact = inverse_derivatives(model, data, state.q, zero, zero);
    const double size = 1.0 + exact.dtau_dq.cwiseAbs().maxCoeff();
    EXPECT_LT((exact.dtau_dq - exact.dtau_dq.transpose()).cwiseAbs().maxCoeff(), 1e-13 * size);
    EXPECT_EQ(exact.dtau_dv.cwiseAbs().maxCoeff(), 0.0);
    const auto potential = [&](const Eigen::VectorXd& q) {
      update_kinematics(model, data, q, zero);
      return Eigen::VectorXd::Constant(1, potential_energy<double>(model, data, as_span(q))).eval();
    };
    const auto gradient = [&](const Eigen::VectorXd& q) -> Eigen::VectorXd {
      return derivative_by(q, potential).transpose();
    };
    if (model.velocity_count() > 12) return;  // differences of differences take long
    EXPECT_LT((exact.dtau_dq - derivative_by(state.q, gradient)).cwiseAbs().maxCoeff(),
              1e-7 * size);
    ++checked;
  });
  EXPECT_GT(checked, 5);
}

TEST(Derivatives, OfSpringsAndDampersAreTheirDifferences) {
  for_each_robot(tree_count, [&](const Model& robot, Random& random) {
    ModelParameters parameters = robot.parameters();
    for (double& value : parameters.damping) value = std::abs(random.normal());
    for (double& value : parameters.stiffness) value = std::abs(random.normal());
    const Model model = robot.with_parameters(parameters);
    const RandomState state(random, model);
    const Eigen::Index n = model.velocity_count();
    Eigen::MatrixXd by_q = Eigen::MatrixXd::Zero(n, n);
    Eigen::MatrixXd by_v = Eigen::MatrixXd::Zero(n, n);
    add_passive_derivatives(model, as_span(state.q), 1.0, by_q, by_v);
    const auto forces = [&](const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
      Eigen::VectorXd tau(n);
      passive_forces<double>(model, as_span(q), as_span(v), as_span(tau));
      return tau;
    };
    EXPECT_LT(relative_error(
                  by_v, derivative_by(
                            state.v, [&](const Eigen::VectorXd& v) { return forces(state.q, v); })),
              tolerance);
    // A random ball joint may be within three steps of the half turn where its spring jumps.
    for (const Joint& joint : model.joints()) {
      if (joint.kind == JointKind::spherical &&
          std::abs(state.q[joint.position_index + 3]) < 0.05) {
        return;
      }
    }
    EXPECT_LT(relative_error(by_q, derivative_by_q(model, state.q,
                                                   [&](const Eigen::VectorXd& q) {
                                                     return forces(q, state.v);
                                                   })),
              tolerance);
  });
}

}  // namespace
}  // namespace stiction::test
