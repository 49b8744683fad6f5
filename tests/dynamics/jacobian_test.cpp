// Jacobians and their drift against finite differences of positions along the manifold.

#include "stiction/dynamics/jacobian.hpp"

#include <cstdio>
#include <gtest/gtest.h>

#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "support/robots.hpp"

namespace stiction::test {
namespace {

// Differences of fourth order with steps of 1e-3: truncation about 1e-12 times the fifth
// derivative, rounding about 1e-13.
constexpr double step = 1e-3;
constexpr double tolerance = 1e-9;

/// d/dt f at 0, f a function that returns a matrix.
template <class Function>
auto derivative(Function f) {
  const auto near = (f(step) - f(-step)).eval();
  const auto far = (f(2.0 * step) - f(-2.0 * step)).eval();
  return ((8.0 * near - far) / (12.0 * step)).eval();
}

Eigen::Vector3d axial(const Eigen::Matrix3d& m) {
  return 0.5 * Eigen::Vector3d(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
}

TEST(Jacobian, IsTheDerivativeOfPosesAlongIntegrate) {
  double largest = 0.0;
  for_each_robot(200, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    DynamicsData<double> data(model);
    const int frame = random.index(static_cast<int>(model.frames().size()));
    const int n = model.velocity_count();
    Eigen::MatrixXd expected(6, n);
    for (int k = 0; k < n; ++k) {
      const Eigen::VectorXd direction = Eigen::VectorXd::Unit(n, k);
      const auto pose = [&](double t) {
        update_kinematics(model, data, integrate(model, state.q, direction, t), state.v);
        return Eigen::Matrix4d(frame_pose(model, data, frame).matrix());
      };
      const Eigen::Matrix4d rate = derivative(pose);
      const Eigen::Matrix4d now = pose(0.0);
      expected.block<3, 1>(0, k) = rate.topRightCorner<3, 1>();
      expected.block<3, 1>(3, k) =
          axial(rate.topLeftCorner<3, 3>() * now.topLeftCorner<3, 3>().transpose());
    }
    update_kinematics(model, data, state.q, state.v);
    const Eigen::MatrixXd J = frame_jacobian(model, data, frame);
    const double error = relative_error(J, expected);
    largest = std::max(largest, error);
    EXPECT_LT(error, tolerance) << "frame " << frame;

    // The velocity of the frame is J v, and that of its points follows.
    const int body = model.frames()[static_cast<std::size_t>(frame)].body;
    if (body < 0) return;
    const Eigen::Vector3d point = frame_pose(model, data, frame) * Eigen::Vector3d(0.1, 0.2, -0.3);
    const Eigen::Vector3d velocity = point_jacobian(model, data, body, point) * state.v;
    EXPECT_LT((to_eigen(point_velocity(data, body, from_eigen(point))) - velocity).norm(),
              1e-12 * (1.0 + velocity.norm()) * n);
  });
  std::printf("Jacobians against differences of poses: largest relative error %.1e\n", largest);
}

TEST(Jacobian, DriftIsTheDerivativeOfTheJacobianTimesVelocity) {
  double largest = 0.0;
  for_each_robot(200, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    DynamicsData<double> data(model);
    for (int repeat = 0; repeat < 3; ++repeat) {
      const int frame = random.index(static_cast<int>(model.frames().size()));
      // v stays the same along integrate(), so d/dt(J v) there is J̇v.
      const Eigen::VectorXd expected = derivative([&](double t) {
        update_kinematics(model, data, integrate(model, state.q, state.v, t), state.v);
        return Eigen::VectorXd(frame_jacobian(model, data, frame) * state.v);
      });
      update_kinematics(model, data, state.q, state.v);
      const Eigen::VectorXd drift = frame_drift(model, data, frame);
      // The fifth derivative of a body at the end of a long branch with random velocities is large.
      const double size = 1.0 + expected.cwiseAbs().maxCoeff();
      const double error = (drift - expected).cwiseAbs().maxCoeff() / size;
      largest = std::max(largest, error);
      EXPECT_LT(error, 1e-8) << "frame " << frame;
    }
  });
  std::printf("drift against differences of J v: largest relative error %.1e\n", largest);
}

TEST(Jacobian, OfTheWorldIsZero) {
  Random random(5);
  const Model model = make_model(random_tree(random));
  DynamicsData<double> data(model);
  const RandomState state(random, model);
  update_kinematics(model, data, state.q, state.v);
  EXPECT_EQ(point_jacobian(model, data, world_body, Eigen::Vector3d(1, 2, 3)).norm(), 0.0);
  EXPECT_EQ(to_eigen(point_velocity(data, world_body, Vector3<double>{1, 2, 3})).norm(), 0.0);
}

}  // namespace
}  // namespace stiction::test
