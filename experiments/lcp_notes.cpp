/// \file
/// The lecture notes on contact by linear complementarity [LCP], through the full step: Euler rules
/// and their orders, walls that stand and move, a moving body, restitution, the bounce that
/// linearisation makes, and the ridge whose extended facets would trap a particle.

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "experiments/charts.hpp"
#include "experiments/experiment_output.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction::experiments {

namespace {

constexpr double gravity = 9.81;

struct Results {
  ExperimentOutput& output;
  plot::Figure figure;
  bench::Table claims{{"topic", "claim", "holds"}};
  std::string topic;
  bool good = true;

  void begin(const std::string& name, const std::string& title) {
    topic = name;
    fmt::print("\n{}\n\n", title);
  }
  void expect(bool claim, const std::string& what) {
    fmt::print("  {}: {}\n", what, claim ? "yes" : "NO");
    claims.add({topic, what, claim ? "yes" : "**no**"});
    good &= claim;
  }
};

Simulation load(const std::string& scene, double h, Integrator integrator,
                const std::string& keyframe = {}) {
  Simulation simulation(load_model(models_folder() / "scenes" / scene).model,
                        StepOptions{.time_step = h, .integrator = integrator});
  if (!keyframe.empty()) simulation.reset_to_keyframe(keyframe);
  return simulation;
}

/// Slope of a line through the logarithms of the last two points.
double slope(const plot::Line& line) {
  const std::size_t n = line.x.size();
  return std::log(line.y[n - 1] / line.y[n - 2]) / std::log(line.x[n - 1] / line.x[n - 2]);
}

/// The pendulum of models/pendulum.urdf, from 60°, after a second. (From 90° the trapezoid would be
/// of fourth order by symmetry.)
double pendulum_angle(Integrator integrator, double h) {
  LoadOptions options;
  options.base = BaseKind::fixed;
  Simulation simulation(load_model(models_folder() / "pendulum.urdf", options).model,
                        StepOptions{.time_step = h, .integrator = integrator});
  simulation.state().q[0] = std::acos(0.5);
  simulation.run(1.0);
  return simulation.state().q[0];
}

void show_orders(Results& results) {
  results.begin("Euler's rules", "Euler's rules and others: error of a pendulum's angle after 1 s");
  const double exact = pendulum_angle(Integrator::rk4, 1e-4);
  plot::Panel chart =
      make_panel("Pendulum after 1 s", "h [s]", "error [rad]", plot::Scale::logarithmic);
  bench::Table table({"rule", "error at 1 ms", "order", "promised"});
  struct Rule {
    Integrator integrator;
    double order;
  };
  bool all = true;
  for (const Rule& rule :
       {Rule{Integrator::explicit_euler, 1}, Rule{Integrator::semi_implicit, 1},
        Rule{Integrator::implicit, 1}, Rule{Integrator::trapezoid, 2}, Rule{Integrator::rk4, 4}}) {
    plot::Line line{std::string(to_string(rule.integrator)), {}, {}};
    for (const double h : {0.02, 0.01, 0.005, 0.0025, 0.00125}) {
      line.x.push_back(h);
      line.y.push_back(std::abs(pendulum_angle(rule.integrator, h) - exact));
    }
    const double order = slope(line);
    all &= std::abs(order - rule.order) < 0.1;
    table.add({line.label,
               fmt::format("{:.1e}", std::abs(pendulum_angle(rule.integrator, 1e-3) - exact)),
               fmt::format("{:.3f}", order), fmt::format("{:g}", rule.order)});
    chart.lines.push_back(std::move(line));
  }
  results.output.table("orders", "", table);
  results.expect(all, "every order is the promised one within 0.1");
  results.figure.panels.push_back(std::move(chart));
}

/// What a particle that falls along x does, step by step; the first entry is the start.
struct Fall {
  std::vector<double> x, v, force, gap;
};

Fall fall(const std::string& scene, Integrator integrator, double wall_speed) {
  Simulation simulation = load(scene, 1.0, integrator, wall_speed != 0.0 ? "start" : "");
  const Model& model = simulation.model();
  Fall result;
  for (int k = 0; k < 9; ++k) {
    const StepReport* report = k > 0 ? &simulation.step() : nullptr;
    const double x = pose_of(model, simulation.state(), "particle").translation().x();
    double force = 0.0;
    if (report != nullptr) {
      for (const StepContact& contact : report->contacts) force += contact.impulse.z;
    }
    result.x.push_back(x);
    result.v.push_back(linear_velocity(model, simulation.state(), "particle").x());
    result.force.push_back(force);
    result.gap.push_back(11.0 - wall_speed * k - x);
  }
  return result;
}

bench::Table table_of(const Fall& fall) {
  bench::Table table({"t [s]", "0", "1", "2", "3", "4", "5", "6", "7", "8"});
  const auto add = [&](std::string name, const std::vector<double>& values) {
    std::vector<std::string> row{std::move(name)};
    for (const double value : values) row.push_back(fmt::format("{:g}", value));
    table.add(std::move(row));
  };
  add("x [m]", fall.x);
  add("v [m/s]", fall.v);
  add("force [N]", fall.force);
  add("gap [m]", fall.gap);
  return table;
}

void show_walls(Results& results) {
  const Fall published_fixed{{0, 1, 3, 6, 10, 11, 11, 11, 11},
                             {0, 1, 2, 3, 4, 1, 0, 0, 0},
                             {0, 0, 0, 0, 0, 4, 2, 1, 1},
                             {11, 10, 8, 5, 1, 0, 0, 0, 0}};
  const Fall published_moving{{0, 1, 3, 6, 7, 6, 5, 4, 3},
                              {0, 1, 2, 3, 1, -1, -1, -1, -1},
                              {0, 0, 0, 0, 3, 3, 1, 1, 1},
                              {11, 9, 6, 2, 0, 0, 0, 0, 0}};
  results.begin("walls", "A particle is pushed against a wall, h = 1 s");
  const Fall fixed = fall("particle_wall.xml", Integrator::semi_implicit, 0.0);
  const Fall moving = fall("particle_moving_wall.xml", Integrator::semi_implicit, 1.0);
  const Fall failing = fall("particle_wall.xml", Integrator::explicit_euler, 0.0);
  const auto show = [&](const char* key, const std::string& name, const Fall& ours,
                        const Fall& published) {
    double apart = 0.0;
    for (std::size_t k = 0; k < ours.x.size(); ++k) {
      apart = std::max(
          {apart, std::abs(ours.x[k] - published.x[k]), std::abs(ours.v[k] - published.v[k]),
           std::abs(ours.force[k] - published.force[k]), std::abs(ours.gap[k] - published.gap[k])});
    }
    results.output.table(key, name, table_of(ours));
    results.expect(apart < 1e-12,
                   fmt::format("{}: the table of the notes, apart by {:.0e}", name, apart));
  };
  show("wall", "Wall at x = 11, semi-implicit", fixed, published_fixed);
  show("moving_wall", "Wall at x = 11 − t, semi-implicit", moving, published_moving);
  fmt::print("\nWall at x = 11, explicit\n  x     {:g}\n", fmt::join(failing.x, " "));
  results.expect(*std::ranges::max_element(failing.x) > 11.0, "explicit Euler passes the wall");

  plot::Panel chart = make_panel("Particle and wall, h = 1 s", "t [s]", "x [m]");
  std::vector<double> t;
  for (int k = 0; k < 9; ++k) t.push_back(k);
  chart.lines = {
      {"semi_implicit", t, fixed.x}, {"explicit", t, failing.x}, {"moving wall", t, moving.x}};
  std::vector<double> wall;
  for (const double at : t) wall.push_back(11.0 - at);
  chart.lines.push_back({"the moving wall itself", t, wall});
  results.figure.panels.push_back(std::move(chart));
}

struct Ride {
  double deepest = 0.0;   ///< overlap that linearisation leaves [m]
  double pulled = 0.0;    ///< largest pull on the particle; must be none [N]
  double sideways = 0.0;  ///< largest force across the normal; must be none [N]
  int touching = 0;
};

/// A particle on a plate that rises, drifts and turns.
Ride ride(double h) {
  Simulation simulation = load("particle_moving_body.xml", h, Integrator::semi_implicit, "start");
  Ride result;
  for (long k = std::lround(1.0 / h); k > 0; --k) {
    for (const StepContact& contact : simulation.step().contacts) {
      result.deepest = std::max(result.deepest, -contact.gap);
      result.pulled = std::max(result.pulled, -contact.impulse.z / h);
      result.sideways =
          std::max(result.sideways, std::hypot(contact.impulse.x, contact.impulse.y) / h);
      result.touching += contact.impulse.z > 0.0 ? 1 : 0;
    }
  }
  return result;
}

void show_moving_body(Results& results) {
  results.begin("a moving body",
                "Particle on a plate that rises with 0.5 m/s, drifts and turns, 1 s");
  bench::Table table({"h, ms", "steps with force", "deepest overlap, m", "pull, N", "sideways, N"});
  plot::Line line{"overlap on the turning plate", {}, {}};
  bool clean = true;
  for (const double h : {0.02, 0.01, 0.005, 0.0025}) {
    const Ride r = ride(h);
    line.x.push_back(h);
    line.y.push_back(r.deepest);
    clean &= r.pulled == 0.0 && r.sideways == 0.0 && r.touching > 0;
    table.add({fmt::format("{:g}", 1e3 * h), fmt::format("{}", r.touching),
               fmt::format("{:.2e}", r.deepest), fmt::format("{:g}", r.pulled),
               fmt::format("{:g}", r.sideways)});
  }
  results.output.table("moving_body", "", table);
  results.expect(clean, "the plate pushes along its normal and never pulls");
  results.expect(std::abs(slope(line) - 2.0) < 0.2,
                 fmt::format("linearisation leaves an overlap of order {:.2f} in h", slope(line)));
  results.figure.panels.push_back(
      make_panel("What linearisation costs", "h [s]", "[m]", plot::Scale::logarithmic));
  results.figure.panels.back().lines.push_back(std::move(line));
}

/// Gap after one step past a ball of radius 1 m, by the scene.
double lift_off(double h) {
  Simulation simulation = load("particle_sphere.xml", h, Integrator::semi_implicit, "start");
  simulation.step();
  return pose_of(simulation.model(), simulation.state(), "particle").translation().norm() - 1.0;
}

void show_linearised_bounce(Results& results) {
  results.begin("bounce by linearisation",
                "Lift-off past a ball of radius R = 1 m at v_t = 1 m/s and ε = 0");
  bench::Table table({"h, ms", "lift-off, m", "(h v_t)²/2R, m", "apart"});
  plot::Line line{"lift-off past a ball", {}, {}};
  double worst = 0.0;
  for (const double h : {0.1, 0.05, 0.02, 0.01, 0.005}) {
    const double foretold = 0.5 * h * h;
    line.x.push_back(h);
    line.y.push_back(lift_off(h));
    const double apart = std::abs(line.y.back() / foretold - 1.0);
    worst = std::max(worst, apart);
    table.add({fmt::format("{:g}", 1e3 * h), fmt::format("{:.4e}", line.y.back()),
               fmt::format("{:.4e}", foretold), fmt::format("{:.3f} %", 100.0 * apart)});
  }
  results.output.table("lift_off", "", table);
  results.expect(worst < 0.01, "within 1 % of (h v_t)²/2R");
  results.expect(std::abs(slope(line) - 2.0) < 0.01, fmt::format("slope {:.4f} in h", slope(line)));
  results.figure.panels.back().lines.push_back(std::move(line));
}

void show_restitution(Results& results) {
  constexpr double epsilon = 0.8;
  results.begin("restitution", fmt::format("A particle falls from 1 m, ε = {:g}", epsilon));
  Simulation simulation = load("particle_restitution.xml", 0.001, Integrator::trapezoid);
  plot::Panel chart = make_panel("Restitution 0.8, h = 1 ms", "t [s]", "height [m]");
  plot::Line line{"bouncing particle", {}, {}};
  bench::Table table({"bounce", "apex, m", "ε²ⁿ, m", "apart"});
  double top = 0.0, worst = 0.0;
  double before = 0.0;
  int bounces = 0;
  for (int k = 0; k < 3000; ++k) {
    simulation.step();
    const double z =
        pose_of(simulation.model(), simulation.state(), "particle").translation().z() - 0.01;
    const double v = linear_velocity(simulation.model(), simulation.state(), "particle").z();
    if (k % 10 == 0) {
      line.x.push_back(simulation.state().time);
      line.y.push_back(z);
    }
    top = std::max(top, z);
    if (before > 0.0 && v <= 0.0 && bounces < 5) {
      ++bounces;
      // The apex lies between two steps.
      const double apex = z + 0.5 * v * v / gravity;
      const double foretold = std::pow(epsilon, 2 * bounces);
      worst = std::max(worst, std::abs(apex / foretold - 1.0));
      table.add({fmt::format("{}", bounces), fmt::format("{:.6f}", apex),
                 fmt::format("{:.6f}", foretold), fmt::format("{:.1e}", apex / foretold - 1.0)});
    }
    before = v;
  }
  results.output.table("restitution", "", table);
  results.expect(bounces == 5 && worst < 1e-9, fmt::format("apexes within {:.0e}", worst));
  chart.lines.push_back(std::move(line));
  results.figure.panels.push_back(std::move(chart));
}

/// A particle of 1 kg above two planes through the ridge at the origin, each kept active for ever:
/// the LCP of the notes, solved by trying all four sets of forces.
struct TrappedParticle {
  Eigen::Vector2d position, velocity{0.0, 0.0};

