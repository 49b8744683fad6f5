// Limbs of the same form go through the kernels side by side: the same bits as one by one.

#include <gtest/gtest.h>

#include "stiction/dynamics/limb_lanes.hpp"
#include "support/all_kernels.hpp"

namespace stiction::test {
namespace {

/// A limb's joints: what all limbs of a group have in common.
RobotRecipe random_limb(Random& random) {
  RobotRecipe limb;
  const int count = 1 + random.index(5);
  for (int i = 0; i < count; ++i) {
    LinkRecipe link;
    link.parent = i == 0 ? world_body : random.uniform() < 0.7 ? i - 1 : random.index(i);
    do {
      link.joint = random_joint(random, false);
    } while (link.joint == JointKind::fixed);
    if (random.uniform() < 0.5) link.rotation = random_rotation(random);
    link.axis = random_axis(random);
    limb.links.push_back(link);
  }
  return limb;
}

/// Hangs the limb on link `parent`, with numbers of its own: places, masses, signs of axes.
void add_limb(Random& random, const RobotRecipe& limb, int parent, RobotRecipe& robot) {
  const int first = static_cast<int>(robot.links.size());
  for (LinkRecipe link : limb.links) {
    link.name = "link" + std::to_string(robot.links.size());
    link.parent = link.parent == world_body ? parent : first + link.parent;
    link.position = random_vector(random, 0.4);
    const bool rotated = !link.rotation.isApprox(Eigen::Quaterniond::Identity());
    if (rotated) link.rotation = random_rotation(random);
    if (random.uniform() < 0.3) link.axis = -link.axis;
    link.armature = random.uniform(0.0, 0.2);
    set_random_inertia(random, link);
    robot.links.push_back(link);
  }
}

/// A random tree with limbs of one to three kinds, of each kind one to nine at one link, and some
/// others between them.
Model random_robot_with_limbs(Random& random) {
  TreeOptions options;
  options.largest = 6;
  options.kinematic = true;
  RobotRecipe robot = random_tree(random, options);
  const int trunk = static_cast<int>(robot.links.size());
  for (int kinds = 1 + random.index(3); kinds > 0; --kinds) {
    const RobotRecipe limb = random_limb(random);
    const int parent = random.index(trunk);
    for (int copies = 1 + random.index(9); copies > 0; --copies) {
      add_limb(random, limb, parent, robot);
      if (random.uniform() < 0.2) add_limb(random, random_limb(random), parent, robot);
    }
  }
  return make_model(robot);
}

void expect_equal(const Record<double>& expected, const Record<double>& found) {
  ASSERT_EQ(expected.values().size(), found.values().size());
  for (std::size_t i = 0; i < expected.values().size(); ++i) {
    ASSERT_TRUE(same_bits(expected.values()[i], found.values()[i]))
        << expected.section_of(i) << ", number " << i << ": one by one " << std::hexfloat
        << expected.values()[i] << ", side by side " << found.values()[i];
  }
}

/// Several states, one after the other, in the same data; some of them with numbers that leave the
/// ordinary road.
void expect_same_as_one_by_one(const Model& model, Random& random) {
  DynamicsData<double> together(model);
  DynamicsData<double> alone(model, LimbUse::one_by_one);
  ASSERT_EQ(alone.limbs.groups.size(), 0U);
  for (const double size : {0.0, 1.0, 1e6, 1e12, 1e-310, 1e300}) {
    Input<double> state = plain(RandomState(random, model));
    if (size != 1.0) state = extreme(state, size);
    expect_equal(run_all<double>(model, state, alone), run_all<double>(model, state, together));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Limbs, SideBySideGiveTheBitsOfOneByOne) {
  std::size_t groups = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Model model = random_robot_with_limbs(random);
    groups += DynamicsData<double>(model).limbs.groups.size();
    expect_same_as_one_by_one(model, random);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(groups, 150U);  // else nothing was tested
}

TEST(Limbs, TreesAndRobotFilesGiveTheBitsOfOneByOne) {
  for_each_robot(
      40, [](const Model& model, Random& random) { expect_same_as_one_by_one(model, random); });
}

TEST(Limbs, ALimbThatBlowsUpLeavesItsNeighboursInKinematicsAlone) {
  const Model model = load_model(models_folder() / "anymal_lumped.xml").model;
  Random random(3);
  Input<double> state = plain(RandomState(random, model));
  DynamicsData<double> data(model);
  update_kinematics<double>(model, data, state.q, state.v);
  const std::vector<BodyData<double>> before = data.bodies;
  state.q.back() = std::numeric_limits<double>::quiet_NaN();  // the last knee
  update_kinematics<double>(model, data, state.q, state.v);
  Record<double> expected;
  Record<double> found;
  for (std::size_t i = 0; i + 1 < before.size(); ++i) {
    expected.add_all(before[i].rotation, before[i].position, before[i].velocity, before[i].drift);
    found.add_all(data.bodies[i].rotation, data.bodies[i].position, data.bodies[i].velocity,
                  data.bodies[i].drift);
  }
  expect_equal(expected, found);
  EXPECT_TRUE(std::isnan(data.bodies.back().rotation.c0.x));
}

TEST(Limbs, DataServesACopyWithOtherMasses) {
  const Model model = load_model(models_folder() / "anymal_lumped.xml").model;
  ModelParameters parameters = model.parameters();
  for (int i = 0; i < model.body_count(); ++i) parameters.scale_mass(i, 1.0 + 0.1 * i);
  parameters.armature.array() += 0.01;
  const Model heavier = model.with_parameters(parameters);
  Random random(4);
  const RandomState state(random, model);
  DynamicsData<double> used(model);
  articulated_body_algorithm(model, used, state.q, state.v, state.tau);
  DynamicsData<double> fresh(heavier, LimbUse::one_by_one);
  EXPECT_EQ(articulated_body_algorithm(heavier, used, state.q, state.v, state.tau),
            articulated_body_algorithm(heavier, fresh, state.q, state.v, state.tau));
}

TEST(Limbs, TheLegsOfAQuadrupedGoTogether) {
  if (lane_width < 4) GTEST_SKIP() << "this build has lanes for two limbs";
  const Model model = load_model(models_folder() / "anymal_lumped.xml").model;
  const LimbLanes limbs(model, LimbUse::in_lanes);
  ASSERT_EQ(limbs.groups.size(), 1U);
  EXPECT_EQ(limbs.groups[0].parent, 0);
  ASSERT_EQ(limbs.rows.size(), 3U);
  EXPECT_EQ(limbs.alone, std::vector<int>{0});
  EXPECT_EQ(limbs.inwards, (std::vector<int>{0, 1, 4, 7, 10}));
  for (std::size_t leg = 0; leg < 4; ++leg) {
    EXPECT_EQ(limbs.rows[1].bodies[leg], 2 + 3 * static_cast<int>(leg));
  }
}

TEST(Limbs, AChainHasNone) {
  RobotRecipe robot;
  for (int i = 0; i < 5; ++i) {
    LinkRecipe link;
    link.name = "link" + std::to_string(i);
    link.parent = i - 1;
    robot.links.push_back(link);
  }
  const LimbLanes limbs(make_model(robot), LimbUse::in_lanes);
  EXPECT_TRUE(limbs.groups.empty());
  EXPECT_EQ(limbs.alone.size(), 5U);
  EXPECT_EQ(limbs.inwards.size(), 5U);
}

}  // namespace
}  // namespace stiction::test
