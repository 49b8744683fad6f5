#include "stiction/sim/option_table.hpp"

#include <gtest/gtest.h>
#include <set>

#define STICTION_ALLOCATIONS_COUNTED_ELSEWHERE
#include "support/allocation_counter.hpp"
#include "support/option_values.hpp"

namespace stiction {
namespace {

TEST(StepOptionTable, HasARowForEveryMember) {
  constexpr std::size_t structs = 2;  // solver_options and viscoelastic
  std::size_t rows = 0;
  for (const StepOption& option : step_option_table()) rows += option.of_solver() ? 0 : 1;
  EXPECT_EQ(rows, test::member_count<StepOptions>() - structs +
                      test::member_count<ViscoelasticOptions>());
}

TEST(StepOptionTable, EachRowReachesAMemberOfItsOwn) {
  std::set<std::string> flags;
  for (const StepOption& option : step_option_table()) {
    EXPECT_TRUE(flags.insert(flag_of(option.info())).second) << option.info().name;
    EXPECT_EQ(find_step_option(option.info().name), &option);
    StepOptions options;
    option.set(options, test::another_value(option.info(), option.value(options)));
    for (const StepOption& each : step_option_table()) {
      EXPECT_EQ(each.value(options) != each.value({}), &each == &option)
          << option.info().name << " and " << each.info().name;
    }
  }
}

TEST(StepOptionTable, TextsAreReadAsTheyAreWritten) {
  for (const StepOption& option : step_option_table()) {
    const OptionValue other = test::another_value(option.info(), option.value({}));
    StepOptions options;
    EXPECT_EQ(option.read(options, to_text(other)), "") << option.info().name;
    EXPECT_EQ(option.value(options), other) << option.info().name;
    EXPECT_EQ(fault_of(option.info(), option.value({})), "") << "the default";
  }
}

TEST(StepOptionTable, WrongTextsAreToldWithARemedy) {
  const auto fault = [](std::string_view name, std::string_view text) {
    StepOptions options;
    const std::string result = find_step_option(name)->read(options, text);
    EXPECT_TRUE(different_options(options, {}).empty()) << name;
    return result;
  };
  EXPECT_EQ(fault("push_out_fraction", "3"), "push_out_fraction is 3; give a number from 0 to 1");
  EXPECT_EQ(fault("push_out_fraction", "x"), "push_out_fraction is 'x'; give a number from 0 to 1");
  EXPECT_EQ(fault("push_out_speed", "-1"), "push_out_speed is -1 m/s; give 0 or a positive number");
  EXPECT_EQ(fault("recall_fraction", "0"),
            "recall_fraction is 0; give a number above 0, at most 1");
  EXPECT_EQ(fault("time_step", "100"), "time_step is 100 s; give a number from 1e-09 to 10, or 0");
  EXPECT_EQ(fault("push_out_sweeps", "1.5"),
            "push_out_sweeps is '1.5'; give a whole number from 0 to 1000");
  EXPECT_EQ(fault("lcp.sides", "5"), "lcp.sides is 5; give an even number from 4 to 64");
  EXPECT_EQ(fault("max_iterations", "-1"),
            "max_iterations is -1; give 0 or a positive whole number");
  EXPECT_EQ(fault("work_limit", "nan"), "work_limit is 'nan'; give a positive number, or inf");
  EXPECT_EQ(fault("margin", "inf"), "margin is inf m; give 0 or a positive number");
  EXPECT_EQ(fault("margin", "1e999"), "margin is '1e999'; give 0 or a positive number");
  EXPECT_EQ(fault("margin", ""), "margin is ''; give 0 or a positive number");
  EXPECT_EQ(fault("four_face_points", "1"), "four_face_points is '1'; give on or off");
  EXPECT_EQ(fault("gap_rule", "force"), "gap_rule is 'force'; give one of position, velocity");
}

TEST(StepOptionTable, AllOtherOptionsGoTogether) {
  EXPECT_EQ(fault_of(test::all_other_options()), "");
}

TEST(StepOptionTable, FaultsOfAStepSayOptionValueAndRemedy) {
  StepOptions options;
  options.solver_options.hybrid.sweeps = 0;
  EXPECT_EQ(fault_of(options),
            "solver_options.hybrid.sweeps is 0; give a whole number from 1 to 1000000");
  options.solver = "pgs";
  EXPECT_EQ(fault_of(options), "");
  options.margin = -1.0;
  EXPECT_EQ(fault_of(options), "margin is -1 m; give 0 or a positive number");
}

TEST(StepOptionTable, GoodOptionsAllocateNothing) {
  StepOptions options;
  options.solver = "implicit_complementarity";
  const test::AllocationCounter counter;
  const bool good = fault_of(options).empty();
  EXPECT_EQ(counter.count(), 0U);
  EXPECT_TRUE(good);
}

}  // namespace
}  // namespace stiction
