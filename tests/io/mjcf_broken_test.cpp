// Broken MJCF files: each is refused with the line of what is wrong, and a way to mend it.

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "stiction/io/load.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

struct Broken {
  const char* name;
  const char* text;
  int line;            ///< of the first error
  const char* what;    ///< part of its text
  const char* remedy;  ///< part of its remedy
};

std::ostream& operator<<(std::ostream& stream, const Broken& broken) {
  return stream << broken.name;
}

class MjcfBroken : public ::testing::TestWithParam<Broken> {};

TEST_P(MjcfBroken, IsRefusedWithLineAndRemedy) {
  const Broken& broken = GetParam();
  const test::TemporaryFolder folder;
  const auto path = folder.write("broken.xml", broken.text);
  try {
    (void)load_model(path);
    FAIL() << "it was read";
  } catch (const InputError& error) {
    const Problem* first = nullptr;
    for (const Problem& problem : error.problems().all()) {
      if (problem.severity != Severity::error) continue;
      EXPECT_FALSE(problem.remedy.empty()) << to_string(problem);
      if (first == nullptr) first = &problem;
    }
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->source.line, broken.line) << error.what();
    EXPECT_NE(to_string(*first).find(broken.what), std::string::npos) << error.what();
    EXPECT_NE(first->remedy.find(broken.remedy), std::string::npos) << error.what();
  }
}

