#include <gtest/gtest.h>

#include "stiction/contact/laws.hpp"
#include "stiction/contact/one_contact_solvers.hpp"
#include "support/lanes.hpp"

namespace stiction {
namespace {

TEST(LawTable, NamesAreReadBack) {
  for (const LawTraits& row : law_table) {
    EXPECT_EQ(parse_law(to_string(row.law)), row.law);
    EXPECT_EQ(functions_of(row.law).law, row.law);
  }
  EXPECT_EQ(to_string(static_cast<Law>(law_table.size())), "?");
  EXPECT_EQ(parse_law("?"), std::nullopt);
}

/// A law without lanes of its own is swept by its exact answer, in every lane alike.
TEST(LawTable, ExactAnswersStandInForSweeps) {
  const Symmetric3<double> W{1.2, 0.1, 0.2, 0.9, -0.1, 0.7};
  const ContactFactor<double> factor = factorize_contact<double>(W, 0.4);
  const ContactFactor<Lane> wide = factorize_contact<Lane>(
      {Lane(W.xx), Lane(W.xy), Lane(W.xz), Lane(W.yy), Lane(W.yz), Lane(W.zz)}, Lane(0.4));
  const Vector3<double> velocities[] = {{0.3, -0.2, 0.5}, {0.01, 0.0, -1.0}, {2.0, 1.0, -1.0}};
  for (const LawTraits& row : law_table) {
    for (const Vector3<double>& c : velocities) {
      const ContactAnswer<double> expected = functions_of(row.law).project(factor, c, {});
      const ExactContactSolver solver{row.law};
      const ContactAnswer<Lane> lanes =
          solver(wide, Vector3<Lane>{Lane(c.x), Lane(c.y), Lane(c.z)}, Vector3<Lane>{});
      EXPECT_EQ(solver(factor, c, {}).impulse.x, expected.impulse.x);
      for (std::size_t slot = 0; slot < lane_width; ++slot) {
        EXPECT_EQ(lane_value(lanes.impulse.x, slot), expected.impulse.x);
        EXPECT_EQ(lane_value(lanes.impulse.y, slot), expected.impulse.y);
        EXPECT_EQ(lane_value(lanes.impulse.z, slot), expected.impulse.z);
        EXPECT_EQ(lane_value(lanes.mode, slot), expected.mode);
      }
    }
  }
}

}  // namespace
}  // namespace stiction
