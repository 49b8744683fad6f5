// The same MJCF file and state in MuJoCo and here: all sensors that no contact disturbs read the
// same. With contact, weights are compared with what a scale would say.

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <regex>

#include "stiction/core/random.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/sensors.hpp"
#include "stiction/sim/step.hpp"
#include "support/random_tree.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

/// A floating body with a ball joint, a hinge arm and a slide on it, a second robot that is fixed
/// to the world, and walls for the rangefinders.
constexpr const char* zoo = R"(<mujoco model="zoo">
  <option timestep="1e-6" integrator="Euler"/>
  <worldbody>
    <geom name="wall" type="box" size=".1 5 5" pos="4 0 0" contype="1" conaffinity="1"/>
    <geom name="ball" type="sphere" size=".7" pos="-3 1 2"/>
    <geom name="pole" type="capsule" fromto="0 -3 -2 0 -3 4" size=".4"/>
    <site name="eye" pos="0 0 .2" zaxis="1 .1 -.2"/>
    <body name="base" pos="0 0 1"><freejoint name="free"/>
      <inertial pos=".02 -.01 .03" mass="3" diaginertia=".03 .04 .05"/>
      <site name="imu" pos=".1 .2 -.05" euler="20 -30 40"/>
      <site name="range" pos=".05 0 0" zaxis="-3 1 1"/>
      <body name="ballbody" pos=".3 0 0" euler="0 10 20"><joint name="ball" type="ball"/>
        <inertial pos=".1 .02 0" mass="1" diaginertia=".01 .011 .012"/>
        <site name="tip" pos=".2 0 .1" euler="5 6 7"/>
        <body name="slider" pos=".1 .1 0"><joint name="slide" type="slide" axis="1 1 0"
            damping="2" stiffness="30"/>
          <inertial pos="0 0 .1" mass=".5" diaginertia=".002 .003 .004"/>
          <site name="slide_site" pos=".01 .02 .03" euler="70 -6 7"/>
        </body>
      </body>
      <body name="arm" pos="-.3 0 0"><joint name="hinge" axis="0 1 .2" armature=".1"
          damping=".3"/>
        <inertial pos="0 .1 -.2" mass=".8" diaginertia=".01 .01 .004"/>
        <site name="wrist" pos="0 0 -.3" euler="1 2 3"/>
      </body>
    </body>
    <body name="tower" pos="0 2 0"><joint name="yaw" axis="0 0 1"/>
      <inertial pos=".1 0 .5" mass="4" diaginertia=".2 .2 .1"/>
      <site name="tower_site" pos="0 0 .3" euler="10 0 0"/>
      <body name="boom" pos="0 0 1"><joint name="pitch" axis="0 1 0" frictionloss="0"/>
        <inertial pos=".4 0 0" mass="1.5" diaginertia=".02 .1 .1"/>
        <site name="boom_site" pos=".1 0 0" euler="0 30 0"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="hinge_motor" joint="hinge" gear="3"/>
    <position name="slide_servo" joint="slide" kp="40"/>
    <motor name="yaw_motor" joint="yaw" ctrllimited="true" ctrlrange="-1 1"/>
  </actuator>
  <sensor>
    <jointpos name="s01" joint="hinge"/> <jointvel name="s02" joint="slide"/>
    <actuatorfrc name="s03" actuator="hinge_motor"/> <actuatorfrc name="s04"
      actuator="slide_servo"/> <actuatorfrc name="s05" actuator="yaw_motor"/>
    <ballquat name="s06" joint="ball"/> <ballangvel name="s07" joint="ball"/>
    <framepos name="s08" objtype="site" objname="imu"/>
    <framequat name="s09" objtype="site" objname="wrist"/>
    <framepos name="s10" objtype="body" objname="ballbody"/>
    <framepos name="s11" objtype="xbody" objname="arm"/>
    <framelinvel name="s12" objtype="site" objname="tip"/>
    <frameangvel name="s13" objtype="site" objname="slide_site"/>
    <framelinacc name="s14" objtype="site" objname="tip"/>
    <frameangacc name="s15" objtype="site" objname="tip"/>
    <gyro name="s16" site="imu"/> <accelerometer name="s17" site="imu"/>
    <velocimeter name="s18" site="imu"/> <accelerometer name="s19" site="boom_site"/>
    <force name="s20" site="tip"/> <torque name="s21" site="tip"/>
    <force name="s22" site="wrist"/> <torque name="s23" site="wrist"/>
    <force name="s24" site="tower_site"/> <torque name="s25" site="tower_site"/>
    <force name="s26" site="slide_site"/> <torque name="s27" site="slide_site"/>
    <force name="s28" site="imu"/> <torque name="s29" site="imu"/>
    <rangefinder name="s30" site="eye"/> <rangefinder name="s31" site="range"/>
    <subtreecom name="s32" body="base"/> <subtreelinvel name="s33" body="ballbody"/>
    <subtreeangmom name="s34" body="base"/> <subtreeangmom name="s35" body="tower"/>
    <magnetometer name="s36" site="wrist"/>
    <gyro name="s37" site="boom_site" cutoff=".5"/> <touch name="s38" site="imu"/>
    <framelinacc name="s39" objtype="site" objname="eye"/>
    <subtreecom name="s40" body="world"/>
  </sensor>
</mujoco>)";

/// The file in MuJoCo, at a state of ours.
class MujocoSensors {
 public:
  MujocoSensors(const std::filesystem::path& path, const Model& ours) : ours_(ours) {
    char message[1000] = "";
    model_ = mj_loadXML(path.c_str(), nullptr, message, sizeof message);
    if (model_ == nullptr) throw std::runtime_error(message);
    data_ = mj_makeData(model_);
  }
  ~MujocoSensors() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MujocoSensors(const MujocoSensors&) = delete;
  MujocoSensors& operator=(const MujocoSensors&) = delete;

