// Rules of MJCF for structure, assets and filters, as MuJoCo 3.12.1 measured them in tiny scenes:
// ../shared/reference/mujoco3/rules.json.

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>
#include <string>

#include "stiction/collision/shape_geometry.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/sensors.hpp"
#include "stiction/sim/simulation.hpp"
#include "support/temporary_folder.hpp"
#include "tests/reference/measured_rules.hpp"

namespace stiction {
namespace {

class MjcfRule : public MeasuredRules {};

Eigen::Vector3d vector(const json& list) {
  return {list[0].get<double>(), list[1].get<double>(), list[2].get<double>()};
}

Eigen::Matrix3d rotation(const json& q) {
  return Eigen::Quaterniond(q[0].get<double>(), q[1].get<double>(), q[2].get<double>(),
                            q[3].get<double>())
      .toRotationMatrix();
}

const Shape& shape_named(const Model& model, const std::string& name) {
  for (const Shape& shape : model.shapes()) {
    if (shape.name == name) return shape;
  }
  throw std::runtime_error("no shape " + name);
}

/// Moments of inertia in falling order.
Eigen::Vector3d moments(const BodyInertia& body) {
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(body.inertia).eigenvalues().reverse();
}

/// MuJoCo keeps vertices as 32-bit numbers; we keep those of the text as they stand.
constexpr double single = 1e-6;

TEST_F(MjcfRule, FramesAndCopiesHaveTheirNamesAndPoses) {
  const json& scene = rule("frame_replicate");
  const Model model = load(scene.at("mjcf"));
  for (const json& body : scene.at("bodies")) {
    SCOPED_TRACE(body.at("name").get<std::string>());
    const auto found = model.find_frame(body.at("name").get<std::string>());
    ASSERT_TRUE(found);
    const Eigen::Isometry3d& pose = model.frames()[static_cast<std::size_t>(*found)].pose;
    EXPECT_LT((pose.translation() - vector(body.at("pos"))).norm(), 1e-12);
    EXPECT_LT((pose.linear() - rotation(body.at("quat"))).norm(), 1e-12);
  }
  EXPECT_LT((shape_named(model, "fg").pose.translation() - vector(scene.at("fg_pos"))).norm(),
            1e-12);
}

TEST_F(MjcfRule, PrimitivesAreFittedToMeshes) {
  int compared = 0;
  for (const json& one : rule("primitive_fitted_to_mesh").at("cases")) {
    SCOPED_TRACE(one.at("type").get<std::string>() + one.at("fitaabb").dump());
    const Model model = load(one.at("mjcf"));
    const Shape& shape = model.shapes().at(0);
    EXPECT_LT((shape.size - vector(one.at("size"))).cwiseAbs().maxCoeff(), single);
    EXPECT_LT((shape.pose.translation() - vector(one.at("pos"))).norm(), single);
    // Axes may point either way.
    const Eigen::Matrix3d turn = shape.pose.linear().transpose() * rotation(one.at("quat"));
    EXPECT_LT((turn.cwiseAbs() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff(), 1e-5);
    EXPECT_NEAR(model.total_mass(), one.at("mass").get<double>(), 1e-6 * model.total_mass());
    ++compared;
  }
  EXPECT_EQ(compared, 10);
}

TEST_F(MjcfRule, MeshesWeighWhatTheirInertiaRuleSays) {
  for (const json& one : rule("mesh_inertia").at("cases")) {
    SCOPED_TRACE(one.at("inertia").get<std::string>());
    const Model model = load(one.at("mjcf"));
    const BodyInertia& body = model.body_inertia(0);
    EXPECT_NEAR(body.mass, one.at("mass").get<double>(), single * body.mass);
    EXPECT_LT((body.center_of_mass - vector(one.at("ipos"))).norm(), single);
    const Eigen::Vector3d expected = vector(one.at("inertia_diag"));
    EXPECT_LT((moments(body) - expected).norm(), single * expected.norm());
  }
}

TEST_F(MjcfRule, GeomsGiveMassesAndShells) {
  const json& scene = rule("masses_from_geoms");
  const Model model = load(scene.at("mjcf"));
  for (const auto& [name, expected] : scene.at("bodies").items()) {
    SCOPED_TRACE(name);
    const BodyInertia& body = model.body_inertia(model.find_body(name).value());
    EXPECT_NEAR(body.mass, expected.at("mass").get<double>(), 1e-12 * body.mass);
    EXPECT_LT((body.center_of_mass - vector(expected.at("ipos"))).norm(), 1e-12);
    Eigen::Vector3d sizes = vector(expected.at("inertia"));
    std::sort(sizes.data(), sizes.data() + 3, std::greater<>());
    EXPECT_LT((moments(body) - sizes).norm(), 1e-9 * sizes.norm());
  }
}

TEST_F(MjcfRule, ImagesAndElevationsBecomeHeights) {
  const json& scene = rule("hfield_png");
  const test::TemporaryFolder folder;
  // Base 64, as the rule has it.
  const std::string code = scene.at("h.png_base64");
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char letter : code) {
    if (letter == '=') break;
    bits = (bits << 6U) | static_cast<unsigned>(letters.find(letter));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU));
  }
  folder.write("h.png", bytes);
  const Model model =
      load_model_text(scene.at("mjcf").get<std::string>(), "rule.xml", folder.path()).model;
  const HeightField& field = model.height_fields().at(0);
  ASSERT_EQ(field.rows, scene.at("nrow").get<int>());
  ASSERT_EQ(field.columns, scene.at("ncol").get<int>());
  for (std::size_t i = 0; i < field.heights.size(); ++i) {
    EXPECT_NEAR(field.heights[i], 0.5 * scene.at("hfield_data")[i].get<double>(), 1e-7);
  }
  const Model inline_model = load(scene.at("mjcf_elevation"));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(inline_model.height_fields().at(0).heights.at(i),
                0.5 * scene.at("elevation_hfield_data")[i].get<double>(), 1e-7);
  }
}

