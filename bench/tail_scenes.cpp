#include "bench/tail_scenes.hpp"

#include <fmt/core.h>

#include "bench/pile_stiction.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"

namespace stiction::bench {

namespace {

constexpr double radius = 0.1;

Eigen::Isometry3d at(double x, double y, double z) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() << x, y, z;
  return pose;
}

SceneBuilder ground(const std::string& name) {
  SceneBuilder builder(name);
  builder.use_material(pile_friction);
  builder.set_gravity({0.0, 0.0, -pile_gravity});
  builder.set_time_step(pile_time_step);
  builder.add_plane("ground");
  return builder;
}

/// Cubes, a little out of place, that fall onto each other.
Model stack(int count) {
  SceneBuilder builder = ground("stack");
  for (int i = 0; i < count; ++i) {
    const double shift = i % 2 == 0 ? 0.002 : -0.003;
    builder.add_box(fmt::format("box{}", i), {radius, radius, radius}, pile_mass,
                    at(shift, -shift, 0.101 + 0.201 * i));
  }
  return builder.build();
}

/// Tiles in a row; the first one is tilted and falls against the second.
Model dominoes(int count) {
  SceneBuilder builder = ground("dominoes");
  for (int i = 0; i < count; ++i) {
    Eigen::Isometry3d pose = at(0.06 * i, 0.0, 0.1);
    if (i == 0) {
      pose.linear() = Eigen::AngleAxisd(0.2, Eigen::Vector3d::UnitY()).toRotationMatrix();
      pose.translation().x() = -0.005;
      pose.translation().z() = 0.1 + 0.0005;
    }
    builder.add_box(fmt::format("tile{}", i), {0.01, 0.05, 0.1}, 0.1, pose);
  }
  return builder.build();
}

/// Capsules with any directions, in layers in a tray.
Model capsules(int edge) {
  const PileScene cells = make_pile(PileKind::boxes, edge);
  SceneBuilder builder = ground("capsules");
  int planes = 0;
  for (const PilePlane& plane : pile_planes(cells)) {
    if (planes++ == 0) continue;  // the floor is there
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translation() = plane.offset * plane.normal;
    pose.linear() = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), plane.normal)
                        .toRotationMatrix();
    builder.add_plane(fmt::format("wall{}", planes), pose);
  }
  for (std::size_t i = 0; i < cells.poses.size(); ++i) {
    builder.add_capsule(fmt::format("capsule{}", i), 0.06, 0.06, pile_mass, cells.poses[i]);
  }
  return builder.build();
}

/// A chain of capsules on ball joints that falls on the floor along its length.
Model rope(int links) {
  std::string text = fmt::format(
      "<mujoco model='rope'><option timestep='{}' gravity='0 0 {}'/><default><geom "
      "friction='{} 0 0' condim='3'/></default><worldbody><geom type='plane' size='9 9 1'/>",
      pile_time_step, -pile_gravity, pile_friction);
  for (int i = 0; i < links; ++i) {
    text += fmt::format(
        "<body pos='{}'>{}<geom type='capsule' size='0.02' fromto='0 0 0 0.1 0 0' mass='0.05'/>",
        i == 0 ? "0 0 0.3" : "0.1 0 0",
        i == 0 ? "<freejoint/>" : "<joint type='ball' damping='1e-4'/>");
  }
  for (int i = 0; i < links; ++i) text += "</body>";
  return load_model_text(text + "</worldbody></mujoco>", "rope").model;
}

TailScene pile_scene(PileKind kind, int edge, int steps, bool quick) {
  const PileScene pile = make_pile(kind, edge);
  return {.name = fmt::format("{} {}", pile.poses.size(), to_string(kind)),
          .make = [pile] { return pile_model(pile); },
          .steps = steps,
          .pile = pile,
          .quick = quick};
}

TailScene file_scene(const std::string& name, int steps, bool quick) {
  return {.name = name,
          .make = [name] { return load_model(models_folder() / "scenes" / (name + ".xml")).model; },
          .steps = steps,
          .pile = std::nullopt,
          .quick = quick};
}

TailScene own_scene(std::string name, int steps, std::function<Model()> make) {
  return {.name = std::move(name), .make = std::move(make), .steps = steps, .pile = std::nullopt};
}

}  // namespace

std::vector<TailScene> tail_scenes() {
  return {own_scene("stack of 10", 1000, [] { return stack(10); }),
          own_scene("stack of 20", 1000, [] { return stack(20); }),
          own_scene("20 dominoes", 1000, [] { return dominoes(20); }),
          own_scene("rope of 30", 1000, [] { return rope(30); }),
          file_scene("mass_ratio_stack", 1000, true),
          file_scene("quadruped_boxes", 1000, true),
          file_scene("quadruped_stand", 1000, true),
          file_scene("balls_666", 500, false),
          file_scene("kapla", 300, false),
          own_scene("27 capsules", 1000, [] { return capsules(3); }),
          pile_scene(PileKind::spheres, 3, 1000, true),
          pile_scene(PileKind::boxes, 3, 1000, true),
          pile_scene(PileKind::stacks, 3, 1000, true),
          pile_scene(PileKind::spheres, 5, 1000, false),
          pile_scene(PileKind::boxes, 5, 1000, false),
          pile_scene(PileKind::spheres, 10, 1000, false),
          pile_scene(PileKind::boxes, 10, 1000, false)};
}

}  // namespace stiction::bench
