#include "stiction/compliant/symmetric_modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/compliant/columns.hpp"
#include "stiction/compliant/four_vectors.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

namespace {

/// QL steps per eigenvalue: 1.3 to 1.7 are usual.
constexpr SymmetricModes::Index most_steps = 8;

}  // namespace

void SymmetricModes::reserve(Index rows) {
  const std::size_t side = index(columns::padded(rows));
  if (diagonal_.size() >= side) return;
  matrix_.resize(side * side);
  reflectors_.resize(side * side);
  factors_.resize(side);
  diagonal_.resize(side);
  off_diagonal_.resize(side);
  reflected_.resize(side);
  rotations_.resize(index(most_steps) * side * (side + 1) / 2);
  formed_modes_.reserve(rows);
  formed_transpose_.reserve(rows);
  four_vectors_.resize(4 * side);
}

double* SymmetricModes::matrix(Index rows) {
  reserve(rows);
  rows_ = rows;
  stride_ = columns::padded(rows);
  for (Index j = 0; j < rows; ++j) {
    for (Index i = rows; i < stride_; ++i) matrix_[index(j * stride_ + i)] = 0.0;
  }
  return matrix_.data();
}

bool SymmetricModes::decompose(FourVectors vectors) {
  make_tridiagonal(vectors);
  rotation_count_ = 0;
  formed_ = false;
  return make_diagonal(vectors);
}

void SymmetricModes::make_tridiagonal(FourVectors vectors) {
  for (Index k = 0; k + 2 < rows_; ++k) {
    if (!find_reflection(k)) continue;
    reflect_matrix(k);
    reflect_vectors(k, vectors);
  }
  const double* S = matrix_.data();
  for (Index k = 0; k < rows_; ++k) diagonal_[index(k)] = S[k * stride_ + k];
  if (rows_ > 1) off_diagonal_[index(rows_ - 2)] = S[(rows_ - 2) * stride_ + rows_ - 1];
}

bool SymmetricModes::find_reflection(Index column) {
  const double* x = matrix_.data() + column * stride_;
  double* v = reflectors_.data() + column * stride_;
  const Index first = column + 1;
  std::copy(x + columns::lane_start(first), x + stride_, v + columns::lane_start(first));
  std::fill(v + columns::lane_start(first), v + first, 0.0);
  const double head = v[first];
  v[first] = 0.0;
  const double tail = columns::dot(columns::lane_start(first), stride_, v, v);
  if (tail == 0.0) {
    off_diagonal_[index(column)] = head;
    factors_[index(column)] = 0.0;
    return false;
  }
  const double length = std::sqrt(head * head + tail);
  // The sign that adds: v₁ = head + sign(head) length, and H x = −sign(head) length e₁.
  v[first] = head + std::copysign(length, head);
  off_diagonal_[index(column)] = -std::copysign(length, head);
  factors_[index(column)] = 1.0 / (length * (length + std::abs(head)));
  return true;
}

/// S ← H S H = S − v wᵀ − w vᵀ on the rows and columns behind `column`, with p = factor S v and
/// w = p − ½ factor (pᵀv) v.
void SymmetricModes::reflect_matrix(Index column) {
  const double* v = reflectors_.data() + column * stride_;
  const double factor = factors_[index(column)];
  double* w = reflected_.data();
  const Index first = columns::lane_start(column + 1);
  std::fill(w + first, w + stride_, 0.0);
  for (Index j = column + 1; j < rows_; ++j) {
    columns::add_scaled(first, stride_, factor * v[j], matrix_.data() + j * stride_, w);
  }
  const double half = 0.5 * factor * columns::dot(first, stride_, w, v);
  columns::add_scaled(first, stride_, -half, v, w);
  for (Index j = column + 1; j < rows_; ++j) {
    const columns::Pack wj(w[j]);
    const columns::Pack vj(v[j]);
    double* S = matrix_.data() + j * stride_;
    for (Index i = first; i < stride_; i += columns::width) {
      const columns::Pack less = fnma(wj, columns::load(v + i), columns::load(S + i));
      columns::store(S + i, fnma(vj, columns::load(w + i), less));
    }
  }
}

void SymmetricModes::reflect_vectors(Index column, FourVectors vectors) const {
  const double* v = reflectors_.data() + column * stride_;
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  for (Index i = column + 1; i < rows_; ++i) columns::add_scaled_four(v[i], vectors + 4 * i, sums);
  for (double& sum : sums) sum *= -factors_[index(column)];
  for (Index i = column + 1; i < rows_; ++i) columns::add_scaled_four(v[i], sums, vectors + 4 * i);
}

bool SymmetricModes::make_diagonal(FourVectors vectors) {
  const double* d = diagonal_.data();
  const double* e = off_diagonal_.data();
  double largest = 0.0;
  for (Index i = 0; i < rows_; ++i) largest = std::max(largest, std::abs(d[i]));
  // What the reflections have rounded already is of this size.
  const double negligible =
      std::numeric_limits<double>::epsilon() * largest + std::numeric_limits<double>::min();
  const auto is_negligible = [&](Index i) { return std::abs(e[i]) <= negligible; };
  Index steps = 0;
  for (Index first = 0; first + 1 < rows_; ++first) {
    if (is_negligible(first)) continue;
    // The block from `first` to `last` has no negligible element.
    Index last = first + 1;
    while (last + 1 < rows_ && !is_negligible(last)) ++last;
    if (last == first + 1 && rotation_count_ < rotations_.size()) {
      separate(first, vectors);
      continue;
    }
    do {
      if (++steps > most_steps * rows_ ||
          rotation_count_ + index(last - first) > rotations_.size()) {
        return false;
      }
      ql_step(first, last, vectors);
    } while (!is_negligible(first));
  }
  return true;
}

