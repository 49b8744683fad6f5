#pragma once

/// \file
/// Files of one MJCF test in a folder of its own.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace stiction::test {

/// A new folder, gone at the end of its life.
class MjcfFolder {
 public:
  MjcfFolder() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(info->test_suite_name()) + "_" + info->name();
    for (char& letter : name) letter = letter == '/' ? '_' : letter;
    path_ = std::filesystem::temp_directory_path() /
            ("stiction_" + std::to_string(::getpid()) + "_" + name);
    std::filesystem::create_directories(path_);
  }
  ~MjcfFolder() { std::filesystem::remove_all(path_); }
  MjcfFolder(const MjcfFolder&) = delete;
  MjcfFolder& operator=(const MjcfFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace stiction::test
