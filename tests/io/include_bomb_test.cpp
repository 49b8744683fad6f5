// MJCF files that include each other so often that nobody could read them all.

#include <chrono>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "stiction/io/load.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

TEST(IncludeBomb, TenFilesThatIncludeTheNextOneTenTimesAreRefusedAtOnce) {
  const test::TemporaryFolder folder;
  for (int i = 0; i < 10; ++i) {
    std::string text = "<mujoco>";
    for (int k = 0; k < 10; ++k) text += fmt::format("<include file='f{}.xml'/>", i + 1);
    folder.write(fmt::format("f{}.xml", i), text + "</mujoco>");
  }
  folder.write("f10.xml", "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  const auto start = std::chrono::steady_clock::now();
  try {
    (void)load_model(folder.path() / "f0.xml");
    FAIL() << "it was read";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("second time"), std::string::npos);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(IncludeBomb, FilesThatAllIncludeEachOtherAreRefusedAtOnce) {
  const test::TemporaryFolder folder;
  for (int i = 0; i < 10; ++i) {
    std::string text = "<mujoco>";
    for (int k = 0; k < 10; ++k) text += fmt::format("<include file='f{}.xml'/>", k);
    folder.write(fmt::format("f{}.xml", i), text + "</mujoco>");
  }
  EXPECT_THROW((void)load_model(folder.path() / "f0.xml"), InputError);
}

TEST(IncludeBomb, LongChainsAreRefused) {
  const test::TemporaryFolder folder;
  for (int i = 0; i < 50; ++i) {
    folder.write(fmt::format("f{}.xml", i),
                 fmt::format("<mujoco><include file='f{}.xml'/></mujoco>", i + 1));
  }
  folder.write("f50.xml", "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  try {
    (void)load_model(folder.path() / "f0.xml");
    FAIL() << "it was read";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("more than 20 deep"), std::string::npos);
  }
}

}  // namespace
}  // namespace stiction
