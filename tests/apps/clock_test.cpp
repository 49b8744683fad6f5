// A state is everything: no decision of a step depends on how fast the machine is.

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "support/program.hpp"

namespace stiction {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::run_stiction;
using test::TemporaryFolder;

/// Crates in a block on the ground, which all lean on each other: one island of many hundred rows.
std::string block_of_crates(int side) {
  std::string text = R"(<mujoco><option timestep="0.002"/><worldbody>
  <geom type="plane" size="5 5 1"/>
)";
  for (int x = 0; x < side; ++x) {
    for (int y = 0; y < side; ++y) {
      for (int z = 0; z < side; ++z) {
        text += fmt::format(
            R"(<body pos="{} {} {}"><freejoint/><geom type="box" size="0.05 0.05 0.05"/></body>)",
            0.0999 * x + 0.02 * (z % 2), 0.0999 * y, 0.05 + 0.1 * z);
      }
    }
  }
  return text + "</worldbody></mujoco>";
}

json run(const std::string& file, const std::string& environment) {
  const ProgramResult result =
      run_stiction({"simulate", file, "--duration", "0.006", "--json"}, environment);
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1) << result.errors;
  return json::parse(result.output, nullptr, false);
}

TEST(Clock, LargeIslandsEndInTheSameBitsOnASlowMachine) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "crates.xml").string();
  std::ofstream(file) << block_of_crates(4);
  const json usual = run(file, "");
  const json slow = run(file,
                        "ASAN_OPTIONS=exitcode=99:verify_asan_link_order=0 "
                        "LD_PRELOAD=" STICTION_RACING_CLOCK);
  ASSERT_TRUE(usual.contains("state_hash") && slow.contains("state_hash"));
  EXPECT_GT(usual["most_contacts"].get<int>(), 150) << "islands of at least 450 rows were meant";
  EXPECT_LT(slow["real_time_factor"].get<double>(), 1e-2) << "the clock does not race";
  EXPECT_EQ(usual["state_hash"], slow["state_hash"]);
}

}  // namespace
}  // namespace stiction
