// Other numbers on the same robot: domain randomisation without reading files again.

#include <gtest/gtest.h>
#include <limits>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/model/model_builder.hpp"
#include "support/random_tree.hpp"

namespace stiction::test {
namespace {

Model robot() {
  Random random(17);
  return make_model(random_tree(random));
}

Eigen::VectorXd accelerations(const Model& model) {
  Random random(18);
  const Eigen::VectorXd q = random_positions(random, model);
  const Eigen::VectorXd v = random_entries(random, model.velocity_count());
  const Eigen::VectorXd tau = random_entries(random, model.velocity_count());
  DynamicsData<double> data(model);
  return articulated_body_algorithm(model, data, q, v, tau);
}

TEST(WithParameters, SharesAllThatDoesNotChange) {
  const Model model = robot();
  const Model copy = model.with_parameters(model.parameters());
  EXPECT_EQ(&copy.joints(), &model.joints());
  EXPECT_EQ(&copy.frames(), &model.frames());
  EXPECT_EQ(&copy.meshes(), &model.meshes());
  EXPECT_EQ(accelerations(copy), accelerations(model));
}

TEST(WithParameters, MassesGravityAndArmatureChangeTheDynamicsOfTheCopyAlone) {
  const Model model = robot();
  const Eigen::VectorXd before = accelerations(model);
  const int last = model.body_count() - 1;

  ModelParameters heavier = model.parameters();
  heavier.scale_mass(last, 2.0);
  const Model heavy = model.with_parameters(heavier);
  EXPECT_DOUBLE_EQ(heavy.body_inertia(last).mass, 2.0 * model.body_inertia(last).mass);
  EXPECT_NE(accelerations(heavy), before);
  EXPECT_NEAR(heavy.total_mass(), model.total_mass() + model.body_inertia(last).mass, 1e-12);

  ModelParameters moon = model.parameters();
  moon.gravity *= 0.165;
  EXPECT_NE(accelerations(model.with_parameters(moon)), before);

  ModelParameters geared = model.parameters();
  geared.armature.array() += 0.1;
  EXPECT_NE(accelerations(model.with_parameters(geared)), before);

  EXPECT_EQ(accelerations(model), before);
}

TEST(WithParameters, CopyComputesWhatAModelBuiltWithTheseNumbersDoes) {
  Random random(17);
  RobotRecipe recipe = random_tree(random);
  const Model model = make_model(recipe);
  for (LinkRecipe& link : recipe.links) {
    link.mass *= 1.25;
    link.principal_moments *= 1.25;
    link.armature += 0.05;
  }
  recipe.gravity << 1.0, 2.0, 3.0;
  const Model built = make_model(recipe);
  ModelParameters parameters = model.parameters();
  for (int i = 0; i < model.body_count(); ++i) parameters.scale_mass(i, 1.25);
  parameters.armature.array() += 0.05;
  parameters.gravity = recipe.gravity;
  EXPECT_LT(relative_error(accelerations(model.with_parameters(parameters)), accelerations(built)),
            1e-10);
}

TEST(WithParameters, RefusesNumbersThatNoRobotHas) {
  const Model model = robot();
  const auto refused = [&model](auto change) {
    ModelParameters parameters = model.parameters();
    change(parameters);
    try {
      (void)model.with_parameters(parameters);
    } catch (const InputError& error) {
      return error.problems().count(Severity::error);
    }
    return std::size_t{0};
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refused([](ModelParameters&) {}), 0U);
  EXPECT_EQ(refused([](ModelParameters& p) { p.bodies[0].mass = -1.0; }), 1U);
  EXPECT_EQ(refused([](ModelParameters& p) { p.bodies[0].mass = 0.0; }), 1U);
  EXPECT_EQ(refused([&](ModelParameters& p) { p.bodies[0].center_of_mass.x() = nan; }), 1U);
  EXPECT_EQ(refused([](ModelParameters& p) { p.bodies[0].inertia(2, 2) *= 100.0; }), 1U);
  EXPECT_EQ(refused([](ModelParameters& p) { p.damping[0] = -0.1; }), 1U);
  EXPECT_EQ(refused([&](ModelParameters& p) { p.friction[0] = nan; }), 1U);
  EXPECT_EQ(refused([](ModelParameters& p) { p.armature.conservativeResize(1); }), 1U);
  EXPECT_EQ(refused([&](ModelParameters& p) { p.gravity.z() = nan; }), 1U);
  EXPECT_EQ(refused([](ModelParameters& p) { p.materials[0].friction = -1.0; }), 1U);
  EXPECT_EQ(refused([](ModelParameters& p) { p.materials.clear(); }), 1U);
  EXPECT_EQ(refused([](ModelParameters& p) { p.materials[0].restitution = 1.1; }), 1U);
  const auto pair = [](int a, int b, double friction) {
    return [=](ModelParameters& p) { p.material_pairs = {{a, b, friction, 0.0, 0.0}}; };
  };
  EXPECT_EQ(refused(pair(0, 0, 0.4)), 0U);
  EXPECT_EQ(refused(pair(0, 0, -0.4)), 1U);
  EXPECT_EQ(refused(pair(0, -1, 0.4)), 1U);
  EXPECT_EQ(refused([](ModelParameters& p) { p.bodies.pop_back(); }), 1U);
  EXPECT_EQ(refused([&](ModelParameters& p) {
              p.damping[0] = -1.0;
              p.gravity.z() = nan;
            }),
            2U);
}

TEST(WithParameters, RefusesActuatorsAndInertiasThatWouldBreakTheNextStep) {
  ModelBuilder builder;
  LinkSpec link{.name = "arm", .mass = 1.0};
  link.inertia = Eigen::Matrix3d::Identity();
  JointSpec joint;
  joint.name = "pivot";
  joint.child = builder.add_link(link);
  Actuator motor;
  motor.name = "motor";
  motor.joint = builder.add_joint(joint);
  builder.add_actuator(motor);
  const Model model = builder.build();
  const auto refused = [&model](auto change) {
    ModelParameters parameters = model.parameters();
    change(parameters);
    try {
      (void)model.with_parameters(parameters);
    } catch (const InputError&) {
      return true;
    }
    return false;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(refused([](ModelParameters& p) { p.actuators[0].gain[0] = 2.0; }));
  EXPECT_TRUE(refused([&](ModelParameters& p) { p.actuators[0].gain[0] = nan; }));
  EXPECT_TRUE(refused([](ModelParameters& p) { p.actuators[0].joint = 99; }));
  EXPECT_TRUE(refused([&](ModelParameters& p) { p.materials[0].restitution_threshold = nan; }));
  EXPECT_TRUE(refused([](ModelParameters& p) { p.bodies[0].inertia.setZero(); }));
  EXPECT_FALSE(refused([](ModelParameters& p) {
    p.bodies[0].inertia.setZero();
    p.armature[0] = 0.1;
  }));
}

}  // namespace
}  // namespace stiction::test
