#include "stiction/core/write_file.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::ptrdiff_t files_in(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator files(folder);
  return std::distance(begin(files), end(files));
}

TEST(WriteFile, ReplacesAndLeavesNothingBeside) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.write("file", "old and longer");
  check_writable(path);
  EXPECT_EQ(content_of(path), "old and longer");
  const std::string bytes("new\0\r\n", 6);
  write_file(path, bytes);
  EXPECT_EQ(content_of(path), bytes);
  EXPECT_EQ(files_in(folder.path()), 1);
}

TEST(WriteFile, SaysWhatCannotBeWritten) {
  const test::TemporaryFolder folder;
  for (const std::filesystem::path& path :
       {folder.path(), folder.path() / "missing" / "file", std::filesystem::path()}) {
    EXPECT_THROW(check_writable(path), std::runtime_error) << path;
    try {
      write_file(path, "text");
      FAIL() << path;
    } catch (const std::runtime_error& error) {
      const std::string quoted = "'" + path.string() + "'";
      EXPECT_NE(std::string(error.what()).find(quoted), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(files_in(folder.path()), 0);
}

TEST(WriteFile, LinksStayAndLeadToTheNewFile) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.write("file", "old");
  const std::filesystem::path link = folder.path() / "link";
  std::filesystem::create_symlink("file", link);
  check_writable(link);
  write_file(link, "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(content_of(path), "new");
  EXPECT_EQ(files_in(folder.path()), 2);
}

/// Devices are refused by the same line; a test that fails as root must not cost one.
TEST(WriteFile, PipesAreNotReplaced) {
  const test::TemporaryFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::filesystem::path link = folder.path() / "link";
  std::filesystem::create_symlink("pipe", link);
  for (const std::filesystem::path& path : {pipe, link}) {
    EXPECT_THROW(check_writable(path), std::runtime_error) << path;
    EXPECT_THROW(write_file(path, "text"), std::runtime_error) << path;
  }
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(files_in(folder.path()), 2);
}

TEST(WriteFile, FilesThatMayNotBeWrittenAreNotReplaced) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.write("file", "old");
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  if (::access(path.c_str(), W_OK) == 0) GTEST_SKIP() << "root may write everything";
  EXPECT_THROW(check_writable(path), std::runtime_error);
  EXPECT_THROW(write_file(path, "new"), std::runtime_error);
  EXPECT_EQ(content_of(path), "old");
}

}  // namespace
}  // namespace stiction
