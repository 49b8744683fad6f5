#include "stiction/model/model_builder.hpp"

#include "stiction/model/model_assembler.hpp"
#include "stiction/model/model_checker.hpp"

namespace stiction {

namespace {

template <class Item>
int append(std::vector<Item>& items, Item item) {
  items.push_back(std::move(item));
  return static_cast<int>(items.size()) - 1;
}

template <class Item>
std::optional<int> find_by_name(const std::vector<Item>& items, const std::string& name) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name == name) return static_cast<int>(i);
  }
  return std::nullopt;
}

}  // namespace

int ModelBuilder::add_link(LinkSpec link) { return append(links_, std::move(link)); }
int ModelBuilder::add_joint(JointSpec joint) { return append(joints_, std::move(joint)); }
int ModelBuilder::add_frame(FrameSpec frame) { return append(frames_, std::move(frame)); }
int ModelBuilder::add_mesh(Mesh mesh) { return append(meshes_, std::move(mesh)); }
int ModelBuilder::add_height_field(HeightField field) {
  return append(height_fields_, std::move(field));
}
int ModelBuilder::add_material(Material material) {
  return append(materials_, std::move(material));
}
void ModelBuilder::add_material_pair(MaterialPair pair) { material_pairs_.push_back(pair); }
int ModelBuilder::add_world_shape(Shape shape) { return append(world_shapes_, std::move(shape)); }
int ModelBuilder::add_tendon(Tendon tendon) { return append(tendons_, std::move(tendon)); }
int ModelBuilder::add_actuator(Actuator actuator) {
  return append(actuators_, std::move(actuator));
}
int ModelBuilder::add_sensor(Sensor sensor) { return append(sensors_, std::move(sensor)); }
int ModelBuilder::add_adhesion(Actuator actuator, std::vector<std::pair<int, int>> shapes) {
  actuator.adheres = true;
  const int index = add_actuator(std::move(actuator));
  adhesive_shapes_[index] = std::move(shapes);
  return index;
}
int ModelBuilder::add_contact_sensor(Sensor sensor, std::vector<std::pair<int, int>> shapes_a,
                                     std::vector<std::pair<int, int>> shapes_b) {
  const int index = add_sensor(std::move(sensor));
  sensor_shapes_[index] = {std::move(shapes_a), std::move(shapes_b)};
  return index;
}
void ModelBuilder::add_coupling(Coupling coupling) { couplings_.push_back(std::move(coupling)); }
void ModelBuilder::add_keyframe(KeyframeSpec keyframe) {
  keyframes_.push_back(std::move(keyframe));
}
void ModelBuilder::exclude_collision(int link_a, int link_b) {
  excludes_.emplace_back(link_a, link_b);
}
void ModelBuilder::exclude_link_collision(int link_a, int link_b) {
  link_excludes_.emplace_back(link_a, link_b);
}
void ModelBuilder::add_contact_pair(std::pair<int, int> shape_a, std::pair<int, int> shape_b,
                                    double friction, double margin, double spin_friction,
                                    double roll_friction) {
  pairs_.push_back({shape_a, shape_b, friction, margin, spin_friction, roll_friction});
}

std::optional<int> ModelBuilder::find_link(const std::string& name) const {
  return find_by_name(links_, name);
}

std::optional<int> ModelBuilder::find_joint(const std::string& name) const {
  return find_by_name(joints_, name);
}

ProblemList ModelBuilder::check() const { return ModelChecker(*this).run(); }

Model ModelBuilder::build() const {
  ProblemList problems = check();
  if (problems.has_errors()) throw InputError(std::move(problems));
  return ModelAssembler(*this).run();
}

}  // namespace stiction
