// Which shapes touch, and how deep, in robots that others wrote: as MuJoCo 3.12.1 finds them in
// eleven states each (../shared/reference/mujoco3).

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stiction/collision/collider.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/io/load.hpp"
#include "stiction/io/mesh_file.hpp"
#include "stiction/sim/simulation.hpp"
#include "stiction/touch/scene_layout.hpp"
#include "tests/reference/reference_robot.hpp"

namespace stiction {
namespace {

/// How deep two shapes are in each other.
struct Depth {
  double gap = 0.0;  ///< of the deepest point [m]
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();
};
using Pair =
    std::pair<std::size_t, std::size_t>;  ///< numbers of shapes that collide, in file order
using Depths = std::map<Pair, Depth>;

class ReferenceCollision : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "absent") {
      GTEST_SKIP() << "the robots are not in " << STICTION_REFERENCE_DIR << "/mujoco3";
    }
    std::ifstream file(fs::path(STICTION_REFERENCE_DIR) / "mujoco3" / (GetParam() + ".json"));
    data_ = json::parse(file);
    if (data_.at("contacts_off_in_model")) GTEST_SKIP() << "the file switches contacts off";
    try {
      model_ = load_model(file_of_reference(GetParam())).model;
    } catch (const InputError& error) {
      GTEST_SKIP() << "is refused: " << error.what();
    }
    for (std::size_t i = 0; i < model_->shapes().size(); ++i) {
      if (model_->shapes()[i].collides) shapes_.push_back(i);
    }
    const json& geoms = data_.at("model").at("collision_geoms");
    ASSERT_EQ(shapes_.size(), geoms.size());
    for (std::size_t i = 0; i < geoms.size(); ++i) labels_[geoms[i].at("label")] = i;
  }

  /// MuJoCo's qpos in our order: quaternions end with w.
  [[nodiscard]] State state_of(const json& at) const {
    const auto qpos = at.at("qpos").get<std::vector<double>>();
    State state = model_->initial_state();
    std::size_t next = 0;
    for (const Joint& joint : model_->joints()) {
      if (joint.kinematic) continue;
      const int size = position_size(joint.kind);
      double* const own = state.q.data() + joint.position_index;
      std::copy_n(qpos.begin() + static_cast<std::ptrdiff_t>(next), size, own);
      if (size >= 4) std::rotate(own + size - 4, own + size - 3, own + size);
      next += static_cast<std::size_t>(size);
    }
    return state;
  }

  [[nodiscard]] const json& state_json(std::size_t k) const {
    const json& at = data_.at("collision")[k];
    return at.contains("qpos") ? at : data_.at("dynamics")[k];
  }

  [[nodiscard]] Depths theirs(std::size_t k) const {
    Depths depths;
    for (const json& pair : data_.at("collision")[k].at("pairs")) {
      const std::size_t a = labels_.at(pair.at("geom1"));
      const std::size_t b = labels_.at(pair.at("geom2"));
      const double sign = a < b ? 1.0 : -1.0;
      const json& n = pair.at("normal");
      depths[std::minmax(a, b)] = {pair.at("dist"), sign * Eigen::Vector3d(n[0], n[1], n[2])};
    }
    return depths;
  }

  /// All pairs whose gap is at most `margin`.
  [[nodiscard]] Depths ours(std::size_t k, Collider& collider, double margin) const {
    const State state = state_of(state_json(k));
    DynamicsData<double> dynamics(*model_);
    update_kinematics<double>(*model_, dynamics, as_span(state.q), as_span(state.v));
    const SceneLayout layout(*model_);
    for (const int shape : collider.moving_shapes()) {
      const auto i = static_cast<std::size_t>(shape);
      const ShapeOffset& offset = layout.shapes[i];
      place_shape(offset, dynamics.bodies[static_cast<std::size_t>(offset.body)],
                  collider.placements()[i]);
    }
    Depths depths;
    for (const CollisionPoint& point : collider.find(margin)) {
      if (point.gap > margin) continue;
      const Pair pair = std::minmax(number_of(point.shape_a), number_of(point.shape_b));
      const auto [at, is_new] = depths.try_emplace(pair, Depth{point.gap, to_eigen(point.normal)});
      if (!is_new && point.gap < at->second.gap) at->second = {point.gap, to_eigen(point.normal)};
    }
    return depths;
  }

  [[nodiscard]] std::size_t number_of(int shape) const {
    const auto at =
        std::lower_bound(shapes_.begin(), shapes_.end(), static_cast<std::size_t>(shape));
    return static_cast<std::size_t>(at - shapes_.begin());
  }
  [[nodiscard]] const Shape& shape(std::size_t number) const {
    return model_->shapes()[shapes_[number]];
  }
  /// How far the solid shapes of a pair are apart along a unit normal, from the first to the
  /// second: by the outermost points of both, with none of the program's own search.
  [[nodiscard]] double separation(const Pair& pair, const Eigen::Vector3d& normal,
                                  Collider& collider) const {
    return -outermost(pair.first, normal, collider) - outermost(pair.second, -normal, collider);
  }
  [[nodiscard]] double outermost(std::size_t number, const Eigen::Vector3d& direction,
                                 Collider& collider) const {
    const Shape& of = shape(number);
    const Placement& at = collider.placements()[shapes_[number]];
    const Eigen::Vector3d n = to_eigen(at.rotation).transpose() * direction;
    const double across = std::hypot(n.x(), n.y());
    double along = -std::numeric_limits<double>::infinity();
    switch (of.kind) {
      case ShapeKind::sphere:
        along = of.size.x();
        break;
      case ShapeKind::capsule:
        along = of.size.x() + of.size.y() * std::abs(n.z());
        break;
      case ShapeKind::cylinder:
        along = of.size.x() * across + of.size.y() * std::abs(n.z());
        break;
      case ShapeKind::box:
        along = of.size.dot(n.cwiseAbs());
        break;
      case ShapeKind::ellipsoid:
        along = of.size.cwiseProduct(n).norm();
        break;
      case ShapeKind::mesh:
        for (const Eigen::Vector3d& vertex :
             model_->meshes()[static_cast<std::size_t>(of.mesh)].vertices) {
          along = std::max(along, n.dot(vertex));
        }
        break;
      case ShapeKind::plane:  // of the world: its surface is the shape
        along = n.z() > 1.0 - 1e-9 ? 0.0 : std::numeric_limits<double>::infinity();
        break;
      case ShapeKind::height_field:
        break;
    }
    return along + direction.dot(to_eigen(at.position));
  }

  /// How far the hulls of a pair may stay inside their meshes: huge hulls are reduced [m].
  double reduction_error(const Pair& pair) {
    return reduction_error(pair.first) + reduction_error(pair.second);
  }
  double reduction_error(std::size_t number) {
    if (shape(number).kind != ShapeKind::mesh) return 0.0;
    const int mesh = shape(number).mesh;
    const auto [at, is_new] = reduction_errors_.try_emplace(mesh, 0.0);
    if (!is_new) return at->second;
    Mesh whole = model_->meshes()[static_cast<std::size_t>(mesh)];
    const std::size_t used = whole.hull_vertices.size();
    if (add_convex_hull(whole) && whole.hull_vertices.size() > used) {
      at->second = reduce_hull(whole).value_or(HullReduction{}).error;
    }
    return at->second;
  }

  /// Whether what is on terrain is pushed upwards.
  [[nodiscard]] bool pushes_up(const Pair& pair, const Depth& depth) const {
    const bool terrain_first = shape(pair.first).kind == ShapeKind::height_field;
    return (terrain_first ? depth.normal.z() : -depth.normal.z()) > 0.99;
  }
  [[nodiscard]] bool has_terrain(const Pair& pair) const {
    return shape(pair.first).kind == ShapeKind::height_field ||
           shape(pair.second).kind == ShapeKind::height_field;
  }
  [[nodiscard]] std::string describe(const Pair& pair) const {
    const json& geoms = data_.at("model").at("collision_geoms");
    return fmt::format("{} {} and {} {}", geoms[pair.first].at("type").get<std::string>(),
                       geoms[pair.first].at("label").get<std::string>(),
                       geoms[pair.second].at("type").get<std::string>(),
                       geoms[pair.second].at("label").get<std::string>());
  }

  json data_;
  std::optional<Model> model_;
  std::vector<std::size_t> shapes_;            ///< that collide: MuJoCo's collision_geoms
  std::map<int, double> reduction_errors_;     ///< by mesh
  std::map<std::string, std::size_t> labels_;  ///< into shapes_
};