  void step(double h) {
    const double s = std::sqrt(0.5);
    const Eigen::Matrix2d normals{{s, s}, {-s, s}};  // one a row
    const Eigen::Vector2d free = velocity - h * Eigen::Vector2d(0.0, gravity);
    const Eigen::Vector2d q = normals * free + normals * position / h;
    const Eigen::Matrix2d A = normals * normals.transpose();
    for (int active = 0; active < 4; ++active) {
      Eigen::Vector2d impulse = Eigen::Vector2d::Zero();
      if (active == 3) {
        impulse = -A.inverse() * q;
      } else if (active > 0) {
        impulse[active - 1] = -q[active - 1] / A(active - 1, active - 1);
      }
      const Eigen::Vector2d w = A * impulse + q;
      if (impulse.minCoeff() < 0.0 || w.minCoeff() < -1e-12) continue;
      velocity = free + normals.transpose() * impulse;
      position += h * velocity;
      return;
    }
  }
};

void show_ridge(Results& results) {
  results.begin("the ridge",
                "A particle beside the ridge of a roof of 45°, h = 1 ms, half a second");
  constexpr double h = 0.001;
  Simulation simulation = load("particle_ridge.xml", h, Integrator::semi_implicit);
  const auto place = [&]() -> Eigen::Vector3d {
    return pose_of(simulation.model(), simulation.state(), "particle").translation();
  };
  const Eigen::Vector3d start = place();
  TrappedParticle trapped{{0.001, 0.0011}};
  const double along = gravity * std::sqrt(0.5);
  plot::Panel chart = make_panel("Beside a ridge", "t [s]", "down the side [m]");
  chart.lines = {{"full step", {}, {}}, {"g sin α", {}, {}}, {"both facets kept active", {}, {}}};
  for (int k = 1; k <= 500; ++k) {
    simulation.step();
    trapped.step(h);
    if (k % 10 != 0) continue;
    const double t = h * k;
    const double slid[] = {(place() - start).norm(), 0.5 * along * t * (t + h),
                           trapped.position.norm()};
    for (std::size_t i = 0; i < 3; ++i) {
      chart.lines[i].x.push_back(t);
      chart.lines[i].y.push_back(slid[i]);
    }
  }
  const double ours = chart.lines[0].y.back(), exact = chart.lines[1].y.back();
  const double caught = chart.lines[2].y.back();
  fmt::print(
      "  full step: slid {:.9f} m; g sin α says {:.9f} m; both facets kept active: {:.1e} m "
      "from the ridge\n",
      ours, exact, caught);
  results.expect(std::abs(ours / exact - 1.0) < 1e-9, "it slides off with g sin α");
  results.expect(caught < 1e-9, "both extended facets would trap it");
  results.figure.panels.push_back(std::move(chart));
}

int run(ExperimentOutput& output) {
  Results results{output};
  results.figure.title = "Contact by linear complementarity, through the full step";
  results.figure.columns = 3;
  show_orders(results);
  show_walls(results);
  show_moving_body(results);
  show_linearised_bounce(results);
  show_restitution(results);
  show_ridge(results);
  output.table("claims", "\nAll claims", results.claims);
  output.figure("", results.figure);
  return results.good ? 0 : 1;
}

}  // namespace

}  // namespace stiction::experiments

int main(int argc, char** argv) {
  using namespace stiction::experiments;
  bool quick = false;
  stiction::bench::CommandLine line(
      "Particles, walls, bounces and ridges of the lecture notes, through the full step.",
      "lcp_notes");
  line.add_flag("--quick", quick, "the same: a run takes a few seconds");
  ExperimentOutput output("lcp_notes", "experiments.md");
  return run_experiment(line, output, argc, argv, [&output] { return run(output); });
}
