#include "support/contact_problems.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "stiction/core/random.hpp"

namespace stiction::test {

Eigen::Matrix3d skew(const Eigen::Vector3d& r) {
  Eigen::Matrix3d m;
  m << 0.0, -r.z(), r.y(), r.z(), 0.0, -r.x(), -r.y(), r.x(), 0.0;
  return m;
}

namespace {

double between(Random& random, double low, double high) { return random.uniform(low, high); }

Eigen::Vector3d random_vector(Random& random, double size) {
  return {between(random, -size, size), between(random, -size, size), between(random, -size, size)};
}

/// Adds the blocks of a mix in random order.
void add_blocks(Random& random, const ProblemMix& mix, ContactProblem& problem) {
  std::vector<BlockKind> kinds;
  kinds.insert(kinds.end(), static_cast<std::size_t>(mix.contacts), BlockKind::contact);
  kinds.insert(kinds.end(), static_cast<std::size_t>(mix.limits), BlockKind::limit);
  kinds.insert(kinds.end(), static_cast<std::size_t>(mix.joint_frictions),
               BlockKind::joint_friction);
  kinds.insert(kinds.end(), static_cast<std::size_t>(mix.locks), BlockKind::lock);
  for (std::size_t i = kinds.size(); i > 1; --i) {
    std::swap(kinds[i - 1], kinds[static_cast<std::size_t>(random.index(static_cast<int>(i)))]);
  }
  for (const BlockKind kind : kinds) {
    switch (kind) {
      case BlockKind::contact:
        problem.add_contact(between(random, mix.least_friction, mix.largest_friction),
                            between(random, -0.1, 0.0) * mix.speed);
        break;
      case BlockKind::limit:
        problem.add_limit(between(random, -0.1, 0.0) * mix.speed);
        break;
      case BlockKind::joint_friction:
        problem.add_joint_friction(between(random, 0.0, 0.1) * mix.speed);
        break;
      case BlockKind::lock:
        problem.add_lock(1 + random.index(3));
        break;
      case BlockKind::spin:  // not in a mix
      case BlockKind::roll:
        break;
    }
  }
}

/// A base of 20 kg with legs of three joints each: Jacobians of feet and joints, and its mass
/// matrix as the sum over point masses, so that it is one that a robot could have.
struct Spider {
  Eigen::MatrixXd mass;
  std::vector<Eigen::MatrixXd> foot;  ///< 3 × dof, axes t1, t2, n
  int dof = 0;

  Spider(Random& random, int legs) : dof(6 + 3 * legs) {
    mass.setZero(dof, dof);
    mass.diagonal().tail(3 * legs).setConstant(0.01);  // rotors [kg m²]
    for (int k = 0; k < 8; ++k) {
      const Eigen::Vector3d corner(k & 1 ? 0.25 : -0.25, k & 2 ? 0.15 : -0.15, k & 4 ? 0.1 : -0.1);
      add_mass(2.5, point(corner));
    }
    for (int leg = 0; leg < legs; ++leg) {
      const double angle = 6.283 * (leg + between(random, -0.2, 0.2)) / legs;
      const Eigen::Vector3d hip(0.3 * std::cos(angle), 0.2 * std::sin(angle), 0.0);
      const Eigen::Vector3d reach = Eigen::Vector3d(0.0, 0.0, -0.5) + random_vector(random, 0.15);
      Eigen::Matrix3d joints;
      joints.col(0) = Eigen::Vector3d::UnitX().cross(reach);
      joints.col(1) = Eigen::Vector3d::UnitY().cross(reach);
      joints.col(2) = Eigen::Vector3d::UnitY().cross(0.5 * reach + random_vector(random, 0.1));
      Eigen::MatrixXd jacobian = point(hip + reach);
      jacobian.middleCols(6 + 3 * leg, 3) = joints;
      foot.push_back(jacobian);
      add_mass(0.2, jacobian);
      Eigen::MatrixXd thigh = point(hip + 0.4 * reach);
      thigh.middleCols(6 + 3 * leg, 2) = 0.4 * joints.leftCols(2);
      add_mass(1.5, thigh);
    }
  }

