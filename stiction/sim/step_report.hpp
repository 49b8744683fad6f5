#pragma once

/// \file
/// What a step did.

#include <array>
#include <string>
#include <vector>

#include "stiction/compliant/spring_ends.hpp"
#include "stiction/contact/certificate.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction {

/// A contact of the step, also one that did nothing.
struct StepContact {
  int shape_a = -1;  ///< index into Model::shapes(); the normal points from a to b
  int shape_b = -1;
  int body_a = -1;  ///< -1 is the world
  int body_b = -1;
  int island = -1;            ///< contacts of one island act on each other
  std::uint16_t feature = 0;  ///< which point of this pair
  double gap = 0.0;           ///< before the step [m]
  double friction = 0.0;
  double spin_friction = 0.0;  ///< [m]
  double roll_friction = 0.0;  ///< [m]
  double restitution = 0.0;    ///< that was used: 0 where nothing bounced
  Vector3<double> point;       ///< world [m]
  Matrix3<double> axes;        ///< columns t1, t2, n, world
  Vector3<double> impulse;     ///< on body b along t1, t2, n [N·s]
  Vector3<double> velocity;    ///< of b against a along t1, t2, n after the step [m/s]
  /// Rolling and torsional friction on body b, about t1, t2, n [N·m·s]. Points that turn as one
  /// have it at the first of them.
  Vector3<double> moment;
  ContactMode mode = ContactMode::open;
};

/// A limit, joint friction, lock, or the torsional or rolling friction of a contact.
struct StepConstraint {
  BlockKind kind = BlockKind::limit;
  /// limit: the joint; joint friction: the entry of v; lock: the coupling; spin, roll: the contact
  int index = -1;
  int tendon = -1;  ///< limit and friction of a tendon; `index` is -1 then
  int island = -1;
  int rows = 1;
  std::array<double, 6> impulse{};  ///< [N·s or N·m·s]
};

/// Momentum and energy of all bodies whose motion is not prescribed.
struct StepBalance {
  double kinetic_energy = 0.0;    ///< after the step [J]
  double potential_energy = 0.0;  ///< after the step [J]
  double contact_work = 0.0;      ///< of contacts, limits, joint friction and locks [J]
  double actuator_work = 0.0;     ///< of actuators, PD, joint and external forces [J]
  /// ‖M(v⁺ − v⁻) − hτ − Jᵀλ‖∞ of trees in contact and of semi-implicit ones: rounding, or a bug;
  /// with `rk4` also what keeps the momentum of moving robots in contact. Single bodies that spin
  /// fast are left out, unless the integrator takes all forces at the start.
  double momentum_residual = 0.0;  ///< [kg·m/s or kg·m²/s]
  /// ΔT − ½(v⁺ + v⁻)ᵀ(hτ + Jᵀλ), of the same trees [J]
  double energy_residual = 0.0;
};

/// Wall time of each stage [s]; of the stages that islands go through, the sum over all threads.
struct StepTimings {
  double kinematics = 0.0;  ///< kinematics, forces, factorization and free motion
  double collide = 0.0;
  double assemble = 0.0;   ///< constraints, islands, targets and Delassus matrices
  double solve = 0.0;      ///< solvers, with the certificates that they ask for on their way
  double certify = 0.0;    ///< the verdict on the final impulses
  double integrate = 0.0;  ///< motion of all trees
  double report = 0.0;
};

enum class StepStatus {
  ok,             ///< every island is certified
  not_certified,  ///< some island is not: see `uncertified`, `message`; the state is finite
  energy_grew,    ///< energy grew without input beyond all bounds: see `energy_gain`, `message`
  refused,        ///< input or state is wrong; nothing was done, and `message` says why
  diverged,       ///< numbers overflowed; the state was left as it was before the step
};
std::string_view to_string(StepStatus status);

struct StepReport {
  StepStatus status = StepStatus::ok;
  SolverStatus solver_status = SolverStatus::certified;  ///< of the worst island
  Certificate certificate;       ///< the worst of all islands, each field by itself
  int islands = 0;               ///< that had something to solve
  int uncertified = 0;           ///< islands that were not certified at the tolerance
  int iterations = 0;            ///< of the solver, all islands added up
  double deepest_overlap = 0.0;  ///< largest −gap before the step [m]
  /// Energy that came in without input [J]: by pushing overlaps out and closing locks, which is
  /// bounded, and by errors of integration. Work of actuators, forces from outside, conveyors and
  /// bodies with prescribed motion does not count.
  double energy_gain = 0.0;
  std::vector<StepContact> contacts;  ///< ordered by shapes and feature
  /// After a step with viscoelastic contact: anchors, one entry per contact, where they are at the
  /// end of the step; contacts that are apart by then have none. Empty with hard contact.
  std::vector<SpringEnds> springs;
  std::vector<StepConstraint> constraints;
  StepBalance balance;  ///< if asked for
  StepTimings timings;  ///< if asked for
  std::string message;  ///< what went wrong and a remedy; empty if `ok`

  [[nodiscard]] bool ok() const { return status == StepStatus::ok; }
};

}  // namespace stiction
