#pragma once

/// \file
/// What the sweep inwards of the articulated-body factorization walks along: the bodies of a robot,
/// or the rows of limbs that go side by side. Both answer the same questions, so that one sweep
/// serves both.

#include <concepts>
#include <span>

#include "stiction/dynamics/base_factor.hpp"
#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/dynamics/limb_transfer.hpp"

namespace stiction {

/// What comes into a factorization from outside.
template <Scalar S>
struct Loads {
  std::span<const S> diagonal;         ///< added to M; may be empty
  std::span<const S> tau;              ///< joint forces
  std::span<const Force<S>> external;  ///< on the bodies; may be empty
};

/// hand_over() of a record that is in memory, several of its numbers at once.
template <template <Scalar> class Record>
[[gnu::always_inline]] inline void hand_over_numbers(Handover handover,
                                                     const Record<double>& carried,
                                                     Record<double>& parked) {
  if (handover == Handover::park) {
    parked = carried;
    return;
  }
  constexpr std::size_t count = sizeof(Record<double>) / sizeof(double);
  const double* const from = numbers(carried);
  double* const to = numbers(parked);
  std::size_t k = 0;
  for (; k + lane_width <= count; k += lane_width) {
    (Lane::load_unaligned(to + k) + Lane::load_unaligned(from + k)).store_unaligned(to + k);
  }
  for (; k < count; ++k) to[k] = to[k] + from[k];
}

/// A robot, or one per lane. Limbs that go side by side were swept before: the walk comes by their
/// first bodies only, where their shares have arrived.
template <Scalar S>
class RobotTree {
 public:
  static constexpr bool may_float = true;  ///< whether a body can have a floating joint
  static constexpr bool has_arrivals = std::same_as<S, double>;  ///< whether limbs were swept

  RobotTree(const Model& model, DynamicsData<S>& data, const Loads<S>& loads)
      : constants_(model.constants().data()),
        degrees_(model.degrees_of_freedom().data()),
        armature_(model.parameters().armature.data()),
        data_(data),
        loads_(loads) {}

  [[nodiscard]] std::size_t visits() const { return data_.limbs.inwards.size(); }
  [[nodiscard]] std::size_t body_at(std::size_t visit) const {
    return static_cast<std::size_t>(data_.limbs.inwards[visit]);
  }
  [[nodiscard]] const BodyConstants& constants(std::size_t i) const { return constants_[i]; }
  [[nodiscard]] BodyData<S>& entry(std::size_t i) const { return data_.bodies[i]; }
  [[nodiscard]] DofData<S>* dofs(std::size_t i) const { return &data_.dofs[velocity(i, 0)]; }
  [[nodiscard]] ArticulatedInertia<S>& parked(std::size_t i) const { return data_.articulated[i]; }
  /// Force on body i from outside; null for none.
  [[nodiscard]] const Force<S>* external(std::size_t i) const {
    return loads_.external.empty() ? nullptr : &loads_.external[i];
  }
  /// Of the body's k-th velocity: whether it turns, what is added to its inertia, its force.
  [[nodiscard]] bool angular(std::size_t i, std::size_t k) const {
    return degrees_[velocity(i, k)].angular;
  }
  [[nodiscard, gnu::always_inline]] S added(std::size_t i, std::size_t k) const {
    const S armature(armature_[velocity(i, k)]);
    return loads_.diagonal.empty() ? armature : armature + loads_.diagonal[velocity(i, k)];
  }
  [[nodiscard, gnu::always_inline]] S tau(std::size_t i, std::size_t k) const {
    return loads_.tau[velocity(i, k)];
  }

  /// A floating body's six velocities at once.
  [[gnu::always_inline]] void factorize_root(std::size_t i, const ArticulatedInertia<S>& I) const {
    S added_inertia[6];
    for (std::size_t k = 0; k < 6; ++k) added_inertia[k] = added(i, k);
    factorize_base(I, added_inertia,
                   data_.base_factors[static_cast<std::size_t>(data_.base_factor_of_body[i])]);
  }

  /// Whether body i begins a limb that was swept already.
  [[nodiscard]] bool arrived(std::size_t i) const { return data_.limbs.arrival_of_body[i] >= 0; }
  /// Takes what that limb hands to its parent.
  [[gnu::always_inline]] void take_arrival(std::size_t i, ArticulatedInertia<S>& I,
                                           Force<S>& p) const {
    I = arrival(i).inertia;
    p = arrival(i).force;
  }
  /// The same where the parent is not next: from memory to memory, as hand_over() does it.
  [[gnu::always_inline]] void park_arrival(std::size_t i) const {
    const BodyConstants& body = constants_[i];
    const std::size_t parent = static_cast<std::size_t>(body.parent);
    hand_over_numbers(body.handover, arrival(i).inertia, data_.articulated[parent]);
    hand_over_numbers(body.handover, arrival(i).force, data_.bodies[parent].force);
  }
  /// Behind a root nothing is left.
  void leave(std::size_t, const ArticulatedInertia<S>&, const Force<S>&) const {}

