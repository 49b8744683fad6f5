#pragma once

/// \file
/// What is behind Simulation and StepReport in Python.

#include <memory>

#include "python/source/bindings.hpp"
#include "stiction/record/page.hpp"
#include "stiction/sim/sensors.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction::python {

class Runner;

/// The report of a simulation's last step, or a copy of one.
class Report {
 public:
  explicit Report(Runner& runner) : runner_(&runner) {}
  explicit Report(const StepReport& report) : own_(std::make_shared<const StepReport>(report)) {}

  /// Throws RuntimeError while another thread steps.
  [[nodiscard]] const StepReport& get() const;

 private:
  Runner* runner_ = nullptr;
  std::shared_ptr<const StepReport> own_;
};

/// A Simulation with what Python needs beside it.
class Runner {
 public:
  Runner(const SourcedModel& model, const StepOptions& options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// For those who hold `busy`, or who have the GIL while nobody does.
  [[nodiscard]] Simulation& simulation() { return *simulation_; }
  /// The same, checked.
  [[nodiscard]] Simulation& idle() {
    busy.require_idle();
    return *simulation_;
  }

  void step();
  void run(double seconds);
  void begin_record();
  /// The page of what was kept.
  [[nodiscard]] std::string page();
  /// Of this model.
  void set_state(const State& state);
  void reset(const std::string& keyframe);

  Busy busy;
  SourcedModel model;  ///< as it was given, with its source
  SensorArray sensors;
  Report report{*this};

 private:
  void keep(const StepReport* report);

  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<PageFrames> frames_;  ///< while it is recorded for a page
};

}  // namespace stiction::python
