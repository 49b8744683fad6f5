#include "support/recordings.hpp"

namespace stiction::test {

Model falling_things() {
  SceneBuilder scene("falling things");
  scene.use_material(0.5);
  scene.add_plane("floor");
  scene.add_box("lower", {0.1, 0.1, 0.1}, 1.0, at({0.0, 0.0, 0.11}, 0.1, {0.0, 0.0, 1.0}));
  scene.add_box("upper", {0.1, 0.1, 0.1}, 1.0, at({0.02, 0.0, 0.4}, 0.2, {1.0, 0.0, 0.0}));
  scene.add_sphere("ball", 0.05, 0.5, at(0.5, 0.0, 0.2));
  return scene.build();
}

const Model& standing_robot() {
  static const Model model = load_model(models_folder() / "anymal_lumped.xml").model;
  return model;
}

RunDescription description() {
  RunDescription run;
  run.title = "things that fall, ünd a \"quote\"";
  run.scene = "some/folder/scene.xml";
  run.options.time_step = 0.001;
  run.controls = "zero";
  run.seed = 0xfedcba9876543210u;
  return run;
}

std::vector<ExpectedFrame> record(const std::filesystem::path& path, Simulation& simulation,
                                  int steps, const RecorderOptions& options) {
  RunDescription run = description();
  run.options.contact = simulation.options().contact;
  Recorder recorder(path, simulation.model(), run, options);
  std::vector<ExpectedFrame> frames{{simulation.state(), {}, {}}};
  recorder.start(simulation.state());
  ExpectedFrame since;
  for (int k = 1; k <= steps; ++k) {
    const StepReport& report = simulation.step();
    recorder.step(simulation.state(), report);
    since.worst_residual = std::max(since.worst_residual, report.certificate.residual());
    since.deepest_overlap = std::max(since.deepest_overlap, report.deepest_overlap);
    since.iterations += report.iterations;
    ++since.steps;
    if (since.steps < options.steps_per_frame && k < steps) continue;
    since.state = simulation.state();
    since.contacts = report.contacts;
    since.springs = report.springs;
    frames.push_back(std::move(since));
    since = {};
  }
  recorder.finish();
  EXPECT_EQ(recorder.frames(), static_cast<long long>(frames.size()));
  return frames;
}

std::string input_error(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().all().size(), 1U);
    EXPECT_FALSE(error.problems().all().front().remedy.empty());
    return error.what();
  }
  return "no error";
}

std::string open_error(const std::filesystem::path& path) {
  const std::string text = input_error([&] { const Recording recording(path); });
  EXPECT_NE(text.find(path.filename().string()), std::string::npos) << text;
  return text;
}

bool same_bits(const Vector3<double>& a, const Vector3<double>& b) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  return bits(a.x) == bits(b.x) && bits(a.y) == bits(b.y) && bits(a.z) == bits(b.z);
}

void expect_same(const RecordedFrame& frame, const ExpectedFrame& expected) {
  EXPECT_TRUE(stiction::same_bits(frame.state, expected.state));
  EXPECT_EQ(frame.worst_residual, expected.worst_residual);
  EXPECT_EQ(frame.deepest_overlap, expected.deepest_overlap);
  EXPECT_EQ(frame.iterations, expected.iterations);
  EXPECT_EQ(frame.steps, expected.steps);
  ASSERT_EQ(frame.contacts.size(), expected.contacts.size());
  for (std::size_t i = 0; i < frame.contacts.size(); ++i) {
    const RecordedContact& got = frame.contacts[i];
    const StepContact& is = expected.contacts[i];
    EXPECT_EQ(got.shape_a, is.shape_a);
    EXPECT_EQ(got.shape_b, is.shape_b);
    EXPECT_EQ(got.mode, is.mode);
    EXPECT_EQ(got.gap, is.gap);
    EXPECT_EQ(got.friction, is.friction);
    EXPECT_TRUE(same_bits(got.point, is.point));
    EXPECT_TRUE(same_bits(got.normal, is.axes.c2));
    EXPECT_TRUE(same_bits(got.impulse, is.axes * is.impulse));
  }
  ASSERT_EQ(frame.springs.size(), expected.springs.size());
  for (std::size_t i = 0; i < frame.springs.size(); ++i) {
    ASSERT_EQ(frame.springs[i].attached, expected.springs[i].attached);
    if (!frame.springs[i].attached) continue;
    EXPECT_TRUE(same_bits(frame.springs[i].a, expected.springs[i].a));
    EXPECT_TRUE(same_bits(frame.springs[i].b, expected.springs[i].b));
  }
}

}  // namespace stiction::test
