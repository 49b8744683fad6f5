#include "experiments/exponential/published_motions.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <numbers>
#include <stdexcept>

#include "experiments/contact_points.hpp"
#include "experiments/exponential/published_walk.hpp"
#include "experiments/file_order.hpp"
#include "experiments/motion_file.hpp"
#include "stiction/control/motions.hpp"
#include "stiction/core/problem.hpp"

namespace stiction::experiments {

namespace {

constexpr PublishedTest tests[] = {{"squat", 0.04, 100, 250, 2048},
                                   {"jump", 0.01, 299, 299, 512},
                                   {"trot", 0.002, 1500, 1500, 128},
                                   {"romeo", 0.04, 157, 157, 2048}};

State start_of(const GroundTruth& truth) {
  State start;
  start.q = truth.samples.front().q;
  start.v = truth.samples.front().v;
  return start;
}

template <class Controller>
ForceLaw controller_law(std::shared_ptr<Controller> controller) {
  return [controller](const State& state, Eigen::VectorXd& forces) {
    if (!state.q.allFinite() || !state.v.allFinite()) return false;
    const InverseDynamicsResult& result = controller->compute(state);
    forces = result.torques;
    return result.ok();
  };
}

SquatOptions squat_options() {
  SquatOptions options;
  for (const char* foot : {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"}) {
    ContactSpec contact;
    contact.frame = foot;
    // Their pyramid is around the cone, ours is inside.
    contact.friction = std::numbers::sqrt2;
    contact.least_force = 1.0;
    contact.largest_force = 1e4;
    contact.wrench_weights << 1e-6, 1e-6, 1e-12, 0.0, 0.0, 0.0;
    options.feet.push_back(contact);
  }
  options.center_of_mass = {.kp = 2.0, .weight = 1.0};
  options.posture = {.kp = 2.0, .weight = 1e-3};
  options.contact = {.kp = 1.0, .weight = 1.0};
  options.force_weight = 1e-8;
  return options;
}

void fill_squat(PublishedMotion& published) {
  const Model& model = published.motion.model;
  published.motion.make_law = [model, start = published.motion.start] {
    return controller_law(std::make_shared<SquatController>(model, start, squat_options()));
  };
}

void fill_walk(const std::filesystem::path& folder, PublishedMotion& published) {
  auto plan = std::make_shared<const RecordedWalk>(load_walk(folder / "romeo_walk.h5"));
  published.motion.make_law = [model = published.motion.model, start = published.motion.start,
                               step = published.motion.control_step, plan] {
    return controller_law(std::make_shared<PublishedWalk>(model, start, *plan, step));
  };
}

void fill_feedback(const std::filesystem::path& folder, PublishedMotion& published) {
  struct Shared {
    Model model;
    ReferenceMotion motion;
  };
  const Model& model = published.motion.model;
  ReferenceMotion motion =
      load_motion(folder / fmt::format("solo_{}.h5", published.motion.name), model, solo12_joints);
  // Lowered, so that the feet begin on the floor.
  motion.lift(published.motion.start.q.z() - motion.samples.front().q.z());
  auto shared = std::make_shared<const Shared>(Shared{model, std::move(motion)});
  published.motion.make_law = [shared]() -> ForceLaw {
    return [shared, law = tracking_law(shared->model, shared->motion)](
               const State& state, Eigen::VectorXd& forces) { return law(state, forces); };
  };
}

/// The authors' Romeo beside the folder of their motions. Two of its inertias are impossible, and
/// are used as they are.
std::filesystem::path romeo_file(const std::filesystem::path& folder) {
  return std::filesystem::absolute(folder).lexically_normal().parent_path() / "robots" /
         "romeo_small.urdf";
}

Model load_robot(const std::filesystem::path& folder, bool humanoid) {
  if (!humanoid) {
    const PointOnLink feet[] = {{"HL_FOOT"}, {"HR_FOOT"}, {"FL_FOOT"}, {"FR_FOOT"}};
    return load_with_contact_points(folder / "solo12_v3.6.1.urdf", feet);
  }
  std::vector<PointOnLink> corners;
  for (const char* ankle : {"r_ankle", "l_ankle"}) {
    for (const double x : {-0.05, 0.10}) {
      for (const double y : {-0.05, 0.05}) corners.push_back({ankle, {x, y, -0.07}});
    }
  }
  return load_with_contact_points(romeo_file(folder), corners);
}

void check_rows(const std::filesystem::path& file, const GroundTruth& truth,
                const PublishedTest& test) {
  const std::size_t wanted = static_cast<std::size_t>(test.control_steps) + 1;
  if (truth.samples.size() >= wanted) return;
  ProblemList problems;
  problems.error({file.string(), 0, ""},
                 fmt::format("there are {} rows, but '{}' has {} control steps and the start",
                             truth.samples.size(), test.name, test.control_steps),
                 "give the complete table");
  throw InputError(std::move(problems));
}

}  // namespace

const PublishedTest& published_test(std::string_view name) {
  const auto found = std::ranges::find(tests, name, &PublishedTest::name);
  if (found == std::end(tests)) {
    throw std::invalid_argument(
        fmt::format("there is no test '{}'; there are squat, jump, trot and romeo", name));
  }
  return *found;
}

PublishedMotion load_published_motion(const std::filesystem::path& folder, std::string_view name) {
  const PublishedTest& test = published_test(name);
  const bool humanoid = name == "romeo";
  PublishedMotion published{.motion = {.name = std::string(name),
                                       .model = load_robot(folder, humanoid),
                                       .start = {},
                                       .control_step = test.control_step,
                                       .control_steps = test.control_steps,
                                       .make_law = {}},
                            .truth = {}};
  const std::filesystem::path table = folder / fmt::format("{}_gt_exp.csv", name);
  published.truth = humanoid ? load_ground_truth(table, published.motion.model, romeo_joints)
                             : load_ground_truth(table, published.motion.model, solo12_joints);
  check_rows(table, published.truth, test);
  published.motion.start = start_of(published.truth);
  if (name == "squat") {
    fill_squat(published);
  } else if (humanoid) {
    fill_walk(folder, published);
  } else {
    fill_feedback(folder, published);
  }
  return published;
}

}  // namespace stiction::experiments
