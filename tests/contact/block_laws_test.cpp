// What each kind of block requires of its impulses, against the definitions in BlockKind.

#include "stiction/contact/block_laws.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "stiction/core/random.hpp"

namespace stiction {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

const Block contact{.kind = BlockKind::contact, .row = 4, .rows = 3, .friction = 0.5};
const Block limit{.kind = BlockKind::limit, .row = 4, .rows = 1};
const Block joint_friction{.kind = BlockKind::joint_friction, .row = 4, .rows = 1, .bound = 2.0};
const Block lock{.kind = BlockKind::lock, .row = 4, .rows = 2};

TEST(BlockLaws, EveryKindHasItsSet) {
  EXPECT_EQ(impulse_set(contact), ImpulseSet::cone);
  EXPECT_EQ(impulse_set(limit), ImpulseSet::half_line);
  EXPECT_EQ(impulse_set(joint_friction), ImpulseSet::interval);
  EXPECT_EQ(impulse_set(lock), ImpulseSet::all);
  for (const Block& block : {contact, limit, joint_friction, lock}) {
    const ImpulseSet set = impulse_set(block);
    EXPECT_EQ(has_cone(block), set == ImpulseSet::cone) << to_string(block.kind);
    EXPECT_EQ(is_bilateral(block), set == ImpulseSet::all) << to_string(block.kind);
    EXPECT_EQ(is_one_sided(block), set == ImpulseSet::cone || set == ImpulseSet::half_line);
  }
  EXPECT_EQ(normal_row(contact), 6);
  EXPECT_EQ(normal_row(limit), 4);
}

TEST(BlockLaws, FunctionsOfARowAgreeWithItsBounds) {
  EXPECT_EQ(row_bounds(limit).lower, 0.0);
  EXPECT_EQ(row_bounds(limit).upper, infinity);
  EXPECT_EQ(row_bounds(joint_friction).lower, -2.0);
  EXPECT_EQ(row_bounds(joint_friction).upper, 2.0);
  EXPECT_EQ(row_bounds(lock).lower, -infinity);
  EXPECT_EQ(row_bounds(lock).upper, infinity);
  for (const Block& block : {limit, joint_friction, lock}) {
    const auto [lower, upper] = row_bounds(block);
    for (const double impulse : {-3.0, -2.0, -0.5, 0.0, 0.5, 2.0, 3.0}) {
      EXPECT_EQ(project_row(block, impulse), std::clamp(impulse, lower, upper));
      EXPECT_EQ(is_inside(block, impulse), lower < impulse && impulse < upper);
      EXPECT_EQ(row_excess(block, impulse) > 0.0, impulse < lower || impulse > upper)
          << to_string(block.kind) << ' ' << impulse;
    }
  }
}

TEST(BlockLaws, ProjectionIsTheNearestImpulseOfTheSet) {
  Random random(1);
  for (int k = 0; k < 1000; ++k) {
    const double x[3] = {random.normal(), random.normal(), random.normal()};
    double nearest[3] = {x[0], x[1], x[2]};
    project(contact, nearest);
    const auto distance = [&](const double* y) {
      return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
    };
    EXPECT_LE(std::hypot(nearest[0], nearest[1]), 0.5 * nearest[2] + 1e-15) << "sample " << k;
    for (int other = 0; other < 10; ++other) {
      const double normal = std::abs(random.normal());
      const double angle = random.uniform(0.0, 6.3), size = 0.5 * normal * random.uniform();
      const double inside[3] = {size * std::cos(angle), size * std::sin(angle), normal};
      EXPECT_LE(distance(nearest), distance(inside)) << "sample " << k;
    }
  }
  double rows[2] = {-3.0, 5.0};
  project(lock, rows);
  EXPECT_EQ(rows[0], -3.0);
  EXPECT_EQ(rows[1], 5.0);
  project(limit, rows);
  EXPECT_EQ(rows[0], 0.0);
  project(joint_friction, rows + 1);
  EXPECT_EQ(rows[1], 2.0);
}

TEST(BlockLaws, ClippingKeepsTheNormalImpulse) {
  double pressed[3] = {3.0, 4.0, 5.0};
  clip(contact, pressed);
  EXPECT_EQ(pressed[0], 1.5);
  EXPECT_EQ(pressed[1], 2.0);
  EXPECT_EQ(pressed[2], 5.0);
  double pulled[3] = {3.0, 4.0, -5.0};
  clip(contact, pulled);
  EXPECT_EQ(std::hypot(pulled[0], pulled[1], pulled[2]), 0.0);
  double row = -1.0;
  clip(limit, &row);
  EXPECT_EQ(row, 0.0);
}

TEST(BlockLaws, FrictionScaleShortensWhatIsTooLong) {
  EXPECT_EQ(friction_scale(contact, 1.0, 4.0), 1.0);
  EXPECT_EQ(friction_scale(contact, 2.0, 4.0), 1.0);
  EXPECT_EQ(friction_scale(contact, 4.0, 4.0), 0.5);
  EXPECT_EQ(friction_scale(contact, 0.0, 0.0), 1.0);
  EXPECT_EQ(friction_scale(contact, 1.0, 0.0), 0.0);
}

TEST(BlockLaws, AnotherUnitScalesBoundsButNotCones) {
  EXPECT_EQ(in_unit(joint_friction, 4.0).bound, 0.5);
  EXPECT_EQ(in_unit(contact, 4.0).friction, 0.5);
}

TEST(BlockLaws, ModesFollowImpulseAndSlip) {
  const double moving[] = {1.0, 0.0, 0.0}, still[] = {0.0, 0.0, 0.0};
  const double none[] = {0.0, 0.0, 0.0}, inside[] = {0.4, 0.0, 1.0}, edge[] = {0.5, 0.0, 1.0};
  EXPECT_EQ(mode_of(contact, none, moving, 1e-9), ContactMode::open);
  EXPECT_EQ(mode_of(contact, inside, moving, 1e-9), ContactMode::stick);
  EXPECT_EQ(mode_of(contact, edge, moving, 1e-9), ContactMode::slip);
  EXPECT_EQ(mode_of(contact, edge, still, 1e-9), ContactMode::stick);
  EXPECT_EQ(mode_of(limit, none, moving, 1e-9), ContactMode::open);
  EXPECT_EQ(mode_of(limit, inside, still, 1e-9), ContactMode::stick);
  const double bound[] = {-2.0};
  EXPECT_EQ(mode_of(joint_friction, inside, moving, 1e-9), ContactMode::stick);
  EXPECT_EQ(mode_of(joint_friction, bound, moving, 1e-9), ContactMode::slip);
  EXPECT_EQ(mode_of(lock, none, moving, 1e-9), ContactMode::stick);
}

}  // namespace
}  // namespace stiction
