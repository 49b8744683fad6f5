#ifdef STICTION_HAVE_DART

#include "bench/dart_skeleton.hpp"

#include <fmt/core.h>
#include <stdexcept>

namespace stiction::bench {

namespace {

using dart::dynamics::BodyNode;
using dart::dynamics::FreeJoint;
using dart::dynamics::PrismaticJoint;
using dart::dynamics::RevoluteJoint;

/// A joint with an axis.
template <class AxisJoint>
BodyNode* add_scalar(const Model& model, int body, dart::dynamics::Skeleton& skeleton,
                     BodyNode* parent, const BodyNode::Properties& named) {
  typename AxisJoint::Properties properties;
  properties.mName = model.joint(body).name;
  properties.mAxis = model.joint_axis(body);
  properties.mT_ParentBodyToJoint = model.joint_pose(body);
  return skeleton.createJointAndBodyNodePair<AxisJoint>(parent, properties, named).second;
}

}  // namespace

BodyNode* add_dart_body(const Model& model, int body, dart::dynamics::Skeleton& skeleton,
                        BodyNode* parent) {
  BodyNode* node = nullptr;
  const BodyNode::Properties named(BodyNode::AspectProperties(model.body_name(body)));
  switch (model.joint(body).kind) {
    case JointKind::floating:
      node = skeleton.createJointAndBodyNodePair<FreeJoint>(parent, {}, named).second;
      break;
    case JointKind::revolute:
    case JointKind::continuous:
      node = add_scalar<RevoluteJoint>(model, body, skeleton, parent, named);
      break;
    case JointKind::prismatic:
      node = add_scalar<PrismaticJoint>(model, body, skeleton, parent, named);
      break;
    default:
      throw std::runtime_error(
          fmt::format("joint '{}': the benchmark builds only revolute, prismatic and floating "
                      "joints for DART",
                      model.joint(body).name));
  }
  const BodyInertia& inertia = model.body_inertia(body);
  node->setInertia(dart::dynamics::Inertia(inertia.mass, inertia.center_of_mass, inertia.inertia));
  return node;
}

}  // namespace stiction::bench

#endif
