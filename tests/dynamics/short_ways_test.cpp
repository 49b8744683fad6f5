// Bodies without mass, and joints about the origin of their parent, are swept in a shorter way: the
// answer is that of the dense equations, whose sums know nothing of it.

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/io/load.hpp"

namespace stiction {
namespace {

/// A planar root of three joints, and a hip of three hinges at one point.
Model planar_leg() {
  return load_model_text(
             "<mujoco><worldbody><body><joint type='slide' axis='1 0 0'/>"
             "<joint type='slide' axis='0 0 1'/><joint axis='0 1 0'/>"
             "<geom type='box' size='.2 .1 .05' mass='3' pos='.02 0 .1'/>"
             "<body pos='.1 0 -.1'><joint axis='1 0 0'/><joint axis='0 0 1'/><joint axis='0 1 0'/>"
             "<geom type='capsule' fromto='0 0 0 .05 0 -.4' size='.05' mass='1'/></body></body>"
             "</worldbody></mujoco>",
             "leg.xml")
      .model;
}

void expect_dense_answer(const Model& model) {
  DynamicsData<double> data(model);
  const Eigen::Index n = model.velocity_count();
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(n, -0.7, 0.9);
  const Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(n, 2.0, -3.0);
  const Eigen::VectorXd tau = Eigen::VectorXd::LinSpaced(n, -1.0, 4.0);
  const Eigen::VectorXd swept = articulated_body_algorithm(model, data, q, v, tau);
  update_kinematics<double>(model, data, as_span(q), as_span(v));
  const Eigen::VectorXd dense =
      mass_matrix(model, data).llt().solve(tau - bias_forces(model, data));
  EXPECT_LT((swept - dense).norm(), 1e-11 * dense.norm());
}

TEST(ShortWays, BodiesWithoutMassOrOffsetMoveAsTheDenseEquationsSay) {
  const Model model = planar_leg();
  int weightless = 0;
  int coincident = 0;
  for (const BodyConstants& body : model.constants()) {
    weightless += body.weightless ? 1 : 0;
    coincident += body.coincident ? 1 : 0;
  }
  EXPECT_EQ(weightless, 4);
  EXPECT_GE(coincident, 2);
  expect_dense_answer(model);
}

TEST(ShortWays, ABodyThatIsGivenMassIsNoLongerLeftOut) {
  Model model = planar_leg();
  ASSERT_TRUE(model.constants()[1].weightless);
  model.set_body_inertia(1, model.body_inertia(model.body_count() - 1));
  EXPECT_FALSE(model.constants()[1].weightless);
  expect_dense_answer(model);
}

}  // namespace
}  // namespace stiction
