// Derivatives of the equations of implicit Euler against differences, and how fast Newton's method
// is with them.

#include "stiction/sim/implicit_equations.hpp"

#include <Eigen/LU>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

#include "stiction/core/index.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"
#include "support/scenes.hpp"

namespace stiction::test {
namespace {

/// The equations of a step from a state, without joint forces.
class Equations {
 public:
  Equations(const Model& model, const StepOptions& options, const State& state)
      : model_(model),
        layout_(model),
        tendons_(model),
        collider_(model),
        state_(state),
        options_(options.viscoelastic),
        tau_(index(model.velocity_count()), 0.3),
        inertia_(tau_.size(), 0.01),
        equations_(model),
        h_(options.time_step) {}

  Eigen::VectorXd at(const Eigen::VectorXd& v) {
    Eigen::VectorXd result(v.size());
    equations_.evaluate(input(), as_span(v), as_span(result));
    return result;
  }
  Eigen::MatrixXd derivative() {
    PaddedMatrix matrix;
    matrix.resize(model_.velocity_count());
    equations_.linearize(input(), matrix);
    Eigen::MatrixXd result(matrix.size(), matrix.size());
    for (Eigen::Index j = 0; j < matrix.size(); ++j) {
      for (Eigen::Index i = 0; i < matrix.size(); ++i) result(i, j) = matrix(i, j);
    }
    return result;
  }
  /// By central differences.
  Eigen::MatrixXd differences(const Eigen::VectorXd& v, double step) {
    Eigen::MatrixXd result(v.size(), v.size());
    for (Eigen::Index k = 0; k < v.size(); ++k) {
      Eigen::VectorXd shifted = v;
      shifted[k] = v[k] + step;
      result.col(k) = at(shifted);
      shifted[k] = v[k] - step;
      result.col(k) -= at(shifted);
      result.col(k) /= 2.0 * step;
    }
    return result;
  }
  [[nodiscard]] const ImplicitEquations& get() const { return equations_; }

 private:
  ImplicitInput input() {
    return {.model = model_,
            .layout = layout_,
            .tendons = tendons_,
            .options = options_,
            .state = state_,
            .tau = tau_,
            .inertia = inertia_,
            .external = {},
            .time_step = h_,
            .four_face_points = false,
            .collider = collider_};
  }

