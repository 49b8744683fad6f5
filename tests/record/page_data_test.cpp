#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "stiction/core/problem.hpp"
#include "stiction/record/page.hpp"
#include "support/page_columns.hpp"
#include "support/robots.hpp"

namespace stiction {
namespace {

using nlohmann::json;

const Model& quadruped() {
  static const Model model = load_model(models_folder() / "scenes" / "quadruped_boxes.xml").model;
  return model;
}

RecordedContact some_contact(Random& random, const Model& model) {
  const auto vector = [&] {
    return Vector3<double>{random.normal(), random.normal(), random.normal()};
  };
  RecordedContact contact;
  contact.shape_a = random.index(static_cast<int>(model.shapes().size()));
  contact.shape_b = random.index(static_cast<int>(model.shapes().size()));
  contact.mode = static_cast<ContactMode>(random.index(3));
  contact.gap = random.normal();
  contact.friction = random.uniform();
  contact.point = vector();
  contact.normal = vector();
  contact.impulse = vector();
  return contact;
}

/// Frames of a robot that is somewhere else each time, `step` seconds apart, with some contacts.
PageRun random_run(const Model& model, int frames, double step, std::uint64_t seed = 3) {
  Random random(seed);
  PageRun run;
  run.label = "random";
  run.run.options.solver = "hybrid";
  run.run.options.time_step = step;
  run.run.seed = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < frames; ++i) {
    RecordedFrame frame;
    frame.state = model.initial_state();
    frame.state.q = test::random_positions(random, model);
    frame.state.time = i * step;
    frame.kinetic_energy = random.uniform();
    frame.potential_energy = random.normal();
    frame.worst_residual = random.uniform() * 1e-9;
    frame.deepest_overlap = random.uniform() * 1e-6;
    frame.iterations = random.index(10);
    frame.not_certified = random.index(2);
    frame.steps = i > 0 ? 1 : 0;
    for (int k = random.index(5); k > 0; --k) {
      frame.contacts.push_back(some_contact(random, model));
    }
    run.frames.push_back(std::move(frame));
  }
  return run;
}

json data_of(const Model& model, const std::vector<PageRun>& runs) {
  return json::parse(page_data(scene_json(model), runs));
}

/// Sums of the differences, as the viewer forms them.
template <class Number>
std::vector<Number> summed(std::vector<Number> column, std::size_t row) {
  using Unsigned = std::make_unsigned_t<Number>;
  for (std::size_t i = row; i < column.size(); ++i) {
    column[i] = static_cast<Number>(static_cast<Unsigned>(static_cast<Unsigned>(column[i]) +
                                                          static_cast<Unsigned>(column[i - row])));
  }
  return column;
}

TEST(PageData, PosesComeBackWithinTheirUnit) {
  const Model& model = quadruped();
  const PageRun run = random_run(model, 40, 0.02);
  const json data = data_of(model, {run});
  EXPECT_EQ(data["format"], "stiction-replay");
  EXPECT_EQ(data["version"], 1);
  EXPECT_EQ(data["scene"], json::parse(scene_json(model)));
  const json& stored = data["runs"][0];
  ASSERT_EQ(stored["frames"], 40);
  const std::size_t bodies = static_cast<std::size_t>(model.body_count());
  const auto positions = summed(test::unpack<std::int32_t>(stored["positions"]), 3 * bodies);
  const auto quaternions = summed(test::unpack<std::int16_t>(stored["quaternions"]), 4 * bodies);
  ASSERT_EQ(positions.size(), 40 * 3 * bodies);
  ASSERT_EQ(quaternions.size(), 40 * 4 * bodies);
  const double unit = stored["position_unit"];
  const ScenePoses scene(scene_json(model));
  for (std::size_t i = 0; i < 40; ++i) {
    const std::vector<Eigen::Isometry3d> poses = scene.poses(run.frames[i].state.q);
    for (std::size_t body = 0; body < bodies; ++body) {
      const std::size_t at = i * bodies + body;
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(positions[3 * at + k] * unit, poses[body].translation()[static_cast<int>(k)],
                    0.5001 * unit);
      }
      const Eigen::Quaterniond rotation(
          Eigen::Vector4d(quaternions[4 * at], quaternions[4 * at + 1], quaternions[4 * at + 2],
                          quaternions[4 * at + 3]) /
          32767.0);
      // Half a unit in each of four components turns by at most 2 * |(0.5, 0.5, 0.5, 0.5)| units.
      EXPECT_LT(rotation.normalized().angularDistance(Eigen::Quaterniond(poses[body].linear())),
                2.0 / 32767.0);
    }
  }
}