const Broken files[] = {
    {"TypoInElement", "<mujoco><worldbody>\n<goem size='1'/></worldbody></mujoco>", 2, "goem",
     "did you mean 'geom'?"},
    {"TypoInAttribute", "<mujoco><worldbody>\n\n<geom size='1' msas='2'/></worldbody></mujoco>", 3,
     "msas", "did you mean 'mass'?"},
    {"ElementInWrongPlace",
     "<mujoco><worldbody><geom size='1'/>\n<motor joint='j'/></worldbody></mujoco>", 2,
     "<motor> is not allowed in <worldbody>", "<actuator>"},
    {"SiteThatIsNotThere",
     "<mujoco><worldbody><body><freejoint/><geom size='1'/><site name='rotor'/></body></worldbody>"
     "<actuator>\n<motor site='roter'/></actuator></mujoco>",
     2, "there is no site 'roter'", "did you mean 'rotor'?"},
    {"CrankWithoutLength",
     "<mujoco><worldbody><body><joint/><geom size='1'/><site name='a'/></body><site name='b'/>"
     "</worldbody><actuator>\n<motor cranksite='a' slidersite='b'/></actuator></mujoco>",
     2, "the crank has no length", "cranklength"},
    {"CrankWithoutSlider",
     "<mujoco><worldbody><body><joint/><geom size='1'/><site name='a'/></body></worldbody>"
     "<actuator>\n<motor cranksite='a' cranklength='1'/></actuator></mujoco>",
     2, "'slidersite' is missing", "name a site"},
    {"TwoTargets",
     "<mujoco><worldbody><body><joint name='j'/><geom size='1'/><site name='a'/></body></worldbody>"
     "<actuator>\n<motor joint='j' site='a'/></actuator></mujoco>",
     2, "more than one target", "keep one of"},
    {"UnknownDynamics",
     "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>"
     "<actuator>\n<general joint='j' dyntype='fliter'/></actuator></mujoco>",
     2, "'dyntype' is 'fliter'", "did you mean 'filter'?"},
    {"NegativeTimeConstant",
     "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>"
     "<actuator>\n<general joint='j' dyntype='filter' dynprm='-1'/></actuator></mujoco>",
     2, "time constant is negative", "seconds"},
    {"IntvelocityWithoutRange",
     "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>"
     "<actuator>\n<intvelocity joint='j'/></actuator></mujoco>",
     2, "no range of its integrated target", "actrange"},
    {"DamperWithNegativeControls",
     "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>"
     "<actuator>\n<damper joint='j' kv='1' ctrlrange='-1 1'/></actuator></mujoco>",
     2, "controls that are not negative", "ctrlrange"},
    {"ImpossibleMuscle",
     "<mujoco><worldbody><body><joint name='j' range='-1 1'/><geom size='1'/></body></worldbody>"
     "<actuator>\n<muscle joint='j' lmin='2'/></actuator></mujoco>",
     2, "curve of its muscle", "lmin < 1 < lmax"},
    {"ReversedLengthRange",
     "<mujoco><worldbody><body><joint name='j' range='-1 1'/><geom size='1'/></body></worldbody>"
     "<actuator>\n<muscle joint='j' lengthrange='2 1'/></actuator></mujoco>",
     2, "length range of its muscle is reversed", "shortest"},
    {"TooManyActivations",
     "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody>"
     "<actuator><motor joint='j'/></actuator><keyframe>\n<key act='1'/></keyframe></mujoco>",
     2, "'act' has 1 numbers", "give 0"},
    {"NegativeDensity", "<mujoco>\n<option density='-1'/><worldbody/></mujoco>", 2, "density",
     "at least 0"},
    {"NegativeFluidCoefficient",
     "<mujoco><worldbody><body><freejoint/>\n<geom size='1' fluidshape='ellipsoid' "
     "fluidcoef='-1'/></body></worldbody></mujoco>",
     2, "a coefficient is -1", "0 or more"},
    {"NoWorld", "<mujoco model='empty'>\n</mujoco>", 1, "worldbody", "add <worldbody>"},
    {"NaN", "<mujoco><worldbody>\n<geom size='nan'/></worldbody></mujoco>", 2, "nan", "finite"},
    {"Letters", "<mujoco><worldbody>\n<geom size='1' pos='0 zero 0'/></worldbody></mujoco>", 2,
     "zero", "give 3"},
    {"TooFewNumbers", "<mujoco><worldbody>\n<geom size='1' pos='0 0'/></worldbody></mujoco>", 2,
     "'pos' has 2 numbers", "give 3"},
    {"TooManyNumbers", "<mujoco><worldbody>\n<geom size='1 2 3 4'/></worldbody></mujoco>", 2,
     "'size' has 4 numbers", "1 to 3"},
    {"UnknownKeyword", "<mujoco><worldbody>\n<geom type='spher' size='1'/></worldbody></mujoco>", 2,
     "spher", "did you mean 'sphere'?"},
    {"NegativeSize", "<mujoco><worldbody>\n<geom type='box' size='1 -1 1'/></worldbody></mujoco>",
     2, "-1", "positive"},
    {"NoSize", "<mujoco><worldbody>\n<geom/></worldbody></mujoco>", 2, "size", "positive"},
    {"NegativeMass",
     "<mujoco><worldbody><body><joint/>\n<geom size='1' mass='-1'/></body></worldbody></mujoco>", 2,
     "-1", "at least 0"},
    {"ZeroQuaternion", "<mujoco><worldbody>\n<geom size='1' quat='0 0 0 0'/></worldbody></mujoco>",
     2, "quaternion", "unit length"},
    {"TwoOrientations",
     "<mujoco><worldbody>\n<geom size='1' quat='1 0 0 0' euler='0 0 0'/></worldbody></mujoco>", 2,
     "more than one form", "keep one"},
    {"ParallelAxes",
     "<mujoco><worldbody>\n<geom size='1' xyaxes='1 0 0 2 0 0'/></worldbody></mujoco>", 2,
     "parallel", "right angles"},
    {"ZeroJointAxis",
     "<mujoco><worldbody><body>\n<joint axis='0 0 0'/><geom size='1'/></body></worldbody></mujoco>",
     2, "axis", "direction"},
    {"PointlessFromTo",
     "<mujoco><worldbody>\n<geom type='capsule' size='1' fromto='1 1 1 1 1 1'/>"
     "</worldbody></mujoco>",
     2, "same point", "two points"},
    {"UnknownClass", "<mujoco><worldbody>\n<geom class='wheel' size='1'/></worldbody></mujoco>", 2,
     "wheel", "<default>"},
    {"DuplicateClass",
     "<mujoco><default><default class='a'/>\n<default class='a'/></default><worldbody>"
     "<geom size='1'/></worldbody></mujoco>",
     2, "defined twice", "own name"},
    {"ClassWithoutName",
     "<mujoco><default>\n<default/></default><worldbody><geom size='1'/></worldbody></mujoco>", 2,
     "no class", "class="},
    {"BadDefaultIsSaidOnce",
     "<mujoco><default>\n<geom size='x'/></default><worldbody><geom/><geom/></worldbody></mujoco>",
     2, "'x'", "number"},
    {"DuplicateBody", "<mujoco><worldbody><body name='a'/>\n<body name='a'/></worldbody></mujoco>",
     2, "twice", "own name"},
    {"BodyNamedWorld", "<mujoco><worldbody>\n<body name='world'/></worldbody></mujoco>", 2, "world",
     "own name"},
    {"UnknownMesh",
     "<mujoco><asset><mesh name='torso' file='t.stl'/></asset><worldbody>\n"
     "<geom type='mesh' mesh='torzo'/></worldbody></mujoco>",
     2, "torzo", "did you mean 'torso'?"},
    {"MissingMesh",
     "<mujoco><asset><mesh name='torso' file='t.stl'/></asset><worldbody>\n"
     "<geom type='mesh' mesh='torso'/></worldbody></mujoco>",
     1, "t.stl", ""},
    {"FittedPrimitive",
     "<mujoco><asset><mesh name='m' file='t.stl'/></asset><worldbody>\n"
     "<geom type='box' mesh='m'/></worldbody></mujoco>",
     2, "t.stl", "path"},
    {"BadFaces",
     "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'/></asset>"
     "<worldbody>\n<geom type='mesh' mesh='m'/></worldbody></mujoco>",
     1, "face", "0 to 3"},
    {"PngHeightField",
     "<mujoco><asset><hfield name='h' file='h.png' size='1 1 1 1'/></asset><worldbody>\n"
     "<geom type='hfield' hfield='h'/></worldbody></mujoco>",
     1, "h.png", "path"},
    {"HugeHeightField",
     "<mujoco><asset><hfield name='h' nrow='2000000000' ncol='2000000000' size='1 1 1 1'/></asset>"
     "<worldbody>\n<geom type='hfield' hfield='h'/></worldbody></mujoco>",
     1, "rows", "nrow"},
    {"UnknownJointOfActuator",
     "<mujoco><worldbody><body><joint name='knee'/><geom size='1'/></body></worldbody>\n"
     "<actuator><motor joint='nee'/></actuator></mujoco>",
     2, "nee", "did you mean 'knee'?"},
    {"IdleActuator",
     "<mujoco><worldbody><geom size='1'/></worldbody>\n<actuator><motor/></actuator></mujoco>", 2,
     "no joint, tendon, site or body", "joint="},
    {"UnknownBodyOfExclude",
     "<mujoco><worldbody><geom size='1'/></worldbody>\n<contact><exclude body1='a' body2='world'/>"
     "</contact></mujoco>",
     2, "'a'", "body"},
    {"UnknownGeomOfPair",
     "<mujoco><worldbody><geom name='floor' size='1'/></worldbody>\n<contact>"
     "<pair geom1='floor' geom2='flor'/></contact></mujoco>",
     2, "flor", "did you mean 'floor'?"},
    {"UnknownSiteOfSensor",
     "<mujoco><worldbody><geom size='1'/></worldbody>\n<sensor><gyro site='s'/></sensor></mujoco>",
     2, "'s'", "site"},
    {"CoupledBall",
     "<mujoco><worldbody><body><joint name='b' type='ball'/><geom size='1'/></body></worldbody>\n"
     "<equality><joint joint1='b'/></equality></mujoco>",
     2, "hinge or slide", "one coordinate"},
    {"KeyframeOfWrongSize",
     "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody>\n<keyframe>"
     "<key qpos='1 2'/></keyframe></mujoco>",
     2, "2 numbers", "give 1"},
    {"GlobalCoordinatesWithoutPosition",
     "<mujoco><compiler coordinate='global'/><worldbody>\n<body><joint/><geom size='1'/></body>"
     "</worldbody></mujoco>",
     2, "global coordinates", "add pos="},
    {"EulerSequence",
     "<mujoco>\n<compiler eulerseq='xy'/><worldbody><geom size='1'/></worldbody></mujoco>", 2, "xy",
     "three letters"},
    {"RangeWithoutLimited",
     "<mujoco><compiler autolimits='false'/><worldbody><body>\n<joint range='0 1'/>"
     "<geom size='1'/></body></worldbody></mujoco>",
     2, "autolimits", "limited"},
    {"RangeBackwards",
     "<mujoco><worldbody><body>\n<joint range='1 -1'/><geom size='1'/></body></worldbody></mujoco>",
     2, "reversed", "lower"},
    {"NestedFreeJoint",
     "<mujoco><worldbody><body><joint/><geom size='1'/><body>\n<freejoint/><geom size='1'/></body>"
     "</body></worldbody></mujoco>",
     2, "inside another body", "child of the world"},
    {"FreeJointInCompany",
     "<mujoco><worldbody><body>\n<freejoint/><joint/><geom size='1'/></body></worldbody></mujoco>",
     2, "free joint and other joints", "keep only the free joint"},
    {"NestedMocap",
     "<mujoco><worldbody><body><geom size='1'/>\n<body mocap='true'/></body></worldbody></mujoco>",
     2, "mocap", "child of the world"},
    {"TooManyJoints",
     "<mujoco><worldbody>\n<body><joint/><joint/><joint/><joint/><joint/><joint/><joint/>"
     "<geom size='1'/></body></worldbody></mujoco>",
     2, "7 joints", "six degrees of freedom"},
    {"BallAndHinge",
     "<mujoco><worldbody><body>\n<joint type='ball'/><joint/><geom size='1'/></body>"
     "</worldbody></mujoco>",
     2, "not independent", "independent"},
    {"MovingWithoutMass",
     "<mujoco><worldbody>\n<body name='a'><joint/></body></worldbody></mujoco>", 2, "no mass",
     "mass"},
    {"ImpossibleInertia",
     "<mujoco><worldbody>\n<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 5'/>"
     "</body></worldbody></mujoco>",
     2, "", ""},
    {"InertialWithoutMass",
     "<mujoco><worldbody><body><joint/>\n<inertial pos='0 0 0' diaginertia='1 1 1'/></body>"
     "</worldbody></mujoco>",
     2, "no mass", "mass="},
    {"TimeStep", "<mujoco>\n<option timestep='0'/><worldbody><geom size='1'/></worldbody></mujoco>",
     2, "time step", "1e-09 to 10 seconds"},
    {"TimeStepTooShort",
     "<mujoco>\n<option timestep='1e-15'/><worldbody><geom size='1'/></worldbody></mujoco>", 2,
     "time step is 1e-15", "1e-09 to 10 seconds"},
    {"NegativeFriction", "<mujoco><worldbody>\n<geom size='1' friction='-1'/></worldbody></mujoco>",
     2, "friction", "not negative"},
    {"IncludeWithoutFile", "<mujoco>\n<include/><worldbody><geom size='1'/></worldbody></mujoco>",
     2, "has no file", "file="},
    {"PlaneThatMoves",
     "<mujoco><worldbody><body><freejoint/><geom size='1'/>\n<geom type='plane' size='1 1 1'/>"
     "</body></worldbody></mujoco>",
     2, "plane", "box"},
};

