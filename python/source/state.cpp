#include "stiction/model/state.hpp"

#include <fmt/format.h>

#include "python/source/bindings.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction::python {

namespace {

bool has_sizes_of(const ModelIdentity& model, const State& state) {
  const auto is = [](const Eigen::VectorXd& numbers, std::uint64_t count) {
    return static_cast<std::uint64_t>(numbers.size()) == count;
  };
  return is(state.q, model.position_count) && is(state.v, model.velocity_count) &&
         is(state.activation, model.activation_count);
}

py::tuple state_tuple(const OwnedState& state) {
  std::vector<std::uint64_t> keys;
  std::vector<double> impulses;
  for (const ImpulseMemory& entry : state.memory) {
    keys.push_back(entry.key);
    impulses.insert(impulses.end(), entry.impulse.begin(), entry.impulse.end());
  }
  const ModelIdentity& model = *state.identity;
  return py::make_tuple(state.time, state.q, state.v, state.activation, keys, impulses,
                        py::make_tuple(model.name, model.position_count, model.velocity_count,
                                       model.structure, model.activation_count));
}

ModelIdentity identity_in(const py::tuple& parts) {
  if (parts.size() != 5) refuse("this is not a pickled State");
  return {parts[0].cast<std::string>(), parts[1].cast<std::uint64_t>(),
          parts[2].cast<std::uint64_t>(), parts[3].cast<std::uint64_t>(),
          parts[4].cast<std::uint64_t>()};
}

OwnedState state_of(const py::tuple& parts) {
  if (parts.size() != 7) refuse("this is not a pickled State");
  OwnedState state;
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
  const ModelIdentity model = identity_in(parts[6].cast<py::tuple>());
  if (!has_sizes_of(model, state)) refuse("this is not a pickled State");
  state.identity = std::make_shared<const ModelIdentity>(model);
  return state;
}

template <class Class>
void add_vector(Class& type, const char* name, Eigen::VectorXd State::*vector, const char* text) {
  type.def_property(
      name,
      [vector](const py::object& self) { return numbers(self.cast<OwnedState&>().*vector, self); },
      [vector, name](OwnedState& state, const Eigen::VectorXd& values) {
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

void require_fit(const ModelIdentity& model, const OwnedState& state) {
  if (state.identity.get() == &model) return;
  const std::string difference = difference_of(*state.identity, model);
  if (difference.empty()) return;
  refuse(fmt::format(
      "this is a state of another model: {}; take a state of this model, and copy the numbers that "
      "both have into its q and v",
      difference));
}

void add_state(py::module_& module) {
  py::class_<OwnedState> type(module, "State",
                              "Everything that the next step depends on. Model.initial_state(), "
                              "Model.keyframe() and Simulation.state make one.");
  type.def_readwrite("time", &State::time, "[s]");
  add_vector(type, "q", &State::q, "Positions [m, rad]; quaternions are x, y, z, w.");
  add_vector(type, "v", &State::v,
             "Velocities [m/s, rad/s]; a floating base has linear, then angular, world axes.");
  add_vector(type, "activation", &State::activation, "Of actuators with dynamics.");
  type.def("__repr__", [](const OwnedState& state) {
    return fmt::format("<stiction.State of '{}' at {:g} s: {} positions, {} velocities>",
                       state.identity->name, state.time, state.q.size(), state.v.size());
  });
  type.def(
          "hash", [](const OwnedState& state) { return hash(state); },
          "64 bits that depend on every bit of the state.")
      .def(
          "__eq__",
          [](const OwnedState& state, const OwnedState& other) {
            return same_bits(state, other) &&
                   difference_of(*state.identity, *other.identity).empty();
          },
          py::is_operator())
      .def("__copy__", [](const OwnedState& state) { return state; })
      .def(
          "__deepcopy__", [](const OwnedState& state, const py::dict&) { return state; },
          py::arg("memo"))
      .def(py::pickle(&state_tuple, &state_of));
}

}  // namespace stiction::python
