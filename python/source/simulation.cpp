#include "stiction/sim/simulation.hpp"

#include <fmt/format.h>
#include <memory>

#include "python/source/bindings.hpp"
#include "stiction/core/write_file.hpp"
#include "stiction/dynamics/spans.hpp"
#include "stiction/record/page.hpp"
#include "stiction/record/state_file.hpp"
#include "stiction/sim/sensors.hpp"
#include "viewer/viewer_page.hpp"

namespace stiction::python {

namespace {

constexpr double page_frame = 1.0 / 60.0;  // [s] between kept frames

/// A Simulation with what Python needs beside it.
struct Runner {
  Runner(Model model, const StepOptions& options)
      : simulation(std::move(model), options), sensors(simulation.model()) {}

  Simulation simulation;
  SensorArray sensors;
  Busy busy;
  std::unique_ptr<PageFrames> frames;  ///< while it is recorded for a page

  void keep(const StepReport* report);
};

RecordedFrame frame_of(const State& state, const StepReport* report) {
  RecordedFrame frame;
  frame.state = state;
  if (report == nullptr) return frame;
  frame.steps = 1;
  frame.worst_residual = report->certificate.residual();
  frame.deepest_overlap = report->deepest_overlap;
  frame.iterations = report->iterations;
  frame.not_certified = report->status == StepStatus::not_certified ? 1 : 0;
  for (const StepContact& contact : report->contacts) {
    RecordedContact kept;
    kept.shape_a = contact.shape_a;
    kept.shape_b = contact.shape_b;
    kept.mode = contact.mode;
    kept.gap = contact.gap;
    kept.friction = contact.friction;
    kept.point = contact.point;
    kept.normal = contact.axes.c2;
    kept.impulse = contact.axes * contact.impulse;
    frame.contacts.push_back(kept);
  }
  return frame;
}

void Runner::keep(const StepReport* report) {
  if (frames != nullptr) frames->add(frame_of(simulation.state(), report));
}

/// Python sees Ctrl-C between so many steps.
constexpr int steps_between_signals = 256;

const StepReport& step(Runner& self) {
  const auto hold = self.busy.hold();
  {
    const py::gil_scoped_release release;
    self.simulation.step();
  }
  self.keep(&self.simulation.report());
  return self.simulation.report();
}

const StepReport& run(Runner& self, double seconds) {
  const auto hold = self.busy.hold();
  const double steps = std::round(seconds / self.simulation.time_step());
  if (!(steps >= 0.0 && steps <= 1e15)) refuse(fmt::format("cannot run for {} s", seconds));
  const StepReport& report = self.simulation.report();
  for (auto left = static_cast<long long>(steps); left > 0;) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    const py::gil_scoped_release release;
    for (int k = 0; k < steps_between_signals && left > 0; ++k, --left) {
      self.simulation.step();
      self.keep(&report);
      if (report.status == StepStatus::refused || report.status == StepStatus::diverged)
        return report;
    }
  }
  return report;
}

py::array numbers(Eigen::VectorXd& vector, const py::object& owner) {
  return view(as_span(vector), {static_cast<py::ssize_t>(vector.size())}, owner);
}

template <Eigen::VectorXd State::*vector>
py::array state_view(const py::object& self) {
  return numbers(self.cast<Runner&>().simulation.state().*vector, self);
}

void set_state(Runner& self, const State& state) {
  const auto hold = self.busy.hold();
  const Model& model = self.simulation.model();
  if (state.q.size() != model.position_count() || state.v.size() != model.velocity_count() ||
      state.activation.size() != model.activation_count()) {
    refuse(fmt::format("the state has {} positions and {} velocities, but the model has {} and {}",
                       state.q.size(), state.v.size(), model.position_count(),
                       model.velocity_count()));
  }
  // Written in place: arrays that Python holds show the new numbers.
  State& own = self.simulation.state();
  own.time = state.time;
  own.q = state.q;
  own.v = state.v;
  own.activation = state.activation;
  own.memory = state.memory;
}

std::string page(Runner& self) {
  if (self.frames == nullptr) {
    refuse("nothing was recorded; call record() before the steps that the page should show");
  }
  std::vector<RecordedFrame> frames = self.frames->take();
  RunDescription description;
  description.title = self.simulation.model().name();
  description.options = self.simulation.options();
  description.options.time_step = self.simulation.time_step();
  const PageRun shown{"run", description, frames};
  const std::string data = page_data(scene_json(self.simulation.model()), {&shown, 1});
  if (viewer_page().empty()) {
    refuse("the package was built without the viewer; install node and npm and build again");
  }
  const std::string html = fill_page(viewer_page(), data);
  for (RecordedFrame& frame : frames) self.frames->add(std::move(frame));
  return html;
}

py::dict counts(const Runner& self) {
  const RunCounts& c = self.simulation.counts();
  py::dict result;
  result["steps"] = c.steps;
  result["not_certified"] = c.not_certified;
  result["energy_grew"] = c.energy_grew;
  result["refused"] = c.refused;
  result["worst_residual"] = c.worst_residual;
  result["deepest_overlap"] = c.deepest_overlap;
  return result;
}

Eigen::Vector3d vector_of(const Vector3<double>& v) { return {v.x, v.y, v.z}; }

void add_report(py::module_& module) {
  py::class_<StepContact>(module, "Contact", "A contact of a step, also one that did nothing.")
      .def_readonly("body_a", &StepContact::body_a,
                    "-1 is the world; the normal points from a to b")
      .def_readonly("body_b", &StepContact::body_b)
      .def_readonly("shape_a", &StepContact::shape_a)
      .def_readonly("shape_b", &StepContact::shape_b)
      .def_readonly("gap", &StepContact::gap, "Before the step [m].")
      .def_readonly("friction", &StepContact::friction)
      .def_property_readonly(
          "point", [](const StepContact& c) { return vector_of(c.point); }, "World [m].")
      .def_property_readonly("normal", [](const StepContact& c) { return vector_of(c.axes.c2); })
      .def_property_readonly(
          "impulse", [](const StepContact& c) { return vector_of(c.axes * c.impulse); },
          "On body b, world axes [N·s]; divided by the time step: force.")
      .def_property_readonly(
          "velocity", [](const StepContact& c) { return vector_of(c.velocity); },
          "Of b against a along t1, t2, n after the step [m/s].")
      .def_property_readonly(
          "mode", [](const StepContact& c) { return std::string(to_string(c.mode)); },
          "open, stick or slip");
  py::class_<StepReport>(module, "StepReport", "What the last step did.")
      .def_property_readonly("ok", &StepReport::ok, "Every island is certified.")
      .def_property_readonly("status",
                             [](const StepReport& r) { return std::string(to_string(r.status)); })
      .def_readonly("message", &StepReport::message, "What went wrong and a remedy.")
      .def_property_readonly(
          "residual", [](const StepReport& r) { return r.certificate.residual(); },
          "Of the certificate: how well the contact laws hold, relative.")
      .def_readonly("iterations", &StepReport::iterations)
      .def_readonly("deepest_overlap", &StepReport::deepest_overlap, "[m]")
      .def_readonly("energy_gain", &StepReport::energy_gain, "That came in without input [J].")
      .def_readonly("contacts", &StepReport::contacts, "A list of copies.")
      .def("__repr__", [](const StepReport& r) {
        return fmt::format("<stiction.StepReport {}: residual {:.1e}, {} contacts, {} iterations>",
                           to_string(r.status), r.certificate.residual(), r.contacts.size(),
                           r.iterations);
      });
}

}  // namespace