 private:
  [[nodiscard]] Eigen::MatrixXd point(const Eigen::Vector3d& r) const {
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(3, dof);
    jacobian.leftCols(3).setIdentity();
    jacobian.middleCols(3, 3) = -skew(r);
    return jacobian;
  }
  void add_mass(double kilograms, const Eigen::MatrixXd& jacobian) {
    mass += kilograms * jacobian.transpose() * jacobian;
  }
};

/// The rows of one block in the coordinates of a spider.
Eigen::MatrixXd spider_rows(Random& random, const Spider& spider, const Block& block, int contact) {
  if (block.kind == BlockKind::contact) return spider.foot[static_cast<std::size_t>(contact)];
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(block.rows, spider.dof);
  if (block.kind == BlockKind::lock) {  // of some points of the base and a joint
    for (int r = 0; r < block.rows; ++r) {
      for (int k = 0; k < 6; ++k) rows(r, k) = between(random, -1.0, 1.0);
      rows(r, 6 + random.index(spider.dof - 6)) = 0.5;
    }
    return rows;
  }
  rows(0, 6 + random.index(spider.dof - 6)) = random.uniform() < 0.5 ? -1.0 : 1.0;
  return rows;
}

}  // namespace

ContactProblem robot_problem(std::uint64_t seed, const ProblemMix& mix) {
  Random random(seed);
  ContactProblem problem;
  add_blocks(random, mix, problem);
  problem.use_dense();
  const Spider spider(random, std::max(1, mix.contacts));
  Eigen::MatrixXd J(problem.row_count(), spider.dof);
  int contact = 0;
  for (const Block& block : problem.blocks()) {
    J.middleRows(block.row, block.rows) = spider_rows(random, spider, block, contact);
    if (block.kind == BlockKind::contact) ++contact;
  }
  Eigen::VectorXd u(spider.dof);
  for (double& value : u) value = mix.speed * random.normal();
  u.head(6) *= 0.5;
  u[2] -= mix.speed;
  const Eigen::MatrixXd G = J * spider.mass.llt().solve(J.transpose());
  problem.edit_delassus() = 0.5 * (G + G.transpose());
  problem.edit_free_velocity() = J * u;
  problem.prepare();
  return problem;
}

ContactProblem body_problem(std::uint64_t seed, int bodies, const ProblemMix& mix) {
  Random random(seed);
  ContactProblem problem;
  add_blocks(random, mix, problem);
  problem.use_bodies(bodies);
  std::vector<Eigen::Matrix<double, 6, 1>> u(static_cast<std::size_t>(bodies));
  for (int body = 0; body < bodies; ++body) {
    ContactProblem::Matrix6 inverse_mass = ContactProblem::Matrix6::Zero();
    inverse_mass.diagonal().head(3).setConstant(1.0 / random.uniform(0.5, 2.0));
    for (int k = 3; k < 6; ++k) inverse_mass(k, k) = 1.0 / random.uniform(0.002, 0.01);
    problem.set_inverse_mass(body, inverse_mass);
    for (double& value : u[static_cast<std::size_t>(body)]) value = mix.speed * random.normal();
  }
  Eigen::VectorXd v = Eigen::VectorXd::Zero(problem.row_count());
  for (int i = 0; i < problem.block_count(); ++i) {
    const Block block = problem.blocks()[static_cast<std::size_t>(i)];
    const Eigen::Quaterniond axes(
        Eigen::AngleAxisd(random.uniform(0.0, 3.0), random_vector(random, 1.0).normalized()));
    const int first = random.index(bodies);
    const int second = random.index(bodies + 1) - 1;  // -1: the world
    double sign = 1.0;
    for (const int body : {first, second}) {
      if (body < 0 || (sign < 0.0 && body == first)) break;
      ContactProblem::Jacobian J(block.rows, 6);
      for (double& value : J.reshaped()) value = random.uniform(-1.0, 1.0);
      if (block.kind == BlockKind::contact) {
        J.leftCols(3) = axes.toRotationMatrix();
        J.rightCols(3) = -axes.toRotationMatrix() * skew(random_vector(random, 0.1));
      }
      J *= sign;
      problem.couple(i, body, J);
      v.segment(block.row, block.rows) += J * u[static_cast<std::size_t>(body)];
      sign = -1.0;
    }
    if (block.kind == BlockKind::contact) v[block.row + 2] -= mix.speed;
  }
  problem.edit_free_velocity() = v;
  problem.prepare();
  return problem;
}

ContactProblem dense_copy(const ContactProblem& problem) {
  ContactProblem copy;
  for (const Block& block : problem.blocks()) copy.add_block(block);
  copy.use_dense();
  Eigen::MatrixXd G;
  problem.to_dense(G);
  copy.edit_delassus() = 0.5 * (G + G.transpose());
  copy.edit_free_velocity() = problem.free_velocity();
  copy.edit_target() = problem.target();
  copy.prepare();
  return copy;
}

ContactProblem row_of_balls(int count) {
  constexpr double radius = 0.1;
  const int bodies = (count + 1) / 2;
  ContactProblem problem;
  for (int i = 0; i < count; ++i) problem.add_contact(0.5);
  problem.use_bodies(bodies);
  ContactProblem::Matrix6 inverse_mass = ContactProblem::Matrix6::Identity();
  inverse_mass.diagonal().tail(3).setConstant(1.0 / (0.4 * radius * radius));
  Random random(7);
  std::vector<Eigen::Vector3d> u;
  for (int body = 0; body < bodies; ++body) {
    problem.set_inverse_mass(body, inverse_mass);
    u.push_back(random_vector(random, 0.01) - 9.81e-3 * Eigen::Vector3d::UnitZ());
  }
  Eigen::Matrix3d floor_axes, side_axes;  // rows t1, t2, n; n points to the (second) body
  floor_axes << 1, 0, 0, 0, 1, 0, 0, 0, 1;
  side_axes << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  const auto jacobian = [&](const Eigen::Matrix3d& axes, double sign) {
    const Eigen::Vector3d arm = -sign * radius * axes.row(2).transpose();
    ContactProblem::Jacobian J(3, 6);
    J.leftCols(3) = sign * axes;
    J.rightCols(3) = -sign * axes * skew(arm);
    return J;
  };
  Eigen::VectorXd v(problem.row_count());
  for (int i = 0; i < count; ++i) {
    const int body = i / 2;
    if (i % 2 == 0) {
      problem.couple(i, body, jacobian(floor_axes, 1.0));
      v.segment(3 * i, 3) = floor_axes * u[static_cast<std::size_t>(body)];
    } else {
      const int next = (body + 1) % bodies;
      problem.couple(i, next, jacobian(side_axes, 1.0));
      if (next != body) problem.couple(i, body, jacobian(side_axes, -1.0));
      v.segment(3 * i, 3) =
          side_axes * (u[static_cast<std::size_t>(next)] - u[static_cast<std::size_t>(body)]);
    }
  }
  problem.edit_free_velocity() = v;
  problem.prepare();
  return problem;
}

ContactProblem incline_problem(double angle, double friction, double time_step) {
  ContactProblem problem;
  problem.add_contact(friction);
  problem.use_dense();
  problem.edit_delassus().setIdentity();
  problem.edit_free_velocity() =
      9.81 * time_step * Eigen::Vector3d(std::sin(angle), 0.0, -std::cos(angle));
  problem.prepare();
  return problem;
}

}  // namespace stiction::test
