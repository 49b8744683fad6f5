#pragma once

/// \file
/// Piles of spheres or boxes in a tray, as each engine steps them: the same start for all.

#include <Eigen/Geometry>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stiction::bench {

inline constexpr double pile_time_step = 0.002;  ///< h of all engines [s]
inline constexpr double pile_friction = 0.5;     ///< between all shapes
inline constexpr double pile_gravity = 9.81;     ///< [m/s²]
inline constexpr double pile_mass = 1.0;         ///< of each body [kg]

enum class PileKind {
  spheres,
  boxes,   ///< tilted, so that they fall into a jumble
  stacks,  ///< boxes that stay in columns, face on face
};
inline constexpr std::array pile_kinds{PileKind::spheres, PileKind::boxes, PileKind::stacks};
std::string_view to_string(PileKind kind);

/// Bodies in layers, a little out of place so that they fall into a heap, above a floor at z = 0
/// and between four endless walls.
struct PileScene {
  PileKind kind = PileKind::spheres;
  [[nodiscard]] bool has_boxes() const { return kind != PileKind::spheres; }
  double radius = 0.1;  ///< of a sphere, half edge of a box [m]
  double wall = 0.0;    ///< distance of each wall from the middle [m]
  std::vector<Eigen::Isometry3d> poses;

  /// Moment of inertia of a body about any axis [kg·m²].
  [[nodiscard]] double inertia() const;
};

/// `edge` bodies along each edge: edge³ in total.
PileScene make_pile(PileKind kind, int edge);

/// A wall or the floor: the side of its normal is free.
struct PilePlane {
  Eigen::Vector3d normal;
  double offset = 0.0;  ///< points on it have normal·x = offset [m]
};
std::vector<PilePlane> pile_planes(const PileScene& scene);

/// An engine with a pile in it.
class PileEngine {
 public:
  PileEngine() = default;
  virtual ~PileEngine() = default;
  PileEngine(const PileEngine&) = delete;
  PileEngine& operator=(const PileEngine&) = delete;

  virtual void step() = 0;
  /// Contact points of the last step.
  [[nodiscard]] virtual int contacts() const = 0;
  virtual void read(std::vector<Eigen::Isometry3d>& poses) const = 0;
};

struct PileEntry {
  std::string engine;
  std::string setting;
  /// More bodies do not fit into memory, or into a day: of spheres, of boxes.
  std::array<int, 2> largest{};
  std::function<std::unique_ptr<PileEngine>(const PileScene&)> make;

  [[nodiscard]] std::string name() const {
    return setting.empty() ? engine : engine + " " + setting;
  }
};

/// Empty for engines that are not installed.
std::vector<PileEntry> bullet_piles();
std::vector<PileEntry> ode_piles();
std::vector<PileEntry> mujoco_piles();

}  // namespace stiction::bench