  const Model& model_;
  SceneLayout layout_;
  TendonSet tendons_;
  Collider collider_;
  State state_;
  ViscoelasticOptions options_;
  std::vector<double> tau_;
  std::vector<double> inertia_;
  ImplicitEquations equations_;
  double h_;
};

StepOptions implicit(AnchorRules rules) {
  StepOptions options;
  options.contact = ContactFamily::viscoelastic;
  options.viscoelastic.integrator = ContactIntegrator::implicit_euler;
  options.viscoelastic.rules = rules;
  options.time_step = 2e-3;
  return options;
}

struct Seen {
  int stick = 0;
  int slip = 0;
  int open = 0;
};

/// Compares at velocities around those of a state.
void compare(const Model& model, const StepOptions& options, const State& state, double spread,
             std::mt19937& random, Seen& seen) {
  std::normal_distribution<double> normal(0.0, spread);
  Equations equations(model, options, state);
  Eigen::VectorXd v = state.v;
  for (double& entry : v) entry += normal(random);
  static_cast<void>(equations.at(v));
  for (const Spring& spring : equations.get().springs()) {
    if (!(spring.force.z > 0.0)) {
      ++seen.open;
    } else {
      ++(spring.slips ? seen.slip : seen.stick);
    }
  }
  const Eigen::MatrixXd exact = equations.derivative();
  const Eigen::MatrixXd near = equations.differences(v, 1e-6);
  const double scale = exact.cwiseAbs().maxCoeff();
  EXPECT_LT((exact - near).cwiseAbs().maxCoeff(), 2e-7 * scale)
      << (exact - near).cwiseAbs().rowwise().maxCoeff().transpose() / scale;
}

TEST(ImplicitEquations, DerivativesAreThoseOfTheResidual) {
  std::mt19937 random(7);
  for (const AnchorRules rules : {AnchorRules::surface, AnchorRules::authors}) {
    for (const double friction : {1.0, 0.1}) {
      Seen seen;
      const Model model = with_friction(load_scene("quadruped_stand"), friction);
      Simulation simulation(model, implicit(rules));
      simulation.reset_to_keyframe("stand");
      State state = simulation.state();
      state.v.head<3>() << 0.5, 0.1, -0.5;
      simulation.set_state(state);
      for (int k = 0; k < 40; ++k) {
        compare(model, implicit(rules), simulation.state(), 0.05, random, seen);
        simulation.step();
      }
      EXPECT_GT(friction == 1.0 ? seen.stick : seen.slip, 40);
    }
  }
}

// Spheres on planes, faces and spheres; capsules and corners on planes and on what moves.
TEST(ImplicitEquations, DerivativesFollowTheGeometryOfContacts) {
  SceneBuilder scene;
  scene.use_material(0.5);
  scene.add_plane("floor");
  const Eigen::Vector3d tilted = Eigen::Vector3d(1.0, 2.0, 0.5).normalized();
  scene.add_sphere("on floor", 0.1, 1.0, at(0, 0, 0.099));
  scene.add_sphere("on sphere", 0.05, 0.5, at(0.03, 0.02, 0.2438));
  scene.add_box("box", {0.2, 0.1, 0.05}, 2.0, at(1, 0, 0.0495));
  scene.add_sphere("on box", 0.08, 1.0, at(1.05, 0.02, 0.1785));
  scene.add_capsule("capsule", 0.05, 0.2, 1.0,
                    at({2, 0, 0.0495}, 0.5 * std::numbers::pi, Eigen::Vector3d::UnitY()));
  scene.add_box("corner", {0.1, 0.1, 0.1}, 1.0, at({3, 0, 0.165}, 0.8, tilted));
  const Model model = scene.build();
  std::mt19937 random(11);
  for (const AnchorRules rules : {AnchorRules::surface, AnchorRules::authors}) {
    Simulation simulation(model, implicit(rules));
    Seen seen;
    for (int k = 0; k < 20; ++k) {
      compare(model, implicit(rules), simulation.state(), 0.02, random, seen);
      simulation.step();
      ASSERT_EQ(simulation.report().status, StepStatus::ok) << simulation.report().message;
    }
    EXPECT_GT(seen.stick, 20);
    EXPECT_GT(seen.slip, 20);
  }
}

// The number of right digits doubles with each iteration, also where feet slip.
TEST(ImplicitEquations, NewtonsMethodConvergesQuadratically) {
  for (const double friction : {1.0, 0.1}) {
    const Model model = with_friction(load_scene("quadruped_stand"), friction);
    Simulation simulation(model, implicit(AnchorRules::surface));
    simulation.reset_to_keyframe("stand");
    State state = simulation.state();
    state.v.head<3>() << 0.5, 0.1, -0.5;
    simulation.set_state(state);
    simulation.run(0.02);
    Equations equations(model, implicit(AnchorRules::surface), simulation.state());
    Eigen::VectorXd v = simulation.state().v;
    const auto improve = [&] {
      const Eigen::VectorXd residual = equations.at(v);
      const Eigen::VectorXd change = equations.derivative().partialPivLu().solve(residual);
      v -= change;
      return change.norm();
    };
    double change = improve();
    int iterations = 1;
    for (; change > 1e-10 && iterations < 10; ++iterations) {
      const double next = improve();
      if (change < 1e-2) {
        EXPECT_LT(next, 10.0 * change * change + 1e-12) << iterations;
      }
      change = next;
    }
    EXPECT_LE(iterations, 6);
  }
}

}  // namespace
}  // namespace stiction::test
