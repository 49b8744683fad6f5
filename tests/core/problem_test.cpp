#include "stiction/core/problem.hpp"

#include <gtest/gtest.h>

namespace stiction {
namespace {

TEST(Problem, TextSaysWhereWhatAndHowToMendIt) {
  const Problem full{
      Severity::error, {"robot.urdf", 12, "link 'torso'"}, "mass is -1", "give a positive mass"};
  EXPECT_EQ(to_string(full),
            "robot.urdf:12: error: link 'torso': mass is -1; give a positive mass");
  const Problem no_line{Severity::warning, {"robot.urdf", 0, ""}, "it is odd", "look at it"};
  EXPECT_EQ(to_string(no_line), "robot.urdf: warning: it is odd; look at it");
  const Problem bare{Severity::note, {}, "not used", ""};
  EXPECT_EQ(to_string(bare), "note: not used");
}

TEST(ProblemList, CountsBySeverityAndKeepsOrder) {
  ProblemList list;
  EXPECT_TRUE(list.empty());
  list.note({}, "first");
  list.warning({}, "second", "mend");
  EXPECT_FALSE(list.has_errors());
  list.error({}, "third", "mend");
  EXPECT_TRUE(list.has_errors());
  EXPECT_EQ(list.count(Severity::note), 1U);
  EXPECT_EQ(list.count(Severity::warning), 1U);
  EXPECT_EQ(list.count(Severity::error), 1U);
  ProblemList other;
  other.error({}, "fourth", "mend");
  list.append(other);
  ASSERT_EQ(list.all().size(), 4U);
  EXPECT_EQ(list.all()[0].what, "first");
  EXPECT_EQ(list.all()[3].what, "fourth");
}

TEST(InputError, ListsErrorsOneALineAndLeavesOutTheRest) {
  ProblemList list;
  list.error({"a.xml", 1, ""}, "this", "do that");
  list.warning({}, "only a warning", "never mind");
  list.error({"a.xml", 2, ""}, "and this", "do that too");
  const InputError error(list);
  EXPECT_STREQ(error.what(),
               "a.xml:1: error: this; do that\na.xml:2: error: and this; do that too");
  EXPECT_EQ(error.problems().all().size(), 3U);
}

}  // namespace
}  // namespace stiction
