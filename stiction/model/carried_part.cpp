#include "stiction/model/carried_part.hpp"

#include <algorithm>

namespace stiction {

std::optional<CarriedPart> carried_part(const std::vector<LinkSpec>& links,
                                        const std::vector<JointSpec>& joints, const LinkTree& tree,
                                        const std::vector<int>& first_shape, int link) {
  const auto place_of = [&tree](int i) { return tree.places[static_cast<std::size_t>(i)]; };
  const int body = link < 0 ? world_body : place_of(link).body;
  if (body >= 0 && tree.body_links[static_cast<std::size_t>(body)].front() == link) {
    return std::nullopt;
  }
  std::vector<std::vector<const JointSpec*>> joints_below(links.size() + 1);  // the world's last
  for (const JointSpec& joint : joints) {
    const bool on_world = joint.parent < 0;
    joints_below[on_world ? links.size() : static_cast<std::size_t>(joint.parent)].push_back(
        &joint);
  }
  CarriedPart part;
  BodyInertia total;
  std::vector<int> waiting{link};
  while (!waiting.empty()) {
    const int next = waiting.back();
    waiting.pop_back();
    if (next >= 0) {
      const LinkSpec& spec = links[static_cast<std::size_t>(next)];
      total = combine(total, {spec.mass, spec.center_of_mass, spec.inertia}, place_of(next).pose);
      for (std::size_t i = 0; i < spec.shapes.size(); ++i) {
        part.shapes.push_back(first_shape[static_cast<std::size_t>(next)] + static_cast<int>(i));
      }
    }
    const std::size_t place = next < 0 ? links.size() : static_cast<std::size_t>(next);
    for (const JointSpec* joint : joints_below[place]) {
      if (joint->kind == JointKind::fixed) {
        waiting.push_back(joint->child);
      } else {
        part.bodies.push_back(place_of(joint->child).body);
      }
    }
  }
  std::ranges::sort(part.shapes);
  std::ranges::sort(part.bodies);
  part.mass = total.mass;
  part.center_of_mass = total.center_of_mass;
  part.inertia = total.inertia;
  return part;
}

}  // namespace stiction
