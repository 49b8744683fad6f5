// The Delassus matrix by propagation against J M⁻¹ Jᵀ with dense matrices.

#include "stiction/dynamics/delassus.hpp"

#include <Eigen/Cholesky>
#include <cstdio>
#include <gtest/gtest.h>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "support/robots.hpp"

namespace stiction::test {
namespace {

// As for the other kernels that solve with M.
constexpr double tolerance = 1e-11;

ContactPoint<double> random_contact(Random& random, int body_a, int body_b) {
  ContactPoint<double> contact;
  contact.body_a = body_a;
  contact.body_b = body_b;
  contact.point = from_eigen(random_vector(random, 1.0));
  contact.axes = from_eigen(Eigen::Matrix3d(random_rotation(random).toRotationMatrix()));
  return contact;
}

/// Rows t1, t2, n: velocity of body_b's point against body_a's.
Eigen::MatrixXd contact_jacobian(const Model& model, const DynamicsData<double>& data,
                                 const ContactPoint<double>& contact) {
  const Eigen::Vector3d point = to_eigen(contact.point);
  const Eigen::MatrixXd relative = point_jacobian(model, data, contact.body_b, point) -
                                   point_jacobian(model, data, contact.body_a, point);
  return to_eigen(contact.axes).transpose() * relative;
}

/// M⁻¹, with zero rows and columns for prescribed bodies.
Eigen::MatrixXd inverse_mass_matrix(const Model& model, DynamicsData<double>& data) {
  Eigen::MatrixXd inverse = mass_matrix(model, data);
  inverse = Eigen::LLT<Eigen::MatrixXd>(inverse).solve(
      Eigen::MatrixXd::Identity(inverse.rows(), inverse.cols()));
  for (const Joint& joint : model.joints()) {
    if (!joint.kinematic) continue;
    inverse.middleRows<6>(joint.velocity_index).setZero();
    inverse.middleCols<6>(joint.velocity_index).setZero();
  }
  return inverse;
}

TEST(Delassus, IsJacobianTimesInverseMassTimesJacobianTransposed) {
  double largest_matrix = 0.0;
  double largest_columns = 0.0;
  int within_a_tree = 0;
  int between_trees = 0;
  for_each_robot(200, [&](const Model& model, Random& random) {
    const RandomState state(random, model);
    DynamicsData<double> data(model);
    update_kinematics(model, data, state.q, state.v);
    factorize<double>(model, data);

    const int bodies = model.body_count();
    std::vector<ContactPoint<double>> contacts;
    for (int i = 0; i < 6; ++i) {
      const int a = random.index(bodies + 1) - 1;
      const int b = random.index(bodies + 1) - 1;
      contacts.push_back(random_contact(random, i < 2 ? world_body : a, b));
      if (i == 5) contacts.back().body_b = contacts.back().body_a;  // nothing can come of it
      const auto& constants = model.constants();
      if (a >= 0 && b >= 0 && a != b && i >= 2) {
        const bool same = constants[static_cast<std::size_t>(a)].root ==
                          constants[static_cast<std::size_t>(b)].root;
        (same ? within_a_tree : between_trees) += 1;
      }
    }

    const Eigen::Index rows = 3 * static_cast<Eigen::Index>(contacts.size());
    const Eigen::Index n = model.velocity_count();
    Eigen::MatrixXd J(rows, n);
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      J.middleRows<3>(3 * static_cast<Eigen::Index>(i)) =
          contact_jacobian(model, data, contacts[i]);
    }
    const Eigen::MatrixXd columns = inverse_mass_matrix(model, data) * J.transpose();
    const double matrix_error =
        relative_error(delassus(model, data, contacts), (J * columns).eval());
    EXPECT_LT(matrix_error, tolerance);
    largest_matrix = std::max(largest_matrix, matrix_error);

    DelassusKernel<double> kernel(model, static_cast<int>(contacts.size()));
    kernel.propagate(model, data, contacts);
    EXPECT_EQ(kernel.contact_count(), static_cast<int>(contacts.size()));
    Eigen::MatrixXd actual(n, rows);
    for (int i = 0; i < kernel.contact_count(); ++i) {
      kernel.inverse_mass_times_transpose(
          model, data, i, {actual.data() + 3 * i * n, static_cast<std::size_t>(3 * n)});
    }
    const double column_error = relative_error(actual, columns);
    EXPECT_LT(column_error, tolerance);
    largest_columns = std::max(largest_columns, column_error);

    // Asking for columns must not change the matrix.
    Eigen::MatrixXd again(rows, rows);
    kernel.delassus({again.data(), static_cast<std::size_t>(again.size())});
    EXPECT_EQ(again, again.transpose());
    EXPECT_LT(relative_error(again, (J * columns).eval()), tolerance);
  });
  EXPECT_GT(within_a_tree, 100);
  EXPECT_GT(between_trees, 50);
  std::printf("Delassus: largest relative error of G %.1e, of M⁻¹Jᵀ %.1e\n", largest_matrix,
              largest_columns);
}

TEST(Delassus, KernelServesFewerContactsThanItsCapacityAndNone) {
  Random random(3);
  const Model model = make_model(random_tree(random));
  const RandomState state(random, model);
  DynamicsData<double> data(model);
  update_kinematics(model, data, state.q, state.v);
  factorize<double>(model, data);
  DelassusKernel<double> kernel(model, 8);
  EXPECT_EQ(kernel.capacity(), 8);
  std::vector<ContactPoint<double>> contacts;
  for (int i = 0; i < 8; ++i) contacts.push_back(random_contact(random, world_body, 0));
  kernel.propagate(model, data, contacts);
  contacts.resize(2);
  kernel.propagate(model, data, contacts);
  Eigen::MatrixXd G(6, 6);
  kernel.delassus({G.data(), 36});
  EXPECT_EQ(G, delassus(model, data, contacts));
  kernel.propagate(model, data, {});
  EXPECT_EQ(kernel.contact_count(), 0);
}

TEST(Delassus, OfAFreeBallIsOneOverItsMass) {
  RobotRecipe robot;
  robot.links.resize(1);
  robot.links[0].name = "ball";
  robot.links[0].joint = JointKind::floating;
  robot.links[0].mass = 4.0;
  robot.links[0].principal_moments.setConstant(0.4);
  const Model model = make_model(robot);
  DynamicsData<double> data(model);
  update_kinematics(model, data, model.initial_positions(), Eigen::VectorXd::Zero(6));
  factorize<double>(model, data);
  ContactPoint<double> contact;
  contact.body_b = 0;
  contact.point = {0.0, 0.0, -0.5};
  // 1/m along the normal, 1/m + r²/I across it
  const Eigen::Matrix3d expected = Eigen::Vector3d(0.875, 0.875, 0.25).asDiagonal();
  EXPECT_LT((delassus(model, data, std::span(&contact, 1)) - expected).norm(), 1e-15);
}

}  // namespace
}  // namespace stiction::test