TEST(PageData, ContactsAndNumbersComeBackFrameByFrame) {
  const Model& model = quadruped();
  const PageRun run = random_run(model, 25, 0.02);
  const json data = data_of(model, {run});
  const json& stored = data["runs"][0];
  EXPECT_EQ(stored["label"], "random");
  EXPECT_EQ(stored["description"]["solver"], "hybrid");
  EXPECT_EQ(stored["description"]["seed"], std::numeric_limits<std::uint64_t>::max());
  const auto times = test::unpack<double>(stored["times"]);
  const auto kinetic = test::unpack<float>(stored["kinetic"]);
  const auto residual = test::unpack<float>(stored["residual"]);
  const auto iterations = test::unpack<std::uint32_t>(stored["iterations"]);
  const auto start = test::unpack<std::uint32_t>(stored["contact_start"]);
  const auto shapes = test::unpack<std::int32_t>(stored["contact_shapes"]);
  const auto modes = test::unpack<std::uint8_t>(stored["contact_mode"]);
  const auto points = test::unpack<float>(stored["contact_points"]);
  const auto normals = test::unpack<float>(stored["contact_normals"]);
  const auto impulses = test::unpack<float>(stored["contact_impulses"]);
  const auto gaps = test::unpack<float>(stored["contact_gap"]);
  const auto frictions = test::unpack<float>(stored["contact_friction"]);
  ASSERT_EQ(start.size(), 26U);
  for (std::size_t i = 0; i < 25; ++i) {
    const RecordedFrame& frame = run.frames[i];
    EXPECT_EQ(times[i], frame.state.time);
    EXPECT_EQ(kinetic[i], static_cast<float>(frame.kinetic_energy));
    EXPECT_EQ(residual[i], static_cast<float>(frame.worst_residual));
    EXPECT_EQ(iterations[i], static_cast<std::uint32_t>(frame.iterations));
    ASSERT_EQ(start[i + 1] - start[i], frame.contacts.size());
    for (std::size_t k = 0; k < frame.contacts.size(); ++k) {
      const RecordedContact& contact = frame.contacts[k];
      const std::size_t c = start[i] + k;
      EXPECT_EQ(shapes[2 * c], contact.shape_a);
      EXPECT_EQ(shapes[2 * c + 1], contact.shape_b);
      EXPECT_EQ(modes[c], static_cast<std::uint8_t>(contact.mode));
      EXPECT_EQ(points[3 * c + 1], static_cast<float>(contact.point.y));
      EXPECT_EQ(normals[3 * c + 2], static_cast<float>(contact.normal.z));
      EXPECT_EQ(impulses[3 * c], static_cast<float>(contact.impulse.x));
      EXPECT_EQ(gaps[c], static_cast<float>(contact.gap));
      EXPECT_EQ(frictions[c], static_cast<float>(contact.friction));
    }
  }
}

TEST(PageData, AnchorsAndStretchesComeBackAndHardContactHasNone) {
  const Model& model = quadruped();
  PageRun run = random_run(model, 25, 0.02);
  const json hard = data_of(model, {run})["runs"][0];
  EXPECT_FALSE(hard.contains("contact_anchors") || hard.contains("contact_stretches"));
  Random random(4);
  for (std::size_t i = 0; i < run.frames.size(); i += 2) {  // the others have hard contact
    for (std::size_t k = 0; k < run.frames[i].contacts.size(); ++k) {
      const Vector3<double> a{random.normal(), random.normal(), random.normal()};
      run.frames[i].springs.push_back(
          {a, a + 1e-4 * Vector3<double>{1.0, 2.0, random.normal()}, k != 2});
    }
  }
  json stored = data_of(model, {run})["runs"][0];
  const auto start = test::unpack<std::uint32_t>(stored["contact_start"]);
  const auto anchors = test::unpack<float>(stored["contact_anchors"]);
  const auto stretches = test::unpack<float>(stored["contact_stretches"]);
  ASSERT_EQ(anchors.size(), 3 * start.back());
  ASSERT_EQ(stretches.size(), 3 * start.back());
  for (std::size_t i = 0; i < run.frames.size(); ++i) {
    for (std::size_t c = start[i]; c < start[i + 1]; ++c) {
      const bool none = i % 2 == 1 || c - start[i] == 2;
      EXPECT_EQ(std::isnan(anchors[3 * c]) && std::isnan(stretches[3 * c + 2]), none);
      if (none) continue;
      const SpringEnds& spring = run.frames[i].springs[c - start[i]];
      EXPECT_EQ(anchors[3 * c + 1], static_cast<float>(spring.a.y));
      EXPECT_EQ(stretches[3 * c + 2], static_cast<float>(spring.stretch().z));
    }
  }
  stored.erase("contact_anchors");
  stored.erase("contact_stretches");
  EXPECT_EQ(stored, hard);
}

