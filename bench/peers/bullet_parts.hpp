#pragma once

/// \file
/// Between Eigen and Bullet, and which bodies meet. Only for files that have Bullet.

#include <btBulletDynamicsCommon.h>
#include <vector>

#include "stiction/model/model.hpp"

namespace stiction::bench {

inline btVector3 to_bullet(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
inline btTransform to_bullet(const Eigen::Isometry3d& pose) {
  const Eigen::Quaterniond q(pose.rotation());
  return btTransform(btQuaternion(q.x(), q.y(), q.z(), q.w()),
                     to_bullet(Eigen::Vector3d(pose.translation())));
}
inline Eigen::Vector3d from_bullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
inline Eigen::Isometry3d from_bullet(const btTransform& from) {
  const btQuaternion q = from.getRotation();
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.linear() = Eigen::Quaterniond(q.w(), q.x(), q.y(), q.z()).toRotationMatrix();
  pose.translation() = from_bullet(from.getOrigin());
  return pose;
}

/// Lets through the pairs of bodies of which any shapes may touch. Index 0 is the world.
class BulletPairFilter : public btOverlapFilterCallback {
 public:
  explicit BulletPairFilter(const Model& model)
      : bodies_(static_cast<std::size_t>(model.body_count())) {
    allowed_.resize((bodies_ + 1) * (bodies_ + 1), 0);
    const int shapes = static_cast<int>(model.shapes().size());
    for (int a = 0; a < shapes; ++a) {
      for (int b = a + 1; b < shapes; ++b) {
        if (!model.may_collide(a, b)) continue;
        const int body_a = model.shapes()[static_cast<std::size_t>(a)].body;
        const int body_b = model.shapes()[static_cast<std::size_t>(b)].body;
        allowed_[entry(body_a, body_b)] = allowed_[entry(body_b, body_a)] = 1;
      }
    }
  }
  bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
    return allowed_[entry(body_of(a), body_of(b))] != 0;
  }

 private:
  static int body_of(const btBroadphaseProxy* proxy) {
    return static_cast<const btCollisionObject*>(proxy->m_clientObject)->getUserIndex();
  }
  [[nodiscard]] std::size_t entry(int a, int b) const {
    return static_cast<std::size_t>(a + 1) * (bodies_ + 1) + static_cast<std::size_t>(b + 1);
  }
  std::size_t bodies_;
  std::vector<char> allowed_;
};

}  // namespace stiction::bench
