#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

#include "stiction/core/paths.hpp"
#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/delassus.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/io/load.hpp"

namespace stiction {
namespace {

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Sizes, AVectorOfTheWrongLengthIsNamedWithBothLengths) {
  const Model model = load_model(models_folder() / "anymal.urdf").model;
  DynamicsData<double> data(model);
  const Eigen::VectorXd q = model.initial_positions();
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(model.velocity_count());
  const Eigen::VectorXd shorter = Eigen::VectorXd::Zero(17);
  update_kinematics(model, data, q, v);
  EXPECT_EQ(message_of([&] { update_kinematics(model, data, v, v); }),
            "q has 18 entries, but the model needs 19");
  EXPECT_EQ(message_of([&] { update_kinematics(model, data, q, q); }),
            "v has 19 entries, but the model needs 18");
  EXPECT_EQ(message_of([&] { articulated_body_algorithm(model, data, q, v, shorter); }),
            "tau has 17 entries, but the model needs 18");
  EXPECT_EQ(message_of([&] { apply_inverse(model, data, shorter); }),
            "x has 17 entries, but the model needs 18");
  EXPECT_EQ(message_of([&] { inverse_dynamics(model, data, shorter); }),
            "dv has 17 entries, but the model needs 18");
  EXPECT_EQ(message_of([&] { update_accelerations(model, data, shorter); }),
            "dv has 17 entries, but the model needs 18");
  EXPECT_EQ(message_of([&] { integrate(model, q, shorter, 0.1); }),
            "v has 17 entries, but the model needs 18");
  EXPECT_EQ(message_of([&] { difference(model, q, shorter); }),
            "q1 has 17 entries, but the model needs 19");
}

TEST(Sizes, AModelWithoutBodiesHasNoDynamicsAndBreaksNothing) {
  const Model model =
      load_model_text("<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>",
                      "floor.xml")
          .model;
  ASSERT_EQ(model.body_count(), 0);
  DynamicsData<double> data(model);
  const Eigen::VectorXd none(0);
  EXPECT_EQ(articulated_body_algorithm(model, data, none, none, none).size(), 0);
  EXPECT_EQ(mass_matrix(model, data).size(), 0);
  EXPECT_EQ(bias_forces(model, data).size(), 0);
  const ContactPoint<double> between_world_and_world;
  EXPECT_EQ(delassus(model, data, std::span(&between_world_and_world, 1)),
            Eigen::MatrixXd::Zero(3, 3));
  EXPECT_EQ(delassus(model, data, {}).size(), 0);
}

}  // namespace
}  // namespace stiction
