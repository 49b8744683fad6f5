#include "stiction/solver/option_table.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "stiction/solver/solver.hpp"
#include "support/option_values.hpp"

namespace stiction {
namespace {

std::size_t rows_of(std::string_view group) {
  std::size_t count = 0;
  for (const SolverOption& row : solver_option_table()) {
    const std::string_view name = row.info.name;
    const std::size_t dot = name.rfind('.');
    if (name.substr(0, dot == std::string_view::npos ? 0 : dot) == group) ++count;
  }
  return count;
}

TEST(SolverOptionTable, HasARowForEveryMember) {
  constexpr std::size_t groups = 7;       // of solvers, in SolverOptions
  constexpr std::size_t one_contact = 1;  // in PerContactOptions
  EXPECT_EQ(rows_of(""), test::member_count<SolverOptions>() - groups);
  EXPECT_EQ(rows_of("per_contact"), test::member_count<PerContactOptions>() - one_contact);
  EXPECT_EQ(rows_of("per_contact.one_contact"), test::member_count<OneContactOptions>());
  EXPECT_EQ(rows_of("pgs"), test::member_count<PgsOptions>());
  EXPECT_EQ(rows_of("implicit_complementarity"),
            test::member_count<ImplicitComplementarityOptions>());
  EXPECT_EQ(rows_of("lcp"), test::member_count<LcpOptions>());
  EXPECT_EQ(rows_of("convex"), test::member_count<ConvexOptions>());
  EXPECT_EQ(rows_of("admm"), test::member_count<AdmmOptions>());
  EXPECT_EQ(rows_of("hybrid"), test::member_count<HybridOptions>());
}

TEST(SolverOptionTable, EachRowReachesAMemberOfItsOwn) {
  std::set<std::string_view> names;
  for (const SolverOption& row : solver_option_table()) {
    EXPECT_TRUE(names.insert(row.info.name).second) << row.info.name;
    SolverOptions options;
    const OptionValue other = test::another_value(row.info, row.value(options));
    row.set(options, other);
    for (const SolverOption& each : solver_option_table()) {
      EXPECT_EQ(each.value(options) != each.value(SolverOptions{}), &each == &row)
          << row.info.name << " and " << each.info.name;
    }
    EXPECT_EQ(row.value(options), other) << row.info.name;
  }
}

TEST(SolverOptionTable, EveryWordOfAnEnumIsInItsRange) {
  for (const SolverOption& row : solver_option_table()) {
    if (row.info.words == nullptr) continue;
    EXPECT_EQ(static_cast<double>(row.info.words().size()), row.info.range.most + 1.0)
        << row.info.name << ": the row names another enumerator than the last";
  }
}

/// Values that an option may not have.
std::vector<OptionValue> wrong_values(const SolverOption& row) {
  const OptionRange& range = row.info.range;
  const OptionValue usual = row.value(SolverOptions{});
  std::vector<OptionValue> wrong;
  if (std::holds_alternative<double>(usual)) {
    wrong = {std::nan(""), -HUGE_VAL, std::nextafter(range.least, -HUGE_VAL)};
    if (range.above_least) wrong.emplace_back(range.least);
    if (range.most < HUGE_VAL) wrong.emplace_back(std::nextafter(range.most, HUGE_VAL));
  }
  if (std::holds_alternative<int>(usual)) {
    wrong = {std::numeric_limits<int>::min(), static_cast<int>(range.least) - 1};
    if (range.most < std::numeric_limits<int>::max()) {
      wrong.emplace_back(static_cast<int>(range.most) + 1);
    }
    if (range.even) wrong.emplace_back(static_cast<int>(range.least) + 1);
  }
  return wrong;
}

TEST(SolverOptionTable, ValuesOutOfRangeAreNamedToTheSolversThatUseThem) {
  for (const SolverOption& row : solver_option_table()) {
    for (const OptionValue& wrong : wrong_values(row)) {
      SolverOptions options;
      row.set(options, wrong);
      for (const std::string_view solver : solver_names()) {
        const std::string fault(fault_of(options, solver));
        EXPECT_EQ(!fault.empty(), uses_option(solver, row)) << row.info.name << " in " << solver;
        EXPECT_TRUE(fault.empty() || fault.starts_with(row.info.name)) << fault;
        EXPECT_EQ(option_out_of_range(options, solver), fault.empty() ? nullptr : &row);
      }
    }
  }
}

TEST(SolverOptionTable, EnumeratorsThatThereAreNotAreNamed) {
  SolverOptions options;
  options.lcp.method = static_cast<LcpOptions::Method>(2);
  EXPECT_EQ(fault_of(options, "lcp"), "lcp.method must be one of lemke, newton");
  EXPECT_EQ(fault_of(options, "hybrid"), "");
}

TEST(SolverOptionTable, ALimitMayBeInfinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(fault_of(SolverOptions{.work_limit = infinity, .time_limit = infinity}, "pgs"), "");
  EXPECT_NE(fault_of(SolverOptions{.tolerance = infinity}, "pgs"), "");
}

}  // namespace
}  // namespace stiction
