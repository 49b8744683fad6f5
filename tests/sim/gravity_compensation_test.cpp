// Bodies whose weight is carried move as if there were no gravity.

#include <gtest/gtest.h>

#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction {
namespace {

/// A body without net force keeps spinning, also about a frame away from its centre of mass.
TEST(GravityCompensation, AWeightlessBodyKeepsSpinning) {
  for (const char* joint : {"<freejoint/>", "<joint axis='0 1 0'/>"}) {
    for (const Integrator integrator : {Integrator::trapezoid, Integrator::rk4}) {
      SCOPED_TRACE(std::string(joint) + " " + std::string(to_string(integrator)));
      Simulation simulation(
          load_model_text("<mujoco><worldbody><body gravcomp='1'>" + std::string(joint) +
                              "<geom size='.1' pos='.5 0 0' mass='1'/></body></worldbody></mujoco>",
                          "weightless.xml")
              .model,
          {.integrator = integrator});
      const Eigen::Index turn = simulation.model().velocity_count() == 6 ? 4 : 0;
      simulation.state().v[turn] = 3.0;
      EXPECT_EQ(simulation.run(1.0).status, StepStatus::ok);
      // The midpoint rule loses some 1e-7 of the turn about a frame that is not the centre.
      EXPECT_NEAR(simulation.state().v[turn], 3.0, 1e-5);
    }
  }
}

}  // namespace
}  // namespace stiction
