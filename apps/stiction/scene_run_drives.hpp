#pragma once

/// \file
/// Controls that vary in time: tables of numbers, and sines.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "apps/stiction/number_table.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {

/// `table:FILE.csv` or `sine:NAME,AMPLITUDE,FREQUENCY`: comes on top of a control such as `pd`.
[[nodiscard]] bool is_drive(std::string_view control);
/// What is wrong with the text of a drive; empty if nothing is. Files are not looked at.
[[nodiscard]] std::string check_drive(const std::string& control);
/// The file of a table; empty for a sine.
[[nodiscard]] std::filesystem::path drive_file(const std::string& control);

/// The names that a drive acts on. Throws InputError if a table cannot be read.
[[nodiscard]] std::vector<std::string> driven_names(const std::string& control);

/// Numbers over time for actuators, and for targets of joints that are held. A function of time
/// alone, so that a run which goes on from a state does the same.
class Drives {
 public:
  Drives() = default;
  /// Reads the tables and finds the names: those of actuators, or of joints that one of `servos` or
  /// a position actuator holds. Throws InputError.
  Drives(const std::vector<std::string>& controls, const Model& model,
         const std::vector<JointServo>& servos);

  [[nodiscard]] bool empty() const { return tables_.empty() && sines_.empty(); }
  /// Tables replace controls and targets, then sines are added.
  void apply(double time, Simulation& simulation) const;
  /// Such as `sine hip 0.3 at 1 Hz`, one for each.
  [[nodiscard]] const std::vector<std::string>& descriptions() const { return descriptions_; }

 private:
  /// What a number acts on.
  struct Slot {
    bool servo = false;
    int index = -1;     ///< into the servos, or the actuators
    double gear = 1.0;  ///< of a number that is a joint's position
  };
  struct Sine {
    Slot slot;
    double amplitude = 0.0;
    double frequency = 0.0;  ///< [Hz]
  };
  struct Table {
    NumberTable numbers;
    std::vector<Slot> slots;  ///< one per column
  };
  class Names;

  void add_sine(const std::string& text, const Names& names);
  void add_table(const std::filesystem::path& file, const Names& names, const Model& model);
  /// Throws InputError if a number is outside the control range of its actuator.
  static void check_range(const Table& table, std::size_t column, const Model& model);
  static void add(const Slot& slot, double value, bool on_top, Simulation& simulation);

  std::vector<Table> tables_;
  std::vector<Sine> sines_;
  std::vector<std::string> descriptions_;
};

}  // namespace stiction
