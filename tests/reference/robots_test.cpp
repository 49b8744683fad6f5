// Robots that others wrote, as MuJoCo 3.12.1 compiles and computes them: ../shared/reference.

#include <cmath>
#include <functional>
#include <regex>
#include <set>
#include <sstream>

#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/transmission.hpp"
#include "stiction/sim/external_forces.hpp"
#include "stiction/sim/forces.hpp"
#include "stiction/sim/simulation.hpp"
#include "tests/reference/reference_robot.hpp"

namespace stiction {
namespace {

/// Robots without limits, joint friction or couplings, which the smooth runs do without; those of
/// the quadruped are taken out of its text.
const std::set<std::string> smooth{"dm_control__quadruped", "dm_control__swimmer",
                                   "menagerie__skydio_x2__scene"};

/// Largest deviation of a smooth run of half a second by rk4 [m or rad]. MuJoCo's own runs with
/// steps of 0.1 ms and 0.2 ms differ by up to 1e-7.
constexpr double smooth_tolerance = 1e-6;

TendonSet tendons_at(const Model& model, const State& state) {
  TendonSet tendons(model);
  DynamicsData<double> data(model);
  update_positions<double>(model, data, as_span(state.q));
  tendons.update(model, data, as_span(state.q));
  return tendons;
}

TEST_P(ReferenceRobot, HasTheMassesJointsAndRangesThatMujocoSees) {
  const double mass = facts().at("moving_mass");
  EXPECT_NEAR(model_->total_mass(), mass, 1e-9 * mass);
  ASSERT_EQ(joints_.size(), facts().at("joints").size());
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const json& joint = facts().at("joints")[i];
    SCOPED_TRACE(joint.at("name").get<std::string>());
    if (joint.at("name") != "") {
      EXPECT_EQ(joints_[i]->name, joint.at("name"));
    }
    if (velocity_size(joints_[i]->kind) != 1) continue;
    const bool limited = joint.at("limited") && !is_switched_off("Constraint");
    EXPECT_EQ(std::isfinite(joints_[i]->limits.lower), limited);
    if (!limited) continue;
    EXPECT_NEAR(joints_[i]->limits.lower, joint.at("range")[0].get<double>(), 1e-12);
    EXPECT_NEAR(joints_[i]->limits.upper, joint.at("range")[1].get<double>(), 1e-12);
  }
}

/// Springs, dampers, actuators and the medium together; and what each actuator sees and does.
TEST_P(ReferenceRobot, HasTheForcesOfMujoco) {
  ASSERT_EQ(model_->actuators().size(), facts().at("actuators").size());
  const std::vector<Eigen::Index> order = entries();
  constexpr double h = 1e-12;  // at the start of the step
  DynamicsData<double> data(*model_);
  for (const json& at : data_.at("dynamics")) {
    const State state = state_of(at);
    const Eigen::MatrixXd T = to_our_axes(state);
    const Eigen::VectorXd control = vector_of(at.at("ctrl"));
    StepInput input;
    input.control = as_span(control);
    update_kinematics<double>(*model_, data, as_span(state.q), as_span(state.v));
    const TendonSet tendons = tendons_at(*model_, state);
    Forces forces(*model_);
    forces.collect(*model_, input, state, data, tendons, h);
    while (forces.saturate(as_span(state.v))) {
    }
    ExternalForces external(*model_);
    external.collect(*model_, {}, data, h);
    Eigen::VectorXd free(model_->velocity_count());
    Eigen::VectorXd pushed(model_->velocity_count());
    bias_forces<double>(*model_, data, as_span(free));
    bias_forces<double>(*model_, data, as_span(pushed), external.on_bodies());
    const Eigen::VectorXd all =
        Eigen::Map<const Eigen::VectorXd>(forces.tau().data(), model_->velocity_count()) + free -
        pushed;
    const Eigen::VectorXd tau = T.transpose() * all(order);
    const Eigen::VectorXd expected =
        vector_of(at.at("qfrc_passive")) + vector_of(at.at("qfrc_actuator"));
    EXPECT_LT((tau - expected).cwiseAbs().maxCoeff(), 1e-8 * (1.0 + expected.cwiseAbs().maxCoeff()))
        << (tau - expected).transpose();
    for (std::size_t i = 0; i < model_->actuators().size(); ++i) {
      const Actuator& actuator = model_->actuators()[i];
      SCOPED_TRACE(actuator.name);
      const auto near = [&](double ours, const char* name) {
        const double theirs = at.at(name)[i];
        EXPECT_NEAR(ours, theirs, 1e-8 * (1.0 + std::abs(theirs))) << name;
      };
      const ActuatorMotion motion =
          actuator_motion(*model_, data, as_span(state.q), as_span(state.v), actuator);
      near(motion.length, "actuator_length");
      near(motion.velocity, "actuator_velocity");
      near(forces.actuator_force(static_cast<int>(i), as_span(state.v)), "actuator_force");
    }
  }
}

/// A run by rk4 from MuJoCo's state 1 with its controls, without contacts.
void expect_smooth_run(Simulation& simulation, const json& run, const std::vector<double>& control,
                       const std::function<State(const json&)>& state_of) {
  simulation.options().integrator = Integrator::rk4;
  simulation.options().time_step = 2e-4;
  simulation.control() =
      Eigen::Map<const Eigen::VectorXd>(control.data(), static_cast<Eigen::Index>(control.size()));
  const json& times = run.at("t");
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double until = times[i];
    ASSERT_EQ(simulation.run(until - simulation.state().time).status, StepStatus::ok);
    ASSERT_NEAR(simulation.state().time, until, 1e-9);
    json at;
    at["qpos"] = run.at("qpos")[i];
    at["qvel"] = run.at("end_qvel");
    Eigen::VectorXd expected = state_of(at).q;
    for (const Joint& joint : simulation.model().joints()) {  // ±quaternions are the same
      if (position_size(joint.kind) < 4) continue;
      const int last = joint.position_index + position_size(joint.kind) - 4;
      if (expected.segment<4>(last).dot(simulation.state().q.segment<4>(last)) < 0.0) {
        expected.segment<4>(last) *= -1.0;
      }
    }
    EXPECT_LT((simulation.state().q - expected).cwiseAbs().maxCoeff(), smooth_tolerance)
        << "at " << until << " s: " << (simulation.state().q - expected).transpose();
  }
}

