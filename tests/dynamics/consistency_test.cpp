// The kernels against each other: composite bodies, articulated bodies and Newton-Euler compute the
// same mechanics by three different roads.

#include <Eigen/Cholesky>
#include <cstdio>
#include <gtest/gtest.h>
#include <set>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/dynamics/spans.hpp"
#include "support/robots.hpp"

namespace stiction::test {
namespace {

constexpr int tree_count = 200;

// Some hundred roundings in double, times the condition of M for whatever solves with it.
constexpr double tolerance = 1e-11;

/// Remembers the largest value of a check, to be printed at its end.
class Largest {
 public:
  explicit Largest(const char* what) : what_(what) {}
  ~Largest() { std::printf("%s: largest relative error %.1e\n", what_, value_); }
  Largest(const Largest&) = delete;
  Largest& operator=(const Largest&) = delete;
  double operator()(double error) {
    value_ = std::max(value_, error);
    return error;
  }

 private:
  const char* what_;
  double value_ = 0.0;
};

/// Zero in the rows of bodies whose motion is prescribed: no force is asked of them.
Eigen::VectorXd without_kinematic(const Model& model, Eigen::VectorXd x) {
  for (const Joint& joint : model.joints()) {
    if (joint.kinematic) x.segment<6>(joint.velocity_index).setZero();
  }
  return x;
}

std::vector<Force<double>> random_forces(Random& random, const Model& model) {
  std::vector<Force<double>> forces(static_cast<std::size_t>(model.body_count()));
  for (Force<double>& force : forces) {
    force = {from_eigen(random_vector(random, 5.0)), from_eigen(random_vector(random, 20.0))};
  }
  return forces;
}

TEST(RandomTrees, HoldEveryKindOfJointAndSeveralRoots) {
  std::set<JointKind> kinds;
  bool axis_general = false;
  bool axis_negative = false;
  int most_bodies = 0;
  int fewest_bodies = 1000;
  int most_roots = 0;
  bool kinematic = false;
  for (int seed = 1; seed <= tree_count; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    TreeOptions options;
    options.kinematic = true;
    int roots = 0;
    const RobotRecipe robot = random_tree(random, options);
    for (const LinkRecipe& link : robot.links) {
      kinds.insert(link.joint);
      roots += link.parent < 0 ? 1 : 0;
      axis_general |= link.axis.cwiseAbs().maxCoeff() < 1.0;
      axis_negative |= link.axis.minCoeff() == -1.0;
      kinematic |= link.kinematic;
    }
    most_bodies = std::max(most_bodies, static_cast<int>(robot.links.size()));
    fewest_bodies = std::min(fewest_bodies, static_cast<int>(robot.links.size()));
    most_roots = std::max(most_roots, roots);
  }
  EXPECT_EQ(kinds.size(), 7U);
  EXPECT_TRUE(axis_general && axis_negative && kinematic);
  EXPECT_EQ(fewest_bodies, 1);
  EXPECT_EQ(most_bodies, 40);
  EXPECT_GT(most_roots, 2);
}

TEST(Dynamics, ArticulatedBodiesCompositeBodiesAndNewtonEulerAgree) {
  Largest against_ltdl("ABA against CRBA + LTDL");
  Largest against_rnea("Newton-Euler of ABA's acceleration against the joint forces");
  Largest bias("M dv + bias against Newton-Euler");
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    DynamicsData<double> data(model);
    const Eigen::VectorXd tau = without_kinematic(model, state.tau);
    const Eigen::VectorXd dv = articulated_body_algorithm(model, data, state.q, state.v, tau);

    const Eigen::MatrixXd M = mass_matrix(model, data);
    const Eigen::VectorXd c = bias_forces(model, data);
    Eigen::MatrixXd factors = M.transpose();  // row by row as it is column by column
    const std::span<double> entries(factors.data(), static_cast<std::size_t>(factors.size()));
    factorize_mass_matrix<double>(model, entries);
    Eigen::VectorXd solved = tau - c;
    solve_mass_matrix<double>(model, entries, as_span(solved));
    EXPECT_LT(against_ltdl(relative_error(dv, solved)), tolerance);

    // Relative to the forces that Newton-Euler adds up, which nearly cancel where dv is large.
    const Eigen::VectorXd back = inverse_dynamics(model, data, dv);
    const double size = (M.cwiseAbs() * dv.cwiseAbs() + c.cwiseAbs()).maxCoeff();
    EXPECT_LT(against_rnea((back - tau).cwiseAbs().maxCoeff() / size), tolerance);

    const Eigen::VectorXd wish =
        without_kinematic(model, random_entries(random, model.velocity_count()));
    EXPECT_LT(bias(relative_error(inverse_dynamics(model, data, wish),
                                  without_kinematic(model, M * wish + c))),
              tolerance);
  });
}

