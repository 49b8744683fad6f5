#pragma once

/// \file
/// What a step finds: contacts, joint limits, joint friction and locks. Written once a step, then
/// read only.
///
/// Contacts and constraints together are the blocks of the step, numbered with the contacts first.
/// Arrays with the rows of all blocks have three numbers a contact, then six a constraint.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/dynamics/delassus.hpp"
#include "stiction/model/shape.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// A point where two shapes touch or may touch within the step.
struct Candidate {
  int shape_a = -1;
  int shape_b = -1;
  int tree_a = -1;  ///< -1: cannot be moved
  int tree_b = -1;
  std::uint16_t feature = 0;  ///< which point of this pair
  std::uint64_t key = 0;      ///< the same in the next step
  double gap = 0.0;           ///< [m]
  ContactMaterial material;
  ContactPoint<double> contact;
};

/// A limit within reach, joint friction, a lock, or the torsional or rolling friction of a contact.
struct Constraint {
  BlockKind kind = BlockKind::limit;
  /// limit: the joint; joint friction: the entry of v; lock: the coupling; spin, roll: the first of
  /// its contacts
  int index = -1;
  int contacts = 1;  ///< spin, roll: points of one pair of bodies with one normal turn as one
  int tendon = -1;   ///< limit and friction of a tendon; `index` is -1 then
  int rows = 1;
  int tree_a = -1;
  int tree_b = -1;
  std::uint64_t key = 0;  ///< the same in the next step
  double bound = 0.0;     ///< joint friction [N·s]
  double friction = 0.0;  ///< spin, roll: coefficient [m]
  /// spin, roll: rows of the contact problem are angular velocities times this length, so that all
  /// of its rows are alike [m]
  double length = 1.0;
  double gap = 0.0;                  ///< limit: distance to it [m or rad]
  std::array<double, 6> error{};     ///< lock: how far it has opened [m or rad]
  JointDirection<double> direction;  ///< if it acts on joints and has no `reach`
  const RowReach* reach = nullptr;   ///< rows == 1: a row over many joints, with these terms:
  int first_term = 0;                ///< into ContactSet::terms
  int term_count = 0;
  /// Else: rows of a lock are along the axes, then about them; a roll is about the first two axes,
  /// a spin about the third.
  ContactPoint<double> contact;

  [[nodiscard]] bool is_turn() const { return kind == BlockKind::spin || kind == BlockKind::roll; }
  /// Whether it acts along a direction of joint velocities.
  [[nodiscard]] bool acts_on_joints() const { return rows == 1 && kind != BlockKind::spin; }
};

struct ContactSet {
  std::vector<Candidate> contacts;      ///< ordered by key
  std::vector<Constraint> constraints;  ///< ordered by key, after all contacts
  std::vector<MomentTerm> terms;        ///< of the rows over many joints

  /// Terms of a row over many joints.
  [[nodiscard]] std::span<const MomentTerm> terms_of(const Constraint& constraint) const {
    return {terms.data() + constraint.first_term, static_cast<std::size_t>(constraint.term_count)};
  }

  [[nodiscard]] int block_count() const {
    return static_cast<int>(contacts.size() + constraints.size());
  }
  [[nodiscard]] bool is_contact(int block) const {
    return block < static_cast<int>(contacts.size());
  }
  [[nodiscard]] const Candidate& contact(int block) const {
    return contacts[static_cast<std::size_t>(block)];
  }
  [[nodiscard]] const Constraint& constraint(int block) const {
    return constraints[constraint_index(block)];
  }
  [[nodiscard]] std::size_t constraint_index(int block) const {
    return static_cast<std::size_t>(block) - contacts.size();
  }
  [[nodiscard]] int rows(int block) const { return is_contact(block) ? 3 : constraint(block).rows; }
  /// A tree that the block acts on.
  [[nodiscard]] int tree_of(int block) const {
    return is_contact(block) ? one_tree(contact(block)) : one_tree(constraint(block));
  }

  /// Size of an array with the rows of all blocks.
  [[nodiscard]] std::size_t row_space() const {
    return 3 * contacts.size() + 6 * constraints.size();
  }
  /// Where the rows of a block begin in such an array.
  [[nodiscard]] std::size_t place(int block) const {
    const std::size_t i = static_cast<std::size_t>(block);
    const std::size_t n = contacts.size();
    return i < n ? 3 * i : 3 * n + 6 * (i - n);
  }

 private:
  template <class Entry>
  static int one_tree(const Entry& entry) {
    return entry.tree_a >= 0 ? entry.tree_a : entry.tree_b;
  }
};

}  // namespace stiction
