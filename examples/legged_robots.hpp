#pragma once

/// \file
/// The legged robots of the control examples, each on a floor and in a pose to start from.

#include <cmath>
#include <string>
#include <vector>

#include "stiction/control/inverse_dynamics.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/io/xml.hpp"
#include "stiction/sim/simulation.hpp"

struct LeggedRobot {
  stiction::Model model;
  stiction::State start;
  std::vector<stiction::ContactSpec> feet;
  stiction::InverseDynamicsOptions options;
};

/// A robot of a URDF file in the folder of models, floating above an endless plane at z = 0.
inline stiction::Model load_above_floor(const std::string& file) {
  const std::filesystem::path path = stiction::models_folder() / file;
  stiction::ModelBuilder builder;
  stiction::ProblemList problems;
  stiction::LoadOptions options;
  options.base = stiction::BaseKind::floating;
  stiction::add_urdf(builder, stiction::XmlFile(path), path.parent_path(), options, problems);
  stiction::Shape floor;
  floor.kind = stiction::ShapeKind::plane;
  builder.add_world_shape(floor);
  return builder.build();
}

inline void set_joint(const stiction::Model& model, stiction::State& state, const std::string& name,
                      double angle) {
  state.q[model.joint(model.find_joint(name).value()).position_index] = angle;
}

/// Solo12 with bent legs. Its motors give 2.7 N·m at the joints; the file's limits are
/// placeholders.
inline LeggedRobot solo12() {
  LeggedRobot robot{load_above_floor("solo12.urdf"), {}, {}, {}};
  robot.start = robot.model.initial_state();
  for (const std::string leg : {"FL", "FR", "HL", "HR"}) {
    set_joint(robot.model, robot.start, leg + "_HFE", -0.8);
    set_joint(robot.model, robot.start, leg + "_KFE", 1.6);
    robot.feet.push_back(stiction::ContactSpec::ball(leg + "_FOOT", 0.016));
  }
  robot.options.torque_limits = Eigen::VectorXd::Constant(robot.model.velocity_count(), 2.7);
  stiction::put_on_floor(robot.model, robot.feet, robot.start);
  return robot;
}

/// Romeo with bent knees and hanging arms. The feet are 0: left, 1: right. The torque limits are
/// those of the file.
inline LeggedRobot romeo() {
  LeggedRobot robot{load_above_floor("romeo.urdf"), {}, {}, {}};
  robot.start = robot.model.initial_state();
  for (const std::string side : {"L", "R"}) {
    set_joint(robot.model, robot.start, side + "HipPitch", -0.35);
    set_joint(robot.model, robot.start, side + "KneePitch", 0.7);
    set_joint(robot.model, robot.start, side + "AnklePitch", -0.35);
    set_joint(robot.model, robot.start, side + "ShoulderPitch", 1.5);
    set_joint(robot.model, robot.start, side + "ElbowYaw", side == "L" ? -0.4 : 0.4);
  }
  for (const std::string foot : {"l_ankle", "r_ankle"}) {
    robot.feet.push_back(stiction::ContactSpec::rectangle(foot, -0.05, 0.10, 0.05, -0.07));
  }
  stiction::put_on_floor(robot.model, robot.feet, robot.start);
  return robot;
}
