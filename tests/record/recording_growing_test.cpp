#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "stiction/record/recording.hpp"
#include "support/recordings.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

using namespace std::chrono_literals;

constexpr int expected_exit = 42;

/// Runs in a process of its own.
class Child {
 public:
  explicit Child(const std::function<int()>& work) : id_(::fork()) {
    if (id_ == 0) ::_exit(work());
  }
  ~Child() {
    if (id_ > 0) kill();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill() {
    ::kill(id_, SIGKILL);
    static_cast<void>(wait());
  }
  /// Its exit code; -1 if a signal ended it.
  int wait() {
    int status = 0;
    ::waitpid(id_, &status, 0);
    id_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  ::pid_t id_;
};

/// Records for ever.
int record_endlessly(const std::filesystem::path& path, double flush_interval,
                     std::chrono::microseconds pause) {
  Simulation simulation(test::falling_things());
  RecorderOptions options;
  options.flush_interval = flush_interval;
  Recorder recorder(path, simulation.model(), test::description(), options);
  recorder.start(simulation.state());
  for (;;) {
    recorder.step(simulation.state(), simulation.step());
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
  }
}

/// Opens the recording as soon as it has so many frames; empty if that takes too long.
std::optional<Recording> wait_for(const std::filesystem::path& path, long long frames) {
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (std::chrono::steady_clock::now() < end) {
    if (std::filesystem::exists(path)) {
      Recording recording(path);
      if (recording.frame_count() >= frames) return recording;
    }
    std::this_thread::sleep_for(2ms);
  }
  return {};
}

/// Every frame holds what the simulation does, which is the same each time.
void expect_all_frames(const Recording& recording) {
  Simulation simulation(test::falling_things());
  for (long long i = 0; i < recording.frame_count(); ++i) {
    if (i > 0) simulation.step();
    const RecordedFrame frame = recording.frame(i);
    ASSERT_EQ(hash(frame.state), hash(simulation.state())) << i;
    ASSERT_EQ(frame.contacts.size(), i == 0 ? 0 : simulation.report().contacts.size()) << i;
  }
}

TEST(RecordingGrowing, IsReadByAnotherProcessWhileItGrows) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "run.h5";
  Child child([&] { return record_endlessly(path, 0.01, 200us); });
  long long before = 0;
  for (const long long frames : {1LL, 100LL, 300LL, 700LL}) {
    const auto recording = wait_for(path, frames);
    ASSERT_TRUE(recording.has_value());
    EXPECT_FALSE(recording->complete());
    EXPECT_GE(recording->frame_count(), std::max(before, frames));
    before = recording->frame_count();
    expect_all_frames(*recording);
  }
}

TEST(RecordingGrowing, KilledRecordersLeaveAReadablePrefix) {
  for (int round = 0; round < 8; ++round) {
    SCOPED_TRACE(round);
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "run.h5";
    // With pauses, chunks are published long before they are full; without, they come fast.
    Child child([&] { return record_endlessly(path, 0.005, round % 2 == 0 ? 0us : 50us); });
    const auto growing = wait_for(path, 50);
    ASSERT_TRUE(growing.has_value());
    std::this_thread::sleep_for(std::chrono::microseconds(1700 * round));
    child.kill();
    const Recording recording(path);
    EXPECT_FALSE(recording.complete());
    EXPECT_GE(recording.frame_count(), growing->frame_count());
    expect_all_frames(recording);
    if (HasFatalFailure()) return;
  }
}

TEST(RecordingGrowing, IsReadInTheSameProcess) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "run.h5";
  Simulation simulation(test::falling_things());
  RecorderOptions options;
  options.flush_interval = 0.01;
  Recorder recorder(path, simulation.model(), {}, options);
  recorder.start(simulation.state());
  for (int k = 0; k < 30; ++k) recorder.step(simulation.state(), simulation.step());
  {
    // Although no further step comes.
    const auto recording = wait_for(path, 31);
    ASSERT_TRUE(recording.has_value());
    EXPECT_FALSE(recording->complete());
    expect_all_frames(*recording);
  }
  recorder.finish();
  EXPECT_TRUE(Recording(path).complete());
}

TEST(RecordingGrowing, IsReadInTheSameProcessWhileItGrows) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "run.h5";
  Simulation simulation(test::falling_things());
  RecorderOptions options;
  options.flush_interval = 1e-6;
  Recorder recorder(path, simulation.model(), {}, options);
  recorder.start(simulation.state());
  std::atomic<bool> ended = false;
  std::thread writer([&] {
    for (int k = 0; k < 3000; ++k) {
      recorder.step(simulation.state(), simulation.step());
      std::this_thread::sleep_for(20us);
    }
    ended = true;
  });
  int readings = 0;
  for (; !ended && !HasFailure(); ++readings) {
    const Recording recording(path);
    const long long count = recording.frame_count();
    if (count == 0) continue;
    // Reading a frame compares its hash, which the time is part of.
    EXPECT_NO_THROW(recording.frame(count - 1));
    EXPECT_TRUE(std::ranges::is_sorted(recording.times()));
  }
  writer.join();
  EXPECT_GT(readings, 10);
}

