#pragma once

/// \file
/// Same bits in a lane and alone: gathers whatever a computation gives, number by number, with
/// either scalar, and compares slot by slot.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "stiction/core/scalar.hpp"
#include "stiction/spatial/rotation.hpp"
#include "stiction/spatial/spatial.hpp"

namespace stiction::test {

/// Results of kernels, number by number, each under the name of its kernel.
template <Scalar S>
class Record {
 public:
  void section(const std::string& name) { sections_.push_back({name, values_.size()}); }

  void add(const S& x) { values_.push_back(x); }
  void add(const Vector3<S>& v) { add_all(v.x, v.y, v.z); }
  void add(const Matrix3<S>& m) { add_all(m.c0, m.c1, m.c2); }
  void add(const Symmetric3<S>& m) { add_all(m.xx, m.xy, m.xz, m.yy, m.yz, m.zz); }
  void add(const Quaternion<S>& q) { add_all(q.x, q.y, q.z, q.w); }
  void add(const Motion<S>& m) { add_all(m.angular, m.linear); }
  void add(const Force<S>& f) { add_all(f.angular, f.linear); }
  void add(const SineCosine<S>& a) { add_all(a.sine, a.cosine); }
  void add(std::span<const S> entries) {
    for (const S& entry : entries) add(entry);
  }
  template <class... Parts>
  void add_all(const Parts&... parts) {
    (add(parts), ...);
  }

  [[nodiscard]] const std::vector<S>& values() const { return values_; }
  [[nodiscard]] std::string section_of(std::size_t index) const {
    std::string name;
    for (const auto& [title, first] : sections_) {
      if (first <= index) name = title;
    }
    return name;
  }

 private:
  std::vector<S> values_;
  std::vector<std::pair<std::string, std::size_t>> sections_;
};

/// Bit for bit; any NaN equals any other, for its sign and payload carry no meaning.
inline bool same_bits(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return true;
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Reports the first difference between a lone result and one slot of a lane result.
inline void expect_same_bits(const Record<double>& alone, const Record<Lane>& lanes,
                             std::size_t slot) {
  ASSERT_EQ(alone.values().size(), lanes.values().size());
  for (std::size_t i = 0; i < alone.values().size(); ++i) {
    const double a = alone.values()[i];
    const double b = lane_value(lanes.values()[i], slot);
    ASSERT_TRUE(same_bits(a, b)) << alone.section_of(i) << ", number " << i << ", slot " << slot
                                 << ": alone " << std::hexfloat << a << ", in a lane " << b;
  }
}

/// One vector per slot into one vector of lanes.
template <class Vector>
std::vector<Lane> pack(const std::array<Vector, lane_width>& slots) {
  std::vector<Lane> lanes(static_cast<std::size_t>(slots[0].size()), Lane(0.0));
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      set_lane(lanes[i], slot, slots[slot].data()[i]);
    }
  }
  return lanes;
}

}  // namespace stiction::test
