// The numbers of models/ against the published descriptions of the same robots, body by body once
// fixed links are merged. The published URDF files name meshes that are not there, so their
// inertias and joints are read here, without our loader.

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/model/model_builder.hpp"

namespace stiction::test {
namespace {

// Published files carry about six digits; ours were written with more.
constexpr double tolerance = 1e-6;

std::filesystem::path reference_file(const char* name) {
  return std::filesystem::path(STICTION_REFERENCE_DIR) / "robots" / name;
}

Eigen::Vector3d vector_of(const pugi::xml_node& node, const char* attribute,
                          const Eigen::Vector3d& fallback) {
  if (!node.attribute(attribute)) return fallback;
  std::istringstream text(node.attribute(attribute).value());
  Eigen::Vector3d v;
  text >> v.x() >> v.y() >> v.z();
  return v;
}

Eigen::Isometry3d origin_of(const pugi::xml_node& parent) {
  const pugi::xml_node node = parent.child("origin");
  const Eigen::Vector3d rpy = vector_of(node, "rpy", Eigen::Vector3d::Zero());
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = vector_of(node, "xyz", Eigen::Vector3d::Zero());
  pose.linear() = (Eigen::AngleAxisd(rpy.z(), Eigen::Vector3d::UnitZ()) *
                   Eigen::AngleAxisd(rpy.y(), Eigen::Vector3d::UnitY()) *
                   Eigen::AngleAxisd(rpy.x(), Eigen::Vector3d::UnitX()))
                      .toRotationMatrix();
  return pose;
}

LinkSpec read_link(const pugi::xml_node& node) {
  LinkSpec link;
  link.name = node.attribute("name").value();
  const pugi::xml_node inertial = node.child("inertial");
  if (!inertial) return link;
  const Eigen::Isometry3d pose = origin_of(inertial);
  const pugi::xml_node I = inertial.child("inertia");
  const auto entry = [&I](const char* name) { return I.attribute(name).as_double(); };
  Eigen::Matrix3d inertia;
  inertia << entry("ixx"), entry("ixy"), entry("ixz"), entry("ixy"), entry("iyy"), entry("iyz"),
      entry("ixz"), entry("iyz"), entry("izz");
  link.mass = inertial.child("mass").attribute("value").as_double();
  link.center_of_mass = pose.translation();
  link.inertia = pose.linear() * inertia * pose.linear().transpose();
  return link;
}

JointKind kind_of(const std::string& type) {
  const std::map<std::string, JointKind> kinds{{"fixed", JointKind::fixed},
                                               {"revolute", JointKind::revolute},
                                               {"continuous", JointKind::continuous},
                                               {"prismatic", JointKind::prismatic}};
  return kinds.at(type);
}

/// Links and joints of a URDF, with a floating root.
ModelBuilder read_reference(const char* name) {
  pugi::xml_document document;
  if (!document.load_file(reference_file(name).c_str())) throw std::runtime_error(name);
  ModelBuilder builder;
  std::set<std::string> roots;
  for (const pugi::xml_node& node : document.child("robot").children("link")) {
    builder.add_link(read_link(node));
    roots.insert(node.attribute("name").value());
  }
  for (const pugi::xml_node& node : document.child("robot").children("joint")) {
    JointSpec joint;
    joint.name = node.attribute("name").value();
    joint.kind = kind_of(node.attribute("type").value());
    joint.parent = builder.find_link(node.child("parent").attribute("link").value()).value();
    const std::string child = node.child("child").attribute("link").value();
    joint.child = builder.find_link(child).value();
    joint.pose_in_parent = origin_of(node);
    joint.axis = vector_of(node.child("axis"), "xyz", Eigen::Vector3d::UnitX()).normalized();
    builder.add_joint(joint);
    roots.erase(child);
  }
  JointSpec root;
  root.name = "floating_base";
  root.kind = JointKind::floating;
  root.child = builder.find_link(*roots.begin()).value();
  builder.add_joint(root);
  return builder;
}

Model load_ours(const char* name) {
  LoadOptions options;
  options.base = BaseKind::floating;
  return load_model(models_folder() / name, options).model;
}

void expect_same_body(const Model& ours, int a, const Model& theirs, int b) {
  SCOPED_TRACE("body " + ours.body_name(a));
  const BodyInertia& mine = ours.body_inertia(a);
  const BodyInertia& published = theirs.body_inertia(b);
  EXPECT_NEAR(mine.mass, published.mass, tolerance * published.mass);
  EXPECT_LT((mine.center_of_mass - published.center_of_mass).norm(), tolerance);
  EXPECT_LT((mine.inertia - published.inertia).cwiseAbs().maxCoeff(),
            tolerance * published.inertia.cwiseAbs().maxCoeff());
  ASSERT_EQ(ours.joint(a).kind, theirs.joint(b).kind);
  if (ours.joint(a).kind == JointKind::floating) return;  // its pose is where the robot starts
  EXPECT_LT((ours.joint_pose(a).matrix() - theirs.joint_pose(b).matrix()).cwiseAbs().maxCoeff(),
            tolerance);
  EXPECT_LT((ours.joint_axis(a) - theirs.joint_axis(b)).norm(), tolerance);
}

/// Bodies are the same by the names of their joints; the root has none in a URDF.
void expect_same_robot(const Model& ours, const Model& theirs) {
  ASSERT_EQ(ours.body_count(), theirs.body_count());
  for (int i = 0; i < ours.body_count(); ++i) {
    if (ours.parent(i) < 0) {
      expect_same_body(ours, i, theirs, 0);
      continue;
    }
    const auto twin = theirs.find_joint(ours.joint(i).name);
    ASSERT_TRUE(twin.has_value()) << ours.joint(i).name;
    expect_same_body(ours, i, theirs, *twin);
    const int parent = ours.parent(i);
    const int twin_parent = theirs.parent(*twin);
    EXPECT_TRUE(parent == 0 ? twin_parent == 0
                            : ours.joint(parent).name == theirs.joint(twin_parent).name);
  }
  EXPECT_NEAR(ours.total_mass(), theirs.total_mass(), tolerance * theirs.total_mass());
}

class Reference : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(reference_file("anymal_b.urdf"))) {
      GTEST_SKIP() << "the published robots are not in " << STICTION_REFERENCE_DIR << "/robots";
    }
  }
};

