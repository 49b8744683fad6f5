// The sensor of the time, as MJCF writes it.

#include <gtest/gtest.h>

#include "stiction/io/load.hpp"
#include "stiction/sim/sensors.hpp"
#include "stiction/sim/simulation.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

TEST(ClockSensor, ReadsTheTimeOfTheState) {
  const test::TemporaryFolder folder;
  const LoadedModel loaded = load_model(
      folder.write("clock.xml", R"(<mujoco><option timestep="0.01"/><worldbody><body><freejoint/>
    <geom size="0.1" mass="1"/></body></worldbody><sensor><clock name="time"/></sensor></mujoco>)"));
  Simulation simulation(loaded.model);
  SensorArray sensors(simulation.model());
  ASSERT_EQ(sensors.size(), 1);
  simulation.run(0.25);
  sensors.evaluate(simulation.model(), simulation.state(), simulation.workspace(),
                   simulation.report());
  EXPECT_EQ(sensors.reading("time")[0], simulation.state().time);
  EXPECT_NEAR(sensors.reading("time")[0], 0.25, 1e-12);
}

}  // namespace
}  // namespace stiction
