// A minute of random actions and pushes on two robots. Ten hours of it: experiments/long_run.

#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "experiments/random_actions.hpp"

namespace stiction {
namespace {

struct Case {
  const char* robot;
  experiments::ActionRules rules;
  double duration;  ///< [s]
};

class LongRun : public testing::TestWithParam<Case> {};

double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  long pages = 0, resident = 0;
  file >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

TEST_P(LongRun, StaysFiniteCountsWhatIsNotCertifiedAndKeepsItsMemory) {
  const auto path = std::filesystem::path(STICTION_SOURCE_DIR) / "models" /
                    (std::string(GetParam().robot) + ".urdf");
  experiments::RandomActions run(experiments::robot_on_floor(path), StepOptions{.time_step = 0.001},
                                 GetParam().rules, 3);
  const auto steps = std::lround(GetParam().duration / 0.001);
  [[maybe_unused]] double early = 0.0;
  long long counted = 0;
  for (long k = 0; k < steps; ++k) {
    const StepReport& report = run.step();
    ASSERT_TRUE(report.status == StepStatus::ok || report.status == StepStatus::not_certified)
        << report.message << " in step " << k << " of seed 3";
    ASSERT_TRUE(run.simulation().state().q.allFinite() && run.simulation().state().v.allFinite());
    // What is not certified says so; what says nothing is certified.
    counted += report.status == StepStatus::not_certified ? 1 : 0;
    ASSERT_EQ(report.ok(), report.uncertified == 0);
    if (report.ok()) {
      ASSERT_TRUE(report.certificate.certified(1e-8));
    }
    if (k == steps / 10) early = resident_megabytes();
  }
  EXPECT_EQ(run.simulation().counts().not_certified, counted);
  EXPECT_LT(static_cast<double>(counted), 1e-2 * static_cast<double>(steps));
  EXPECT_GT(run.mean_contacts(), 0.1);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Room for a problem larger than all before, not for a hundred bytes a step.
  EXPECT_LT(resident_megabytes() - early, 2.0);
#endif
  RecordProperty("not_certified", std::to_string(counted));
}

INSTANTIATE_TEST_SUITE_P(Robots, LongRun,
                         testing::Values(Case{"anymal", {.height = 0.7, .reach = 1.0}, 60.0},
                                         Case{"romeo", {.height = 1.1, .reach = 0.6}, 60.0}),
                         [](const auto& info) { return std::string(info.param.robot); });

}  // namespace
}  // namespace stiction
