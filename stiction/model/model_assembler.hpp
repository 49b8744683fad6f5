#pragma once

/// \file
/// Turns a checked ModelBuilder into a Model. Private to stiction/model.

#include <vector>

#include "stiction/model/link_tree.hpp"
#include "stiction/model/model_builder.hpp"
#include "stiction/model/model_structure.hpp"

namespace stiction {

class ModelAssembler {
 public:
  explicit ModelAssembler(const ModelBuilder& builder);
  Model run();

  /// For robot_shapes.cpp.
  static const Model::Structure& structure_of(const Model& model);
  static Model with_structure(std::shared_ptr<const Model::Structure> structure,
                              const Model& model);

 private:
  void add_bodies();
  void add_body(int body);
  void add_degrees_of_freedom(int body);
  void add_frames();
  void add_shapes();
  void add_shape_bases();
  void add_actuators_and_sensors();
  void add_sensor(int position);
  [[nodiscard]] int shape_index(const std::pair<int, int>& shape) const;
  void add_couplings();
  void add_keyframes();
  void add_fluid();
  void add_collision_rules();
  void add_names();
  [[nodiscard]] int body_of_link(int link) const;
  [[nodiscard]] Eigen::Isometry3d pose_of_link(int link) const;
  [[nodiscard]] Shape placed(const Shape& shape, int link) const;

  const ModelBuilder& builder_;
  LinkTree tree_;
  std::shared_ptr<Model::Structure> structure_;
  ModelParameters parameters_;
  std::vector<int> body_of_joint_;  ///< per JointSpec; -1 for fixed ones
  std::vector<int> frame_of_spec_;  ///< per FrameSpec
  std::vector<int> first_shape_;    ///< per link: index of its first shape
};

}  // namespace stiction
