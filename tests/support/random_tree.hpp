#pragma once

/// \file
/// Robots as recipes, from which our Model and each partner's own model are made alike: random
/// trees with all kinds of joints, and recipes of loaded robots.

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "stiction/core/random.hpp"
#include "stiction/model/model.hpp"
#include "stiction/model/model_builder.hpp"

namespace stiction::test {

/// One link and the joint that carries it.
struct LinkRecipe {
  std::string name;
  std::string joint_name;   ///< empty: the link's with `_joint` behind it
  int parent = world_body;  ///< index of the parent link
  JointKind joint = JointKind::revolute;
  bool kinematic = false;                                              ///< floating only
  Eigen::Vector3d position = Eigen::Vector3d::Zero();                  ///< link in parent at q = 0
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();        ///< link in parent at q = 0
  Eigen::Vector3d joint_point = Eigen::Vector3d::Zero();               ///< joint in the link frame
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();                     ///< in link axes
  double armature = 0.0;                                               ///< of each velocity
  double mass = 1.0;                                                   ///< [kg]
  Eigen::Vector3d center_of_mass = Eigen::Vector3d::Zero();            ///< in the link frame
  Eigen::Vector3d principal_moments = Eigen::Vector3d::Ones();         ///< about that centre
  Eigen::Quaterniond principal_axes = Eigen::Quaterniond::Identity();  ///< in the link frame
};

struct RobotRecipe {
  std::string name = "robot";
  Eigen::Vector3d gravity{0.0, 0.0, -9.81};
  std::vector<LinkRecipe> links;
};

/// What a random tree may hold.
struct TreeOptions {
  int largest = 40;        ///< number of links
  bool armature = true;    ///< DART has none
  bool kinematic = false;  ///< floating roots with prescribed motion
};

std::string joint_name(const LinkRecipe& link);

Eigen::Vector3d random_vector(Random& random, double size);

Eigen::Quaterniond random_rotation(Random& random);

/// A coordinate axis, a negative one, or any direction.
Eigen::Vector3d random_axis(Random& random);

JointKind random_joint(Random& random, bool root);

/// Mass and inertia of a box of matter: moments always keep the triangle inequality.
void set_random_inertia(Random& random, LinkRecipe& link);

/// A forest of 1 to `largest` links: bushy or long, with several roots, fixed links among moving
/// ones, joints that sit away from the link's origin.
RobotRecipe random_tree(Random& random, const TreeOptions& options = {});

Eigen::Isometry3d pose_of(const Eigen::Vector3d& position, const Eigen::Quaterniond& rotation);

/// Our own model of a recipe.
ModelBuilder make_builder(const RobotRecipe& robot);

Model make_model(const RobotRecipe& robot);

/// The recipe of a model's bodies and joints, with their names: for partners that cannot read the
/// model's file.
RobotRecipe recipe_of(const Model& model);

/// Any position: angles in (-pi, pi), distances of about a metre, any orientation.
Eigen::VectorXd random_positions(Random& random, const Model& model);

/// Numbers of mean 0 and deviation `size`: velocities, joint forces.
Eigen::VectorXd random_entries(Random& random, int count, double size = 1.0);

/// Largest difference, relative to the largest entry of `expected` in the whole array. Where all
/// of `expected` is zero, the difference itself.
template <class A, class B>
double relative_error(const A& actual, const B& expected) {
  if (expected.size() == 0) return 0.0;
  const double size = expected.cwiseAbs().maxCoeff();
  const double error = (actual - expected).cwiseAbs().maxCoeff();
  return size > 0.0 ? error / size : error;
}

}  // namespace stiction::test
