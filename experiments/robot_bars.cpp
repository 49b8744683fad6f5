#include "experiments/robot_bars.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/core.h>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "bench/step_drive.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

#ifdef STICTION_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif

namespace stiction::experiments {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double ball_mass = 10.0, ball_radius = 0.2, ball_speed = 5.0, ball_distance = 5.0;

constexpr std::array legs{"LF", "RF", "LH", "RH"};
constexpr std::array parts{"_HAA", "_HFE", "_KFE"};
constexpr double nominal[4][3] = {
    {0.03, 0.4, -0.8}, {-0.03, 0.4, -0.8}, {0.03, -0.4, 0.8}, {-0.03, -0.4, 0.8}};

/// The robot of the benchmark, floating, and the ball if wished: one text for both engines.
std::string robot_text(bool with_ball) {
  std::ifstream file(models_folder() / "beth.urdf");
  std::stringstream text;
  text << file.rdbuf();
  std::string urdf = text.str();
  std::string more =
      "<link name=\"world\"/><joint name=\"root\" type=\"floating\"><parent link=\"world\"/>"
      "<child link=\"base\"/></joint>\n";
  if (with_ball) {
    const double inertia = 0.4 * ball_mass * ball_radius * ball_radius;
    more += fmt::format(
        "<link name=\"ball\"><inertial><mass value=\"{}\"/><inertia ixx=\"{}\" iyy=\"{}\" "
        "izz=\"{}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><collision><geometry><sphere "
        "radius=\"{}\"/></geometry></collision></link><joint name=\"flight\" type=\"floating\">"
        "<parent link=\"world\"/><child link=\"ball\"/><origin xyz=\"0 {} 0\"/></joint>\n",
        ball_mass, inertia, inertia, inertia, ball_radius, -ball_distance);
  }
  const std::size_t end = urdf.rfind("</robot>");
  if (end == std::string::npos) throw std::runtime_error("cannot read models/beth.urdf");
  return urdf.insert(end, more);
}

/// The robot and perhaps the ball in one engine.
class RobotWorld {
 public:
  virtual ~RobotWorld() = default;
  virtual void step(double lift) = 0;  ///< with a force upwards on the torso [N]
  virtual Eigen::Vector3d momentum() = 0;
  virtual double energy() = 0;
  virtual double weight() = 0;  ///< of the robot, at g 9.81 [N]
};

class StictionRobot : public RobotWorld {
 public:
  StictionRobot(bool with_ball, double time_step, Integrator integrator)
      : simulation_(make_model(with_ball), make_options(time_step, integrator)),
        data_(simulation_.model()) {
    const Model& model = simulation_.model();
    State& state = simulation_.state();
    for (std::size_t leg = 0; leg < legs.size(); ++leg) {
      for (std::size_t part = 0; part < parts.size(); ++part) {
        const int joint = *model.find_joint(std::string(legs[leg]) + parts[part]);
        state.q[model.joint(joint).position_index] = nominal[leg][part];
      }
    }
    if (with_ball) {
      state.v[model.joint(*model.find_joint("flight")).velocity_index + 1] = ball_speed;
    }
  }

  void step(double lift) override {
    if (lift != 0.0) {
      ExternalForce force;
      force.body = *simulation_.model().find_body("base");
      force.force.z() = lift;
      force.point = simulation_.model().body_inertia(force.body).center_of_mass;
      simulation_.push(force);
    }
    if (!simulation_.step().ok()) ++not_certified_;
  }

  Eigen::Vector3d momentum() override {
    update();
    return to_eigen(centroidal_state(simulation_.model(), data_).linear_momentum);
  }

  double energy() override {
    update();
    const State& state = simulation_.state();
    return kinetic_energy<double>(simulation_.model(), data_, as_span(state.v)) +
           potential_energy<double>(simulation_.model(), data_, as_span(state.q));
  }

  double weight() override { return gravity * simulation_.model().total_mass(); }

 private:
  static Model make_model(bool with_ball) {
    Model model = load_model_text(robot_text(with_ball), "beth.urdf", models_folder()).model;
    ModelParameters parameters = model.parameters();
    if (with_ball) parameters.gravity.setZero();
    return model.with_parameters(parameters);
  }
  static StepOptions make_options(double time_step, Integrator integrator) {
    StepOptions options;
    options.time_step = time_step;
    options.integrator = integrator;
    options.push_out_fraction = 0.0;
    return options;
  }
  void update() {
    const State& state = simulation_.state();
    update_kinematics(simulation_.model(), data_, state.q, state.v);
  }

  Simulation simulation_;
  DynamicsData<double> data_;
  int not_certified_ = 0;
};

#ifdef STICTION_HAVE_MUJOCO

struct DeleteModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct DeleteData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

class MujocoRobot : public RobotWorld {
 public:
  MujocoRobot(bool with_ball, double time_step, mjtIntegrator integrator) {
    const std::string text = robot_text(with_ball);
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "robot.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[files->nfile - 1], text.data(), text.size());
    char error[500] = "";
    model_.reset(mj_loadXML("robot.xml", files.get(), error, sizeof(error)));
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(fmt::format("MuJoCo cannot read the robot: {}", error));
    model_->opt.timestep = time_step;
    model_->opt.integrator = integrator;
    model_->opt.enableflags |= mjENBL_ENERGY;
    if (with_ball) std::fill_n(model_->opt.gravity, 3, 0.0);
    data_.reset(mj_makeData(model_.get()));
    for (std::size_t leg = 0; leg < legs.size(); ++leg) {
      for (std::size_t part = 0; part < parts.size(); ++part) {
        const std::string name = std::string(legs[leg]) + parts[part];
        data_->qpos[model_->jnt_qposadr[id(mjOBJ_JOINT, name)]] = nominal[leg][part];
      }
    }
    if (with_ball) {
      data_->qvel[model_->jnt_dofadr[model_->body_jntadr[id(mjOBJ_BODY, "ball")]] + 1] = ball_speed;
    }
  }

