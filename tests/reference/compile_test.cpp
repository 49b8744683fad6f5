// What MuJoCo 3.12.1 compiles out of files that others wrote: bodies, joints, geoms, pairs after
// filters, keyframes.

#include <algorithm>
#include <cmath>
#include <set>

#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "tests/reference/reference_robot.hpp"

namespace stiction {
namespace {

Eigen::Vector3d vector3(const json& list, std::size_t first = 0) {
  return {list[first].get<double>(), list[first + 1].get<double>(), list[first + 2].get<double>()};
}

Eigen::Isometry3d pose_of(const json& position, const json& quaternion, std::size_t index = 0) {
  const auto q = [&](std::size_t i) { return quaternion[4 * index + i].get<double>(); };
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = Eigen::Quaterniond(q(0), q(1), q(2), q(3)).toRotationMatrix();
  pose.translation() = vector3(position, 3 * index);
  return pose;
}

class ReferenceFile : public ReferenceRobot {
 protected:
  void SetUp() override {
    ReferenceRobot::SetUp();
    if (IsSkipped()) return;
    for (std::size_t i = 0; i < model_->shapes().size(); ++i) {
      if (model_->shapes()[i].collides) colliding_.push_back(static_cast<int>(i));
    }
  }

  [[nodiscard]] Eigen::Isometry3d body_pose(const DynamicsData<double>& data, int body) const {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    if (body < 0) return pose;
    const BodyData<double>& entry = data.bodies[static_cast<std::size_t>(body)];
    pose.linear() = to_eigen(entry.rotation);
    pose.translation() = to_eigen(entry.position);
    return pose;
  }
  /// Shapes that collide, in MuJoCo's order: bodies as the file has them, depth first.
  std::vector<int> colliding_;
};

/// Bodies without joints are merged, so poses are compared, and masses by rigid groups. What is
/// fixed to the world has no mass here.
TEST_P(ReferenceFile, HasTheBodiesOfMujoco) {
  const json& bodies = facts().at("bodies");
  std::map<int, double> mass_of_group;
  for (const json& body : bodies) mass_of_group[body.at("weld")] += body.at("mass").get<double>();
  DynamicsData<double> data(*model_);
  int compared = 0;
  for (const json& at : data_.at("dynamics")) {
    const State state = state_of(at);
    update_kinematics<double>(*model_, data, as_span(state.q), as_span(state.v));
    for (std::size_t i = 1; i < bodies.size(); ++i) {
      const std::string name = bodies[i].at("name");
      if (name.empty()) continue;
      SCOPED_TRACE(name);
      const auto found = model_->find_frame(name);
      ASSERT_TRUE(found);
      const Frame& frame = model_->frames()[static_cast<std::size_t>(*found)];
      const Eigen::Isometry3d pose = body_pose(data, frame.body) * frame.pose;
      const Eigen::Isometry3d expected = pose_of(at.at("xpos"), at.at("xquat"), i);
      EXPECT_LT((pose.matrix() - expected.matrix()).cwiseAbs().maxCoeff(), 1e-9);
      ++compared;
      const bool moves = bodies[i].at("weld") == static_cast<int>(i);
      if (!moves || frame.body < 0) continue;
      const double mass = mass_of_group[static_cast<int>(i)];
      EXPECT_NEAR(model_->body_inertia(frame.body).mass, mass, 1e-9 * (1.0 + mass));
    }
  }
  EXPECT_TRUE(compared > 0 || facts().at("nbody") == 1);
}

TEST_P(ReferenceFile, HasTheJointsOfMujoco) {
  const ModelParameters& numbers = model_->parameters();
  std::size_t at = 0;
  ASSERT_EQ(joints_.size(), facts().at("joints").size());
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const json& joint = facts().at("joints")[i];
    SCOPED_TRACE(joint.at("name").get<std::string>());
    EXPECT_NEAR(numbers.stiffness[joints_[i]->body], joint.at("stiffness").get<double>(), 1e-12);
    if (joint.contains("springref") && joint.at("stiffness") != 0) {
      EXPECT_NEAR(joints_[i]->spring_reference, joint.at("springref").get<double>(), 1e-12);
    }
    for (int k = 0; k < velocity_size(joints_[i]->kind); ++k, ++at) {
      const Eigen::Index own = joints_[i]->velocity_index + k;
      EXPECT_NEAR(numbers.damping[own], facts().at("dof_damping")[at].get<double>(), 1e-12);
      EXPECT_NEAR(numbers.armature[own], facts().at("dof_armature")[at].get<double>(), 1e-12);
      if (is_switched_off("Constraint")) continue;  // has none here
      EXPECT_NEAR(numbers.friction[own], facts().at("dof_frictionloss")[at].get<double>(), 1e-12);
    }
  }
}

TEST_P(ReferenceFile, HasTheGeomsOfMujoco) {
  if (data_.at("contacts_off_in_model")) GTEST_SKIP() << "nothing collides in this file";
  const json& geoms = facts().at("collision_geoms");
  ASSERT_EQ(colliding_.size(), geoms.size());
  const json& at = data_.at("dynamics")[1];
  const State state = state_of(at);
  DynamicsData<double> data(*model_);
  update_kinematics<double>(*model_, data, as_span(state.q), as_span(state.v));
  for (std::size_t i = 0; i < geoms.size(); ++i) {
    const json& geom = geoms[i];
    const Shape& shape = model_->shapes()[static_cast<std::size_t>(colliding_[i])];
    SCOPED_TRACE(geom.at("label").get<std::string>());
    const bool is_mesh = shape.kind == ShapeKind::mesh;
    const std::string kind(to_string(shape.kind));
    EXPECT_EQ(kind == "height field" ? "hfield" : kind, geom.at("type"));
    EXPECT_EQ(shape.collision_group, geom.at("contype").get<int>());
    EXPECT_EQ(shape.collision_mask, geom.at("conaffinity").get<int>());
    EXPECT_DOUBLE_EQ(shape.margin, geom.at("margin").get<double>());
    const Material& material = model_->materials()[static_cast<std::size_t>(shape.material)];
    EXPECT_DOUBLE_EQ(material.friction, geom.at("friction")[0].get<double>());
    EXPECT_EQ(material.priority, geom.at("priority").get<int>());
    EXPECT_EQ(material.frictionless, geom.at("condim") == 1);
    const Eigen::Isometry3d body =
        pose_of(at.at("xpos"), at.at("xquat"), geom.at("body_id").get<std::size_t>());
    Eigen::Isometry3d expected = body * pose_of(geom.at("pos"), geom.at("quat"));
    // MuJoCo moves a mesh into its inertia frame; the file's own frame is the one to compare.
    if (is_mesh) expected = expected * pose_of(geom.at("mesh_pos"), geom.at("mesh_quat")).inverse();
    const Eigen::Isometry3d pose = body_pose(data, shape.body) * shape.pose;
    // MuJoCo keeps vertices, and with them the pose, as 32-bit numbers.
    EXPECT_LT((pose.matrix() - expected.matrix()).cwiseAbs().maxCoeff(), is_mesh ? 1e-6 : 1e-9);
    if (is_mesh || shape.kind == ShapeKind::plane || shape.kind == ShapeKind::height_field)
      continue;
    const Eigen::Vector3d size = vector3(geom.at("size"));
    for (int k = 0; k < 3; ++k) {
      if (size[k] != 0.0) {
        EXPECT_NEAR(shape.size[k], size[k], 1e-9);
      }
    }
  }
}

TEST_P(ReferenceFile, HasThePairsOfMujocoAfterAllFilters) {
  if (data_.at("contacts_off_in_model")) GTEST_SKIP() << "nothing collides in this file";
  const json& geoms = facts().at("collision_geoms");
  ASSERT_EQ(colliding_.size(), geoms.size());
  std::map<std::pair<int, int>, int> pairs;
  int total = 0;
  for (std::size_t i = 0; i < geoms.size(); ++i) {
    for (std::size_t j = i + 1; j < geoms.size(); ++j) {
      const Shape& a = model_->shapes()[static_cast<std::size_t>(colliding_[i])];
      const Shape& b = model_->shapes()[static_cast<std::size_t>(colliding_[j])];
      const bool endless = a.kind == ShapeKind::plane && b.kind == ShapeKind::plane;
      if (endless || !model_->may_collide(colliding_[i], colliding_[j])) continue;
      ++pairs[std::minmax({geoms[i].at("body_id").get<int>(), geoms[j].at("body_id").get<int>()})];
      ++total;
    }
  }
  EXPECT_EQ(total, facts().at("candidate_geom_pairs").get<int>());
  std::map<std::pair<int, int>, int> expected;
  for (const json& entry : facts().at("candidate_body_pairs")) {
    expected[std::minmax({entry[0].get<int>(), entry[1].get<int>()})] += entry[2].get<int>();
  }
  EXPECT_EQ(pairs, expected);
}

TEST_P(ReferenceFile, HasTheKeyframesOfMujoco) {
  const json& keys = facts().at("keyframes");
  ASSERT_EQ(model_->keyframes().size(), keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Keyframe& key = model_->keyframes()[i];
    if (keys[i].at("name") != "") {
      EXPECT_EQ(key.name, keys[i].at("name"));
    }
    const State expected = state_of(keys[i]);
    EXPECT_LT((key.q - expected.q).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((key.v - expected.v).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST_P(ReferenceFile, HasTheSensorsOfMujoco) {
  const json& sensors = facts().at("sensors");
  ASSERT_EQ(model_->sensors().size(), sensors.size());
  for (std::size_t i = 0; i < sensors.size(); ++i) {
    const Sensor& sensor = model_->sensors()[i];
    EXPECT_EQ(sensor.type, sensors[i].at("type"));
    EXPECT_EQ(sensor.name, sensors[i].at("name"));
    if (sensor.kind != SensorKind::other) {
      EXPECT_EQ(sensor.size(), sensors[i].at("dim").get<int>());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mujoco3, ReferenceFile, ::testing::ValuesIn(names_of_references()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace stiction
