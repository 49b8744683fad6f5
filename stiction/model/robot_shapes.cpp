#include "stiction/model/robot_shapes.hpp"

#include <algorithm>

#include "stiction/core/index.hpp"
#include "stiction/model/model_assembler.hpp"

namespace stiction {

namespace {

int root_of(const Model& model, int body) {
  while (model.parent(body) >= 0) body = model.parent(body);
  return body;
}

}  // namespace

const Model::Structure& ModelAssembler::structure_of(const Model& model) {
  return *model.structure_;
}

Model ModelAssembler::with_structure(std::shared_ptr<const Model::Structure> structure,
                                     const Model& model) {
  return Model(std::move(structure), model.parameters());
}

std::string_view link_of_shape(const Model& model, int shape) {
  const int link = ModelAssembler::structure_of(model).shape_links[index(shape)];
  // The frames of the links come first, in their order.
  return link < 0 ? std::string_view() : std::string_view(model.frames()[index(link)].name);
}

bool are_of_one_robot(const Model& model, int shape_a, int shape_b) {
  const int a = model.shapes()[index(shape_a)].body;
  const int b = model.shapes()[index(shape_b)].body;
  if (a < 0 && b < 0) return false;
  if (a >= 0 && b >= 0 && root_of(model, a) == root_of(model, b)) return true;
  // Branches of a fixed base are trees of their own.
  const std::vector<int>& bases = ModelAssembler::structure_of(model).shape_bases;
  return bases[index(shape_a)] >= 0 && bases[index(shape_a)] == bases[index(shape_b)];
}

Model without_contacts(const Model& model, const std::vector<std::pair<int, int>>& shapes) {
  if (shapes.empty()) return model;
  const auto& structure = ModelAssembler::structure_of(model);
  auto changed = std::make_shared<std::remove_cvref_t<decltype(structure)>>(structure);
  for (const auto& [a, b] : shapes) {
    changed->excluded_links.insert(
        std::minmax({structure.shape_links[index(a)], structure.shape_links[index(b)]}));
  }
  return ModelAssembler::with_structure(std::move(changed), model);
}

}  // namespace stiction