  void forward(const State& state, const Eigen::VectorXd& control) {
    for (const Joint& joint : ours_.joints()) set_joint(joint, state);
    std::copy(control.begin(), control.end(), data_->ctrl);
    mj_forward(model_, data_);
  }

  /// As ours: quaternions x first, and with the sign of `like`.
  [[nodiscard]] std::vector<double> reading(const std::string& name,
                                            std::span<const double> like) const {
    const int id = mj_name2id(model_, mjOBJ_SENSOR, name.c_str());
    const double* from = data_->sensordata + model_->sensor_adr[id];
    std::vector<double> values(from, from + model_->sensor_dim[id]);
    if (values.size() != 4) return values;
    std::ranges::rotate(values, values.begin() + 1);
    double product = 0.0;
    for (std::size_t i = 0; i < 4; ++i) product += values[i] * like[i];
    if (product < 0.0) std::ranges::transform(values, values.begin(), std::negate<>());
    return values;
  }

 private:
  void set_joint(const Joint& joint, const State& state) {
    const int id = mj_name2id(model_, mjOBJ_JOINT, joint.name.c_str());
    ASSERT_GE(id, 0) << joint.name;
    const double* q = state.q.data() + joint.position_index;
    const double* v = state.v.data() + joint.velocity_index;
    double* qpos = data_->qpos + model_->jnt_qposadr[id];
    double* qvel = data_->qvel + model_->jnt_dofadr[id];
    std::copy_n(v, velocity_size(joint.kind), qvel);
    if (joint.kind == JointKind::floating) {
      std::copy_n(q, 3, qpos);
      const Eigen::Quaterniond turn(q[6], q[3], q[4], q[5]);
      const Eigen::Vector3d w = turn.conjugate() * Eigen::Vector3d(v[3], v[4], v[5]);
      std::copy(w.begin(), w.end(), qvel + 3);
      q += 3;
      qpos += 3;
    }
    if (position_size(joint.kind) == 1) {
      *qpos = *q;
    } else {
      qpos[0] = q[3];
      std::copy_n(q, 3, qpos + 1);
    }
  }

  Model ours_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

/// Those that read the last step; the others are of the state now.
bool is_of_last_step(SensorKind kind) {
  switch (kind) {
    case SensorKind::actuator_force:
    case SensorKind::frame_linear_acceleration:
    case SensorKind::frame_angular_acceleration:
    case SensorKind::accelerometer:
    case SensorKind::force:
    case SensorKind::torque:
    case SensorKind::touch:
      return true;
    default:
      return false;
  }
}

/// `text` without what matches `part`.
std::string without(const std::string& text, const std::string& part) {
  return std::regex_replace(text, std::regex(part), "");
}

/// Compares all sensors at random states; `tolerance` is for those of the last step.
void expect_same(const std::string& text, double time_step, double tolerance) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.write("zoo.xml", text);
  const Model model = load_model(path).model;
  const StepOptions options{.time_step = time_step, .integrator = Integrator::semi_implicit};
  MujocoSensors theirs(path, model);
  Workspace workspace(model);
  StepReport report;
  SensorArray sensors(model);
  Random random(7);
  int compared = 0;
  for (int trial = 0; trial < 20; ++trial) {
    State state = model.initial_state();
    state.q = test::random_positions(random, model);
    for (double& v : state.v) v = random.normal();
    const Eigen::Vector3d control(random.normal(), 0.1 * random.normal(), 3.0 * random.normal());
    const State before = state;
    step(model, options, {.control = {control.data(), 3}}, state, workspace, report);
    ASSERT_TRUE(report.ok()) << report.message;
    theirs.forward(before, control);
    for (const bool last_step : {true, false}) {
      sensors.evaluate(model, last_step ? state : before, workspace, report);
      for (std::size_t i = 0; i < model.sensors().size(); ++i) {
        const Sensor& sensor = model.sensors()[i];
        if (is_of_last_step(sensor.kind) != last_step) continue;
        const std::span<const double> ours = sensors.reading(static_cast<int>(i));
        const std::vector<double> other = theirs.reading(sensor.name, ours);
        ASSERT_EQ(ours.size(), other.size()) << sensor.name;
        for (std::size_t k = 0; k < ours.size(); ++k) {
          EXPECT_NEAR(ours[k], other[k],
                      (last_step ? tolerance : 1e-9) * (1.0 + std::abs(other[k])))
              << sensor.name << " (" << to_string(sensor.kind) << ") entry " << k << ", trial "
              << trial;
          ++compared;
        }
      }
    }
  }
  EXPECT_EQ(compared, 20 * sensors.size());
}

TEST(SensorsAgainstMujoco, EverySensorReadsTheSameWithoutContact) {
  // Accelerations are differences of velocities over the step: 1e-16 / 1e-3 s of rounding.
  const std::string plain = without(without(zoo, R"( (damping|stiffness)="[^"]*")"), R"( kp="40")");
  expect_same(std::regex_replace(plain, std::regex("<position"), "<motor"), 1e-3, 1e-9);
}

TEST(SensorsAgainstMujoco, ForcesOfSpringsDampersAndServosGoThroughTheJoints) {
  // Here they are taken at the end of the step, in MuJoCo at its start: at 1e-9 s both are the
  // same, but rounding leaves seven digits of the accelerations.
  expect_same(zoo, 1e-9, 2e-5);
}

}  // namespace
}  // namespace stiction