/// One implicit QL step with Wilkinson's shift on the rows `first` to `last`.
void SymmetricModes::ql_step(Index first, Index last, FourVectors vectors) {
  double* d = diagonal_.data();
  double* e = off_diagonal_.data();
  const double slope = (d[first + 1] - d[first]) / (2.0 * e[first]);
  const double root = std::sqrt(slope * slope + 1.0);
  double g = d[last] - d[first] + e[first] / (slope + std::copysign(root, slope));
  double sine = 1.0;
  double cosine = 1.0;
  double shifted = 0.0;  // what the diagonal element before has lost
  for (Index i = last - 1; i >= first; --i) {
    const double f = sine * e[i];
    const double b = cosine * e[i];
    const double square = fma(f, f, g * g);
    const bool turns = square >= std::numeric_limits<double>::min();
    // The root and the quotient at the same time: each rotation waits for the one before.
    const double length = std::sqrt(square);
    const double inverse = turns ? length * (1.0 / square) : 0.0;
    if (i + 1 < last) e[i + 1] = length;
    sine = f * inverse;
    cosine = turns ? g * inverse : 1.0;
    const double before = d[i + 1] - shifted;
    const double r = fma(d[i] - before, sine, 2.0 * cosine * b);
    shifted = sine * r;
    d[i + 1] = before + shifted;
    g = fma(cosine, r, -b);
    rotations_[rotation_count_++] = {.row = i, .cosine = cosine, .sine = sine};
    columns::rotate_four(cosine, sine, vectors + 4 * i, vectors + 4 * (i + 1));
  }
  d[first] -= shifted;
  e[first] = g;
}

/// The last two rows of a block, by one rotation.
void SymmetricModes::separate(Index row, FourVectors vectors) {
  double& a = diagonal_[index(row)];
  double& b = diagonal_[index(row + 1)];
  double& e = off_diagonal_[index(row)];
  const double slope = (b - a) / (2.0 * e);
  const double tangent = 1.0 / (slope + std::copysign(std::sqrt(slope * slope + 1.0), slope));
  const double cosine = 1.0 / std::sqrt(tangent * tangent + 1.0);
  const double sine = tangent * cosine;
  a -= tangent * e;
  b += tangent * e;
  e = 0.0;
  rotations_[rotation_count_++] = {.row = row, .cosine = cosine, .sine = sine};
  columns::rotate_four(cosine, sine, vectors + 4 * row, vectors + 4 * (row + 1));
}

/// Four columns at a time, from those of the identity.
void SymmetricModes::form_vectors() {
  formed_modes_.resize(rows_);
  formed_transpose_.resize(rows_);
  for (Index first = 0; first < rows_; first += 4) {
    const Index count = std::min<Index>(4, rows_ - first);
    std::fill_n(four_vectors_.data(), 4 * rows_, 0.0);
    for (Index k = 0; k < count; ++k) four_vectors_[index(4 * (first + k) + k)] = 1.0;
    replay_back(four_vectors_.data());
    for (Index i = 0; i < rows_; ++i) {
      for (Index k = 0; k < count; ++k) {
        const double element = four_vectors_[index(4 * i + k)];
        formed_modes_(i, first + k) = element;
        formed_transpose_(first + k, i) = element;
      }
    }
  }
  formed_ = true;
}

/// Products of the columns with the vectors.
void SymmetricModes::multiply(const PaddedMatrix& A, FourVectors vectors) const {
  std::copy_n(vectors, 4 * rows_, four_vectors_.data());
  const columns::Four zero{};
  columns::multiply(A, four_vectors_.data(), vectors, [&](Index) { return zero; });
}

void SymmetricModes::forward(FourVectors vectors) const {
  if (formed_) return multiply(formed_modes_, vectors);
  for (Index k = 0; k + 2 < rows_; ++k) {
    if (factors_[index(k)] != 0.0) reflect_vectors(k, vectors);
  }
  for (std::size_t k = 0; k < rotation_count_; ++k) {
    const Rotation& r = rotations_[k];
    columns::rotate_four(r.cosine, r.sine, vectors + 4 * r.row, vectors + 4 * (r.row + 1));
  }
}

void SymmetricModes::back(FourVectors vectors) const {
  formed_ ? multiply(formed_transpose_, vectors) : replay_back(vectors);
}

void SymmetricModes::replay_back(FourVectors vectors) const {
  for (std::size_t k = rotation_count_; k-- > 0;) {
    const Rotation& r = rotations_[k];
    columns::rotate_four(r.cosine, -r.sine, vectors + 4 * r.row, vectors + 4 * (r.row + 1));
  }
  for (Index k = rows_ - 3; k >= 0; --k) {
    if (factors_[index(k)] != 0.0) reflect_vectors(k, vectors);
  }
}

}  // namespace stiction
