#include "bench/tail_scenes.hpp"

#include <cmath>
#include <fmt/core.h>

#include "bench/pile_stiction.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/core/random.hpp"
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

/// Rocks: hulls of 16 points each on ellipsoids with other axes, in layers in a tray.
Model hulls(int edge) {
  const PileScene cells = make_pile(PileKind::boxes, edge);
  Random random(3);
  std::string assets;
  std::string bodies;
  for (std::size_t i = 0; i < cells.poses.size(); ++i) {
    const Eigen::Vector3d axes(random.uniform(0.08, 0.12), random.uniform(0.06, 0.1),
                               random.uniform(0.05, 0.1));
    std::string points;
    for (int k = 0; k < 16; ++k) {
      const Eigen::Vector3d direction(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0),
                                      random.uniform(-1.0, 1.0));
      const Eigen::Vector3d point = direction.normalized().cwiseProduct(axes);
      points += fmt::format("{} {} {} ", point.x(), point.y(), point.z());
    }
    const Eigen::Vector3d at = cells.poses[i].translation();
    assets += fmt::format("<mesh name='rock{}' vertex='{}'/>", i, points);
    bodies += fmt::format(
        "<body pos='{} {} {}'><freejoint/><geom type='mesh' mesh='rock{}' mass='{}'/></body>",
        at.x(), at.y(), at.z(), i, pile_mass);
  }
  std::string walls;
  for (const PilePlane& plane : pile_planes(cells)) {
    const Eigen::Vector3d at = plane.offset * plane.normal;
    walls +=
        fmt::format("<geom type='plane' size='9 9 1' pos='{} {} {}' zaxis='{} {} {}'/>", at.x(),
                    at.y(), at.z(), plane.normal.x(), plane.normal.y(), plane.normal.z());
  }
  const std::string text = fmt::format(
      "<mujoco model='hulls'><option timestep='{}' gravity='0 0 {}'/><default><geom friction='{} 0 "
      "0' condim='3'/></default><asset>{}</asset><worldbody>{}{}</worldbody></mujoco>",
      pile_time_step, -pile_gravity, pile_friction, assets, walls, bodies);
  return load_model_text(text, "hulls").model;
}

/// Rings of eight capsules, each through its neighbours, that fall on the floor and on each other.
Model chain_mail(int edge) {
  constexpr double ring = 0.05;
  constexpr int sides = 8;
  std::string bodies;
  for (int i = 0; i < edge * edge; ++i) {
    const int column = i % edge;
    const int row = i / edge;
    // Neighbours lie in planes that cross.
    const bool tilted = (column + row) % 2 != 0;
    bodies += fmt::format("<body pos='{} {} 0.2' euler='{} {} 0'><freejoint/>", 0.07 * column,
                          0.07 * row, tilted ? 45 : -45, tilted ? -45 : 45);
    const auto corner = [](int k) {
      const double angle = 2.0 * 3.14159265358979 * k / sides;
      return Eigen::Vector2d(ring * std::cos(angle), ring * std::sin(angle));
    };
    for (int k = 0; k < sides; ++k) {
      const Eigen::Vector2d a = corner(k);
      const Eigen::Vector2d b = corner(k + 1);
      bodies +=
          fmt::format("<geom type='capsule' size='0.006' fromto='{} {} 0 {} {} 0' mass='0.002'/>",
                      a.x(), a.y(), b.x(), b.y());
    }
    bodies += "</body>";
  }
  const std::string text = fmt::format(
      "<mujoco model='chain_mail'><option timestep='{}' gravity='0 0 {}'/><default><geom "
      "friction='{} 0 0' condim='3'/></default><worldbody><geom type='plane' size='9 9 "
      "1'/>{}</worldbody></mujoco>",
      pile_time_step, -pile_gravity, pile_friction, bodies);
  return load_model_text(text, "chain_mail").model;
}

/// Loose boxes fall on the quadruped, whose motors hold its legs.
Model robot_in_boxes(int count) {
  std::string bodies;
  for (int i = 0; i < count; ++i) {
    bodies += fmt::format(
        "<body pos='{} {} {}' euler='{} {} 0'><freejoint/><geom type='box' size='0.05 0.05 0.05' "
        "mass='0.5' friction='0.5'/></body>",
        0.13 * (i % 10 - 4.5), 0.13 * (i / 10 % 10 - 4.5), 0.9 + 0.13 * (i / 100), 7 * (i % 5),
        11 * (i % 3));
  }
  const std::string text = fmt::format(
      "<mujoco model='robot_in_boxes'><option timestep='{}'/><include file='parts/anymal.xml'/>"
      "<worldbody><geom type='plane' size='9 9 1' friction='0.5'/>{}</worldbody></mujoco>",
      pile_time_step, bodies);
  return load_model_text(text, "robot_in_boxes", models_folder() / "scenes").model;
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

TailScene own_scene(std::string name, int steps, std::function<Model()> make, bool quick = true) {
  return {.name = std::move(name),
          .make = std::move(make),
          .steps = steps,
          .pile = std::nullopt,
          .quick = quick};
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
          file_scene("bolts", 500, false),
          own_scene(
              "chain mail", 300, [] { return chain_mail(4); }, false),
          own_scene(
              "robot in 200 boxes", 300, [] { return robot_in_boxes(200); }, false),
          own_scene("27 hulls", 1000, [] { return hulls(3); }),
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
