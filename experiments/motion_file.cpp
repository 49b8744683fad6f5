#include "experiments/motion_file.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string>

#include "stiction/core/problem.hpp"
#include "stiction/io/hdf5_file.hpp"
#include "stiction/io/load.hpp"

namespace stiction::experiments {

namespace {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

[[noreturn]] void refuse(const std::filesystem::path& file, std::string what, std::string remedy) {
  ProblemList problems;
  problems.error({file.string(), 0, ""}, std::move(what), std::move(remedy));
  throw InputError(std::move(problems));
}

/// A file of numbers with shapes.
class NumberFile {
 public:
  NumberFile(const std::filesystem::path& path, std::string kind) : file_(path, std::move(kind)) {}

  /// Lengths of `dimensions` dimensions.
  [[nodiscard]] std::vector<std::int64_t> shape(const std::string& place,
                                                std::size_t dimensions) const {
    std::vector<std::int64_t> result = file_.shape(place);
    if (result.size() != dimensions) {
      fail(place,
           fmt::format("this dataset has {} dimensions instead of {}", result.size(), dimensions));
    }
    return result;
  }

  void expect_length(const std::string& place, const char* what, std::int64_t length,
                     std::int64_t expected) const {
    if (length == expected) return;
    fail(place, fmt::format("{} {} are stored, but {} are expected", length, what, expected));
  }

  /// All numbers, finite.
  [[nodiscard]] std::vector<double> numbers(const std::string& place, std::int64_t count) const {
    std::vector<double> result = file_.read_doubles(place, count);
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!std::all_of(result.begin(), result.end(), finite)) {
      fail(place, "this dataset contains NaN or infinity");
    }
    return result;
  }

  /// `rows` x `columns` as stored, row by row.
  [[nodiscard]] RowMajorMatrix matrix(const std::string& place, std::int64_t rows,
                                      std::int64_t columns) const {
    const std::vector<double> entries = numbers(place, rows * columns);
    return Eigen::Map<const RowMajorMatrix>(entries.data(), rows, columns);
  }

  [[nodiscard]] double time_step() const {
    const double step = file_.read_attribute("time_step");
    if (!(step > 0.0) || !std::isfinite(step)) {
      fail("", fmt::format("the attribute 'time_step' is {}, not a positive time", step));
    }
    return step;
  }

  /// The same, where entries may be NaN.
  [[nodiscard]] RowMajorMatrix matrix_with_gaps(const std::string& place, std::int64_t rows,
                                                std::int64_t columns) const {
    const std::vector<double> entries = file_.read_doubles(place, rows * columns);
    return Eigen::Map<const RowMajorMatrix>(entries.data(), rows, columns);
  }

  [[nodiscard]] std::vector<int> integers(const std::string& place, std::int64_t count) const {
    return file_.read_ints(place, count);
  }

  [[noreturn]] void fail(const std::string& place, std::string what) const {
    file_.fail(place, std::move(what), "check that the file fits the robot; write it again");
  }

 private:
  Hdf5File file_;
};

std::vector<MotionSample> read_samples(const NumberFile& file, const FileOrder& order) {
  const std::vector<std::int64_t> shape = file.shape("/states", 2);
  file.expect_length("/states", "numbers per sample", shape[1],
                     order.position_count() + order.velocity_count());
  if (shape[0] < 2) file.fail("/states", "a motion needs two samples at least");
  const RowMajorMatrix states = file.matrix("/states", shape[0], shape[1]);
  std::vector<MotionSample> samples;
  for (Eigen::Index k = 0; k < states.rows(); ++k) {
    const Eigen::VectorXd state = states.row(k).transpose();
    // Other layouts (the quaternion elsewhere, angles instead) show here first.
    constexpr double tolerance = 1e-3;
    if (std::abs(state.segment<4>(3).norm() - 1.0) > tolerance) {
      file.fail("/states", fmt::format("numbers 3 to 6 of sample {} are not a unit quaternion", k));
    }
    samples.push_back(
        order.to_model(state.head(order.position_count()), state.tail(order.velocity_count())));
  }
  return samples;
}

}  // namespace

