// What is wrong with a state, an input or an option is refused by name, and the state stays as it
// was, bit for bit.

#include <functional>
#include <gtest/gtest.h>
#include <limits>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Everything that goes into a step, to be spoilt.
struct Case {
  State state;
  StepOptions options;
  std::vector<double> control;
  std::vector<double> joint_forces;
  std::vector<JointServo> servos;
  std::vector<ExternalForce> forces;
};

class BadInput : public testing::Test {
 protected:
  BadInput() {
    good.state = model.initial_state();
    good.control.assign(model.actuators().size(), 0.1);
    good.joint_forces.assign(static_cast<std::size_t>(model.velocity_count()), 0.1);
    good.servos = {{.velocity_index = 7, .stiffness = 10.0, .damping = 1.0}};
    good.forces = {{.body = 0, .force = {1.0, 2.0, 3.0}}};
  }

  StepReport take(Case& input) {
    StepReport report;
    step(model, input.options, {input.control, input.joint_forces, input.servos, input.forces},
         input.state, workspace, report);
    return report;
  }

  /// The message names each of `words`.
  void expect_refused(const std::function<void(Case&)>& spoil,
                      const std::vector<std::string>& words) {
    Case input = good;
    spoil(input);
    const State before = input.state;
    const StepReport report = take(input);
    EXPECT_EQ(report.status, StepStatus::refused) << words.front();
    for (const std::string& word : words) {
      EXPECT_NE(report.message.find(word), std::string::npos)
          << "'" << word << "' in: " << report.message;
    }
    EXPECT_TRUE(same_bits(before, input.state)) << words.front();
    EXPECT_TRUE(report.contacts.empty());
    EXPECT_FALSE(report.certificate.certified(std::numeric_limits<double>::max()));
    // And nothing of it is left behind.
    Case next = good;
    EXPECT_TRUE(take(next).ok());
    EXPECT_EQ(hash(next.state), good_hash()) << words.front();
  }

  std::uint64_t good_hash() {
    Case input = good;
    Workspace fresh(model);
    StepReport report;
    step(model, input.options, {input.control, input.joint_forces, input.servos, input.forces},
         input.state, fresh, report);
    return hash(input.state);
  }

  Model model = load_model(models_folder() / "anymal_lumped.xml").model;
  Workspace workspace{model};
  Case good;
};

TEST_F(BadInput, NumbersOfAStateThatAreNoneNameTheirJoint) {
  const int last = model.joints().back().body;
  const std::string last_joint = model.joint(last).name;
  const std::string base = model.joint(0).name;
  for (const double bad : {nan, infinity, -infinity}) {
    expect_refused([&](Case& c) { c.state.q[model.joint(last).position_index] = bad; },
                   {"position", last_joint});
    expect_refused([&](Case& c) { c.state.v[model.joint(last).velocity_index] = bad; },
                   {"velocity", last_joint});
    expect_refused([&](Case& c) { c.state.q[1] = bad; }, {"position", base});
    expect_refused([&](Case& c) { c.state.v[5] = bad; }, {"velocity", base});
    expect_refused([&](Case& c) { c.state.time = bad; }, {"time"});
    expect_refused([&](Case& c) { c.state.memory = {{1, {0.0, bad, 0.0}}}; }, {"memory"});
  }
}

TEST_F(BadInput, QuaternionsWithoutUnitLengthAreRefused) {
  const std::string base = model.joint(0).name;
  expect_refused([](Case& c) { c.state.q.segment<4>(3).setZero(); }, {"quaternion", base});
  expect_refused([](Case& c) { c.state.q.segment<4>(3) *= 2.0; }, {"quaternion", base});
}

TEST_F(BadInput, WrongSizesAreRefused) {
  expect_refused([](Case& c) { c.state.q.conservativeResize(c.state.q.size() - 1); }, {"q has"});
  expect_refused([](Case& c) { c.state.q = {}; }, {"q has 0"});
  expect_refused([](Case& c) { c.state.v = {}; }, {"v has 0"});
  expect_refused([](Case& c) { c.control.push_back(0.0); }, {"control has"});
  expect_refused([](Case& c) { c.joint_forces.pop_back(); }, {"joint_forces has"});
  if (!good.control.empty()) {
    expect_refused([](Case& c) { c.control.pop_back(); }, {"control has"});
  }
}

