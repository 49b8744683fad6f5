// Robots with closed loops and couplings that others wrote: they hold their start for two seconds,
// certified and closed.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

class ReferenceLoops : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceLoops, StayCertified) {
  const fs::path file = fs::path(STICTION_REFERENCE_DIR) / "menagerie" / GetParam();
  if (!fs::exists(file)) GTEST_SKIP() << file << " is not there";
  Simulation simulation(load_model(file.string()).model);
  if (!simulation.model().keyframes().empty()) {
    const Keyframe& key = simulation.model().keyframes().front();
    if (key.q.size() == simulation.state().q.size()) simulation.state().q = key.q;
    if (key.control.size() == simulation.control().size()) simulation.control() = key.control;
  }
  int locks = 0;
  while (simulation.state().time < 2.0) {
    simulation.step();
    locks = 0;
    for (const StepConstraint& constraint : simulation.report().constraints) {
      locks += constraint.kind == BlockKind::lock ? 1 : 0;
    }
  }
  EXPECT_GT(locks, 1);
  EXPECT_EQ(simulation.counts().not_certified, 0);
  EXPECT_TRUE(simulation.state().v.allFinite());
}

INSTANTIATE_TEST_SUITE_P(Menagerie, ReferenceLoops,
                         testing::Values("agility_cassie/scene.xml", "robotiq_2f85/2f85.xml",
                                         "iit_softfoot/softfoot.xml"));

}  // namespace
}  // namespace stiction