TEST(Dynamics, MassMatrixIsSymmetricPositiveAndTheKineticEnergy) {
  Largest energy("kinetic energy against v M v / 2");
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    DynamicsData<double> data(model);
    const Eigen::VectorXd v = without_kinematic(model, state.v);
    update_kinematics(model, data, state.q, v);
    const Eigen::MatrixXd M = mass_matrix(model, data);
    EXPECT_EQ(M, M.transpose());
    EXPECT_EQ(Eigen::LLT<Eigen::MatrixXd>(M).info(), Eigen::Success);
    const double expected = 0.5 * v.dot(M * v);
    EXPECT_LT(energy(std::abs(kinetic_energy<double>(model, data, as_span(v)) - expected) /
                     std::max(expected, 1e-300)),
              tolerance);
  });
}

TEST(Dynamics, ApplyInverseIsTheInverseOfTheMassMatrixWithAnAddedDiagonal) {
  Largest error("apply_inverse against M");
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    const int n = model.velocity_count();
    DynamicsData<double> data(model);
    update_kinematics(model, data, state.q, state.v);
    Eigen::MatrixXd M = mass_matrix(model, data);
    Eigen::VectorXd diagonal = Eigen::VectorXd::Zero(n);
    for (int round = 0; round < 2; ++round) {
      factorize<double>(model, data,
                        round == 0 ? std::span<const double>{} : as_span(std::as_const(diagonal)));
      const Eigen::VectorXd x = without_kinematic(model, state.tau);
      const Eigen::VectorXd y = apply_inverse(model, data, x);
      // The residual of the solve, relative to what it adds up.
      EXPECT_LT(error((M * y - x).cwiseAbs().maxCoeff() / (M.cwiseAbs() * y.cwiseAbs()).maxCoeff()),
                tolerance);
      Eigen::VectorXd in_place = x;
      apply_inverse<double>(model, data, as_span(in_place), as_span(in_place));
      EXPECT_EQ(in_place, y);
      diagonal = without_kinematic(model, random_entries(random, n).cwiseAbs());
      M.diagonal() += diagonal;
    }
  });
}

TEST(Dynamics, ForcesOnBodiesMeanTheSameToBothDirections) {
  Largest error("forces on bodies, forward then inverse");
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    const std::vector<Force<double>> forces = random_forces(random, model);
    DynamicsData<double> data(model);
    update_kinematics(model, data, state.q, state.v);
    factorize<double>(model, data);
    const Eigen::VectorXd tau = without_kinematic(model, state.tau);
    Eigen::VectorXd dv(tau.size());
    forward_dynamics<double>(model, data, as_span(tau), as_span(dv), forces);
    Eigen::VectorXd back(tau.size());
    inverse_dynamics<double>(model, data, as_span(std::as_const(dv)), as_span(back), forces);
    const Eigen::MatrixXd M = mass_matrix(model, data);
    const double size = (M.cwiseAbs() * dv.cwiseAbs() + tau.cwiseAbs()).maxCoeff();
    EXPECT_LT(error((back - tau).cwiseAbs().maxCoeff() / size), tolerance);
  });
}