TEST_P(ReferenceCollision, SeesTheShapesThatMujocoSees) {
  const std::map<std::string, std::string> kinds{{"hfield", "height field"}};
  const json& geoms = data_.at("model").at("collision_geoms");
  for (std::size_t i = 0; i < geoms.size(); ++i) {
    const std::string type = geoms[i].at("type");
    const auto other = kinds.find(type);
    EXPECT_EQ(to_string(shape(i).kind), other == kinds.end() ? type : other->second)
        << geoms[i].at("label");
    if (!shape(i).name.empty()) {
      EXPECT_EQ(shape(i).name, geoms[i].at("label"));
    }
  }
}

/// The depth of an overlap is the shortest push that parts the shapes. Where both engines differ by
/// more than 1e-6 m, the one that needs the shorter push is right, and that can be measured: no
/// point of the shapes may be left behind. These kinds of pairs differ:
///
/// - meshes: MuJoCo's search ends after some rounds, up to 1e-4 m from the shortest push;
/// - capsules in boxes, and deep boxes: MuJoCo's closed forms measure the depth at single points;
/// - height fields: MuJoCo's are columns, whose sides push as well. Ours are surfaces, which push
///   upwards only, so they are compared where MuJoCo pushes upwards.
TEST_P(ReferenceCollision, FindsTheSamePairsAsDeep) {
  Collider collider(*model_);
  int compared = 0;
  int better = 0;
  for (std::size_t k = 0; k < data_.at("collision").size(); ++k) {
    SCOPED_TRACE(fmt::format("state {}", k));
    const Depths expected = theirs(k);
    const Depths found = ours(k, collider, 0.0);
    for (const auto& [pair, depth] : expected) {
      SCOPED_TRACE(describe(pair));
      if (has_terrain(pair) && !pushes_up(pair, depth)) continue;
      const auto at = found.find(pair);
      ASSERT_NE(at, found.end()) << "overlap by " << -depth.gap << " in MuJoCo alone";
      ++compared;
      if (std::abs(at->second.gap - depth.gap) <= 1e-6) continue;
      ++better;
      // Both figures measured anew: ours is what it says, and no longer than MuJoCo's.
      const double own = separation(pair, at->second.normal, collider);
      const double other = separation(pair, depth.normal, collider);
      const double error = 1e-9 + reduction_error(pair);
      EXPECT_NEAR(own, at->second.gap, error) << "MuJoCo: " << depth.gap;
      EXPECT_GE(own, other - error) << "MuJoCo: " << depth.gap;
    }
    for (const auto& [pair, depth] : found) {
      if (has_terrain(pair)) continue;
      EXPECT_TRUE(expected.contains(pair))
          << describe(pair) << " overlap by " << -depth.gap << " here alone";
    }
  }
  RecordProperty("compared", compared);
  RecordProperty("shorter_push_than_mujoco", better);
}

