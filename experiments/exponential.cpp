// The tests of [EXP] on the authors' own motions: how far our trajectory is from theirs, local
// errors, largest stable steps, and costs of steps. `experiment_exponential FOLDER [trot|jump
// [method]]`.

#include <chrono>
#include <cstdlib>
#include <fmt/format.h>

#include "experiments/contact_points.hpp"
#include "experiments/file_order.hpp"
#include "experiments/integration_tables.hpp"
#include "experiments/motion_file.hpp"
#include "experiments/tracked_motion.hpp"
#include "stiction/core/problem.hpp"

namespace {

using namespace stiction;
using namespace stiction::experiments;

struct Test {
  const char* name;
  double control_step;
  int control_steps;
  int truth_substeps;
};
constexpr Test tests[] = {{"trot", 0.002, 1500, 128}, {"jump", 0.01, 299, 512}};

struct Method {
  const char* name;
  ContactIntegrator integrator;
  bool order_one;
};
constexpr Method methods[] = {
    {"exponential", ContactIntegrator::exponential, false},
    {"exponential, order 1", ContactIntegrator::exponential, true},
    {"explicit_euler", ContactIntegrator::explicit_euler, false},
    {"semi_implicit", ContactIntegrator::semi_implicit, false},
    {"rk4", ContactIntegrator::rk4, false},
    {"implicit_euler", ContactIntegrator::implicit_euler, false},
};

StepOptions options_of(const Method& method, AnchorRules rules) {
  StepOptions options;
  options.contact = ContactFamily::viscoelastic;
  options.viscoelastic.rules = rules;
  options.viscoelastic.integrator = method.integrator;
  if (method.order_one) {
    options.viscoelastic.engine = EngineKind::pade;
    options.viscoelastic.pade_order = PadeOrder::order_1;
    options.viscoelastic.pade_scaling = false;
  }
  return options;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Local errors and stability of one method under one set of rules.
void measure(const TrackedMotion& tracked, const Test& test, const Method& method,
             AnchorRules rules, const State& start) {
  const StepOptions options = options_of(method, rules);
  const TrackedRun truth = follow(tracked, options, test.truth_substeps, start);
  if (truth.failed) {
    fmt::print("  {:<22} fails at the smallest step\n", method.name);
    return;
  }
  for (int substeps = 1; substeps <= test.truth_substeps / 2; substeps *= 2) {
    const auto begin = std::chrono::steady_clock::now();
    const Statistics error = local_error(tracked, options, substeps, truth.states);
    const double step_time =
        seconds_since(begin) / (substeps * static_cast<double>(tracked.control_steps));
    const bool stable = !follow(tracked, options, substeps, start).failed;
    fmt::print("  {:<22} {:>9.4f} ms  error mean {:<10.3e} max {:<10.3e} {:>6.2f} µs a step  {}\n",
               method.name, 1e3 * test.control_step / substeps, error.mean, error.largest,
               1e6 * step_time, stable ? "stable" : "blows up");
  }
}

/// `only`: the one method to measure; empty: all.
void run(const std::filesystem::path& folder, const Test& test, std::string_view only) {
  const PointOnLink feet[] = {{"HL_FOOT"}, {"HR_FOOT"}, {"FL_FOOT"}, {"FR_FOOT"}};
  TrackedMotion tracked{load_with_contact_points(folder / "solo12_v3.6.1.urdf", feet)};
  tracked.motion =
      load_motion(folder / fmt::format("solo_{}.h5", test.name), tracked.model, solo12_joints);
  tracked.control_step = test.control_step;
  tracked.control_steps = test.control_steps;
  const GroundTruth theirs = load_ground_truth(folder / fmt::format("{}_gt_exp.csv", test.name),
                                               tracked.model, solo12_joints);
  tracked.motion.lift(theirs.samples.front().q.z() - tracked.motion.samples.front().q.z());
  State start;
  start.q = theirs.samples.front().q;
  start.v = theirs.samples.front().v;

  const TrackedRun ours =
      follow(tracked, options_of(methods[0], AnchorRules::authors), test.truth_substeps, start);
  Statistics distance;
  const std::size_t count = std::min(ours.states.size(), theirs.samples.size());
  for (std::size_t k = 0; k < count; ++k) {
    const double d = state_distance(tracked.model, ours.states[k], theirs.samples[k]);
    distance.mean += d / static_cast<double>(count);
    distance.largest = std::max(distance.largest, d);
  }
  fmt::print("{}: trajectory against theirs: mean {:.3e}, largest {:.3e} over {} of {} rows\n",
             test.name, distance.mean, distance.largest, count, theirs.samples.size());
  for (const AnchorRules rules : {AnchorRules::authors, AnchorRules::surface}) {
    fmt::print("{}, rules `{}`\n", test.name, to_string(rules));
    for (const Method& method : methods) {
      if (only.empty() || only == method.name) measure(tracked, test, method, rules, start);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: experiment_exponential FOLDER [trot|jump [method]]\n");
    return EXIT_FAILURE;
  }
  try {
    for (const Test& test : tests) {
      if (argc < 3 || std::string_view(argv[2]) == test.name) {
        run(argv[1], test, argc > 3 ? argv[3] : "");
      }
    }
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
}
