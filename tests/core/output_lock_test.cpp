#include "stiction/core/output_lock.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

TEST(OutputLock, ASecondOneLearnsOfTheFirst) {
  const test::TemporaryFolder folder;
  const fs::path path = folder.path() / "run.h5";
  auto first = std::make_unique<OutputLock>(path);
  try {
    const OutputLock second(folder.path() / "." / "run.h5");
    FAIL() << "both have it";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("being written by another run"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find(std::to_string(::getpid())), std::string::npos)
        << error.what();
  }
  const OutputLock other(folder.path() / "other.h5");
  first.reset();
  EXPECT_FALSE(fs::exists(folder.path() / "run.h5.lock"));
  EXPECT_NO_THROW(OutputLock{path});
}

TEST(OutputLock, AKilledRunLeavesNoLock) {
  const test::TemporaryFolder folder;
  const fs::path path = folder.path() / "run.h5";
  const pid_t child = ::fork();
  if (child == 0) {
    new OutputLock(path);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(folder.path() / "run.h5.lock"));
  EXPECT_NO_THROW(OutputLock{path});
  EXPECT_FALSE(fs::exists(folder.path() / "run.h5.lock"));
}

TEST(OutputLock, WhereThereCanBeNoneNobodyIsStopped) {
  EXPECT_NO_THROW(OutputLock{"/no/such/folder/run.h5"});
}

}  // namespace
}  // namespace stiction