  void step(double lift) override {
    data_->xfrc_applied[6 * id(mjOBJ_BODY, "base") + 2] = lift;
    mj_step(model_.get(), data_.get());
  }

  Eigen::Vector3d momentum() override {
    update();
    mj_subtreeVel(model_.get(), data_.get());
    return model_->body_subtreemass[0] * Eigen::Map<const Eigen::Vector3d>(data_->subtree_linvel);
  }

  double energy() override {
    update();
    mj_energyPos(model_.get(), data_.get());
    mj_energyVel(model_.get(), data_.get());
    return data_->energy[0] + data_->energy[1];
  }

  double weight() override { return gravity * model_->body_subtreemass[0]; }

 private:
  [[nodiscard]] int id(mjtObj kind, const std::string& name) const {
    const int found = mj_name2id(model_.get(), kind, name.c_str());
    if (found < 0) throw std::runtime_error(fmt::format("MuJoCo has no '{}'", name));
    return found;
  }
  void update() {
    mj_kinematics(model_.get(), data_.get());
    mj_comPos(model_.get(), data_.get());
    mj_crb(model_.get(), data_.get());
    mj_comVel(model_.get(), data_.get());
  }

  std::unique_ptr<mjModel, DeleteModel> model_;
  std::unique_ptr<mjData, DeleteData> data_;
};

#endif

std::unique_ptr<RobotWorld> make_robot(RobotEngine engine, bool with_ball, double time_step) {
  switch (engine) {
    case RobotEngine::stiction:
      return std::make_unique<StictionRobot>(with_ball, time_step, Integrator::trapezoid);
    case RobotEngine::stiction_rk4:
      return std::make_unique<StictionRobot>(with_ball, time_step, Integrator::rk4);
#ifdef STICTION_HAVE_MUJOCO
    case RobotEngine::mujoco:
      return std::make_unique<MujocoRobot>(with_ball, time_step, mjINT_EULER);
    case RobotEngine::mujoco_rk4:
      return std::make_unique<MujocoRobot>(with_ball, time_step, mjINT_RK4);
#endif
    default:
      return nullptr;
  }
}

/// Steps for so long and adds up what `error` finds.
template <class Error>
BarResult run(RobotWorld& world, double time_step, double seconds, const RunLimits& limits,
              Error error) {
  BarResult result;
  result.measured = true;
  const double simulated = std::min(seconds, limits.simulated);
  result.finished = simulated >= seconds;
  const auto steps = std::llround(simulated / time_step);
  for (; result.steps < steps; ++result.steps) {
    const Clock::time_point before = Clock::now();
    world.step(0.0);
    result.step_seconds +=
        std::chrono::duration<double>(Clock::now() - before).count() / static_cast<double>(steps);
    result.value += error() / static_cast<double>(steps);
  }
  return result;
}

}  // namespace

BarResult momentum_error(RobotEngine engine, double time_step, const RunLimits& limits) {
  const auto world = make_robot(engine, true, time_step);
  if (!world) return {};
  const Eigen::Vector3d at_first = world->momentum();
  return run(*world, time_step, 10.0, limits,
             [&] { return (world->momentum() - at_first).squaredNorm(); });
}

BarResult energy_error(RobotEngine engine, double time_step, const RunLimits& limits) {
  const auto world = make_robot(engine, false, time_step);
  if (!world) return {};
  const double lift = 2.0 * world->weight();
  for (auto k = std::llround(1.0 / time_step); k > 0; --k) world->step(lift);
  const double at_first = world->energy();
  return run(*world, time_step, 2.0, limits, [&] {
    const double error = world->energy() - at_first;
    return error * error;
  });
}

std::vector<StandingSpeed> standing_speeds() {
  constexpr int rounds = 5, steps = 2000;
  bench::StepRobot robot = bench::load_step_robot();
  robot.time_step = 0.005;
  const bench::StepCase rules{.name = "PD", .stiffness = 40.0, .damping = 1.0};
  struct Runner {
    std::string engine;
    std::unique_ptr<bench::StepEngine> world;
    std::unique_ptr<bench::StepDriver> driver;
    double best = 1e9;
  };
  std::vector<Runner> runners;
  for (const auto& list : {bench::stiction_entries(), bench::mujoco_entries(),
                           bench::bullet_entries(), bench::ode_entries()}) {
    for (const bench::StepEntry& entry : list) {
      if (!entry.ranked) continue;
      Runner runner{entry.engine, entry.make(robot, entry.index), nullptr};
      runner.driver = std::make_unique<bench::StepDriver>(*runner.world, rules, robot);
      runner.driver->run(steps);
      runners.push_back(std::move(runner));
    }
  }
  std::map<std::string, double> best;
  for (int round = 0; round < rounds; ++round) {
    for (Runner& runner : runners) {
      const Clock::time_point before = Clock::now();
      runner.driver->run(steps);
      const double taken = std::chrono::duration<double>(Clock::now() - before).count();
      double& rate = best[runner.engine];
      rate = std::max(rate, steps / taken);
    }
  }
  std::vector<StandingSpeed> result;
  for (const auto& [engine, rate] : best) result.push_back({engine, rate});
  return result;
}

}  // namespace stiction::experiments
