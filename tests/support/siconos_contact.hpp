#pragma once

/// \file
/// A contact problem in Siconos: its solvers NSGS, NSN_AC and ADMM on our matrix, in our order.
/// Programs that include it link stiction::siconos.

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <vector>

#include "stiction/contact/contact_problem.hpp"

namespace stiction::test {

enum class SiconosMethod { nsgs, nsn_ac, admm };
enum class SiconosStorage { dense, sparse, sparse_block };

inline const char* to_string(SiconosMethod method) {
  switch (method) {
    case SiconosMethod::nsgs:
      return "siconos nsgs";
    case SiconosMethod::nsn_ac:
      return "siconos nsn_ac";
    case SiconosMethod::admm:
      return "siconos admm";
  }
  return "?";
}

inline const char* to_string(SiconosStorage storage) {
  switch (storage) {
    case SiconosStorage::dense:
      return "dense";
    case SiconosStorage::sparse:
      return "sparse";
    case SiconosStorage::sparse_block:
      return "sparse block";
  }
  return "?";
}

/// Siconos' copy of a problem of contacts. Coulomb's law is the only one that it has.
class SiconosContact {
 public:
  SiconosContact(const ContactProblem& problem, SiconosStorage storage)
      : rows_(problem.row_count()), friction_(problem.blocks().size()) {
    if (problem.contact_count() != problem.block_count()) {
      throw std::invalid_argument("Siconos takes contacts only");
    }
    numerics_set_verbose(0);
    Eigen::MatrixXd ours;
    problem.to_dense(ours);
    const auto size = static_cast<std::size_t>(rows_);
    // Siconos frees these itself.
    auto* q = static_cast<double*>(std::calloc(size, sizeof(double)));
    auto* mu = static_cast<double*>(std::calloc(friction_.size(), sizeof(double)));
    for (int row = 0; row < rows_; ++row) q[row] = problem.shifted_velocity()[ours_of(row)];
    for (std::size_t i = 0; i < friction_.size(); ++i) {
      friction_[i] = mu[i] = problem.blocks()[i].friction;
    }
    problem_ = frictionContactProblem_new_with_data(3, problem.contact_count(),
                                                    matrix_of(ours, storage), q, mu);
  }
  ~SiconosContact() { frictionContactProblem_free(problem_); }
  SiconosContact(const SiconosContact&) = delete;
  SiconosContact& operator=(const SiconosContact&) = delete;

  /// From zero. Returns Siconos' own verdict: 0 if its error is below the tolerance, which is
  /// relative to |q|.
  int solve(SiconosMethod method, double tolerance, int max_iterations) {
    ::SolverOptions* options = solver_options_create(id_of(method));
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = max_iterations;
    reaction_.assign(static_cast<std::size_t>(rows_), 0.0);
    velocity_.assign(static_cast<std::size_t>(rows_), 0.0);
    const int info = fc3d_driver(problem_, reaction_.data(), velocity_.data(), options);
    iterations_ = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    std::free(options);
    return info;
  }

  [[nodiscard]] int iterations() const { return iterations_; }

  /// Of the last solve, in our order. Put into the cone first, for Newton's method and ADMM leave
  /// it by as much as their tolerance, and the judge asks for it exactly.
  void impulses(std::span<double> result) const {
    for (int row = 0; row < rows_; ++row) {
      result[static_cast<std::size_t>(ours_of(row))] = reaction_[static_cast<std::size_t>(row)];
    }
    for (std::size_t i = 0; i < friction_.size(); ++i) {
      double* impulse = &result[3 * i];
      impulse[2] = std::max(0.0, impulse[2]);
      const double tangential = std::hypot(impulse[0], impulse[1]);
      const double bound = friction_[i] * impulse[2];
      if (!(tangential > bound)) continue;
      impulse[0] *= bound / tangential;
      impulse[1] *= bound / tangential;
    }
  }

 private:
  /// Siconos begins each contact with the normal.
  static int ours_of(int row) { return row - row % 3 + (row % 3 + 2) % 3; }

  static int id_of(SiconosMethod method) {
    switch (method) {
      case SiconosMethod::nsgs:
        return SICONOS_FRICTION_3D_NSGS;
      case SiconosMethod::nsn_ac:
        return SICONOS_FRICTION_3D_NSN_AC;
      case SiconosMethod::admm:
        return SICONOS_FRICTION_3D_ADMM;
    }
    return SICONOS_FRICTION_3D_NSGS;
  }

  [[nodiscard]] NumericsMatrix* matrix_of(const Eigen::MatrixXd& ours,
                                          SiconosStorage storage) const {
    const bool dense = storage == SiconosStorage::dense;
    NumericsMatrix* matrix = NM_create(dense ? NM_DENSE : NM_SPARSE, rows_, rows_);
    if (!dense) NM_triplet_alloc(matrix, static_cast<CS_INT>((ours.array() != 0.0).count()) + 1);
    for (int j = 0; j < rows_; ++j) {
      for (int i = 0; i < rows_; ++i) {
        const double value = ours(ours_of(i), ours_of(j));
        if (dense || value != 0.0) NM_entry(matrix, i, j, value);
      }
    }
    if (storage != SiconosStorage::sparse_block) return matrix;
    SparseBlockStructuredMatrix* blocks = SBM_new();
    SBM_from_csparse(3, NM_csc(matrix), blocks);
    NM_clear(matrix);
    std::free(matrix);
    return NM_create_from_data(NM_SPARSE_BLOCK, rows_, rows_, blocks);
  }

  int rows_;
  std::vector<double> friction_;
  FrictionContactProblem* problem_ = nullptr;
  std::vector<double> reaction_;
  std::vector<double> velocity_;
  int iterations_ = 0;
};

}  // namespace stiction::test
