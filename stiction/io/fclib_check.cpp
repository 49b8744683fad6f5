#include "stiction/io/fclib_check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace stiction {

namespace {

struct Shape {
  int rows = 0;
  int columns = 0;
};

/// More guesses than this are a damaged number.
constexpr int max_guesses = 1000;

class Checker {
 public:
  Checker(const std::filesystem::path& path, const FclibOptions& options)
      : file_(path), options_(options) {}

  CheckedFclib check() {
    const bool local = file_.has("/fclib_local");
    if (!local && !file_.has("/fclib_global")) {
      file_.fail("", "this HDF5 file contains neither /fclib_local nor /fclib_global",
                 "give a file written by FCLIB");
    }
    CheckedFclib result;
    result.form = local ? FclibForm::local : FclibForm::global;
    root_ = local ? "/fclib_local" : "/fclib_global";
    check_group("");
    check_group("/vectors");
    check_dimension();
    if (local) {
      check_local(result);
    } else {
      check_global(result);
    }
    result.info = read_info();
    read_solutions(result);
    return result;
  }

 private:
  [[nodiscard]] std::string at(const std::string& name) const { return root_ + "/" + name; }

  /// fclib looks for these by listing, and takes any name that begins with one of them for it.
  void check_group(const std::string& group) const {
    for (const std::string& name : file_.links(root_ + group)) {
      for (const char* optional :
           {"title", "description", "math_info", "conditioning", "comment"}) {
        if (name != optional && name.starts_with(optional)) {
          file_.fail(root_ + group + "/" + name,
                     fmt::format("FCLIB mistakes this for {}", optional), "give it another name");
        }
      }
    }
  }

  void check_dimension() const {
    const std::string place = at("spacedim");
    const int dimension = file_.read_int(place);
    if (dimension == 2) {
      file_.fail(place, "this file contains planar contacts (2 rows each)",
                 "only spatial contacts (3 rows each) can be read");
    }
    if (dimension != 3) {
      file_.fail(place, fmt::format("the dimension is {}", dimension), "it must be 3");
    }
  }

  void check_local(CheckedFclib& result) const {
    const Shape W = check_matrix("W", options_.max_rows);
    if (W.rows != W.columns) refuse_shape("W", W, "as many rows as columns");
    result.contacts = contacts_of("W", W.rows);
    const bool has_V = file_.has(at("V"));
    if (has_V != file_.has(at("R"))) {
      file_.fail(at(has_V ? "R" : "V"), "only one of V and R is in the file",
                 "bilateral constraints need both");
    }
    if (has_V) {
      const Shape V = check_matrix("V", options_.max_rows);
      const Shape R = check_matrix("R", options_.max_rows);
      if (R.rows != R.columns) refuse_shape("R", R, "as many rows as columns");
      if (V.rows != W.rows || V.columns != R.rows) {
        refuse_shape("V", V, fmt::format("{} rows and {} columns", W.rows, R.rows));
      }
      result.bilateral_rows = R.rows;
      check_finite("vectors/s", R.rows);
    }
    check_finite("vectors/q", W.rows);
    check_friction(result.contacts);
    check_rows(W.rows + result.bilateral_rows);
  }

  void check_global(CheckedFclib& result) const {
    const Shape M = check_matrix("M", options_.max_global_rows);
    if (M.rows != M.columns) refuse_shape("M", M, "as many rows as columns");
    const Shape H = check_matrix("H", options_.max_global_rows);
    if (H.rows != M.rows) refuse_shape("H", H, fmt::format("{} rows", M.rows));
    result.contacts = contacts_of("H", H.columns);
    if (file_.has(at("G"))) {
      const Shape G = check_matrix("G", options_.max_global_rows);
      if (G.rows != M.rows) refuse_shape("G", G, fmt::format("{} rows", M.rows));
      result.bilateral_rows = G.columns;
      check_finite("vectors/b", G.columns);
    }
    check_finite("vectors/f", M.rows);
    check_finite("vectors/w", H.columns);
    check_friction(result.contacts);
    check_rows(static_cast<std::int64_t>(H.columns) + result.bilateral_rows);
  }

  [[nodiscard]] int contacts_of(const std::string& matrix, int rows) const {
    if (rows == 0) file_.fail(at(matrix), "this file contains no contacts", "give another file");
    if (rows % 3 != 0) {
      file_.fail(at(matrix), fmt::format("{} rows are not a whole number of contacts", rows),
                 "each contact has 3 rows");
    }
    return rows / 3;
  }

  void check_rows(std::int64_t rows) const {
    if (rows <= options_.max_rows) return;
    file_.fail(
        "", fmt::format("{} rows are too many for a dense matrix", rows),
        fmt::format("at most {} can be read; raise FclibOptions::max_rows", options_.max_rows));
  }

  [[noreturn]] void refuse_shape(const std::string& matrix, const Shape& shape,
                                 const std::string& wanted) const {
    file_.fail(at(matrix), fmt::format("this matrix is {} × {}", shape.rows, shape.columns),
               "it must have " + wanted);
  }

