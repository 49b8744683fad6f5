// Free and tied bodies whose motion is known.

#include <cmath>
#include <numbers>

#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "support/scenes.hpp"

namespace stiction::test {
namespace {

/// When a value rises through zero, by straight lines between steps.
class RiseTimes {
 public:
  void add(double time, double value) {
    if (last_ < 0.0 && value >= 0.0)
      times_.push_back(time_ + (time - time_) * last_ / (last_ - value));
    last_ = value;
    time_ = time;
  }
  [[nodiscard]] const std::vector<double>& all() const { return times_; }

 private:
  double last_ = 0.0;
  double time_ = 0.0;
  std::vector<double> times_;
};

Simulation free_scene(const char* scene, const char* keyframe, Integrator integrator, double h) {
  Simulation simulation = scene_at(load_scene(scene), {}, keyframe);
  simulation.options().integrator = integrator;
  simulation.options().time_step = h;
  return simulation;
}

class SecondOrder : public testing::TestWithParam<Integrator> {};
INSTANTIATE_TEST_SUITE_P(Scenes, SecondOrder,
                         testing::Values(Integrator::trapezoid, Integrator::rk4),
                         [](const auto& info) { return std::string(to_string(info.param)); });

/// How long a wing nut takes from one flip to the next, and how far its momentum drifted.
struct Flip {
  double period = 0.0;
  double drift = 0.0;
};

Flip flip_of(Integrator integrator, double h) {
  Simulation simulation = free_scene("dzhanibekov", "start", integrator, h);
  const Model& model = simulation.model();
  const Eigen::Vector3d moments(1, 2, 3);
  std::vector<double> flips;  // where the spin about the middle axis, in the body, changes its sign
  Flip result;
  double last = 1.0;
  while (flips.size() < 2 && simulation.state().time < 50.0) {
    simulation.step();
    const Eigen::Matrix3d R = pose_of(model, simulation.state(), "wing_nut").linear();
    const Eigen::Vector3d spin =
        R.transpose() * angular_velocity(model, simulation.state(), "wing_nut");
    if (spin.y() * last < 0.0) {
      flips.push_back(simulation.state().time - h * spin.y() / (spin.y() - last));
    }
    last = spin.y();
    const Eigen::Vector3d momentum = R * moments.cwiseProduct(spin);
    result.drift = std::max(result.drift, (momentum - Eigen::Vector3d(0.01, 2, 0)).norm());
  }
  if (flips.size() == 2) result.period = flips[1] - flips[0];
  return result;
}

TEST_P(SecondOrder, WingNutFlipsInTime) {
  EXPECT_NEAR(flip_of(GetParam(), 0.002).period, 20.754610, 1e-3);
}

TEST(WingNut, KeepsItsMomentumAsWellAsTheOrderOfTheRuleSays) {
  EXPECT_LT(flip_of(Integrator::rk4, 0.002).drift, 1e-10);
  const double coarse = flip_of(Integrator::trapezoid, 0.004).drift;
  const double fine = flip_of(Integrator::trapezoid, 0.002).drift;
  EXPECT_LT(coarse, 1e-5);
  EXPECT_NEAR(coarse / fine, 4.0, 0.4);
}

TEST_P(SecondOrder, HeavyTopPrecessesAtBothOfItsRates) {
  const struct {
    const char* keyframe;
    double rate;
  } cases[] = {{"slow", 2.63256}, {"fast", 35.8575}};
  for (const auto& [keyframe, rate] : cases) {
    Simulation simulation = free_scene("heavy_top", keyframe, GetParam(), 0.0001);
    const auto axis = [&] {
      const Eigen::Map<const Eigen::Quaterniond> quat(simulation.state().q.data());
      return Eigen::Vector3d(quat * Eigen::Vector3d::UnitZ());
    };
    double angle = 0.0;
    Eigen::Vector3d last = axis();
    while (simulation.state().time < 0.5 - 1e-9) {
      simulation.step();
      const Eigen::Vector3d now = axis();
      angle +=
          std::atan2(last.x() * now.y() - last.y() * now.x(), last.head<2>().dot(now.head<2>()));
      last = now;
    }
    EXPECT_NEAR(angle / 0.5, rate, 1e-3 * rate) << keyframe;
    EXPECT_NEAR(last.z(), std::cos(std::numbers::pi / 6.0), 1e-4) << keyframe;
  }
}

TEST_P(SecondOrder, PendulumFromLevelSwingsInItsPeriod) {
  Simulation simulation = free_scene("pendulum", "start", GetParam(), 0.001);
  RiseTimes rises;
  while (rises.all().size() < 2 && simulation.state().time < 6.0) {
    simulation.step();
    rises.add(simulation.state().time, simulation.state().q[0]);
  }
  ASSERT_EQ(rises.all().size(), 2U);
  EXPECT_NEAR(rises.all()[1] - rises.all()[0], 2.367842, 1e-4);
}

TEST(LoopScene, FourBarLinkageStaysClosedWhileItTurns) {
  Simulation simulation(load_scene("four_bar"));
  simulation.control()[0] = 0.02;
  double widest = 0.0;
  double turn = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const StepReport& report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    ASSERT_EQ(report.constraints.size(), 1U);
    const auto& bodies = simulation.workspace().dynamics().bodies;
    const Coupling& loop = simulation.model().couplings()[0];
    const BodyData<double>& rocker = bodies[static_cast<std::size_t>(loop.body_a)];
    const Eigen::Vector3d end =
        to_eigen(rocker.position) + to_eigen(rocker.rotation) * loop.pose_a.translation();
    widest = std::max(widest, (end - loop.pose_b.translation()).norm());
    turn = std::max(turn, std::abs(simulation.state().q[0]));
  }
  EXPECT_GT(turn, 1.0);
  // What links turn beyond their tangents in a step, of which a fifth is taken back: 1.2e-4 m.
  EXPECT_LT(widest, 2e-4);
}

TEST(ConveyorScene, ParcelIsDraggedUpToTheSpeedOfTheBelt) {
  Simulation simulation(load_scene("conveyor"));
  const Model& model = simulation.model();
  simulation.run(0.05);
  EXPECT_NEAR(linear_velocity(model, simulation.state(), "parcel").x(), 0.6 * gravity * 0.05, 1e-7);
  simulation.run(0.15);
  EXPECT_NEAR(linear_velocity(model, simulation.state(), "parcel").x(), 0.5, 1e-8);
  EXPECT_LT(angular_velocity(model, simulation.state(), "parcel").norm(), 1e-8);
}

Eigen::Vector3d momentum_of(const Simulation& simulation) {
  const Model& model = simulation.model();
  DynamicsData<double> data(model);
  update_kinematics(model, data, simulation.state().q, simulation.state().v);
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (int i = 0; i < model.body_count(); ++i) {
    const BodyData<double>& body = data.bodies[static_cast<std::size_t>(i)];
    const Eigen::Vector3d arm = to_eigen(body.rotation) * model.body_inertia(i).center_of_mass;
    sum += model.body_inertia(i).mass *
           (to_eigen(body.velocity.linear) + to_eigen(body.velocity.angular).cross(arm));
  }
  return sum;
}

/// Largest change of momentum while a ball hits a floating quadruped [N·s].
double momentum_change(double h) {
  Simulation simulation = scene_at(load_scene("anymal_momentum"), {}, "start");
  simulation.options().time_step = h;
  const Eigen::Vector3d before = momentum_of(simulation);
  EXPECT_NEAR(before.y(), -50.0, 1e-12);
  double worst = 0.0;
  bool touched = false;
  while (simulation.state().time < 0.5) {
    for (const StepContact& contact : simulation.step().contacts) {
      touched |= contact.impulse.z > 0.0;
    }
    worst = std::max(worst, (momentum_of(simulation) - before).norm());
  }
  EXPECT_TRUE(touched);
  return worst;
}

// Velocities jump at the positions before the step, and positions follow: of first order.
TEST(RobotScene, MomentumOfAFloatingQuadrupedHitByABallStaysAsTheStepGetsFiner) {
  const double coarse = momentum_change(0.001);
  EXPECT_LT(coarse, 50.0 * 1e-3);
  EXPECT_LT(momentum_change(0.00025), 0.3 * coarse);
}

TEST(RobotScene, EnergyOfAThrownQuadrupedStays) {
  Simulation simulation = scene_at(load_scene("anymal_energy"), {}, "start");
  simulation.options().balance = true;
  simulation.run(1.0);
  simulation.control().setZero();
  simulation.step();
  const auto energy = [&] {
    const StepBalance& balance = simulation.report().balance;
    return balance.kinetic_energy + balance.potential_energy;
  };
  const double before = energy();
  double sum = 0.0;
  for (int i = 0; i < 2000; ++i) {
    simulation.step();
    sum += (energy() - before) * (energy() - before);
  }
  EXPECT_LT(sum / 2000.0, 0.0118) << "the published error of RaiSim";
}

TEST(BodyScene, BallsRollOnABoxThatIsPushed) {
  Simulation simulation = scene_at(load_scene("rolling"), {}, "along_y");
  const double box = (150.0 - 0.4 * 35.0 * gravity) / (10.0 + 25.0 * 2.0 / 7.0);
  EXPECT_NEAR(box, 0.7385, 1e-4);
  simulation.run(0.3);
  const Model& model = simulation.model();
  EXPECT_NEAR(linear_velocity(model, simulation.state(), "box").y(), 0.3 * box, 1e-6);
  for (const char* ball : {"ball_0_0", "ball_2_3", "ball_4_4"}) {
    EXPECT_NEAR(linear_velocity(model, simulation.state(), ball).y(), 0.3 * 2.0 / 7.0 * box, 1e-6);
  }
}

TEST(BodyScene, ElasticBallsKeepTheirEnergy) {
  Simulation simulation(load_scene("bouncing"));
  simulation.options().balance = true;
  const double before = 49.0 * 10.0 * gravity * 5.0;
  double sum = 0.0;
  for (int i = 0; i < 3000; ++i) {
    const StepBalance& balance = simulation.step().balance;
    const double error = balance.kinetic_energy + balance.potential_energy - before;
    sum += error * error;
  }
  EXPECT_LT(sum / 3000.0, 0.0186) << "the published error of RaiSim";
}

}  // namespace
}  // namespace stiction::test
