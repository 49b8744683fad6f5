#include "bench/pile_engine.hpp"
#include "stiction/core/random.hpp"

namespace stiction::bench {

std::string_view to_string(PileKind kind) {
  return kind == PileKind::spheres ? "spheres" : "boxes";
}

double PileScene::inertia() const {
  const double squared = radius * radius;
  return kind == PileKind::spheres ? 0.4 * pile_mass * squared : pile_mass * squared / 1.5;
}

PileScene make_pile(PileKind kind, int edge) {
  constexpr std::uint64_t seed = 1;
  Random random(seed);
  PileScene scene;
  scene.kind = kind;
  const bool boxes = kind == PileKind::boxes;
  const double spacing = (boxes ? 2.8 : 2.1) * scene.radius;
  const double jitter = (boxes ? 0.2 : 0.04) * scene.radius;
  const double tilt = boxes ? 0.6 : 0.0;  // [rad]
  scene.wall = 0.5 * edge * spacing + 0.3 * scene.radius;
  for (int i = 0; i < edge * edge * edge; ++i) {
    const Eigen::Vector3d cell(i % edge - 0.5 * (edge - 1), i / edge % edge - 0.5 * (edge - 1),
                               i / (edge * edge) + 0.5);
    const Eigen::Vector3d shift(random.uniform(-1, 1), random.uniform(-1, 1),
                                random.uniform(-1, 1));
    const Eigen::Vector3d axis(random.normal(), random.normal(), random.normal());
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translation() = spacing * cell + jitter * shift;
    pose.linear() =
        Eigen::AngleAxisd(tilt * random.uniform(-1, 1), axis.normalized()).toRotationMatrix();
    scene.poses.push_back(pose);
  }
  return scene;
}

std::vector<PilePlane> pile_planes(const PileScene& scene) {
  return {{Eigen::Vector3d::UnitZ(), 0.0},
          {Eigen::Vector3d::UnitX(), -scene.wall},
          {-Eigen::Vector3d::UnitX(), -scene.wall},
          {Eigen::Vector3d::UnitY(), -scene.wall},
          {-Eigen::Vector3d::UnitY(), -scene.wall}};
}

}  // namespace stiction::bench
