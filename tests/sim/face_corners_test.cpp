// Two flat faces that meet in four points, and what must not be thinned out.

#include "stiction/touch/face_corners.hpp"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"
#include "support/terrains.hpp"

namespace stiction {
namespace {

CollisionPoint point_at(double x, double y, double gap = 0.0) {
  CollisionPoint point;
  point.shape_a = 0;
  point.shape_b = 1;
  point.point = {x, y, 0.0};
  point.normal = {0.0, 0.0, 1.0};
  point.gap = gap;
  return point;
}

/// The corners of a regular polygon of radius 1.
std::vector<CollisionPoint> polygon(int corners) {
  std::vector<CollisionPoint> points;
  for (int k = 0; k < corners; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / corners;
    points.push_back(point_at(std::cos(angle), std::sin(angle)));
    points.back().feature = static_cast<std::uint16_t>(k);
  }
  return points;
}

constexpr std::uint32_t all = ~std::uint32_t{0};

/// Area of the polygon of the points that are kept, which come in the order of their angles.
double kept_area(const std::vector<CollisionPoint>& points, std::uint32_t kept) {
  std::vector<Vector3<double>> corners;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if ((kept >> k & 1U) != 0) corners.push_back(points[k].point);
  }
  double area = 0.0;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Vector3<double>& a = corners[k];
    const Vector3<double>& b = corners[(k + 1) % corners.size()];
    area += 0.5 * (a.x * b.y - a.y * b.x);
  }
  return area;
}

TEST(FaceCorners, FourOfAPolygonSpanTheGreatestQuadrilateral) {
  const std::vector<CollisionPoint> octagon = polygon(8);
  const std::uint32_t kept = spanning_corners(octagon);
  EXPECT_EQ(std::popcount(kept), 4);
  EXPECT_NEAR(kept_area(octagon, kept), 2.0, 1e-12);  // the square in the unit circle
  const std::vector<CollisionPoint> hexagon = polygon(6);
  const std::uint32_t four = spanning_corners(hexagon);
  EXPECT_EQ(std::popcount(four), 4);
  EXPECT_NEAR(kept_area(hexagon, four), std::sqrt(3.0), 1e-12);
}

TEST(FaceCorners, PointsBetweenTheCornersOfARectangleGo) {
  std::vector<CollisionPoint> points;
  for (const double x : {0.0, 1.0, 2.0, 3.0}) {
    for (const double y : {0.0, 1.0}) points.push_back(point_at(x, y));
  }
  EXPECT_EQ(spanning_corners(points), 0b11000011U);
}

TEST(FaceCorners, AllAreKeptOfFourOfManyAndOfDifferentNormals) {
  for (const int count : {1, 2, 3, 4, 17, 32}) {
    const std::vector<CollisionPoint> points = polygon(count);
    EXPECT_EQ(spanning_corners(points), all) << count;
  }
  std::vector<CollisionPoint> bent = polygon(8);
  bent[3].normal = {0.0, 0.6, 0.8};
  EXPECT_EQ(spanning_corners(bent), all);
}

/// What touches must not be left out for what is further away.
TEST(FaceCorners, AllAreKeptOfFacesThatLeanOrOfSteps) {
  std::vector<CollisionPoint> leaning = polygon(8);
  for (CollisionPoint& point : leaning) point.gap = 0.01 * (1.0 + point.point.x);
  EXPECT_EQ(spanning_corners(leaning), all);
  std::vector<CollisionPoint> step;
  for (const double x : {0.0, 1.0}) {
    for (const double y : {0.0, 1.0}) step.push_back(point_at(x, y, 0.0));
  }
  for (const double y : {0.0, 1.0}) step.push_back(point_at(2.0, y, 0.01));
  EXPECT_EQ(spanning_corners(step), all);
}

TEST(FaceCorners, RoundingOfEqualsDoesNotChangeTheChoice) {
  const std::uint32_t kept = spanning_corners(polygon(8));
  for (std::size_t k = 0; k < 8; ++k) {
    std::vector<CollisionPoint> moved = polygon(8);
    moved[k].point = (1.0 + 1e-9) * moved[k].point;
    moved[k].gap = -1e-9;
    EXPECT_EQ(spanning_corners(moved), kept) << k;
  }
}

/// A box on another that is turned by 45 degrees, both free, on the floor.
Model crossed_boxes(double friction) {
  SceneBuilder scene("crossed boxes");
  scene.use_material(friction);
  scene.add_plane("floor");
  scene.add_box("low", {0.1, 0.1, 0.1}, 1.0, at(0, 0, 0.1));
  scene.add_box("high", {0.1, 0.1, 0.1}, 1.0,
                at({0, 0, 0.3}, 0.25 * std::numbers::pi, Eigen::Vector3d::UnitZ()));
  return scene.build();
}

StepOptions with_four_points(bool wanted = true) {
  StepOptions options{.time_step = 0.002};
  options.four_face_points = wanted;
  return options;
}

