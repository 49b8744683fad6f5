#include <algorithm>
#include <fmt/format.h>

#include "apps/stiction/scene_run_ground.hpp"
#include "python/source/bindings.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/io/near_words.hpp"
#include "stiction/sim/option_table.hpp"

namespace stiction::python {

namespace {

namespace fs = std::filesystem;

/// The file, or the built-in robot or scene of this name.
fs::path path_of(const std::string& name) {
  if (fs::exists(name)) return name;
  const fs::path folder = models_folder();
  for (const fs::path& place : {folder / "scenes", folder}) {
    for (const char* ending : {".xml", ".urdf"}) {
      if (fs::exists(place / (name + ending))) return place / (name + ending);
    }
  }
  return name;
}

void warn(const ProblemList& problems) {
  for (const Problem& problem : problems.all()) {
    if (problem.severity != Severity::warning) continue;
    if (PyErr_WarnEx(PyExc_UserWarning, to_string(problem).c_str(), 2) != 0) {
      throw py::error_already_set();
    }
  }
}

Model load(const std::string& file, bool ground) {
  const fs::path path = path_of(file);
  LoadedModel loaded = ground ? load_on_ground(path, {}) : load_model(path);
  warn(loaded.problems);
  return std::move(loaded.model);
}

Model load_text(const std::string& text, const std::string& folder) {
  LoadedModel loaded = load_model_text(text, "text", folder);
  warn(loaded.problems);
  return std::move(loaded.model);
}

template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(entry.name);
  return names;
}

std::vector<std::string> body_names(const Model& model) {
  std::vector<std::string> names;
  for (int i = 0; i < model.body_count(); ++i) names.push_back(model.body_name(i));
  return names;
}

[[noreturn]] void refuse_name(const char* kind, const std::string& name,
                              const std::vector<std::string>& known) {
  const std::vector<std::string_view> words(known.begin(), known.end());
  refuse(
      fmt::format("there is no {} '{}'; {}", kind, name,
                  suggestion(name, words, fmt::format("choose from {}", fmt::join(known, ", ")))));
}

const Joint& joint_of(const Model& model, const std::string& name) {
  if (const auto found = model.find_joint(name)) return model.joint(*found);
  refuse_name("joint", name, names_of(model.joints()));
}

State keyframe(const Model& model, const std::string& name) {
  if (const auto found = model.find_keyframe(name)) return model.keyframe_state(*found);
  refuse_name("keyframe", name, names_of(model.keyframes()));
}

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

std::string describe(const Model& model) {
  return fmt::format("<stiction.Model '{}': {} bodies, {} positions, {} velocities, {} actuators>",
                     model.name(), model.body_count(), model.position_count(),
                     model.velocity_count(), model.actuators().size());
}

}  // namespace

int body_of(const Model& model, const std::string& name) {
  if (const auto found = model.find_body(name)) return *found;
  refuse_name("body", name, body_names(model));
}

std::vector<JointServo> servos_of(const Model& model, const State& pose,
                                  const std::vector<std::string>& joints, double stiffness,
                                  double damping) {
  if (!(stiffness >= 0.0) || !(damping >= 0.0)) refuse("gains must be numbers from 0 up");
  std::vector<JointServo> servos;
  const auto add = [&](const Joint& joint) {
    servos.push_back({.velocity_index = joint.velocity_index,
                      .position_target = pose.q[joint.position_index],
                      .stiffness = stiffness,
                      .damping = damping});
  };
  for (const std::string& name : joints) {
    const Joint& joint = joint_of(model, name);
    if (velocity_size(joint.kind) != 1) {
      refuse(fmt::format("joint '{}' is {}; servos drive joints with one velocity", name,
                         to_string(joint.kind)));
    }
    add(joint);
  }
  if (!joints.empty()) return servos;
  for (const Joint& joint : model.joints()) {
    if (!joint.kinematic && velocity_size(joint.kind) == 1) add(joint);
  }
  return servos;
}

StepOptions options_of(const py::kwargs& keywords) {
  StepOptions options;
  for (const auto& [key, value] : keywords) {
    const auto name = key.cast<std::string>();
    const StepOption* const option = find_step_option(name);
    if (option == nullptr) {
      std::vector<std::string_view> known;
      for (const StepOption& other : step_option_table()) known.push_back(other.info().name);
      throw py::type_error(
          fmt::format("there is no option '{}'; {}", name,
                      suggestion(name, known, "`stiction options` on the command line lists all")));
    }
    std::string text;
    if (py::isinstance<py::bool_>(value)) {
      text = value.cast<bool>() ? "on" : "off";
    } else if (py::isinstance<py::float_>(value)) {
      text = fmt::format("{}", value.cast<double>());
    } else {
      text = py::str(value).cast<std::string>();
    }
    if (const std::string fault = option->read(options, text); !fault.empty()) refuse(fault);
  }
  if (const std::string fault = fault_of(options); !fault.empty()) refuse(fault);
  return options;
}

