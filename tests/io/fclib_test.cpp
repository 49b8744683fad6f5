#include "stiction/io/fclib.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "stiction/core/problem.hpp"
#include "stiction/core/random.hpp"
#include "stiction/io/fclib_c.hpp"
#include "support/fclib_files.hpp"
#include "support/hard_problems.hpp"
#include "support/temporary_folder.hpp"

namespace stiction {
namespace {

using test::RawFclib;

Eigen::MatrixXd random_positive_definite(Random& random, int size) {
  Eigen::MatrixXd root(size, size);
  for (Eigen::Index i = 0; i < root.size(); ++i) root(i) = random.uniform(-1.0, 1.0);
  return root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(size, size);
}

ContactProblem random_problem(int contacts) {
  Random random(7);
  ContactProblem problem;
  for (int i = 0; i < contacts; ++i) problem.add_contact(random.uniform(0.0, 1.0));
  problem.use_dense();
  const Eigen::MatrixXd matrix = random_positive_definite(random, problem.row_count());
  problem.edit_delassus() = 0.5 * (matrix + matrix.transpose());
  for (double& v : problem.edit_free_velocity()) v = random.uniform(-1.0, 1.0);
  problem.prepare();
  return problem;
}

std::filesystem::path written(const test::TemporaryFolder& folder, const RawFclib& file) {
  test::write_raw_fclib(folder.path() / "problem.hdf5", file);
  return folder.path() / "problem.hdf5";
}

TEST(Fclib, TheNormalComesLast) {
  const test::TemporaryFolder folder;
  const ContactProblem problem = load_fclib(written(folder, test::one_contact_file()));
  ASSERT_EQ(problem.contact_count(), 1);
  EXPECT_EQ(problem.delassus().diagonal(), Eigen::Vector3d(3.0, 4.0, 2.0));
  EXPECT_EQ(problem.free_velocity(), Eigen::Vector3d(0.1, 0.0, -1.0));
  EXPECT_EQ(problem.blocks()[0].friction, 0.5);
  EXPECT_TRUE(problem.prepared());
}

TEST(Fclib, EveryKindOfSparseMatrixIsTheSame) {
  const test::TemporaryFolder folder;
  RawFclib file = test::one_contact_file();
  // Column by column (0: row 0; 1: rows 1, 2; 2: rows 1, 2), symmetric, so by rows it is the same.
  file["/fclib_local/W/p"] = std::vector<int>{0, 1, 3, 5};
  file["/fclib_local/W/i"] = std::vector<int>{0, 1, 2, 1, 2};
  file["/fclib_local/W/x"] = std::vector<double>{2.0, 3.0, 0.5, 0.5, 4.0};
  file["/fclib_local/W/nzmax"] = std::vector<int>{5};
  Eigen::Matrix3d expected;
  expected << 3.0, 0.5, 0.0, 0.5, 4.0, 0.0, 0.0, 0.0, 2.0;
  for (const int kind : {-1, -2}) {
    file["/fclib_local/W/nz"] = std::vector<int>{kind};
    EXPECT_EQ(load_fclib(written(folder, file)).delassus(), expected) << kind;
  }
  // As triplets, one entry in two halves.
  test::put_triplets(file, "/fclib_local/W", 3, 3, {0, 1, 1, 1, 2, 2}, {0, 1, 2, 2, 1, 2},
                     {2.0, 3.0, 0.25, 0.25, 0.5, 4.0});
  EXPECT_EQ(load_fclib(written(folder, file)).delassus(), expected);
}

TEST(Fclib, RowsAndColumnsAreNotMixedUp) {
  const test::TemporaryFolder folder;
  RawFclib file = test::one_contact_file();
  // W_01 = 1e-4 above the diagonal only: rounding, in rows as in columns.
  file["/fclib_local/W/p"] = std::vector<int>{0, 1, 3, 4};
  file["/fclib_local/W/i"] = std::vector<int>{0, 0, 1, 2};
  file["/fclib_local/W/x"] = std::vector<double>{2.0, 1e-4, 3.0, 4.0};
  file["/fclib_local/W/nzmax"] = std::vector<int>{4};
  file["/fclib_local/W/nz"] = std::vector<int>{-1};
  const FclibFile loaded = load_fclib_file(written(folder, file));
  EXPECT_DOUBLE_EQ(loaded.asymmetry, 1e-4 / 4.0);
  EXPECT_DOUBLE_EQ(loaded.problem.delassus()(2, 0), 0.5e-4);
  EXPECT_DOUBLE_EQ(loaded.problem.delassus()(0, 2), 0.5e-4);
}

TEST(Fclib, RoundTripKeepsEveryBit) {
  const test::TemporaryFolder folder;
  const ContactProblem problem = random_problem(7);
  const FclibInfo info{"a title", "a description", "unique"};
  const std::filesystem::path path = folder.path() / "round.hdf5";
  save_fclib(path, problem, info);
  const FclibFile loaded = load_fclib_file(path);
  EXPECT_EQ(loaded.form, FclibForm::local);
  EXPECT_EQ(loaded.asymmetry, 0.0);
  EXPECT_EQ(loaded.info.title, info.title);
  EXPECT_EQ(loaded.info.description, info.description);
  EXPECT_EQ(loaded.info.math_info, info.math_info);
  EXPECT_EQ(loaded.problem.delassus(), problem.delassus());
  EXPECT_EQ(loaded.problem.free_velocity(), problem.free_velocity());
  for (int i = 0; i < 7; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_EQ(loaded.problem.blocks()[k].friction, problem.blocks()[k].friction);
  }
}

TEST(Fclib, TargetsGoIntoTheFreeVelocity) {
  const test::TemporaryFolder folder;
  ContactProblem problem;
  problem.add_contact(0.5, -0.25);
  problem.use_dense();
  problem.edit_delassus().setIdentity();
  problem.edit_free_velocity() << 0.0, 0.0, -1.0;
  problem.prepare();
  save_fclib(folder.path() / "target.hdf5", problem);
  const ContactProblem loaded = load_fclib(folder.path() / "target.hdf5");
  EXPECT_EQ(loaded.free_velocity()[2], -0.75);
  EXPECT_EQ(loaded.target()[2], 0.0);
}

TEST(Fclib, SavingReplacesAWholeFileAndLeavesNothingBeside) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.write("problem.hdf5", "something else");
  save_fclib(path, random_problem(2));
  EXPECT_EQ(load_fclib(path).contact_count(), 2);
  save_fclib(path, random_problem(1));
  EXPECT_EQ(load_fclib(path).contact_count(), 1);
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
  const auto mode = std::filesystem::status(path).permissions();
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(static_cast<unsigned>(mode), 0666 & ~mask);
}

TEST(Fclib, WhatTheLocalFormCannotHoldIsRefused) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "problem.hdf5";
  ContactProblem problem;
  problem.use_dense();
  problem.prepare();
  EXPECT_THROW(save_fclib(path, problem), InputError);
  problem.clear();
  problem.add_contact(0.5);
  problem.add_lock(2);
  problem.use_dense();
  problem.edit_delassus().setIdentity();
  problem.prepare();
  try {
    save_fclib(path, problem);
    FAIL() << "a lock was written";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("lock"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Fclib, WhereNothingCanBeWrittenIsAnInputError) {
  const test::TemporaryFolder folder;
  const ContactProblem problem = random_problem(1);
  EXPECT_THROW(save_fclib(folder.path() / "missing" / "file.hdf5", problem), InputError);
  EXPECT_THROW(save_fclib(folder.path(), problem), InputError);
  EXPECT_THROW(save_fclib("", problem), InputError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

/// M v = H r + G λ + f with G empty or not, written by fclib itself.
struct GlobalProblem {
  Eigen::MatrixXd M, H, G;
  Eigen::VectorXd f, w, b, friction;
};

struct OwnedMatrix {
  explicit OwnedMatrix(const Eigen::MatrixXd& dense) {
    for (int i = 0; i < dense.rows(); ++i) {
      for (int j = 0; j < dense.cols(); ++j) {
        row.push_back(i);
        column.push_back(j);
        value.push_back(dense(i, j));
      }
    }
    const int count = static_cast<int>(value.size());
    matrix = {count,
              static_cast<int>(dense.rows()),
              static_cast<int>(dense.cols()),
              row.data(),
              column.data(),
              value.data(),
              count,
              nullptr};
  }
  std::vector<int> row, column;
  std::vector<double> value;
  fclib_matrix matrix{};
};

void write_global(const std::filesystem::path& path, GlobalProblem problem) {
  OwnedMatrix M(problem.M), H(problem.H), G(problem.G);
  std::string title = "global";
  fclib_info info{title.data(), nullptr, nullptr};
  fclib_global file{&M.matrix,
                    &H.matrix,
                    problem.G.cols() > 0 ? &G.matrix : nullptr,
                    problem.friction.data(),
                    problem.f.data(),
                    problem.b.data(),
                    problem.w.data(),
                    3,
                    &info};
  ASSERT_EQ(fclib_write_global(&file, path.c_str()), 1);
}

GlobalProblem random_global(int contacts, int bilateral) {
  Random random(11);
  const int bodies = 12;
  const auto fill = [&](Eigen::Index rows, Eigen::Index columns) {
    Eigen::MatrixXd result(rows, columns);
    for (Eigen::Index i = 0; i < result.size(); ++i) result(i) = random.uniform(-1.0, 1.0);
    return result;
  };
  GlobalProblem problem;
  problem.M = random_positive_definite(random, bodies);
  problem.H = fill(bodies, 3 * contacts);
  problem.G = fill(bodies, bilateral);
  problem.f = fill(bodies, 1);
  problem.w = fill(3 * contacts, 1);
  problem.b = fill(bilateral, 1);
  problem.friction = Eigen::VectorXd::Constant(contacts, 0.3);
  return problem;
}

TEST(Fclib, GlobalFormIsCondensed) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "global.hdf5";
  const GlobalProblem global = random_global(3, 0);
  write_global(path, global);
  const FclibFile loaded = load_fclib_file(path);
  EXPECT_EQ(loaded.form, FclibForm::global);
  EXPECT_EQ(loaded.info.title, "global");
  ASSERT_EQ(loaded.problem.contact_count(), 3);
  const Eigen::MatrixXd inverse = global.M.inverse();
  const Eigen::MatrixXd W = global.H.transpose() * inverse * global.H;
  const Eigen::VectorXd q = global.H.transpose() * inverse * global.f + global.w;
  const auto theirs = [](int row) { return row - row % 3 + (row % 3 + 1) % 3; };
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(loaded.problem.free_velocity()[i], q[theirs(i)], 1e-12 * q.cwiseAbs().maxCoeff());
    for (int j = 0; j < 9; ++j) {
      EXPECT_NEAR(loaded.problem.delassus()(i, j), W(theirs(i), theirs(j)), 1e-12 * W.norm());
    }
  }
}

TEST(Fclib, BilateralRowsOfGlobalFormAreLocks) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "global.hdf5";
  const GlobalProblem global = random_global(1, 8);
  write_global(path, global);
  const ContactProblem problem = load_fclib(path);
  ASSERT_EQ(problem.block_count(), 3);
  EXPECT_EQ(problem.blocks()[1].kind, BlockKind::lock);
  EXPECT_EQ(problem.blocks()[1].rows, 6);
  EXPECT_EQ(problem.blocks()[2].rows, 2);
  const Eigen::MatrixXd inverse = global.M.inverse();
  const Eigen::MatrixXd R = global.G.transpose() * inverse * global.G;
  const Eigen::VectorXd s = global.G.transpose() * inverse * global.f + global.b;
  EXPECT_LE((problem.delassus().bottomRightCorner(8, 8) - R).norm(), 1e-12 * R.norm());
  EXPECT_LE((problem.free_velocity().tail(8) - s).norm(), 1e-12 * s.norm());
  const Eigen::VectorXd normal = global.H.col(0).transpose() * inverse * global.G;
  EXPECT_LE((problem.delassus().row(2).tail(8).transpose() - normal).norm(), 1e-12 * normal.norm());
}

TEST(Fclib, BilateralRowsOfLocalFormAreLocks) {
  const test::TemporaryFolder folder;
  RawFclib file = test::one_contact_file();
  test::put_triplets(file, "/fclib_local/V", 3, 1, {0}, {0}, {0.5});
  test::put_triplets(file, "/fclib_local/R", 1, 1, {0}, {0}, {7.0});
  file["/fclib_local/vectors/s"] = std::vector<double>{0.25};
  const ContactProblem problem = load_fclib(written(folder, file));
  ASSERT_EQ(problem.block_count(), 2);
  EXPECT_EQ(problem.blocks()[1].kind, BlockKind::lock);
  EXPECT_EQ(problem.delassus()(3, 3), 7.0);
  EXPECT_EQ(problem.delassus()(2, 3), 0.5);
  EXPECT_EQ(problem.delassus()(3, 2), 0.5);
  EXPECT_EQ(problem.free_velocity()[3], 0.25);
}

TEST(Fclib, StoredSolutionAndGuessesAreInOurOrder) {
  const test::TemporaryFolder folder;
  RawFclib file = test::one_contact_file();
  file["/solution/u"] = std::vector<double>{1.0, 2.0, 3.0};
  file["/solution/r"] = std::vector<double>{4.0, 5.0, 6.0};
  file["/guesses/number_of_guesses"] = std::vector<int>{1};
  file["/guesses/1/u"] = std::vector<double>{0.0, 0.0, 0.0};
  file["/guesses/1/r"] = std::vector<double>{7.0, 8.0, 9.0};
  const FclibFile loaded = load_fclib_file(written(folder, file));
  ASSERT_TRUE(loaded.solution);
  EXPECT_EQ(loaded.solution->velocity, Eigen::Vector3d(2.0, 3.0, 1.0));
  EXPECT_EQ(loaded.solution->impulse, Eigen::Vector3d(5.0, 6.0, 4.0));
  ASSERT_EQ(loaded.guesses.size(), 1u);
  EXPECT_EQ(loaded.guesses[0].impulse, Eigen::Vector3d(8.0, 9.0, 7.0));
}

/// The files of models/problems are three of the hard set, to the last bit: read as they were made.
TEST(Fclib, OurOwnFilesAreReadAsTheyWereMade) {
  for (const auto& [name, index] : {std::pair{"stack", 40}, {"table", 80}, {"wedge", 165}}) {
    const FclibFile file =
        load_fclib_file(std::string(STICTION_SOURCE_DIR "/models/problems/") + name + ".hdf5");
    const ContactProblem made = test::hard_problem(index);
    EXPECT_EQ(file.form, FclibForm::local) << name;
    EXPECT_EQ(file.asymmetry, 0.0) << name;
    EXPECT_FALSE(file.solution) << name;
    EXPECT_EQ(file.info.title, test::hard_problem_family(index));
    EXPECT_EQ(file.problem.delassus(), made.delassus()) << name;
    EXPECT_EQ(file.problem.free_velocity(), made.free_velocity()) << name;
    ASSERT_EQ(file.problem.block_count(), made.block_count()) << name;
    for (std::size_t i = 0; i < made.blocks().size(); ++i) {
      EXPECT_EQ(file.problem.blocks()[i].friction, made.blocks()[i].friction) << name;
    }
    EXPECT_FALSE(file.problem.check(CheckLevel::full)) << name;
  }
}

/// As one of the published files is: 1.3e-3 off symmetry is read, averaged and told.
TEST(Fclib, AMatrixALittleOffSymmetryIsAveraged) {
  const test::TemporaryFolder folder;
  RawFclib file = test::one_contact_file();
  test::put_triplets(file, "/fclib_local/W", 3, 3, {0, 1, 1, 2, 2}, {0, 1, 2, 1, 2},
                     {2.0, 3.0, 0.5, 0.5 + 4.0 * 1.3e-3, 4.0});
  const FclibFile loaded = load_fclib_file(written(folder, file));
  EXPECT_NEAR(loaded.asymmetry, 1.3e-3, 1e-12);
  EXPECT_EQ(loaded.problem.delassus()(0, 1), loaded.problem.delassus()(1, 0));
  EXPECT_NEAR(loaded.problem.delassus()(0, 1), 0.5 + 2.0 * 1.3e-3, 1e-15);
  EXPECT_FALSE(loaded.problem.check(CheckLevel::full));
}

TEST(Fclib, ThePublishedFilesAreRead) {
  const std::filesystem::path folder = STICTION_REFERENCE_DIR "/problems";
  if (!std::filesystem::is_directory(folder)) {
    GTEST_SKIP() << "the published problems are not here: " << folder;
  }
  std::map<std::string, int> contacts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hdf5") continue;
    const FclibFile file = load_fclib_file(entry.path());
    contacts[entry.path().stem().string()] = file.problem.contact_count();
    EXPECT_FALSE(file.problem.check(CheckLevel::full)) << entry.path();
    EXPECT_LE(file.asymmetry, 2e-3) << entry.path();
    EXPECT_EQ(file.solution.has_value(), entry.path().stem() == "Capsules-i125-1213");
  }
  EXPECT_GE(contacts.size(), 12u);
  EXPECT_EQ(contacts["BoxesStack1-i100000-32"], 52);
  EXPECT_EQ(contacts["Capsules-i125-1213"], 286);
  EXPECT_EQ(contacts["Rover11035"], 1);
}

}  // namespace
}  // namespace stiction
