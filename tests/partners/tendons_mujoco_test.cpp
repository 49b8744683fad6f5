// Paths of tendons around spheres and cylinders, at random, in MuJoCo and here.

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include "stiction/core/random.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/dynamics/tendons.hpp"
#include "stiction/io/load.hpp"
#include "support/random_tree.hpp"
#include "support/temporary_folder.hpp"

namespace stiction::test {
namespace {

std::string numbers(const Eigen::Vector3d& v) {
  return fmt::format("{} {} {}", v.x(), v.y(), v.z());
}

/// An arm of three hinges with a site on each link, and obstacles in the world and on the arm.
std::string random_scene(Random& random) {
  std::string links;
  std::string ends;
  for (int i = 0; i < 3; ++i) {
    const Eigen::Vector3d axis = random_vector(random, 1.0);
    links += fmt::format(
        "<body pos='{}'><joint name='j{}' axis='{}'/><geom name='g{}' type='{}' size='{} .1' "
        "pos='{}' euler='{}'/><site name='s{}' pos='{}'/>",
        numbers(random_vector(random, 0.4)), i, numbers(axis), i,
        random.uniform() < 0.5 ? "sphere" : "cylinder", 0.05 + 0.2 * random.uniform(),
        numbers(random_vector(random, 0.3)), numbers(random_vector(random, 90.0)), i,
        numbers(random_vector(random, 0.6)));
    links += fmt::format("<site name='side{}' pos='{}'/>", i, numbers(random_vector(random, 0.5)));
    ends += "</body>";
  }
  const auto around = [&](int geom) {
    const bool has_side = random.uniform() < 0.5;
    return fmt::format("<geom geom='g{}'{}/>", geom,
                       has_side ? fmt::format(" sidesite='side{}'", geom) : "");
  };
  return "<mujoco><worldbody><site name='start' pos='0 0 .7'/><site name='end' pos='.3 .6 -.4'/>" +
         links + ends + "</worldbody><tendon><spatial><site site='start'/>" + around(0) +
         "<site site='s0'/>" + around(1) + "<site site='s1'/><pulley divisor='2.5'/>" +
         "<site site='s1'/>" + around(2) + "<site site='s2'/>" + around(0) +
         "<site site='end'/></spatial></tendon></mujoco>";
}

TEST(TendonsInMujoco, HaveTheSameLengthsAndMoments) {
  TemporaryFolder folder;
  int wraps = 0;
  for (int seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(static_cast<std::uint64_t>(seed));
    const std::string text = random_scene(random);
    const Model model = load_model_text(text, "tendon.xml").model;
    const auto file = folder.write("tendon.xml", text);
    char error[1000] = "";
    mjModel* theirs = mj_loadXML(file.string().c_str(), nullptr, error, sizeof error);
    ASSERT_NE(theirs, nullptr) << error;
    mjData* state = mj_makeData(theirs);
    const Eigen::VectorXd q = random_entries(random, 3, 1.5);
    const Eigen::VectorXd v = random_entries(random, 3);
    std::copy_n(q.data(), 3, state->qpos);
    std::copy_n(v.data(), 3, state->qvel);
    mj_forward(theirs, state);
    DynamicsData<double> data(model);
    TendonSet tendons(model);
    update_positions<double>(model, data, as_span(q));
    tendons.update(model, data, as_span(q));
    EXPECT_NEAR(tendons.length(0), state->ten_length[0], 1e-9);
    // MuJoCo finds the bend of a thread through a ring to 1e-6.
    EXPECT_NEAR(tendons.speed(0, as_span(v)), state->ten_velocity[0], 1e-5);
    EXPECT_NEAR(model.tendons()[0].initial_length, theirs->tendon_length0[0], 1e-9);
    wraps += state->ten_wrapnum[0] > 7 ? 1 : 0;
    mj_deleteData(state);
    mj_deleteModel(theirs);
  }
  EXPECT_GT(wraps, 100);
}

}  // namespace
}  // namespace stiction::test
