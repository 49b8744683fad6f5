#include "stiction/batch/batch.hpp"

#include <chrono>
#include <fmt/format.h>
#include <memory>

#include "python/source/bindings.hpp"

namespace stiction::python {

namespace {

struct Robots {
  Robots(const SourcedModel& made_of, int count, int threads, const StepOptions& options)
      : model(made_of),
        owned(std::make_unique<Batch>(made_of, count, options, threads)),
        batch(*owned) {
    batch.reset_randomly(made_of.start_keyframe(), {}, 0);
  }
  ~Robots() {
    // Its threads are those of another process: waiting for them would never end.
    if (!busy.is_of_this_process()) static_cast<void>(owned.release());
  }
  Robots(const Robots&) = delete;
  Robots& operator=(const Robots&) = delete;

  SourcedModel model;
  std::unique_ptr<Batch> owned;
  Batch& batch;
  Busy busy;
  bool has_servos = false, watches = false, scans = false;
};

/// Only booleans are a mask: an array of indices must not be read as one.
std::vector<std::uint8_t> mask_of(const py::object& mask) {
  if (mask.is_none()) return {};
  const auto array = py::array::ensure(mask);
  if (!array || !py::isinstance<py::array_t<bool>>(array)) {
    PyErr_Clear();
    throw py::type_error("the mask must be an array of bool, one per environment");
  }
  if (array.ndim() != 1) refuse("the mask must have one dimension");
  const py::array_t<bool, py::array::c_style | py::array::forcecast> row(array);
  std::vector<std::uint8_t> result(row.data(), row.data() + row.size());
  // An empty mask means all to the library; here it is one of the wrong length.
  if (result.empty()) refuse("the mask has no entries; give one per environment");
  return result;
}

py::ssize_t count_of(const Robots& robots) { return robots.batch.count(); }

template <class Numbers>
py::array rows(const py::object& self, Numbers numbers) {
  const py::ssize_t count = count_of(self.cast<Robots&>());
  return view(numbers, {count, static_cast<py::ssize_t>(numbers.size()) / count}, self);
}

template <class Numbers>
py::array column(const py::object& self, Numbers numbers) {
  return view(numbers, {count_of(self.cast<Robots&>())}, self);
}

/// A column whose bytes are shown as another type of the same size.
template <class Shown, class Number>
py::array column_as(const py::object& self, std::span<const Number> numbers) {
  static_assert(sizeof(Shown) == sizeof(Number));
  py::array_t<Shown> array({count_of(self.cast<Robots&>())},
                           reinterpret_cast<const Shown*>(numbers.data()), self);
  array.attr("flags").attr("writeable") = false;
  return array;
}

/// One field of the contact summaries: count × bodies (× 3).
template <class Value>
py::array summary_field(const py::object& self, const Value* first, py::ssize_t width) {
  const auto& robots = self.cast<const Robots&>();
  const auto summaries = robots.batch.contact_summaries();
  const py::ssize_t count = count_of(robots);
  const py::ssize_t bodies = static_cast<py::ssize_t>(summaries.size()) / count;
  const py::ssize_t size = sizeof(ContactSummary);
  std::vector<py::ssize_t> shape{count, bodies};
  std::vector<py::ssize_t> strides{bodies * size, size};
  if (width > 1) {
    shape.push_back(width);
    strides.push_back(sizeof(Value));
  }
  py::array_t<Value> array(shape, strides, first, self);
  array.attr("flags").attr("writeable") = false;
  return array;
}

const ContactSummary& first_summary(const py::object& self) {
  const auto summaries = self.cast<Robots&>().batch.contact_summaries();
  if (summaries.empty()) refuse("no bodies are watched; call watch_bodies() first");
  return summaries.front();
}

std::vector<double> factors_of(const Eigen::VectorXd& factors) {
  return {factors.data(), factors.data() + factors.size()};
}

/// Arrays that Python holds show the memory that a second call would replace.
void require_first(bool& done, const char* name) {
  if (done) {
    refuse(
        fmt::format("{} was called before, and arrays may still show what it made; make a new "
                    "Batch for another choice",
                    name));
  }
  done = true;
}

void set_servos(Robots& robots, double stiffness, double damping, const std::string& keyframe,
                const std::vector<std::string>& joints) {
  const auto hold = robots.busy.hold();
  const SourcedModel& model = robots.model;
  const State pose = keyframe.empty() ? robots.batch.state(0) : keyframe_of(model, keyframe);
  const auto servos = servos_of(model, pose, joints, stiffness, damping);
  require_first(robots.has_servos, "set_servos()");
  robots.batch.set_servos(servos);
}

void step(Robots& robots, int substeps, const py::object& mask) {
  const auto hold = robots.busy.hold();
  const std::vector<std::uint8_t> chosen = mask_of(mask);
  bool finished = false;
  {
    const py::gil_scoped_release release;
    finished = robots.batch.step(substeps, chosen, [] {
      const py::gil_scoped_acquire acquire;
      return PyErr_CheckSignals() == 0;
    });
  }
  if (!finished) throw py::error_already_set();
}

RandomSpread spread_of(const py::kwargs& keywords) {
  RandomSpread spread;
  const std::pair<const char*, double RandomSpread::*> known[] = {
      {"joint_position", &RandomSpread::joint_position},
      {"joint_velocity", &RandomSpread::joint_velocity},
      {"base_position", &RandomSpread::base_position},
      {"base_height", &RandomSpread::base_height},
      {"base_yaw", &RandomSpread::base_yaw},
      {"base_velocity", &RandomSpread::base_velocity},
      {"base_turning", &RandomSpread::base_turning}};
  for (const auto& [key, value] : keywords) {
    const auto name = key.cast<std::string>();
    bool found = false;
    for (const auto& [word, member] : known) {
      if (name != word) continue;
      if (!PyNumber_Check(value.ptr()) || py::isinstance<py::array>(value)) {
        throw py::type_error(fmt::format(
            "{} is one number for all: how far starts spread; write into q for positions", name));
      }
      spread.*member = value.cast<double>();
      found = true;
    }
    if (!found) throw py::type_error(fmt::format("there is no spread '{}'", name));
  }
  return spread;
}

std::uint64_t seed_of(const py::object& given) {
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
  const std::uint64_t seed = number ? PyLong_AsUnsignedLongLong(number.ptr()) : 0;
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(fmt::format("seed is {}; give a whole number from 0 to 2**64 - 1",
                       py::repr(given).cast<std::string>()));
  }
  return seed;
}

void reset(Robots& robots, const std::string& keyframe, const py::object& given_seed,
           const py::object& mask, const py::kwargs& spread) {
  const std::uint64_t seed = seed_of(given_seed);
  const auto hold = robots.busy.hold();
  const std::string& start = keyframe.empty() ? robots.model.start_keyframe() : keyframe;
  robots.batch.reset_randomly(start, spread_of(spread), seed, mask_of(mask));
}

/// Wall time [s] of calls of step() by C++ alone, to compare with those from Python.
double time_steps(Robots& robots, int calls, int substeps) {
  const auto hold = robots.busy.hold();
  const py::gil_scoped_release release;
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < calls; ++k) robots.batch.step(substeps);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

void add_batch(py::module_& module) {
  module.def("_time_steps", &time_steps, py::arg("batch"), py::arg("calls"), py::arg("substeps"),
             "For bench/python_overhead.py.");
  py::class_<Robots> type(
      module, "Batch",
      "Many environments of one structure, stepped together on several threads. Arrays have one "
      "row "
      "per environment and show the batch's own memory: write into them. An environment has the "
      "bits of that robot alone. One that cannot go on is frozen and says why, until it is reset.");
  type.def(
      py::init([](const SourcedModel& model, int count, int threads, const py::kwargs& options) {
        return std::make_unique<Robots>(model, count, threads, options_of(options));
      }),
      py::arg("model"), py::arg("count"), py::arg("threads") = 0,
      "Other keywords are options of the step, as of Simulation. 0 threads: all cores.");
  type.def("__len__", [](const Robots& r) { return r.batch.count(); });
  type.def_property_readonly(
      "model", [](const Robots& r) { return r.model; }, "That the batch was made of.");
  type.def(
      "set_model",
      [](Robots& r, int environment, const SourcedModel& model) {
        const auto hold = r.busy.hold();
        if (!model.has_structure_of(r.batch.model())) {
          refuse("the model has another structure; change a copy of Batch.model");
        }
        r.batch.model(environment) = model;
      },
      py::arg("environment"), py::arg("model"), "Gives one environment other numbers.");
  type.def_property_readonly("threads", [](const Robots& r) { return r.batch.threads(); });
  type.def_property_readonly("time_step", [](const Robots& r) { return r.batch.time_step(); });

  const auto add_rows = [&](const char* name, auto numbers, const char* text) {
    type.def_property_readonly(
        name,
        [numbers](const py::object& self) {
          return rows(self, (self.cast<Robots&>().batch.*numbers)());
        },
        text);
  };
  using Numbers = std::span<double> (Batch::*)();
  add_rows("q", static_cast<Numbers>(&Batch::positions), "count × positions");
  add_rows("v", static_cast<Numbers>(&Batch::velocities), "count × velocities");
  add_rows("control", static_cast<Numbers>(&Batch::controls), "count × actuators");
  add_rows("joint_forces", static_cast<Numbers>(&Batch::joint_forces),
           "count × velocities [N·m or N]");
  add_rows("servo_targets", &Batch::servo_targets, "count × servos [rad or m]");
  add_rows("servo_velocity_targets", &Batch::servo_velocity_targets, "count × servos");
  add_rows("servo_stiffness", &Batch::servo_stiffness, "count × servos: kp");
  add_rows("servo_damping", &Batch::servo_damping, "count × servos: kd");
  add_rows("servo_feed_forward", &Batch::servo_feed_forward, "count × servos [N·m or N]");
  add_rows("sensors", &Batch::sensors, "count × numbers; after read_sensors()");
  add_rows("heights", &Batch::heights,
           "count × points: height of the ground below each point of set_height_scan() [m]");
  type.def_property_readonly(
      "time",
      [](const py::object& self) { return column(self, self.cast<Robots&>().batch.times()); },
      "[s]");
  type.def_property_readonly(
      "residual",
      [](const py::object& self) { return column(self, self.cast<Robots&>().batch.residuals()); },
      "Worst certificate of the last call of step().");
  type.def_property_readonly(
      "iterations",
      [](const py::object& self) { return column(self, self.cast<Robots&>().batch.iterations()); },
      "Of the solver in the last call of step().");
  type.def_property_readonly(
      "contacts",
      [](const py::object& self) { return column(self, self.cast<Robots&>().batch.contacts()); },
      "That press.");
  type.def_property_readonly(
      "status",
      [](const py::object& self) {
        return column_as<std::int32_t>(self, self.cast<Robots&>().batch.statuses());
      },
      "0 ok, 1 not certified, 2 energy grew, 3 refused, 4 diverged.");
  type.def_property_readonly(
      "frozen",
      [](const py::object& self) {
        return column_as<bool>(self, self.cast<Robots&>().batch.frozen());
      },
      "Which environments cannot go on before they are reset.");
  type.def_property_readonly(
      "contact_force",
      [](const py::object& self) {
        return summary_field<double>(self, &first_summary(self).force.x, 3);
      },
      "count × watched bodies × 3: of all contacts on each body, world axes [N].");
  type.def_property_readonly(
      "contact_slip",
      [](const py::object& self) {
        return summary_field<double>(self, &first_summary(self).slip_speed, 1);
      },
      "count × watched bodies: the fastest slip of contacts that press [m/s].");
  type.def_property_readonly(
      "touching",
      [](const py::object& self) {
        return summary_field<std::int32_t>(self, &first_summary(self).touching, 1);
      },
      "count × watched bodies: contacts that press.");

  type.def(
      "set_servos", &set_servos, py::arg("stiffness"), py::arg("damping"), py::arg("keyframe") = "",
      py::arg("joints") = std::vector<std::string>{},
      "Springs and dampers on joints of all environments, all joints or those named. They hold "
      "the pose of the keyframe at first.");
  type.def(
      "push",
      [](Robots& r, int environment, const std::string& body, const Eigen::Vector3d& force,
         const Eigen::Vector3d& torque) {
        const auto hold = r.busy.hold();
        r.batch.push(environment, {body_of(r.batch.model(), body), force, torque});
      },
      py::arg("environment"), py::arg("body"), py::arg("force"),
      py::arg("torque") = Eigen::Vector3d(0, 0, 0),
      "A force on a body during the next call of step(), world axes.");
  type.def(
      "watch_bodies",
      [](Robots& r, const std::vector<std::string>& names) {
        const auto hold = r.busy.hold();
        std::vector<int> bodies;
        for (const std::string& name : names) bodies.push_back(body_of(r.batch.model(), name));
        if (bodies.empty()) refuse("no bodies are named; give those to watch");
        require_first(r.watches, "watch_bodies()");
        r.batch.watch_bodies(bodies);
      },
      py::arg("names"), "Bodies for contact_force, contact_slip and touching, such as feet.");
  type.def(
      "read_sensors",
      [](Robots& r) {
        const auto hold = r.busy.hold();
        if (r.batch.sensor_size() == 0) r.batch.read_sensors(true);
      },
      "From now on the Model's sensors are read after each call of step().");
  type.def(
      "set_height_scan",
      [](Robots& r, const std::string& body,
         const Eigen::Matrix<double, Eigen::Dynamic, 3>& points) {
        const auto hold = r.busy.hold();
        const int index = body_of(r.batch.model(), body);
        if (points.rows() == 0) refuse("no points are given; give n × 3 numbers");
        std::vector<Eigen::Vector3d> list;
        for (Eigen::Index k = 0; k < points.rows(); ++k) {
          if (!points.row(k).allFinite()) refuse(fmt::format("points[{}] is not finite", k));
          list.push_back(points.row(k));
        }
        require_first(r.scans, "set_height_scan()");
        r.batch.set_height_scan(index, list);
      },
      py::arg("body"), py::arg("points"),
      "Points (n × 3) in the frame of a body that turn with it about the vertical alone.");
  type.def(
      "scan_heights",
      [](Robots& r) {
        const auto hold = r.busy.hold();
        r.batch.scan_heights();
      },
      "Reads the heights at the positions of now, such as after a reset.");
  const auto add_scale = [&](const char* name, auto scale, const char* text) {
    type.def(
        name,
        [scale](Robots& r, const Eigen::VectorXd& factors) {
          const auto hold = r.busy.hold();
          scale(r.batch, factors_of(factors));
        },
        py::arg("factors"), text);
  };
  add_scale(
      "scale_masses", [](Batch& b, const auto& f) { b.scale_masses(f); },
      "Masses and inertias of the model, times a factor per environment.");
  add_scale(
      "scale_friction", [](Batch& b, const auto& f) { b.scale_friction(f); },
      "Friction of all materials of the model, times a factor per environment.");
  add_scale(
      "scale_joint_damping", [](Batch& b, const auto& f) { b.scale_joint_damping(f); },
      "Damping of all joints of the model, times a factor per environment.");
  add_scale(
      "scale_gains", [](Batch& b, const auto& f) { b.scale_gains(f); },
      "Gains of all actuators of the model, times a factor per environment.");
  type.def("step", &step, py::arg("substeps") = 1, py::arg("mask") = py::none(),
           "Steps all environments, or those of a mask, several times with the same inputs.");
  type.def("reset", &reset, py::arg("keyframe") = "", py::arg("seed") = 0,
           py::arg("mask") = py::none(),
           "To a keyframe or to where the model starts, all environments or those of a mask. With "
           "a spread (joint_position=0.1, base_yaw=3.1, …) each starts somewhere around it, by the "
           "seed, its index and the number of its resets before: a second call with the same seed "
           "gives other starts, and a new Batch the same ones.");
  type.def(
      "state",
      [](const Robots& r, int environment) {
        r.busy.require_idle();
        return OwnedState{r.batch.state(environment), r.model.identity()};
      },
      py::arg("environment"), "A copy of all that its next step depends on.");
  type.def(
      "set_state",
      [](Robots& r, int environment, const OwnedState& state) {
        const auto hold = r.busy.hold();
        require_fit(*r.model.identity(), state);
        r.batch.set_state(environment, state);
      },
      py::arg("environment"), py::arg("state"), "Sets it, and wakes the environment.");
  type.def(
      "hash",
      [](const Robots& r) {
        r.busy.require_idle();
        return r.batch.hash();
      },
      "Of the bits of all states.");
  type.def(
      "fault",
      [](const Robots& r, int environment) {
        r.busy.require_idle();
        return std::string(r.batch.fault(environment));
      },
      py::arg("environment"), "Why it is frozen; empty if it is not.");
  type.def_property_readonly(
      "counts",
      [](const Robots& r) {
        r.busy.require_idle();
        return dict_of(r.batch.counts());
      },
      "Over all steps of all environments.");
}

}  // namespace stiction::python