TEST(Dynamics, ForcesOnBodiesEnterByTheirJacobians) {
  Largest error("forces on bodies against Jᵀf");
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    const std::vector<Force<double>> forces = random_forces(random, model);
    DynamicsData<double> data(model);
    update_kinematics(model, data, state.q, state.v);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.velocity_count());
    const Eigen::VectorXd without = inverse_dynamics(model, data, zero);
    Eigen::VectorXd with(zero.size());
    inverse_dynamics<double>(model, data, as_span(zero), as_span(with), forces);
    Eigen::VectorXd expected = without;
    Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> J(6, zero.size());
    for (int body = 0; body < model.body_count(); ++body) {
      const Force<double>& force = forces[static_cast<std::size_t>(body)];
      body_jacobian<double>(model, data, body, data.bodies[static_cast<std::size_t>(body)].position,
                            {J.data(), static_cast<std::size_t>(J.size())});
      expected -= J.topRows<3>().transpose() * to_eigen(force.linear);
      expected -= J.bottomRows<3>().transpose() * to_eigen(force.angular);
    }
    EXPECT_LT(error(relative_error(with, without_kinematic(model, expected))), tolerance);
  });
}

TEST(Dynamics, PrescribedBodiesDoNotAccelerateAndHaveNoRows) {
  int seen = 0;
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    DynamicsData<double> data(model);
    const Eigen::VectorXd dv = articulated_body_algorithm(model, data, state.q, state.v, state.tau);
    const Eigen::VectorXd inverse = apply_inverse(model, data, state.tau);
    const Eigen::VectorXd tau = inverse_dynamics(model, data, state.tau);
    const Eigen::MatrixXd M = mass_matrix(model, data);
    for (const Joint& joint : model.joints()) {
      if (!joint.kinematic) continue;
      ++seen;
      EXPECT_TRUE((dv.segment<6>(joint.velocity_index).array() == 0.0).all());
      EXPECT_TRUE((inverse.segment<6>(joint.velocity_index).array() == 0.0).all());
      EXPECT_TRUE((tau.segment<6>(joint.velocity_index).array() == 0.0).all());
      Eigen::MatrixXd unit = Eigen::MatrixXd::Zero(6, M.cols());
      unit.middleCols<6>(joint.velocity_index).setIdentity();
      EXPECT_EQ(M.middleRows<6>(joint.velocity_index), unit);
    }
  });
  EXPECT_GT(seen, 20);
}

TEST(Dynamics, BodyAccelerationsAreJacobiansTimesThoseOfTheJoints) {
  Largest error("update_accelerations against J dv");
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    DynamicsData<double> data(model);
    update_kinematics(model, data, state.q, state.v);
    update_accelerations(model, data, state.tau);
    const Eigen::Index rows = 6 * model.body_count();
    Eigen::VectorXd expected(rows);
    Eigen::VectorXd actual(rows);
    Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> J(6, model.velocity_count());
    for (int i = 0; i < model.body_count(); ++i) {
      const BodyData<double>& body = data.bodies[static_cast<std::size_t>(i)];
      actual.segment<3>(6 * i) = to_eigen(body.acceleration.linear);
      actual.segment<3>(6 * i + 3) = to_eigen(body.acceleration.angular);
      body_jacobian<double>(model, data, i, body.position,
                            {J.data(), static_cast<std::size_t>(J.size())});
      expected.segment<6>(6 * i) = J * state.tau;
    }
    EXPECT_LT(error(relative_error(actual, expected)), tolerance);
  });
}

