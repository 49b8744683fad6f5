// Our own motions do what their names say, with spring contacts and with hard ones.

#include "experiments/exponential/own_motions.hpp"

#include <gtest/gtest.h>

#include "experiments/exponential/methods.hpp"
#include "experiments/exponential/published_motions.hpp"

namespace stiction::experiments {
namespace {

class OwnMotions : public testing::TestWithParam<std::string_view> {};

TEST_P(OwnMotions, AreWhatTheirNamesSayWithBothFamiliesOfContact) {
  const DrivenMotion motion = own_motion(GetParam());
  for (const char* name : {exponential_name, hard_name}) {
    const StepOptions options = method_with(AnchorRules::surface, name).options;
    const int substeps = static_cast<int>(motion.control_step / 0.001 + 0.5);
    const MotionFacts facts = observe(motion, options, substeps);
    EXPECT_EQ(complaint(GetParam(), facts), "") << name;
    EXPECT_LE(facts.torque_share, 1.0);
    EXPECT_EQ(facts.base_wrench, 0.0);
    EXPECT_LT(facts.largest_tilt, GetParam() == "jump" ? 0.5 : 0.05);
  }
}

// At the control step itself: 40, 10 and 2 ms; Romeo at 10 ms.
TEST_P(OwnMotions, AreStableAtTheLargestStepsOfThePaper) {
  const DrivenMotion motion = own_motion(GetParam());
  const int substeps = GetParam() == "romeo" ? 4 : 1;
  for (const char* name : {exponential_name, order_one_name}) {
    EXPECT_FALSE(drive(motion, method_with(AnchorRules::surface, name).options, substeps).failed)
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Motions, OwnMotions, testing::ValuesIn(motion_names),
                         [](const auto& info) { return std::string(info.param); });

TEST(OwnMotionChecks, ComplainAboutWhatIsMissing) {
  MotionFacts facts;
  EXPECT_EQ(complaint("trot", facts), "the simulation failed");
  facts.failed = false;
  EXPECT_NE(complaint("trot", facts), "");
  facts.way = 0.6;
  EXPECT_EQ(complaint("trot", facts), "");
  facts.torque_share = 1.1;
  EXPECT_NE(complaint("trot", facts), "");
  EXPECT_THROW((void)own_motion("walk"), std::invalid_argument);
}

// The same law on the same states gives the local error of zero at the steps of the truth.
TEST(LocalErrors, OfTheTruthItselfAreZero) {
  DrivenMotion motion = own_motion("squat");
  motion.control_steps = 5;
  const StepOptions options = method_with(AnchorRules::surface, exponential_name).options;
  const DrivenRun truth = drive(motion, options, 8);
  ASSERT_FALSE(truth.failed);
  EXPECT_EQ(local_error(motion, options, 8, truth).largest, 0.0);
  EXPECT_GT(local_error(motion, options, 1, truth).mean, 0.0);
}

}  // namespace
}  // namespace stiction::experiments
