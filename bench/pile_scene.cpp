#include "bench/pile_engine.hpp"
#include "stiction/core/random.hpp"

namespace stiction::bench {

std::string_view to_string(PileKind kind) {
  constexpr std::array names{"spheres", "boxes", "stacks"};
  return names[static_cast<std::size_t>(kind)];
}

double PileScene::inertia() const {
  const double squared = radius * radius;
  return has_boxes() ? pile_mass * squared / 1.5 : 0.4 * pile_mass * squared;
}

PileScene make_pile(PileKind kind, int edge) {
  constexpr std::uint64_t seed = 1;
  Random random(seed);
  PileScene scene;
  scene.kind = kind;
  // Spacing, shift [radii] and tilt [rad] by kind.
  struct Start {
    double spacing, shift, tilt;
  };
  constexpr std::array starts{Start{2.1, 0.04, 0.0}, Start{2.8, 0.2, 0.6}, Start{2.4, 0.02, 0.1}};
  const Start& start = starts[static_cast<std::size_t>(kind)];
  const double spacing = start.spacing * scene.radius;
  const double jitter = start.shift * scene.radius;
  const double tilt = start.tilt;
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
