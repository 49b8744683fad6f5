#include "stiction/spatial/rotation.hpp"

namespace stiction {

Eigen::Vector3d log_rotation(const Eigen::Matrix3d& R) {
  Eigen::Quaterniond q(R);
  q.normalize();
  return to_eigen(log_quaternion(from_eigen(q)));
}

}  // namespace stiction
