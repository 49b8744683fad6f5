#pragma once

/// \file
/// How the joint forces of springs at the end of a step change with positions and velocities.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stiction/compliant/end_springs.hpp"

namespace stiction {

/// Adds ∂/∂q and ∂/∂v of −Σ Jᵀ f to two matrices of velocity_count rows and columns; changes of q
/// as in dynamics/derivatives.hpp. Points and axes of contacts move with the bodies: exact where a
/// sphere, a capsule or a corner meets a plane or a face, and where spheres meet. Elsewhere the
/// normal is taken as fixed to one of both bodies, which leaves out terms of the size f/R next to
/// K. Keeps its memory.
class SpringDerivatives {
 public:
  void add(const SceneSnapshot& scene, const ViscoelasticOptions& options,
           std::span<const ShapeGeometry> geometries, double time_step,
           std::span<const Candidate> contacts, std::span<const EndSpring> ends,
           Eigen::MatrixXd& by_q, Eigen::MatrixXd& by_v);

 private:
  /// What a unit of one entry of q or v does at a contact.
  struct Column {
    Eigen::Index entry = 0;
    bool moves_a = false;
    bool moves_b = false;
    Vector3<double> turn;     ///< of the bodies that it moves
    Vector3<double> apart;    ///< relative motion of both bodies at the contact: a column of J
    Vector3<double> ahead_a;  ///< motion of the contact ahead of the point of body a at it
    Vector3<double> ahead_b;
    Vector3<double> force_by_q;
    Vector3<double> force_by_v;
  };
  friend class ColumnFinder;

  std::vector<Column> columns_;  ///< of one contact
};

}  // namespace stiction
