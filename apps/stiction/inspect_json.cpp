#include <cmath>

#include "apps/stiction/inspect.hpp"
#include "stiction/model/contact_material.hpp"

namespace stiction {

namespace {

using json = nlohmann::ordered_json;

/// JSON has no infinity; null stands for "no limit".
json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json vector(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

json pose(const Eigen::Isometry3d& pose) {
  const Eigen::Quaterniond q(pose.linear());
  return {{"position", vector(pose.translation())}, {"quat_xyzw", {q.x(), q.y(), q.z(), q.w()}}};
}

json values(const Eigen::VectorXd& numbers) {
  return std::vector<double>(numbers.data(), numbers.data() + numbers.size());
}

/// Null stands for the world.
json body_name(const Model& model, int body) {
  return body < 0 ? json(nullptr) : json(model.body_name(body));
}

json bodies(const Model& model) {
  json list = json::array();
  for (int i = 0; i < model.body_count(); ++i) {
    const BodyInertia& inertia = model.body_inertia(i);
    const Eigen::Matrix3d& m = inertia.inertia;
    list.push_back({{"name", model.body_name(i)},
                    {"parent", body_name(model, model.parent(i))},
                    {"joint", model.joint(i).name},
                    {"mass", inertia.mass},
                    {"center_of_mass", vector(inertia.center_of_mass)},
                    {"inertia", {vector(m.row(0)), vector(m.row(1)), vector(m.row(2))}},
                    {"principal_inertia", vector(principal_inertia(inertia))}});
  }
  return list;
}

json joints(const Model& model) {
  json list = json::array();
  const ModelParameters& parameters = model.parameters();
  for (int i = 0; i < model.body_count(); ++i) {
    const Joint& joint = model.joint(i);
    list.push_back({{"name", joint.name},
                    {"kind", to_string(joint.kind)},
                    {"body", model.body_name(i)},
                    {"parent", body_name(model, model.parent(i))},
                    {"pose_in_parent", pose(model.joint_pose(i))},
                    {"axis", vector(model.joint_axis(i))},
                    {"lower", number(joint.limits.lower)},
                    {"upper", number(joint.limits.upper)},
                    {"velocity", number(joint.limits.velocity)},
                    {"effort", number(joint.limits.effort)},
                    {"damping", parameters.damping[joint.velocity_index]},
                    {"friction", parameters.friction[joint.velocity_index]},
                    {"armature", parameters.armature[joint.velocity_index]},
                    {"stiffness", parameters.stiffness[i]},
                    {"kinematic", joint.kinematic},
                    {"position_index", joint.position_index},
                    {"velocity_index", joint.velocity_index}});
  }
  return list;
}

json shapes(const Model& model) {
  json list = json::array();
  for (const Shape& shape : model.shapes()) {
    const Material& material = model.materials()[static_cast<std::size_t>(shape.material)];
    json entry{{"name", shape.name},
               {"kind", to_string(shape.kind)},
               {"body", body_name(model, shape.body)},
               {"size", vector(shape.size)},
               {"pose", pose(shape.pose)},
               {"collides", shape.collides},
               {"visible", shape.visible},
               {"color", shape.color},
               {"friction",
                {{"slide", material.friction},
                 {"spin", material.spin_friction},
                 {"roll", material.roll_friction},
                 {"dimensions", friction_dimensions(material)}}}};
    if (shape.mesh >= 0) {
      const Mesh& mesh = model.meshes()[static_cast<std::size_t>(shape.mesh)];
      entry["mesh"] = {{"file", mesh.file},
                       {"vertices", mesh.vertices.size()},
                       {"triangles", mesh.triangles.size()},
                       {"hull_vertices", mesh.hull_vertices.size()}};
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::size_t index_of(int number) { return static_cast<std::size_t>(number); }

std::string_view word_of(ActuatorDynamics dynamics) {
  constexpr std::array<std::string_view, 5> words{"none", "integrator", "filter", "filter_exact",
                                                  "muscle"};
  return words[static_cast<std::size_t>(dynamics)];
}

json actuators(const Model& model) {
  json list = json::array();
  for (const Actuator& actuator : model.actuators()) {
    json entry{{"name", actuator.name},  {"kind", to_string(actuator.kind)},
               {"gear", actuator.gear},  {"gain", actuator.gain},
               {"bias", actuator.bias},  {"control_range", nullptr},
               {"force_range", nullptr}, {"joint", nullptr}};
    if (actuator.joint >= 0) entry["joint"] = model.joint(actuator.joint).name;
    if (actuator.tendon >= 0) {
      entry["tendon"] = model.tendons()[index_of(actuator.tendon)].name;
    }
    if (actuator.frame >= 0) entry["site"] = model.frames()[index_of(actuator.frame)].name;
    if (actuator.reference >= 0) {
      entry["reference_site"] = model.frames()[index_of(actuator.reference)].name;
    }
    if (actuator.rod > 0.0) entry["crank_length"] = actuator.rod;
    if (actuator.adheres) entry["adhesive_shapes"] = actuator.shapes;
    if (actuator.dynamics != ActuatorDynamics::none) {
      entry["dynamics"] = word_of(actuator.dynamics);
      entry["dynamics_values"] = actuator.dynamics_values;
    }
    if (actuator.activation_limited) entry["activation_range"] = actuator.activation_range;
    if (actuator.muscle_gain || actuator.muscle_bias) entry["length_range"] = actuator.length_range;
    if (!actuator.enabled) entry["enabled"] = false;
    if (actuator.control_limited) entry["control_range"] = actuator.control_range;
    if (actuator.force_limited) entry["force_range"] = actuator.force_range;
    list.push_back(std::move(entry));
  }
  return list;
}

/// Null for none.
json tendon_name(const Model& model, int tendon) {
  if (tendon < 0) return nullptr;
  return model.tendons()[static_cast<std::size_t>(tendon)].name;
}

json tendons(const Model& model) {
  json list = json::array();
  for (std::size_t i = 0; i < model.tendons().size(); ++i) {
    const Tendon& tendon = model.tendons()[i];
    json pullers = json::array();
    for (const Actuator& actuator : model.actuators()) {
      if (actuator.tendon == static_cast<int>(i)) pullers.push_back(actuator.name);
    }
    json joints = json::array();
    for (const Tendon::Term& term : tendon.terms) joints.push_back(model.joint(term.joint).name);
    list.push_back({{"name", tendon.name},
                    {"kind", tendon.kind == Tendon::Kind::fixed ? "fixed" : "spatial"},
                    {"joints", joints},
                    {"path_elements", tendon.path.size()},
                    {"initial_length", tendon.initial_length},
                    {"lower", number(tendon.limits[0])},
                    {"upper", number(tendon.limits[1])},
                    {"stiffness", tendon.stiffness},
                    {"damping", tendon.damping},
                    {"friction", tendon.friction},
                    {"spring_range", tendon.spring_range},
                    {"actuators", pullers}});
  }
  return list;
}

json frames(const Model& model) {
  json list = json::array();
  for (const Frame& frame : model.frames()) {
    list.push_back({{"name", frame.name},
                    {"kind", frame.kind == Frame::Kind::site ? "site" : "link"},
                    {"body", body_name(model, frame.body)},
                    {"pose", pose(frame.pose)}});
  }
  return list;
}

json couplings(const Model& model) {
  json list = json::array();
  for (const Coupling& coupling : model.couplings()) {
    json entry{{"name", coupling.name}, {"mimic", coupling.mimic}, {"active", coupling.active}};
    if (coupling.kind == Coupling::Kind::joint) {
      entry["kind"] = "joint";
      entry["joint_a"] = model.joint(coupling.joint_a).name;
      entry["joint_b"] =
          coupling.joint_b < 0 ? json(nullptr) : json(model.joint(coupling.joint_b).name);
      entry["coefficients"] = coupling.coefficients;
    } else if (coupling.kind == Coupling::Kind::tendon) {
      entry["kind"] = "tendon";
      entry["tendon_a"] = tendon_name(model, coupling.tendon_a);
      entry["tendon_b"] = tendon_name(model, coupling.tendon_b);
      entry["coefficients"] = coupling.coefficients;
    } else {
      entry["kind"] = coupling.kind == Coupling::Kind::weld ? "weld" : "connect";
      entry["body_a"] = body_name(model, coupling.body_a);
      entry["body_b"] = body_name(model, coupling.body_b);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

nlohmann::ordered_json problems_json(const ProblemList& problems) {
  json list = json::array();
  for (const Problem& problem : problems.all()) {
    list.push_back({{"severity", to_string(problem.severity)},
                    {"file", problem.source.file},
                    {"line", problem.source.line > 0 ? json(problem.source.line) : json(nullptr)},
                    {"element", problem.source.element},
                    {"what", problem.what},
                    {"remedy", problem.remedy}});
  }
  return list;
}

nlohmann::ordered_json inspect_json(const std::string& file, const LoadedModel& loaded) {
  const Model& model = loaded.model;
  json sensors = json::array();
  for (const Sensor& sensor : model.sensors()) {
    sensors.push_back(
        {{"name", sensor.name}, {"kind", to_string(sensor.kind)}, {"type", sensor.type}});
  }
  json keyframes = json::array();
  for (const Keyframe& key : model.keyframes()) {
    keyframes.push_back(
        {{"name", key.name}, {"time", key.time}, {"q", values(key.q)}, {"v", values(key.v)}});
  }
  return {{"file", file},
          {"ok", true},
          {"name", model.name()},
          {"total_mass", model.total_mass()},
          {"nq", model.position_count()},
          {"nv", model.velocity_count()},
          {"gravity", vector(model.gravity())},
          {"time_step", model.time_step()},
          {"bodies", bodies(model)},
          {"joints", joints(model)},
          {"shapes", shapes(model)},
          {"actuators", actuators(model)},
          {"tendons", tendons(model)},
          {"sensors", std::move(sensors)},
          {"frames", frames(model)},
          {"couplings", couplings(model)},
          {"keyframes", std::move(keyframes)},
          {"initial_positions", values(model.initial_positions())},
          {"problems", problems_json(loaded.problems)}};
}

}  // namespace stiction
