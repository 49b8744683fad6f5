#pragma once

#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "stiction/core/paths.hpp"
#include "stiction/core/problem.hpp"
#include "stiction/io/load.hpp"
#include "stiction/record/recording.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction::test {

/// Two boxes and a ball that fall on a floor, one after the other.
Model falling_things();

const Model& standing_robot();

RunDescription description();

/// A frame as it should come back.
struct ExpectedFrame {
  State state;
  std::vector<StepContact> contacts;
  std::vector<SpringEnds> springs;
  double worst_residual = 0.0;
  double deepest_overlap = 0.0;
  int iterations = 0;
  int steps = 0;
};

/// Records some steps and tells what was recorded.
std::vector<ExpectedFrame> record(const std::filesystem::path& path, Simulation& simulation,
                                  int steps, const RecorderOptions& options = {});

/// The text of the one error that `act` throws.
std::string input_error(const std::function<void()>& act);

std::string open_error(const std::filesystem::path& path);

/// Same bits: 0.0 and -0.0 differ.
bool same_bits(const Vector3<double>& a, const Vector3<double>& b);

void expect_same(const RecordedFrame& frame, const ExpectedFrame& expected);

}  // namespace stiction::test
