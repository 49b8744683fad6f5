#include "stiction/model/state.hpp"

#include <fmt/format.h>

#include "python/source/bindings.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction::python {

namespace {

py::tuple state_tuple(const State& state) {
  std::vector<std::uint64_t> keys;
  std::vector<double> impulses;
  for (const ImpulseMemory& entry : state.memory) {
    keys.push_back(entry.key);
    impulses.insert(impulses.end(), entry.impulse.begin(), entry.impulse.end());
  }
  return py::make_tuple(state.time, state.q, state.v, state.activation, keys, impulses);
}

State state_of(const py::tuple& parts) {
  if (parts.size() != 6) refuse("this is not a pickled State");
  State state;
  state.time = parts[0].cast<double>();
  state.q = parts[1].cast<Eigen::VectorXd>();
  state.v = parts[2].cast<Eigen::VectorXd>();
  state.activation = parts[3].cast<Eigen::VectorXd>();
  const auto keys = parts[4].cast<std::vector<std::uint64_t>>();
  const auto impulses = parts[5].cast<std::vector<double>>();
  if (impulses.size() != 3 * keys.size()) refuse("this is not a pickled State");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    state.memory.push_back({keys[i], {impulses[3 * i], impulses[3 * i + 1], impulses[3 * i + 2]}});
  }
  return state;
}

template <class Class>
void add_vector(Class& type, const char* name, Eigen::VectorXd State::*vector, const char* text) {
  type.def_property(
      name, [vector](const py::object& self) { return numbers(self.cast<State&>().*vector, self); },
      [vector, name](State& state, const Eigen::VectorXd& values) {
        assign(state.*vector, values, name);
      },
      text);
}

}  // namespace

py::array numbers(Eigen::VectorXd& vector, const py::object& owner) {
  return view(as_span(vector), {static_cast<py::ssize_t>(vector.size())}, owner);
}

void assign(Eigen::VectorXd& vector, const Eigen::VectorXd& values, const char* name) {
  if (values.size() != vector.size()) {
    refuse(fmt::format("{} has {} entries; {} were given", name, vector.size(), values.size()));
  }
  vector = values;
}

void require_fit(const Model& model, const State& state) {
  if (state.q.size() == model.position_count() && state.v.size() == model.velocity_count() &&
      state.activation.size() == model.activation_count()) {
    return;
  }
  refuse(fmt::format(
      "the state has {} positions, {} velocities and {} activations, but the model has {}, {} and "
      "{}",
      state.q.size(), state.v.size(), state.activation.size(), model.position_count(),
      model.velocity_count(), model.activation_count()));
}

void add_state(py::module_& module) {
  py::class_<State> type(module, "State",
                         "Everything that the next step depends on. Model.initial_state(), "
                         "Model.keyframe() and Simulation.state make one.");
  type.def_readwrite("time", &State::time, "[s]");
  add_vector(type, "q", &State::q, "Positions [m, rad]; quaternions are x, y, z, w.");
  add_vector(type, "v", &State::v,
             "Velocities [m/s, rad/s]; a floating base has linear, then angular, world axes.");
  add_vector(type, "activation", &State::activation, "Of actuators with dynamics.");
  type.def("__repr__", [](const State& state) {
    return fmt::format("<stiction.State at {:g} s: {} positions, {} velocities>", state.time,
                       state.q.size(), state.v.size());
  });
  type.def("hash", &hash, "64 bits that depend on every bit of the state.")
      .def("__eq__", &same_bits, py::is_operator())
      .def("__copy__", [](const State& state) { return state; })
      .def(
          "__deepcopy__", [](const State& state, const py::dict&) { return state; },
          py::arg("memo"))
      .def(py::pickle(&state_tuple, &state_of));
}

}  // namespace stiction::python
