#pragma once

/// \file
/// The four tests of [EXP] with the authors' robots, motions, plans and gains. Their files are not
/// part of this repository; where a paper is silent, their README says what the code does.

#include <array>
#include <filesystem>
#include <string_view>

#include "experiments/driven_motion.hpp"
#include "experiments/integration_tables.hpp"

namespace stiction::experiments {

inline constexpr std::array<std::string_view, 4> motion_names{"squat", "jump", "trot", "romeo"};

/// Control steps and small steps of the authors' own tests.
struct PublishedTest {
  std::string_view name;
  double control_step;  ///< [s]
  int control_steps;
  int stability_steps;  ///< control steps of the stability test
  int truth_substeps;   ///< steps in a control step of the ground truth
};

/// Throws std::invalid_argument that lists the names for another one.
const PublishedTest& published_test(std::string_view name);

struct PublishedMotion {
  DrivenMotion motion;
  GroundTruth truth;  ///< of the authors' exponential method
};

/// Reads the files of a test. Throws an InputError that names the file if one is missing, is of
/// another robot, or has the wrong size.
PublishedMotion load_published_motion(const std::filesystem::path& folder, std::string_view name);

}  // namespace stiction::experiments
