#pragma once

/// \file
/// Links of one robot that overlap where it starts. Many robots are modelled so: hulls of meshes
/// reach into their neighbours. Hard contact would tear such links apart, so they are found once,
/// before the first step, and left out of the Model.

#include <vector>

#include "stiction/model/model.hpp"

namespace stiction {

/// Two links of one robot in each other.
struct StartOverlap {
  int shape_a = -1;  ///< those that overlap most; the links are theirs
  int shape_b = -1;
  double depth = 0.0;  ///< of these two [m]
};

/// Overlaps up to this depth are contact, not design [m]. For shapes whose bounding sphere is
/// smaller than 20 mm it is a twentieth of its radius.
inline constexpr double start_overlap_tolerance = 1e-3;

/// The pairs of links of one robot that overlap by more than the tolerance, deepest first. To what
/// a robot is fixed to the world by, only its first two moving bodies count: others may well lie on
/// it. Pairs that the Model brings together by name (contact_pairs()) do not count.
[[nodiscard]] std::vector<StartOverlap> find_start_overlaps(const Model& model, const State& state);

/// The deepest overlap of bodies [first_body, end_body) with what is fixed to the world (shape_a);
/// a depth of 0 if there is none.
[[nodiscard]] StartOverlap find_deepest_in_world(const Model& model, const State& state,
                                                 int first_body, int end_body);

/// The Model in which these links never touch. Found from the Model and the state where it starts
/// alone, so that a run which goes on from a later state does the same.
[[nodiscard]] Model without_overlaps(const Model& model, const std::vector<StartOverlap>& overlaps);

}  // namespace stiction