TEST_F(Reference, AnymalHasThePublishedMassesInertiasAndOffsets) {
  expect_same_robot(load_ours("anymal.urdf"), read_reference("anymal_b.urdf").build());
}

TEST_F(Reference, Solo12HasThePublishedMassesInertiasAndOffsets) {
  expect_same_robot(load_ours("solo12.urdf"), read_reference("solo12.urdf").build());
}

TEST_F(Reference, RomeoHasThePublishedNumbersButForTwoImpossibleInertias) {
  ModelBuilder published = read_reference("romeo_small.urdf");
  try {
    (void)published.build();
    ADD_FAILURE() << "the published robot was accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().count(Severity::error), 2U) << error.what();
    const std::string text = error.what();
    EXPECT_NE(text.find("RShoulderYawLink"), std::string::npos) << text;
    EXPECT_NE(text.find("RElbowYawLink"), std::string::npos) << text;
  }
  for (const char* name : {"RShoulderYawLink", "RElbowYawLink"}) {
    published.link(published.find_link(name).value()).inertia(2, 2) *= 10.0;
  }
  expect_same_robot(load_ours("romeo.urdf"), published.build());
}

// The published file calls the joints j1 to j12, in the order of the file as ours.
TEST_F(Reference, LumpedAnymalHasThePublishedMassesInertiasAndOffsets) {
  const Model ours = load_model(models_folder() / "anymal_lumped.xml").model;
  const Model theirs = load_model(reference_file("anymal_lumped.xml")).model;
  ASSERT_EQ(ours.body_count(), 13);
  ASSERT_EQ(theirs.body_count(), 13);
  for (int i = 0; i < 13; ++i) {
    EXPECT_EQ(ours.body_name(i), theirs.body_name(i));
    EXPECT_EQ(ours.parent(i), theirs.parent(i));
    expect_same_body(ours, i, theirs, i);
  }
}