TEST(RecordingGrowing, NothingIsLeftBesideTheFileNorBehindItsEnd) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "run.h5";
  Simulation simulation(test::falling_things());
  test::record(path, simulation, 10);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  constexpr int block = 512;
  constexpr int slack = 1 << 16;
  EXPECT_LE(status.st_blocks * block, status.st_size + slack);
}

TEST(RecordingGrowing, TheOldFileIsReplacedThroughItsLink) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("old.h5", "old");
  const auto link = folder.path() / "link.h5";
  std::filesystem::create_symlink(path, link);
  Simulation simulation(test::falling_things());
  test::record(link, simulation, 10);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(Recording(path).frame_count(), 11);
}

TEST(RecordingGrowing, UnwritablePathsAreNamedBeforeAnythingHappens) {
  const test::TemporaryFolder folder;
  const Model model = test::falling_things();
  const auto error = [&](const std::filesystem::path& path) {
    return test::input_error([&] { const Recorder recorder(path, model, {}); });
  };
  EXPECT_NE(error("").find("empty path"), std::string::npos);
  EXPECT_NE(error(folder.path()).find("folder"), std::string::npos);
  EXPECT_NE(error(folder.path() / "absent" / "run.h5").find("No such file"), std::string::npos);
  EXPECT_NE(error("/dev/null").find("not a regular file"), std::string::npos);
  EXPECT_NE(error("/proc/run.h5").find("run.h5"), std::string::npos);
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(error(pipe).find("not a regular file"), std::string::npos);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

/// Records until that fails, with the text of the error in a file; 0 if it does not.
int record_until_full(const std::filesystem::path& path, const std::filesystem::path& text) {
  Simulation simulation(test::falling_things());
  Recorder recorder(path, simulation.model(), {});
  try {
    for (int k = 0; k < 100'000; ++k) recorder.step(simulation.state(), simulation.step());
  } catch (const InputError& error) {
    std::ofstream(text) << error.what();
    // Once is enough; later calls do nothing.
    recorder.step(simulation.state(), simulation.report());
    recorder.finish();
    const Recording recording(path);
    return recording.frame_count() == recorder.frames() && !recording.complete() ? expected_exit
                                                                                 : 1;
  }
  return 0;
}

void limit_file_size(rlim_t bytes) {
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, SIG_IGN);
}

void expect_kept(const std::filesystem::path& path, const std::filesystem::path& text) {
  std::string error;
  std::getline(std::ifstream(text), error);
  EXPECT_NE(error.find("run.h5"), std::string::npos) << error;
  EXPECT_NE(error.find("frames are kept; free some space"), std::string::npos) << error;
  const Recording recording(path);
  EXPECT_FALSE(recording.complete());
  EXPECT_GT(recording.frame_count(), 500);
  EXPECT_GT(recording.frame(recording.frame_count() - 1).contacts.size(), 0U);
  for (long long i = 0; i < recording.frame_count(); ++i) static_cast<void>(recording.frame(i));
}

TEST(RecordingGrowing, AFullDiskEndsTheRecordingAndKeepsWhatWasWritten) {
  const test::TemporaryFolder folder;
  const auto disk = folder.path() / "disk";
  std::filesystem::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=4m") != 0) {
    GTEST_SKIP() << "a small disk cannot be mounted here";
  }
  Child child([&] { return record_until_full(disk / "run.h5", folder.path() / "text"); });
  EXPECT_EQ(child.wait(), expected_exit);
  expect_kept(disk / "run.h5", folder.path() / "text");
  EXPECT_EQ(::umount(disk.c_str()), 0);
}

TEST(RecordingGrowing, TheLimitOfFileSizesEndsTheRecordingAndKeepsWhatWasWritten) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "run.h5";
  Child child([&] {
    limit_file_size(4 << 20);
    return record_until_full(path, folder.path() / "text");
  });
  EXPECT_EQ(child.wait(), expected_exit);
  expect_kept(path, folder.path() / "text");
}

TEST(RecordingGrowing, ARecordingThatCannotStartLeavesTheOldFile) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "run.h5";
  Simulation simulation(test::falling_things());
  test::record(path, simulation, 10);
  Child child([&] {
    limit_file_size(1 << 16);
    const std::string text = test::input_error(
        [&] { const Recorder recorder(path, simulation.model(), test::description()); });
    return text.find("cannot write the recording") != std::string::npos ? expected_exit : 1;
  });
  EXPECT_EQ(child.wait(), expected_exit);
  EXPECT_EQ(Recording(path).frame_count(), 11);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace stiction