TEST(PageData, FramesThatAreLeftOutHideNothing) {
  const Model& model = quadruped();
  PageRun run = random_run(model, 1005, 0.001);
  run.frames[500].worst_residual = 0.25;
  run.frames[501].deepest_overlap = 0.125;
  const json stored = data_of(model, {run})["runs"][0];
  const auto times = test::unpack<double>(stored["times"]);
  // 1.004 s at 60 a second: slots 0 to 60, and the last frame.
  ASSERT_EQ(times.size(), 62U);
  EXPECT_EQ(times.front(), 0.0);
  EXPECT_EQ(times.back(), run.frames.back().state.time);
  for (std::size_t i = 1; i + 1 < times.size(); ++i) {
    EXPECT_NEAR(times[i], static_cast<double>(i) / 60.0, 0.001);
  }
  const auto sum = [&](const char* key) {
    long long total = 0;
    for (const std::uint32_t x : test::unpack<std::uint32_t>(stored[key])) total += x;
    return total;
  };
  long long iterations = 0;
  long long not_certified = 0;
  for (const RecordedFrame& frame : run.frames) {
    iterations += frame.iterations;
    not_certified += frame.not_certified;
  }
  EXPECT_EQ(sum("steps"), 1004);
  EXPECT_EQ(sum("iterations"), iterations);
  EXPECT_EQ(sum("not_certified"), not_certified);
  EXPECT_EQ(std::ranges::max(test::unpack<float>(stored["residual"])), 0.25F);
  EXPECT_EQ(std::ranges::max(test::unpack<float>(stored["overlap"])), 0.125F);
}

TEST(PageData, CountsThatAddUpToTooMuchStayAtTheMost) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  const Model& model = quadruped();
  PageRun run = random_run(model, 20, 0.001);
  for (RecordedFrame& frame : run.frames) {
    frame.iterations = frame.not_certified = frame.steps = most;
  }
  const json stored = data_of(model, {run})["runs"][0];
  for (const char* key : {"iterations", "not_certified", "steps"}) {
    for (const std::uint32_t x : test::unpack<std::uint32_t>(stored[key])) {
      EXPECT_EQ(x, static_cast<std::uint32_t>(most)) << key;
    }
  }
}

TEST(PageData, GatheringFramesFirstGivesTheSamePage) {
  const Model& model = quadruped();
  PageRun run = random_run(model, 300, 0.003);
  const std::string whole = page_data(scene_json(model), std::vector{run});
  PageFrames kept;
  for (RecordedFrame& frame : run.frames) kept.add(std::move(frame));
  run.frames = kept.take();
  EXPECT_LT(run.frames.size(), 60U);
  EXPECT_EQ(page_data(scene_json(model), std::vector{run}), whole);
}

TEST(PageData, RunsMayBeEmptyAndSeveral) {
  const Model& model = quadruped();
  EXPECT_EQ(data_of(model, {})["runs"].size(), 0U);
  const json data = data_of(model, {random_run(model, 2, 0.1), random_run(model, 0, 0.1)});
  EXPECT_EQ(data["runs"][0]["frames"], 2);
  EXPECT_EQ(data["runs"][1]["frames"], 0);
  EXPECT_EQ(test::unpack<std::uint32_t>(data["runs"][1]["contact_start"]),
            std::vector<std::uint32_t>{0});
}

