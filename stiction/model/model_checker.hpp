#pragma once

/// \file
/// Finds everything that is wrong with a ModelBuilder. Private to stiction/model.

#include <Eigen/Geometry>
#include <string>
#include <vector>

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
  void warn_about_piece(int link, const Source& source);
  void check_bodies();
  void check_virtual_chain(int body, const Source& source);
  void check_shape(const Shape& shape, const Source& source, bool moves);
  void check_assets();
  void check_materials();
  void check_tendons();
  void check_path(const Tendon& tendon, const Source& source);
  void check_actuators();
  void check_keyframes();
  void check_references();
  bool check_pose(const Eigen::Isometry3d& pose, const Source& source, const char* what);
  [[nodiscard]] bool link_in_range(int link) const;
  [[nodiscard]] bool joint_in_range(int joint) const;

  [[nodiscard]] bool is_faulty(std::size_t body) const;

  /// Where one arrives who goes from a link to its parent, and on.
  enum class Ending { unknown, on_the_way, world, second_root, nowhere, loop };
  static constexpr int no_joint = -2;  ///< parent of a link that no joint holds
  [[nodiscard]] std::vector<Ending> endings() const;

  const ModelBuilder& builder_;
  LinkTree tree_;
  ProblemList problems_;
  std::vector<bool> faulty_links_;   ///< whose numbers are no good for further checks
  std::vector<bool> faulty_joints_;  ///< likewise
};

}  // namespace stiction
