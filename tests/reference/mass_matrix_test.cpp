// M and the bias forces of robots that others wrote, as MuJoCo 3.12.1 computes them.

#include "stiction/dynamics/mass_matrix.hpp"

#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "tests/reference/reference_robot.hpp"

namespace stiction {
namespace {

Eigen::Isometry3d pose_from(const json& position, const json& quaternion) {
  const Eigen::VectorXd p = vector_of(position);
  const Eigen::VectorXd q = vector_of(quaternion);
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  pose.translation() = p;
  return pose;
}

class MassMatrix : public ReferenceRobot {
 protected:
  /// Relative to the largest entries.
  void expect_same(const Model& model, double tolerance) const {
    const std::vector<Eigen::Index> order = entries();
    DynamicsData<double> data(model);
    for (const json& at : data_.at("dynamics")) {
      const State state = state_of(at);
      const Eigen::MatrixXd T = to_our_axes(state);
      update_kinematics<double>(model, data, as_span(state.q), as_span(state.v));
      const auto count = model.velocity_count();
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> whole(count, count);
      mass_matrix<double>(model, data, {whole.data(), static_cast<std::size_t>(whole.size())});
      Eigen::VectorXd bias(count);
      bias_forces<double>(model, data, {bias.data(), static_cast<std::size_t>(bias.size())});
      const Eigen::MatrixXd M = T.transpose() * whole(order, order) * T;
      const Eigen::VectorXd c = T.transpose() * bias(order);
      Eigen::MatrixXd expected(M.rows(), M.cols());
      const auto lower = at.at("M_lower").get<std::vector<double>>();
      std::size_t next = 0;
      for (Eigen::Index i = 0; i < M.rows(); ++i) {
        for (Eigen::Index j = 0; j <= i; ++j) {
          expected(i, j) = expected(j, i) = lower[next++];
        }
      }
      const Eigen::VectorXd forces = vector_of(at.at("qfrc_bias"));
      EXPECT_LT((M - expected).cwiseAbs().maxCoeff(), tolerance * expected.cwiseAbs().maxCoeff());
      EXPECT_LT((c - forces).cwiseAbs().maxCoeff(),
                tolerance * (1.0 + forces.cwiseAbs().maxCoeff()));
    }
  }

  /// The robot with the principal axes and moments that MuJoCo has found.
  [[nodiscard]] Model with_inertias_of_mujoco() const {
    const json& bodies = facts().at("bodies");
    struct Sum {
      double mass = 0.0;
      Eigen::Vector3d moment = Eigen::Vector3d::Zero();   // mass times centre
      Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the origin
    };
    std::map<int, Sum> groups;  // of bodies that move as one
    std::vector<Eigen::Isometry3d> in_group(bodies.size(), Eigen::Isometry3d::Identity());
    for (std::size_t i = 1; i < bodies.size(); ++i) {
      const int group = bodies[i].at("weld");
      if (group != static_cast<int>(i)) {
        in_group[i] = in_group[bodies[i].at("parent").get<std::size_t>()] *
                      pose_from(bodies[i].at("pos"), bodies[i].at("quat"));
      }
      const Eigen::Isometry3d axes =
          in_group[i] * pose_from(bodies[i].at("ipos"), bodies[i].at("iquat"));
      const double mass = bodies[i].at("mass");
      const Eigen::Vector3d c = axes.translation();
      Sum& sum = groups[group];
      sum.mass += mass;
      sum.moment += mass * c;
      sum.inertia += axes.linear() * vector_of(bodies[i].at("inertia")).asDiagonal() *
                         axes.linear().transpose() +
                     mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
    }
    Model model = *model_;
    for (const auto& [group, sum] : groups) {
      const std::string name = bodies[static_cast<std::size_t>(group)].at("name");
      const auto found = model.find_frame(name);
      if (group == 0 || name.empty() || !found || sum.mass <= 0.0) continue;
      const Frame& frame = model.frames()[static_cast<std::size_t>(*found)];
      const Eigen::Matrix3d R = frame.pose.linear();
      const Eigen::Vector3d c = sum.moment / sum.mass;
      BodyInertia inertia = model.body_inertia(frame.body);
      inertia.mass = sum.mass;
      inertia.center_of_mass = frame.pose * c;
      inertia.inertia = R *
                        (sum.inertia - sum.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() -
                                                   c * c.transpose())) *
                        R.transpose();
      inertia.inertia = 0.5 * (inertia.inertia + inertia.inertia.transpose()).eval();
      model.set_body_inertia(frame.body, inertia);
    }
    return model;
  }
};

/// MuJoCo turns inertias into principal axes, and stops when that is good to about 1e-8.
TEST_P(MassMatrix, IsThatOfMujocoUpToItsPrincipalAxes) { expect_same(*model_, 1e-7); }

TEST_P(MassMatrix, IsThatOfMujocoWithTheSameInertias) {
  expect_same(with_inertias_of_mujoco(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Mujoco3, MassMatrix, ::testing::ValuesIn(names_of_references()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace stiction
