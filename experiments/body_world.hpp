#pragma once

/// \file
/// Balls and boxes on a floor, the same scene in every engine.

#include <Eigen/Geometry>
#include <memory>
#include <string>
#include <vector>

#include "stiction/sim/options.hpp"
#include "stiction/sim/step_report.hpp"

namespace stiction::experiments {

/// A homogeneous ball or box, at rest and not turned at first.
struct BodySpec {
  enum class Kind { ball, box } kind = Kind::ball;
  Eigen::Vector3d half_size = Eigen::Vector3d::Zero();  ///< ball: (radius, -, -) [m]
  double mass = 1.0;                                    ///< [kg]
  Eigen::Vector3d position = Eigen::Vector3d::Zero();   ///< [m]
  double friction = 0.0;                                ///< the larger one counts where two meet
  double restitution = 0.0;                             ///< likewise

  [[nodiscard]] double radius() const { return half_size.x(); }
  /// About its centre, own axes [kg·m²].
  [[nodiscard]] Eigen::Vector3d inertia() const;
};

struct BodyScene {
  std::string name;
  std::vector<BodySpec> bodies;
  double floor_friction = 0.0;  ///< the floor is at z = 0
  double floor_restitution = 0.0;
  double time_step = 0.001;  ///< [s]
  int iterations = 0;  ///< of the solvers that iterate a fixed number of times; 0: their default
};

constexpr double gravity = 9.81;  ///< [m/s²], downwards

/// Where a body is and how fast.
struct BodyMotion {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< of the centre
  Eigen::Quaterniond attitude = Eigen::Quaterniond::Identity();
  Eigen::Vector3d spin = Eigen::Vector3d::Zero();  ///< world
};

/// What our own steps report, added up.
struct OwnCounts {
  long long steps = 0;
  long long not_certified = 0;
  double iterations = 0.0;  ///< sum
  double contacts = 0.0;    ///< sum
  double worst_residual = 0.0;
};

/// A scene in an engine.
class BodyWorld {
 public:
  virtual ~BodyWorld() = default;
  /// One step, with a force on the centre of the first body [N].
  virtual void step(const Eigen::Vector3d& push = Eigen::Vector3d::Zero()) = 0;
  [[nodiscard]] virtual BodyMotion motion(int body) const = 0;
  /// nullptr for the others.
  [[nodiscard]] virtual const OwnCounts* counts() const { return nullptr; }
};

/// \name The engines; nullptr if this build is without one, or if it cannot do the scene. None
/// pushes overlaps out (Stiction: as its options say), for the published runs do not; MuJoCo cannot
/// help it.
/// @{
std::unique_ptr<BodyWorld> make_stiction_world(const BodyScene& scene, const StepOptions& options);
/// No restitution. Newton's method on the elliptic cone, its default softness.
std::unique_ptr<BodyWorld> make_mujoco_world(const BodyScene& scene);
std::unique_ptr<BodyWorld> make_bullet_world(const BodyScene& scene);
/// Quick step.
std::unique_ptr<BodyWorld> make_ode_world(const BodyScene& scene);
/// @}

/// Kinetic and potential energy of all bodies [J].
double total_energy(const BodyScene& scene, const BodyWorld& world);
/// Sum of the squared overlaps of all balls with each other and with the floor [m²].
double squared_overlaps(const BodyScene& scene, const BodyWorld& world);

}  // namespace stiction::experiments