TEST(PageData, FarBodiesStayAtTheEdgeOfTheNumbers) {
  const Model& model = quadruped();
  PageRun run = random_run(model, 2, 0.1);
  ASSERT_EQ(model.joint(0).kind, JointKind::floating);
  run.frames[0].state.q[0] = 1e9;
  run.frames[1].state.q[0] = -1e9;
  const std::size_t row = 3 * static_cast<std::size_t>(model.body_count());
  const auto positions =
      summed(test::unpack<std::int32_t>(data_of(model, {run})["runs"][0]["positions"]), row);
  EXPECT_EQ(positions[0], std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(positions[row], -std::numeric_limits<std::int32_t>::max());
}

TEST(PageData, RunsThatAreNotOfTheSceneAreRefused) {
  const Model& model = quadruped();
  struct Damage {
    std::function<void(PageRun&)> act;
    const char* message;
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Damage> damages{
      {[](PageRun& r) { r.frames[2].state.q.conservativeResize(3); }, "has 3 positions"},
      {[](PageRun& r) { r.frames[2].state.q[5] = nan; }, "position that is NaN or infinite"},
      {[](PageRun& r) { r.frames[2].state.time = nan; }, "time that is NaN or infinite"},
      {[](PageRun& r) { r.frames[2].state.time = -1.0; }, "earlier than the previous frame"},
      {[](PageRun& r) { r.frames[2].contacts = {{.shape_a = 0, .shape_b = 100000}}; },
       "shape that does not exist"},
      {[](PageRun& r) { r.frames[2].contacts = {{.shape_a = -2, .shape_b = 0}}; },
       "shape that does not exist"},
      {[](PageRun& r) { r.frames[2].contacts = {{.gap = nan}}; },
       "contact that contains NaN or infinity"},
      {[](PageRun& r) { r.frames[2].steps = -1; }, "negative count"},
      {[](PageRun& r) { r.frames[2].springs.resize(9); }, "has 9 anchors"},
      {[](PageRun& r) {
         r.frames[2].contacts = {{.shape_a = 0, .shape_b = 1}};
         r.frames[2].springs = {{{nan, 0.0, 0.0}, {}}};
       },
       "anchor that is NaN or infinite"},
  };
  for (const Damage& damage : damages) {
    PageRun run = random_run(model, 4, 0.1);
    damage.act(run);
    try {
      static_cast<void>(page_data(scene_json(model), std::vector{run}));
      ADD_FAILURE() << damage.message;
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("frame 2 of run 'random'"), std::string::npos) << text;
      EXPECT_NE(text.find(damage.message), std::string::npos) << text;
    }
  }
}

constexpr const char* bare_viewer =
    "<html><script id=\"stiction-data\" type=\"application/json\">null</script><p>after</p></html>";

TEST(FillPage, NoTextOfTheDataEndsTheElement) {
  const Model& model = quadruped();
  PageRun run = random_run(model, 1, 0.1);
  run.label = "</script><script>alert(1)</script><!--";
  const std::string data = page_data(scene_json(model), std::vector{run});
  const std::string page = fill_page(bare_viewer, data);
  const std::string opening = "type=\"application/json\">";
  const std::size_t first = page.find(opening) + opening.size();
  const std::size_t end = page.find('<', first);
  EXPECT_EQ(page.substr(end), "</script><p>after</p></html>");
  EXPECT_EQ(json::parse(page.substr(first, end - first)), json::parse(data));
}

TEST(FillPage, NamesThatAreNoUtf8StillGiveJson) {
  const Model& model = quadruped();
  PageRun run = random_run(model, 1, 0.1);
  run.label = "\xff\xfe broken";
  const json data = json::parse(page_data(scene_json(model), std::vector{run}));
  EXPECT_NE(data["runs"][0]["label"].get<std::string>().find("broken"), std::string::npos);
}

TEST(FillPage, AViewerWithoutPlaceIsRefused) {
  EXPECT_THROW(static_cast<void>(fill_page("", "{}")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(fill_page("<html></html>", "{}")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(fill_page(fill_page(bare_viewer, "{}"), "{}")),
               std::invalid_argument);
}

}  // namespace
}  // namespace stiction
