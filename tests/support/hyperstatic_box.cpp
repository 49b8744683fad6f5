#include "support/hyperstatic_box.hpp"

#include <Eigen/Core>

#include "support/contact_problems.hpp"

namespace stiction::test {

ContactProblem hyperstatic_box(double push) {
  ContactProblem problem;
  for (int corner = 0; corner < 4; ++corner) problem.add_contact(0.5);
  problem.use_bodies(1);
  ContactProblem::Matrix6 inverse_mass = ContactProblem::Matrix6::Identity();
  inverse_mass.diagonal().tail(3).setConstant(6.0);
  problem.set_inverse_mass(0, inverse_mass);
  Eigen::Matrix<double, 6, 1> u = Eigen::Matrix<double, 6, 1>::Zero();
  u[0] = push;
  u[2] = -9.81e-3;
  for (int corner = 0; corner < 4; ++corner) {
    const Eigen::Vector3d arm(corner % 2 == 0 ? -0.5 : 0.5, corner < 2 ? -0.5 : 0.5, -0.5);
    ContactProblem::Jacobian J(3, 6);
    J << Eigen::Matrix3d::Identity(), -skew(arm);
    problem.couple(corner, 0, J);
    problem.edit_free_velocity().segment<3>(3 * corner) = J * u;
  }
  problem.prepare();
  return problem;
}

}  // namespace stiction::test