TEST(FaceCorners, AreOffUnlessWished) {
  EXPECT_FALSE(StepOptions{}.four_face_points);
  Simulation eight(crossed_boxes(0.5), with_four_points(false));
  Simulation four(crossed_boxes(0.5), with_four_points());
  EXPECT_EQ(eight.step().contacts.size(), 12U);
  EXPECT_EQ(four.step().contacts.size(), 8U);
}

TEST(FaceCorners, BoxesRestOnFourPoints) {
  const Model model = crossed_boxes(0.5);
  Simulation simulation(model, with_four_points());
  for (int k = 0; k < 500; ++k) {
    const StepReport& report = simulation.step();
    ASSERT_TRUE(report.ok()) << report.message;
    ASSERT_EQ(report.contacts.size(), 8U) << "step " << k;
  }
  // A second at the solver's tolerance of 1e-8, of speeds about g h = 0.02 m/s.
  EXPECT_LT((simulation.state().q - model.initial_state().q).lpNorm<Eigen::Infinity>(), 1e-9);
}

/// Both boxes together on a slope: the low one is held by four points at tan(angle) < mu, and both
/// slide on each other or on the ground beyond.
TEST(FaceCorners, StickBelowTheFrictionAngleAndSlipAbove) {
  constexpr double friction = 0.4;
  for (const double share : {0.98, 1.02}) {
    const double angle = std::atan(share * friction);
    ModelParameters parameters = crossed_boxes(friction).parameters();
    parameters.gravity << 9.81 * std::sin(angle), 0.0, -9.81 * std::cos(angle);
    const Model model = crossed_boxes(friction).with_parameters(parameters);
    Simulation simulation(model, with_four_points());
    for (int k = 0; k < 500; ++k)
      ASSERT_TRUE(simulation.step().ok()) << simulation.report().message;
    const double moved = simulation.state().q[0] - model.initial_state().q[0];
    if (share < 1.0) {
      EXPECT_LT(std::abs(moved), 1e-8);
    } else {
      // ½ g (sin - mu cos) t² of the pair as one, in one second; the rule is of first order in h.
      const double exact = 0.5 * 9.81 * (std::sin(angle) - friction * std::cos(angle));
      EXPECT_NEAR(moved, exact, 0.01 * exact);
    }
  }
}

/// A box that leans over another by so little that all eight points are within reach: by the rule
/// of velocities only those count that touch.
TEST(FaceCorners, PointsApartDoNotTakeThePlaceOfThoseThatTouch) {
  for (int turn = 0; turn < 8; ++turn) {
    const double direction = 0.25 * std::numbers::pi * (turn + 0.5);
    const Eigen::Vector3d axis(std::cos(direction), std::sin(direction), 0.0);
    std::size_t touching[2] = {};
    for (const bool four : {false, true}) {
      StepOptions options = with_four_points(four);
      options.gap_rule = GapRule::velocity;
      options.margin = 0.01;
      const Model model = crossed_boxes(0.5);
      Simulation simulation(model, options);
      const Eigen::Quaterniond lean(Eigen::AngleAxisd(5e-6, axis));
      State& state = simulation.state();
      const Eigen::Quaterniond own(state.q[13], state.q[10], state.q[11], state.q[12]);
      state.q.segment<4>(10) = (lean * own).normalized().coeffs();
      state.q[9] += 4e-7;  // the lowest corners are just inside, the others just outside
      for (const StepContact& contact : simulation.step().contacts) {
        if (contact.gap < 0.0 && contact.shape_b == 2) ++touching[four ? 1 : 0];
      }
    }
    EXPECT_GT(touching[0], 0U) << turn;
    EXPECT_EQ(touching[1], touching[0]) << turn;
  }
}

/// A long box over a field of plateaus: four points out of so many would leave its middle without
/// support.
TEST(FaceCorners, TerrainKeepsAllItsPoints) {
  SceneBuilder scene("plateaus");
  HeightField field = test::make_field(41, 41, 1.0, 1.0, [](double x, double y) {
    return std::cos(8.0 * std::numbers::pi * x) * std::cos(8.0 * std::numbers::pi * y) > 0.1
               ? 0.0
               : -0.05;
  });
  field.name = "plateaus";
  Shape ground;
  ground.kind = ShapeKind::height_field;
  ground.height_field = scene.builder().add_height_field(field);
  scene.add_fixed(ground);
  scene.add_box("plank", {0.6, 0.3, 0.05}, 1.0, at(0.01, 0.02, 0.0499));
  const Model model = scene.build();
  Simulation all_points(model, with_four_points(false));
  Simulation four_points(model, with_four_points());
  ASSERT_GT(all_points.step().contacts.size(), 16U);
  EXPECT_EQ(four_points.step().contacts.size(), all_points.report().contacts.size());
}

}  // namespace
}  // namespace stiction