void add_model(py::module_& module) {
  py::class_<State>(module, "State", "Everything that the next step depends on.")
      .def_readwrite("time", &State::time, "[s]")
      .def_readwrite("q", &State::q, "Positions (a copy; assign a whole array).")
      .def_readwrite("v", &State::v, "Velocities (a copy; assign a whole array).")
      .def_readwrite("activation", &State::activation, "Of actuators with dynamics.")
      .def("hash", &hash, "64 bits that depend on every bit of the state.")
      .def("__eq__", &same_bits)
      .def("__copy__", [](const State& state) { return state; })
      .def("__deepcopy__", [](const State& state, const py::dict&) { return state; })
      .def(py::pickle(&state_tuple, &state_of));

  py::class_<Model>(module, "Model", "Robots and scene: everything that stays while time passes.")
      .def_property_readonly("name", &Model::name)
      .def_property_readonly("body_count", &Model::body_count)
      .def_property_readonly("position_count", &Model::position_count, "Entries of q.")
      .def_property_readonly("velocity_count", &Model::velocity_count, "Entries of v.")
      .def_property_readonly("actuator_count", [](const Model& m) { return m.actuators().size(); })
      .def_property_readonly("body_names", &body_names)
      .def_property_readonly("joint_names", [](const Model& m) { return names_of(m.joints()); })
      .def_property_readonly("actuator_names",
                             [](const Model& m) { return names_of(m.actuators()); })
      .def_property_readonly("sensor_names", [](const Model& m) { return names_of(m.sensors()); })
      .def_property_readonly("frame_names", [](const Model& m) { return names_of(m.frames()); })
      .def_property_readonly("keyframe_names",
                             [](const Model& m) { return names_of(m.keyframes()); })
      .def_property_readonly("material_names",
                             [](const Model& m) { return names_of(m.materials()); })
      .def_property_readonly("time_step", &Model::time_step, "As given in the file [s].")
      .def_property_readonly("total_mass", &Model::total_mass, "[kg]")
      .def_property(
          "gravity", [](const Model& m) { return Eigen::Vector3d(m.gravity()); },
          &Model::set_gravity, "[m/s²]")
      .def("initial_state", &Model::initial_state, "Initial positions at rest.")
      .def("keyframe", &keyframe, py::arg("name"), "State of a keyframe.")
      .def(
          "joint_position_index",
          [](const Model& m, const std::string& name) { return joint_of(m, name).position_index; },
          py::arg("joint"), "First entry of a joint in q.")
      .def(
          "joint_velocity_index",
          [](const Model& m, const std::string& name) { return joint_of(m, name).velocity_index; },
          py::arg("joint"), "First entry of a joint in v.")
      .def(
          "joint_limits",
          [](const Model& m, const std::string& name) {
            const JointLimits& limits = joint_of(m, name).limits;
            return std::pair(limits.lower, limits.upper);
          },
          py::arg("joint"), "Lower and upper [rad or m].")
      .def(
          "set_body_mass",
          [](Model& m, const std::string& name, double mass) {
            const int body = body_of(m, name);
            BodyInertia inertia = m.body_inertia(body);
            inertia.inertia *= mass / inertia.mass;
            inertia.mass = mass;
            m.set_body_inertia(body, inertia);
          },
          py::arg("body"), py::arg("mass"), "Mass [kg]; the inertia grows with it.")
      .def(
          "set_friction",
          [](Model& m, double friction, const std::string& material) {
            for (std::size_t i = 0; i < m.materials().size(); ++i) {
              Material value = m.materials()[i];
              if (!material.empty() && value.name != material) continue;
              value.friction = friction;
              m.set_material(static_cast<int>(i), value);
            }
          },
          py::arg("friction"), py::arg("material") = "",
          "Coefficient of a material, or of all of them.")
      .def("__copy__", [](const Model& m) { return m; })
      .def("__deepcopy__", [](const Model& m, const py::dict&) { return m; })
      .def("__repr__", &describe);

  module.def("load", &load, py::arg("file"), py::arg("ground") = true,
             "Reads a URDF or MJCF file, or the built-in robot or scene of this name. A URDF robot "
             "gets a ground plane, unless `ground` is false. What is unusual is a Python warning; "
             "what is wrong is an InputError.");
  module.def("load_text", &load_text, py::arg("text"), py::arg("folder") = "",
             "The same for the text of a file; `folder` is where its meshes are.");
}

}  // namespace stiction::python
