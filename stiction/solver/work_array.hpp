#pragma once

/// \file
/// Vectors and matrices of the solvers that change their size without giving memory back: Eigen's
/// own allocate at every change, also to a smaller size, and a solve that goes from island to
/// island changes sizes all the time.

#include <Eigen/Core>
#include <new>
#include <utility>
#include <vector>

namespace stiction {

/// Stands before the map among the bases, so that no member shares the map's padding: the map is
/// made anew in its place.
struct WorkMemory {
  std::vector<double> memory_;
};

/// An Eigen map of its own memory, which only grows. Its content is lost when it is resized.
template <class Plain>
class WorkArray : private WorkMemory, public Eigen::Map<Plain> {
 public:
  using Map = Eigen::Map<Plain>;
  using Map::operator=;

  WorkArray() requires(Plain::ColsAtCompileTime == 1) : Map(nullptr, 0) {}
  WorkArray() requires(Plain::ColsAtCompileTime != 1) : Map(nullptr, 0, 0) {}
  WorkArray(const WorkArray&) = delete;
  WorkArray& operator=(const WorkArray& other) {
    Map::operator=(static_cast<const Map&>(other));
    return *this;
  }

  void resize(Eigen::Index rows) requires(Plain::ColsAtCompileTime == 1) {
    reserve(rows);
    new (static_cast<Map*>(this)) Map(memory_.data(), rows);
  }

  void resize(Eigen::Index rows, Eigen::Index columns) requires(Plain::ColsAtCompileTime != 1) {
    reserve(rows * columns);
    new (static_cast<Map*>(this)) Map(memory_.data(), rows, columns);
  }

  /// Exchanges the memory of two arrays of the same size.
  void exchange(WorkArray& other) {
    memory_.swap(other.memory_);
    attach();
    other.attach();
  }

 private:
  void reserve(Eigen::Index size) {
    if (memory_.size() < static_cast<std::size_t>(size)) {
      memory_.resize(static_cast<std::size_t>(size));
    }
  }
  void attach() {
    const Eigen::Index rows = this->rows();
    const Eigen::Index columns = this->cols();
    new (static_cast<Map*>(this)) Map(memory_.data(), rows, columns);
  }
};

using WorkVector = WorkArray<Eigen::VectorXd>;
using WorkMatrix = WorkArray<Eigen::MatrixXd>;

}  // namespace stiction
