// What ModelBuilder refuses, and what it makes of links and joints.

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>

#include "stiction/model/contact_material.hpp"
#include "stiction/model/model_builder.hpp"
#include "support/random_tree.hpp"

namespace stiction::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

LinkSpec solid(const std::string& name, double mass = 1.0) {
  LinkSpec link;
  link.name = name;
  link.mass = mass;
  link.inertia = 0.1 * mass * Eigen::Matrix3d::Identity();
  return link;
}

JointSpec hinge(const std::string& name, int parent, int child) {
  JointSpec joint;
  joint.name = name;
  joint.parent = parent;
  joint.child = child;
  return joint;
}

Shape ball(double radius) {
  Shape shape;
  shape.size.x() = radius;
  return shape;
}

/// Two links on hinges: a good robot, for one mistake to be planted in.
struct Parts {
  std::vector<LinkSpec> links{solid("upper"), solid("lower")};
  std::vector<JointSpec> joints{hinge("shoulder", world_body, 0), hinge("elbow", 0, 1)};
  std::function<void(ModelBuilder&)> more = [](ModelBuilder&) {};

  [[nodiscard]] ModelBuilder builder() const {
    ModelBuilder builder;
    builder.set_name("arm");
    for (const LinkSpec& link : links) builder.add_link(link);
    for (const JointSpec& joint : joints) builder.add_joint(joint);
    more(builder);
    return builder;
  }
};

/// A mistake, and what the message must say.
struct Mistake {
  const char* name;
  const char* what;
  std::function<void(Parts&)> plant;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class BuilderRefuses : public testing::TestWithParam<Mistake> {};

TEST_P(BuilderRefuses, ThePlantedMistake) {
  Parts parts;
  GetParam().plant(parts);
  const ModelBuilder builder = parts.builder();
  try {
    (void)builder.build();
    FAIL() << "the model was built";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(GetParam().what), std::string::npos) << text;
    EXPECT_NE(text.find("; "), std::string::npos) << "no remedy: " << text;
    EXPECT_EQ(error.problems().count(Severity::error), 1U) << error.what();
  }
}

