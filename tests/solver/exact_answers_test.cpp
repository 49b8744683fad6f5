// Scenes whose answer is known on paper, for every solver that takes their law.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "stiction/contact/targets.hpp"
#include "stiction/solver/lcp.hpp"
#include "stiction/solver/solver.hpp"
#include "support/exact_scenes.hpp"

namespace stiction::test {
namespace {

using Impulses = std::vector<double>;

constexpr double degree = std::numbers::pi / 180.0;
constexpr double time_step = 1e-3;  // [s]

SolverOptions options_of(Law law) {
  SolverOptions options;
  options.law = law;
  options.tolerance = 1e-10;
  return options;
}

class ExactAnswer : public testing::TestWithParam<std::string_view> {
 protected:
  ExactAnswer() : solver_(make_solver(GetParam())) {}

  [[nodiscard]] bool takes(Law law, const ContactProblem& problem) const {
    return solver_->refusal(problem, options_of(law)).empty();
  }

  /// Impulses under a law; whoever takes it must say that it succeeded. The scenes slide along an
  /// edge of the pyramid, so that it is exact too.
  Impulses solve(const SolverOptions& options, const ContactProblem& problem) {
    Impulses impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
    const SolverReport report = solver_->solve(problem, options, impulses);
    EXPECT_TRUE(report.certified())
        << to_string(options.law) << ": " << to_string(report.status) << ", "
        << report.certificate.residual() << ", " << report.iterations;
    return impulses;
  }

  Impulses solve(Law law, const ContactProblem& problem) { return solve(options_of(law), problem); }

  bool certifies(Law law, const ContactProblem& problem) {
    Impulses impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
    return solver_->solve(problem, options_of(law), impulses).certified();
  }

  Eigen::VectorXd motion(Law law, const Scene& scene) {
    return scene.motion(solve(law, scene.problem()));
  }

  /// One step of the particle of the lecture notes, m = h = g = 1, gravity along +x, a wall in
  /// front of it that moves by `wall_step` in this step; returns the impulse.
  double step_particle(double& x, double& v, double wall, double wall_step) {
    ContactProblem problem;
    problem.add_contact(0.0, gap_target(wall - x + wall_step, 1.0));
    problem.use_dense();
    problem.edit_delassus().setIdentity();
    problem.edit_free_velocity() << 0.0, 0.0, -(v + 1.0);  // the normal points to −x
    problem.prepare();
    const Law law = takes(Law::coulomb, problem) ? Law::coulomb : Law::convex;
    const double impulse = solve(law, problem)[2];
    v = v + 1.0 - impulse;
    x += v;
    return impulse;
  }

