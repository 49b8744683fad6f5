#include <gtest/gtest.h>
#include <limits>
#include <sys/stat.h>

#include "stiction/core/problem.hpp"
#include "stiction/core/random.hpp"
#include "stiction/io/fclib.hpp"
#include "support/fclib_files.hpp"
#include "support/temporary_folder.hpp"

/// HDF5 itself forgets some memory when it meets a damaged file; ours is still looked after.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

namespace stiction {
namespace {

using Integers = std::vector<int>;
using Numbers = std::vector<double>;
using test::RawFclib;

/// The text of the one error that loading must end in.
std::string error_of(const std::filesystem::path& path, const FclibOptions& options = {}) {
  try {
    load_fclib(path, options);
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().all().size(), 1u);
    EXPECT_FALSE(error.problems().all()[0].remedy.empty());
    EXPECT_EQ(error.problems().all()[0].source.file, path.string());
    return error.what();
  }
  return "no error";
}

std::string error_of(const RawFclib& file, const FclibOptions& options = {}) {
  const test::TemporaryFolder folder;
  test::write_raw_fclib(folder.path() / "broken.hdf5", file);
  return error_of(folder.path() / "broken.hdf5", options);
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_error(const RawFclib& file, const std::string& part, const std::string& what) {
  const std::string error = error_of(file);
  EXPECT_NE(error.find(part), std::string::npos) << what << ": " << error;
  EXPECT_NE(error.find("broken.hdf5: error: "), std::string::npos) << what << ": " << error;
}

TEST(BrokenFclib, WhatIsNoFile) {
  const test::TemporaryFolder folder;
  EXPECT_NE(error_of(folder.path() / "absent").find("no such file"), std::string::npos);
  EXPECT_NE(error_of(folder.path()).find("a folder"), std::string::npos);
  EXPECT_NE(error_of("").find("no such file"), std::string::npos);
  EXPECT_NE(error_of(folder.write("text", "M 1 2 3\n")).find("not an HDF5"), std::string::npos);
  EXPECT_NE(error_of(folder.write("empty", "")).find("not an HDF5"), std::string::npos);
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(error_of(pipe).find("not a regular file"), std::string::npos);
}

TEST(BrokenFclib, CutOffAnywhere) {
  const test::TemporaryFolder folder;
  test::write_raw_fclib(folder.path() / "whole", test::one_contact_file());
  const std::string bytes = bytes_of(folder.path() / "whole");
  ASSERT_GT(bytes.size(), 1000u);
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    EXPECT_NE(error_of(folder.write("cut", bytes.substr(0, size))), "no error") << size;
  }
}

TEST(BrokenFclib, EveryDatasetIsNeeded) {
  for (const RawFclib& whole : {test::one_contact_file(), test::one_contact_global_file()}) {
    ASSERT_EQ(error_of(whole), "no error");
    for (const auto& [place, content] : whole) {
      RawFclib file = whole;
      file.erase(place);
      expect_error(file, place, "without");
      file[place] = std::string("text");
      expect_error(file, place, "a text");
      file[place] = Numbers(5, 1.0);
      expect_error(file, place, "five ones");
      file[place] = Numbers{};
      expect_error(file, place, "nothing");
      file.erase(place);
      file[place + "/group"] = Integers{1};
      expect_error(file, place, "a group");
    }
  }
}

TEST(BrokenFclib, NoProblemInside) {
  expect_error({{"/something", Integers{1}}}, "neither /fclib_local nor /fclib_global", "");
  expect_error({{"/fclib_local", Integers{1}}}, "/fclib_local: this group is missing",
               "dataset, not group");
}

TEST(BrokenFclib, NumbersThatAreNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinite, -infinite}) {
    RawFclib file = test::one_contact_file();
    file["/fclib_local/vectors/q"] = Numbers{0.0, bad, 0.0};
    expect_error(file, "/fclib_local/vectors/q: number 1 is", "q");
    file = test::one_contact_file();
    file["/fclib_local/W/x"] = Numbers{1.0, 1.0, bad};
    expect_error(file, "/fclib_local/W/x: number 2 is", "W");
    file = test::one_contact_file();
    file["/fclib_local/vectors/mu"] = Numbers{bad};
    expect_error(file, "/fclib_local/vectors/mu", "mu");
    file = test::one_contact_global_file();
    file["/fclib_global/vectors/f"] = Numbers{0.0, bad, 0.0};
    expect_error(file, "/fclib_global/vectors/f", "f");
  }
  RawFclib file = test::one_contact_file();
  file["/fclib_local/vectors/mu"] = Numbers{-0.5};
  expect_error(file, "friction of contact 0 is -0.5", "negative friction");
}