const Mistake mistakes[] = {
    {"NegativeMass", "link 'lower': mass is -1 kg", [](Parts& p) { p.links[1].mass = -1.0; }},
    {"MassNotANumber", "link 'upper': mass is nan kg", [](Parts& p) { p.links[0].mass = nan; }},
    {"MovingLinkWithoutMass", "link 'lower': it moves but has no mass",
     [](Parts& p) { p.links[1].mass = 0.0; }},
    {"CentreOfMassNotFinite", "link 'lower': the centre of mass contains NaN or infinity",
     [](Parts& p) { p.links[1].center_of_mass.x() = nan; }},
    {"InertiaNotFinite", "link 'lower': the inertia contains NaN or infinity",
     [](Parts& p) { p.links[1].inertia(0, 1) = nan; }},
    {"InertiaBreaksTriangle", "violate the triangle inequality",
     [](Parts& p) { p.links[1].inertia.diagonal() << 1.0, 1.0, 3.0; }},
    {"InertiaNegative", "the inertia is not positive",
     [](Parts& p) { p.links[1].inertia.diagonal() << 1.0, 1.0, -0.5; }},
    {"InertiaNotSymmetric", "the inertia matrix is not symmetric",
     [](Parts& p) { p.links[1].inertia(0, 1) = 0.05; }},
    {"NoInertiaAboutTheAxis", "it can rotate but has no inertia about that axis",
     [](Parts& p) { p.links[1].inertia.setZero(); }},
    {"LinkWithoutName", "a link has no name", [](Parts& p) { p.links[1].name.clear(); }},
    {"TwoLinksOfOneName", "two links are called 'upper'",
     [](Parts& p) { p.links[1].name = "upper"; }},
    {"TwoJointsOfOneName", "two joints are called 'shoulder'",
     [](Parts& p) { p.joints[1].name = "shoulder"; }},
    {"JointToNowhere", "its parent or child is not a link of this model",
     [](Parts& p) { p.joints.push_back(hinge("wrist", 1, 7)); }},
    {"JointToItself", "it connects link 'lower' to itself",
     [](Parts& p) { p.joints[1] = hinge("elbow", 1, 1); }},
    {"TwoParents", "link 'lower' is already the child of joint 'elbow': a link has only one parent",
     [](Parts& p) { p.joints.push_back(hinge("second", world_body, 1)); }},
    {"SecondRoot", "link 'loose': no joint has this link as child: it is a second root",
     [](Parts& p) { p.links.push_back(solid("loose")); }},
    {"Loop", "the joints form a loop: links 'c', 'd' cannot be reached from a root",
     [](Parts& p) {
       p.links.push_back(solid("c"));
       p.links.push_back(solid("d"));
       p.joints.push_back(hinge("cd", 2, 3));
       p.joints.push_back(hinge("dc", 3, 2));
     }},
    {"AxisTooLong", "its axis (0 0 2) does not have length 1",
     [](Parts& p) { p.joints[1].axis << 0, 0, 2; }},
    {"AxisZero", "its axis (0 0 0) does not have length 1",
     [](Parts& p) { p.joints[1].axis.setZero(); }},
    {"AxisNotANumber", "does not have length 1", [](Parts& p) { p.joints[1].axis.x() = nan; }},
    {"PoseNotARotation", "its frame in the parent contains NaN, infinity or an invalid rotation",
     [](Parts& p) { p.joints[1].pose_in_parent.linear() *= 2.0; }},
    {"PoseNotFinite", "its frame in the child contains NaN, infinity or an invalid rotation",
     [](Parts& p) { p.joints[1].pose_in_child.translation().y() = nan; }},
    {"LimitsReversed", "limits 1 to -1 are reversed",
     [](Parts& p) {
       p.joints[1].limits.lower = 1.0;
       p.joints[1].limits.upper = -1.0;
     }},
    {"NegativeEffort", "a velocity or effort limit is negative or NaN",
     [](Parts& p) { p.joints[1].limits.effort = -2.0; }},
    {"NegativeDamping", "damping is -0.1", [](Parts& p) { p.joints[1].damping = -0.1; }},
    {"NegativeFriction", "friction is -0.1", [](Parts& p) { p.joints[1].friction = -0.1; }},
    {"NegativeArmature", "armature is -0.1", [](Parts& p) { p.joints[1].armature = -0.1; }},
    {"NegativeStiffness", "stiffness is -0.1", [](Parts& p) { p.joints[1].stiffness = -0.1; }},
    {"FloatingInMidTree", "a floating joint is attached to another link",
     [](Parts& p) { p.joints[1].kind = JointKind::floating; }},
    {"KinematicHinge", "a revolute joint is kinematic",
     [](Parts& p) { p.joints[1].kinematic = true; }},
    {"InitialPositionNotFinite", "its initial position or spring reference is NaN or infinite",
     [](Parts& p) { p.joints[1].initial_position = nan; }},
    {"SphereWithoutRadius", "a sphere has size 0",
     [](Parts& p) { p.links[1].shapes.push_back(ball(0.0)); }},
    {"MovingPlane", "a plane is attached to a moving body",
     [](Parts& p) {
       Shape plane;
       plane.kind = ShapeKind::plane;
       p.links[1].shapes.push_back(plane);
     }},
    {"AbsentMesh", "its mesh is not in the model",
     [](Parts& p) {
       Shape mesh;
       mesh.kind = ShapeKind::mesh;
       p.links[1].shapes.push_back(mesh);
     }},
    {"AbsentMaterial", "its material is not in the model",
     [](Parts& p) {
       p.links[1].shapes.push_back(ball(0.1));
       p.links[1].shapes[0].material = 3;
     }},
    {"NegativeContactFriction", "material 'ice': friction is -1",
     [](Parts& p) { p.more = [](ModelBuilder& b) {
                      b.add_material({"ice", -1.0, 0.0, 0.0});
                    }; }},
    {"RestitutionAboveOne", "restitution is 1.5",
     [](Parts& p) { p.more = [](ModelBuilder& b) {
                      b.add_material({"rubber", 1.0, 1.5, 0.0});
                    }; }},
    {"RestitutionNotANumber", "restitution is nan",
     [](Parts& p) { p.more = [](ModelBuilder& b) {
                      b.add_material({"rubber", 1.0, nan, 0.0});
                    }; }},
    {"NegativeRestitutionThreshold", "the restitution threshold is -1",
     [](Parts& p) {
       p.more = [](ModelBuilder& b) { b.add_material({"rubber", 1.0, 0.5, -1.0}); };
     }},
    {"MaterialPairOfNothing", "material pair: material 0 or 4 is not in the model",
     [](Parts& p) {
       p.more = [](ModelBuilder& b) { b.add_material_pair({0, 4, 1.0, 0.0, 0.0}); };
     }},
    {"NegativePairFriction", "material pair 'default', 'ice': friction is -0.1",
     [](Parts& p) {
       p.more = [](ModelBuilder& b) {
         b.add_material_pair({0, b.add_material({"ice", 0.1, 0.0, 0.0}), -0.1, 0.0, 0.0});
       };
     }},
    {"PairRestitutionAboveOne", "restitution is 1.01",
     [](Parts& p) {
       p.more = [](ModelBuilder& b) { b.add_material_pair({0, 0, 1.0, 1.01, 0.0}); };
     }},
    {"PairThresholdNotANumber", "the restitution threshold is nan",
     [](Parts& p) {
       p.more = [](ModelBuilder& b) { b.add_material_pair({0, 0, 1.0, 0.0, nan}); };
     }},
    {"MaterialPairTwice", "this pair is given twice",
     [](Parts& p) {
       p.more = [](ModelBuilder& b) {
         const int ice = b.add_material({"ice", 0.1, 0.0, 0.0});
         b.add_material_pair({0, ice, 0.1, 0.0, 0.0});
         b.add_material_pair({ice, 0, 0.2, 0.0, 0.0});
       };
     }},
    {"SurfaceVelocityNotFinite", "its surface velocity contains NaN or infinity",
     [](Parts& p) {
       p.links[1].shapes.push_back(ball(0.1));
       p.links[1].shapes[0].surface_velocity.x() = nan;
     }},
    {"PairFrictionNotANumber", "contact pair: its friction is NaN or infinite",
     [](Parts& p) {
       p.links[0].shapes.push_back(ball(0.1));
       p.links[1].shapes.push_back(ball(0.1));
       p.more = [](ModelBuilder& b) { b.add_contact_pair({0, 0}, {1, 0}, nan, 0.0); };
     }},
    {"GravityNotFinite", "model 'arm': gravity contains NaN or infinity",
     [](Parts& p) { p.more = [](ModelBuilder& b) {
                      b.set_gravity({0.0, nan, 0.0});
                    }; }},
    {"TimeStepZero", "time step is 0",
     [](Parts& p) { p.more = [](ModelBuilder& b) { b.set_time_step(0.0); }; }},
    {"TimeStepTooShort", "time step is 1e-15",
     [](Parts& p) { p.more = [](ModelBuilder& b) { b.set_time_step(1e-15); }; }},
    {"TimeStepTooLong", "time step is 1000",
     [](Parts& p) { p.more = [](ModelBuilder& b) { b.set_time_step(1000.0); }; }},
    {"TimeStepNotANumber", "time step is nan",
     [](Parts& p) { p.more = [](ModelBuilder& b) { b.set_time_step(nan); }; }},
    {"SiteOnNoLink", "site 'tip': its link is not in the model",
     [](Parts& p) {
       p.more = [](ModelBuilder& b) {
         FrameSpec site;
         site.name = "tip";
         site.link = 9;
         b.add_frame(site);
       };
     }},
    {"ExcludeOfNoLink", "collision exclude: a link is not in the model",
     [](Parts& p) { p.more = [](ModelBuilder& b) { b.exclude_collision(0, 12); }; }},
    {"PairOfNoShape", "contact pair: a shape is not in the model",
     [](Parts& p) {
       p.more = [](ModelBuilder& b) { b.add_contact_pair({0, 0}, {1, 0}, 1.0, 0.0); };
     }},
    {"SensorOfNothing", "sensor 'encoder': what it measures is not in the model",
     [](Parts& p) {
       p.more = [](ModelBuilder& b) {
         Sensor sensor;
         sensor.name = "encoder";
         sensor.target = Sensor::Target::joint;
         sensor.index = 5;
         b.add_sensor(sensor);
       };
     }},
    {"CouplingOfNothing", "it refers to something that is not in the model",
     [](Parts& p) {
       p.more = [](ModelBuilder& b) {
         Coupling coupling;
         coupling.name = "gear";
         coupling.kind = Coupling::Kind::joint;
         coupling.joint_a = 8;
         b.add_coupling(coupling);
       };
     }},
};

