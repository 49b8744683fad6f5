#pragma once

/// \file
/// Vectors and matrices that keep their memory when they become smaller. Eigen's allocate at every
/// change of size, and a solver that goes from island to island changes sizes all the time.

#include <Eigen/Core>
#include <new>
#include <utility>
#include <vector>

namespace stiction {

/// A base class before the map, so that no member uses the padding of the map, which is constructed
/// again in place.
struct WorkMemory {
  std::vector<double> memory_;
};

/// An Eigen map with its own memory, which only grows. Resizing loses the content.
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