  /// The whole matrix, as triplets (nz ≥ 0), by columns (nz = -1) or by rows (nz = -2).
  [[nodiscard]] Shape check_matrix(const std::string& name, int max_size) const {
    check_group("/" + name);
    const std::string place = at(name) + "/";
    const Shape shape{file_.read_int(place + "m"), file_.read_int(place + "n")};
    for (const int size : {shape.rows, shape.columns}) {
      if (size < 0 || size > max_size) {
        file_.fail(at(name), fmt::format("this matrix is {} × {}", shape.rows, shape.columns),
                   fmt::format("sizes must be from 0 to {}", max_size));
      }
    }
    const int kind = file_.read_int(place + "nz");
    const int entries = file_.read_int(place + "nzmax");
    if (kind < -2) {
      file_.fail(place + "nz", fmt::format("{} is not a known kind of sparse matrix", kind),
                 "give the number of triplets, -1 (by columns) or -2 (by rows)");
    }
    // Triplets may name an entry several times, but not without measure.
    const std::int64_t most = 4 * static_cast<std::int64_t>(shape.rows) * shape.columns;
    if (entries < 0 || entries > most || kind > entries) {
      file_.fail(
          place + "nzmax",
          fmt::format("{} entries in a matrix of {} × {}", entries, shape.rows, shape.columns),
          "the sizes in the file contradict each other; write it again");
    }
    if (kind >= 0) {
      check_indices(place + "p", kind, shape.rows);
      check_indices(place + "i", kind, shape.columns);
    } else {
      const bool by_columns = kind == -1;
      check_starts(place + "p", by_columns ? shape.columns : shape.rows, entries);
      check_indices(place + "i", entries, by_columns ? shape.rows : shape.columns);
    }
    check_finite(name + "/x", entries);
    check_matrix_info(name);
    return shape;
  }

  void check_indices(const std::string& place, int count, int limit) const {
    for (const int index : file_.read_ints(place, count)) {
      if (index < 0 || index >= limit) {
        file_.fail(place, fmt::format("index {} is out of range", index),
                   fmt::format("it must be from 0 to {}", limit - 1));
      }
    }
  }

  void check_starts(const std::string& place, int lines, int entries) const {
    const std::vector<int> starts = file_.read_ints(place, static_cast<std::int64_t>(lines) + 1);
    if (starts.front() != 0 || starts.back() > entries || !std::ranges::is_sorted(starts)) {
      file_.fail(place, "the row or column starts do not ascend from 0 to the number of entries",
                 "the file is damaged; write it again");
    }
  }

  /// fclib reads all of these if `conditioning` is there.
  void check_matrix_info(const std::string& name) const {
    if (!file_.has(at(name + "/conditioning"))) return;
    (void)file_.read_doubles(at(name + "/conditioning"), 1);
    (void)file_.read_doubles(at(name + "/determinant"), 1);
    (void)file_.read_int(at(name + "/rank"));
    if (file_.has(at(name + "/comment"))) (void)file_.read_text(at(name + "/comment"));
  }

  std::vector<double> check_finite(const std::string& name, int count) const {
    std::vector<double> numbers = file_.read_doubles(at(name), count);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!std::isfinite(numbers[i])) {
        file_.fail(at(name), fmt::format("number {} is {}", i, numbers[i]),
                   "all numbers must be finite");
      }
    }
    return numbers;
  }

  void check_friction(int contacts) const {
    const std::vector<double> friction = check_finite("vectors/mu", contacts);
    const auto negative = std::ranges::find_if(friction, [](double mu) { return mu < 0.0; });
    if (negative == friction.end()) return;
    file_.fail(
        at("vectors/mu"),
        fmt::format("the friction of contact {} is {}", negative - friction.begin(), *negative),
        "friction must not be negative");
  }

  [[nodiscard]] FclibInfo read_info() const {
    if (!file_.has(at("info"))) return {};
    check_group("/info");
    const auto text = [&](const char* name) {
      const std::string place = at(std::string("info/") + name);
      return file_.has(place) ? file_.read_text(place) : std::string();
    };
    return {text("title"), text("description"), text("math_info")};
  }

  [[nodiscard]] FclibSolution read_solution(const std::string& place, int contacts) const {
    const auto vector = [&](const char* name) {
      std::vector<double> numbers = file_.read_doubles(place + name, 3L * contacts);
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(
          numbers.data(), static_cast<Eigen::Index>(numbers.size())));
    };
    return {vector("/u"), vector("/r")};
  }

  void read_solutions(CheckedFclib& result) const {
    if (file_.has("/solution")) result.solution = read_solution("/solution", result.contacts);
    if (!file_.has("/guesses")) return;
    const int count = file_.read_int("/guesses/number_of_guesses");
    if (count < 0 || count > max_guesses) {
      file_.fail("/guesses/number_of_guesses", fmt::format("the file announces {} guesses", count),
                 fmt::format("it must be from 0 to {}", max_guesses));
    }
    for (int i = 1; i <= count; ++i) {
      result.guesses.push_back(read_solution(fmt::format("/guesses/{}", i), result.contacts));
    }
  }

  Hdf5File file_;
  const FclibOptions& options_;
  std::string root_;
};

}  // namespace

CheckedFclib check_fclib(const std::filesystem::path& path, const FclibOptions& options) {
  return Checker(path, options).check();
}

}  // namespace stiction
