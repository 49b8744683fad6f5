#pragma once

/// \file
/// Our dynamics beside a partner's, on one robot in one state. Partners answer in our coordinates.

#include <Eigen/Geometry>
#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "support/random_tree.hpp"

namespace stiction::test {

/// Largest differences, each relative to the largest entry of the partner's whole array of that
/// robot and state: all of M, all of the bias forces, all accelerations, the Jacobians of all
/// links, all positions, all rotation matrices (largest entry about 1), all velocities of links
/// (linear and angular together).
struct PartnerErrors {
  double mass_matrix = 0.0;
  double bias_forces = 0.0;
  double forward_dynamics = 0.0;
  double jacobians = 0.0;
  double poses = 0.0;
  double velocities = 0.0;

  void include(const PartnerErrors& other) {
    mass_matrix = std::max(mass_matrix, other.mass_matrix);
    bias_forces = std::max(bias_forces, other.bias_forces);
    forward_dynamics = std::max(forward_dynamics, other.forward_dynamics);
    jacobians = std::max(jacobians, other.jacobians);
    poses = std::max(poses, other.poses);
    velocities = std::max(velocities, other.velocities);
  }
};

inline void print(const char* title, const PartnerErrors& e) {
  std::printf(
      "%s: largest relative errors: M %.1e, bias %.1e, forward dynamics %.1e, Jacobians %.1e, "
      "poses %.1e, velocities %.1e\n",
      title, e.mass_matrix, e.bias_forces, e.forward_dynamics, e.jacobians, e.poses, e.velocities);
}

inline void expect_all_below(const PartnerErrors& e, double tolerance) {
  EXPECT_LT(e.mass_matrix, tolerance);
  EXPECT_LT(e.bias_forces, tolerance);
  EXPECT_LT(e.forward_dynamics, tolerance);
  EXPECT_LT(e.jacobians, tolerance);
  EXPECT_LT(e.poses, tolerance);
  EXPECT_LT(e.velocities, tolerance);
}

/// Links whose body is the world, which some partners do not keep, are passed over.
template <class Partner>
void compare_links(Partner& partner, const Model& model, const DynamicsData<double>& data,
                   PartnerErrors& errors) {
  const Eigen::Index n = model.velocity_count();
  const Eigen::Vector3d offset(0.1, -0.2, 0.3);  // of the point whose Jacobian is compared
  std::vector<int> frames;
  for (std::size_t i = 0; i < model.frames().size(); ++i) {
    const Frame& frame = model.frames()[i];
    if (frame.kind == Frame::Kind::link && frame.body >= 0 && partner.has_link(frame.name)) {
      frames.push_back(static_cast<int>(i));
    }
  }
  const Eigen::Index rows = 3 * static_cast<Eigen::Index>(frames.size());
  Eigen::MatrixXd ours(rows, 6 + 2 * n);
  Eigen::MatrixXd theirs(rows, 6 + 2 * n);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const int index = frames[i];
    const Frame& frame = model.frames()[static_cast<std::size_t>(index)];
    const Eigen::Index row = 3 * static_cast<Eigen::Index>(i);
    const Eigen::Isometry3d pose = frame_pose(model, data, index);
    const auto& velocity = data.bodies[static_cast<std::size_t>(frame.body)].velocity;
    ours.block<3, 1>(row, 0) = pose.translation();
    ours.block<3, 3>(row, 1) = pose.linear();
    ours.block<3, 1>(row, 4) =
        to_eigen(point_velocity(data, frame.body, from_eigen(Eigen::Vector3d(pose.translation()))));
    ours.block<3, 1>(row, 5) = to_eigen(velocity.angular);
    ours.block(row, 6, 3, n) = point_jacobian(model, data, frame.body, pose * offset);
    ours.block(row, 6 + n, 3, n) = frame_jacobian(model, data, index).bottomRows<3>();
    theirs.block(row, 0, 3, 6) = partner.pose_and_velocity(frame.name);
    theirs.block(row, 6, 3, 2 * n) = partner.jacobian(frame.name, offset);
  }
  const auto error = [&ours, &theirs](Eigen::Index first, Eigen::Index count) {
    return relative_error(ours.middleCols(first, count), theirs.middleCols(first, count));
  };
  errors.poses = std::max(error(0, 1), error(1, 3));
  errors.velocities = error(4, 2);
  errors.jacobians = error(6, 2 * n);
}

template <class Partner>
PartnerErrors compare(Partner& partner, const Model& model, const Eigen::VectorXd& q,
                      const Eigen::VectorXd& v, const Eigen::VectorXd& tau) {
  partner.set_state(q, v, tau);
  DynamicsData<double> data(model);
  const Eigen::VectorXd dv = articulated_body_algorithm(model, data, q, v, tau);
  PartnerErrors errors;
  errors.mass_matrix = relative_error(mass_matrix(model, data), partner.mass_matrix());
  errors.bias_forces = relative_error(bias_forces(model, data), partner.bias_forces());
  errors.forward_dynamics = relative_error(dv, partner.accelerations());
  compare_links(partner, model, data, errors);
  return errors;
}

/// Some random states of one robot.
template <class Partner>
PartnerErrors compare_at_random_states(Partner& partner, const Model& model, Random& random,
                                       int states) {
  PartnerErrors errors;
  for (int i = 0; i < states; ++i) {
    const Eigen::VectorXd q = random_positions(random, model);
    const Eigen::VectorXd v = random_entries(random, model.velocity_count());
    const Eigen::VectorXd tau = random_entries(random, model.velocity_count(), 10.0);
    errors.include(compare(partner, model, q, v, tau));
  }
  return errors;
}

}  // namespace stiction::test
