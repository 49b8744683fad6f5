#include "stiction/dynamics/tendons.hpp"

#include <algorithm>
#include <set>

#include "stiction/core/index.hpp"
#include "stiction/model/tendon_path.hpp"

namespace stiction {

namespace {

/// A point that two bodies have in common is no direction: as in MuJoCo, it is x then.
constexpr double shortest_segment = 1e-15;  // [m]

BodyPlace place_in(const DynamicsData<double>& data, int body) {
  if (body < 0) return {};
  const BodyData<double>& entry = data.bodies[index(body)];
  return {entry.rotation, entry.position};
}

double number_of(double value, std::size_t) { return value; }
double number_of(const Lane& value, std::size_t slot) { return value.get(slot); }

template <Scalar S>
Vector3<double> vector_of(const Vector3<S>& v, std::size_t slot) {
  return {number_of(v.x, slot), number_of(v.y, slot), number_of(v.z, slot)};
}

/// Length of a spatial tendon of the robot in one slot of a lane.
template <Scalar S>
double path_length(const DynamicsData<S>& data, const Tendon& tendon, std::size_t slot) {
  const auto place_of = [&](int body) -> BodyPlace {
    if (body < 0) return {};
    const BodyData<S>& entry = data.bodies[index(body)];
    const Matrix3<S>& R = entry.rotation;
    return {{vector_of(R.c0, slot), vector_of(R.c1, slot), vector_of(R.c2, slot)},
            vector_of(entry.position, slot)};
  };
  return walk_tendon(tendon, place_of, [](const TendonSegment&) {});
}

/// Bodies whose points or joints the tendon has; the world is -1.
std::vector<int> bodies_touched(const Tendon& tendon) {
  std::vector<int> bodies;
  for (const Tendon::Term& term : tendon.terms) bodies.push_back(term.joint);
  for (const Tendon::Part& part : tendon.path) {
    if (part.kind != Tendon::Part::Kind::pulley) bodies.push_back(part.body);
  }
  return bodies;
}

/// These bodies and all that carry them, rising.
std::set<int> with_carriers(const Model& model, const std::vector<int>& bodies) {
  std::set<int> all;
  for (int body : bodies) {
    while (body >= 0 && all.insert(body).second) body = model.parent(body);
  }
  return all;
}

/// Entries of v that a tendon may depend on: of a fixed one those of its terms, each once.
std::vector<int> entries_of(const Model& model, const Tendon& tendon) {
  std::vector<int> entries;
  if (tendon.kind == Tendon::Kind::fixed) {
    for (const Tendon::Term& term : tendon.terms) {
      const int entry = model.joint(term.joint).velocity_index;
      if (std::ranges::find(entries, entry) == entries.end()) entries.push_back(entry);
    }
    return entries;
  }
  for (const int body : with_carriers(model, bodies_touched(tendon))) {
    const BodyConstants& constants = model.constants()[index(body)];
    for (int k = 0; k < constants.velocity_count; ++k) {
      entries.push_back(constants.velocity_index + k);
    }
  }
  return entries;
}

}  // namespace

template <Scalar S>
S tendon_length(const Model& model, const DynamicsData<S>& data, std::span<const S> q,
                const Tendon& tendon) {
  if (tendon.kind == Tendon::Kind::fixed) {
    S length(0.0);
    for (const Tendon::Term& term : tendon.terms) {
      length = fma(S(term.coefficient), q[index(model.joint(term.joint).position_index)], length);
    }
    return length;
  }
  if constexpr (std::same_as<S, double>) {
    return path_length(data, tendon, 0);
  } else {
    double lengths[lane_width];
    for (std::size_t slot = 0; slot < lane_width; ++slot) {
      lengths[slot] = path_length(data, tendon, slot);
    }
    return S::load_unaligned(lengths);
  }
}

template double tendon_length(const Model&, const DynamicsData<double>&, std::span<const double>,
                              const Tendon&);
template Lane tendon_length(const Model&, const DynamicsData<Lane>&, std::span<const Lane>,
                            const Tendon&);

TendonSet::TendonSet(const Model& model) {
  if (model.tendons().empty()) return;
  row_.resize(index(model.velocity_count()), 0.0);
  lengths_.resize(model.tendons().size());
  for (const Tendon& tendon : model.tendons()) {
    const std::size_t first = terms_.size();
    for (const int entry : entries_of(model, tendon)) terms_.push_back({entry, 0.0});
    ranges_.emplace_back(first, terms_.size() - first);
    if (tendon.kind != Tendon::Kind::fixed) continue;
    for (const Tendon::Term& term : tendon.terms) {
      const auto own = std::span(terms_).subspan(first);
      std::ranges::find(own, model.joint(term.joint).velocity_index, &MomentTerm::index)
          ->coefficient += term.coefficient;
    }
  }
}

void TendonSet::update_all(const Model& model, const DynamicsData<double>& data,
                           std::span<const double> q) {
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    const Tendon& tendon = model.tendons()[i];
    if (tendon.kind == Tendon::Kind::fixed) {
      lengths_[i] = 0.0;
      for (const Tendon::Term& term : tendon.terms) {
        lengths_[i] += term.coefficient * q[index(model.joint(term.joint).position_index)];
      }
      continue;
    }
    lengths_[i] = walk_tendon(
        tendon, [&](int body) { return place_in(data, body); },
        [&](const TendonSegment& segment) { add_segment(model, data, segment); });
    for (std::size_t k = 0; k < ranges_[i].second; ++k) {
      MomentTerm& term = terms_[ranges_[i].first + k];
      term.coefficient = std::exchange(row_[index(term.index)], 0.0);
    }
  }
}

