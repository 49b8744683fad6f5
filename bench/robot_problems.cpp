#include "bench/robot_problems.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "bench/quadruped.hpp"
#include "stiction/contact/targets.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction::bench {

namespace {

constexpr double h = 0.001;  // [s]
constexpr int capacity = 16;
/// Steps from meeting uneven ground to the problem that is taken are fewer than this.
constexpr int longest_episode = 8;
/// Ground that a ball has sunk into pushes it out no faster than this [m] a step.
constexpr double push_out = 0.0005;

std::size_t law_index(Law law) {
  return static_cast<std::size_t>(std::ranges::find(all_laws, law) - all_laws.begin());
}

/// What a ball may touch: a plane.
struct Ground {
  Ball ball;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
};

/// Feet, lower corners of the torso, knees, middles of the shanks: four each.
std::vector<Ball> balls_of(const Quadruped& robot) {
  std::vector<Ball> balls = feet_of(robot);
  for (const double x : {0.2655, -0.2655}) {
    for (const double y : {0.135, -0.135}) balls.push_back(robot.ball("base", {x, y, -0.04}, 0.0));
  }
  for (const char* leg : {"LF", "RF", "LH", "RH"}) {
    balls.push_back(robot.ball(std::string(leg) + "_SHANK", {0.0, 0.0, 0.0}, 0.045));
  }
  for (const char* leg : {"LF", "RF", "LH", "RH"}) {
    balls.push_back(robot.ball(std::string(leg) + "_ADAPTER", {0.0, 0.0, -0.135}, 0.015));
  }
  return balls;
}

/// Columns t1, t2, n.
Matrix3<double> axes_of(const Eigen::Vector3d& normal) {
  const Eigen::Vector3d t1 = Eigen::Vector3d::UnitY().cross(normal).normalized();
  const Eigen::Vector3d t2 = normal.cross(t1);
  return {from_eigen(t1), from_eigen(t2), from_eigen(normal)};
}

/// The driven robot, and its time step with contacts, solved by the default solver.
class Scene {
 public:
  explicit Scene(std::uint64_t seed)
      : random_(seed), balls_(balls_of(robot_)), solver_(make_solver("hybrid")) {
    options_.tolerance = 1e-10;
  }

  /// A moment on flat ground, then some steps on the ground that `contacts` balls meet there.
  /// Nothing if fewer than a third of the contacts are closed then.
  std::optional<RobotProblem> next(int contacts, int steps) {
    run(5 + random_.index(30));
    const Quadruped::State before = robot_.state;
    throw_down();
    const double mu = random_.uniform(0.3, 0.9);
    const std::vector<Ground> ground = uneven_ground(contacts);
    for (int k = 0; k < steps; ++k) step(ground, mu, true);
    const ContactProblem earlier = problem_;
    robot_.advance_velocity(h);
    assemble(ground, mu, true);
    robot_.state = before;

    RobotProblem result;
    result.problem = problem_;
    result.impact = steps == 0;
    count_modes(Law::coulomb, result);
    if (3 * result.open_count(Law::coulomb) > 2 * contacts) return std::nullopt;
    count_modes(Law::max_dissipation, result);
    count_modes(Law::convex, result);
    for (std::size_t k = 0; k < all_laws.size(); ++k) {
      result.warm[k].assign(3 * ground.size(), 0.0);
      if (!result.impact) result.warm[k] = answer(all_laws[k], earlier);
    }
    return result;
  }

 private:
  /// On flat ground.
  void run(int steps) {
    std::vector<Ground> flat;
    for (const Ball& ball : balls_) flat.push_back({.ball = ball});
    for (int k = 0; k < steps; ++k) {
      if (time_ >= 5.0) {
        robot_.stand();
        time_ = next_reference_ = 0.0;
      }
      if (time_ >= next_reference_) {
        robot_.choose_reference(random_, 1.0);
        next_reference_ += 0.25;
      }
      step(flat, 0.8, false);
      time_ += h;
    }
  }

  /// Thrown at the ground; half of the time it tries to keep its posture.
  void throw_down() {
    robot_.state.v[2] -= random_.uniform(0.0, 1.5);
    if (random_.index(2) == 0) robot_.state.reference = robot_.state.q;
  }

  /// A plane under each ball, up to some 20 degrees from level.
  std::vector<Ground> uneven_ground(int contacts) {
    std::vector<Ground> ground;
    const std::size_t first =
        contacts == 1 ? static_cast<std::size_t>(random_.index(4)) : std::size_t{0};
    for (std::size_t k = first; k < first + static_cast<std::size_t>(contacts); ++k) {
      Ground plane{.ball = balls_[k]};
      plane.normal = Eigen::Vector3d(0.15 * random_.normal(), 0.15 * random_.normal(), 1.0);
      plane.normal.normalize();
      plane.point = robot_.centre_of(plane.ball) - plane.ball.radius * plane.normal;
      ground.push_back(plane);
    }
    return ground;
  }