/// A file of the folder whose text was changed, without contacts.
Model without_contacts(const fs::path& path,
                       const std::vector<std::pair<const char*, const char*>>& changes) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::string scene = text.str();
  for (const auto& [what, by] : changes) scene = std::regex_replace(scene, std::regex(what), by);
  scene.insert(scene.rfind("</mujoco>"), "<option><flag contact=\"disable\"/></option>");
  return load_model_text(scene, path.filename().string(), path.parent_path()).model;
}

/// The quadruped has its servos behind filters, on joints and tendons.
TEST_P(ReferenceRobot, MovesSmoothlyAsInMujoco) {
  if (!smooth.contains(GetParam())) GTEST_SKIP() << GetParam() << " has constraints";
  const Model model = without_contacts(file_of_reference(GetParam()),
                                       {{"limited=\"true\" solimplimit", "solimplimit"},
                                        {" range=\"[^\"]*\"", ""},
                                        {"<equality>[^]*</equality>", ""}});
  const json& start = data_.at("dynamics")[1];
  Simulation simulation(model);
  simulation.state() = state_of(start);
  simulation.state().time = 0.0;
  expect_smooth_run(simulation, data_.at("trajectories").at("smooth"), start.at("ctrl"),
                    [this](const json& at) { return state_of(at); });
}

/// A drone hovers at its keyframe, as MuJoCo's does: through the file's own step and integrator.
TEST_P(ReferenceRobot, HoversAsInMujoco) {
  if (GetParam() != "menagerie__skydio_x2__scene") GTEST_SKIP() << "only the drone hovers";
  Simulation simulation(*model_);
  simulation.reset_to_keyframe("hover");
  const json& run = data_.at("trajectories").at("own");
  ASSERT_EQ(simulation.run(run.at("t").back().get<double>()).status, StepStatus::ok);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(simulation.state().q[i],
                run.at("qpos").back()[static_cast<std::size_t>(i)].get<double>(), 1e-4);
  }
}

/// Kinds, ranges, springs, and lengths at the start.
TEST_P(ReferenceRobot, HasTheTendonsThatMujocoSees) {
  const json& expected = facts().at("tendons");
  ASSERT_EQ(model_->tendons().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Tendon& tendon = model_->tendons()[i];
    EXPECT_EQ(tendon.name, expected[i].at("name"));
    EXPECT_EQ(tendon.kind == Tendon::Kind::spatial, expected[i].at("kind") == "spatial");
    EXPECT_EQ(tendon.stiffness, expected[i].at("stiffness"));
    EXPECT_EQ(tendon.damping, expected[i].at("damping"));
    EXPECT_EQ(tendon.friction, expected[i].at("frictionloss"));
    EXPECT_EQ(std::isfinite(tendon.limits[1]), expected[i].at("limited"));
    EXPECT_NEAR(tendon.initial_length, expected[i].at("length0").get<double>(), 1e-12);
    for (const std::size_t end : {0, 1}) {
      EXPECT_NEAR(tendon.spring_range[end], expected[i].at("springlength")[end].get<double>(),
                  1e-12);
      if (!expected[i].at("limited")) continue;
      EXPECT_EQ(tendon.limits[end], expected[i].at("range")[end]);
    }
  }
}

TEST_P(ReferenceRobot, HasTheTendonLengthsAndVelocitiesOfMujoco) {
  for (const json& at : data_.at("dynamics")) {
    const State state = state_of(at);
    const TendonSet tendons = tendons_at(*model_, state);
    for (std::size_t i = 0; i < model_->tendons().size(); ++i) {
      const double length = at.at("ten_length")[i];
      const double velocity = at.at("ten_velocity")[i];
      const int tendon = static_cast<int>(i);
      EXPECT_NEAR(tendons.length(tendon), length, 1e-8 * (1.0 + std::abs(length)));
      EXPECT_NEAR(tendons.speed(tendon, as_span(state.v)), velocity,
                  1e-8 * (1.0 + std::abs(velocity)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mujoco3, ReferenceRobot, ::testing::ValuesIn(names_of_references()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace stiction