INSTANTIATE_TEST_SUITE_P(, BuilderRefuses, testing::ValuesIn(mistakes),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Builder, ReportsSeveralMistakesAtOnce) {
  Parts parts;
  parts.links[0].mass = -1.0;
  parts.links[1].name = "upper";
  parts.joints[0].axis.setZero();
  parts.joints[1].damping = nan;
  try {
    (void)parts.builder().build();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().count(Severity::error), 4U) << error.what();
  }
}

TEST(Builder, ALoopAndAnImpossibleInertiaAreReportedBesideOtherMistakes) {
  Parts parts;
  parts.links[1].inertia.diagonal() << 1.0, 1.0, 5.0;
  parts.joints[0].damping = -1.0;
  parts.links.push_back(solid("a"));
  parts.links.push_back(solid("b"));
  parts.joints.push_back(hinge("ab", 2, 3));
  parts.joints.push_back(hinge("ba", 3, 2));
  const ProblemList problems = parts.builder().check();
  ASSERT_EQ(problems.count(Severity::error), 3U);
  std::string text;
  for (const Problem& problem : problems.all()) text += to_string(problem) + '\n';
  EXPECT_NE(text.find("damping is -1"), std::string::npos) << text;
  EXPECT_NE(text.find("'a', 'b' cannot be reached"), std::string::npos) << text;
  EXPECT_NE(text.find("triangle inequality"), std::string::npos) << text;
}

