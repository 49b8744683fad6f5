#pragma once

/// \file
/// What `simulate`, `compare` and `view` share: the scene and the options of the step on the
/// command line, where a run starts and what acts on it.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/stiction/model_argument.hpp"
#include "stiction/record/recording.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {

/// A scene on the command line. A URDF file gets a ground plane through the origin and is lifted
/// until it just touches it, unless its base is fixed.
struct SceneArgument {
  ModelArgument model;
  std::string keyframe;  ///< start there; empty: the first keyframe `stand` or `home` if there is
                         ///< one, else the initial positions
  std::string initial_state;  ///< a state file, or RECORDING@TIME; empty: none

  void add_to(CLI::App& command);
  /// Reads the file and prints its warnings to stderr. Throws InputError.
  [[nodiscard]] Model load() const;
  /// Throws InputError.
  [[nodiscard]] State start(const Model& model) const;
};

/// Solver, law, rules and step on the command line.
struct StepArguments {
  std::string solver = "hybrid";
  std::string law = "coulomb";
  std::string gap_rule = "position";
  std::string integrator = "trapezoid";
  double time_step = 0.0;  ///< [s]; 0: the file's wish
  double tolerance = 1e-8;
  int threads = 1;

  void add_to(CLI::App& command);
  /// With checked words. Throws CLI::ValidationError with what is possible.
  [[nodiscard]] StepOptions options() const;
};

/// What acts on the robot during a run: `zero`, `constant`, `pd` or `random`, and pushes.
struct ControlArguments {
  std::string kind;  ///< empty: `pd` if a robot stands in the scene with joints, else `zero`
  std::string pose;  ///< keyframe of the targets of `pd`; empty: where the run starts
  std::vector<double> values;  ///< of `constant`, one per actuator or one for all
  double stiffness = 0.0;      ///< kp of `pd` and `random`; 0: by the weight that the joint carries
  double damping = 0.0;        ///< kd; 0: critical
  std::vector<std::string> pushes;  ///< BODY:FX,FY,FZ:START:DURATION [N, s]
  std::uint64_t seed = 1;

  void add_to(CLI::App& command);
};

/// Applies ControlArguments before each step. Same seed, same run, bit for bit; what it does
/// depends on the state's time alone, so that a run which goes on from a state does the same.
class Controls {
 public:
  /// Throws InputError if joints, bodies or numbers do not fit the Model.
  Controls(const ControlArguments& arguments, const Model& model, const State& start);
  void apply(Simulation& simulation) const;
  [[nodiscard]] std::string description() const;  ///< for RunDescription::controls

 private:
  struct Plan;
  std::shared_ptr<const Plan> plan_;
};

/// Names of scene, options and controls, for the record.
[[nodiscard]] RunDescription describe_run(const SceneArgument& scene, const StepOptions& options,
                                          const Controls& controls, const Model& model);

}  // namespace stiction
