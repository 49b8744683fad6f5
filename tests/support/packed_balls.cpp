#include "support/packed_balls.hpp"

#include <Eigen/Geometry>
#include <array>
#include <vector>

#include "stiction/core/random.hpp"
#include "support/contact_problems.hpp"

namespace stiction::test {

namespace {

constexpr double radius = 0.1;
constexpr double fall = 9.81 * 0.002;  // in a step [m/s]
constexpr double friction = 0.5;

/// Two balls, or a ball and the world (-1), and the direction from the first to the second.
struct Touch {
  int from = -1;
  int to = -1;
  Eigen::Vector3d normal;
};

std::vector<Touch> touches_of(int edge) {
  std::vector<Touch> list;
  const std::array strides{1, edge, edge * edge};
  for (int ball = 0; ball < edge * edge * edge; ++ball) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Eigen::Vector3d along = Eigen::Vector3d::Unit(static_cast<Eigen::Index>(axis));
      const int place = ball / strides[axis] % edge;
      if (place == 0) list.push_back({-1, ball, along});
      if (place + 1 < edge) list.push_back({ball, ball + strides[axis], along});
    }
  }
  return list;
}

/// Rows t1, t2, n.
Eigen::Matrix3d axes_of(const Eigen::Vector3d& normal) {
  Eigen::Matrix3d axes;
  axes.row(2) = normal;
  axes.row(0) = normal.unitOrthogonal();
  axes.row(1) = normal.cross(axes.row(0).transpose());
  return axes;
}

}  // namespace

ContactProblem packed_balls(std::uint64_t seed, int edge, double speed, double error) {
  Random random(seed);
  const std::vector<Touch> touches = touches_of(edge);
  ContactProblem problem;
  for (std::size_t i = 0; i < touches.size(); ++i) {
    problem.add_contact(friction, error * random.uniform(-1.0, 1.0));
  }
  problem.use_bodies(edge * edge * edge);
  ContactProblem::Matrix6 inverse_mass = ContactProblem::Matrix6::Identity();
  inverse_mass.diagonal().tail(3).setConstant(1.0 / (0.4 * radius * radius));
  std::vector<Eigen::Vector3d> u;
  for (int ball = 0; ball < problem.body_count(); ++ball) {
    problem.set_inverse_mass(ball, inverse_mass);
    const Eigen::Vector3d pushed(random.uniform(-1, 1), random.uniform(-1, 1),
                                 random.uniform(-1, 1));
    u.push_back(speed * pushed - fall * Eigen::Vector3d(0.3, 0.2, 0.9));
  }
  Eigen::VectorXd v = Eigen::VectorXd::Zero(problem.row_count());
  for (std::size_t i = 0; i < touches.size(); ++i) {
    const Touch& touch = touches[i];
    const Eigen::Matrix3d axes = axes_of(touch.normal);
    const auto join = [&](int ball, double sign) {
      if (ball < 0) return;
      ContactProblem::Jacobian J(3, 6);
      J.leftCols(3) = sign * axes;
      J.rightCols(3) = axes * skew(radius * touch.normal);  // the arm turns round with the sign
      problem.couple(static_cast<int>(i), ball, J);
      v.segment<3>(static_cast<Eigen::Index>(3 * i)) +=
          sign * axes * u[static_cast<std::size_t>(ball)];
    };
    join(touch.from, -1.0);
    join(touch.to, 1.0);
  }
  problem.edit_free_velocity() = v;
  problem.prepare();
  return problem;
}

}  // namespace stiction::test
