// Rough ground: a height field made in code, balls that roll into its hollows, and a height scan
// like that of a walking robot.

#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "stiction/collision/collider.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace {

/// Hills of 10 cm every metre.
double hills(double x, double y) {
  return 0.05 * (2.0 - std::cos(6.2832 * x) - std::cos(6.2832 * y));
}

stiction::HeightField make_field() {
  stiction::HeightField field{.name = "hills", .rows = 81, .columns = 81, .half_size = {2.0, 2.0}};
  field.base = 0.1;
  for (int row = 0; row < field.rows; ++row) {
    for (int column = 0; column < field.columns; ++column) {
      field.heights.push_back(hills(-2.0 + 0.05 * column, -2.0 + 0.05 * row));
    }
  }
  return field;
}

}  // namespace

int main() try {
  stiction::SceneBuilder scene("hills");
  scene.use_material(0.8);
  stiction::Shape ground;
  ground.name = "ground";
  ground.kind = stiction::ShapeKind::height_field;
  ground.height_field = scene.builder().add_height_field(make_field());
  scene.add_fixed(ground);
  const double radius = 0.08;
  for (int i = 0; i < 4; ++i) {
    scene.add_sphere("ball" + std::to_string(i), radius, 0.5,
                     stiction::at(-1.3 + 0.85 * i, 0.1 * i, 0.5));
  }
  stiction::Simulation simulation(scene.build());
  simulation.run(1.0);

  // Height of the ground at a row of points along x.
  const std::vector<Eigen::Vector2d> offsets{{-0.5, 0.0}, {-0.25, 0.0}, {0.0, 0.0}, {0.25, 0.0}};
  std::vector<double> heights(offsets.size());
  height_scan(simulation.workspace().collider(), {0.0, -1.0, 0.0}, 0.0, offsets, 2.0, 5.0,
              stiction::world_body - 1, heights);
  bool right = true;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const double truth = hills(offsets[i].x(), -1.0);
    std::printf("ground at x = %+.2f: %.4f m (%.4f)\n", offsets[i].x(), heights[i], truth);
    right &= std::abs(heights[i] - truth) < 5e-3;
  }

  for (int i = 0; i < 4; ++i) {
    const auto p = simulation.state().q.segment<3>(simulation.model().joint(i).position_index);
    const double clearance = p.z() - radius - hills(p.x(), p.y());
    std::printf("ball %d at (%+.3f, %+.3f), %+.1f mm above the ground\n", i, p.x(), p.y(),
                1e3 * clearance);
    right &= std::abs(clearance) < 0.02;
  }
  std::printf("deepest overlap %.1e m\n", simulation.counts().deepest_overlap);
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
