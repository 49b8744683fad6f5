#include "stiction/io/urdf_record.hpp"

#include <fmt/format.h>
#include <optional>

#include "stiction/io/urdf_scan.hpp"

namespace stiction {

namespace {

/// The first child that is an element, whatever its name.
pugi::xml_node first_element(const pugi::xml_node& node) {
  return node.find_child(
      [](const pugi::xml_node& child) { return child.type() == pugi::node_element; });
}

std::vector<UrdfShape> shapes_of(const pugi::xml_node& link, const char* tag) {
  std::vector<UrdfShape> shapes;
  for (const pugi::xml_node& element : link.children(tag)) {
    UrdfShape shape;
    shape.element = element;
    shape.geometry = first_element(element.child("geometry"));
    shapes.push_back(shape);
  }
  return shapes;
}

using Color = std::array<float, 4>;

Color color_of(const pugi::xml_node& material) {
  const std::vector<double> rgba =
      urdf_numbers(material.child("color"), "rgba", {0.7, 0.7, 0.7, 1.0});
  Color color{};
  for (std::size_t i = 0; i < color.size(); ++i) color[i] = static_cast<float>(rgba[i]);
  return color;
}

struct Look {
  std::optional<Color> color;
  std::string texture;
};

Look look_of(const pugi::xml_node& material) {
  Look look;
  if (material.child("color")) look.color = color_of(material);
  look.texture = material.child("texture").attribute("filename").value();
  return look;
}

/// Named materials: those of the robot first, then those inside visuals.
std::map<std::string, Look> named_materials(const UrdfRecord& record, const XmlFile& file,
                                            ProblemList& problems) {
  std::map<std::string, Look> looks;
  for (const pugi::xml_node& material : file.root().children("material")) {
    const std::string name = material.attribute("name").value();
    if (!looks.try_emplace(name, look_of(material)).second) {
      problems.warning(file.source(material),
                       "this material is defined twice; the first one is used",
                       "keep one of the two");
    }
  }
  for (const UrdfLink& link : record.links) {
    for (const UrdfShape& shape : link.visuals) {
      const pugi::xml_node material = shape.element.child("material");
      if (material.child("color") || material.child("texture")) {
        looks.try_emplace(material.attribute("name").value(), look_of(material));
      }
    }
  }
  return looks;
}

}  // namespace

bool has_one_coordinate(const UrdfJoint& joint) {
  return joint.type == "revolute" || joint.type == "continuous" || joint.type == "prismatic";
}

UrdfRecord::UrdfRecord(const XmlFile& file) {
  for (const pugi::xml_node& element : file.root().children("link")) {
    links.push_back({element, element.attribute("name").value(), shapes_of(element, "visual"),
                     shapes_of(element, "collision")});
  }
  for (const pugi::xml_node& element : file.root().children("joint")) {
    joints.push_back({element, element.attribute("name").value(), element.attribute("type").value(),
                      element.child("parent").attribute("link").value(),
                      element.child("child").attribute("link").value()});
  }
}

void resolve_materials(UrdfRecord& record, const XmlFile& file, ProblemList& problems) {
  const std::map<std::string, Look> looks = named_materials(record, file, problems);
  for (UrdfLink& link : record.links) {
    for (UrdfShape& shape : link.visuals) {
      const pugi::xml_node material = shape.element.child("material");
      if (!material) continue;
      const auto named = looks.find(material.attribute("name").value());
      Look look = look_of(material);
      if (!material.child("color") && !material.child("texture")) {
        if (named == looks.end()) {
          problems.warning(urdf_source(file, material), "this material is not defined",
                           "define it with a <color> as a child of <robot>");
          continue;
        }
        look = named->second;
      }
      if (look.color) shape.color = *look.color;
      shape.has_color = look.color.has_value();
      shape.texture = look.texture;
    }
  }
}

}  // namespace stiction
