// Our simulation and our controllers against the authors' own [EXP]: the same robots, motions,
// plans, gains and rules.

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "experiments/contact_points.hpp"
#include "experiments/exponential/published_motions.hpp"
#include "experiments/integration_tables.hpp"
#include "experiments/motion_file.hpp"
#include "stiction/core/problem.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction::experiments {
namespace {

const std::filesystem::path folder = std::filesystem::path(STICTION_REFERENCE_DIR) / "exponential";

StepOptions options_with(AnchorRules rules) {
  StepOptions options;
  options.contact = ContactFamily::viscoelastic;
  options.viscoelastic.rules = rules;
  return options;
}

class PublishedSimulation : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder)) {
      GTEST_SKIP() << "the published motions are not in " << folder;
    }
  }
};

struct Distance {
  double mean = 0.0;
  double largest = 0.0;
};

/// Contacts that touch in one state, and of theirs those without a partner among them: within 2 cm
/// of its anchor, where points of one foot are at least 10 cm apart.
int contacts_that_differ(Simulation& simulation, const State& state,
                         const std::vector<ContactSample>& theirs) {
  simulation.set_state(state);
  const std::vector<StepContact>& ours = simulation.evaluate().contacts;
  int active = 0;
  int alone = 0;
  for (const ContactSample& sample : theirs) {
    if (!sample.active) continue;
    ++active;
    alone += std::ranges::none_of(ours, [&](const StepContact& contact) {
      return std::hypot(contact.point.x - sample.anchor.x(), contact.point.y - sample.anchor.y()) <
             0.02;
    });
  }
  return std::max(alone, std::abs(active - static_cast<int>(ours.size())));
}

TEST_P(PublishedSimulation, StaysAsCloseAsTheMethodsAreToEachOther) {
  const PublishedMotion published = load_published_motion(folder, GetParam());
  const GroundTruth& theirs = published.truth;
  const StepOptions options = options_with(AnchorRules::authors);
  const DrivenRun ours =
      drive(published.motion, options, published_test(GetParam()).truth_substeps);
  ASSERT_FALSE(ours.failed);
  ASSERT_EQ(ours.states.size(), theirs.samples.size());
  Simulation simulation(published.motion.model, options);
  Distance distance;
  int differences = 0;
  for (std::size_t k = 0; k < ours.states.size(); ++k) {
    const double d = state_distance(published.motion.model, ours.states[k], theirs.samples[k]);
    distance.mean += d / static_cast<double>(ours.states.size());
    distance.largest = std::max(distance.largest, d);
    differences += contacts_that_differ(simulation, ours.states[k], theirs.contact_samples[k]);
  }
  // At every control step; the nearest of their other methods is the bound.
  Distance bound{1e300, 1e300};
  for (const GroundTruthDistance& method :
       load_distances(folder / fmt::format("{}_gt_compare.csv", GetParam()))) {
    if (method.method == "exponential") continue;
    bound.mean = std::min(bound.mean, 2.0 * method.mean);
    bound.largest = std::min(bound.largest, 2.0 * method.largest);
  }
  RecordProperty("mean", testing::PrintToString(distance.mean));
  RecordProperty("largest", testing::PrintToString(distance.largest));
  EXPECT_LT(distance.mean, bound.mean);
  EXPECT_LT(distance.largest, bound.largest);
  // Corners of soles chatter: measured 2 of 1264 points and control steps in romeo, else none.
  EXPECT_LE(differences, GetParam() == "romeo" ? 2 : 0) << "contacts over all control steps";

  const MotionSample end{ours.states.back().q, theirs.samples.back().v};
  const Eigen::VectorXd apart =
      own_axes_difference(published.motion.model, theirs.samples.back(), end);
  EXPECT_LT(apart.head<3>().norm(), 1e-3) << "base [m]";
  EXPECT_LT(apart.tail(apart.size() - 3)
                .head(published.motion.model.velocity_count() - 3)
                .lpNorm<Eigen::Infinity>(),
            1e-3)
      << "orientation of the base and joints [rad]";
}

INSTANTIATE_TEST_SUITE_P(Tests, PublishedSimulation, testing::ValuesIn(motion_names),
                         [](const auto& info) { return std::string(info.param); });