TEST_F(BadInput, ForcesThatAreNoNumbersAreRefused) {
  const std::string joint = model.joint(2).name;
  const auto entry = static_cast<std::size_t>(model.joint(2).velocity_index);
  for (const double bad : {nan, infinity}) {
    expect_refused([&](Case& c) { c.joint_forces[entry] = bad; }, {"force", joint});
    expect_refused([&](Case& c) { c.forces[0].force.y() = bad; },
                   {"force on body", model.body_name(0)});
    expect_refused([&](Case& c) { c.forces[0].torque.x() = bad; }, {"force on body"});
    expect_refused([&](Case& c) { c.forces[0].point.z() = bad; }, {"force on body"});
    if (!good.control.empty()) {
      expect_refused([&](Case& c) { c.control[0] = bad; }, {"control", model.actuators()[0].name});
    }
  }
}

TEST_F(BadInput, BodiesThatDoNotExistAreRefused) {
  for (const int body : {-1, -7, model.body_count(), std::numeric_limits<int>::max()}) {
    expect_refused([&](Case& c) { c.forces[0].body = body; }, {"body " + std::to_string(body)});
  }
}

TEST_F(BadInput, ImpossibleServosAreRefused) {
  const std::string joint = model.joint(model.degrees_of_freedom()[7].body).name;
  for (const int entry : {-1, model.velocity_count(), std::numeric_limits<int>::max()}) {
    expect_refused([&](Case& c) { c.servos[0].velocity_index = entry; },
                   {"velocity " + std::to_string(entry)});
  }
  expect_refused([](Case& c) { c.servos[0].velocity_index = 2; }, {"floating"});
  expect_refused([](Case& c) { c.servos[0].stiffness = -1.0; }, {"servo", joint});
  expect_refused([](Case& c) { c.servos[0].damping = -1.0; }, {"servo", joint});
  expect_refused([](Case& c) { c.servos[0].stiffness = nan; }, {"servo", joint});
  expect_refused([](Case& c) { c.servos[0].position_target = infinity; }, {"servo", joint});
  expect_refused([](Case& c) { c.servos[0].velocity_target = nan; }, {"servo", joint});
  expect_refused([](Case& c) { c.servos[0].feed_forward = nan; }, {"servo", joint});
}

TEST_F(BadInput, OptionsOutOfRangeAreNamed) {
  const std::vector<std::pair<std::function<void(StepOptions&)>, std::string>> faults{
      {[](StepOptions& o) { o.time_step = -1e-3; }, "time_step"},
      {[](StepOptions& o) { o.time_step = 1e-300; }, "time_step"},
      {[](StepOptions& o) { o.time_step = 1e6; }, "time_step"},
      {[](StepOptions& o) { o.time_step = infinity; }, "time_step"},
      {[](StepOptions& o) { o.time_step = nan; }, "time_step"},
      {[](StepOptions& o) { o.solver = "magic"; }, "hybrid, per_contact, pgs"},
      {[](StepOptions& o) { o.solver = ""; }, "solver is ''"},
      {[](StepOptions& o) { o.push_out_fraction = 1.5; }, "push_out_fraction"},
      {[](StepOptions& o) { o.push_out_fraction = -0.1; }, "push_out_fraction"},
      {[](StepOptions& o) { o.push_out_speed = nan; }, "push_out_speed"},
      {[](StepOptions& o) { o.push_out_speed = -1.0; }, "push_out_speed"},
      {[](StepOptions& o) { o.push_out_sweeps = -1; }, "push_out_sweeps"},
      {[](StepOptions& o) { o.push_out_sweeps = 1 << 20; }, "push_out_sweeps"},
      {[](StepOptions& o) { o.recall_fraction = 0.0; }, "recall_fraction"},
      {[](StepOptions& o) { o.recall_fraction = 1.5; }, "recall_fraction"},
      {[](StepOptions& o) { o.recall_fraction = nan; }, "recall_fraction"},
      {[](StepOptions& o) { o.lock_fraction = 2.0; }, "lock_fraction"},
      {[](StepOptions& o) { o.margin = -1.0; }, "margin"},
      {[](StepOptions& o) { o.margin = infinity; }, "margin"},
      {[](StepOptions& o) { o.restitution_threshold = -1.0; }, "restitution_threshold"},
      {[](StepOptions& o) { o.threads = 0; }, "threads"},
      {[](StepOptions& o) { o.threads = 1 << 20; }, "threads"},
      {[](StepOptions& o) { o.gap_rule = static_cast<GapRule>(9); }, "gap_rule"},
      {[](StepOptions& o) { o.integrator = static_cast<Integrator>(-1); }, "integrator"},
      {[](StepOptions& o) { o.solver_options.law = static_cast<Law>(9); }, "law"},
      {[](StepOptions& o) { o.solver_options.tolerance = 0.0; }, "tolerance"},
      {[](StepOptions& o) { o.solver_options.tolerance = nan; }, "tolerance"},
      {[](StepOptions& o) { o.solver_options.max_iterations = -1; }, "max_iterations"},
      {[](StepOptions& o) { o.solver_options.work_limit = 0.0; }, "work_limit"},
      {[](StepOptions& o) { o.solver_options.work_limit = nan; }, "work_limit"},
      {[](StepOptions& o) { o.solver_options.time_limit = 0.0; }, "time_limit"},
      {[](StepOptions& o) { o.solver_options.time_limit = 10.0; }, "clock"},
      {[](StepOptions& o) { o.solver_options.hybrid.sweeps = 0; }, "hybrid.sweeps"},
      {[](StepOptions& o) { o.solver_options.per_contact.relaxation = 3.0; }, "relaxation"},
  };
  for (const auto& [spoil, word] : faults) {
    expect_refused([&](Case& c) { spoil(c.options); }, {word});
    StepOptions options;
    spoil(options);
    EXPECT_THROW(Simulation(model, options), std::invalid_argument) << word;
  }
}