ReferenceMotion load_motion(const std::filesystem::path& path, const Model& model,
                            std::span<const std::string_view> joints) {
  const FileOrder order(model, joints, path);
  const NumberFile file(path, "motions");
  ReferenceMotion motion;
  motion.time_step = file.time_step();
  motion.samples = read_samples(file, order);

  const std::vector<std::int64_t> controls = file.shape("/controls", 2);
  file.expect_length("/controls", "forces per interval", controls[1], order.joint_count());
  const std::int64_t samples = static_cast<std::int64_t>(motion.samples.size());
  // The law needs the samples at both ends of an interval; the last one may be missing.
  if (controls[0] != samples - 1 && controls[0] != samples) {
    file.fail("/controls",
              fmt::format("{} intervals are stored for {} samples", controls[0], samples));
  }
  const std::vector<std::int64_t> feedback = file.shape("/feedback", 3);
  file.expect_length("/feedback", "intervals", feedback[0], controls[0]);
  file.expect_length("/feedback", "rows per interval", feedback[1], order.joint_count());
  file.expect_length("/feedback", "columns per interval", feedback[2], 2 * order.velocity_count());

  const RowMajorMatrix forces = file.matrix("/controls", controls[0], controls[1]);
  const RowMajorMatrix gains = file.matrix("/feedback", feedback[0] * feedback[1], feedback[2]);
  for (Eigen::Index k = 0; k < forces.rows(); ++k) {
    motion.feedforward.push_back(order.forces(forces.row(k).transpose()));
    motion.gains.push_back(order.gains(gains.middleRows(k * feedback[1], feedback[1])));
  }
  return motion;
}

std::string text_without_shapes(const std::filesystem::path& urdf) {
  std::ifstream stream(urdf);
  if (!stream || std::filesystem::is_directory(urdf)) {
    refuse(urdf, "this file cannot be read", "check the path");
  }
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  for (const std::string element : {"visual", "collision"}) {
    const std::string end = "</" + element + ">";
    for (std::size_t from = text.find("<" + element); from != std::string::npos;
         from = text.find("<" + element, from)) {
      const std::size_t to = text.find(end, from);
      if (to == std::string::npos) break;  // the reader reports it
      text.erase(from, to + end.size() - from);
    }
  }
  return text;
}

Model load_without_shapes(const std::filesystem::path& urdf) {
  const std::string text = text_without_shapes(urdf);
  LoadOptions options;
  options.base = BaseKind::floating;
  return load_model_text(text, urdf.string(), urdf.parent_path(), options).model;
}

RecordedWalk load_walk(const std::filesystem::path& path) {
  const NumberFile file(path, "walking plans");
  RecordedWalk walk;
  walk.time_step = file.time_step();
  const std::int64_t samples = file.shape("/com", 2)[1];
  const auto check = [&](const std::string& place, std::int64_t rows) {
    const std::vector<std::int64_t> shape = file.shape(place, 2);
    file.expect_length(place, "rows", shape[0], rows);
    file.expect_length(place, "samples", shape[1], samples);
  };
  const auto read = [&](const std::string& place) -> Eigen::Matrix3Xd {
    check(place, 3);
    return file.matrix(place, 3, samples);
  };
  const auto read_path = [&](const std::string& name) -> RecordedWalk::Path {
    return {read("/" + name), read("/d" + name), read("/dd" + name)};
  };
  walk.center_of_mass = read_path("com");
  walk.feet = {read_path("x_LF"), read_path("x_RF")};
  check("/cop", 2);
  walk.center_of_pressure = file.matrix_with_gaps("/cop", 2, samples);
  walk.standing_foot = file.integers("/contact_phase", samples);
  for (const int foot : walk.standing_foot) {
    if (foot != 0 && foot != 1) {
      file.fail("/contact_phase", fmt::format("{} is neither 0 (left) nor 1 (right)", foot));
    }
  }
  return walk;
}

}  // namespace stiction::experiments
