#pragma once

/// \file
/// Eigenvalues of a small symmetric matrix S = Q Λ Qᵀ, and products of Q with four vectors.
///
/// Householder reflections make S tridiagonal, implicit QL steps make it diagonal, and both are
/// kept: a product with Q replays them. For a few vectors that takes a fraction of the time of
/// forming Q, which is most of the work of an eigensolver. For many products Q can be formed.

#include <Eigen/Core>
#include <vector>

#include "stiction/compliant/dense.hpp"

namespace stiction {

/// Four vectors side by side: element i of vector k is at [4 i + k].
using FourVectors = double*;

class SymmetricModes {
 public:
  using Index = Eigen::Index;

  void reserve(Index rows);

  /// Memory for a rows × rows matrix, column by column, for the caller to fill; the rows from
  /// `rows` to stride() are zero and stay zero.
  double* matrix(Index rows);
  [[nodiscard]] Index stride() const { return stride_; }

  /// Decomposes matrix(), which is overwritten, and replaces the vectors V by QᵀV. False if the
  /// iteration does not end, which has not been seen for finite numbers.
  bool decompose(FourVectors vectors);

  /// The eigenvalues, in no order.
  [[nodiscard]] const double* values() const { return diagonal_.data(); }

  /// Forms Q, for many products with it until the next decompose().
  void form_vectors();

  /// V ← QᵀV.
  void forward(FourVectors vectors) const;

  /// V ← Q V.
  void back(FourVectors vectors) const;

 private:
  struct Rotation {
    Index row;  ///< acts on this one and the next
    double cosine;
    double sine;
  };

  void make_tridiagonal(FourVectors vectors);
  bool find_reflection(Index column);
  void reflect_matrix(Index column);
  void reflect_vectors(Index column, FourVectors vectors) const;
  bool make_diagonal(FourVectors vectors);
  void separate(Index row, FourVectors vectors);
  void ql_step(Index first, Index last, FourVectors vectors);

  void multiply(const PaddedMatrix& A, FourVectors vectors) const;
  void replay_back(FourVectors vectors) const;

  Index rows_ = 0;
  Index stride_ = 0;
  std::vector<double> matrix_;        ///< below the diagonal: the reflections' vectors
  std::vector<double> factors_;       ///< of reflection k: H = I − factor v vᵀ
  std::vector<double> diagonal_;      ///< of the tridiagonal matrix, in the end the eigenvalues
  std::vector<double> off_diagonal_;  ///< element i couples i and i + 1
  std::vector<double> reflected_;     ///< S v and then w of the update S − v wᵀ − w vᵀ
  std::vector<double> reflectors_;    ///< v of all reflections, each padded like a column
  std::vector<Rotation> rotations_;
  std::size_t rotation_count_ = 0;
  bool formed_ = false;
  PaddedMatrix formed_modes_;                 ///< Q
  PaddedMatrix formed_transpose_;             ///< Qᵀ
  mutable std::vector<double> four_vectors_;  ///< scratch of products with them
};

}  // namespace stiction
