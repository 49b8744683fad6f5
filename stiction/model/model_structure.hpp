#pragma once

/// \file
/// The part of a Model that all copies share. Private to stiction/model.

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stiction/model/appearance.hpp"
#include "stiction/model/model.hpp"

namespace stiction {

struct Model::Structure {
  std::string name;
  double time_step = 0.001;
  int position_count = 0;
  int velocity_count = 0;
  int activation_count = 0;
  std::vector<Joint> joints;
  std::vector<std::string> body_names;
  std::vector<BodyConstants> bodies;  ///< all but the inertias, which belong to the parameters
  std::vector<DegreeOfFreedom> degrees_of_freedom;
  std::vector<Frame> frames;
  std::vector<Shape> shapes;
  std::vector<Mesh> meshes;
  std::vector<HeightField> height_fields;
  std::vector<Sensor> sensors;
  std::vector<Coupling> couplings;
  std::vector<GravityCompensation> gravity_compensation;
  Fluid fluid;
  std::vector<Tendon> tendons;
  std::vector<Keyframe> keyframes;
  std::vector<ContactPair> contact_pairs;
  std::set<std::pair<int, int>> excluded_bodies;  ///< smaller index first; -1 is the world
  std::set<std::pair<int, int>> excluded_links;   ///< the same for links of the builder
  std::vector<int> shape_links;                   ///< link of each shape, -1 is the world
  /// For each shape, the first link of what its robot is fixed to the world by; -1: by nothing.
  std::vector<int> shape_bases;
  Eigen::VectorXd initial_positions;
  std::shared_ptr<const Appearance> appearance;  ///< null: nothing but colors

  std::unordered_map<std::string, int> body_by_name;
  std::unordered_map<std::string, int> joint_by_name;
  std::unordered_map<std::string, int> frame_by_name;
  std::unordered_map<std::string, int> actuator_by_name;
  std::unordered_map<std::string, int> keyframe_by_name;
};

}  // namespace stiction
