// The motions and results of ../shared/reference/exponential: what they say about each other shows
// whether joints, axes and quaternions are understood as they were written.

#include <cstdio>
#include <gtest/gtest.h>

#include "experiments/integration_tables.hpp"
#include "experiments/motion_file.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/core/problem.hpp"
#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/dynamics_data.hpp"
#include "stiction/dynamics/integrate.hpp"
#include "stiction/dynamics/kinematics.hpp"

namespace stiction::test {
namespace {

using namespace experiments;

class PublishedMotions : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder_)) {
      GTEST_SKIP() << "the published motions are not in " << folder_;
    }
  }
  [[nodiscard]] Model solo() const { return load_without_shapes(folder_ / "solo12_v3.6.1.urdf"); }
  static Model romeo() { return load_without_shapes(models_folder() / "romeo.urdf"); }

  std::filesystem::path folder_ = std::filesystem::path(STICTION_REFERENCE_DIR) / "exponential";
};

double lowest_foot(const Model& model, const DynamicsData<double>& data) {
  double height = 1e300;
  for (const char* foot : {"FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"}) {
    const Eigen::Isometry3d pose = frame_pose(model, data, *model.find_frame(foot));
    height = std::min(height, pose.translation().z());
  }
  return height;
}

TEST_F(PublishedMotions, RobotHasTheMassThatTheyWereMadeFor) {
  EXPECT_NEAR(solo().total_mass(), 2.50000279, 1e-8);
}

// Their optimizer moves along the velocity at the end of an interval, in the base's own axes: exact
// to rounding, and only if order and axes are right.
TEST_F(PublishedMotions, SamplesFollowFromTheirVelocities) {
  const Model model = solo();
  for (const char* file : {"solo_trot.h5", "solo_jump.h5"}) {
    const ReferenceMotion motion = load_motion(folder_ / file, model, solo12_joints);
    EXPECT_EQ(motion.time_step, 0.01);
    double worst = 0.0;
    double worst_in_world_axes = 0.0;
    for (std::size_t k = 0; k + 1 < motion.samples.size(); ++k) {
      const MotionSample& next = motion.samples[k + 1];
      // Velocities at the end, seen from the base there; along a constant screw own axes stay.
      const MotionSample rest{next.q, Eigen::VectorXd::Zero(model.velocity_count())};
      const Eigen::VectorXd step =
          0.01 * own_axes_difference(model, rest, next).tail(model.velocity_count());
      const Eigen::VectorXd reached = move_in_own_axes(model, motion.samples[k].q, step);
      worst = std::max(worst, difference(model, next.q, reached).cwiseAbs().maxCoeff());
      const Eigen::VectorXd wrong = move_in_own_axes(model, motion.samples[k].q, 0.01 * next.v);
      worst_in_world_axes =
          std::max(worst_in_world_axes, difference(model, next.q, wrong).cwiseAbs().maxCoeff());
    }
    std::printf("%s: %.1e m or rad (%.1e with velocities in world axes)\n", file, worst,
                worst_in_world_axes);
    EXPECT_LT(worst, 1e-12) << file;
    EXPECT_GT(worst_in_world_axes, 1e-6) << file;  // so the bound above can tell
  }
}

// While the robot flies, its plan is free motion: v⁺ = v + h v̇ in own axes, with the stored forces.
// This checks their order and sign, and the masses.
TEST_F(PublishedMotions, PlannedForcesMoveTheFlyingRobotAsPlanned) {
  const Model model = solo();
  const ReferenceMotion motion = load_motion(folder_ / "solo_jump.h5", model, solo12_joints);
  DynamicsData<double> data(model);
  int flying = 0;
  double worst = 0.0;
  double largest = 0.0;
  for (std::size_t k = 0; k + 1 < motion.samples.size(); ++k) {
    const MotionSample& now = motion.samples[k];
    const MotionSample& next = motion.samples[k + 1];
    const Eigen::VectorXd dv =
        articulated_body_algorithm(model, data, now.q, now.v, motion.feedforward[k]);
    const double height = lowest_foot(model, data);
    if (height < 0.03) continue;
    // d(Rᵀ v)/dt = Rᵀ (v̇ − ω x v)
    const Eigen::Quaterniond back =
        Eigen::Quaterniond(now.q[6], now.q[3], now.q[4], now.q[5]).conjugate();
    const Eigen::Vector3d linear = now.v.head<3>();
    const Eigen::Vector3d angular = now.v.segment<3>(3);
    Eigen::VectorXd own = dv;
    own.head<3>() = back * (dv.head<3>() - angular.cross(linear));
    own.segment<3>(3) = back * dv.segment<3>(3);
    const Eigen::VectorXd planned =
        own_axes_difference(model, now, next).tail(model.velocity_count()) / motion.time_step;
    worst = std::max(worst, (planned - own).cwiseAbs().maxCoeff());
    largest = std::max(largest, own.cwiseAbs().maxCoeff());
    ++flying;
  }
  std::printf("%d samples in flight: %.1e of accelerations up to %.0f m/s² or rad/s²\n", flying,
              worst, largest);
  EXPECT_GT(flying, 10);
  EXPECT_LT(worst, 1e-12 * largest);
}

