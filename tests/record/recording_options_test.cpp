// Options in recordings: all that shape the motion, in old ones and in those of later releases.
#include <functional>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "support/option_values.hpp"
#include "support/recordings.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

class RecordingOptions : public ::testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "run.h5"; }

  void record(const StepOptions& options) const {
    const Model model = test::falling_things();
    RunDescription run = test::description();
    run.options = options;
    Recorder recorder(path(), model, run);
    recorder.start(model.initial_state());
    recorder.finish();
  }

  /// Changes attributes of a finished recording.
  void edit(const std::function<void(hid_t)>& change) const {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    const hid_t file = H5Fopen(path().c_str(), H5F_ACC_RDWR, access);
    ASSERT_GE(file, 0);
    change(file);
    H5Fclose(file);
    H5Pclose(access);
  }

  static void write_text(hid_t file, const char* name, const std::string& text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, text.size() + 1);
    const hid_t space = H5Screate(H5S_SCALAR);
    if (H5Aexists(file, name) > 0) H5Adelete(file, name);
    const hid_t entry = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Awrite(entry, type, text.c_str()), 0);
    H5Aclose(entry);
    H5Sclose(space);
    H5Tclose(type);
  }

  [[nodiscard]] std::string refusal() const {
    try {
      const Recording recording(path());
      return {};
    } catch (const InputError& error) {
      return error.what();
    }
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_F(RecordingOptions, AllThatShapeTheMotionComeBack) {
  const StepOptions options = test::all_other_options();
  record(options);
  const RunDescription run = Recording(path()).run();
  EXPECT_EQ(different_options(run.options, options), std::vector<std::string>());
  EXPECT_TRUE(run.unknown_attributes.empty());
}

TEST_F(RecordingOptions, AnInfiniteLimitComesBack) {
  StepOptions options;
  options.solver_options.work_limit = std::numeric_limits<double>::infinity();
  record(options);
  EXPECT_EQ(Recording(path()).run().options.solver_options.work_limit,
            options.solver_options.work_limit);
}

TEST_F(RecordingOptions, OldRecordingsHaveTheDefaultsOfTheirTime) {
  StepOptions options = test::all_other_options();
  record(options);
  edit([](hid_t file) {  // what the first recordings had
    for (const StepOption& option : step_option_table()) {
      const std::string name(option.info().name);
      if (option.info().shapes_motion && name != "solver" && name != "tolerance") {
        EXPECT_GE(H5Adelete(file, name.c_str()), 0) << name;
      }
    }
  });
  const StepOptions read = Recording(path()).run().options;
  EXPECT_EQ(different_options(read, {}),
            (std::vector<std::string>{"solver per_contact", "tolerance 0.05"}));
}

TEST_F(RecordingOptions, WordsThatWereLeftOpenAreReadAsTheDefault) {
  record({});
  edit([](hid_t file) { write_text(file, "law", ""); });
  EXPECT_EQ(Recording(path()).run().options.solver_options.law, Law::coulomb);
}

TEST_F(RecordingOptions, OfLaterReleasesAreListedAndNotLookedAt) {
  record({});
  edit([](hid_t file) { write_text(file, "bouncy_castle", "yes"); });
  EXPECT_EQ(Recording(path()).run().unknown_attributes, std::vector<std::string>{"bouncy_castle"});
}

TEST_F(RecordingOptions, WordsOfLaterReleasesAreRefusedByName) {
  record({});
  edit([](hid_t file) { write_text(file, "law", "sticky"); });
  EXPECT_NE(refusal().find("law is 'sticky'"), std::string::npos) << refusal();
  EXPECT_NE(refusal().find("the release of Stiction that wrote it"), std::string::npos);
}

}  // namespace
}  // namespace stiction