TEST(Builder, APlanarLeafNeedsInertiaAboutItsCentreBecauseItAlsoSlides) {
  Parts parts;
  parts.joints[1].kind = JointKind::planar;
  EXPECT_FALSE(parts.builder().check().has_errors());
  parts.links[1].inertia.setZero();
  parts.links[1].center_of_mass << 1.0, 0.0, 0.0;
  EXPECT_TRUE(parts.builder().check().has_errors());
  parts.joints[1].kind = JointKind::revolute;
  parts.links[1].center_of_mass << 0.0, 1.0, 1.0;
  EXPECT_FALSE(parts.builder().check().has_errors()) << "about a pivot a point mass will do";
}

TEST(Builder, APlanarJointAndAHingeOnOneLinkAreIndependentUnlessTheyTurnAlike) {
  Parts parts;
  parts.links[0] = LinkSpec{.name = "upper"};
  parts.links[0].virtual_link = true;
  parts.joints[0].kind = JointKind::planar;
  parts.joints[0].axis = Eigen::Vector3d::UnitZ();
  parts.joints[1].axis = Eigen::Vector3d::UnitX();
  EXPECT_FALSE(parts.builder().check().has_errors());
  parts.joints[1].axis = Eigen::Vector3d::UnitZ();
  EXPECT_TRUE(parts.builder().check().has_errors());
}

TEST(Builder, ASpringThatNothingUsesIsWarnedAbout) {
  Parts parts;
  parts.joints[0].kind = JointKind::planar;
  parts.joints[0].stiffness = 3.0;
  const ProblemList problems = parts.builder().check();
  EXPECT_FALSE(problems.has_errors());
  EXPECT_EQ(problems.count(Severity::warning), 1U);
}

TEST(Builder, RefusesAnEmptyModelButTakesAFloorAlone) {
  ModelBuilder empty;
  EXPECT_THROW((void)empty.build(), InputError);
  ModelBuilder floor;
  Shape plane;
  plane.kind = ShapeKind::plane;
  floor.add_world_shape(plane);
  const Model model = floor.build();
  EXPECT_EQ(model.body_count(), 0);
  EXPECT_EQ(model.shapes().size(), 1U);
}

TEST(Builder, MaterialsCombineToTheLargerOfEachValue) {
  const ContactMaterial both = combine({"ice", 0.1, 0.2, 0.03}, {"rubber", 1.2, 0.1, 0.02});
  EXPECT_EQ(both.friction, 1.2);
  EXPECT_EQ(both.restitution, 0.2);
  EXPECT_EQ(both.restitution_threshold, 0.03);
}