TEST_F(PublishedMotions, GroundTruthStartsAtTheLoweredFirstSample) {
  const Model model = solo();
  const std::pair<const char*, double> motions[] = {{"trot", 15.37e-3}, {"jump", 1e-6}};
  for (const auto& [name, height] : motions) {
    ReferenceMotion motion =
        load_motion(folder_ / ("solo_" + std::string(name) + ".h5"), model, solo12_joints);
    motion.lift(-height);
    const GroundTruth truth =
        load_ground_truth(folder_ / (std::string(name) + "_gt_exp.csv"), model, solo12_joints);
    // Nine digits are printed; the height is given to 10 µm (trot) and 1 µm.
    const double digits = height > 1e-3 ? 1e-5 : 1e-6;
    EXPECT_LT(difference(model, motion.samples[0].q, truth.samples[0].q).cwiseAbs().maxCoeff(),
              digits);
    EXPECT_LT((motion.samples[0].v - truth.samples[0].v).cwiseAbs().maxCoeff(), 1e-8);
    EXPECT_TRUE(truth.forces.empty());
  }
}

/// Largest distance of active, sticking contacts from their anchors over all rows, and how many
/// were compared.
struct AnchorDistance {
  double first_row = 0.0;
  double all_rows = 0.0;
  int count = 0;
};

template <class Point>
AnchorDistance anchor_distance(const Model& model, const GroundTruth& truth, Point point) {
  DynamicsData<double> data(model);
  AnchorDistance result;
  for (std::size_t row = 0; row < truth.samples.size(); ++row) {
    update_kinematics(model, data, truth.samples[row].q, truth.samples[row].v);
    for (std::size_t i = 0; i < truth.contacts.size(); ++i) {
      const ContactSample& contact = truth.contact_samples[row][i];
      if (!contact.active || contact.slipping) continue;
      const double distance = (point(data, truth.contacts[i]) - contact.anchor).norm();
      if (row == 0) result.first_row = std::max(result.first_row, distance);
      result.all_rows = std::max(result.all_rows, distance);
      ++result.count;
    }
  }
  return result;
}

// At the start an anchor is the contact point itself; later it is away by force over stiffness,
// which is a millimetre for a hundred newtons.
TEST_F(PublishedMotions, FeetOfSoloAreAtTheirAnchors) {
  const Model model = solo();
  const auto foot = [&](const DynamicsData<double>& data,
                        const std::string& name) -> Eigen::Vector3d {
    return frame_pose(model, data, *model.find_frame(name)).translation();
  };
  for (const char* name : {"trot", "jump", "squat"}) {
    const GroundTruth truth =
        load_ground_truth(folder_ / (std::string(name) + "_gt_exp.csv"), model, solo12_joints);
    EXPECT_EQ(truth.contacts,
              (std::vector<std::string>{"HL_FOOT", "HR_FOOT", "FL_FOOT", "FR_FOOT"}));
    const AnchorDistance distance = anchor_distance(model, truth, foot);
    std::printf("%s: %d contacts, %.1e m at the start, at most %.1e m\n", name, distance.count,
                distance.first_row, distance.all_rows);
    EXPECT_GT(distance.count, 100);
    EXPECT_LT(distance.first_row, 2e-9);  // as printed
    EXPECT_LT(distance.all_rows, 2e-3);
  }
}