INSTANTIATE_TEST_SUITE_P(Files, MjcfBroken, ::testing::ValuesIn(files),
                         [](const auto& info) { return std::string(info.param.name); });

// What a scene adds to robots: custom numbers, pairs and couplings.
const Broken scenes[] = {
    {"Restitution",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:restitution' data='2'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "the restitution is 2", "0 (no bounce) to 1"},
    {"NegativeRestitutionOfGeom",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:restitution:floor' data='-.1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "the restitution is -0.1", "0 (no bounce) to 1"},
    {"NegativeThreshold",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:restitution' data='1 -1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "threshold is -1 m/s", "not negative"},
    {"RestitutionWithoutNumber",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:restitution' data=''/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "'data' has 0 numbers", "give 1 to 2"},
    {"RestitutionWithThreeNumbers",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:restitution' data='1 0 0'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "'data' has 3 numbers", "give 1 to 2"},
    {"RestitutionInWords",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:restitution' data='bouncy'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "bouncy", "finite number"},
    {"RestitutionOfNoGeom",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:restitution:flor' data='1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "no geom 'flor'", "did you mean 'floor'?"},
    {"RestitutionOfNamelessGeom",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:restitution:' data='1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "no geom ''", "name a geom"},
    {"CustomTwice",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:restitution' data='1'/><numeric name='stiction:restitution' "
     "data='1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "given twice", "keep one"},
    {"MisspeltCustomWord",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:restituton' data='1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "has no setting 'stiction:restituton'", "did you mean 'restitution'?"},
    {"TrianglesOfASphere",
     "<mujoco><custom>\n<numeric name='stiction:triangles:ball' data='1'/></custom><worldbody>"
     "<geom name='ball' size='1'/></worldbody></mujoco>",
     2, "is not a mesh", "name a mesh geom"},
    {"KvAndDampingRatio",
     "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><actuator>\n"
     "<position joint='j' kp='1' kv='1' dampratio='1'/></actuator></mujoco>",
     2, "both 'kv' and 'dampratio'", "keep one"},
    {"TwoTargetsOfAnActuator",
     "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><tendon>"
     "<fixed name='t'><joint joint='j' coef='1'/></fixed></tendon><actuator>\n"
     "<motor joint='j' tendon='t'/></actuator></mujoco>",
     2, "more than one target", "keep one"},
    {"TendonOverABall",
     "<mujoco><worldbody><body><joint name='j' type='ball'/><geom size='1'/></body></worldbody>"
     "<tendon><fixed name='t'>\n<joint joint='j' coef='1'/></fixed></tendon></mujoco>",
     2, "joints with one coordinate", "hinge"},
    {"UnknownSiteOfATendon",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "<spatial>\n<site site='aa'/><site site='b'/></spatial></tendon></mujoco>",
     2, "no site 'aa'", "did you mean 'a'?"},
    {"TendonAroundABox",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "<spatial><site site='a'/>\n<geom geom='box'/><site site='b'/></spatial></tendon></mujoco>",
     2, "which is a box", "sphere or a cylinder"},
    {"UnknownSideSite",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "<spatial><site site='a'/>\n<geom geom='g' sidesite='none'/><site "
     "site='b'/></spatial></tendon></mujoco>",
     2, "no site 'none'", "name a site"},
    {"GeomAtTheStartOfATendon",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "\n<spatial><geom geom='g'/><site site='a'/><site site='b'/></spatial></tendon></mujoco>",
     2, "not between two sites", "before and after"},
    {"TwoGeomsInARow",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "\n<spatial><site site='a'/><geom geom='g'/><geom geom='g'/><site "
     "site='b'/></spatial></tendon></mujoco>",
     2, "not between two sites", "before and after"},
    {"PulleyAtTheEnd",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "\n<spatial><site site='a'/><site site='b'/><pulley divisor='2'/></spatial></tendon></mujoco>",
     2, "pulley with no site after it", "remove it"},
    {"TwoPulleys",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "\n<spatial><site site='a'/><site site='b'/><pulley divisor='2'/><pulley divisor='2'/><site "
     "site='a'/><site site='b'/></spatial></tendon></mujoco>",
     2, "pulley with no site after it", "remove it"},
    {"SiteBetweenPulleys",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "\n<spatial><site site='a'/><site site='b'/><pulley divisor='2'/><site site='a'/><pulley "
     "divisor='2'/><site site='a'/><site site='b'/></spatial></tendon></mujoco>",
     2, "no neighbour but pulleys", "second site"},
    {"ZeroDivisor",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "<spatial><site site='a'/><site site='b'/>\n<pulley divisor='0'/><site site='a'/><site "
     "site='b'/></spatial></tendon></mujoco>",
     2, "not positive", "above 0"},
    {"PulleyWithoutDivisor",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "<spatial><site site='a'/><site site='b'/>\n<pulley/><site site='a'/><site "
     "site='b'/></spatial></tendon></mujoco>",
     2, "no divisor", "above 0"},
    {"TendonWithOneSite",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "\n<spatial><site site='a'/></spatial></tendon></mujoco>",
     2, "fewer than two sites", "add <site"},
    {"EmptyTendon",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "\n<spatial/></tendon></mujoco>",
     2, "fewer than two sites", "add <site"},
    {"SiteTwiceInARow",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "<spatial><site site='a'/>\n<site site='a'/></spatial></tendon></mujoco>",
     2, "same site twice", "remove one"},
    {"ReversedTendonRange",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "\n<spatial limited='true' range='1 0'><site site='a'/><site "
     "site='b'/></spatial></tendon></mujoco>",
     2, "not a valid range", "lower upper"},
    {"TendonThatRestsNowhere",
     "<mujoco><worldbody><site name='a' pos='0 0 1'/><body><joint/><geom name='g' size='1'/>"
     "<geom name='box' type='box' size='1 1 1'/><site name='b'/></body></worldbody><tendon>"
     "\n<spatial stiffness='1' springlength='2 1'><site site='a'/><site "
     "site='b'/></spatial></tendon></mujoco>",
     2, "rests nowhere", "smaller one first"},
    {"EqualityOfAnUnknownTendon",
     "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><tendon>"
     "<fixed name='t'><joint joint='j'/></fixed></tendon><equality>\n<tendon tendon1='u'/>"
     "</equality></mujoco>",
     2, "no tendon 'u'", "did you mean 't'?"},
    {"UnknownCustomWord",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:colour' data='1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "has no setting 'stiction:colour'",
     "restitution, stiffness, surface_velocity, velocity, triangles, pair"},
    {"TextAsNumber",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:material:g' data='1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "<numeric> has no setting 'stiction:material'",
     "restitution, stiffness, surface_velocity, velocity, triangles, pair"},
    {"NumberAsText",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<text "
     "name='stiction:restitution' data='1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "<text> has no setting 'stiction:restitution'", "material"},
    {"MaterialWithoutName",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<text "
     "name='stiction:material:f' data=''/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "cannot be the name of a material", "without colons"},
    {"MaterialOfNoGeom",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<text "
     "name='stiction:material:flor' data='oak'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "no geom 'flor'", "did you mean 'floor'?"},
    {"SurfaceVelocityInThePlane",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:surface_velocity:floor' data='1 0'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "'data' has 2 numbers", "give 3"},
    {"SurfaceVelocityInfinite",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:surface_velocity:floor' data='inf 0 0'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "inf", "finite"},
    {"SurfaceVelocityOfNoGeom",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:surface_velocity:belt' data='1 0 0'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "no geom 'belt'", "name a geom"},
    {"SurfaceVelocityOfAll",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:surface_velocity' data='1 0 0'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "no geom ''", "name a geom"},
    {"PairOfOneMaterial",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:pair:ice' data='1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "does not name two materials", "stiction:pair:FIRST:SECOND"},
    {"PairOfNoMaterial",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:pair:ice:icy' data='1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "no material 'icy'", "did you mean 'ice'?"},
    {"PairWithNegativeFriction",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:pair:ice:ice' data='-1'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "the friction is -1", "not negative"},
    {"PairWithTooMuchRestitution",
     "<mujoco><custom><text name='stiction:material:floor' data='ice'/>\n<numeric "
     "name='stiction:pair:ice:ice' data='1 1.5'/></custom><worldbody>"
     "<geom name='floor' size='1'/></worldbody></mujoco>",
     2, "the restitution is 1.5", "0 (no bounce) to 1"},
    {"VelocityOfNoBody",
     "<mujoco><custom>\n<numeric name='stiction:velocity:wal' data='0 0 0 0 0 0'/></custom>"
     "<worldbody><body name='wall' mocap='true'/></worldbody></mujoco>",
     2, "no body 'wal'", "did you mean 'wall'?"},
    {"VelocityOfFreeBody",
     "<mujoco><custom>\n<numeric name='stiction:velocity:ball' data='0 0 0 0 0 0'/></custom>"
     "<worldbody><body name='ball'><freejoint/><geom size='1'/></body></worldbody></mujoco>",
     2, "no prescribed motion", "mocap"},
    {"LinearVelocityAlone",
     "<mujoco><custom>\n<numeric name='stiction:velocity:wall' data='0 0 0'/></custom>"
     "<worldbody><body name='wall' mocap='true'/></worldbody></mujoco>",
     2, "'data' has 3 numbers", "give 6"},
    {"ConnectToNobody",
     "<mujoco><worldbody><body name='a'><freejoint/><geom name='g' size='1'/></body><body "
     "name='b'><joint name='hinge'/><geom size='1'/></body></worldbody>\n<equality><connect "
     "body1='a' body2='carriage' anchor='0 0 0'/></equality></mujoco>",
     2, "no body 'carriage'", "body"},
    {"ConnectWithoutAnchor",
     "<mujoco><worldbody><body name='a'><freejoint/><geom name='g' size='1'/></body><body "
     "name='b'><joint name='hinge'/><geom size='1'/></body></worldbody>\n<equality><connect "
     "body1='a' body2='b'/></equality></mujoco>",
     2, "no anchor", "point in the frame of body1"},
    {"ConnectWithHalfAnchor",
     "<mujoco><worldbody><body name='a'><freejoint/><geom name='g' size='1'/></body><body "
     "name='b'><joint name='hinge'/><geom size='1'/></body></worldbody>\n<equality><connect "
     "body1='a' anchor='0 0'/></equality></mujoco>",
     2, "'anchor' has 2 numbers", "give 3"},
    {"ConnectOfNothing",
     "<mujoco><worldbody><body name='a'><freejoint/><geom name='g' size='1'/></body><body "
     "name='b'><joint name='hinge'/><geom size='1'/></body></worldbody>\n<equality><connect "
     "anchor='0 0 0'/></equality></mujoco>",
     2, "'body1' is missing", "name a body"},
    {"WeldWithShortPose",
     "<mujoco><worldbody><body name='a'><freejoint/><geom name='g' size='1'/></body><body "
     "name='b'><joint name='hinge'/><geom size='1'/></body></worldbody>\n<equality><weld body1='a' "
     "relpose='0 0 0'/></equality></mujoco>",
     2, "'relpose' has 3 numbers", "give 7"},
    {"CouplingOfNoJoint",
     "<mujoco><worldbody><body name='a'><freejoint/><geom name='g' size='1'/></body><body "
     "name='b'><joint name='hinge'/><geom size='1'/></body></worldbody>\n<equality><joint "
     "joint1='hing'/></equality></mujoco>",
     2, "no joint 'hing'", "did you mean 'hinge'?"},
    {"CouplingWithSixCoefficients",
     "<mujoco><worldbody><body name='a'><freejoint/><geom name='g' size='1'/></body><body "
     "name='b'><joint name='hinge'/><geom size='1'/></body></worldbody>\n<equality><joint "
     "joint1='hinge' polycoef='0 1 2 3 4 5'/></equality></mujoco>",
     2, "'polycoef' has 6 numbers", "1 to 5"},
    {"PairWithNegativeMargin",
     "<mujoco><worldbody><body name='a'><freejoint/><geom name='g' size='1'/></body><body "
     "name='b'><joint name='hinge'/><geom size='1'/></body></worldbody>\n<contact><pair geom1='g' "
     "geom2='g' margin='-1'/></contact></mujoco>",
     2, "'margin' is -1", "at least 0"},
    {"PairWithoutSecondGeom",
     "<mujoco><worldbody><body name='a'><freejoint/><geom name='g' size='1'/></body><body "
     "name='b'><joint name='hinge'/><geom size='1'/></body></worldbody>\n<contact><pair "
     "geom1='g'/></contact></mujoco>",
     2, "'geom2' is missing", "name a geom"},
};

class MjcfBrokenScene : public ::testing::TestWithParam<Broken> {};

TEST_P(MjcfBrokenScene, HasOneErrorThatIsClear) {
  const Broken& broken = GetParam();
  try {
    (void)load_model_text(broken.text, "broken.xml");
    FAIL() << "it was read";
  } catch (const InputError& error) {
    ASSERT_EQ(error.problems().count(Severity::error), 1U) << error.what();
    const Problem& problem = *std::ranges::find_if(
        error.problems().all(),
        [](const Problem& entry) { return entry.severity == Severity::error; });
    EXPECT_EQ(problem.source.line, broken.line) << error.what();
    EXPECT_NE(problem.what.find(broken.what), std::string::npos) << error.what();
    EXPECT_NE(problem.remedy.find(broken.remedy), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Files, MjcfBrokenScene, ::testing::ValuesIn(scenes),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(MjcfBrokenFile, CustomNamesThatWereProbablyMeantForUsAreWarnedAbout) {
  for (const char* name : {"restitution", "restitution/ball", "sticton:restitution"}) {
    const LoadedModel loaded =
        load_model_text(std::string("<mujoco><custom><numeric name='") + name +
                            "' data='1'/></custom><worldbody><geom size='1'/></worldbody></mujoco>",
                        "scene.xml");
    ASSERT_EQ(loaded.problems.count(Severity::warning), 1U) << name;
    EXPECT_EQ(loaded.model.materials().back().restitution, 0.0);
  }
}

TEST(MjcfBrokenFile, AllProblemsAreToldAtOnce) {
  try {
    (void)load_model_text(R"(<mujoco><worldbody><goem/><geom size="-1"/>
      <body name="a"><joint axis="0 0 0"/><geom size="1" quat="0 0 0 0"/></body></worldbody>
      <actuator><motor joint="none"/></actuator></mujoco>)",
                          "scene.xml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().count(Severity::error), 5U) << error.what();
  }
}

TEST(MjcfBrokenFile, ABadDefaultIsToldOnceHoweverManyUseIt) {
  std::string text = "<mujoco><default><geom size='x'/></default><worldbody>";
  for (int i = 0; i < 1000; ++i) text += "<geom type='plane'/>";
  try {
    (void)load_model_text(text + "</worldbody></mujoco>", "scene.xml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().count(Severity::error), 1U);
  }
}

TEST(MjcfBrokenFile, ThousandsOfErrorsAreCutShort) {
  std::string text = "<mujoco><worldbody>";
  for (int i = 0; i < 5000; ++i) text += "<geom sise='1' class='c" + std::to_string(i) + "'/>\n";
  try {
    (void)load_model_text(text + "</worldbody></mujoco>", "scene.xml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().count(Severity::error), 1001U);
  }
}

// Random damage to a good file: it is read or refused, and never anything else.
TEST(MjcfBrokenFile, RandomDamageNeverCrashes) {
  const std::string good = R"(<mujoco model="m"><compiler angle="radian" settotalmass="3"/>
    <option timestep=".002"><flag gravity="enable"/></option>
    <default><geom size=".1 .2 .3"/><default class="c"><joint range="-1 1"/></default></default>
    <asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
      <hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="1 2 3 4"/></asset>
    <worldbody><geom name="f" type="hfield" hfield="h"/><body name="a" pos="0 0 1"><freejoint/>
      <geom name="g" type="mesh" mesh="m"/><site name="s" zaxis="1 0 0"/>
      <body name="b" euler="0 1 0"><joint name="j" class="c"/><joint name="k" type="slide"/>
        <geom type="capsule" fromto="0 0 0 1 0 0"/></body></body></worldbody>
    <contact><exclude body1="a" body2="b"/><pair geom1="f" geom2="g"/></contact>
    <equality><weld body1="a" body2="b"/><joint joint1="j" joint2="k"/></equality>
    <actuator><position name="p" joint="j" kp="3"/></actuator>
    <sensor><gyro site="s"/><actuatorfrc actuator="p"/></sensor>
    <keyframe><key qpos="0 0 0 1 0 0 0 0 0" qvel="0 0 0 0 0 0 0 0" ctrl="1"/></keyframe></mujoco>)";
  (void)load_model_text(good, "good.xml");
  std::mt19937 random(7);
  const std::string letters = "<>\"'/= -.0123456789eabmnxj\n";
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string text = good;
    for (unsigned k = 0; k <= random() % 3; ++k) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = letters[random() % letters.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 12);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 20));
      }
    }
    try {
      (void)load_model_text(text, "damaged.xml");
    } catch (const InputError& error) {
      ++refused;
      EXPECT_TRUE(error.problems().has_errors());
    }
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace stiction
