#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "apps/stiction/overlap_warnings.hpp"
#include "apps/stiction/scene_run_ground.hpp"
#include "python/source/bindings.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/io/load.hpp"
#include "stiction/io/near_words.hpp"
#include "stiction/io/xml.hpp"

namespace stiction::python {

namespace {

namespace fs = std::filesystem;

/// The file, or the built-in robot or scene of this name.
fs::path path_of(const std::string& name) {
  if (fs::is_regular_file(name)) return fs::absolute(name);
  const fs::path folder = models_folder();
  for (const fs::path& place : {folder / "scenes", folder}) {
    for (const char* ending : {".xml", ".urdf"}) {
      if (fs::exists(place / (name + ending))) return place / (name + ending);
    }
  }
  return name;
}

/// Names of built-in robots and scenes, in the order of the alphabet.
std::vector<std::string> model_names() {
  std::vector<std::string> names;
  const fs::path folder = models_folder();
  for (const fs::path& place : {folder, folder / "scenes"}) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
      const std::string ending = entry.path().extension().string();
      if (ending == ".urdf" || ending == ".xml") names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// A name without folder that is no file is a mistyped one of these.
void require_file(const std::string& given, const std::string& file) {
  std::error_code error;
  if (fs::exists(file, error) || fs::path(given).has_parent_path()) return;
  const std::vector<std::string> names = model_names();
  const std::vector<std::string_view> known(names.begin(), names.end());
  ProblemList problems;
  problems.error({given, 0, ""}, "there is no such file",
                 suggestion(given, known,
                            "check the path, or use a built-in robot or scene: "
                            "stiction.model_names() lists them"));
  throw InputError(std::move(problems));
}

std::string path_in(const py::object& path) {
  return py::module_::import("os").attr("fspath")(path).cast<std::string>();
}

std::string absolute_in(const py::object& path) {
  return path.is_none() ? "" : fs::absolute(path_in(path)).string();
}

/// Keywords that load() and load_text() share.
ModelSource source_of(const py::object& srdf, const std::string& base,
                      const std::vector<py::object>& package_folders) {
  if (base != "automatic" && base != "floating" && base != "fixed") {
    refuse(fmt::format("base is '{}'; choose from automatic, floating, fixed", base));
  }
  ModelSource source;
  source.srdf = absolute_in(srdf);
  source.base = base;
  for (const py::object& folder : package_folders) source.packages.push_back(absolute_in(folder));
  return source;
}

LoadOptions load_options_of(const ModelSource& source) {
  LoadOptions options;
  options.package_folders.assign(source.packages.begin(), source.packages.end());
  if (!source.srdf.empty()) options.srdf = source.srdf;
  if (source.base == "floating") options.base = BaseKind::floating;
  if (source.base == "fixed") options.base = BaseKind::fixed;
  options.strict = source.strict;
  options.keep_inertias = source.keep_inertias;
  return options;
}

LoadedModel load_as_told(const ModelSource& source) {
  const LoadOptions options = load_options_of(source);
  if (!source.file.empty()) {
    return source.ground ? load_on_ground(source.file, options) : load_model(source.file, options);
  }
  return source.ground ? load_text_on_ground(source.text, "text", source.folder, options)
                       : load_model_text(source.text, "text", source.folder, options);
}

/// Also a xacro template.
bool is_urdf(const ModelSource& source) {
  const XmlFile file =
      source.file.empty() ? XmlFile(source.text, "text") : XmlFile(fs::path(source.file));
  return std::string_view(file.root().name()) == "robot";
}

/// As `stiction simulate` does, so that both have the same physics.
void leave_out_overlaps(const ModelSource& source, bool urdf, LoadedModel& loaded) {
  const Model& model = loaded.model;
  const State start = model.keyframes().empty() ? model.initial_state() : model.keyframe_state(0);
  const std::string text = urdf ? "text.urdf" : "text";
  stiction::leave_out_overlaps(source.file.empty() ? text : source.file, start, few_overlaps,
                               loaded, "keep_overlaps=True");
}

void warn(const ProblemList& problems) {
  for (const Problem& problem : problems.all()) {
    if (problem.severity != Severity::warning) continue;
    if (PyErr_WarnEx(PyExc_UserWarning, to_string(problem).c_str(), 1) != 0) {
      throw py::error_already_set();
    }
  }
}

SourcedModel load(const py::object& file, bool ground, const py::object& srdf,
                  const std::string& base, const std::vector<py::object>& package_folders,
                  bool strict, bool keep_inertias, bool keep_overlaps) {
  ModelSource source = source_of(srdf, base, package_folders);
  const std::string name = path_in(file);
  source.file = path_of(name).string();
  require_file(name, source.file);
  source.ground = ground;
  source.strict = strict;
  source.keep_inertias = keep_inertias;
  source.keep_overlaps = keep_overlaps;
  return read_model(std::move(source));
}

SourcedModel load_text(const std::string& text, const py::object& folder, bool ground,
                       const py::object& srdf, const std::string& base,
                       const std::vector<py::object>& package_folders, bool strict,
                       bool keep_inertias, bool keep_overlaps) {
  ModelSource source = source_of(srdf, base, package_folders);
  source.text = text;
  source.folder = path_in(folder);
  source.ground = ground;
  source.strict = strict;
  source.keep_inertias = keep_inertias;
  source.keep_overlaps = keep_overlaps;
  return read_model(std::move(source));
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

py::tuple model_tuple(const SourcedModel& model) {
  const ModelSource& source = model.source();
  py::list changes;
  for (const auto& [key, numbers] : model.changes()) {
    changes.append(py::make_tuple(key.first, key.second, numbers));
  }
  return py::make_tuple(source.file, source.text, source.folder, source.ground, source.srdf,
                        source.base, source.packages, source.strict, source.keep_inertias,
                        source.keep_overlaps, model.fingerprint(), changes);
}

SourcedModel model_of(const py::tuple& parts) {
  if (parts.size() != 12) refuse("this is not a pickled Model");
  SourcedModel model = read_model({.file = parts[0].cast<std::string>(),
                                   .text = parts[1].cast<std::string>(),
                                   .folder = parts[2].cast<std::string>(),
                                   .ground = parts[3].cast<bool>(),
                                   .srdf = parts[4].cast<std::string>(),
                                   .base = parts[5].cast<std::string>(),
                                   .packages = parts[6].cast<std::vector<std::string>>(),
                                   .strict = parts[7].cast<bool>(),
                                   .keep_inertias = parts[8].cast<bool>(),
                                   .keep_overlaps = parts[9].cast<bool>()},
                                  true);
  if (model.fingerprint() != parts[10].cast<std::uint64_t>()) {
    refuse(fmt::format("{} has changed since the model was pickled; load it anew",
                       model.source().file.empty() ? "a mesh of the text" : model.source().file));
  }
  for (const py::handle& change : parts[11].cast<py::list>()) {
    const auto [what, name, numbers] =
        change.cast<std::tuple<std::string, std::string, std::vector<double>>>();
    model.change(what, name, numbers);
  }
  return model;
}

std::string describe(const Model& model) {
  return fmt::format("<stiction.Model '{}': {} bodies, {} positions, {} velocities, {} actuators>",
                     model.name(), model.body_count(), model.position_count(),
                     model.velocity_count(), model.actuators().size());
}

/// What the model consists of, by name.
template <class Class>
void add_names(Class& type) {
  type.def_property_readonly(
          "body_names", [](const SourcedModel& m) { return body_names(m); },
          "Bodies, in the order of their indices. The world has none: body_name(-1) is 'world'.")
      .def(
          "body_name",
          [](const SourcedModel& m, int body) -> std::string {
            if (body == world_body) return "world";
            if (body < 0 || body >= m.body_count()) {
              refuse(fmt::format("there is no body {}; give -1 (the world) to {}", body,
                                 m.body_count() - 1));
            }
            return std::string(m.body_name(body));
          },
          py::arg("body"), "Of an index, such as Contact.body_a; -1 is 'world'.")
      .def_property_readonly("joint_names",
                             [](const SourcedModel& m) { return names_of(m.joints()); })
      .def_property_readonly("actuator_names",
                             [](const SourcedModel& m) { return names_of(m.actuators()); })
      .def_property_readonly("sensor_names",
                             [](const SourcedModel& m) { return names_of(m.sensors()); })
      .def_property_readonly(
          "frame_names", [](const SourcedModel& m) { return names_of(m.frames()); },
          "Links of the file, also merged ones, and sites.")
      .def_property_readonly("keyframe_names",
                             [](const SourcedModel& m) { return names_of(m.keyframes()); })
      .def_property_readonly("material_names",
                             [](const SourcedModel& m) { return names_of(m.materials()); })
      .def_property_readonly(
          "parents",
          [](const SourcedModel& m) {
            std::vector<int> parents;
            for (int i = 0; i < m.body_count(); ++i) parents.push_back(m.parent(i));
            return parents;
          },
          "Index of the body that carries each body; -1 is the world.");
}

/// Where the numbers of a joint are.
template <class Class>
void add_joints(Class& type) {
  type.def(
          "joint_position_index",
          [](const SourcedModel& m, const std::string& name) {
            return joint_of(m, name).position_index;
          },
          py::arg("joint"), "First entry of a joint in q.")
      .def(
          "joint_velocity_index",
          [](const SourcedModel& m, const std::string& name) {
            return joint_of(m, name).velocity_index;
          },
          py::arg("joint"), "First entry of a joint in v.")
      .def(
          "joint_kind",
          [](const SourcedModel& m, const std::string& name) {
            return std::string(to_string(joint_of(m, name).kind));
          },
          py::arg("joint"), "revolute, prismatic, floating, …")
      .def(
          "joint_limits",
          [](const SourcedModel& m, const std::string& name) {
            const JointLimits& limits = joint_of(m, name).limits;
            return std::pair(limits.lower, limits.upper);
          },
          py::arg("joint"), "Lower and upper [rad or m].")
      .def(
          "joint_effort",
          [](const SourcedModel& m, const std::string& name) {
            return joint_of(m, name).limits.effort;
          },
          py::arg("joint"), "Largest torque or force of the joint's drive [N·m or N].")
      .def(
          "body_mass",
          [](const SourcedModel& m, const std::string& name) {
            return m.body_inertia(body_of(m, name)).mass;
          },
          py::arg("body"), "[kg]");
}

/// Numbers that can be changed.
template <class Class>
void add_changes(Class& type) {
  const auto add = [&type](const char* name, const char* what, const char* of, const char* number,
                           const char* text) {
    type.def(
        name,
        [what = std::string(what)](SourcedModel& m, const std::string& of_what, double value) {
          m.change(what, of_what, {value});
        },
        py::arg(of), py::arg(number), text);
  };
  add("set_body_mass", "body_mass", "body", "mass", "Mass [kg]; the inertia grows with it.");
  add("set_joint_damping", "joint_damping", "joint", "damping", "[N·m·s/rad or N·s/m]");
  add("set_joint_friction", "joint_friction", "joint", "friction", "Coulomb friction [N·m or N].");
  add("set_joint_armature", "joint_armature", "joint", "armature", "[kg·m² or kg]");
  add("set_joint_stiffness", "joint_stiffness", "joint", "stiffness",
      "Of the joint's spring [N·m/rad or N/m].");
  type.def(
          "set_friction",
          [](SourcedModel& m, double friction, const std::string& material) {
            m.change("friction", material, {friction});
          },
          py::arg("friction"), py::arg("material") = "",
          "Coefficient of a material, or of all of them.")
      .def(
          "set_actuator_gains",
          [](SourcedModel& m, const std::string& actuator, std::array<double, 3> gain,
             std::array<double, 3> bias) {
            m.change("actuator_gains", actuator,
                     {gain[0], gain[1], gain[2], bias[0], bias[1], bias[2]});
          },
          py::arg("actuator"), py::arg("gain"), py::arg("bias"),
          "force = (gain · (1, length, velocity)) control + bias · (1, length, velocity).")
      .def_property(
          "gravity", [](const SourcedModel& m) { return frozen(Eigen::Vector3d(m.gravity())); },
          [](SourcedModel& m, const Eigen::Vector3d& g) {
            m.change("gravity", "", {g.x(), g.y(), g.z()});
          },
          "[m/s²] (a copy that cannot be written to; assign a whole array)");
}

}  // namespace

SourcedModel read_model(ModelSource source, bool again) {
  // Hulls of large meshes take seconds, in which other threads go on.
  auto release = std::make_optional<py::gil_scoped_release>();
  LoadedModel loaded = load_as_told(source);
  const bool urdf = is_urdf(source);
  if (!source.keep_overlaps) leave_out_overlaps(source, urdf, loaded);
  release.reset();
  if (!again) warn(loaded.problems);
  // Where load() has put the robot; a scene may have a keyframe of this name as well.
  const bool stands = urdf && source.ground && loaded.model.find_keyframe("on_ground");
  return {std::move(loaded.model), std::move(source), stands ? "on_ground" : ""};
}

int body_of(const Model& model, const std::string& name) {
  if (const auto found = model.find_body(name)) return *found;
  refuse_name("body", name, body_names(model));
}

OwnedState keyframe_of(const SourcedModel& model, const std::string& name) {
  const std::string& chosen = name.empty() ? model.start_keyframe() : name;
  if (chosen.empty()) return {model.initial_state(), model.identity()};
  if (const auto found = model.find_keyframe(chosen)) {
    return {model.keyframe_state(*found), model.identity()};
  }
  refuse_name("keyframe", chosen, names_of(model.keyframes()));
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

void add_model(py::module_& module) {
  py::class_<SourcedModel> type(
      module, "Model",
      "Robots and scene: everything that stays while time passes. Made by load() or load_text(). A "
      "handle: copies are cheap and change apart. Pickled by its file and its changes.");
  type.def_property_readonly("name", &SourcedModel::name)
      .def_property_readonly("body_count", &SourcedModel::body_count)
      .def_property_readonly("position_count", &SourcedModel::position_count, "Entries of q.")
      .def_property_readonly("velocity_count", &SourcedModel::velocity_count, "Entries of v.")
      .def_property_readonly("actuator_count",
                             [](const SourcedModel& m) { return m.actuators().size(); })
      .def_property_readonly("time_step", &SourcedModel::time_step, "As given in the file [s].")
      .def_property_readonly("total_mass", &SourcedModel::total_mass, "[kg]")
      .def_property_readonly(
          "file", [](const SourcedModel& m) { return m.source().file; },
          "That it was loaded from; empty: from a text.")
      .def(
          "initial_state", [](const SourcedModel& m) { return keyframe_of(m, ""); },
          "Initial positions at rest. A floating URDF robot with a ground stands on it.")
      .def(
          "keyframe", [](const SourcedModel& m, const std::string& n) { return keyframe_of(m, n); },
          py::arg("name"), "State of a keyframe.")
      .def("__copy__", [](const SourcedModel& m) { return m; })
      .def(
          "__deepcopy__", [](const SourcedModel& m, const py::dict&) { return m; }, py::arg("memo"))
      .def(py::pickle(&model_tuple, &model_of))
      .def("__repr__", [](const SourcedModel& m) { return describe(m); });
  add_names(type);
  add_joints(type);
  add_changes(type);

  const std::vector<py::object> none;
  module.def("load", &load, py::arg("file"), py::arg("ground") = true, py::kw_only(),
             py::arg("srdf") = py::none(), py::arg("base") = "automatic",
             py::arg("package_folders") = none, py::arg("strict") = false,
             py::arg("keep_inertias") = false, py::arg("keep_overlaps") = false,
             "Reads a URDF or MJCF file, or the built-in robot or scene of this name. A URDF robot "
             "gets a ground plane, unless `ground` is false; if it floats, it starts standing on "
             "it, in the keyframe `on_ground`. Links of one robot that overlap where it starts do "
             "not collide, unless `keep_overlaps` is true. `srdf` (a file), `base` (automatic, "
             "floating or fixed), `package_folders`, `strict` and `keep_inertias` are those of "
             "`stiction simulate`. What is unusual is a Python warning; what is wrong is an "
             "InputError.");
  module.def("load_text", &load_text, py::arg("text"), py::arg("folder") = "",
             py::arg("ground") = true, py::kw_only(), py::arg("srdf") = py::none(),
             py::arg("base") = "automatic", py::arg("package_folders") = none,
             py::arg("strict") = false, py::arg("keep_inertias") = false,
             py::arg("keep_overlaps") = false,
             "The same for the text of a file; `folder` is where its meshes are.");
  module.def("model_names", &model_names, "Of the built-in robots and scenes, for load().");
  module.def(
      "models_folder", [] { return models_folder().string(); },
      "Where the built-in robots and scenes are.");
}

}  // namespace stiction::python
