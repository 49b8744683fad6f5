// Derivatives of points on bodies, and of moving along the manifold of positions, against
// differences.

#include "stiction/dynamics/point_derivatives.hpp"

#include <gtest/gtest.h>

#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/tangent.hpp"
#include "support/finite_differences.hpp"
#include "support/robots.hpp"

namespace stiction::test {
namespace {

constexpr int tree_count = 100;
constexpr double tolerance = 1e-9;  // of the differences

/// A point of a body, wherever the robot is.
class BodyPoint {
 public:
  BodyPoint(const Model& model, Random& random)
      : model_(model),
        data_(model),
        body_(model.body_count() - 1 - static_cast<int>(random.uniform() * model.body_count() / 2)),
        offset_(random_vector(random, 0.5)) {}

  void place(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    update_kinematics(model_, data_, q, v);
    point_ = body_pose(data_, body_) * offset_;
  }
  Eigen::VectorXd position(const Eigen::VectorXd& q) {
    place(q, Eigen::VectorXd::Zero(model_.velocity_count()));
    return point_;
  }
  Eigen::MatrixXd jacobian() { return point_jacobian(model_, data_, body_, point_); }
  Eigen::VectorXd velocity(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    place(q, v);
    return jacobian() * v;
  }
  Eigen::VectorXd acceleration(const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                               const Eigen::VectorXd& dv) {
    place(q, v);
    return jacobian() * dv + to_eigen(point_drift(data_, body_, from_eigen(point_)));
  }
  Eigen::VectorXd force(const Eigen::VectorXd& q, const Eigen::Vector3d& f) {
    position(q);
    return jacobian().transpose() * f;
  }

  [[nodiscard]] int body() const { return body_; }
  [[nodiscard]] const Eigen::Vector3d& point() const { return point_; }
  DynamicsData<double>& data() { return data_; }

 private:
  Model model_;
  DynamicsData<double> data_;
  int body_;
  Eigen::Vector3d offset_;
  Eigen::Vector3d point_ = Eigen::Vector3d::Zero();
};

TEST(PointDerivatives, OfPositionVelocityAccelerationAndForceAreDifferences) {
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    if (model.body_count() == 0) return;
    const RandomState state(random, model);
    const Eigen::Index n = model.velocity_count();
    const Eigen::VectorXd dv = random_entries(random, model.velocity_count(), 3.0);
    const Eigen::Vector3d f = random_vector(random, 20.0);
    BodyPoint point(model, random);
    using Vector = Eigen::VectorXd;
    Eigen::Matrix3Xd velocity_by_q(3, n);
    Eigen::Matrix3Xd acceleration_by_q(3, n);
    Eigen::Matrix3Xd acceleration_by_v(3, n);
    Eigen::MatrixXd force_by_q = Eigen::MatrixXd::Ones(n, n);
    point.place(state.q, state.v);
    const Eigen::MatrixXd J = point.jacobian();
    update_accelerations(model, point.data(), dv);
    point_velocity_by_q(model, point.data(), point.body(), point.point(), velocity_by_q);
    point_acceleration_by_state(model, point.data(), point.body(), point.point(), acceleration_by_q,
                                acceleration_by_v);
    add_point_force_by_q(model, point.data(), point.body(), point.point(), f, force_by_q, -2.0);

    const auto by_q = [&](auto function) { return derivative_by_q(model, state.q, function); };
    EXPECT_LT(relative_error(J, by_q([&](const Vector& q) { return point.position(q); })),
              tolerance);
    EXPECT_LT(relative_error(velocity_by_q,
                             by_q([&](const Vector& q) { return point.velocity(q, state.v); })),
              tolerance);
    EXPECT_LT(relative_error(acceleration_by_q, by_q([&](const Vector& q) {
                               return point.acceleration(q, state.v, dv);
                             })),
              tolerance);
    EXPECT_LT(relative_error(acceleration_by_v, derivative_by(state.v,
                                                              [&](const Vector& v) {
                                                                return point.acceleration(state.q,
                                                                                          v, dv);
                                                              })),
              tolerance);
    const Eigen::MatrixXd expected = by_q([&](const Vector& q) { return point.force(q, f); });
    EXPECT_LT(relative_error((Eigen::MatrixXd::Ones(n, n) - force_by_q).eval() / 2.0, expected),
              tolerance);
  });
}

TEST(PointDerivatives, OfThePointsOfTheWorldAreZero) {
  const Model model = load_model(models_folder() / "solo12.urdf").model;
  DynamicsData<double> data(model);
  const Eigen::Index n = model.velocity_count();
  Eigen::Matrix3Xd by_q = Eigen::Matrix3Xd::Ones(3, n);
  Eigen::Matrix3Xd by_v = Eigen::Matrix3Xd::Ones(3, n);
  Eigen::MatrixXd force = Eigen::MatrixXd::Zero(n, n);
  update_kinematics(model, data, model.initial_positions(), Eigen::VectorXd::Ones(n));
  point_acceleration_by_state(model, data, world_body, Eigen::Vector3d::Ones(), by_q, by_v);
  add_point_force_by_q(model, data, world_body, Eigen::Vector3d::Ones(), Eigen::Vector3d::Ones(),
                       force);
  EXPECT_EQ(by_q.cwiseAbs().maxCoeff() + by_v.cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ(force.cwiseAbs().maxCoeff(), 0.0);
}

/// A step whose turns are at most `largest` [rad], from nearly nothing.
Eigen::VectorXd random_step(Random& random, const Model& model, double largest) {
  const double size = largest * std::pow(10.0, -6.0 * random.uniform());
  Eigen::VectorXd v = random_entries(random, model.velocity_count());
  for (const Joint& joint : model.joints()) {
    const int first = joint.kind == JointKind::floating ? 3 : 0;
    if (joint.kind != JointKind::spherical && joint.kind != JointKind::floating) continue;
    v.segment<3>(joint.velocity_index + first).normalize();
    v.segment<3>(joint.velocity_index + first) *= size;
  }
  return v;
}

TEST(TangentJacobians, OfMovingAndOfDifferencesAreDifferences) {
  for_each_robot(tree_count, [&](const Model& model, Random& random) {
    const Eigen::VectorXd q0 = random_positions(random, model);
    const Eigen::VectorXd v = random_step(random, model, 3.0);
    const Eigen::VectorXd q1 = integrate(model, q0, v, 1.0);
    Eigen::MatrixXd result;
    using Vector = Eigen::VectorXd;
    integrate_by_q(model, v, result);
    EXPECT_LT(relative_error(result, derivative_by_q(model, q0,
                                                     [&](const Vector& q) {
                                                       return difference(
                                                           model, q1, integrate(model, q, v, 1.0));
                                                     })),
              tolerance);
    integrate_by_v(model, v, result);
    EXPECT_LT(relative_error(result, derivative_by(v,
                                                   [&](const Vector& step) {
                                                     return difference(
                                                         model, q1,
                                                         integrate(model, q0, step, 1.0));
                                                   })),
              tolerance);
    difference_by_end(model, v, result);
    EXPECT_LT(
        relative_error(
            result,
            derivative_by_q(model, q1, [&](const Vector& q) { return difference(model, q0, q); })),
        tolerance);
    difference_by_start(model, v, result);
    EXPECT_LT(
        relative_error(
            result,
            derivative_by_q(model, q0, [&](const Vector& q) { return difference(model, q, q1); })),
        tolerance);
  });
}

}  // namespace
}  // namespace stiction::test