void TendonSet::add_segment(const Model& model, const DynamicsData<double>& data,
                            const TendonSegment& segment) {
  if (segment.body_a == segment.body_b) return;
  const Vector3<double> apart = segment.b - segment.a;
  const double distance = norm(apart);
  const Vector3<double> direction = distance < shortest_segment
                                        ? Vector3<double>{segment.share, 0.0, 0.0}
                                        : (segment.share / distance) * apart;
  // Always the one further out, up to the body that carries both.
  int a = segment.body_a;
  int b = segment.body_b;
  while (a != b) {
    if (b > a) {
      add_point(model, data, b, segment.b, direction);
      b = model.parent(b);
    } else {
      add_point(model, data, a, segment.a, -direction);
      a = model.parent(a);
    }
  }
}

void TendonSet::add_point(const Model& model, const DynamicsData<double>& data, int body,
                          const Vector3<double>& point, const Vector3<double>& direction) {
  const BodyConstants& constants = model.constants()[index(body)];
  const Vector3<double> moment = cross(point - data.bodies[index(body)].position, direction);
  for (int k = 0; k < constants.velocity_count; ++k) {
    const std::size_t slot = index(constants.velocity_index + k);
    const bool angular = model.degrees_of_freedom()[slot].angular;
    row_[slot] += dot(data.dofs[slot].axis, angular ? moment : direction);
  }
}

std::vector<int> bodies_moved_by(const Model& model, const Tendon& tendon) {
  std::vector<int> bodies;
  for (const int body : with_carriers(model, bodies_touched(tendon))) {
    if (!model.constants()[index(body)].kinematic) bodies.push_back(body);
  }
  std::ranges::reverse(bodies);
  return bodies;
}

std::pair<int, int> longest_tendon_row(const Model& model) {
  std::pair<int, int> most{0, 0};
  const auto take = [&](const std::set<int>& bodies) {
    int velocities = 0;
    for (const int body : bodies) velocities += model.constants()[index(body)].velocity_count;
    most.first = std::max(most.first, static_cast<int>(bodies.size()));
    most.second = std::max(most.second, velocities);
  };
  const auto add = [&](std::set<int>& bodies, int tendon) {
    if (tendon < 0) return;
    const std::vector<int> more = bodies_moved_by(model, model.tendons()[index(tendon)]);
    bodies.insert(more.begin(), more.end());
  };
  for (int i = 0; i < static_cast<int>(model.tendons().size()); ++i) {
    std::set<int> bodies;
    add(bodies, i);
    take(bodies);
  }
  for (const Coupling& coupling : model.couplings()) {
    std::set<int> bodies;
    add(bodies, coupling.tendon_a);
    add(bodies, coupling.tendon_b);
    take(bodies);
  }
  return most;
}

}  // namespace stiction