TEST(Dynamics, OneSweepGivesWhatFactorizingAndAcceleratingGive) {
  Largest error("factorize_and_accelerate against both kernels");
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    const std::vector<Force<double>> forces = random_forces(random, model);
    const Eigen::VectorXd diagonal = random_entries(random, model.velocity_count()).cwiseAbs();
    DynamicsData<double> data(model);
    update_kinematics(model, data, state.q, state.v);
    Eigen::VectorXd expected(state.tau.size());
    factorize<double>(model, data, as_span(diagonal));
    forward_dynamics<double>(model, data, as_span(state.tau), as_span(expected), forces);
    const Eigen::VectorXd x = apply_inverse(model, data, state.tau);
    DynamicsData<double> other(model);
    update_kinematics(model, other, state.q, state.v);
    Eigen::VectorXd actual(state.tau.size());
    factorize_and_accelerate<double>(model, other, as_span(state.tau), as_span(actual),
                                     as_span(diagonal), forces);
    EXPECT_LT(error(relative_error(actual, expected)), tolerance);
    // Its factors serve the other kernels, too.
    EXPECT_LT(error(relative_error(apply_inverse(model, other, state.tau), x)), tolerance);
    // (M + diagonal) dv + bias - Jᵀf = tau
    Eigen::VectorXd bias(state.tau.size());
    bias_forces<double>(model, other, as_span(bias), forces);
    Eigen::MatrixXd M = mass_matrix(model, other);
    M.diagonal() += diagonal;
    const Eigen::VectorXd residual = without_kinematic(model, M * actual + bias - state.tau);
    EXPECT_LT(error(residual.cwiseAbs().maxCoeff() /
                    (M.cwiseAbs() * actual.cwiseAbs() + bias.cwiseAbs()).maxCoeff()),
              tolerance);
  });
}

TEST(Dynamics, MomentumIsMassTimesTheVelocityOfTheCentreOfMass) {
  Largest error("linear momentum against the moving centre of mass");
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    const Eigen::VectorXd v = without_kinematic(model, state.v);
    DynamicsData<double> data(model);
    const auto center = [&](double t) {
      update_kinematics(model, data, integrate(model, state.q, v, t), v);
      return to_eigen(centroidal_state(model, data).center_of_mass);
    };
    // Central differences of fourth order: what is left out is of the order h⁴ = 1e-12.
    const double h = 1e-3;
    const Eigen::Vector3d velocity =
        (8.0 * (center(h) - center(-h)) - (center(2 * h) - center(-2 * h))) / (12.0 * h);
    update_kinematics(model, data, state.q, v);
    const CentroidalState<double> now = centroidal_state(model, data);
    if (now.mass == 0.0) return;
    double mass = 0.0;
    for (int i = 0; i < model.body_count(); ++i) {
      if (!model.joint(i).kinematic) mass += model.body_inertia(i).mass;
    }
    EXPECT_NEAR(now.mass, mass, 1e-12 * mass);
    EXPECT_LT(error((to_eigen(now.linear_momentum) - mass * velocity).norm() /
                    (mass * (1.0 + velocity.norm()))),
              1e-9);
  });
}

// A force on one body changes momentum at the rate that Newton and Euler say, for a robot that
// nothing holds.
TEST(Dynamics, MomentaOfTwoRangesOfBodiesAddUp) {
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    DynamicsData<double> data(model);
    update_kinematics(model, data, state.q, state.v);
    const int count = model.body_count(), middle = random.index(count + 1);
    const Force<double> all = momentum_of(model, data, 0, count);
    const Force<double> one = momentum_of(model, data, 0, middle);
    const Force<double> other = momentum_of(model, data, middle, count);
    const double size = 1.0 + norm(one.linear) + norm(other.linear);
    const double turn = 1.0 + norm(one.angular) + norm(other.angular);
    EXPECT_LE(norm(all.linear - one.linear - other.linear), 1e-13 * size);
    EXPECT_LE(norm(all.angular - one.angular - other.angular), 1e-13 * turn);
    EXPECT_EQ(to_eigen(centroidal_state(model, data).linear_momentum), to_eigen(all.linear));
  });
}