/// What stands in rules.json under a name; empty where the file is absent.
json rule(const std::string& name) {
  std::ifstream file(fs::path(STICTION_REFERENCE_DIR) / "mujoco3" / "rules.json");
  if (!file) return {};
  const json all = json::parse(file);
  for (const json& one : all.at("rules")) {
    if (one.at("name") == name) return one;
  }
  return {};
}

/// Height of each shape of the rule above its middle [m].
double half_height(const std::string& shape) {
  const std::map<std::string, double> heights{{"plane", 0.0},
                                              {"sphere_r1", 1.0},
                                              {"sphere", 0.1},
                                              {"capsule_upright", 0.3},
                                              {"capsule_lying", 0.1},
                                              {"ellipsoid", 0.15},
                                              {"cylinder_upright", 0.2},
                                              {"cylinder_lying", 0.1},
                                              {"box", 0.1},
                                              {"mesh_cube", 0.1}};
  return heights.at(shape);
}

/// Each simple shape, 1 mm deep in each other one.
TEST(ReferenceCollisionRule, SimpleShapesOverlapAsDeepAsInMujoco) {
  const json scene = rule("contact_points");
  if (scene.empty()) GTEST_SKIP() << "the measured rules are not there";
  for (const json& one : scene.at("cases")) {
    const std::string base = one.at("base");
    const std::string moving = one.at("moving");
    SCOPED_TRACE(moving + " on " + base);
    // The cylinder of the world is lower than the one that moves.
    const double top = base == "cylinder_upright" ? 0.1 : half_height(base);
    const std::string text = fmt::format(
        "<mujoco><asset><mesh name='c' vertex='-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1 "
        "-.1 -.1 .1 .1 -.1 .1 -.1 .1 .1 .1 .1 .1'/></asset><worldbody><geom {}/><body pos='0 0 {}'>"
        "<freejoint/><geom {}/></body></worldbody></mujoco>",
        scene.at("bases").at(base).get<std::string>(), top + half_height(moving) - 0.001,
        scene.at("shapes").at(moving).get<std::string>());
    Simulation simulation(load_model_text(text, "rule.xml").model);
    const StepReport& report = simulation.evaluate();
    ASSERT_FALSE(report.contacts.empty());
    const auto deepest = std::ranges::min_element(report.contacts, {}, &StepContact::gap);
    // MuJoCo's search for curved shapes ends at 1e-6; its meshes are in single precision.
    EXPECT_NEAR(deepest->gap, one.at("min_dist").get<double>(), 1e-6);
    EXPECT_NEAR(deepest->gap, -0.001, 1e-9);
    EXPECT_NEAR(deepest->axes.c2.z, 1.0, 1e-9);
  }
}

/// Contacts act from the sum of both margins on. What MuJoCo lists beyond, within the sum of the
/// gaps, exerts no force there and is no contact here.
TEST(ReferenceCollisionRule, MarginsAddUp) {
  const json scene = rule("margin_gap");
  if (scene.empty()) GTEST_SKIP() << "the measured rules are not there";
  for (const json& one : scene.at("cases")) {
    SCOPED_TRACE(one.at("z").get<double>());
    std::string text = scene.at("mjcf");
    text.replace(text.find('%'), 1, fmt::format("{}", one.at("z").get<double>()));
    Simulation simulation(load_model_text(text, "rule.xml").model);
    const StepReport& report = simulation.evaluate();
    const bool acts = one.at("ncon") == 1 && one.at("exclude") == 0;
    ASSERT_EQ(report.contacts.size(), acts ? 1U : 0U);
    if (acts) {
      EXPECT_NEAR(report.contacts[0].gap, one.at("dist").get<double>(), 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Mujoco3, ReferenceCollision, ::testing::ValuesIn(names_of_references()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace stiction
