#pragma once

/// \file
/// The middle of a step, where the exponential integration of springs takes inertia, load and
/// contact points from: so it is of second order where nothing begins or ends.
///
/// The middle is foreseen from the velocities of the start and from the mean accelerations of the
/// step before, which the State remembers of trees that moved smoothly. Without them the load is
/// that of the velocities of the start.

#include <span>
#include <vector>

#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/model/state.hpp"
#include "stiction/touch/contact_set.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// Keeps its memory.
struct SpringMiddle {
  std::vector<double> position;  ///< one per position
  std::vector<double> velocity;  ///< one per velocity
  std::vector<double> rate;      ///< of positions on the way there
  /// Points of the contacts at the middle, or at the start while the contacts are at the middle.
  std::vector<Vector3<double>> points;
};

/// Whether steps of a model may take place at the middle: locks between bodies are kept where the
/// step begins.
[[nodiscard]] bool has_middle(const Model& model);

/// Kinematics of the middle of a step that begins in `state`.
void foresee_middle(const Model& model, const State& state, double time_step, SpringMiddle& middle,
                    DynamicsData<double>& there);

/// Where the points of contacts are at the middle: they move with their bodies, stay below the
/// centres of what rolls, and on planes. `scene`: of the start.
void find_middle_points(const SceneSnapshot& scene, const DynamicsData<double>& there,
                        std::span<const ShapeGeometry> geometries,
                        std::span<const Candidate> contacts, SpringMiddle& middle);

/// Moves contacts to the middle, or back to the start.
void exchange_points(SpringMiddle& middle, std::span<Candidate> contacts);

/// Adds mean accelerations of trees to the memory of the State that a step leads to. `is_smooth`:
/// per tree.
void remember_accelerations(const SceneLayout& layout, std::span<const char> is_smooth,
                            std::span<const double> velocity_before,
                            std::span<const double> next_velocity, double time_step,
                            std::vector<ImpulseMemory>& memory);

}  // namespace stiction
