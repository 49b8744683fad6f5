#pragma once

/// \file
/// Contacts as springs with dampers: stretch, anchors and forces at the start of a step [EXP].
///
/// A contact joins a point of body a to a point of body b, its anchors. The stretch is the way from
/// the first to the second in contact axes, the force on b is λ = −K·stretch − B·velocity. The
/// state keeps the anchors in the frames of their bodies, so that they move along with them.

#include <cmath>
#include <span>
#include <vector>

#include "stiction/compliant/spring_ends.hpp"
#include "stiction/compliant/viscoelastic_options.hpp"
#include "stiction/model/state.hpp"
#include "stiction/touch/block_velocities.hpp"
#include "stiction/touch/contact_set.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// K and B of the three axes of a contact.
struct SpringConstants {
  SpringConstants() = default;
  explicit SpringConstants(const ViscoelasticOptions& options)
      : stiffness{options.tangent_stiffness(), options.tangent_stiffness(), options.stiffness},
        damping{options.tangent_damping(), options.tangent_damping(), options.damping} {}
  Vector3<double> stiffness;  ///< [N/m]
  Vector3<double> damping;    ///< [N·s/m]
};

/// Those of the options, or of the materials where these have any. Tangents are softer than the
/// normal in the same ratio as in the options.
[[nodiscard]] SpringConstants spring_constants(const ViscoelasticOptions& options,
                                               const ContactMaterial& material);

/// One contact; vectors in contact axes t1, t2, n, of body b against body a.
struct Spring {
  SpringConstants constants;
  Vector3<double> stretch;          ///< Δp at the start [m]
  Vector3<double> velocity;         ///< ṗ at the start [m/s]
  Vector3<double> anchor_velocity;  ///< ṗ₀ during the step [m/s]
  Vector3<double> belt_velocity;    ///< part of `velocity` that is a conveyor's [m/s]
  Vector3<double> force;            ///< λ at the start, within the cone [N]
  Vector3<double> anchor;           ///< of body b, world [m]
  /// Part of the overlap that is there because the contact began inside a step and was found at its
  /// end; <= 0, and no spring presses for it [m].
  double delay = 0.0;
  bool slips = false;  ///< the force is on the cone
  /// It does not touch. find_springs(): at the start; SpringIsland::integrate(): at the end.
  bool apart = false;
};

/// Where the ends of a spring are on their bodies, world [m].
struct SpringAnchors {
  Vector3<double> a;
  Vector3<double> b;
  bool known = false;  ///< the state remembers them; else both are at the contact
};

/// Of the tangential part of a vector; sizes are far from overflow.
[[nodiscard]] inline double length_of(double x, double y) { return std::sqrt(x * x + y * y); }

/// Cuts a force off to the friction cone; whether it was outside.
bool project_to_cone(double friction, Vector3<double>& force);

/// Force and slip of a spring with this stretch and velocity, and the stretch that its anchor
/// leaves it when it slips.
void load_spring(AnchorRules rules, double friction, Spring& spring);

/// The springs of contacts that touch, at the bodies of `scene`. Anchors come from the memory of
/// the state; contacts that it does not know begin without stretch. Under `authors` the contacts
/// are moved to the point of body b. Contacts with a gap above zero have no force and no anchors
/// yet. `placements`: of all shapes, for conveyors. `time_step`: of the step before, which new
/// contacts may have begun in; 0: none of them has a delay.
void find_springs(const SceneSnapshot& scene, const ViscoelasticOptions& options,
                  std::span<const Placement> placements, std::span<const ImpulseMemory> memory,
                  std::span<Candidate> contacts, std::vector<Spring>& springs,
                  double time_step = 0.0);

/// The same without forces and slip: stretch, velocities and anchors alone.
void find_stretches(const SceneSnapshot& scene, const ViscoelasticOptions& options,
                    std::span<const Placement> placements, std::span<const ImpulseMemory> memory,
                    std::span<Candidate> contacts, std::vector<Spring>& springs,
                    std::vector<SpringAnchors>& anchors);

/// Radius of a shape that rolls at its contact [m]; 0 if a corner or an edge of it touches.
[[nodiscard]] double rolling_radius(const ShapeGeometry& shape);

/// Points of both bodies that a contact moves with: the centres of curvature of what rolls, else
/// the points that touch.
struct ContactCenters {
  Vector3<double> a;
  Vector3<double> b;
  double share_a = 0.5;  ///< how much the contact follows a along its normal: 0 to 1, the rest b
};
[[nodiscard]] ContactCenters contact_centers(std::span<const ShapeGeometry> geometries,
                                             const Candidate& contact);

/// Writes the anchors into the memory, among what is there by keys. `time_step`: slipping anchors
/// move on by it.
void remember_anchors(const SceneSnapshot& scene, const ViscoelasticOptions& options,
                      std::span<const Candidate> contacts, std::span<const Spring> springs,
                      double time_step, std::vector<ImpulseMemory>& memory);

/// Where the springs end at the end of a step: `scene` and `memory` are those of the end,
/// `contacts` those that remember_anchors() was called with. Under `surface` the stretch along the
/// normal is the gap, less the delay: the gap of the contacts and what their bodies have moved
/// since.
void find_spring_ends(const SceneSnapshot& scene, const ViscoelasticOptions& options,
                      std::span<const ImpulseMemory> memory, std::span<const Candidate> contacts,
                      std::vector<SpringEnds>& ends);

/// Of b against a at a contact without its force, contact axes [m/s²].
struct ContactAcceleration {
  Vector3<double> whole;  ///< c = J v̇ + J̇ v
  Vector3<double> drift;  ///< J̇ v alone
};

/// Needs accelerations of the bodies. Round shapes roll: their centre of curvature stays above the
/// contact.
[[nodiscard]] ContactAcceleration contact_acceleration(const SceneSnapshot& scene,
                                                       const ViscoelasticOptions& options,
                                                       std::span<const ShapeGeometry> geometries,
                                                       const Candidate& contact);

}  // namespace stiction