TEST_F(PublishedMotions, FeetOfRomeoAreAtTheirAnchors) {
  const Model model = romeo();
  const GroundTruth truth = load_ground_truth(folder_ / "romeo_gt_exp.csv", model, romeo_joints);
  // Corners of the soles in the frame of the ankle.
  const Eigen::Vector3d corners[] = {
      {-0.05, -0.05, -0.07}, {-0.05, 0.05, -0.07}, {0.10, -0.05, -0.07}, {0.10, 0.05, -0.07}};
  const auto corner = [&](const DynamicsData<double>& data,
                          const std::string& name) -> Eigen::Vector3d {
    const int ankle = *model.find_joint(name.substr(0, name.size() - 2));
    return body_pose(data, ankle) * corners[name.back() - '0'];
  };
  const AnchorDistance distance = anchor_distance(model, truth, corner);
  std::printf("romeo: %d contacts, %.1e m at the start, at most %.1e m\n", distance.count,
              distance.first_row, distance.all_rows);
  EXPECT_GT(distance.count, 100);
  EXPECT_LT(distance.first_row, 2e-8);  // angles are given to 1e-8
  EXPECT_LT(distance.all_rows, 5e-3);
  EXPECT_EQ(truth.forces.size(), truth.samples.size());
}

TEST_F(PublishedMotions, TablesOfOtherRobotsAreRefused) {
  EXPECT_THROW((void)load_ground_truth(folder_ / "trot_gt_exp.csv", romeo(), romeo_joints),
               InputError);
  EXPECT_THROW((void)load_ground_truth(folder_ / "romeo_gt_exp.csv", solo(), solo12_joints),
               InputError);
  EXPECT_THROW((void)load_local_errors(folder_ / "trot_gt_exp.csv"), InputError);
}

TEST_F(PublishedMotions, TablesAreReadAsTheirReadmeHasThem) {
  const auto mean = [&](const char* method, int products, double step, bool worked_around) {
    for (const LocalError& row : load_local_errors(folder_ / "trot_local_error.csv")) {
      if (row.method == method && row.products == products && std::abs(row.step - step) < 1e-9 &&
          row.worked_around == worked_around) {
        return row.mean;
      }
    }
    return -1.0;
  };
  EXPECT_NEAR(mean("Expo", -1, 2e-3, false), 0.0648, 5e-5);
  EXPECT_NEAR(mean("Expo", 0, 2e-3, false), 0.0712, 5e-5);
  EXPECT_NEAR(mean("Eul-imp", 100, 1e-3, true), 0.0143, 5e-5);
  EXPECT_NEAR(mean("Eul-exp", 100, 0.0625e-3, true), 0.0012, 5e-5);
  const std::vector<GroundTruthDistance> distances =
      load_distances(folder_ / "trot_gt_compare.csv");
  ASSERT_EQ(distances.size(), 4U);
  EXPECT_EQ(distances[0].method, "euler");
  EXPECT_EQ(distances[0].substeps, 1024);
  EXPECT_EQ(distances[0].largest, 0.0723324);
}

TEST_F(PublishedMotions, WalkingPlanIsConsistentWithItsRates) {
  const RecordedWalk walk = load_walk(folder_ / "romeo_walk.h5");
  EXPECT_EQ(walk.time_step, 0.002);
  ASSERT_EQ(walk.standing_foot.size(), 2401U);
  const Eigen::Index n = walk.center_of_mass.position.cols();
  for (const RecordedWalk::Path* path : {&walk.center_of_mass, &walk.feet[0], &walk.feet[1]}) {
    ASSERT_EQ(path->position.cols(), n);
    double worst = 0.0;
    for (Eigen::Index k = 0; k + 1 < n; ++k) {
      const Eigen::Vector3d moved = path->position.col(k + 1) - path->position.col(k);
      const Eigen::Vector3d mean = 0.5 * (path->velocity.col(k + 1) + path->velocity.col(k));
      worst = std::max(worst, (moved / 0.002 - mean).cwiseAbs().maxCoeff());
    }
    std::printf("rates of the plan: %.1e m/s\n", worst);
    EXPECT_LT(worst, 1e-5);  // h²/12 times the third derivative of the path
  }
}

}  // namespace
}  // namespace stiction::test
