#pragma once

/// \file
/// Forces of the springs of one island over a step, by exponential integration [EXP].
///
/// Under the rules `surface` contacts begin and end within a step: it is cut where a contact
/// touches or where its force reaches zero, and each part is integrated with the contacts that
/// press in it. Inertia and load stay those of the step, so that a part costs no dynamics.

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "stiction/compliant/dense.hpp"
#include "stiction/compliant/exponential_engine.hpp"
#include "stiction/compliant/springs.hpp"
#include "stiction/contact/contact_problem.hpp"

namespace stiction {

/// One contact of an island; contact axes.
struct AveragedSpring {
  Spring spring;
  double friction = 0.0;
  Vector3<double> acceleration;  ///< c [m/s²]
  /// How the velocity turns with the bodies until the middle of the step, for the direction of
  /// friction [m/s].
  Vector3<double> turn;
  Vector3<double> average;         ///< λ̄ within the cone [N]
  Vector3<double> double_average;  ///< λ̄̄ within the cone [N]
  bool pulls = false;              ///< it was left out, because it would have pulled
  bool slips = false;              ///< λ̄ is on the cone
  /// It slides through the whole step (`surface`): the anchor follows its point, and the tangential
  /// force is friction times the normal one along `direction`.
  bool slides = false;
  bool begins = false;          ///< to slide within the step: then its anchor stays where it is
  bool free = false;            ///< it does not press at present: apart, or it would pull
  bool waits = false;           ///< it may not begin or stop to slide within this part of the step
  Vector3<double> direction;    ///< of friction, unit
  Vector3<double> rubbing;      ///< friction that the other rows are integrated with [N]
  bool slid = false;            ///< in the last iteration of friction; what that had:
  double rubbing_before = 0.0;  ///< friction that it gave [N]
  double rubbing_error = 0.0;   ///< how far that was from `rubbing` [N]
};

/// A row of a limit, lock or stuck joint that holds during the step: its velocity will be `target`.
struct HeldRow {
  int row = 0;                ///< of the island's problem
  double acceleration = 0.0;  ///< that it asks for: (target − v*) / h
};

/// A contact in the course of a step that is cut into parts.
struct SpringPart {
  Spring begin;                    ///< at the begin of the present part
  Vector3<double> impulse;         ///< ∫ λ of the parts before [N·s]
  Vector3<double> double_impulse;  ///< ∫∫ λ until the end of the step, by the parts before [N·s²]
  Vector3<double> way;             ///< of the point in the parts before [m]
  bool free = false;               ///< it does not press in the present part
  bool slips = false;              ///< in one of the parts before
  bool turned = false;             ///< it has begun or stopped to slide at the end of one of them
};

/// Keeps its memory.
class SpringIsland {
 public:
  void set_options(const ViscoelasticOptions& options);

  /// Averages of all springs over `time_step`. `problem`: the island's, contacts first, assembled
  /// with the Delassus matrix. `held`: rows of it that the springs cannot move. `whole`: no contact
  /// begins or ends within the step.
  EngineStatus integrate(const ContactProblem& problem, std::span<const HeldRow> held,
                         double time_step, bool whole, std::span<AveragedSpring> springs);

  /// Whether the last integrate() was cut where a contact begins or ends.
  [[nodiscard]] bool was_cut() const { return was_cut_; }

  /// λ(t) at `times` ≥ 0 [s] after the start, in the system that integrate() has just built from
  /// these springs, with all of them and not cut to cones [N]. `forces`: time by time, one entry
  /// per spring. Exact for every engine of the options. May allocate.
  EngineStatus predict(std::span<const AveragedSpring> springs, std::span<const double> times,
                       std::span<Vector3<double>> forces);