// Masses and offsets of the robot of the SimBenchmark suite are published in a table, not in a
// file. The numbers are copied from there, so only their binary rounding is left.
constexpr double copied = 1e-9;

struct BethLeg {
  const char* name;
  double front;  ///< 1 in front, -1 behind
  double left;   ///< 1 left, -1 right
};
constexpr BethLeg beth_legs[] = {{"LF", 1, 1}, {"RF", 1, -1}, {"LH", -1, 1}, {"RH", -1, -1}};

TEST(Beth, LinksHaveThePublishedMasses) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_file((models_folder() / "beth.urdf").c_str()));
  std::map<std::string, double> masses;
  for (const pugi::xml_node& node : document.child("robot").children("link")) {
    masses[node.attribute("name").value()] = read_link(node).mass;
  }
  EXPECT_EQ(masses.size(), 18U);
  EXPECT_NEAR(masses["base"], 21.39, copied);
  EXPECT_NEAR(masses["imu_link"], 0.05, copied);
  for (const BethLeg& leg : beth_legs) {
    const std::string name = leg.name;
    EXPECT_NEAR(masses[name + "_HIP"], 1.1064, copied) << name;
    EXPECT_NEAR(masses[name + "_THIGH"], 1.51, copied) << name;
    EXPECT_NEAR(masses[name + "_SHANK"], 0.318, copied) << name;
    EXPECT_NEAR(masses[name + "_FOOT"], 0.1922685, copied) << name;
  }
}

TEST(Beth, BodiesHaveThePublishedMassesAndOffsets) {
  const Model beth = load_ours("beth.urdf");
  ASSERT_EQ(beth.body_count(), 13);
  EXPECT_NEAR(beth.body_inertia(0).mass, 21.39 + 0.05, copied);
  const auto expect_body = [&beth](const std::string& joint, double mass,
                                   const Eigen::Vector3d& offset, const Eigen::Vector3d& axis) {
    SCOPED_TRACE(joint);
    const auto body = beth.find_joint(joint);
    ASSERT_TRUE(body.has_value());
    EXPECT_NEAR(beth.body_inertia(*body).mass, mass, copied);
    EXPECT_LT((beth.joint_pose(*body).translation() - offset).norm(), copied);
    EXPECT_LT((beth.joint_pose(*body).linear() - Eigen::Matrix3d::Identity()).norm(), copied);
    EXPECT_LT((beth.joint_axis(*body) - axis).norm(), copied);
  };
  for (const auto& [name, front, left] : beth_legs) {
    const std::string leg = name;
    const Eigen::Vector3d x = Eigen::Vector3d::UnitX();
    const Eigen::Vector3d y = Eigen::Vector3d::UnitY();
    expect_body(leg + "_HAA", 1.1064, {front * 0.2629, left * 0.115, 0.0}, x);
    expect_body(leg + "_HFE", 1.51, {front * 0.0585, left * 0.0315, 0.0}, y);
    expect_body(leg + "_KFE", 0.318 + 0.1922685, {0.0, left * 0.111, -0.25}, y);
    const auto foot = std::ranges::find(beth.frames(), leg + "_FOOT", &Frame::name);
    ASSERT_NE(foot, beth.frames().end());
    EXPECT_EQ(foot->body, beth.find_joint(leg + "_KFE").value());
    EXPECT_LT((foot->pose.translation() - Eigen::Vector3d(0.0, -left * 0.016, -0.31)).norm(),
              copied);
  }
}

}  // namespace
}  // namespace stiction::test
