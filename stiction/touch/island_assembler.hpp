#pragma once

/// \file
/// From the robot to contact problems: the only place that knows both.

#include <span>
#include <vector>

#include "stiction/contact/contact_problem.hpp"
#include "stiction/dynamics/delassus.hpp"
#include "stiction/touch/block_velocities.hpp"
#include "stiction/touch/contact_set.hpp"
#include "stiction/touch/delassus_rows.hpp"
#include "stiction/touch/islands.hpp"

namespace stiction {

/// Makes the contact problem of one island after the other: dense through the articulated-body
/// factors, or block-sparse through the velocities of free bodies. Keeps its memory. One per
/// thread.
class IslandAssembler {
 public:
  explicit IslandAssembler(const Model& model);

  /// Blocks, Delassus matrix and free velocities. Rows of torsional and rolling friction are
  /// angular velocities times Constraint::length, their impulses moments divided by it. Targets are
  /// zero, and prepare() is left to the caller, who sets them.
  void assemble(const SceneSnapshot& scene, const ContactSet& set,
                const BlockVelocities& velocities, const IslandView& island,
                ContactProblem& problem);

  /// \name Of an island with contacts alone whose Delassus matrix comes from elsewhere
  /// @{
  /// Blocks, and room for G. velocity_change() must not be asked for.
  static void begin_dense(const ContactSet& set, std::span<const int> blocks,
                          ContactProblem& problem);
  /// Once G is there.
  static void end_dense(const ContactSet& set, const BlockVelocities& velocities,
                        std::span<const int> blocks, ContactProblem& problem);
  /// Islands of up to so many contacts are filled entry by entry in any case.
  static constexpr std::size_t most_entries = 11;
  /// @}

  /// Changes of velocity by impulses (all rows of the problem), written to the entries of `dv` that
  /// belong to the trees. `problem` is the one assembled last.
  void velocity_change(const SceneSnapshot& scene, std::span<const int> trees,
                       const ContactProblem& problem, std::span<const double> impulses,
                       std::span<double> dv);

  /// The same for two sets of impulses at once.
  void velocity_changes(const SceneSnapshot& scene, std::span<const int> trees,
                        const ContactProblem& problem,
                        const std::array<std::span<const double>, 2>& impulses,
                        const std::array<std::span<double>, 2>& dv);

 private:
  void propagate(const SceneSnapshot& scene, const ContactSet& set, std::span<const int> blocks);
  void propagate_turn(const SceneSnapshot& scene, const Constraint& turn, bool with_spin,
                      int entry);
  void fill_dense(const SceneSnapshot& scene, const ContactSet& set, std::span<const int> blocks,
                  ContactProblem& problem);
  void fill_sparse(const SceneSnapshot& scene, const ContactSet& set, const IslandView& island,
                   ContactProblem& problem);
  void change_dense(const SceneSnapshot& scene, std::span<const int> trees,
                    std::span<const double> impulses, std::span<double> dv);
  static void change_sparse(const SceneLayout& layout, std::span<const int> trees,
                            const ContactProblem& problem, std::span<const double> impulses,
                            std::span<double> dv);

  DelassusKernel<double> kernel_;
  DelassusRows rows_;
  std::vector<KernelEntry> entries_;  ///< of the kernel, in the order of the rows
  std::vector<int> body_of_tree_;     ///< bodies storage: place of a tree in this island
};

}  // namespace stiction
