#pragma once

/// \file
/// What the files of the Python module share.

#include <memory>
#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <span>
#include <string>
#include <utility>

#include "python/source/busy.hpp"
#include "python/source/sourced_model.hpp"
#include "stiction/record/model_identity.hpp"
#include "stiction/sim/options.hpp"
#include "stiction/sim/simulation.hpp"
#include "stiction/sim/step_input.hpp"

namespace stiction::python {

namespace py = pybind11;

void add_state(py::module_& module);
void add_model(py::module_& module);
void add_dynamics(py::module_& module);
void add_problem(py::module_& module);
void add_report(py::module_& module);
void add_simulation(py::module_& module);
void add_control(py::module_& module);
void add_batch(py::module_& module);
void add_render(py::module_& module);

/// Options by name, as keywords: `time_step=0.001, law="convex"`. Throws ValueError with what is
/// possible.
[[nodiscard]] StepOptions options_of(const py::kwargs& keywords);
/// The same for `solve()`.
[[nodiscard]] SolverOptions solver_options_of(const py::kwargs& keywords,
                                              const std::string& solver);

/// The State of Python: one that knows its model. Robots with as many numbers would take each
/// other's states without a word.
struct OwnedState : State {
  std::shared_ptr<const ModelIdentity> identity;
};

/// What takes states of one model alone, such as a controller.
template <class Base>
struct Owned : Base {
  template <class... Arguments>
  explicit Owned(const SourcedModel& model, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), identity(model.identity()) {}
  std::shared_ptr<const ModelIdentity> identity;
};

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

/// A copy that cannot be written to: what a user writes into it would be lost.
[[nodiscard]] inline py::array frozen(const Eigen::VectorXd& values) {
  py::array_t<double> array(static_cast<py::ssize_t>(values.size()), values.data());
  array.attr("flags").attr("writeable") = false;
  return array;
}

/// A vector whose size never changes, as an array that shows it.
[[nodiscard]] py::array numbers(Eigen::VectorXd& vector, const py::object& owner);
/// Writes in place, so that arrays that show the vector show the new numbers.
void assign(Eigen::VectorXd& vector, const Eigen::VectorXd& values, const char* name);

/// Servos on joints with one velocity: all of them, or those named.
[[nodiscard]] std::vector<JointServo> servos_of(const Model& model, const State& pose,
                                                const std::vector<std::string>& joints,
                                                double stiffness, double damping);

/// Index of a body by name. Throws ValueError with what was probably meant.
[[nodiscard]] int body_of(const Model& model, const std::string& name);
/// State of a keyframe; if the name is empty, where the model starts. Throws ValueError.
[[nodiscard]] OwnedState keyframe_of(const SourcedModel& model, const std::string& name);
/// Throws ValueError unless the state is one of this model, or of one that differs in numbers
/// alone.
void require_fit(const ModelIdentity& model, const OwnedState& state);

[[nodiscard]] py::dict dict_of(const RunCounts& counts);

/// Joins names with a `std::string name` member.
template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(entry.name);
  return names;
}

}  // namespace stiction::python
