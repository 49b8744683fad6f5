#pragma once

/// \file
/// The parameters of a Model together with what the kernels read of them.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/model/body_constants.hpp"
#include "stiction/model/joint.hpp"
#include "stiction/model/model_parameters.hpp"

namespace stiction {

/// Parameters and what follows from them. Each update function brings up to date what follows from
/// one entry, and nothing else, so that a change costs as much as the numbers changed. Model alone
/// writes here.
class ModelNumbers {
 public:
  /// `bodies`: all but the inertias.
  ModelNumbers(std::vector<BodyConstants> bodies, std::span<const Joint> joints,
               ModelParameters parameters);

  ModelParameters parameters;
  std::vector<BodyConstants> constants;         ///< one per body
  Eigen::VectorXd spring_stiffness;             ///< one per velocity; 0 where a joint has no spring
  std::vector<int> friction_dofs;               ///< entries of v with Coulomb friction, ascending
  std::vector<char> falls_uniformly;            ///< one per body, see Model::falls_uniformly()
  std::vector<ContactMaterial> material_table;  ///< by pairs; empty if there are too many
  int passive_dofs = 0;                         ///< entries of v with a spring or a damper
  int bouncing_entries = 0;  ///< materials and pairs of materials with restitution
  int turning_entries = 0;   ///< the same with torsional or rolling friction

  void update_body(int body);
  void update_dof(int velocity, int body);
  void update_spring(const Joint& joint);
  void update_material(int material);

  [[nodiscard]] ContactMaterial material_between(int material_a, int material_b) const;

 private:
  void update_passive(int velocity);
  [[nodiscard]] ContactMaterial look_up(int material_a, int material_b) const;

  std::vector<char> is_passive_;  ///< one per velocity
  std::vector<char> bounces_;     ///< one per material
  std::vector<char> turns_;       ///< one per material
};

}  // namespace stiction