  std::unique_ptr<Solver> solver_;
};

/// For what one law alone says, with the solvers that take it.
class ExactCoulombAnswer : public ExactAnswer {};
class ExactDissipationAnswer : public ExactAnswer {};
class ExactConvexAnswer : public ExactAnswer {};

/// The solvers that take contacts with friction under this law.
std::vector<std::string_view> solvers_of(Law law) {
  std::vector<std::string_view> names;
  const ContactProblem problem = slider(0.3, 2.0, 0.5, 0.4, 3.0).problem();
  std::ranges::copy_if(solver_names(), std::back_inserter(names), [&](std::string_view name) {
    return make_solver(name)->refusal(problem, options_of(law)).empty();
  });
  return names;
}

/// The laws under which a slider keeps to its plane.
constexpr Law slip_laws[] = {Law::coulomb, Law::max_dissipation};

TEST_P(ExactAnswer, ABlockSticksToAnInclineUpToTheAngleOfFriction) {
  for (const Law law : {Law::coulomb, Law::max_dissipation, Law::convex}) {
    const Scene scene = incline(26.56 * degree, 0.5, 2.0, time_step);
    if (!takes(law, scene.problem())) continue;
    EXPECT_LE(motion(law, scene).norm(), 1e-9);
  }
}

TEST_P(ExactAnswer, ABlockSlipsJustBeyondTheAngleOfFriction) {
  for (const Law law : slip_laws) {
    const Scene scene = incline(26.57 * degree, 0.5, 2.0, time_step);
    if (!takes(law, scene.problem())) continue;
    const double a = gravity * (std::sin(26.57 * degree) - 0.5 * std::cos(26.57 * degree));
    ASSERT_GT(a, 9e-4);
    const Eigen::Vector3d v = motion(law, scene);
    EXPECT_NEAR(v.x(), -a * time_step, 1e-12);
    EXPECT_NEAR(v.z(), 0.0, 1e-12);
  }
}

TEST_P(ExactAnswer, ABlockOnThirtyDegreesAcceleratesAsOnPaper) {
  for (const Law law : slip_laws) {
    const Scene scene = incline(30.0 * degree, 0.5, 2.0, time_step);
    if (!takes(law, scene.problem())) continue;
    EXPECT_NEAR(-motion(law, scene).x() / time_step, 0.657145, 5e-7);
  }
}

TEST_P(ExactConvexAnswer, TheConvexLawLiftsASliderOff) {
  const Scene scene = slider(0.3, 2.0, 0.5, 0.4, 3.0);
  const Eigen::Vector3d v = motion(Law::convex, scene);
  // The free velocity projected onto the edge (1, µ) of the dual cone.
  EXPECT_NEAR(v.head<2>().norm(), (2.0 - 0.4 * 0.5) / (1.0 + 0.4 * 0.4), 1e-9);
  EXPECT_NEAR(v.z(), 0.4 * v.head<2>().norm(), 1e-9);
}

TEST_P(ExactConvexAnswer, TheConvexLawHoversAtAGapOfStepTimesFrictionTimesSpeed) {
  constexpr double friction = 0.3;
  Scene scene = slider(0.0, 2.0, 0.0, friction, 1.0);
  Eigen::Vector3d v(2.0, 0.0, 0.0);
  double gap = time_step * friction * v.x();  // from a smaller gap it would hop up first
  for (int step = 0; step < 50; ++step) {
    scene.free_motion = v - Eigen::Vector3d(0.0, 0.0, gravity * time_step);
    scene.normal_target = {gap_target(gap, time_step)};
    v = motion(Law::convex, scene);
    gap += time_step * v.z();
    EXPECT_NEAR(gap, time_step * friction * v.head<2>().norm(), 1e-12) << "step " << step;
  }
}

TEST_P(ExactDissipationAnswer, ContactWorkIsNeverPositiveUnderMaximumDissipation) {
  int taken = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const int contacts = 1 + random.index(5);
    const ContactProblem problem =
        random_scene(random, contacts, 3 * contacts + random.index(4), 1.0).problem();
    Impulses impulses(static_cast<std::size_t>(problem.row_count()), 0.0);
    SolverOptions options = options_of(Law::max_dissipation);
    options.time_limit = 0.5;
    const SolverReport report = solver_->solve(problem, options, impulses);
    if (!report.certified()) continue;
    ++taken;
    EXPECT_LE(report.certificate.work, 1e-9) << "seed " << seed;
  }
  EXPECT_GE(taken, 30);
}

struct ParticleTable {
  double wall_step;
  std::vector<double> x, v, f, gap;
};

const ParticleTable particle_tables[] = {{0.0,
                                          {0, 1, 3, 6, 10, 11, 11, 11, 11},
                                          {0, 1, 2, 3, 4, 1, 0, 0, 0},
                                          {0, 0, 0, 0, 0, 4, 2, 1, 1},
                                          {11, 10, 8, 5, 1, 0, 0, 0, 0}},
                                         {-1.0,
                                          {0, 1, 3, 6, 7, 6, 5, 4, 3},
                                          {0, 1, 2, 3, 1, -1, -1, -1, -1},
                                          {0, 0, 0, 0, 3, 3, 1, 1, 1},
                                          {11, 9, 6, 2, 0, 0, 0, 0, 0}}};

TEST_P(ExactAnswer, AParticleMeetsAWallAsInTheTables) {
  for (const ParticleTable& table : particle_tables) {
    double x = 0.0, v = 0.0, wall = 11.0;
    for (std::size_t l = 1; l < table.x.size(); ++l) {
      const double f = step_particle(x, v, wall, table.wall_step);
      wall += table.wall_step;
      SCOPED_TRACE(testing::Message() << "wall step " << table.wall_step << ", l " << l);
      EXPECT_NEAR(x, table.x[l], 1e-8);
      EXPECT_NEAR(v, table.v[l], 1e-8);
      EXPECT_NEAR(f, table.f[l], 1e-8);
      EXPECT_NEAR(wall - x, table.gap[l], 1e-8);
    }
  }
}

TEST_P(ExactAnswer, AStackCarriesAThousandTimesItsOwnWeight) {
  const Scene scene = stack({1.0, 1000.0}, 0.5, time_step);
  for (const Law law : {Law::coulomb, Law::max_dissipation, Law::convex}) {
    if (!takes(law, scene.problem())) continue;
    SolverOptions options = options_of(law);
    options.tolerance = 1e-12;         // the impulses are off by up to a thousand times as much
    options.max_iterations = 1000000;  // one-contact sweeps gain a thousandth each
    const Impulses impulses = solve(options, scene.problem());
    EXPECT_NEAR(impulses[2], 9.81981, 1e-8 * 9.81981) << to_string(law);
    EXPECT_NEAR(impulses[5], 9.81, 1e-8 * 9.81) << to_string(law);
  }
}

TEST_P(ExactAnswer, PainlevesRodGetsAFiniteImpulseAndStaysOnTheFloor) {
  const double angle = std::atan(2.0);  // 63.435°, where µ = 4/3 makes the conic a parabola
  for (const double friction : {1.0, 4.0 / 3.0, 2.0, 5.0}) {
    for (const double slide : {-1.0, 1.0}) {
      const Scene scene = painleve_rod(angle, friction, slide, 0.1);
      const ContactProblem problem = scene.problem();
      const Symmetric3<double> W = problem.contact_matrix(0);
      EXPECT_NEAR(friction * std::abs(W.xz) / W.zz, 0.75 * friction, 1e-12);  // e
      for (const Law law : slip_laws) {
        if (!takes(law, problem)) continue;
        // Row by row, projections need not converge on a hyperbola; then they say so.
        if (GetParam() == "pgs" && 0.75 * friction > 1.0 && !certifies(law, problem)) continue;
        SCOPED_TRACE(testing::Message()
                     << to_string(law) << ", friction " << friction << ", slide " << slide);
        const Impulses impulses = solve(law, problem);
        const Eigen::Map<const Eigen::VectorXd> lambda(impulses.data(), 3);
        EXPECT_GT(impulses[2], 0.0);
        EXPECT_LE(lambda.norm(), 10.0);  // a few times the momentum of the rod
        EXPECT_NEAR((scene.jacobian * scene.motion(impulses)).z(), 0.0, 1e-9);
      }
    }
  }
}

TEST_P(ExactCoulombAnswer, ThreeTouchingBallsShareTheImpactOfOneAtOnce) {
  // Contacts between neighbours along z; Newton's restitution, ε = 1, for both at the same time.
  Scene scene;
  scene.jacobian.setZero(6, 9);
  for (int i = 0; i < 2; ++i) {
    scene.jacobian.block<3, 3>(3 * i, 3 * i) = -Eigen::Matrix3d::Identity();
    scene.jacobian.block<3, 3>(3 * i, 3 * i + 3).setIdentity();
  }
  scene.inverse_mass = Eigen::MatrixXd::Identity(9, 9);
  scene.free_motion.setZero(9);
  scene.free_motion[2] = 1.0;
  scene.friction = {0.0, 0.0};
  for (int i = 0; i < 2; ++i) {
    const double approach = (scene.jacobian * scene.free_motion)[3 * i + 2];
    scene.normal_target.push_back(contact_target(0.0, time_step, approach, approach, 1.0, 1e-3));
  }
  const Eigen::VectorXd u = motion(Law::coulomb, scene);
  EXPECT_NEAR(u[2], -1.0 / 3.0, 1e-9);
  EXPECT_NEAR(u[5], 2.0 / 3.0, 1e-9);
  EXPECT_NEAR(u[8], 2.0 / 3.0, 1e-9);
}

TEST_P(ExactAnswer, AWedgeCarriesAParticleOnBothFaces) {
  // Faces whose normals lean by ±60° from the vertical, no friction: each bears mgh/(2 cos 60°).
  const double lean = 60.0 * degree;
  Scene scene;
  scene.jacobian.resize(6, 3);
  for (int i = 0; i < 2; ++i) {
    const double side = i == 0 ? 1.0 : -1.0;
    scene.jacobian.middleRows<3>(3 * i) << std::cos(lean), 0.0, -side * std::sin(lean),  //
        0.0, 1.0, 0.0,                                                                   //
        side * std::sin(lean), 0.0, std::cos(lean);
  }
  scene.inverse_mass = Eigen::Matrix3d::Identity();
  scene.free_motion = Eigen::Vector3d(0.0, 0.0, -gravity * time_step);
  scene.friction = {0.0, 0.0};
  for (const Law law : {Law::coulomb, Law::max_dissipation, Law::convex}) {
    if (!takes(law, scene.problem())) continue;
    const Impulses impulses = solve(law, scene.problem());
    EXPECT_NEAR(impulses[2], gravity * time_step / (2.0 * std::cos(lean)), 1e-11);
    EXPECT_NEAR(impulses[5], gravity * time_step / (2.0 * std::cos(lean)), 1e-11);
  }
}

std::string test_name(const testing::TestParamInfo<std::string_view>& info) {
  return std::string(info.param);
}

INSTANTIATE_TEST_SUITE_P(Solvers, ExactAnswer, testing::ValuesIn(solver_names()), test_name);
INSTANTIATE_TEST_SUITE_P(Solvers, ExactCoulombAnswer, testing::ValuesIn(solvers_of(Law::coulomb)),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Solvers, ExactDissipationAnswer,
                         testing::ValuesIn(solvers_of(Law::max_dissipation)), test_name);
INSTANTIATE_TEST_SUITE_P(Solvers, ExactConvexAnswer, testing::ValuesIn(solvers_of(Law::convex)),
                         test_name);

// ---- the pyramid -------------------------------------------------------------------------------

/// Largest share of friction that a pyramid loses over all directions of slip.
double worst_deficit(LcpOptions::Method method, int sides) {
  LcpSolver solver;
  SolverOptions options;
  options.lcp = {.method = method, .sides = sides};
  constexpr int directions = 200;  // the worst, half way between two edges, is one of them
  double worst = 0.0;
  for (int i = 0; i < directions; ++i) {
    const double angle = 2.0 * std::numbers::pi / sides * i / directions;
    const Scene scene = slider(angle, 10.0, 1.0, 0.5, 1.0);
    Impulses impulses(3, 0.0);
    const SolverReport report = solver.solve(scene.problem(), options, impulses);
    EXPECT_TRUE(report.certified() || report.status == SolverStatus::solved);
    const Eigen::Vector3d v = scene.motion(impulses);
    const double along = -(impulses[0] * v.x() + impulses[1] * v.y()) / v.head<2>().norm();
    worst = std::max(worst, 1.0 - along / (0.5 * impulses[2]));
  }
  return worst;
}

TEST(PyramidDeficit, IsAsOnPaper) {
  const std::pair<int, double> percent[] = {{4, 29.3}, {8, 7.6}, {16, 1.9}, {32, 0.5}};
  for (const auto& [sides, expected] : percent) {
    for (const auto method : {LcpOptions::Method::lemke, LcpOptions::Method::newton}) {
      const double deficit = worst_deficit(method, sides);
      EXPECT_NEAR(100.0 * deficit, expected, 0.05) << sides;  // the table's own rounding
      EXPECT_NEAR(deficit, 1.0 - std::cos(std::numbers::pi / sides), 1e-7) << sides;
    }
  }
}

TEST(PinchedParticle, EndsOnARayThatIsReported) {
  for (const double friction : {0.0, 0.5}) {
    const ContactProblem problem = pinched_particle(0.1, friction).problem();
    LcpSolver solver;
    SolverOptions options;
    Impulses impulses(6, 0.0);
    const SolverReport report = solver.solve(problem, options, impulses);
    EXPECT_EQ(report.status, SolverStatus::ray) << to_string(report.status);
    EXPECT_NE(report.message.find("ray"), std::string_view::npos) << report.message;
    EXPECT_TRUE(std::ranges::all_of(impulses, [](double x) { return std::isfinite(x); }));

    options.lcp.method = LcpOptions::Method::newton;
    EXPECT_EQ(solver.solve(problem, options, impulses).status, SolverStatus::stalled);
    EXPECT_TRUE(std::ranges::all_of(impulses, [](double x) { return std::isfinite(x); }));
  }
}

TEST(PinchedParticle, IsNoRayWhereTheWallsLeaveRoom) {
  for (const double friction : {0.0, 0.5}) {
    const ContactProblem problem = pinched_particle(-0.01, friction).problem();
    LcpSolver solver;
    Impulses impulses(6, 0.0);
    const SolverReport report = solver.solve(problem, {}, impulses);
    EXPECT_TRUE(report.certified()) << to_string(report.status);
  }
}

}  // namespace
}  // namespace stiction::test
