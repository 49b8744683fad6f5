#include <cmath>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "apps/stiction/inspect.hpp"
#include "apps/stiction/table.hpp"
#include "stiction/model/contact_material.hpp"

namespace stiction {

namespace {

std::string triple(const Eigen::Vector3d& v) {
  // Tiny remains of rotations are shown as the zeros that they stand for.
  const auto clean = [](double x) { return std::abs(x) < 1e-12 ? 0.0 : x; };
  return fmt::format("{:.5g} {:.5g} {:.5g}", clean(v.x()), clean(v.y()), clean(v.z()));
}

std::string range(double lower, double upper) {
  if (std::isinf(lower) && std::isinf(upper)) return "free";
  return fmt::format("{:.4g} to {:.4g}", lower, upper);
}

std::string limit(double value) { return std::isinf(value) ? "-" : fmt::format("{:.4g}", value); }

bool has_axis(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::continuous ||
         kind == JointKind::prismatic || kind == JointKind::planar;
}

/// The lines that lead to each body's name in the tree, such as `│  └─ `.
class TreeLines {
 public:
  explicit TreeLines(const Model& model) : model_(model), last_(count(), true), depth_(count(), 0) {
    std::vector<int> last_child(count() + 1, -1);
    for (int i = 0; i < model.body_count(); ++i) {
      last_child[static_cast<std::size_t>(model.parent(i) + 1)] = i;
      const int parent = model.parent(i);
      depth_[at(i)] = parent < 0 ? 0 : depth_[at(parent)] + 1;
    }
    for (int i = 0; i < model.body_count(); ++i) {
      last_[at(i)] = last_child[static_cast<std::size_t>(model.parent(i) + 1)] == i;
    }
  }

  [[nodiscard]] std::string lead(int body) const {
    if (depth_[at(body)] == 0) return {};
    // Long chains would wander off the screen, and cost memory in the square of their length.
    if (depth_[at(body)] > deepest) return fmt::format("… depth {} ─ ", depth_[at(body)]);
    std::string text = last_[at(body)] ? "└─ " : "├─ ";
    for (int above = model_.parent(body); depth_[at(above)] > 0; above = model_.parent(above)) {
      text = (last_[at(above)] ? "   " : "│  ") + text;
    }
    return text;
  }

 private:
  static constexpr int deepest = 16;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] std::size_t count() const { return at(model_.body_count()); }