TEST(Builder, APairOfMaterialsWinsOverTheLargerOfBothAndAContactPairOverIt) {
  ModelBuilder builder;
  const int ice = builder.add_material({"ice", 0.1, 0.2, 0.01});
  const int rubber = builder.add_material({"rubber", 1.2, 0.1, 0.02});
  builder.add_material_pair({rubber, ice, 0.3, 0.05, 0.5});
  for (const int material : {ice, rubber, rubber}) {
    Shape shape = ball(0.1);
    shape.material = material;
    builder.add_world_shape(shape);
  }
  builder.add_contact_pair({world_body, 0}, {world_body, 2}, 0.7, 0.0);
  builder.add_contact_pair({world_body, 1}, {world_body, 2}, -1.0, 0.0);
  const Model model = builder.build();
  EXPECT_EQ(model.contact_material(0, 1).friction, 0.3);
  EXPECT_EQ(model.contact_material(1, 0).restitution, 0.05);
  EXPECT_EQ(model.contact_material(1, 0).restitution_threshold, 0.5);
  EXPECT_EQ(model.contact_material(0, 2).friction, 0.7);
  EXPECT_EQ(model.contact_material(2, 0).restitution, 0.05);
  EXPECT_EQ(model.contact_material(1, 2).friction, 1.2) << "negative: use the materials";
  EXPECT_EQ(model.contact_material(0, 0).friction, 0.1);
}

TEST(Builder, MergesFixedLinksWithMassInertiaShapesAndFrames) {
  ModelBuilder builder;
  const int base = builder.add_link(solid("base", 2.0));
  LinkSpec head = solid("head", 1.0);
  head.center_of_mass << 0.1, 0.0, 0.0;
  head.inertia.diagonal() << 0.01, 0.02, 0.025;
  head.shapes.push_back(ball(0.1));
  const int head_index = builder.add_link(head);
  JointSpec root = hinge("root", world_body, base);
  root.kind = JointKind::floating;
  builder.add_joint(root);
  JointSpec neck = hinge("neck", base, head_index);
  neck.kind = JointKind::fixed;
  neck.pose_in_parent.translation() << 0.0, 0.0, 1.0;
  neck.pose_in_parent.linear() =
      Eigen::AngleAxisd(std::numbers::pi / 2, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  builder.add_joint(neck);
  FrameSpec eye;
  eye.name = "eye";
  eye.link = head_index;
  eye.pose.translation() << 0.0, 0.2, 0.0;
  builder.add_frame(eye);
  const Model model = builder.build();

  ASSERT_EQ(model.body_count(), 1);
  EXPECT_EQ(model.body_name(0), "base");
  const BodyInertia& body = model.body_inertia(0);
  EXPECT_DOUBLE_EQ(body.mass, 3.0);
  // The head's centre lies at (0, 0.1, 1) in the base, for its x is the base's y.
  const Eigen::Vector3d center = Eigen::Vector3d(0.0, 0.1, 1.0) / 3.0;
  EXPECT_LT((body.center_of_mass - center).norm(), 1e-15);
  const auto steiner = [](double mass, const Eigen::Vector3d& d) {
    return Eigen::Matrix3d(mass *
                           (d.squaredNorm() * Eigen::Matrix3d::Identity() - d * d.transpose()));
  };
  Eigen::Matrix3d expected = 0.2 * Eigen::Matrix3d::Identity() + steiner(2.0, center) +
                             steiner(1.0, Eigen::Vector3d(0.0, 0.1, 1.0) - center);
  expected.diagonal() += Eigen::Vector3d(0.02, 0.01, 0.025);
  EXPECT_LT((body.inertia - expected).norm(), 1e-14);

  const int frame = model.find_frame("head").value();
  EXPECT_EQ(model.frames()[static_cast<std::size_t>(frame)].body, 0);
  const int site = model.find_frame("eye").value();
  EXPECT_LT((model.frames()[static_cast<std::size_t>(site)].pose.translation() -
             Eigen::Vector3d(-0.2, 0.0, 1.0))
                .norm(),
            1e-15);
  ASSERT_EQ(model.shapes().size(), 1U);
  EXPECT_EQ(model.shapes()[0].body, 0);
  EXPECT_LT((model.shapes()[0].pose.translation() - Eigen::Vector3d(0, 0, 1)).norm(), 1e-15);
}

TEST(Builder, LinkFixedToTheWorldMovesNothing) {
  ModelBuilder builder;
  builder.add_link(solid("wall"));
  JointSpec joint = hinge("nail", world_body, 0);
  joint.kind = JointKind::fixed;
  builder.add_joint(joint);
  const Model model = builder.build();
  EXPECT_EQ(model.body_count(), 0);
  EXPECT_EQ(model.velocity_count(), 0);
  EXPECT_EQ(model.frames()[0].body, world_body);
}

TEST(Builder, PutsBodiesInDepthFirstOrderAndKeepsNames) {
  // Added breadth first: base; two legs; two feet.
  ModelBuilder builder;
  for (const char* name : {"base", "leg_a", "leg_b", "foot_a", "foot_b"}) {
    builder.add_link(solid(name));
  }
  JointSpec root = hinge("root", world_body, 0);
  root.kind = JointKind::floating;
  builder.add_joint(root);
  builder.add_joint(hinge("hip_a", 0, 1));
  builder.add_joint(hinge("hip_b", 0, 2));
  builder.add_joint(hinge("ankle_a", 1, 3));
  builder.add_joint(hinge("ankle_b", 2, 4));
  const Model model = builder.build();
  const char* bodies[] = {"base", "leg_a", "foot_a", "leg_b", "foot_b"};
  const char* joints[] = {"root", "hip_a", "ankle_a", "hip_b", "ankle_b"};
  const int parents[] = {-1, 0, 1, 0, 3};
  const int ends[] = {5, 3, 3, 5, 5};
  ASSERT_EQ(model.body_count(), 5);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(model.body_name(i), bodies[i]);
    EXPECT_EQ(model.joint(i).name, joints[i]);
    EXPECT_EQ(model.joint(i).body, i);
    EXPECT_EQ(model.parent(i), parents[i]);
    EXPECT_EQ(model.find_body(bodies[i]), i);
    EXPECT_EQ(model.find_joint(joints[i]), i);
    EXPECT_EQ(model.constants()[static_cast<std::size_t>(i)].subtree_end, ends[i]);
    EXPECT_EQ(model.constants()[static_cast<std::size_t>(i)].root, 0);
  }
  EXPECT_FALSE(model.find_body("nobody").has_value());
  EXPECT_FALSE(model.find_joint("base").has_value());
}

