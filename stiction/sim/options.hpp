#pragma once

/// \file
/// What a user may choose for a step. option_table.cpp has a row for each of it.

#include <optional>
#include <string>
#include <string_view>

#include "stiction/compliant/viscoelastic_options.hpp"
#include "stiction/rigid/gap_rule.hpp"
#include "stiction/solver/options.hpp"

namespace stiction {

/// How trees without active contacts move. Trees in contact always move by the semi-implicit rule,
/// but for `explicit_euler`, which fails in contact and exists to show it. A new integrator needs a
/// value here (and last_integrator), a row in integrators.cpp and its formula in free_motion.cpp.
enum class Integrator {
  explicit_euler,  ///< q⁺ = q ⊕ h v, v⁺ = v + h v̇: first order, gains energy, passes walls
  semi_implicit,   ///< v⁺ = v + h v̇, q⁺ = q ⊕ h v⁺: first order
  trapezoid,       ///< v̇ at the middle of the step (with actuators or servos: at its start),
              ///< q⁺ = q ⊕ ½h(v + v⁺): second order, but for springs, dampers and drives,
              ///< which are implicit and of first order
  implicit,  ///< v̇ at the end of the step: first order, loses energy
  rk4,       ///< fourth order; four times the dynamics; robots in contact keep their momentum
};
inline constexpr Integrator last_integrator = Integrator::rk4;

/// What a contact is.
enum class ContactFamily {
  rigid,         ///< unilateral, with friction that holds: impulses by a solver, certified
  viscoelastic,  ///< springs with dampers and anchors, by StepOptions::viscoelastic
};
inline constexpr ContactFamily last_contact_family = ContactFamily::viscoelastic;

/// How exact the impulses of rigid contacts are. What each value stands for is in effort.cpp.
enum class Effort {
  exact,     ///< certified at 1e-8
  balanced,  ///< certified at 1e-4
  fast,      ///< a few sweeps, certified at 1e-3 where they are enough; for large heaps
};
inline constexpr Effort last_effort = Effort::fast;

std::string_view to_string(Effort effort);
std::string_view to_string(ContactFamily family);
std::string_view to_string(GapRule rule);
std::string_view to_string(Integrator integrator);
std::optional<GapRule> parse_gap_rule(std::string_view word);
/// The integrator with this name, as the table in integrators.cpp has it; nothing for other words.
std::optional<Integrator> parse_integrator(std::string_view word);

struct StepOptions {
  double time_step = 0.0;  ///< h [s]; 0: the wish of the Model's file
  ContactFamily contact = ContactFamily::rigid;
  ViscoelasticOptions viscoelastic;  ///< if contacts are viscoelastic
  /// Sets some of the options below where they have their default values (effort.hpp).
  Effort effort = Effort::exact;
  std::string solver = "hybrid";  ///< a name of solver_names()
  SolverOptions solver_options{.warm_start = true, .check = CheckLevel::finite};
  GapRule gap_rule = GapRule::position;
  Integrator integrator = Integrator::trapezoid;

  /// Fraction of an overlap that is pushed out each step, 0 to 1, and the greatest speed of that
  /// [m/s].
  double push_out_fraction = 0.2;
  double push_out_speed = 1.0;
  /// 0: overlaps are pushed out by the velocities. Else by this number of sweeps over the normals,
  /// out of the positions alone, at the end of the step: velocities and energy stay as they are.
  int push_out_sweeps = 0;
  /// A step begins with the running mean of the impulses before, in which the last has this weight,
  /// above 0 to 1. Less than 1 lets heaps come to rest whose solver is cut short; an exact solver
  /// needs 1.
  double recall_fraction = 1.0;
  /// Fraction of the error of a lock (loop, coupling) that is removed each step, 0 to 1.
  double lock_fraction = 0.2;
  /// Contacts are looked for within this distance beyond what the bodies can travel [m]. More keeps
  /// contacts in the problem that do nothing yet; 0 is right for most.
  double margin = 0.0;
  /// Two flat faces on each other meet in up to eight points. True: of more than four, the four
  /// that span most are kept, which is faster, and bears on a somewhat smaller face.
  bool four_face_points = false;
  /// Approach speed below which nothing bounces, beside the threshold of the materials, as a
  /// multiple of |gravity|·h. Keeps bodies at rest from trembling.
  double restitution_threshold = 2.0;

  int threads = 1;       ///< islands are solved in parallel; the result does not depend on it
  bool balance = false;  ///< StepReport::balance is computed: about the cost of the dynamics again
  bool timings = false;  ///< StepReport::timings are measured: reads the clock some ten times
};

/// What is wrong with the options: the option and its range; empty if nothing is.
[[nodiscard]] std::string fault_of(const StepOptions& options);

}  // namespace stiction