  void step(const std::vector<Ground>& ground, double mu, bool keep_open) {
    robot_.advance_velocity(h);
    assemble(ground, mu, keep_open);
    const std::vector<double> impulses = answer(Law::coulomb, problem_);
    impulses_.clear();
    for (std::size_t row = 0; row < impulses.size(); row += 3) {
      impulses_.push_back({impulses[row], impulses[row + 1], impulses[row + 2]});
    }
    robot_.apply_impulses(impulses_);
    robot_.advance_position(h);
  }

  /// The problem of this step; `keep_open`: also with contacts that the free motion opens.
  void assemble(const std::vector<Ground>& ground, double mu, bool keep_open) {
    contacts_.clear();
    problem_.clear();
    std::vector<double> free;
    for (const Ground& plane : ground) {
      const Eigen::Vector3d point = robot_.centre_of(plane.ball) - plane.ball.radius * plane.normal;
      const double gap = plane.normal.dot(point - plane.point);
      ContactPoint<double> contact;
      contact.body_b = plane.ball.body;
      contact.point = from_eigen(point);
      contact.axes = axes_of(plane.normal);
      const Vector3<double> v = robot_.velocity_at(contact.body_b, contact.point);
      const double target = gap_target(std::max(gap, -push_out), h);
      if (!keep_open && dot(contact.axes.c2, v) >= target) continue;
      contacts_.push_back(contact);
      problem_.add_contact(mu, target);
      free.insert(free.end(),
                  {dot(contact.axes.c0, v), dot(contact.axes.c1, v), dot(contact.axes.c2, v)});
    }
    problem_.use_dense();
    const Eigen::Index rows = problem_.row_count();
    matrix_.resize(static_cast<std::size_t>(rows * rows));
    robot_.delassus(contacts_, matrix_);
    const Eigen::Map<const Eigen::MatrixXd> G(matrix_.data(), rows, rows);
    problem_.edit_delassus() = 0.5 * (G + G.transpose());
    problem_.edit_free_velocity() = Eigen::Map<const Eigen::VectorXd>(free.data(), rows);
    problem_.prepare();
  }

  std::vector<double> answer(Law law, const ContactProblem& problem) {
    options_.law = law;
    std::vector<double> impulses(static_cast<std::size_t>(problem.row_count()));
    solver_->solve(problem, options_, impulses);
    return impulses;
  }

  void count_modes(Law law, RobotProblem& result) {
    const std::vector<double> impulses = answer(law, problem_);
    judge_.open(problem_);
    judge_.examine(law, impulses);
    for (int i = 0; i < problem_.block_count(); ++i) {
      const ContactMode mode = judge_.mode(i, impulses, judge_.velocity());
      result.slipping[law_index(law)] += mode == ContactMode::slip ? 1 : 0;
      result.open[law_index(law)] += mode == ContactMode::open ? 1 : 0;
    }
  }

  Random random_;
  Quadruped robot_{capacity};
  std::vector<Ball> balls_;
  std::unique_ptr<Solver> solver_;
  SolverOptions options_;
  Judge judge_;
  double time_ = 0.0, next_reference_ = 0.0;
  ContactProblem problem_;
  std::vector<ContactPoint<double>> contacts_;
  std::vector<Vector3<double>> impulses_;
  std::vector<double> matrix_;
};

}  // namespace

const std::vector<double>& RobotProblem::warm_impulses(Law law) const {
  return warm[law_index(law)];
}

int RobotProblem::slip_count(Law law) const { return slipping[law_index(law)]; }

int RobotProblem::open_count(Law law) const { return open[law_index(law)]; }

std::vector<RobotProblem> robot_problems(int contacts, int count, std::uint64_t seed) {
  if (std::ranges::find(robot_contact_counts, contacts) == robot_contact_counts.end()) {
    throw std::invalid_argument(fmt::format("no problems with {} contacts", contacts));
  }
  Scene scene(seed + static_cast<std::uint64_t>(contacts));
  std::vector<RobotProblem> problems;
  while (static_cast<int>(problems.size()) < count) {
    const int steps = static_cast<int>(problems.size()) % longest_episode;
    if (std::optional<RobotProblem> next = scene.next(contacts, steps)) {
      problems.push_back(std::move(*next));
    }
  }
  return problems;
}

}  // namespace stiction::bench