 private:
  /// Of integrations that are repeated.
  struct KnownModes {
    ModalEngine engine;
    std::vector<int> rows;      ///< that it belongs to; empty: to none
    std::vector<double> start;  ///< Δp, Δṗ, c and load that it starts from
    int trials_of = -1;         ///< the part that these belong to, as part_count_ has it
  };
  void reserve(std::size_t contacts);
  void take_matrix(const ContactProblem& problem, int rows, bool changes);
  bool hold(const ContactProblem& problem, std::span<const HeldRow> held,
            std::span<AveragedSpring> springs);
  void add_tangential(int contact, const Vector3<double>& force, double* to) const;
  void add_friction(std::span<AveragedSpring> springs);
  LinearContacts active_system(std::span<const AveragedSpring> springs, bool with_matrix,
                               bool with_load);
  [[nodiscard]] bool keeps_load(std::span<const AveragedSpring> springs) const;
  EngineStatus start_modes(std::span<const AveragedSpring> springs, bool known, KnownModes& modes);
  EngineStatus respond_by_modes(std::span<AveragedSpring> springs, double time_step);
  ContactResponse active_response();
  ContactResponse active_averages();
  void find_active_rows(std::span<const AveragedSpring> springs);
  void find_slide(AveragedSpring& entry) const;
  EngineStatus integrate_part(double time_step, bool drops, std::span<AveragedSpring> springs);
  EngineStatus integrate_parts(double time_step, std::span<AveragedSpring> springs);
  /// Of a contact during a part: how far it moves [m], and its velocity at the end [m/s].
  struct Place {
    Vector3<double> way;
    Vector3<double> velocity;
  };
  /// Of a contact at a trial's end: how far it is beyond its events [m], and how fast that grows
  /// [m/s].
  struct Moment {
    double normal = -HUGE_VAL;
    double friction = -HUGE_VAL;
    double normal_rate = 0.0;
    double friction_rate = 0.0;
  };
  /// The interval that an event is searched in [s], and how its ends were found.
  struct EventSearch {
    double early = 0.0;
    double late = 0.0;
    double dropped = 0.0;       ///< the end that the last trial has replaced
    double early_weight = 1.0;  ///< of values at the ends, where rates are not known
    double late_weight = 1.0;
    int trials = 0;
    int slow_trials = 0;         ///< the last ones, that have not halved the interval
    bool by_rates = true;        ///< rates of events are known
    bool newest_is_late = true;  ///< the last trial is the late end
    bool same_side = false;      ///< the last two trials were at the same end
  };
  void restart_part(std::span<AveragedSpring> springs) const;
  EngineStatus try_part(double part, std::span<AveragedSpring> springs, double& overdue);
  EngineStatus find_event(double left, std::span<AveragedSpring> springs, double& part);
  EngineStatus search_event(double left, double overdue, std::span<AveragedSpring> springs,
                            double& part);
  void begin_search(std::span<const AveragedSpring> springs, EventSearch& search);
  void narrow_search(double time, bool is_late, EventSearch& search);
  [[nodiscard]] double next_trial(const EventSearch& search, double level) const;
  double find_overdue(std::span<const AveragedSpring> springs);
  void find_overdue_rates(std::span<const AveragedSpring> springs);
  [[nodiscard]] double first_crossing(const EventSearch& search, double level) const;
  [[nodiscard]] double crossing(const EventSearch& search, std::size_t contact,
                                double Moment::*value, double Moment::*rate, double level) const;
  void find_present_accelerations(std::span<const AveragedSpring> springs,
                                  std::span<const Place> places);
  [[nodiscard]] double overdue_rate(std::size_t contact, const Place& end) const;
  [[nodiscard]] double overdue_friction_rate(std::size_t contact, const AveragedSpring& entry,
                                             const Place& end) const;
  [[nodiscard]] Place place_after(double part, std::size_t contact) const;
  [[nodiscard]] double overdue(std::size_t contact, const Place& end) const;
  [[nodiscard]] static double overdue_friction(const AveragedSpring& entry, const SpringPart& state,
                                               const Place& end);
  [[nodiscard]] double longest_part(std::span<const AveragedSpring> springs) const;
  void finish_part(double part, double left, std::span<AveragedSpring> springs);
  void begin_part(std::span<AveragedSpring> springs) const;
  void join_parts(double time_step, std::span<AveragedSpring> springs) const;
  EngineStatus integrate_active(double time_step, std::span<AveragedSpring> springs);
  bool drop_pulling(std::span<AveragedSpring> springs);
  [[nodiscard]] Vector3<double> acceleration_of(std::size_t contact,
                                                std::span<const AveragedSpring> springs,
                                                Vector3<double> AveragedSpring::*force) const;
  void find_accelerations(std::span<const AveragedSpring> springs);
  bool begin_sliding(std::span<AveragedSpring> springs) const;
  bool stop_sliding(double time_step, std::span<AveragedSpring> springs) const;
  void recall_rubbing(std::span<AveragedSpring> springs);
  void keep_rubbing(std::span<const AveragedSpring> springs);
  static bool repeat_rubbing(std::span<AveragedSpring> springs, bool gives_up);
  void carry_anchors(double time_step, std::span<AveragedSpring> springs) const;

  ViscoelasticOptions options_;
  ExponentialEngine engine_;
  static constexpr std::size_t most_known_modes = 4;
  std::array<KnownModes, most_known_modes> known_modes_;
  std::size_t most_seen_ = 0;   ///< contacts that there is memory for
  std::size_t next_modes_ = 0;  ///< that is replaced next
  bool by_modes_ = false;       ///< the next integration takes these
  bool was_cut_ = false;
  int part_count_ = 0;       ///< of parts, and where contacts stop to slide: springs start anew
  double share_left_ = 1.0;  ///< of the step, from the begin of the present part
  ModalEngine prediction_;   ///< of predict()
  Eigen::MatrixXd full_;     ///< scratch: G of sparse problems
  const double* matrix_ = nullptr;  ///< Υ of all contacts of the island, column by column
  Eigen::Index stride_ = 0;         ///< from column to column
  std::vector<double> upsilon_;     ///< a copy of Υ, where held rows change it
  std::vector<double> part_;        ///< that of the active contacts, where some were left out
  std::vector<int> active_;         ///< contacts that do not pull
  struct Slider {
    int contact = 0;
    std::size_t row = 0;  ///< of its normal, among the active rows
    double share = 0.0;   ///< of its friction in that of all
  };
  std::vector<Slider> sliders_;
  std::vector<int> active_rows_;  ///< their rows that are springs: of sliding ones the normal alone
  std::vector<double> rows_;  ///< K, B, Δp, Δṗ, c, load of the active rows, one after the other
  std::vector<double> response_;       ///< averages and end values, likewise
  std::vector<double> accelerations_;  ///< mean ones of all rows, then double mean ones [m/s²]
  std::vector<SpringPart> parts_;      ///< one per contact
  std::vector<double> rubbings_;       ///< friction of the last trial of the present part [N]
  std::array<std::vector<Moment>, 3> moments_;  ///< of a search: early, late, and the last
                                                ///< trial or what it has replaced
  std::vector<Place> places_;                   ///< of all contacts at the end of a trial
  std::vector<Vector3<double>> present_;        ///< accelerations there
  PaddedMatrix held_matrix_;                    ///< G of the held rows, then its Cholesky factor
  std::vector<double> held_columns_;
  std::vector<double> held_vector_;
};

}  // namespace stiction
