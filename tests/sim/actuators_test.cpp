// Actuators of every kind, and the medium: moments, stiff gains, activations, and what cannot go
// wrong however large the step.

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <string>

#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/transmission.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

constexpr double pi = std::numbers::pi;

Model model_of(const std::string& text) { return load_model_text(text, "actuators.xml").model; }

double length_at(const Model& model, const Eigen::VectorXd& q, std::vector<MomentTerm>& moment) {
  DynamicsData<double> data(model);
  update_positions<double>(model, data, as_span(q));
  TendonSet tendons(model);
  tendons.update(model, data, as_span(q));
  moment.clear();
  return transmission(model, data, tendons, as_span(q), model.actuators()[0], moment);
}

/// A crank that pulls a slide by its rod, and an arm whose hand is measured from the world.
const char* const crank =
    "<mujoco><option gravity='0 0 0'/><worldbody><body pos='0 0 .1'>"
    "<joint axis='0 1 0'/><geom size='.02' pos='.1 0 0' mass='1'/><site name='pin' pos='.1 0 0'/>"
    "</body><body pos='.4 0 .1'><joint axis='0 1 0' ref='20'/><geom size='.02' mass='1'/>"
    "<site name='slider' euler='0 70 0' pos='0 .01 0'/></body></worldbody><actuator>"
    "<position cranksite='pin' slidersite='slider' cranklength='.5' gear='2' kp='50' kv='5'/>"
    "</actuator></mujoco>";
const char* const hand =
    "<mujoco><option gravity='0 0 0'/><worldbody><site name='base' euler='10 20 30'/><body>"
    "<joint axis='0 1 0'/><geom size='.02' pos='.3 0 0' mass='1'/><body pos='.3 0 0'>"
    "<joint axis='0 1 1'/><geom size='.02' pos='.2 0 0' mass='1'/><site name='hand' pos='.2 0 0'/>"
    "</body></body></worldbody><actuator>"
    "<position site='hand' refsite='base' gear='1 2 3' kp='50' kv='5'/></actuator></mujoco>";

TEST(Transmission, MomentsAreDerivativesOfLengths) {
  for (const char* text : {crank, hand}) {
    const Model model = model_of(text);
    const Eigen::VectorXd q = model.initial_positions() + Eigen::Vector2d(0.3, -0.2);
    std::vector<MomentTerm> moment;
    (void)length_at(model, q, moment);
    Eigen::VectorXd dense = Eigen::VectorXd::Zero(2);
    for (const MomentTerm& entry : moment) dense[entry.index] += entry.coefficient;
    std::vector<MomentTerm> ignored;
    for (int k = 0; k < 2; ++k) {
      const double step = 1e-6;
      const Eigen::VectorXd shift = step * Eigen::VectorXd::Unit(2, k);
      const double slope =
          (length_at(model, q + shift, ignored) - length_at(model, q - shift, ignored)) /
          (2.0 * step);
      EXPECT_NEAR(dense[k], slope, 1e-8) << text;
    }
  }
}

/// However stiff, a servo along a moment is stable and ends where it should.
TEST(Transmission, StiffGainsComeToRest) {
  for (const char* kp : {"50", "1e4", "1e8"}) {
    for (const Integrator integrator : {Integrator::trapezoid, Integrator::semi_implicit}) {
      std::string text = hand;
      text.replace(text.find("kp='50' kv='5'"), 14, std::string("kp='") + kp + "' dampratio='1'");
      Simulation simulation(model_of(text), {.integrator = integrator});
      simulation.control()[0] = 0.4;
      ASSERT_EQ(simulation.run(20.0).status, StepStatus::ok);
      std::vector<MomentTerm> moment;
      EXPECT_NEAR(length_at(simulation.model(), simulation.state().q, moment), 0.4, 1e-3) << kp;
      EXPECT_LT(simulation.state().v.norm(), 1e-2) << kp;
    }
  }
}

/// A ball joint is turned to an angle about its gear, in its own axes or in those of the parent.
TEST(Transmission, BallJointsFollowAnAngle) {
  for (const char* target : {"joint", "jointinparent"}) {
    Simulation simulation(model_of(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='b' type='ball'/>"
        "<geom type='box' size='.1 .2 .3' mass='1'/></body></worldbody><actuator>"
        "<position " +
        std::string(target) + "='b' gear='0 2 0' kp='2000' kv='100'/></actuator></mujoco>"));
    simulation.control()[0] = 1.4;  // twice an angle of 0.7
    ASSERT_EQ(simulation.run(10.0).status, StepStatus::ok);
    EXPECT_NEAR(simulation.state().q[1], std::sin(0.35), 1e-6) << target;
    EXPECT_NEAR(simulation.state().q[3], std::cos(0.35), 1e-6) << target;
  }
}