TEST(Builder, RandomTreesKeepTheInvariantsOfTheKernels) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const RobotRecipe robot = random_tree(random);
    const Model model = make_model(robot);
    int q = 0;
    int v = 0;
    double mass = 0.0;
    for (int i = 0; i < model.body_count(); ++i) {
      const BodyConstants& body = model.constants()[static_cast<std::size_t>(i)];
      EXPECT_LT(body.parent, i);
      EXPECT_EQ(body.position_index, q);
      EXPECT_EQ(body.velocity_index, v);
      q += position_size(body.joint);
      v += velocity_size(body.joint);
      mass += model.body_inertia(i).mass;
      EXPECT_NE(body.joint, JointKind::fixed);
      // The subtree stands directly behind its root.
      for (int k = i + 1; k < model.body_count(); ++k) {
        int at = k;
        while (at > i) at = model.parent(at);
        EXPECT_EQ(at == i, k < body.subtree_end);
      }
      if (body.joint == JointKind::planar) {
        const Eigen::Vector3d x = to_eigen(body.plane_x);
        const Eigen::Vector3d y = to_eigen(body.plane_y);
        EXPECT_LT((x.cross(y) - to_eigen(body.axis)).norm(), 1e-15);
        EXPECT_NEAR(x.norm(), 1.0, 1e-15);
      }
    }
    EXPECT_EQ(model.position_count(), q);
    EXPECT_EQ(model.velocity_count(), v);
    EXPECT_NEAR(model.total_mass(), mass, 1e-12);
    for (int k = 0; k < v; ++k) {
      EXPECT_LT(model.degrees_of_freedom()[static_cast<std::size_t>(k)].parent, k);
    }
  }
}

