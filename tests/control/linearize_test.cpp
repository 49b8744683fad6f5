// Linear models of a step against differences of steps of the simulation.

#include "stiction/control/linearize.hpp"

#include <cstdio>
#include <gtest/gtest.h>

#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/simulation.hpp"
#include "support/finite_differences.hpp"
#include "support/random_tree.hpp"
#include "support/robots.hpp"

namespace stiction::test {
namespace {

using Vector = Eigen::VectorXd;

constexpr double time_step = 0.01;

/// Where a step of `next` (q, v, tau to State) leads, as a difference from a fixed state.
template <class Next>
LinearStep differences_of(const Model& model, const RandomState& at, Next next) {
  const State center = next(at.q, at.v, at.tau);
  const int n = model.velocity_count();
  const auto state = [&](const Vector& q, const Vector& v, const Vector& tau) -> Vector {
    const State reached = next(q, v, tau);
    Vector result(2 * n);
    result << difference(model, center.q, reached.q), reached.v;
    return result;
  };
  LinearStep result;
  result.A.resize(2 * n, 2 * n);
  // M⁻¹ bends more than M: a smaller step than usual.
  result.A.leftCols(n) = derivative_by_q(
      model, at.q, [&](const Vector& q) { return state(q, at.v, at.tau); }, 1e-3);
  result.A.rightCols(n) =
      derivative_by(at.v, [&](const Vector& v) { return state(at.q, v, at.tau); });
  result.B = derivative_by(at.tau, [&](const Vector& tau) { return state(at.q, at.v, tau); });
  return result;
}

double largest_error(const LinearStep& ours, const LinearStep& theirs) {
  return std::max(relative_error(ours.A, theirs.A), relative_error(ours.B, theirs.B));
}

TEST(Linearize, IsTheDerivativeOfASemiImplicitStepOfTheSimulation) {
  double worst = 0.0;
  int checked = 0;
  // Trees without shapes: nothing touches.
  for (int seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<std::uint64_t>(seed));
    const Model model = make_model(random_tree(random));
    if (model.velocity_count() == 0) continue;
    StepOptions options;
    options.integrator = Integrator::semi_implicit;
    options.time_step = time_step;
    Simulation simulation(model, options);
    const RandomState at(random, model);
    const LinearStep expected =
        differences_of(model, at, [&](const Vector& q, const Vector& v, const Vector& tau) {
          State state = model.initial_state();
          state.q = q;
          state.v = v;
          simulation.set_state(state);
          simulation.joint_forces() = tau;
          simulation.step();
          return simulation.state();
        });
    Linearizer linearizer(model, time_step);
    worst = std::max(worst, largest_error(linearizer.linearize(at.q, at.v, at.tau), expected));
    ++checked;
  }
  std::printf("%d robots, largest relative error %.1e\n", checked, worst);
  EXPECT_GT(checked, 30);
  EXPECT_LT(worst, 1e-8);  // rounding, divided by the step of the differences
}

TEST(Linearize, KnowsSpringsDampersAndPrescribedBodies) {
  for_each_robot(40, [&](const Model& robot, Random& random) {
    for (const Joint& joint : robot.joints()) {
      if (joint.kind == JointKind::spherical) return;  // its spring jumps at half a turn
    }
    ModelParameters parameters = robot.parameters();
    for (double& value : parameters.damping) value = std::abs(random.normal());
    for (double& value : parameters.stiffness) value = std::abs(random.normal());
    const Model model = robot.with_parameters(parameters);
    const RandomState at(random, model);
    Linearizer stepper(model, time_step);
    const LinearStep expected =
        differences_of(model, at, [&](const Vector& q, const Vector& v, const Vector& tau) {
          (void)stepper.linearize(q, v, tau);
          State state = model.initial_state();
          state.q = stepper.next_positions();
          state.v = stepper.next_velocities();
          return state;
        });
    Linearizer linearizer(model, time_step);
    EXPECT_LT(largest_error(linearizer.linearize(at.q, at.v, at.tau), expected), 1e-8);
  });
}

TEST(Linearize, InputsChooseColumns) {
  const Model model = load_model(models_folder() / "double_pendulum.urdf").model;
  Random random(3);
  const RandomState at(random, model);
  Linearizer all(model, time_step);
  const LinearStep whole = all.linearize(at.q, at.v, at.tau);
  const int last = model.velocity_count() - 1;
  Linearizer one(model, time_step, {last});
  const LinearStep& part = one.linearize(at.q, at.v, at.tau);
  EXPECT_EQ(part.A, whole.A);
  EXPECT_EQ(part.B, whole.B.col(last));
  EXPECT_EQ(part.B.cols(), 1);
}

TEST(Linearize, RefusesWhatDoesNotFit) {
  const Model model = load_model(models_folder() / "double_pendulum.urdf").model;
  EXPECT_THROW(Linearizer(model, 0.0), std::invalid_argument);
  EXPECT_THROW(Linearizer(model, 0.01, {model.velocity_count()}), std::invalid_argument);
  EXPECT_THROW(Linearizer(model, 0.01, {-1}), std::invalid_argument);
  Linearizer linearizer(model, 0.01);
  const Vector right = Vector::Zero(model.velocity_count());
  EXPECT_THROW((void)linearizer.linearize(model.initial_positions(), Vector::Zero(7), right),
               std::invalid_argument);
}

}  // namespace
}  // namespace stiction::test
