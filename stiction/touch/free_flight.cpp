#include "stiction/touch/free_flight.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// A tree that travels less than this part of its size in a step finds few links too many: it is
/// left as it is.
constexpr double worthwhile = 0.01;
/// Of the speeds that cancel out, so that links which touch go on touching.
constexpr double rounding = 1e-6;

double norm_of(const Vector3<double>& a) { return std::sqrt(dot(a, a)); }

/// How a body moves beside another one, as if they were one body at the point.
Motion<double> motion_beside(const Motion<double>& a, const Vector3<double>& at_a,
                             const Motion<double>& b, const Vector3<double>& at_b,
                             const Vector3<double>& point) {
  return {a.angular - b.angular, cross_add(a.angular, point - at_a, a.linear) -
                                     cross_add(b.angular, point - at_b, b.linear)};
}

Motion<double> free_motion(const BodyData<double>& body, double h) {
  return {multiply_add(h, body.acceleration.angular, body.velocity.angular),
          multiply_add(h, body.acceleration.linear, body.velocity.linear)};
}

/// How far any point of a shape may travel beside the root of its tree within the step.
double reach_beside(const ShapeGeometry& shape, const Vector3<double>& center,
                    const BodyData<double>& body, const BodyData<double>& root, double h) {
  const Motion<double> before =
      motion_beside(body.velocity, body.position, root.velocity, root.position, center);
  const Motion<double> after = motion_beside(free_motion(body, h), body.position,
                                             free_motion(root, h), root.position, center);
  const double speed =
      std::sqrt(std::max(dot(before.linear, before.linear), dot(after.linear, after.linear)));
  const double turn =
      std::sqrt(std::max(dot(before.angular, before.angular), dot(after.angular, after.angular)));
  return h * (speed + shape.radius * turn);
}

/// Several bodies on a floating root which travel far in this step.
bool flies_fast(const SceneSnapshot& scene, const Tree& tree, double h) {
  if (tree.end - tree.root < 2) return false;
  const BodyConstants& root = scene.model.constants()[index(tree.root)];
  if (root.joint != JointKind::floating || root.kinematic) return false;
  const BodyData<double>& first = scene.dynamics.bodies[index(tree.root)];
  const double travel = h * norm_of(first.velocity.linear);
  if (travel == 0.0) return false;
  double size = 0.0;
  for (int i = tree.root; i < tree.end; ++i) {
    const Vector3<double> arm = scene.dynamics.bodies[index(i)].position - first.position;
    size = std::max(size, dot(arm, arm));
  }
  return travel > worthwhile * std::sqrt(size);
}

/// Whether a coupling or a tendon can pass on to the tree what happens elsewhere.
bool is_tied(const SceneSnapshot& scene, int tree) {
  const SceneLayout& layout = scene.layout;
  const auto ties = [&](const Coupling& coupling) {
    const int a = layout.tree_of(std::max(coupling.body_a, coupling.joint_a));
    const int b = layout.tree_of(std::max(coupling.body_b, coupling.joint_b));
    return a != b && (a == tree || b == tree);
  };
  const auto joins = [tree](const RowReach& reach) {
    return reach.trees.size() > 1 && std::ranges::find(reach.trees, tree) != reach.trees.end();
  };
  return std::ranges::any_of(scene.model.couplings(), ties) ||
         std::ranges::any_of(layout.tendons, joins) || std::ranges::any_of(layout.couplings, joins);
}

/// The largest margin of any shape or pair [m].
double largest_margin(const Model& model) {
  double largest = 0.0;
  for (const Shape& shape : model.shapes()) largest = std::max(largest, shape.margin);
  largest *= 2.0;  // those of both shapes add up
  for (const ContactPair& pair : model.contact_pairs()) largest = std::max(largest, pair.margin);
  return largest;
}

struct Ball {
  Vector3<double> center;
  double radius = 0.0;
};

/// About all points that shapes of the tree may come to in the step.
Ball ball_about(const SceneSnapshot& scene, int tree, Collider& collider) {
  Ball ball{scene.dynamics.bodies[index(scene.layout.trees[index(tree)].root)].position};
  for (const int i : collider.moving_shapes()) {
    if (scene.layout.shapes[index(i)].tree != tree) continue;
    const Vector3<double> arm = collider.placements()[index(i)].position - ball.center;
    ball.radius = std::max(ball.radius, norm_of(arm) + collider.geometries()[index(i)].radius +
                                            collider.reaches()[index(i)]);
  }
  return ball;
}

/// Whether no shape outside of the tree comes within `margin` of the ball in the step.
bool is_alone(const SceneSnapshot& scene, int tree, const Ball& ball, double margin,
              Collider& collider) {
  for (std::size_t i = 0; i < scene.layout.shapes.size(); ++i) {
    if (scene.layout.shapes[i].tree == tree) continue;
    const ShapeGeometry& geometry = collider.geometries()[i];
    const Placement& placement = collider.placements()[i];
    const Vector3<double> between = ball.center - placement.position;
    const double limit = ball.radius + collider.reaches()[i] + margin;
    const bool is_plane = geometry.kind == ShapeKind::plane;
    const double away = is_plane ? dot(placement.rotation.c2, between) : norm_of(between);
    if (!(away > (is_plane ? limit : limit + geometry.radius))) return false;
  }
  return true;
}

}  // namespace

void shorten_reaches_in_flight(const SceneSnapshot& scene, double h, double margin,
                               Collider& collider) {
  for (int tree = 0; tree < static_cast<int>(scene.layout.trees.size()); ++tree) {
    const Tree& bodies = scene.layout.trees[index(tree)];
    if (!flies_fast(scene, bodies, h) || is_tied(scene, tree)) continue;
    const Ball ball = ball_about(scene, tree, collider);
    if (!is_alone(scene, tree, ball, margin + largest_margin(scene.model), collider)) continue;
    const BodyData<double>& root = scene.dynamics.bodies[index(bodies.root)];
    for (const int i : collider.moving_shapes()) {
      const ShapeOffset& offset = scene.layout.shapes[index(i)];
      if (offset.tree != tree) continue;
      const double beside =
          reach_beside(collider.geometries()[index(i)], collider.placements()[index(i)].position,
                       scene.dynamics.bodies[index(offset.body)], root, h);
      double& reach = collider.reaches()[index(i)];
      reach = std::min(reach, beside + rounding * reach);
    }
  }
}

}  // namespace stiction