/// In these scenes everything overlaps, so what MuJoCo lists is what its filters let pass.
TEST_F(MjcfRule, FiltersLetTheSamePairsPass) {
  for (const json& one : rule("collision_filters").at("cases")) {
    SCOPED_TRACE(one.at("case").get<std::string>());
    const Model model = load(one.at("mjcf"));
    std::set<std::string> pairs;
    for (int i = 0; i < static_cast<int>(model.shapes().size()); ++i) {
      for (int j = i + 1; j < static_cast<int>(model.shapes().size()); ++j) {
        const auto [a, b] = std::minmax(model.shapes()[static_cast<std::size_t>(i)].name,
                                        model.shapes()[static_cast<std::size_t>(j)].name);
        // Of two shapes whose motion is given, none can be pushed: the collider leaves them out.
        if (!moves_freely(model, i) && !moves_freely(model, j)) continue;
        if (model.may_collide(i, j)) pairs.insert(a + "-" + b);
      }
    }
    EXPECT_EQ(pairs, one.at("pairs_in_contact").get<std::set<std::string>>());
  }
}

TEST_F(MjcfRule, DefaultsReachWhatTheyShould) {
  const json& scene = rule("defaults");
  const Model model = load(scene.at("mjcf"));
  for (Eigen::Index i = 0; i < model.velocity_count(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(model.parameters().damping[i], scene.at("dof_damping")[at].get<double>());
    EXPECT_EQ(model.parameters().armature[i], scene.at("dof_armature")[at].get<double>());
    EXPECT_EQ(model.parameters().friction[i], scene.at("dof_frictionloss")[at].get<double>());
  }
  for (const auto& [name, expected] : scene.at("geoms").items()) {
    const Shape& shape = shape_named(model, name);
    EXPECT_EQ(shape.margin, expected.at("margin").get<double>());
    EXPECT_EQ(model.materials()[static_cast<std::size_t>(shape.material)].friction,
              expected.at("friction")[0].get<double>());
  }
}

TEST_F(MjcfRule, OrientationsInAllForms) {
  const json& scene = rule("orientations_and_shapes");
  const Model model = load(scene.at("mjcf"));
  for (const auto& [name, quat] : scene.at("bodies").items()) {
    SCOPED_TRACE(name);
    const Frame& frame = model.frames()[static_cast<std::size_t>(model.find_frame(name).value())];
    EXPECT_LT((frame.pose.linear() - rotation(quat)).norm(), 1e-12);
  }
  for (const auto& [name, geom] : scene.at("geoms").items()) {
    SCOPED_TRACE(name);
    const Shape& shape = shape_named(model, name);
    EXPECT_LT((shape.pose.translation() - vector(geom.at("pos"))).norm(), 1e-12);
    EXPECT_LT((shape.pose.linear() - rotation(geom.at("quat"))).norm(), 1e-12);
    EXPECT_LT((shape.size - vector(geom.at("size"))).norm(), 1e-12);
  }
  for (const auto& [sequence, quat] : scene.at("eulerseq").items()) {
    const Model turned =
        load("<mujoco><compiler eulerseq='" + sequence +
             "'/><worldbody><body name='b' euler='10 20 30'/></worldbody></mujoco>");
    const Frame& frame = turned.frames()[static_cast<std::size_t>(turned.find_frame("b").value())];
    EXPECT_LT((frame.pose.linear() - rotation(quat)).norm(), 1e-12) << sequence;
  }
}

TEST_F(MjcfRule, RangesAreLimitsByThemselves) {
  const json& scene = rule("autolimits");
  const Model model = load(scene.at("mjcf"));
  for (const json& joint : scene.at("joints")) {
    SCOPED_TRACE(joint.at("name").get<std::string>());
    const Joint& own = model.joint(model.find_joint(joint.at("name").get<std::string>()).value());
    EXPECT_EQ(std::isfinite(own.limits.upper), joint.at("limited").get<bool>());
    if (joint.at("limited")) {
      EXPECT_NEAR(own.limits.upper, joint.at("range")[1].get<double>(), 1e-15);
    }
  }
  for (const json& one : scene.at("without_autolimits")) {
    const std::string text = one.at("mjcf");
    if (one.at("loads")) {
      EXPECT_EQ(std::isfinite(load(text).joint(0).limits.upper), one.at("limited").get<bool>());
    } else {
      EXPECT_THROW((void)load(text), InputError);
    }
  }
}

TEST_F(MjcfRule, KeyframesFillInWhatTheyLeaveOut) {
  const json& scene = rule("keyframe_defaults");
  const Model model = load(scene.at("mjcf"));
  for (std::size_t key = 0; key < 2; ++key) {
    const json& expected = scene.at("key" + std::to_string(key) + "_qpos");
    const Eigen::VectorXd& q = model.keyframes().at(key).q;
    const Eigen::VectorXd wxyz =
        (Eigen::VectorXd(8) << q[0], q[1], q[2], q[6], q[3], q[4], q[5], q[7]).finished();
    for (Eigen::Index i = 0; i < 8; ++i) {
      EXPECT_NEAR(wxyz[i], expected[static_cast<std::size_t>(i)].get<double>(), 1e-15);
    }
  }
}

TEST_F(MjcfRule, SeveralJointsActInTheOrderOfTheFile) {
  const json& scene = rule("joint_order_and_limits");
  const Model model = load(scene.at("mjcf"));
  State state = model.initial_state();
  for (int i = 0; i < 4; ++i) state.q[i] = scene.at("qpos")[static_cast<std::size_t>(i)];
  DynamicsData<double> data(model);
  update_kinematics<double>(model, data, as_span(state.q), as_span(state.v));
  EXPECT_LT((to_eigen(data.bodies.back().position) - vector(scene.at("xpos"))).norm(), 1e-12);
  EXPECT_LT((to_eigen(data.bodies.back().rotation) - rotation(scene.at("xquat"))).norm(), 1e-12);
}

/// Numbers of a sensor as MuJoCo writes them: quaternions with w first.
std::vector<double> in_its_order(std::span<const double> reading, bool quaternion) {
  if (!quaternion) return {reading.begin(), reading.end()};
  return {reading[3], reading[0], reading[1], reading[2]};
}

TEST_F(MjcfRule, SensorsHaveTheSignsAndAxesOfMujoco) {
  const json& scene = rule("sensor_signs");
  Simulation simulation(load(scene.at("mjcf")));
  simulation.options().time_step = 1e-7;  // damping acts at the end of the step
  simulation.state().q[0] = scene.at("qpos")[0];
  simulation.state().v[0] = scene.at("qvel")[0];
  simulation.control()[0] = scene.at("ctrl")[0];
  (void)simulation.evaluate();
  SensorArray sensors(simulation.model());
  sensors.evaluate(simulation.model(), simulation.state(), simulation.workspace(),
                   simulation.report());
  int compared = 0;
  for (const auto& [name, expected] : scene.at("values").items()) {
    SCOPED_TRACE(name);
    const std::vector<double> reading = in_its_order(sensors.reading(name), expected.size() == 4);
    ASSERT_EQ(reading.size(), expected.size());
    // Means over the step, which is short but not nothing.
    const bool of_step = name == "acc" || name == "linacc" || name == "force" || name == "torque";
    for (std::size_t i = 0; i < reading.size(); ++i) {
      EXPECT_NEAR(reading[i], expected[i].get<double>(), of_step ? 1e-5 : 1e-9);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 24);
}

/// A box with another one fixed on top, at rest: the sensor between them feels the upper one alone.
TEST_F(MjcfRule, SensorsAtRestFeelWhatTheyCarry) {
  const json& scene = rule("sensor_signs");
  Simulation simulation(load(scene.at("mjcf_rest")));
  EXPECT_EQ(simulation.run(0.5).status, StepStatus::ok);
  SensorArray sensors(simulation.model());
  sensors.evaluate(simulation.model(), simulation.state(), simulation.workspace(),
                   simulation.report());
  for (const auto& [name, expected] : scene.at("values_rest_after_3s").items()) {
    SCOPED_TRACE(name);
    const std::span<const double> reading = sensors.reading(name);
    ASSERT_EQ(reading.size(), expected.size());
    for (std::size_t i = 0; i < reading.size(); ++i) {
      EXPECT_NEAR(reading[i], expected[i].get<double>(), 1e-6);
    }
  }
}

}  // namespace
}  // namespace stiction