void add_simulation(py::module_& module) {
  add_report(module);
  py::class_<Runner>(module, "Simulation",
                     "Model, state, options and workspace: the shortest way to a running "
                     "simulation. Arrays show the simulation's own memory: write into them.")
      .def(py::init([](const Model& model, const py::kwargs& options) {
             return std::make_unique<Runner>(model, options_of(options));
           }),
           py::arg("model"),
           "Options are keywords: time_step=0.001, solver=\"hybrid\", law=\"coulomb\", … "
           "(`stiction options` lists all).")
      .def_property_readonly(
          "model", [](Runner& r) { return r.simulation.model(); },
          "A handle of its own: change numbers and assign it back.")
      .def(
          "set_model",
          [](Runner& r, const Model& model) {
            const auto hold = r.busy.hold();
            if (!model.has_structure_of(r.simulation.model())) {
              refuse("the model has another structure; make a Simulation of it");
            }
            r.simulation.model() = model;
          },
          py::arg("model"), "The same robot with other numbers.")
      .def_property_readonly(
          "time_step", [](Runner& r) { return r.simulation.time_step(); }, "[s]")
      .def_property(
          "time", [](Runner& r) { return r.simulation.state().time; },
          [](Runner& r, double time) { r.simulation.state().time = time; }, "[s]")
      .def_property_readonly("q", &state_view<&State::q>, "Positions.")
      .def_property_readonly("v", &state_view<&State::v>, "Velocities.")
      .def_property_readonly("activation", &state_view<&State::activation>)
      .def_property(
          "state", [](Runner& r) { return r.simulation.state(); }, &set_state,
          "A copy of all that the next step depends on; assign it to go back.")
      .def_property_readonly(
          "control",
          [](const py::object& self) {
            return numbers(self.cast<Runner&>().simulation.control(), self);
          },
          "One per actuator; kept from step to step.")
      .def_property_readonly(
          "joint_forces",
          [](const py::object& self) {
            return numbers(self.cast<Runner&>().simulation.joint_forces(), self);
          },
          "One per velocity [N·m or N]; kept from step to step.")
      .def(
          "set_servos",
          [](Runner& r, double stiffness, double damping, const std::vector<std::string>& joints) {
            const auto hold = r.busy.hold();
            r.simulation.servos() =
                servos_of(r.simulation.model(), r.simulation.state(), joints, stiffness, damping);
          },
          py::arg("stiffness"), py::arg("damping"), py::arg("joints") = std::vector<std::string>{},
          "Springs and dampers that hold joints where they are, all of them or those named.")
      .def_property(
          "servo_targets",
          [](Runner& r) {
            Eigen::VectorXd targets(static_cast<Eigen::Index>(r.simulation.servos().size()));
            for (Eigen::Index k = 0; k < targets.size(); ++k) {
              targets[k] = r.simulation.servos()[static_cast<std::size_t>(k)].position_target;
            }
            return targets;
          },
          [](Runner& r, const Eigen::VectorXd& targets) {
            auto& servos = r.simulation.servos();
            if (static_cast<std::size_t>(targets.size()) != servos.size()) {
              refuse(fmt::format("{} targets were given, but there are {} servos", targets.size(),
                                 servos.size()));
            }
            for (std::size_t k = 0; k < servos.size(); ++k) {
              servos[k].position_target = targets[static_cast<Eigen::Index>(k)];
            }
          },
          "In the order of set_servos() (a copy; assign a whole array) [rad or m].")
      .def(
          "push",
          [](Runner& r, const std::string& body, const Eigen::Vector3d& force,
             const Eigen::Vector3d& torque, const Eigen::Vector3d& point) {
            const auto hold = r.busy.hold();
            r.simulation.push({body_of(r.simulation.model(), body), force, torque, point});
          },
          py::arg("body"), py::arg("force"), py::arg("torque") = Eigen::Vector3d(0, 0, 0),
          py::arg("point") = Eigen::Vector3d(0, 0, 0),
          "A force on a body in the next step, world axes; `point` is in the body.")
      .def(
          "reset",
          [](Runner& r, const std::string& keyframe) {
            const Model& model = r.simulation.model();
            if (keyframe.empty()) {
              set_state(r, model.initial_state());
              r.simulation.control().setZero();
              return;
            }
            const auto found = model.find_keyframe(keyframe);
            if (!found) {
              refuse(fmt::format("there is no keyframe '{}'; Model.keyframe_names lists them",
                                 keyframe));
            }
            set_state(r, model.keyframe_state(*found));
            r.simulation.control() = model.keyframes()[static_cast<std::size_t>(*found)].control;
          },
          py::arg("keyframe") = "", "To a keyframe, or to the initial state.")
      .def("step", &step, py::return_value_policy::reference_internal, "One step; its report.")
      .def("run", &run, py::arg("seconds"), py::return_value_policy::reference_internal,
           "As many steps as fit into a time [s]. Ends early if a step is refused.")
      .def_property_readonly(
          "report", [](Runner& r) -> const StepReport& { return r.simulation.report(); },
          py::return_value_policy::reference_internal)
      .def_property_readonly("counts", &counts, "Over all steps.")
      .def(
          "sensors",
          [](Runner& r) {
            const auto values = r.sensors.evaluate(r.simulation.model(), r.simulation.state(),
                                                   r.simulation.workspace(), r.simulation.report());
            return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
          },
          "Readings of all sensors after the last step (a copy).")
      .def(
          "sensor",
          [](Runner& r, const std::string& name) {
            r.sensors.evaluate(r.simulation.model(), r.simulation.state(), r.simulation.workspace(),
                               r.simulation.report());
            const auto values = r.sensors.reading(name);
            return py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data());
          },
          py::arg("name"), "Reading of one sensor (a copy).")
      .def(
          "record",
          [](Runner& r) {
            const auto hold = r.busy.hold();
            r.frames = std::make_unique<PageFrames>(PageOptions{1.0 / page_frame});
            r.keep(nullptr);
          },
          "Keeps the steps from now on for html() and show().")
      .def("html", &page, "The page that replays what was recorded, as text.")
      .def(
          "save_state",
          [](Runner& r, const std::string& file) {
            save_state(file, r.simulation.model(), r.simulation.state());
          },
          py::arg("file"))
      .def(
          "load_state",
          [](Runner& r, const std::string& file) {
            set_state(r, load_state(file, r.simulation.model()));
          },
          py::arg("file"));
}

}  // namespace stiction::python