TEST(BrokenFclib, Dimensions) {
  RawFclib file = test::one_contact_file();
  file["/fclib_local/spacedim"] = Integers{2};
  expect_error(file, "planar contacts", "two");
  for (const int other : {-3, 0, 1, 4, 2147483647}) {
    file["/fclib_local/spacedim"] = Integers{other};
    expect_error(file, "/fclib_local/spacedim", "other");
  }
}

TEST(BrokenFclib, IndicesOutOfRange) {
  for (const char* place : {"/fclib_local/W/p", "/fclib_local/W/i"}) {
    for (const int bad : {-1, 3, 2147483647, -2147483647}) {
      RawFclib file = test::one_contact_file();
      file[place] = Integers{0, bad, 2};
      expect_error(file, std::string(place) + ": index", "triplet");
    }
  }
  for (const int kind : {-1, -2}) {
    RawFclib file = test::one_contact_file();
    file["/fclib_local/W/nz"] = Integers{kind};
    for (const Integers& starts : {Integers{0, 1, 2, 4}, Integers{1, 2, 3, 3}, Integers{0, 2, 1, 3},
                                   Integers{0, -1, 2, 3}}) {
      file["/fclib_local/W/p"] = starts;
      expect_error(file, "/fclib_local/W/p", "starts");
    }
    file["/fclib_local/W/p"] = Integers{0, 1, 2, 3};
    ASSERT_EQ(error_of(file), "no error");
    file["/fclib_local/W/i"] = Integers{0, 1, 3};
    expect_error(file, "/fclib_local/W/i: index 3", "line");
  }
}

TEST(BrokenFclib, SizesThatContradictEachOther) {
  const auto with = [](const char* place, int number) {
    RawFclib file = test::one_contact_file();
    file[place] = Integers{number};
    return file;
  };
  for (const char* place : {"/fclib_local/W/m", "/fclib_local/W/n"}) {
    for (const int size : {-1, 0, 2, 4, 6, 8000, 100000, 2147483647, -2147483647}) {
      expect_error(with(place, size), "/fclib_local/W", place);
    }
  }
  for (const int entries : {-1, 0, 2, 4, 1000, 2147483647}) {
    expect_error(with("/fclib_local/W/nzmax", entries), "/fclib_local/W", "nzmax");
  }
  for (const int kind : {-3, 1, 4, 2147483647, -2147483647}) {
    expect_error(with("/fclib_local/W/nz", kind), "/fclib_local/W", "nz");
  }
  RawFclib file = test::one_contact_file();
  file["/fclib_local/vectors/q"] = Numbers(6, 0.0);
  expect_error(file, "6 numbers are stored, but 3 are expected", "q");
  file = test::one_contact_file();
  test::put_triplets(file, "/fclib_local/W", 4, 4, {0}, {0}, {1.0});
  expect_error(file, "4 rows are not a whole number of contacts", "4 rows");
  test::put_triplets(file, "/fclib_local/W", 0, 0, {}, {}, {});
  expect_error(file, "contains no contacts", "0 rows");
}

TEST(BrokenFclib, TooLargeToBeDense) {
  RawFclib file = test::one_contact_file();
  test::put_triplets(file, "/fclib_local/W", 30000, 30000, {0}, {0}, {1.0});
  expect_error(file, "sizes must be from 0 to 9000", "30000 rows");
  EXPECT_NE(error_of(test::one_contact_global_file(), {.max_rows = 2}).find("too many"),
            std::string::npos);
}