TEST_F(BadInput, AbsurdButFiniteStatesNeverLeaveNumbersThatAreNone) {
  for (const double size : {1e8, 1e30, 1e150, 1e300}) {
    for (int entry = 0; entry < model.velocity_count(); entry += 5) {
      Case input = good;
      input.state.v[entry] = size;
      const State before = input.state;
      const StepReport report = take(input);
      EXPECT_TRUE(input.state.q.allFinite() && input.state.v.allFinite()) << size;
      if (report.status == StepStatus::diverged || report.status == StepStatus::refused) {
        EXPECT_TRUE(same_bits(before, input.state)) << size;
        EXPECT_FALSE(report.message.empty());
      }
    }
  }
}

TEST_F(BadInput, ARefusedStepReportsNoContactsOfTheStepBefore) {
  SceneBuilder scene;
  scene.add_plane("floor", Eigen::Isometry3d::Identity());
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation().z() = 0.1;
  scene.add_sphere("ball", 0.1, 1.0, pose);
  Simulation simulation(scene.build());
  EXPECT_EQ(simulation.step().contacts.size(), 1U);
  simulation.state().v[3] = nan;
  EXPECT_TRUE(simulation.step().contacts.empty());
}

TEST_F(BadInput, ASimulationCountsRefusalsAndStopsAtThem) {
  Simulation simulation(model);
  simulation.state().v[3] = nan;
  EXPECT_EQ(simulation.run(1.0).status, StepStatus::refused);
  EXPECT_EQ(simulation.counts().steps, 1);
  EXPECT_EQ(simulation.counts().refused, 1);
  EXPECT_EQ(simulation.state().time, 0.0);
  EXPECT_THROW(simulation.run(-1.0), std::invalid_argument);
  EXPECT_THROW(simulation.run(nan), std::invalid_argument);
  EXPECT_THROW(simulation.reset_to_keyframe("nowhere"), std::invalid_argument);
}

TEST(OptionWords, GoThereAndBack) {
  for (const GapRule rule : {GapRule::position, GapRule::velocity}) {
    EXPECT_EQ(parse_gap_rule(to_string(rule)), rule);
  }
  for (const Integrator integrator :
       {Integrator::explicit_euler, Integrator::semi_implicit, Integrator::trapezoid,
        Integrator::implicit, Integrator::rk4}) {
    EXPECT_EQ(parse_integrator(to_string(integrator)), integrator);
  }
  EXPECT_EQ(to_string(Integrator::explicit_euler), "explicit");
  EXPECT_FALSE(parse_gap_rule("Position"));
  EXPECT_FALSE(parse_integrator(""));
  EXPECT_TRUE(fault_of(StepOptions{}).empty());
}

}  // namespace
}  // namespace stiction