TEST(Dynamics, MomentumOfAFreeRobotChangesByGravityAlone) {
  Largest error("rate of momentum against weight");
  for (std::uint64_t seed = 1; seed <= tree_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    RobotRecipe robot = random_tree(random);
    for (LinkRecipe& link : robot.links) {
      if (link.parent < 0) {
        link.joint = JointKind::floating;
        link.joint_point.setZero();
      }
      link.armature = 0.0;  // a rotor's own momentum is not counted
    }
    const Model model = make_model(robot);
    const RandomState state(random, model);
    Eigen::VectorXd tau = state.tau;  // inner forces only
    for (const Joint& joint : model.joints()) {
      if (joint.kind == JointKind::floating) tau.segment<6>(joint.velocity_index).setZero();
    }
    DynamicsData<double> data(model);
    const Eigen::VectorXd dv = articulated_body_algorithm(model, data, state.q, state.v, tau);
    update_accelerations(model, data, dv);
    const CentroidalState<double> now = centroidal_state(model, data);
    Eigen::Vector3d linear = Eigen::Vector3d::Zero();
    Eigen::Vector3d angular = Eigen::Vector3d::Zero();
    double size = 0.0;
    for (int i = 0; i < model.body_count(); ++i) {
      const BodyInertia& inertia = model.body_inertia(i);
      const BodyData<double>& body = data.bodies[static_cast<std::size_t>(i)];
      const Eigen::Isometry3d pose = body_pose(data, i);
      const Eigen::Vector3d point = pose * inertia.center_of_mass;
      const Eigen::Vector3d w = to_eigen(body.velocity.angular);
      const Eigen::Vector3d alpha =
          to_eigen(body.drift.angular) + to_eigen(body.acceleration.angular);
      const Eigen::Vector3d arm = point - pose.translation();
      const Eigen::Vector3d a = to_eigen(body.drift.linear) + to_eigen(body.acceleration.linear) +
                                alpha.cross(arm) + w.cross(w.cross(arm));
      const Eigen::Matrix3d I = pose.linear() * inertia.inertia * pose.linear().transpose();
      const Eigen::Vector3d turning = I * alpha + w.cross(I * w);
      linear += inertia.mass * a;
      angular += (point - to_eigen(now.center_of_mass)).cross(inertia.mass * a) + turning;
      size += inertia.mass * a.norm() + turning.norm();
    }
    EXPECT_LT(error((linear - now.mass * model.gravity()).norm() / size), tolerance);
    EXPECT_LT(error(angular.norm() / size), tolerance);
  }
}

TEST(Dynamics, PowerOfForcesIsTheRateOfEnergy) {
  Largest error("power against the rate of energy");
  for_each_robot(50, [&](const Model& model, Random& random) {
    if (std::ranges::any_of(model.joints(), [](const Joint& joint) { return joint.kinematic; })) {
      return;  // whoever prescribes a motion does work, too
    }
    const RandomState state(random, model);
    DynamicsData<double> data(model);
    const Eigen::VectorXd dv = articulated_body_algorithm(model, data, state.q, state.v, state.tau);
    const auto energy = [&](double t) {
      const Eigen::VectorXd q = integrate(model, state.q, state.v + 0.5 * t * dv, t);
      const Eigen::VectorXd v = state.v + t * dv;
      update_kinematics(model, data, q, v);
      return kinetic_energy<double>(model, data, as_span(v)) +
             potential_energy<double>(model, data, as_span(q));
    };
    // Second order differences along a path that is right to second order. Springs of the files are
    // part of the potential energy.
    const double h = 1e-4 / (1.0 + dv.cwiseAbs().maxCoeff());
    const double rate = (energy(h) - energy(-h)) / (2.0 * h);
    Eigen::VectorXd springs(model.velocity_count());
    const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.velocity_count());
    passive_forces<double>(model, as_span(state.q), as_span(rest), as_span(springs));
    const double power = state.v.dot(state.tau - springs);
    const double size = state.v.cwiseAbs().dot(state.tau.cwiseAbs());
    // What is left out is of the order h² = 1e-8, and rounding is divided by h; 2e-8 is seen.
    EXPECT_LT(error(std::abs(rate - power) / size), 1e-6);
  });
}

}  // namespace
}  // namespace stiction::test
