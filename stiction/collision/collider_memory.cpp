/// \file
/// What a Collider finds out about a Model once: which shapes may touch, and how to go about it.

#include "stiction/collision/collider_memory.hpp"

#include <algorithm>
#include <iterator>

namespace stiction {

namespace {

/// Up to this number of pairs of solids, comparing the spheres of each pair takes less time than a
/// broad phase.
constexpr std::size_t few_pairs = 20'000;

/// Up to this number of pairs, placing their spheres takes longer than to ask each pair.
constexpr std::size_t very_few_pairs = 24;

const Shape& shape_of(const Model& model, int shape) {
  return model.shapes()[static_cast<std::size_t>(shape)];
}

std::pair<int, int> shapes_of(const ContactPair& pair) {
  return std::minmax(pair.shape_a, pair.shape_b);
}

}  // namespace

Collider::Memory::Memory(const Model& of) : model(of) {
  describe_shapes();
  list_exceptions();
  list_explicit_pairs();
  list_other_pairs();
  std::ranges::sort(pairs, {}, [](const ShapePair& pair) { return std::pair(pair.a, pair.b); });
  boxes.resize(boxed.size());
  const bool carries =
      std::ranges::any_of(pairs, [this](const ShapePair& pair) { return may_carry(pair); });
  sieves = boxed.empty() && (carries || pairs.size() > very_few_pairs);
  if (sieves) build_sieve();
}

bool Collider::Memory::may_carry(const ShapePair& pair) const {
  // A plane that turns comes endlessly far.
  const auto turns = [this](int shape) {
    const auto i = static_cast<std::size_t>(shape);
    return geometries[i].kind == ShapeKind::plane && traits[i].body != world_body;
  };
  return !turns(pair.a) && !turns(pair.b) &&
         tells_gap(geometries[static_cast<std::size_t>(pair.a)],
                   geometries[static_cast<std::size_t>(pair.b)]);
}

void Collider::Memory::build_sieve() {
  std::vector<bool> used(traits.size(), false);
  sieve_margins.assign(traits.size(), 0.0);
  for (ShapePair& pair : pairs) {
    for (const int shape : {pair.a, pair.b}) {
      const auto at = static_cast<std::size_t>(shape);
      used[at] = true;
      sieve_margins[at] = std::max(sieve_margins[at], pair.margin);
    }
    if (may_carry(pair)) {
      for (const int shape : {pair.a, pair.b}) {
        traits[static_cast<std::size_t>(shape)].carries = true;
      }
      pair.carried = static_cast<int>(carried.size());
      carried.emplace_back();
    }
  }
  int items = 0;
  for (std::size_t i = 0; i < traits.size(); ++i) {
    item_of.push_back(used[i] ? items++ : -1);
    spheres.push_back(bounding_sphere(geometries[i]));
    centers.push_back(
        multiply_add(placements[i].rotation, spheres[i].center, placements[i].position));
  }
  std::ranges::copy_if(moving, std::back_inserter(sieved),
                       [&](int i) { return used[static_cast<std::size_t>(i)]; });
  last_placements = placements;
  paths.assign(traits.size(), 0.0);
  std::vector<std::pair<int, int>> numbered;
  for (const ShapePair& pair : pairs) {
    numbered.emplace_back(item_of[static_cast<std::size_t>(pair.a)],
                          item_of[static_cast<std::size_t>(pair.b)]);
  }
  sieve.build(items, numbered);
  for (std::size_t i = 0; i < traits.size(); ++i) {
    if (!used[i]) continue;
    if (geometries[i].kind == ShapeKind::plane) {
      sieve.set_plane(item_of[i], placements[i].rotation.c2, placements[i].position);
    } else {
      sieve.set_sphere(item_of[i], centers[i], spheres[i].radius);
    }
  }
}

void Collider::Memory::describe_shapes() {
  const int count = static_cast<int>(model.shapes().size());
  geometries = make_shape_geometries(model);
  reaches.assign(static_cast<std::size_t>(count), 0.0);
  for (int i = 0; i < count; ++i) {
    const Shape& shape = shape_of(model, i);
    placements.push_back(placement_in_body(shape));
    traits.push_back({.group = shape.collides ? shape.collision_group : 0,
                      .mask = shape.collides ? shape.collision_mask : 0,
                      .body = shape.body,
                      .free = moves_freely(model, i),
                      .special = false,
                      .round = shape.kind == ShapeKind::sphere,
                      .margin = shape.margin,
                      .bounds = local_bounds(model, i)});
  }
  std::vector<bool> takes_part;
  for (const Shape& shape : model.shapes()) takes_part.push_back(shape.collides);
  for (const ContactPair& pair : model.contact_pairs()) {
    takes_part[static_cast<std::size_t>(pair.shape_a)] = true;
    takes_part[static_cast<std::size_t>(pair.shape_b)] = true;
  }
  for (int i = 0; i < count; ++i) {
    if (takes_part[static_cast<std::size_t>(i)] && shape_of(model, i).body != world_body) {
      moving.push_back(i);
    }
  }
}

void Collider::Memory::list_exceptions() {
  std::vector<std::pair<int, int>> exceptions = model.excluded_shapes();
  for (const ContactPair& pair : model.contact_pairs()) exceptions.push_back(shapes_of(pair));
  std::ranges::sort(exceptions);
  const auto repeated = std::ranges::unique(exceptions);
  exceptions.erase(repeated.begin(), repeated.end());
  partner_starts.assign(traits.size() + 1, 0);
  for (const auto& [a, b] : exceptions) {
    ++partner_starts[static_cast<std::size_t>(a) + 1];
    partners.push_back(b);
    traits[static_cast<std::size_t>(a)].special = true;
    traits[static_cast<std::size_t>(b)].special = true;
  }
  for (std::size_t i = 1; i < partner_starts.size(); ++i) {
    partner_starts[i] += partner_starts[i - 1];
  }
}

bool Collider::Memory::is_exception(int a, int b) const {
  const auto begin = partners.begin() + partner_starts[static_cast<std::size_t>(a)];
  const auto end = partners.begin() + partner_starts[static_cast<std::size_t>(a) + 1];
  return std::binary_search(begin, end, b);
}

bool Collider::Memory::may_touch(int a, int b) const {
  const ShapeTraits& of_a = traits[static_cast<std::size_t>(a)];
  const ShapeTraits& of_b = traits[static_cast<std::size_t>(b)];
  if (((of_a.group & of_b.mask) | (of_b.group & of_a.mask)) == 0) return false;
  if (of_a.body == of_b.body || !(of_a.free || of_b.free)) return false;
  return !(of_a.special && of_b.special && is_exception(a, b));
}

ShapePair Collider::Memory::make_pair(int a, int b, double margin) const {
  const ShapeGeometry& of_a = geometries[static_cast<std::size_t>(a)];
  const ShapeGeometry& of_b = geometries[static_cast<std::size_t>(b)];
  ShapePair pair{a, b, narrow_function(of_a, of_b), margin, of_a.radius + of_b.radius};
  if (of_a.kind == ShapeKind::plane) {
    pair.bounds = ShapePair::Bounds::plane_a;
    pair.radius = of_b.radius;
  } else if (of_b.kind == ShapeKind::plane) {
    pair.bounds = ShapePair::Bounds::plane_b;
    pair.radius = of_a.radius;
  }
  return pair;
}

void Collider::Memory::list_explicit_pairs() {
  std::vector<ContactPair> sorted = model.contact_pairs();
  // Of a pair that stands there twice the larger margin counts.
  std::ranges::sort(
      sorted, {}, [](const ContactPair& pair) { return std::pair(shapes_of(pair), -pair.margin); });
  const auto repeated = std::ranges::unique(sorted, {}, shapes_of);
  sorted.erase(repeated.begin(), repeated.end());
  for (const ContactPair& explicit_pair : sorted) {
    const auto [a, b] = shapes_of(explicit_pair);
    const ShapeTraits& of_a = traits[static_cast<std::size_t>(a)];
    const ShapeTraits& of_b = traits[static_cast<std::size_t>(b)];
    if (of_a.body == of_b.body || !(of_a.free || of_b.free)) continue;
    const ShapePair pair =
        make_pair(a, b, std::max(of_a.margin + of_b.margin, explicit_pair.margin));
    if (pair.function != nullptr) pairs.push_back(pair);
  }
}

void Collider::Memory::list_other_pairs() {
  std::vector<int> surfaces;
  std::vector<int> solids;
  for (int i = 0; i < static_cast<int>(traits.size()); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if ((traits[at].group | traits[at].mask) == 0) continue;
    (is_surface(geometries[at]) ? surfaces : solids).push_back(i);
  }
  const auto add = [this](int i, int k) {
    const auto [a, b] = std::minmax(i, k);
    if (!may_touch(a, b)) return;
    const ShapePair pair = make_pair(
        a, b,
        traits[static_cast<std::size_t>(a)].margin + traits[static_cast<std::size_t>(b)].margin);
    if (pair.function != nullptr) pairs.push_back(pair);
  };
  for (const int surface : surfaces) {
    for (const int solid : solids) add(surface, solid);
  }
  const std::size_t without_solids = pairs.size();
  for (std::size_t i = 0; i < solids.size(); ++i) {
    for (std::size_t k = i + 1; k < solids.size(); ++k) add(solids[i], solids[k]);
    if (pairs.size() - without_solids > few_pairs) {
      pairs.resize(without_solids);
      boxed = std::move(solids);
      return;
    }
  }
}

}  // namespace stiction
