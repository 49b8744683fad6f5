#include "stiction/dynamics/tangent.hpp"

#include "stiction/dynamics/spans.hpp"
#include "stiction/spatial/rotation.hpp"
#include "stiction/spatial/rotation_jacobian.hpp"

namespace stiction {

namespace {

/// The identity (times `sign`), but for the blocks of quaternions, which `block` gives from the
/// rotation vector. The turn of a floating base is on the left of its quaternion, that of a
/// spherical joint on the right; a turn on the right is one on the left seen in reverse, so its
/// block is the transpose.
template <class Block>
void fill(const Model& model, const Eigen::VectorXd& v, double sign, Block block,
          Eigen::MatrixXd& result) {
  require_size(v, model.velocity_count(), "v");
  result.setZero(v.size(), v.size());
  result.diagonal().setConstant(sign);
  for (const BodyConstants& body : model.constants()) {
    if (body.joint == JointKind::spherical) {
      const Eigen::Index first = body.velocity_index;
      result.block<3, 3>(first, first) = sign * block(v.segment<3>(first)).transpose();
    } else if (body.joint == JointKind::floating) {
      const Eigen::Index first = body.velocity_index + 3;
      result.block<3, 3>(first, first) = sign * block(v.segment<3>(first));
    }
  }
}

}  // namespace

void integrate_by_q(const Model& model, const Eigen::VectorXd& v, Eigen::MatrixXd& result) {
  const auto turn = [](const Eigen::Vector3d& r) { return to_eigen(exp_rotation(from_eigen(r))); };
  fill(model, v, 1.0, turn, result);
}

void integrate_by_v(const Model& model, const Eigen::VectorXd& v, Eigen::MatrixXd& result) {
  fill(model, v, 1.0, left_jacobian, result);
}

void difference_by_end(const Model& model, const Eigen::VectorXd& v, Eigen::MatrixXd& result) {
  fill(model, v, 1.0, left_jacobian_inverse, result);
}

void difference_by_start(const Model& model, const Eigen::VectorXd& v, Eigen::MatrixXd& result) {
  const auto right_inverse = [](const Eigen::Vector3d& r) -> Eigen::Matrix3d {
    return left_jacobian_inverse(r).transpose();
  };
  fill(model, v, -1.0, right_inverse, result);
}

}  // namespace stiction