TEST(BrokenFclib, BilateralPartsThatDoNotFit) {
  RawFclib file = test::one_contact_file();
  test::put_triplets(file, "/fclib_local/V", 3, 1, {0}, {0}, {0.5});
  expect_error(file, "only one of V and R", "V alone");
  test::put_triplets(file, "/fclib_local/R", 1, 1, {0}, {0}, {7.0});
  expect_error(file, "/fclib_local/vectors/s", "without s");
  file["/fclib_local/vectors/s"] = Numbers{0.0};
  ASSERT_EQ(error_of(file), "no error");
  test::put_triplets(file, "/fclib_local/V", 2, 1, {0}, {0}, {0.5});
  expect_error(file, "/fclib_local/V: this matrix is 2 × 1", "V too small");
  file = test::one_contact_global_file();
  test::put_triplets(file, "/fclib_global/G", 3, 1, {0}, {0}, {0.5});
  expect_error(file, "/fclib_global/vectors/b", "without b");
}

TEST(BrokenFclib, AsymmetricMatrices) {
  RawFclib file = test::one_contact_file();
  test::put_triplets(file, "/fclib_local/W", 3, 3, {0, 1, 2, 0}, {0, 1, 2, 1},
                     {2.0, 3.0, 4.0, 0.5});
  expect_error(file, "not symmetric: the relative difference is 1.2e-01", "W");
  EXPECT_EQ(error_of(file, {.max_asymmetry = 0.2}), "no error");
  file = test::one_contact_global_file();
  test::put_triplets(file, "/fclib_global/M", 3, 3, {0, 1, 2, 0}, {0, 1, 2, 1},
                     {2.0, 3.0, 4.0, 0.5});
  expect_error(file, "/fclib_global/M: this matrix is not symmetric", "M");
}

TEST(BrokenFclib, MassMatricesThatCannotBeInverted) {
  for (const double mass : {0.0, -1.0, 1e-320}) {
    RawFclib file = test::one_contact_global_file();
    file["/fclib_global/M/x"] = Numbers{1.0, mass, 1.0};
    expect_error(file, "/fclib_global/M", std::to_string(mass));
  }
}

TEST(BrokenFclib, InfoAndSolutions) {
  RawFclib file = test::one_contact_file();
  file["/fclib_local/info/title"] = Integers{1, 2, 3};
  expect_error(file, "/fclib_local/info/title", "title");
  file = test::one_contact_file();
  file["/fclib_local/info/title"] = std::string(2'000'000, 'x');
  expect_error(file, "/fclib_local/info/title: this text is too long", "title");
  file = test::one_contact_file();
  file["/fclib_local/info/title2"] = std::string("fclib would look for title");
  expect_error(file, "mistakes this for title", "title2");
  file = test::one_contact_file();
  file["/fclib_local/W/conditioning"] = Numbers{1.0};
  expect_error(file, "/fclib_local/W/determinant", "half of the matrix info");
  file = test::one_contact_file();
  file["/solution/u"] = Numbers(3, 0.0);
  expect_error(file, "/solution/r", "half of a solution");
  for (const int count : {-1, 2, 2147483647}) {
    file = test::one_contact_file();
    file["/guesses/number_of_guesses"] = Integers{count};
    expect_error(file, "/guesses/", "guesses");
  }
}

/// Whatever a byte is changed to, loading ends in a problem or in one error, never in a crash.
TEST(BrokenFclib, EveryByteMayBeWrong) {
  const test::TemporaryFolder folder;
  RawFclib raw = test::one_contact_file();
  raw["/fclib_local/info/title"] = std::string("a title");
  test::write_raw_fclib(folder.path() / "whole", raw);
  const std::string bytes = bytes_of(folder.path() / "whole");
  Random random(3);
  int refused = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string changed = bytes;
    const auto place = static_cast<std::size_t>(random.index(static_cast<int>(bytes.size())));
    changed[place] = static_cast<char>(random.index(256));
    try {
      load_fclib(folder.write("changed", changed));
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace stiction
