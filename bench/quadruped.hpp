#pragma once

/// \file
/// ANYmal driven to random joint angles, and the pieces of a time step that contact problems are
/// made from.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stiction/core/random.hpp"
#include "stiction/dynamics/delassus.hpp"
#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/model/model.hpp"

namespace stiction::bench {

/// A ball that is fixed to a frame; a corner has no radius.
struct Ball {
  int body = 0;
  int frame = 0;
  Eigen::Vector3d centre;  ///< in the frame [m]
  double radius = 0.0;     ///< [m]
};

/// The robot, its state, and its PD controller. A step is: advance_velocity, then for contacts
/// delassus and apply_impulses, then advance_position.
class Quadruped {
 public:
  /// Floating; at most `contact_capacity` contacts.
  explicit Quadruped(int contact_capacity);

  struct State {
    std::vector<double> q, v;       ///< in the order of the model; the base first
    std::vector<double> reference;  ///< joint angles asked for [rad], at the places of q
  };
  State state;

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] double base_height() const { return state.q[2]; }

  /// At rest just above the ground in the nominal posture; the reference stays.
  void stand();
  /// The nominal angles, each with a normal deviation [rad].
  void choose_reference(Random& random, double deviation);

  /// v += h v̇ by gravity, the controller and inertia, without contacts. Then velocities of points
  /// may be asked for.
  void advance_velocity(double h);
  /// q ⊕ h v
  void advance_position(double h);

  /// A ball on the frame of that name.
  [[nodiscard]] Ball ball(const std::string& frame, const Eigen::Vector3d& centre,
                          double radius) const;
  /// Centre of a ball in the world.
  [[nodiscard]] Eigen::Vector3d centre_of(const Ball& ball) const;
  /// Velocity of the body's point that is at `point` (world).
  [[nodiscard]] Vector3<double> velocity_at(int body, const Vector3<double>& point) const;

  /// G of the contacts, row by row; needs advance_velocity().
  void delassus(std::span<const ContactPoint<double>> contacts, std::span<double> G);
  /// v += M⁻¹Jᵀλ for the contacts of the last delassus().
  void apply_impulses(std::span<const Vector3<double>> impulses);

 private:
  void control();

  Model model_;
  DynamicsData<double> data_;
  DelassusKernel<double> kernel_;
  std::vector<double> tau_, dv_, columns_;
  struct LegJoint {
    std::size_t position, velocity;  ///< where it stands in q and v
    double nominal;                  ///< [rad]
  };
  std::vector<LegJoint> legs_;
};

/// The four feet: LF, RF, LH, RH.
std::vector<Ball> feet_of(const Quadruped& robot);

}  // namespace stiction::bench
