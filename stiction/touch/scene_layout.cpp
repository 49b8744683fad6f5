#include "stiction/touch/scene_layout.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

void find_trees(const Model& model, SceneLayout& layout) {
  layout.tree_of_body.resize(index(model.body_count()));
  for (int i = 0; i < model.body_count(); ++i) {
    const BodyConstants& body = model.constants()[index(i)];
    if (body.parent < 0) {
      const BodyConstants& last = model.constants()[index(body.subtree_end - 1)];
      Tree tree{.root = i,
                .end = body.subtree_end,
                .velocity_first = body.velocity_index,
                .velocity_end = last.velocity_index + last.velocity_count};
      tree.single = body.joint == JointKind::floating && !body.kinematic && tree.end == i + 1;
      layout.has_single_bodies = layout.has_single_bodies || tree.single;
      layout.trees.push_back(tree);
    }
    if (body.kinematic) layout.prescribed.push_back(body.velocity_index);
    layout.tree_of_body[index(i)] = body.kinematic ? -1 : static_cast<int>(layout.trees.size()) - 1;
  }
}

void find_joints(const Model& model, SceneLayout& layout) {
  for (const Joint& joint : model.joints()) {
    const bool spherical = joint.kind == JointKind::spherical;
    if (spherical || joint.kind == JointKind::floating) layout.quaternions.push_back(joint.body);
    const bool limited =
        std::isfinite(joint.limits.upper) || (!spherical && std::isfinite(joint.limits.lower));
    const bool slow = std::isfinite(joint.limits.velocity) && joint.limits.velocity > 0.0;
    if ((limited && spherical) || ((limited || slow) && velocity_size(joint.kind) == 1)) {
      layout.limited_joints.push_back(joint.body);
    }
  }
}

void find_shapes(const Model& model, SceneLayout& layout) {
  for (const Shape& shape : model.shapes()) {
    const Eigen::Matrix3d rotation = shape.pose.linear();
    const bool runs = !shape.surface_velocity.isZero(0.0);
    ShapeOffset& offset = layout.shapes.emplace_back();
    offset.rotation = from_eigen(rotation);
    offset.position = from_eigen(Eigen::Vector3d(shape.pose.translation()));
    offset.surface_velocity = from_eigen(shape.surface_velocity);
    offset.body = shape.body;
    offset.tree = layout.tree_of(shape.body);
    offset.material = shape.material;
    if (offset.tree >= 0) {
      const int root = layout.trees[index(offset.tree)].root;
      offset.floats = model.constants()[index(root)].joint == JointKind::floating;
    }
    offset.axes_unused = shape.kind == ShapeKind::sphere && !runs;
    offset.turned = rotation != Eigen::Matrix3d::Identity();
    offset.shifted = !shape.pose.translation().isZero(0.0);
    layout.has_conveyors |= runs;
  }
  layout.pairs_have_friction = !model.contact_pairs().empty();
  layout.pairs_turn = std::ranges::any_of(model.contact_pairs(), [](const ContactPair& pair) {
    return pair.spin_friction > 0.0 || pair.roll_friction > 0.0;
  });
}

RowReach reach_of(const Model& model, const SceneLayout& layout, std::span<const int> tendons) {
  std::set<int, std::greater<>> bodies;
  std::set<int> trees;
  for (const int tendon : tendons) {
    if (tendon < 0) continue;
    for (const int body : bodies_moved_by(model, model.tendons()[index(tendon)])) {
      bodies.insert(body);
      trees.insert(layout.tree_of(body));
    }
  }
  return {{bodies.begin(), bodies.end()}, {trees.begin(), trees.end()}};
}

void find_tendon_rows(const Model& model, SceneLayout& layout) {
  if (model.tendons().empty()) return;
  for (int i = 0; i < static_cast<int>(model.tendons().size()); ++i) {
    layout.tendons.push_back(reach_of(model, layout, std::array{i}));
  }
  for (const Coupling& coupling : model.couplings()) {
    layout.couplings.push_back(
        reach_of(model, layout, std::array{coupling.tendon_a, coupling.tendon_b}));
  }
}

}  // namespace

SceneLayout::SceneLayout(const Model& model) {
  find_trees(model, *this);
  find_joints(model, *this);
  find_shapes(model, *this);
  find_tendon_rows(model, *this);
}

}  // namespace stiction
