// Anchors of viscoelastic contact in recordings, which older releases do not know.

#include <algorithm>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <limits>

#include "stiction/record/page.hpp"
#include "stiction/record/recording_file.hpp"
#include "support/recordings.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

class RecordingAnchors : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "run.h5"; }

  static Simulation simulation(ContactFamily family) {
    StepOptions options;
    options.contact = family;
    return Simulation(test::falling_things(), options);
  }

  /// Opens a finished recording for changes, and closes it.
  template <class Act>
  void with_file(const Act& act) const {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    const hid_t file = H5Fopen(path().c_str(), H5F_ACC_RDWR, access);
    ASSERT_GE(file, 0);
    act(file);
    H5Fclose(file);
    H5Pclose(access);
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(RecordingAnchors, ComeBackBitForBit) {
  for (const int steps_per_frame : {1, 7}) {
    Simulation springs = simulation(ContactFamily::viscoelastic);
    const auto frames = test::record(path(), springs, 1500, {.steps_per_frame = steps_per_frame});
    const Recording recording(path());
    ASSERT_EQ(recording.frame_count(), static_cast<long long>(frames.size()));
    std::size_t anchors = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      SCOPED_TRACE(i);
      const RecordedFrame frame = recording.frame(static_cast<long long>(i));
      test::expect_same(frame, frames[i]);
      anchors +=
          static_cast<std::size_t>(std::ranges::count_if(frame.springs, &SpringEnds::attached));
      if (HasFailure()) return;
    }
    EXPECT_GT(anchors, 5000U / static_cast<unsigned>(steps_per_frame));
  }
}

TEST_F(RecordingAnchors, HardContactHasNoTableOfThem) {
  Simulation hard = simulation(ContactFamily::rigid);
  test::record(path(), hard, 200);
  with_file([](hid_t file) { EXPECT_EQ(H5Lexists(file, "anchors", H5P_DEFAULT), 0); });
  EXPECT_TRUE(Recording(path()).frame(200).springs.empty());
}

TEST_F(RecordingAnchors, OlderRecordingsOfSpringsAreReadWithout) {
  Simulation springs = simulation(ContactFamily::viscoelastic);
  test::record(path(), springs, 500);
  with_file([](hid_t file) { EXPECT_GE(H5Ldelete(file, "anchors", H5P_DEFAULT), 0); });
  const Recording recording(path());
  EXPECT_FALSE(recording.frame(500).contacts.empty());
  EXPECT_TRUE(recording.frame(500).springs.empty());
  EXPECT_EQ(hash(recording.frame(500).state), hash(springs.state()));
}

TEST_F(RecordingAnchors, StepsWithHardContactAmongThemHaveNone) {
  Simulation mixed = simulation(ContactFamily::viscoelastic);
  RunDescription run = test::description();
  run.options = mixed.options();
  Recorder recorder(path(), mixed.model(), run);
  for (int k = 0; k < 400; ++k) {
    mixed.options().contact = k < 300 ? ContactFamily::viscoelastic : ContactFamily::rigid;
    recorder.step(mixed.state(), mixed.step());
  }
  recorder.finish();
  const Recording recording(path());
  EXPECT_EQ(recording.frame(299).springs.size(), recording.frame(299).contacts.size());
  EXPECT_TRUE(std::ranges::any_of(recording.frame(299).springs, &SpringEnds::attached));
  EXPECT_FALSE(recording.frame(300).contacts.empty());
  EXPECT_TRUE(std::ranges::none_of(recording.frame(300).springs, &SpringEnds::attached));
}

/// A recording of one ball with two contacts and given anchors.
class AnchorRows : public RecordingAnchors {
 protected:
  std::string error(const std::vector<AnchorRow>& anchors) {
    SceneBuilder scene("ball");
    scene.add_sphere("ball", 0.1, 1.0, at(0.0, 0.0, 0.0));
    const Model model = scene.build();
    RecordingHead head{identity_of(model), test::description(), scene_json(model)};
    head.run.options.contact = ContactFamily::viscoelastic;
    const State state = model.initial_state();
    FrameBatch batch;
    batch.time = {state.time};
    batch.q.assign(state.q.begin(), state.q.end());
    batch.v.assign(state.v.begin(), state.v.end());
    batch.contacts = {ContactRow{0, 0}, ContactRow{0, 0}};
    batch.anchors = anchors;
    batch.frames = {FrameRow{.hash = hash(state), .contact_end = 2, .contacts = 2}};
    {
      RecordingFile file(path(), head, 1);
      file.append(batch);
      file.finish();
    }
    return test::input_error([&] { static_cast<void>(Recording(path()).frame(0)); });
  }
};

TEST_F(AnchorRows, MustBeThereForAllContacts) {
  EXPECT_EQ(error({{}, {}}), "no error");
  EXPECT_NE(error({{}}).find("rows 0 to 2 are missing"), std::string::npos);
}

TEST_F(AnchorRows, OfContactsWithoutSpringAreNaN) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error({{}, {{nan, nan, nan}, {nan, nan, nan}}}), "no error");
  const RecordedFrame frame = Recording(path()).frame(0);
  ASSERT_EQ(frame.springs.size(), 2U);
  EXPECT_TRUE(frame.springs[0].attached);
  EXPECT_FALSE(frame.springs[1].attached);
}

}  // namespace
}  // namespace stiction
