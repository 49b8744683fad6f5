// Readings of sensors in files that others wrote, as MuJoCo 3.12.1 has them without contacts,
// limits, friction loss and equalities.

#include "stiction/sim/sensors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "stiction/model/sensor_kinds.hpp"
#include "stiction/sim/simulation.hpp"
#include "tests/reference/reference_robot.hpp"

namespace stiction {
namespace {

/// The robot without anything that makes impulses: as the reference data were made.
class ReferenceSensors : public ReferenceRobot {
 protected:
  void SetUp() override {
    ReferenceRobot::SetUp();
    if (IsSkipped()) return;
    if (facts().at("sensors").empty()) GTEST_SKIP() << "the file has no sensors";
    const fs::path file = file_of_reference(GetParam());
    const std::string text = fmt::format(
        "<mujoco><include file='{}'/><option><flag constraint='disable'/></option></mujoco>",
        file.filename().string());
    model_ = load_model_text(text, "free.xml", file.parent_path()).model;
    joints_.clear();
    for (const Joint& joint : model_->joints()) {
      if (!joint.kinematic) joints_.push_back(&joint);
    }
  }

  [[nodiscard]] bool is_fixed_to_world(const Sensor& sensor) const {
    return sensor.target == Sensor::Target::frame &&
           model_->frames()[static_cast<std::size_t>(sensor.index)].body == world_body;
  }

  /// How far our accelerations are from MuJoCo's, relative to the largest.
  [[nodiscard]] double acceleration_error(const Simulation& simulation, const json& at) const {
    const Eigen::VectorXd expected = vector_of(at.at("qacc_smooth"));
    const Eigen::MatrixXd turn = to_our_axes(simulation.state());
    const Eigen::VectorXd own = turn.transpose() * simulation.accelerations()(entries());
    return (own - expected).cwiseAbs().maxCoeff() / (1.0 + expected.cwiseAbs().maxCoeff());
  }
};

TEST_P(ReferenceSensors, ReadWhatMujocoReads) {
  const json& sensors = facts().at("sensors");
  ASSERT_EQ(model_->sensors().size(), sensors.size());
  int compared = 0;
  for (const json& at : data_.at("dynamics")) {
    Simulation simulation(*model_);
    simulation.options().integrator =
        Integrator::explicit_euler;  // forces at the start of the step
    simulation.state() = state_of(at);
    const Eigen::VectorXd control = vector_of(at.at("ctrl"));
    if (control.size() == simulation.control().size()) simulation.control() = control;
    (void)simulation.evaluate();
    // Where forces are not yet those of MuJoCo (another test says so), accelerations are not
    // either.
    const bool same_forces = acceleration_error(simulation, at) < 1e-7;
    SensorArray array(*model_);
    array.evaluate(*model_, simulation.state(), simulation.workspace(), simulation.report());
    for (std::size_t i = 0; i < sensors.size(); ++i) {
      const SensorSource source = traits_of(model_->sensors()[i].kind).source;
      const bool needs_forces = source == SensorSource::last_step || source == SensorSource::forces;
      if (source == SensorSource::nothing || sensors[i].at("needs_constraints")) continue;
      if (needs_forces && !same_forces) continue;
      // MuJoCo computes no acceleration of what is fixed to the world; here it feels gravity.
      if (source == SensorSource::last_step && is_fixed_to_world(model_->sensors()[i])) continue;
      SCOPED_TRACE(sensors[i].at("name").get<std::string>() + " " +
                   sensors[i].at("type").get<std::string>());
      const std::span<const double> reading = array.reading(static_cast<int>(i));
      const std::size_t first = sensors[i].at("adr");
      double scale = 1.0;
      for (std::size_t k = 0; k < reading.size(); ++k) {
        scale = std::max(scale, std::abs(at.at("sensordata")[first + k].get<double>()));
      }
      const bool is_quaternion = reading.size() == 4;
      for (std::size_t k = 0; k < reading.size(); ++k) {
        // Quaternions end with w here, and their sign means nothing.
        const std::size_t place = is_quaternion ? (k + 1) % 4 : k;
        const double expected = at.at("sensordata")[first + place];
        const double sign =
            is_quaternion && reading[3] * at.at("sensordata")[first].get<double>() < 0 ? -1.0 : 1.0;
        EXPECT_NEAR(sign * reading[k], expected, 1e-8 * scale);
      }
      ++compared;
    }
  }
  RecordProperty("compared", compared);
  const bool all_need_contacts = std::all_of(
      sensors.begin(), sensors.end(), [](const json& one) { return one.at("needs_constraints"); });
  EXPECT_TRUE(compared > 0 || all_need_contacts);
}

INSTANTIATE_TEST_SUITE_P(Mujoco3, ReferenceSensors, ::testing::ValuesIn(names_of_references()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace stiction
