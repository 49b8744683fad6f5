#pragma once

/// \file
/// Finds everything that is wrong with a ModelBuilder. Private to stiction/model.

#include <Eigen/Geometry>
#include <string>

#include "stiction/model/link_tree.hpp"
#include "stiction/model/model_builder.hpp"

namespace stiction {

class ModelChecker {
 public:
  explicit ModelChecker(const ModelBuilder& builder);
  ProblemList run();

 private:
  void check_scene();
  void check_names();
  void check_links();
  void check_joints();
  void check_joint_numbers(const JointSpec& joint, const Source& source);
  void check_tree();
  void check_bodies();
  void check_virtual_chain(int body, const Source& source);
  void check_shape(const Shape& shape, const Source& source, bool moves);
  void check_assets();
  void check_materials();
  void check_actuators();
  void check_keyframes();
  void check_references();
  bool check_pose(const Eigen::Isometry3d& pose, const Source& source, const char* what);
  [[nodiscard]] bool link_in_range(int link) const;
  [[nodiscard]] bool joint_in_range(int joint) const;

  const ModelBuilder& builder_;
  LinkTree tree_;
  ProblemList problems_;
};

}  // namespace stiction
