#include "stiction/model/appearance.hpp"

#include "stiction/model/model_assembler.hpp"

namespace stiction {

namespace {

/// Index of each shape in the Model by the names that the builder has for it.
std::map<std::pair<int, int>, int> shape_indices(const std::vector<int>& shape_links) {
  std::map<std::pair<int, int>, int> indices;
  std::map<int, int> places;
  for (std::size_t i = 0; i < shape_links.size(); ++i) {
    const int link = shape_links[i];
    indices[{link, places[link]++}] = static_cast<int>(i);
  }
  return indices;
}

}  // namespace

void set_appearance(Model& model, const AppearanceSpec& spec) {
  if (spec.shape_finishes.empty() && spec.mesh_paints.empty()) return;
  const auto& structure = ModelAssembler::structure_of(model);
  auto changed = std::make_shared<std::remove_cvref_t<decltype(structure)>>(structure);
  auto appearance = std::make_shared<Appearance>();
  appearance->textures = spec.textures;
  appearance->finishes = spec.finishes;
  appearance->mesh_paints = spec.mesh_paints;
  const auto indices = shape_indices(structure.shape_links);
  for (const auto& [shape, finish] : spec.shape_finishes) {
    appearance->shape_finishes[indices.at(shape)] = finish;
  }
  changed->appearance = std::move(appearance);
  model = ModelAssembler::with_structure(std::move(changed), model);
}

const Appearance& appearance_of(const Model& model) {
  static const Appearance none;
  const auto& appearance = ModelAssembler::structure_of(model).appearance;
  return appearance ? *appearance : none;
}

}  // namespace stiction