TEST(Builder, SeveralRobotsFreeFixedAndKinematicBodiesShareOneModel) {
  ModelBuilder builder;
  const auto add = [&builder](const char* name, JointKind kind, bool kinematic = false,
                              int parent = world_body) {
    const int link = builder.add_link(solid(name));
    JointSpec joint = hinge(std::string(name) + "_joint", parent, link);
    joint.kind = kind;
    joint.kinematic = kinematic;
    builder.add_joint(joint);
    return link;
  };
  const int first = add("robot1", JointKind::floating);
  add("arm1", JointKind::revolute, false, first);
  const int second = add("robot2", JointKind::prismatic);
  add("arm2", JointKind::spherical, false, second);
  add("box", JointKind::floating);
  add("wall", JointKind::fixed);
  add("belt", JointKind::floating, true);
  const Model model = builder.build();
  EXPECT_EQ(model.body_count(), 6);
  EXPECT_EQ(model.position_count(), 7 + 1 + 1 + 4 + 7 + 7);
  EXPECT_EQ(model.velocity_count(), 6 + 1 + 1 + 3 + 6 + 6);
  EXPECT_TRUE(model.joint(model.find_joint("belt_joint").value()).kinematic);
  EXPECT_FALSE(model.find_body("wall").has_value());
  EXPECT_TRUE(model.find_frame("wall").has_value());
}

TEST(Builder, InitialPositionsAreThoseOfTheJoints) {
  ModelBuilder builder;
  for (const char* name : {"a", "b", "c"}) builder.add_link(solid(name));
  JointSpec free = hinge("free", world_body, 0);
  free.kind = JointKind::floating;
  free.pose_in_parent.translation() << 1.0, 2.0, 3.0;
  free.pose_in_parent.linear() =
      Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitX()).toRotationMatrix();
  builder.add_joint(free);
  JointSpec slide = hinge("slide", 0, 1);
  slide.kind = JointKind::prismatic;
  slide.initial_position = 0.25;
  builder.add_joint(slide);
  JointSpec socket = hinge("socket", 1, 2);
  socket.kind = JointKind::spherical;
  builder.add_joint(socket);
  const Model model = builder.build();
  Eigen::VectorXd expected(12);
  expected << 1, 2, 3, std::sin(0.25), 0, 0, std::cos(0.25), 0.25, 0, 0, 0, 1;
  EXPECT_LT((model.initial_positions() - expected).norm(), 1e-15);
  const State state = model.initial_state();
  EXPECT_EQ(state.time, 0.0);
  EXPECT_EQ(state.q, model.initial_positions());
  EXPECT_EQ(state.v, Eigen::VectorXd::Zero(10));
}

TEST(Builder, KeyframesAreStoredJointByJoint) {
  Parts parts;
  parts.joints[0].initial_position = 0.1;
  parts.more = [](ModelBuilder& builder) {
    Actuator motor;
    motor.name = "motor";
    motor.joint = 1;
    builder.add_actuator(motor);
    KeyframeSpec key;
    key.name = "bent";
    key.time = 2.5;
    key.joints.push_back({1, {0.7}, {-0.2}});
    key.control = {4.0};
    builder.add_keyframe(key);
  };
  const Model model = parts.builder().build();
  const int index = model.find_keyframe("bent").value();
  const State state = model.keyframe_state(index);
  EXPECT_EQ(state.time, 2.5);
  EXPECT_EQ(state.q, Eigen::Vector2d(0.1, 0.7));
  EXPECT_EQ(state.v, Eigen::Vector2d(0.0, -0.2));
  EXPECT_EQ(model.keyframes()[static_cast<std::size_t>(index)].control[0], 4.0);
  EXPECT_EQ(model.actuators()[0].joint, model.find_joint("elbow").value());
  EXPECT_FALSE(model.find_keyframe("straight").has_value());

  parts.more = [](ModelBuilder& builder) {
    KeyframeSpec key;
    key.name = "wrong";
    key.joints.push_back({1, {0.7, 0.1}, {}});
    builder.add_keyframe(key);
  };
  EXPECT_THROW((void)parts.builder().build(), InputError);
}

/// Three balls: on the world's floor, `upper` and `lower`.
Parts colliding_parts() {
  Parts parts;
  parts.links[0].shapes.push_back(ball(0.1));
  parts.links[1].shapes.push_back(ball(0.2));
  parts.links[1].shapes.push_back(ball(0.3));
  parts.more = [](ModelBuilder& builder) {
    Shape plane;
    plane.kind = ShapeKind::plane;
    builder.add_world_shape(plane);
  };
  return parts;
}