/// A velocity servo at a site of a free body brings it to its speed along the site's axis.
TEST(Transmission, SitesOfFreeBodiesFollowASpeed) {
  Simulation simulation(model_of(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom size='.1' mass='2'/>"
      "<site name='s' euler='0 90 0'/></body></worldbody><actuator>"
      "<velocity site='s' gear='0 0 1' kv='1e6'/></actuator></mujoco>"));
  simulation.control()[0] = 0.5;
  ASSERT_EQ(simulation.run(1.0).status, StepStatus::ok);
  EXPECT_NEAR(simulation.state().v[0], 0.5, 1e-6);
}

const char* const filtered =
    "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' axis='0 1 0'/>"
    "<geom size='.1' mass='1' pos='.3 0 0'/></body></worldbody><actuator>"
    "<position joint='j' kp='20' kv='1' timeconst='.05'/><motor joint='j'/>"
    "<intvelocity joint='j' kp='3' actrange='-1 1'/></actuator>"
    "<keyframe><key name='k' act='.3 -.2'/></keyframe></mujoco>";

TEST(Activation, IsPartOfTheState) {
  Simulation simulation(model_of(filtered));
  simulation.reset_to_keyframe("k");
  ASSERT_EQ(simulation.state().activation.size(), 2);
  EXPECT_EQ(simulation.state().activation, Eigen::Vector2d(0.3, -0.2));
  simulation.control() = Eigen::Vector3d(1.0, 0.0, 0.1);
  simulation.run(0.1);
  const State middle = simulation.state();
  simulation.run(0.1);
  const std::uint64_t end = hash(simulation.state());
  State other = middle;
  other.activation[1] = std::nextafter(other.activation[1], 1.0);
  EXPECT_FALSE(same_bits(middle, other));
  EXPECT_NE(hash(middle), hash(other));
  simulation.set_state(middle);
  simulation.run(0.1);
  EXPECT_EQ(hash(simulation.state()), end);
  simulation.set_state(other);
  simulation.run(0.1);
  EXPECT_NE(hash(simulation.state()), end);
}

TEST(Activation, OfTheWrongSizeIsRefused) {
  Simulation simulation(model_of(filtered));
  simulation.state().activation.resize(1);
  EXPECT_EQ(simulation.step().status, StepStatus::refused);
  EXPECT_NE(simulation.report().message.find("activation has 1 entries"), std::string::npos);
  simulation.state().activation = Eigen::Vector2d(0.0, std::nan(""));
  EXPECT_EQ(simulation.step().status, StepStatus::refused);
}

/// ȧ = (u − a)/τ has the answer 1 − exp(−t/τ); rk4 is of fourth order also in it.
TEST(Activation, FiltersAreExactOrOfFourthOrder) {
  for (const char* kind : {"filter", "filterexact"}) {
    Simulation simulation(
        model_of("<mujoco><option timestep='.01'/><worldbody><body>"
                 "<joint name='j' axis='0 1 0'/><geom size='.1'/></body>"
                 "</worldbody><actuator><general joint='j' dyntype='" +
                 std::string(kind) + "' dynprm='.1'/></actuator></mujoco>"));
    simulation.options().integrator = Integrator::rk4;
    simulation.control()[0] = 1.0;
    simulation.run(0.1);
    EXPECT_NEAR(simulation.state().activation[0], -std::expm1(-1.0), 1e-6) << kind;
  }
}

/// A filter that is faster than the step reaches its control and stays.
TEST(Activation, FastFiltersDoNotOvershoot) {
  for (const char* kind : {"filter", "filterexact", "muscle"}) {
    for (const Integrator integrator : {Integrator::trapezoid, Integrator::rk4}) {
      Simulation simulation(
          model_of("<mujoco><option timestep='.01'/><worldbody><body>"
                   "<joint name='j' axis='0 1 0' range='-9 9'/><geom size='.1'/>"
                   "</body></worldbody><actuator><general joint='j' dyntype='" +
                   std::string(kind) + "' dynprm='1e-6 1e-6'/></actuator></mujoco>"));
      simulation.options().integrator = integrator;
      simulation.control()[0] = 1.0;
      for (int i = 0; i < 20; ++i) {
        simulation.step();
        ASSERT_GE(simulation.state().activation[0], 0.0) << kind;
        ASSERT_LE(simulation.state().activation[0], 1.0 + 1e-12) << kind;
      }
      EXPECT_NEAR(simulation.state().activation[0], 1.0, 1e-12) << kind;
    }
  }
}

