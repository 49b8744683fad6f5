#pragma once

/// \file
/// Where the slip problems of the experiments come from: ANYmal on four sphere feet, driven to
/// random joint angles on flat ground, stepped by 1 ms.

#include <cstdint>
#include <vector>

#include "stiction/contact/one_contact.hpp"

namespace stiction::experiments {

/// One contact as a sweep of per-contact iteration meets it.
struct SlipSample {
  ContactFactor<double> factor;
  Vector3<double> c;  ///< velocity without this contact's impulse [m/s]

  /// |b|; a contact with 1 or more can jam.
  [[nodiscard]] double eccentricity() const;
};

struct DriveOptions {
  double friction = 0.8;
  double step = 0.001;               ///< h [s]
  double reference_deviation = 1.0;  ///< of the joint angles asked for [rad]
  double reference_time = 0.25;      ///< new ones after so long [s]
  double reset_time = 5.0;           ///< [s]
  std::uint64_t seed = 1;
};

/// Runs until `count` problems have slipped: all that the sweeps of [PCI, Algorithm 2] solve, in
/// their order.
std::vector<SlipSample> record_slip_problems(int count, const DriveOptions& options);

}  // namespace stiction::experiments
