#include <fstream>
#include <limits>
#include <sstream>

#include "stiction/core/random.hpp"
#include "stiction/record/page.hpp"
#include "stiction/record/recording_file.hpp"
#include "support/recordings.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// A finished recording of 300 frames.
class RecordingDamage : public testing::Test {
 protected:
  void SetUp() override {
    Simulation simulation(test::falling_things());
    frames = test::record(folder.path() / "whole.h5", simulation, 300);
    whole = bytes_of(folder.path() / "whole.h5");
  }

  /// Whether the bytes are refused; else all that can be read of them must be right.
  bool refused(const std::string& bytes) {
    const auto path = folder.write("damaged.h5", bytes);
    try {
      const Recording recording(path);
      EXPECT_LE(recording.frame_count(), 301);
      EXPECT_EQ(recording.scene(), scene_json(test::falling_things()));
      for (long long i = 0; i < recording.frame_count(); ++i) {
        test::expect_same(recording.frame(i), frames[static_cast<std::size_t>(i)]);
      }
      return false;
    } catch (const InputError& error) {
      EXPECT_HAS(std::string(error.what()), "damaged.h5");
      EXPECT_FALSE(error.problems().all().front().remedy.empty());
      return true;
    }
  }

  test::TemporaryFolder folder;
  std::vector<test::ExpectedFrame> frames;
  std::string whole;
};

TEST_F(RecordingDamage, EveryCutIsRefusedOrRight) {
  int refusals = 0;
  constexpr std::size_t cuts = 60;
  for (std::size_t k = 0; k < cuts; ++k) {
    SCOPED_TRACE(k);
    refusals += refused(whole.substr(0, whole.size() * k / cuts)) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(refusals, 30);
}

TEST_F(RecordingDamage, EveryFlippedBitIsRefusedOrMeansNothing) {
  constexpr std::uint64_t seed = 5;
  Random random(seed);
  int refusals = 0;
  for (int k = 0; k < 250; ++k) {
    // Half of them near the start, where HDF5 keeps what it needs to find the rest.
    const std::size_t range = k % 2 == 0 ? whole.size() : std::min<std::size_t>(8192, whole.size());
    const auto place = static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(range)));
    std::string bytes = whole;
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << (k % 8)));
    SCOPED_TRACE(place);
    refusals += refused(bytes) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(refusals, 100);
}

TEST_F(RecordingDamage, BlocksOfZerosAreRefusedOrMeanNothing) {
  for (std::size_t begin = 0; begin < whole.size(); begin += 1 + whole.size() / 40) {
    std::string bytes = whole;
    bytes.replace(begin, std::min<std::size_t>(512, bytes.size() - begin), 512, '\0');
    SCOPED_TRACE(begin);
    refused(bytes);
    if (HasFailure()) return;
  }
}

TEST(RecordingReading, WhatIsNoRecordingIsRefused) {
  const test::TemporaryFolder folder;
  EXPECT_HAS(test::open_error(folder.path() / "absent.h5"), "no such file");
  EXPECT_HAS(test::open_error(folder.path()), "not a regular file");
  EXPECT_HAS(test::open_error(folder.write("empty.h5", "")), "not an HDF5 file");
  EXPECT_HAS(test::open_error(folder.write("text.h5", "time,q\n0,1\n")), "not an HDF5 file");
  EXPECT_HAS(test::open_error(models_folder() / "problems" / "stack.hdf5"),
             "contains no recording");
}

// ---- files that HDF5 finds nothing wrong with
// ----------------------------------------------------

/// One ball; one frame with one contact and one impulse.
class RecordingContents : public testing::Test {
 protected:
  RecordingContents() {
    SceneBuilder scene("ball");
    scene.add_sphere("ball", 0.1, 1.0, at(0.0, 0.0, 0.0));
    const Model model = scene.build();
    head = {identity_of(model), test::description(), scene_json(model)};
    State state = model.initial_state();
    state.memory = {{7, {1.0, 2.0, 3.0}}};
    batch.time = {state.time};
    batch.q.assign(state.q.begin(), state.q.end());
    batch.v.assign(state.v.begin(), state.v.end());
    batch.memory = {{7, {1.0, 2.0, 3.0}}};
    batch.contacts = {ContactRow{0, 1}};
    batch.frames = {
        FrameRow{.hash = hash(state), .contact_end = 1, .memory_end = 1, .contacts = 1}};
  }
  /// What is wrong with the file, on opening or on reading the frame.
  std::string error() {
    const auto path = folder.path() / "run.h5";
    {
      RecordingFile file(path, head, 1);
      file.append(batch);
      file.finish();
    }
    return test::input_error([&] { static_cast<void>(Recording(path).frame(0)); });
  }
  test::TemporaryFolder folder;
  RecordingHead head;
  FrameBatch batch;
};

TEST_F(RecordingContents, AreReadIfNothingIsWrong) { EXPECT_EQ(error(), "no error"); }

TEST_F(RecordingContents, OtherVersionsAreNamed) {
  head.version = 7;
  EXPECT_HAS(error(), "has version 7");
}

TEST_F(RecordingContents, RowsMustBeWhereFramesSay) {
  const FrameRow good = batch.frames[0];
  const auto with = [&](auto change) {
    batch.frames[0] = good;
    change(batch.frames[0]);
    return error();
  };
  constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  EXPECT_HAS(with([](FrameRow& row) { row.contact_end = row.contacts = 2; }), "that do not exist");
  EXPECT_HAS(with([](FrameRow& row) { row.contact_end = huge; }), "that do not exist");
  EXPECT_HAS(with([](FrameRow& row) { row.memory_end = huge; }), "that do not exist");
  EXPECT_HAS(with([](FrameRow& row) { row.contacts = -1; }), "that do not exist");
  EXPECT_HAS(with([](FrameRow& row) { row.contacts = 0; }), "that do not exist");
  EXPECT_HAS(with([](FrameRow& row) { row.iterations = -1; }), "negative");
  EXPECT_HAS(with([](FrameRow& row) { row.hash ^= 1; }), "was modified");
}

TEST_F(RecordingContents, ContactsMustBeOnes) {
  batch.contacts[0].mode = 3;
  EXPECT_HAS(error(), "contact of frame 0 is invalid");
  batch.contacts[0] = {-2, 1};
  EXPECT_HAS(error(), "contact of frame 0 is invalid");
}

TEST_F(RecordingContents, TimesMustBeNumbers) {
  batch.time[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_HAS(error(), "NaN or infinite");
}

TEST_F(RecordingContents, MissingRowsAreNamed) {
  batch.v.clear();
  EXPECT_HAS(error(), "rows are missing");
}

TEST_F(RecordingContents, CountsThatNoModelHasAreRefused) {
  batch = {};
  head.model.position_count = (1 << 20) + 1;
  EXPECT_HAS(error(), "number of positions or velocities is too large");
}

TEST_F(RecordingContents, StepsPerFrameMustBePossible) {
  head.run.steps_per_frame = 0;
  EXPECT_HAS(error(), "impossible");
}

}  // namespace
}  // namespace stiction