  const Model& model_;
  std::vector<bool> last_;
  std::vector<int> depth_;
};

std::string tree_text(const Model& model, const Palette& palette) {
  Table table({"body", "joint", "kind", "axis", "range [rad, m]", "effort", "velocity"});
  const TreeLines lines(model);
  for (int i = 0; i < model.body_count(); ++i) {
    const Joint& joint = model.joint(i);
    const bool axis = has_axis(joint.kind);
    table.add({lines.lead(i) + printable(model.body_name(i)), printable(joint.name),
               std::string(to_string(joint.kind)) + (joint.kinematic ? " (kinematic)" : ""),
               axis ? triple(model.joint_axis(i)) : "",
               axis ? range(joint.limits.lower, joint.limits.upper) : "",
               axis ? limit(joint.limits.effort) : "", axis ? limit(joint.limits.velocity) : ""});
  }
  return palette.bold("Tree") + '\n' + table.text(palette);
}

/// Such as `2 box, 1 sphere` for the shapes of one body that collide, and those that are only seen.
std::vector<std::string> shapes_by_body(const Model& model) {
  std::vector<std::map<std::string, int>> counts(static_cast<std::size_t>(model.body_count() + 1));
  for (const Shape& shape : model.shapes()) {
    const std::string kind =
        std::string(to_string(shape.kind)) + (shape.collides ? "" : " (visual)");
    ++counts[static_cast<std::size_t>(shape.body + 1)][kind];
  }
  std::vector<std::string> texts;
  for (const auto& kinds : counts) {
    std::string text;
    for (const auto& [kind, times] : kinds) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", times, kind);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string bodies_text(const Model& model, const Palette& palette) {
  Table table({"body", "mass [kg]", "centre of mass [m]", "principal inertia [kg m²]", "shapes"});
  const std::vector<std::string> shapes = shapes_by_body(model);
  if (!shapes.front().empty()) table.add({"(world)", "", "", "", shapes.front()});
  for (int i = 0; i < model.body_count(); ++i) {
    const BodyInertia& inertia = model.body_inertia(i);
    table.add({printable(model.body_name(i)), fmt::format("{:.6g}", inertia.mass),
               triple(inertia.center_of_mass), triple(principal_inertia(inertia)),
               shapes[static_cast<std::size_t>(i) + 1]});
  }
  return palette.bold("Bodies") + '\n' + table.text(palette);
}

std::string driven_by(const Model& model, const Actuator& actuator) {
  if (actuator.joint >= 0) return printable(model.joint(actuator.joint).name);
  if (actuator.frame >= 0) {
    const Frame& frame = model.frames()[static_cast<std::size_t>(actuator.frame)];
    return (actuator.rod > 0.0 ? "crank " : "site ") + printable(frame.name);
  }
  if (actuator.adheres) return fmt::format("contacts of {} shapes", actuator.shapes.size());
  if (actuator.tendon < 0) return "-";
  return "tendon " + printable(model.tendons()[static_cast<std::size_t>(actuator.tendon)].name);
}

std::string actuators_text(const Model& model, const Palette& palette) {
  if (model.actuators().empty()) return {};
  Table table({"actuator", "kind", "joint", "gear", "control range", "force range"});
  for (const Actuator& actuator : model.actuators()) {
    const auto span = [](bool limited, const std::array<double, 2>& ends) {
      return limited ? range(ends[0], ends[1]) : std::string("free");
    };
    table.add({printable(actuator.name), std::string(to_string(actuator.kind)),
               driven_by(model, actuator), fmt::format("{:.4g}", actuator.gear[0]),
               span(actuator.control_limited, actuator.control_range),
               span(actuator.force_limited, actuator.force_range)});
  }
  return palette.bold("Actuators") + '\n' + table.text(palette) + '\n';
}

std::string counted(std::size_t count, const char* one, const char* more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

/// Names of the actuators that pull a tendon, such as `left, right`.
std::string pullers_of(const Model& model, int tendon) {
  std::string text;
  for (const Actuator& actuator : model.actuators()) {
    if (actuator.tendon != tendon) continue;
    text += (text.empty() ? "" : ", ") + printable(actuator.name);
  }
  return text;
}

std::string tendons_text(const Model& model, const Palette& palette) {
  if (model.tendons().empty()) return {};
  Table table({"tendon", "kind", "over", "initial length", "range", "stiffness", "damping",
               "friction", "actuators"});
  for (std::size_t i = 0; i < model.tendons().size(); ++i) {
    const Tendon& tendon = model.tendons()[i];
    const bool fixed = tendon.kind == Tendon::Kind::fixed;
    table.add({printable(tendon.name), fixed ? "fixed" : "spatial",
               fixed ? counted(tendon.terms.size(), "joint", "joints")
                     : counted(tendon.path.size(), "element", "elements"),
               fmt::format("{:.6g}", tendon.initial_length),
               range(tendon.limits[0], tendon.limits[1]), fmt::format("{:.4g}", tendon.stiffness),
               fmt::format("{:.4g}", tendon.damping), fmt::format("{:.4g}", tendon.friction),
               pullers_of(model, static_cast<int>(i))});
  }
  return palette.bold("Tendons") + '\n' + table.text(palette) + '\n';
}

/// How many shapes that collide resist turning by themselves; empty if none does.
std::string turning_text(const Model& model) {
  std::size_t spins = 0;
  std::size_t rolls = 0;
  for (const Shape& shape : model.shapes()) {
    if (!shape.collides) continue;
    const Material& material = model.materials()[static_cast<std::size_t>(shape.material)];
    const int dimensions = friction_dimensions(material);
    spins += dimensions >= 4 ? 1 : 0;
    rolls += dimensions >= 6 ? 1 : 0;
  }
  if (spins == 0) return {};
  return fmt::format("  torsional friction on {}, rolling friction on {}\n",
                     counted(spins, "shape", "shapes"), counted(rolls, "shape", "shapes"));
}

std::string summary_text(const std::string& file, const Model& model, const Palette& palette) {
  std::size_t collide = 0;
  for (const Shape& shape : model.shapes()) collide += shape.collides ? 1 : 0;
  std::string text = palette.bold(model.name().empty() ? "unnamed model" : printable(model.name()));
  text += "  " + palette.faint(printable(file)) + '\n';
  text += fmt::format("  total mass {:.6g} kg, {}, nq {}, nv {}\n", model.total_mass(),
                      counted(static_cast<std::size_t>(model.body_count()), "body", "bodies"),
                      model.position_count(), model.velocity_count());
  text += fmt::format("  {} ({} for collision), {}, {}, {}, {}, {}\n",
                      counted(model.shapes().size(), "shape", "shapes"), collide,
                      counted(model.frames().size(), "frame", "frames"),
                      counted(model.actuators().size(), "actuator", "actuators"),
                      counted(model.sensors().size(), "sensor", "sensors"),
                      counted(model.couplings().size(), "coupling", "couplings"),
                      counted(model.keyframes().size(), "keyframe", "keyframes"));
  text += turning_text(model);
  text += fmt::format("  gravity {} m/s², time step {:g} s\n", triple(model.gravity()),
                      model.time_step());
  return text;
}

}  // namespace

std::string inspect_text(const std::string& file, const LoadedModel& loaded,
                         const Palette& palette) {
  const Model& model = loaded.model;
  std::string text = summary_text(file, model, palette) + '\n';
  if (model.body_count() > 0) text += tree_text(model, palette) + '\n';
  text += bodies_text(model, palette) + '\n';
  text += actuators_text(model, palette);
  text += tendons_text(model, palette);
  text += palette.bold("Problems") + '\n' + format_problems(loaded.problems, palette);
  return text;
}

}  // namespace stiction