 private:
  [[nodiscard]] const LimbArrival<S>& arrival(std::size_t i) const {
    return data_.limbs.arrivals[static_cast<std::size_t>(data_.limbs.arrival_of_body[i])];
  }
  [[nodiscard]] std::size_t velocity(std::size_t i, std::size_t k) const {
    return static_cast<std::size_t>(constants_[i].velocity_index) + k;
  }

  const BodyConstants* constants_;
  const DegreeOfFreedom* degrees_;
  const double* armature_;
  DynamicsData<S>& data_;
  Loads<S> loads_;
};

/// The limbs of one group, one per lane; its bodies are the group's rows.
class LimbTree {
 public:
  static constexpr bool may_float = false;
  static constexpr bool has_arrivals = false;

  LimbTree(const Model& model, DynamicsData<double>& data, const Loads<double>& loads,
           const LimbGroup& group)
      : model_(model),
        data_(data),
        loads_(loads),
        group_(group),
        rows_(data.limbs.rows.data() + group.first_row) {}

  /// Reads what may differ from call to call.
  void gather_loads() const {
    for (std::size_t i = 0; i < visits(); ++i) {
      LimbRow& row = rows_[i];
      gather_whole(
          row.bodies,
          [&](std::size_t body) -> const auto& { return model_.constants()[body].inertia; },
          row.constants.inertia);
      if (loads_.external.empty()) continue;
      gather_whole(
          row.bodies, [&](std::size_t body) -> const auto& { return loads_.external[body]; },
          data_.limbs.external[row_index(i)]);
    }
  }
  /// Writes U and 1/D into the records of the velocities.
  void scatter_factors() const {
    constexpr std::size_t begin = offsetof(DofData<double>, response) / sizeof(double);
    constexpr std::size_t end = offsetof(DofData<double>, residual) / sizeof(double);
    for (std::size_t i = 0; i < visits(); ++i) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(constants(i).velocity_count); ++k) {
        const auto record = [&](std::size_t first) {
          return numbers(data_.dofs[first + k]) + begin;
        };
        scatter_records<end - begin>(numbers(dofs(i)[k]) + begin,
                                     for_slots(rows_[i].velocities, record));
      }
    }
  }

  [[nodiscard]] std::size_t visits() const {
    return static_cast<std::size_t>(group_.end_row - group_.first_row);
  }
  [[nodiscard]] std::size_t body_at(std::size_t visit) const { return visit; }
  [[nodiscard]] const RowConstants& constants(std::size_t i) const { return rows_[i].constants; }
  [[nodiscard]] BodyData<Lane>& entry(std::size_t i) const { return rows_[i].entry; }
  [[nodiscard]] DofData<Lane>* dofs(std::size_t i) const {
    return data_.limbs.dofs.data() + rows_[i].first_dof;
  }
  [[nodiscard]] ArticulatedInertia<Lane>& parked(std::size_t i) const {
    return data_.limbs.parked[row_index(i)];
  }
  [[nodiscard]] const Force<Lane>* external(std::size_t i) const {
    return loads_.external.empty() ? nullptr : &data_.limbs.external[row_index(i)];
  }
  [[nodiscard]] bool angular(std::size_t i, std::size_t k) const {
    return model_.degrees_of_freedom()[static_cast<std::size_t>(rows_[i].velocities[0]) + k]
        .angular;
  }
  [[nodiscard, gnu::always_inline]] Lane added(std::size_t i, std::size_t k) const {
    const Lane armature = gather(model_.parameters().armature.data(), rows_[i].velocities, k);
    if (loads_.diagonal.empty()) return armature;
    return armature + gather(loads_.diagonal.data(), rows_[i].velocities, k);
  }
  [[nodiscard, gnu::always_inline]] Lane tau(std::size_t i, std::size_t k) const {
    return gather(loads_.tau.data(), rows_[i].velocities, k);
  }

  /// The limbs' shares, about the origin of the common parent, one by one.
  [[gnu::always_inline]] void leave(std::size_t i, const ArticulatedInertia<Lane>& I,
                                    const Force<Lane>& p) const {
    const Vector3<Lane>& offset = rows_[i].entry.offset;
    const LimbArrival<Lane> share{shift(I, offset), shift(p, offset)};
    std::array<double*, lane_width> targets;
    for (std::size_t slot = 0; slot < lane_width; ++slot) {
      targets[slot] =
          numbers(data_.limbs.arrivals[static_cast<std::size_t>(group_.first_arrival) + slot]);
    }
    scatter_records<sizeof(LimbArrival<double>) / sizeof(double)>(numbers(share), targets);
  }

 private:
  [[nodiscard]] std::size_t row_index(std::size_t i) const {
    return static_cast<std::size_t>(group_.first_row) + i;
  }

  const Model& model_;
  DynamicsData<double>& data_;
  Loads<double> loads_;
  const LimbGroup& group_;
  LimbRow* rows_;
};

}  // namespace stiction
