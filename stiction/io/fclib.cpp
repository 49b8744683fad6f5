#include "stiction/io/fclib.hpp"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "stiction/core/problem.hpp"
#include "stiction/io/fclib_c.hpp"
#include "stiction/io/fclib_check.hpp"

namespace stiction {

namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// fclib 3.1 frees all that a problem points to, but not the problem itself.
struct DeleteLocal {
  void operator()(fclib_local* problem) const {
    fclib_delete_local(problem);
    std::free(problem);
  }
};
struct DeleteGlobal {
  void operator()(fclib_global* problem) const {
    fclib_delete_global(problem);
    std::free(problem);
  }
};

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& element,
                         std::string what, std::string remedy) {
  ProblemList problems;
  problems.error({path.string(), 0, element}, std::move(what), std::move(remedy));
  throw InputError(std::move(problems));
}

/// Contacts first, then bilateral rows, in the file's order.
struct Assembled {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd free_velocity;
  Eigen::VectorXd friction;
  double asymmetry = 0.0;
};

/// Entries that are named several times are added up.
SparseMatrix to_sparse(const fclib_matrix& matrix) {
  std::vector<Eigen::Triplet<double>> triplets;
  const bool by_columns = matrix.nz == -1;
  if (matrix.nz >= 0) {
    for (int k = 0; k < matrix.nz; ++k)
      triplets.emplace_back(matrix.p[k], matrix.i[k], matrix.x[k]);
  } else {
    const int lines = by_columns ? matrix.n : matrix.m;
    for (int line = 0; line < lines; ++line) {
      for (int k = matrix.p[line]; k < matrix.p[line + 1]; ++k) {
        triplets.emplace_back(by_columns ? matrix.i[k] : line, by_columns ? line : matrix.i[k],
                              matrix.x[k]);
      }
    }
  }
  SparseMatrix result(matrix.m, matrix.n);
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

/// Largest |A − Aᵀ| by the largest |A|.
template <typename Matrix>
double asymmetry_of(const Matrix& matrix, const Matrix& transposed) {
  const double scale = matrix.size() == 0 ? 0.0 : matrix.cwiseAbs().maxCoeff();
  return scale > 0.0 ? (matrix - transposed).cwiseAbs().maxCoeff() / scale : 0.0;
}

double asymmetry_of(const SparseMatrix& matrix) {
  const auto largest = [](const SparseMatrix& any) {
    return any.nonZeros() == 0 ? 0.0 : any.coeffs().abs().maxCoeff();
  };
  const double scale = largest(matrix);
  const SparseMatrix transposed = matrix.transpose();
  return scale > 0.0 ? largest(matrix - transposed) / scale : 0.0;
}

/// Rounding makes W slightly asymmetric in many files; a larger difference is another problem.
void check_asymmetry(const std::filesystem::path& path, const std::string& element,
                     double asymmetry, const FclibOptions& options) {
  if (asymmetry <= options.max_asymmetry) return;
  refuse(path, element,
         fmt::format("this matrix is not symmetric: the relative difference is {:.1e}", asymmetry),
         fmt::format("the difference must be at most {:.0e}; check how the file was made",
                     options.max_asymmetry));
}

Assembled read_local(const std::filesystem::path& path, const FclibOptions& options) {
  const std::unique_ptr<fclib_local, DeleteLocal> file(fclib_read_local(path.c_str()));
  if (!file) refuse(path, "", "FCLIB cannot read this file", "write it again");
  const int rows = file->W->m;
  const int locks = file->R != nullptr ? file->R->m : 0;
  Assembled result;
  result.matrix = Eigen::MatrixXd::Zero(rows + locks, rows + locks);
  result.matrix.topLeftCorner(rows, rows) = to_sparse(*file->W);
  result.free_velocity.resize(rows + locks);
  result.free_velocity.head(rows) = Eigen::Map<const Eigen::VectorXd>(file->q, rows);
  if (locks > 0) {
    const SparseMatrix V = to_sparse(*file->V);
    result.matrix.topRightCorner(rows, locks) = V;
    result.matrix.bottomLeftCorner(locks, rows) = V.transpose();
    result.matrix.bottomRightCorner(locks, locks) = to_sparse(*file->R);
    result.free_velocity.tail(locks) = Eigen::Map<const Eigen::VectorXd>(file->s, locks);
  }
  result.friction = Eigen::Map<const Eigen::VectorXd>(file->mu, rows / 3);
  result.asymmetry = asymmetry_of<Eigen::MatrixXd>(result.matrix, result.matrix.transpose());
  check_asymmetry(path, "/fclib_local/W", result.asymmetry, options);
  return result;
}

/// M v = H r + G λ + f, u = Hᵀ v + w, Gᵀ v + b = 0: with A = [H G] the matrix is Aᵀ M⁻¹ A and the
/// free velocity Aᵀ M⁻¹ f + [w; b].
Assembled read_global(const std::filesystem::path& path, const FclibOptions& options) {
  const std::unique_ptr<fclib_global, DeleteGlobal> file(fclib_read_global(path.c_str()));
  if (!file) refuse(path, "", "FCLIB cannot read this file", "write it again");
  const int rows = file->H->n;
  const int locks = file->G != nullptr ? file->G->n : 0;
  Assembled result;
  SparseMatrix M = to_sparse(*file->M);
  result.asymmetry = asymmetry_of(M);
  check_asymmetry(path, "/fclib_global/M", result.asymmetry, options);
  M = SparseMatrix(0.5 * (M + SparseMatrix(M.transpose())));
  const Eigen::SimplicialLDLT<SparseMatrix> factor(M);
  if (factor.info() != Eigen::Success || !(factor.vectorD().array() > 0.0).all()) {
    refuse(path, "/fclib_global/M", "the mass matrix is not positive definite",
           "bodies must have mass and inertia; leave out fixed bodies");
  }

  SparseMatrix A(M.rows(), rows + locks);
  A.leftCols(rows) = to_sparse(*file->H);
  if (locks > 0) A.rightCols(locks) = to_sparse(*file->G);
  const Eigen::VectorXd f = Eigen::Map<const Eigen::VectorXd>(file->f, M.rows());
  result.free_velocity = A.transpose() * factor.solve(f);
  result.free_velocity.head(rows) += Eigen::Map<const Eigen::VectorXd>(file->w, rows);
  if (locks > 0)
    result.free_velocity.tail(locks) += Eigen::Map<const Eigen::VectorXd>(file->b, locks);
  result.friction = Eigen::Map<const Eigen::VectorXd>(file->mu, rows / 3);

  // Some columns at a time: M⁻¹ A as a whole would be dense and may have many rows.
  constexpr Eigen::Index width = 32;
  result.matrix.resize(A.cols(), A.cols());
  for (Eigen::Index first = 0; first < A.cols(); first += width) {
    const Eigen::Index count = std::min(width, A.cols() - first);
    const Eigen::MatrixXd columns = A.middleCols(first, count);
    result.matrix.middleCols(first, count) = A.transpose() * factor.solve(columns);
  }
  if (!result.matrix.allFinite() || !result.free_velocity.allFinite()) {
    refuse(path, "/fclib_global/M", "the condensed problem contains NaN or infinity",
           "scale the problem");
  }
  return result;
}

/// Where row `row` of ours is in the file: there each contact begins with its normal.
int row_in_file(int row, int contact_rows) {
  if (row >= contact_rows) return row;
  return row - row % 3 + (row % 3 + 1) % 3;
}

Eigen::VectorXd in_our_order(const Eigen::VectorXd& vector) {
  Eigen::VectorXd result(vector.size());
  const int size = static_cast<int>(vector.size());
  for (int row = 0; row < size; ++row) result[row] = vector[row_in_file(row, size)];
  return result;
}

FclibSolution in_our_order(const FclibSolution& solution) {
  return {in_our_order(solution.velocity), in_our_order(solution.impulse)};
}

ContactProblem to_problem(const Assembled& assembled) {
  ContactProblem problem;
  for (const double friction : assembled.friction) problem.add_contact(friction);
  const int rows = static_cast<int>(assembled.matrix.rows());
  const int contact_rows = problem.row_count();
  while (problem.row_count() < rows) {
    problem.add_lock(std::min(max_block_rows, rows - problem.row_count()));
  }
  problem.use_dense();
  ContactProblem::DenseMap matrix = problem.edit_delassus();
  ContactProblem::VectorMap free_velocity = problem.edit_free_velocity();
  for (int j = 0; j < rows; ++j) {
    const int column = row_in_file(j, contact_rows);
    free_velocity[j] = assembled.free_velocity[column];
    for (int i = 0; i < rows; ++i) {
      const int row = row_in_file(i, contact_rows);
      matrix(i, j) = 0.5 * (assembled.matrix(row, column) + assembled.matrix(column, row));
    }
  }
  problem.prepare();
  return problem;
}

}  // namespace

std::string_view to_string(FclibForm form) { return form == FclibForm::local ? "local" : "global"; }

FclibFile load_fclib_file(const std::filesystem::path& path, const FclibOptions& options) {
  CheckedFclib checked = check_fclib(path, options);
  const SilentHdf5 silence;
  const Assembled assembled =
      checked.form == FclibForm::local ? read_local(path, options) : read_global(path, options);
  FclibFile result;
  result.problem = to_problem(assembled);
  result.form = checked.form;
  result.info = std::move(checked.info);
  result.asymmetry = assembled.asymmetry;
  if (checked.solution) result.solution = in_our_order(*checked.solution);
  for (const FclibSolution& guess : checked.guesses) result.guesses.push_back(in_our_order(guess));
  return result;
}

ContactProblem load_fclib(const std::filesystem::path& path, const FclibOptions& options) {
  return load_fclib_file(path, options).problem;
}

}  // namespace stiction
