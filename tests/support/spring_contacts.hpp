#pragma once

/// \file
/// Linear systems of spring-damper contacts for tests, and independent integrations of them.

#include <Eigen/Core>

#include "stiction/compliant/linear_contacts.hpp"
#include "stiction/core/random.hpp"

namespace stiction::test {

/// A system with its memory.
struct SpringContacts {
  Eigen::MatrixXd upsilon;
  Eigen::VectorXd stiffness;
  Eigen::VectorXd damping;
  Eigen::VectorXd position;
  Eigen::VectorXd velocity;
  Eigen::VectorXd acceleration;

  explicit SpringContacts(Eigen::Index rows);
  [[nodiscard]] LinearContacts view() const;
  [[nodiscard]] Eigen::Index rows() const { return stiffness.size(); }
};

/// A response with its memory.
struct SpringResponse {
  Eigen::VectorXd average;
  Eigen::VectorXd double_average;
  Eigen::VectorXd end_position;
  Eigen::VectorXd end_velocity;

  explicit SpringResponse(Eigen::Index rows);
  [[nodiscard]] ContactResponse view();
};

/// `points` contacts of three rows on a random mechanism with `freedoms` degrees of freedom: with
/// fewer freedoms than rows, Υ is exactly singular. Masses 0.1 to 10 kg, K = `stiffness` in the
/// normal and up to ten times softer across, B = relaxation K.
SpringContacts random_contacts(Random& random, int points, int freedoms, double stiffness,
                               double relaxation);

/// By a Taylor series of the augmented matrix with scaling and squaring, in long double.
SpringResponse taylor_response(const SpringContacts& contacts, double step);

/// By Eigen's matrix exponential of the augmented matrix.
SpringResponse eigen_response(const SpringContacts& contacts, double step);

/// The largest force that the contacts have at the start, at the end or on average [N].
double force_scale(const SpringContacts& contacts, const SpringResponse& response);

/// The largest difference of the averages and of the spring and damper forces of the end motion,
/// relative to the force scale of `expected`.
double relative_difference(const SpringContacts& contacts, const SpringResponse& response,
                           const SpringResponse& expected);

}  // namespace stiction::test
