#include "bench/pile_stiction.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <limits>
#include <stdexcept>

#include "stiction/sim/scene.hpp"

namespace stiction::bench {

Model pile_model(const PileScene& scene) {
  SceneBuilder builder("pile");
  builder.use_material(pile_friction);
  builder.set_gravity({0.0, 0.0, -pile_gravity});
  builder.set_time_step(pile_time_step);
  int planes = 0;
  for (const PilePlane& plane : pile_planes(scene)) {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translation() = plane.offset * plane.normal;
    pose.linear() = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), plane.normal)
                        .toRotationMatrix();
    builder.add_plane(fmt::format("plane{}", planes++), pose);
  }
  for (std::size_t i = 0; i < scene.poses.size(); ++i) {
    const std::string name = fmt::format("body{}", i);
    const double r = scene.radius;
    if (scene.kind == PileKind::spheres) {
      builder.add_sphere(name, r, pile_mass, scene.poses[i]);
    } else {
      builder.add_box(name, {r, r, r}, pile_mass, scene.poses[i]);
    }
  }
  return builder.build();
}

StepOptions pile_options() {
  StepOptions options;
  options.effort = Effort::fast;
  return options;
}

StictionPile::StictionPile(const PileScene& scene, StepOptions options)
    : simulation_(pile_model(scene), std::move(options)) {}

void StictionPile::step() {
  const StepReport& report = simulation_.step();
  if (report.status == StepStatus::refused || report.status == StepStatus::diverged) {
    throw std::runtime_error(fmt::format("a step of Stiction failed: {}", report.message));
  }
}

int StictionPile::contacts() const {
  return static_cast<int>(simulation_.report().contacts.size());
}

void StictionPile::read(std::vector<Eigen::Isometry3d>& poses) const {
  const Eigen::VectorXd& q = simulation_.state().q;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(7 * i);
    poses[i].translation() = q.segment<3>(at);
    poses[i].linear() =
        Eigen::Quaterniond(q[at + 6], q[at + 3], q[at + 4], q[at + 5]).toRotationMatrix();
  }
}

std::vector<PileEntry> stiction_piles() {
  constexpr std::array no_limit{std::numeric_limits<int>::max(), std::numeric_limits<int>::max()};
  return {{"Stiction", "", no_limit, [](const PileScene& scene) {
             return std::make_unique<StictionPile>(scene, pile_options());
           }}};
}

PileJudge::PileJudge(const PileScene& scene) : collider_(pile_model(scene)) {}

void PileJudge::look(const std::vector<Eigen::Isometry3d>& poses) {
  const std::span<const int> shapes = collider_.moving_shapes();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Placement& placement = collider_.placements()[static_cast<std::size_t>(shapes[i])];
    placement.position = from_eigen(Eigen::Vector3d(poses[i].translation()));
    placement.rotation = from_eigen(Eigen::Matrix3d(poses[i].linear()));
  }
  for (const CollisionPoint& point : collider_.find(0.0)) {
    if (point.gap >= 0.0) continue;
    sum_ -= point.gap;
    points_ += 1.0;
    deepest_ = std::max(deepest_, -point.gap);
  }
}

}  // namespace stiction::bench