TEST(MayCollide, DependsOnBodiesGroupsAndTheSwitch) {
  Parts parts = colliding_parts();
  const Model model = parts.builder().build();
  // World shapes come first, then those of the links in their order.
  EXPECT_TRUE(model.may_collide(0, 1));
  EXPECT_TRUE(model.may_collide(1, 2));
  EXPECT_TRUE(model.may_collide(2, 1));
  EXPECT_FALSE(model.may_collide(2, 3)) << "shapes of one body";

  parts.links[0].shapes[0].collision_group = 2;
  parts.links[0].shapes[0].collision_mask = 4;
  EXPECT_FALSE(parts.builder().build().may_collide(0, 1));
  parts.links[1].shapes[0].collision_mask = 2;  // one side that wants to is enough
  EXPECT_TRUE(parts.builder().build().may_collide(1, 2));
  parts.links[1].shapes[0].collides = false;
  EXPECT_FALSE(parts.builder().build().may_collide(1, 2));
}

TEST(MayCollide, ExcludesForbidAndPairsAllow) {
  Parts parts = colliding_parts();
  const auto floor = parts.more;
  parts.more = [floor](ModelBuilder& builder) {
    floor(builder);
    builder.exclude_collision(1, 0);
    builder.exclude_collision(world_body, 0);
  };
  Model model = parts.builder().build();
  EXPECT_FALSE(model.may_collide(1, 2));
  EXPECT_FALSE(model.may_collide(3, 1));
  EXPECT_FALSE(model.may_collide(0, 1));
  EXPECT_TRUE(model.may_collide(0, 2));
  const auto excluded = parts.more;
  parts.more = [excluded](ModelBuilder& builder) {
    excluded(builder);
    builder.add_contact_pair({0, 0}, {1, 1}, 0.5, 0.01);
  };
  model = parts.builder().build();
  EXPECT_FALSE(model.may_collide(1, 2));
  EXPECT_TRUE(model.may_collide(1, 3));
  EXPECT_TRUE(model.may_collide(3, 1));
  ASSERT_EQ(model.contact_pairs().size(), 1U);
  EXPECT_EQ(model.contact_pairs()[0].friction, 0.5);
}

TEST(MayCollide, ExcludeOfLinksLeavesOutWhatIsFixedToThem) {
  Parts parts = colliding_parts();
  LinkSpec hand = solid("hand");
  hand.shapes.push_back(ball(0.05));
  parts.links.push_back(hand);
  JointSpec wrist = hinge("wrist", 1, 2);
  wrist.kind = JointKind::fixed;
  parts.joints.push_back(wrist);
  const auto floor = parts.more;
  parts.more = [floor](ModelBuilder& builder) {
    floor(builder);
    builder.exclude_link_collision(0, 1);
  };
  const Model links = parts.builder().build();
  EXPECT_FALSE(links.may_collide(1, 2));
  EXPECT_TRUE(links.may_collide(1, 4)) << "the hand is another link";
  parts.more = [floor](ModelBuilder& builder) {
    floor(builder);
    builder.exclude_collision(0, 1);
  };
  const Model bodies = parts.builder().build();
  EXPECT_FALSE(bodies.may_collide(1, 2));
  EXPECT_FALSE(bodies.may_collide(1, 4)) << "the hand is of the same body";
}

TEST(Builder, PieceOfAMergedBodyMayBeOddIfTheWholeIsNot) {
  ModelBuilder builder;
  builder.add_link(solid("base", 5.0));
  LinkSpec odd = solid("odd", 0.001);
  odd.inertia.diagonal() << 1e-6, 1e-6, 1e-5;
  builder.add_link(odd);
  builder.add_joint(hinge("root", world_body, 0));
  JointSpec weld = hinge("weld", 0, 1);
  weld.kind = JointKind::fixed;
  builder.add_joint(weld);
  const ProblemList problems = builder.check();
  EXPECT_FALSE(problems.has_errors());
  EXPECT_EQ(problems.count(Severity::warning), 1U);
  EXPECT_NO_THROW((void)builder.build());
}

}  // namespace
}  // namespace stiction::test
