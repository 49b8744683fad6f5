#include "stiction/core/write_file.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

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

}  // namespace
}  // namespace stiction