TEST(Activation, FlagsSwitchActuatorsOff) {
  const std::string head = "<mujoco><option gravity='0 0 0'";
  const std::string tail =
      "<worldbody><body><joint name='j' axis='0 1 0'/><geom size='.1'/></body></worldbody>"
      "<actuator><general joint='j' dyntype='integrator' group='2' ctrlrange='0 1'/></actuator>"
      "</mujoco>";
  for (const char* off :
       {"><flag actuation='disable'/></option>", " actuatorgroupdisable='1 2'></option>"}) {
    Simulation simulation(model_of(head + off + tail));
    simulation.state().activation[0] = 0.5;
    simulation.control()[0] = 1.0;
    simulation.run(0.1);
    EXPECT_EQ(simulation.state().activation[0], 0.5);
    EXPECT_EQ(simulation.state().v[0], 0.0);
  }
  Simulation unclamped(model_of(head + "><flag clampctrl='disable'/></option>" + tail));
  unclamped.control()[0] = 3.0;
  unclamped.run(0.1);
  EXPECT_NEAR(unclamped.state().activation[0], 0.3, 1e-12);
}

/// Stokes' law: a ball sinks at m g / (3 π d η), with d the edge of the box of its inertia.
TEST(Medium, ABallSinksAsStokesSays) {
  Simulation simulation(
      model_of("<mujoco><option viscosity='2'/><worldbody><body><freejoint/>"
               "<geom size='.05' mass='.5'/></body></worldbody></mujoco>"));
  ASSERT_EQ(simulation.run(10.0).status, StepStatus::ok);
  const double edge = std::sqrt(6.0 * 0.4 * 0.05 * 0.05);
  EXPECT_NEAR(simulation.state().v[2], -0.5 * 9.81 / (3.0 * pi * edge * 2.0), 1e-6);
}

TEST(Medium, WindCarriesThingsAlong) {
  for (const char* shape : {"none", "ellipsoid"}) {
    Simulation simulation(
        model_of("<mujoco><option gravity='0 0 0' viscosity='5' density='10' wind='1 2 -3'/>"
                 "<worldbody><body><freejoint/><geom size='.05' mass='.1' fluidshape='" +
                 std::string(shape) + "'/></body></worldbody></mujoco>"));
    ASSERT_EQ(simulation.run(2.0).status, StepStatus::ok);
    EXPECT_TRUE(simulation.state().v.head<3>().isApprox(Eigen::Vector3d(1, 2, -3), 1e-6)) << shape;
  }
}

/// Drag never adds energy, with any density, speed and step, on single bodies and on chains.
TEST(Medium, DragCannotExplode) {
  const std::string bodies[] = {
      "<body><freejoint/><geom type='box' size='.3 .2 .01' mass='.01' fluidshape='F'/></body>",
      "<body><joint axis='0 0 1'/><geom type='capsule' size='.02' fromto='0 0 0 .3 0 0' mass='.01' "
      "fluidshape='F'/><body pos='.3 0 0'><joint axis='0 1 1'/><geom type='capsule' size='.02' "
      "fromto='0 0 0 .3 .1 0' mass='.001' fluidshape='F'/></body></body>"};
  for (std::string body : bodies) {
    for (const char* shape : {"none", "ellipsoid"}) {
      std::string own = body;
      for (std::size_t at = 0; (at = own.find("'F'", at)) != std::string::npos;) {
        own.replace(at, 3, std::string("'") + shape + "'");
      }
      for (const Integrator integrator :
           {Integrator::trapezoid, Integrator::semi_implicit, Integrator::explicit_euler,
            Integrator::implicit, Integrator::rk4}) {
        SCOPED_TRACE(std::string(shape) + " " + std::string(to_string(integrator)));
        Simulation simulation(
            model_of("<mujoco><option gravity='0 0 0' density='1e5' "
                     "viscosity='100' timestep='.02'/><worldbody>" +
                     own + "</worldbody></mujoco>"));
        simulation.options().integrator = integrator;
        simulation.options().balance = true;
        simulation.state().v.setLinSpaced(3.0, -7.0);
        ASSERT_EQ(simulation.step().status, StepStatus::ok);
        const double first = simulation.report().balance.kinetic_energy;
        ASSERT_EQ(simulation.run(2.0).status, StepStatus::ok);
        EXPECT_LT(simulation.report().balance.kinetic_energy, first);
        EXPECT_TRUE(simulation.state().v.allFinite());
      }
    }
  }
}

}  // namespace
}  // namespace stiction