/// Largest difference of our torques from theirs, each on their own state, over all control steps.
double torque_difference(const PublishedMotion& published) {
  const ForceLaw law = published.motion.make_law();
  Eigen::VectorXd forces;
  double worst = 0.0;
  for (int k = 0; k < published.motion.control_steps; ++k) {
    const std::size_t row = static_cast<std::size_t>(k);
    State state;
    state.q = published.truth.samples[row].q;
    state.v = published.truth.samples[row].v;
    state.time = k * published.motion.control_step;
    EXPECT_TRUE(law(state, forces));
    const Eigen::VectorXd apart = forces - published.truth.forces[row];
    for (const Joint& joint : published.motion.model.joints()) {
      worst = std::max(worst, std::abs(apart[joint.velocity_index]));
    }
  }
  return worst;
}

// The authors' controller solves another form of the same program with another solver.
TEST(PublishedControl, InverseDynamicsGivesTheTorquesOfTheSquat) {
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  EXPECT_LT(torque_difference(load_published_motion(folder, "squat")), 1e-7);
}

TEST(PublishedControl, InverseDynamicsGivesTheTorquesOfTheWalk) {
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  // Measured: 6e-7, and 2e-4 in the step after the set of contacts has changed.
  EXPECT_LT(torque_difference(load_published_motion(folder, "romeo")), 1e-3);
}

// Without resets [EXP, Table II]; the authors' order 1 blows up in trot at 2 ms and in jump, and
// their Romeo is stable up to 5 ms only.
TEST(PublishedStability, DefaultRulesAreStableAtTheLargestStepsWithOrderOneToo) {
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  const std::pair<const char*, int> steps[] = {
      {"squat", 1}, {"jump", 1}, {"trot", 1}, {"romeo", 1}};
  for (const auto& [name, substeps] : steps) {
    PublishedMotion published = load_published_motion(folder, name);
    published.motion.control_steps = published_test(name).stability_steps;
    StepOptions options = options_with(AnchorRules::surface);
    EXPECT_FALSE(drive(published.motion, options, substeps).failed) << name;
    options.viscoelastic.engine = EngineKind::pade;
    options.viscoelastic.pade_order = PadeOrder::order_1;
    options.viscoelastic.pade_scaling = false;
    // The jump needs 5 ms with order 1.
    const int more = std::string_view(name) == "jump" ? 2 : 1;
    EXPECT_FALSE(drive(published.motion, options, more * substeps).failed) << name << ", order 1";
  }
}

StepOptions implicit_options() {
  StepOptions options = options_with(AnchorRules::authors);
  options.viscoelastic.integrator = ContactIntegrator::implicit_euler;
  return options;
}

TEST(PublishedImplicitEuler, ErrsAsMuchAsTheirs) {
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  const PublishedMotion published = load_published_motion(folder, "trot");
  const DrivenRun truth =
      drive(published.motion, implicit_options(), published_test("trot").truth_substeps);
  ASSERT_FALSE(truth.failed);
  int compared = 0;
  for (const LocalError& row : load_local_errors(folder / "trot_local_error.csv")) {
    if (row.method != "Eul-imp" || !row.worked_around) continue;
    const double mean = local_error(published.motion, implicit_options(), row.substeps, truth).mean;
    // A few touch-downs make the mean. Measured: 1.00, 1.08, 1.08, 0.96, 0.92 of theirs.
    EXPECT_LT(mean, 1.1 * row.mean) << row.step;
    ++compared;
  }
  EXPECT_EQ(compared, 5);
}

TEST(PublishedImplicitEuler, IsStableAtTheirLargestSteps) {
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  const std::pair<const char*, int> steps[] = {{"trot", 1}, {"jump", 2}};
  for (const auto& [name, substeps] : steps) {
    const PublishedMotion published = load_published_motion(folder, name);
    EXPECT_FALSE(drive(published.motion, implicit_options(), substeps).failed) << name;
  }
}

TEST(PublishedFiles, WrongNamesFilesAndSizesAreNamed) {
  EXPECT_THROW((void)published_test("walk"), std::invalid_argument);
  EXPECT_THROW((void)load_published_motion("/nowhere", "trot"), InputError);
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  const auto place = std::filesystem::temp_directory_path() / "stiction_published_files";
  std::filesystem::create_directories(place);
  std::filesystem::copy_file(folder / "solo12_v3.6.1.urdf", place / "solo12_v3.6.1.urdf",
                             std::filesystem::copy_options::overwrite_existing);
  std::ifstream table(folder / "squat_gt_exp.csv");
  std::ofstream part(place / "squat_gt_exp.csv");
  std::string line;
  for (int i = 0; i < 5 && std::getline(table, line); ++i) part << line << '\n';
  part.close();
  try {
    (void)load_published_motion(place, "squat");
    FAIL() << "four rows are too few";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("there are 4 rows"), std::string::npos)
        << error.what();
  }
  std::filesystem::remove_all(place);
}

}  // namespace
}  // namespace stiction::experiments
