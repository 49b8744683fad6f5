#include "stiction/sim/simulation.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include "python/source/runner.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/record/state_file.hpp"

namespace stiction::python {

namespace {

/// An array that shows memory of the simulation. What is assigned to it is written there.
template <class Type, class Memory>
void add_array(Type& type, const char* name, const Memory& memory, const char* text) {
  type.def_property(
      name,
      [memory](const py::object& self) {
        return numbers(memory(self.cast<Runner&>().simulation()), self);
      },
      [memory, name](Runner& r, const Eigen::VectorXd& values) {
        assign(memory(r.idle()), values, name);
      },
      text);
}

py::array servo_targets(Runner& self) {
  const std::vector<JointServo>& servos = self.idle().servos();
  Eigen::VectorXd targets(static_cast<Eigen::Index>(servos.size()));
  for (Eigen::Index k = 0; k < targets.size(); ++k) {
    targets[k] = servos[static_cast<std::size_t>(k)].position_target;
  }
  return frozen(targets);
}

void set_servo_targets(Runner& self, const Eigen::VectorXd& targets) {
  std::vector<JointServo>& servos = self.idle().servos();
  if (static_cast<std::size_t>(targets.size()) != servos.size()) {
    refuse(fmt::format("{} targets were given, but there are {} servos", targets.size(),
                       servos.size()));
  }
  for (std::size_t k = 0; k < servos.size(); ++k) {
    servos[k].position_target = targets[static_cast<Eigen::Index>(k)];
  }
}

void set_model(Runner& self, const SourcedModel& model) {
  const auto hold = self.busy.hold();
  if (!model.has_structure_of(self.simulation().model())) {
    refuse("the model has another structure; make a Simulation of it");
  }
  self.simulation().model() = model;
  self.model = model;
}

py::array read_all_sensors(Runner& self) {
  Simulation& simulation = self.idle();
  const auto values = self.sensors.evaluate(simulation.model(), simulation.state(),
                                            simulation.workspace(), simulation.report());
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::array read_sensor(Runner& self, const std::string& name) {
  static_cast<void>(read_all_sensors(self));
  const auto values = self.sensors.reading(name);
  return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

Eigen::Matrix4d body_pose(Runner& self, const std::string& name) {
  Simulation& simulation = self.idle();
  const Model& model = simulation.model();
  const int body = body_of(model, name);
  DynamicsData<double> data(model);
  update_positions<double>(model, data, as_span(simulation.state().q));
  const BodyData<double>& at = data.bodies[static_cast<std::size_t>(body)];
  Eigen::Matrix4d pose = Eigen::Matrix4d::Identity();
  const Vector3<double> columns[] = {at.rotation.c0, at.rotation.c1, at.rotation.c2, at.position};
  for (int k = 0; k < 4; ++k) pose.block<3, 1>(0, k) << columns[k].x, columns[k].y, columns[k].z;
  return pose;
}

using Class = py::class_<Runner>;

void add_arrays(Class& type) {
  const auto add = [&type](const char* name, const auto& memory, const char* text) {
    add_array(type, name, memory, text);
  };
  add(
      "q", [](Simulation& s) -> Eigen::VectorXd& { return s.state().q; },
      "Positions [m, rad], the simulation's own memory: write into it.");
  add(
      "v", [](Simulation& s) -> Eigen::VectorXd& { return s.state().v; },
      "Velocities [m/s, rad/s], the simulation's own memory.");
  add(
      "activation", [](Simulation& s) -> Eigen::VectorXd& { return s.state().activation; },
      "Of actuators with dynamics.");
  add(
      "control", [](Simulation& s) -> Eigen::VectorXd& { return s.control(); },
      "One per actuator; kept from step to step.");
  add(
      "joint_forces", [](Simulation& s) -> Eigen::VectorXd& { return s.joint_forces(); },
      "One per velocity [N·m or N]; kept from step to step.");
  type.def_property(
          "time", [](Runner& r) { return r.simulation().state().time; },
          [](Runner& r, double time) { r.idle().state().time = time; }, "[s]")
      .def_property(
          "state",
          [](Runner& r) {
            return OwnedState{r.idle().state(), r.model.identity()};
          },
          [](Runner& r, const OwnedState& state) {
            require_fit(*r.model.identity(), state);
            r.set_state(state);
          },
          "A copy of all that the next step depends on; assign it to go back.");
}

void add_inputs(Class& type) {
  type.def(
          "set_servos",
          [](Runner& r, double stiffness, double damping, const std::vector<std::string>& joints) {
            const auto hold = r.busy.hold();
            Simulation& s = r.simulation();
            s.servos() = servos_of(s.model(), s.state(), joints, stiffness, damping);
          },
          py::arg("stiffness"), py::arg("damping"), py::arg("joints") = std::vector<std::string>{},
          "Springs [N·m/rad or N/m] and dampers that hold joints where they are, all of them or "
          "those named.")
      .def_property(
          "servo_targets", &servo_targets, &set_servo_targets,
          "In the order of set_servos() (a copy that cannot be written to; assign a whole array) "
          "[rad or m].")
      .def(
          "push",
          [](Runner& r, const std::string& body, const Eigen::Vector3d& force,
             const Eigen::Vector3d& torque, const Eigen::Vector3d& point) {
            const auto hold = r.busy.hold();
            r.simulation().push({body_of(r.simulation().model(), body), force, torque, point});
          },
          py::arg("body"), py::arg("force"), py::arg("torque") = Eigen::Vector3d(0, 0, 0),
          py::arg("point") = Eigen::Vector3d(0, 0, 0),
          "A force [N] and torque [N·m] on a body in the next step, world axes. The force acts at "
          "`point`, in the axes of the body from its origin [m]; at the origin, which is not its "
          "centre of mass, without one.")
      .def("reset", &Runner::reset, py::arg("keyframe") = "",
           "To a keyframe, or to where the model starts (Model.initial_state()). Joint forces "
           "become zero, controls those of the keyframe.");
}

void add_results(Class& type) {
  type.def_property_readonly(
          "report", [](Runner& r) -> Report& { return r.report; },
          py::return_value_policy::reference_internal, "Of the last step.")
      .def_property_readonly(
          "counts", [](Runner& r) { return dict_of(r.idle().counts()); }, "Over all steps.")
      .def_property_readonly(
          "actuator_forces", [](Runner& r) { return r.idle().actuator_forces(); },
          "Of actuators and servos in the last step, one per velocity [N·m or N].")
      .def_property_readonly(
          "accelerations", [](Runner& r) { return r.idle().accelerations(); },
          "Of the last step, or what evaluate() found, one per velocity.")
      .def("sensors", &read_all_sensors, "Readings of all sensors after the last step (a copy).")
      .def("sensor", &read_sensor, py::arg("name"), "Reading of one sensor (a copy).")
      .def("body_pose", &body_pose, py::arg("body"), "World pose of a body, 4 × 4 [m].");
}

void add_files(Class& type) {
  type.def("record", &Runner::begin_record, "Keeps the steps from now on for html() and show().")
      .def("html", &Runner::page, "The page that replays what was recorded, as text.")
      .def(
          "save_state",
          [](Runner& r, const std::filesystem::path& file) {
            save_state(file, r.idle().model(), r.idle().state());
          },
          py::arg("file"), "Writes a state file.")
      .def(
          "load_state",
          [](Runner& r, const std::filesystem::path& file) {
            r.set_state(load_state(file, r.simulation().model()));
          },
          py::arg("file"), "Goes to the state of a file.");
}

}  // namespace

py::dict dict_of(const RunCounts& counts) {
  py::dict result;
  result["steps"] = counts.steps;
  result["not_certified"] = counts.not_certified;
  result["energy_grew"] = counts.energy_grew;
  result["refused"] = counts.refused;
  result["worst_residual"] = counts.worst_residual;
  result["deepest_overlap"] = counts.deepest_overlap;
  return result;
}

void add_simulation(py::module_& module) {
  Class type(module, "Simulation",
             "Model, state, options and workspace: the shortest way to a running simulation. "
             "Arrays show the simulation's own memory: write into them.");
  type.def(py::init([](const SourcedModel& model, const py::kwargs& options) {
             return std::make_unique<Runner>(model, options_of(options));
           }),
           py::arg("model"),
           "Options are keywords: time_step=0.001, solver=\"hybrid\", law=\"coulomb\", … "
           "(`stiction options` lists all).")
      .def_property_readonly(
          "model", [](Runner& r) { return r.model; },
          "A handle of its own: change numbers and give it to set_model().")
      .def("set_model", &set_model, py::arg("model"), "The same robot with other numbers.")
      .def_property_readonly(
          "time_step", [](Runner& r) { return r.simulation().time_step(); }, "[s]")
      .def(
          "step",
          [](Runner& r) -> Report& {
            r.step();
            return r.report;
          },
          py::return_value_policy::reference_internal, "One step; its report.")
      .def(
          "run",
          [](Runner& r, double seconds) -> Report& {
            r.run(seconds);
            return r.report;
          },
          py::arg("seconds"), py::return_value_policy::reference_internal,
          "As many steps as fit into a time [s]. Ends early if a step is refused.")
      .def(
          "evaluate",
          [](Runner& r) -> Report& {
            const auto hold = r.busy.hold();
            r.simulation().evaluate();
            return r.report;
          },
          py::return_value_policy::reference_internal,
          "What the next step would do at its start, without moving the state: impulses divided by "
          "the time step are forces. Its report.");
  add_arrays(type);
  add_inputs(type);
  add_results(type);
  add_files(type);
  type.def("__repr__", [](Runner& r) {
    const Simulation& s = r.idle();
    return fmt::format("<stiction.Simulation of '{}': time {:g} s, {} steps of {:g} s>",
                       s.model().name(), s.state().time, s.counts().steps, s.time_step());
  });
}

}  // namespace stiction::python
