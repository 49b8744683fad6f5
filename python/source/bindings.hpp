#pragma once

/// \file
/// What the files of the Python module share.

#include <atomic>
#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <span>
#include <stdexcept>
#include <string>

#include "stiction/model/model.hpp"
#include "stiction/sim/options.hpp"
#include "stiction/sim/step_input.hpp"

namespace stiction::python {

namespace py = pybind11;

void add_model(py::module_& module);
void add_dynamics(py::module_& module);
void add_simulation(py::module_& module);
void add_batch(py::module_& module);

/// Options by name, as keywords: `time_step=0.001, law="convex"`. Throws ValueError with what is
/// possible.
[[nodiscard]] StepOptions options_of(const py::kwargs& keywords);

/// The error of a mistake of the caller.
[[noreturn]] inline void refuse(const std::string& what) { throw py::value_error(what); }

/// An array that shows memory of `owner`, which lives at least as long. One row per entry of
/// `shape` but the last.
template <class Number>
py::array view(std::span<Number> numbers, std::vector<py::ssize_t> shape, const py::object& owner) {
  using Value = std::remove_const_t<Number>;
  py::array_t<Value> array(std::move(shape), numbers.data(), owner);
  if constexpr (std::is_const_v<Number>) {
    array.attr("flags").attr("writeable") = false;
  }
  return array;
}

/// While one thread steps, no other may: the guard of each object that works without the GIL.
class Busy {
 public:
  class Hold {
   public:
    explicit Hold(std::atomic<bool>& flag) : flag_(flag) {}
    ~Hold() { flag_ = false; }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    std::atomic<bool>& flag_;
  };
  /// Throws RuntimeError if another thread is at work.
  [[nodiscard]] Hold hold() {
    if (flag_.exchange(true)) {
      throw std::runtime_error(
          "another thread is using this object; give each thread its own, or wait for it");
    }
    return Hold(flag_);
  }

 private:
  std::atomic<bool> flag_{false};
};

/// Servos on joints with one velocity: all of them, or those named.
[[nodiscard]] std::vector<JointServo> servos_of(const Model& model, const State& pose,
                                                const std::vector<std::string>& joints,
                                                double stiffness, double damping);

/// Index of a body by name. Throws ValueError with what was probably meant.
[[nodiscard]] int body_of(const Model& model, const std::string& name);

}  // namespace stiction::python
