#include "stiction/touch/start_overlaps.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "stiction/collision/collider.hpp"
#include "stiction/core/index.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/model/robot_shapes.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

namespace {

/// Whether any robot has more than one part. Heaps of single bodies need no search.
bool has_robots(const Model& model) {
  return std::ranges::any_of(model.constants(), [](const BodyConstants& body) {
    return body.parent >= 0 || body.joint != JointKind::floating;
  });
}

/// Moving bodies between a shape's and the world.
int depth_in_tree(const Model& model, int shape) {
  int depth = 0;
  for (int body = model.shapes()[index(shape)].body; body >= 0; body = model.parent(body)) ++depth;
  return depth;
}

double tolerance_of(const Collider& collider, const CollisionPoint& point) {
  constexpr double share = 0.05;
  const double radius = std::min(collider.geometries()[index(point.shape_a)].radius,
                                 collider.geometries()[index(point.shape_b)].radius);
  return radius > 0.0 ? std::min(start_overlap_tolerance, share * radius) : start_overlap_tolerance;
}

bool counts(const Model& model, const Collider& collider, const CollisionPoint& point) {
  if (!(-point.gap > tolerance_of(collider, point))) return false;
  if (!are_of_one_robot(model, point.shape_a, point.shape_b)) return false;
  const int depth_a = depth_in_tree(model, point.shape_a);
  const int depth_b = depth_in_tree(model, point.shape_b);
  if (std::min(depth_a, depth_b) == 0 && std::max(depth_a, depth_b) > 2) return false;
  const auto pair = std::minmax(point.shape_a, point.shape_b);
  return std::ranges::none_of(model.contact_pairs(), [&](const ContactPair& named) {
    return std::minmax(named.shape_a, named.shape_b) == pair;
  });
}

void place_shapes(const Model& model, const State& state, Collider& collider) {
  const SceneLayout layout(model);
  DynamicsData<double> data(model);
  update_kinematics(model, data, state.q, state.v);
  for (const int i : collider.moving_shapes()) {
    const ShapeOffset& offset = layout.shapes[index(i)];
    place_shape(offset, data.bodies[index(offset.body)], collider.placements()[index(i)]);
    collider.reaches()[index(i)] = 0.0;
  }
}

}  // namespace

std::vector<StartOverlap> find_start_overlaps(const Model& model, const State& state) {
  if (!has_robots(model)) return {};
  Collider collider(model);
  place_shapes(model, state, collider);
  std::map<std::pair<std::string_view, std::string_view>, StartOverlap> deepest;
  for (const CollisionPoint& point : collider.find(0.0)) {
    if (!counts(model, collider, point)) continue;
    const auto links =
        std::minmax({link_of_shape(model, point.shape_a), link_of_shape(model, point.shape_b)});
    StartOverlap& overlap = deepest[{links.first, links.second}];
    if (-point.gap > overlap.depth) overlap = {point.shape_a, point.shape_b, -point.gap};
  }
  std::vector<StartOverlap> result;
  for (const auto& [links, overlap] : deepest) result.push_back(overlap);
  std::ranges::stable_sort(result, std::ranges::greater{}, &StartOverlap::depth);
  return result;
}

StartOverlap find_deepest_in_world(const Model& model, const State& state, int first_body,
                                   int end_body) {
  Collider collider(model);
  place_shapes(model, state, collider);
  const auto body_of = [&](int shape) { return model.shapes()[index(shape)].body; };
  const auto is_of_robot = [&](int body) { return body >= first_body && body < end_body; };
  StartOverlap deepest;
  for (const CollisionPoint& point : collider.find(0.0)) {
    const int a = body_of(point.shape_a);
    const int b = body_of(point.shape_b);
    const bool of_world =
        (a == world_body && is_of_robot(b)) || (b == world_body && is_of_robot(a));
    if (!of_world || !(-point.gap > deepest.depth)) continue;
    deepest = {point.shape_a, point.shape_b, -point.gap};
    if (b == world_body) std::swap(deepest.shape_a, deepest.shape_b);
  }
  return deepest;
}

Model without_overlaps(const Model& model, const std::vector<StartOverlap>& overlaps) {
  std::vector<std::pair<int, int>> pairs;
  for (const StartOverlap& overlap : overlaps) pairs.emplace_back(overlap.shape_a, overlap.shape_b);
  return without_contacts(model, pairs);
}

}  // namespace stiction
