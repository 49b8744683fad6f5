#include "stiction/compliant/spring_derivatives.hpp"

#include "stiction/core/index.hpp"
#include "stiction/dynamics/dof_motion.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/point_derivatives.hpp"

namespace stiction {

namespace {

/// What the normal of a contact moves with.
enum class NormalCarrier { body_a, body_b, centers };

/// How the place of a contact follows its bodies: p = center ± (radius + share · gap) n, with a
/// centre that is fixed to body b (upper sign: to body a).
struct ContactShape {
  NormalCarrier carrier = NormalCarrier::body_a;
  bool center_on_b = true;
  double radius = 0.0;
  double gap_share = 0.0;
  Vector3<double> center;        ///< world
  Vector3<double> other_center;  ///< of body a, if the normal is along both centres
  double center_distance = 0.0;  ///< the same
};

ContactShape shape_of(const Candidate& contact, std::span<const ShapeGeometry> geometries,
                      AnchorRules rules) {
  const ShapeGeometry& a = geometries[index(contact.shape_a)];
  const ShapeGeometry& b = geometries[index(contact.shape_b)];
  const double radius_a = rolling_radius(a);
  const double radius_b = rolling_radius(b);
  const bool plane_a = a.kind == ShapeKind::plane;
  const bool plane_b = b.kind == ShapeKind::plane;
  ContactShape shape;
  if (plane_b || (!plane_a && radius_a > 0.0 && radius_b == 0.0)) {
    shape.carrier = NormalCarrier::body_b;
  } else if (radius_a > 0.0 && radius_b > 0.0) {
    shape.carrier = NormalCarrier::centers;
  }
  shape.center_on_b = shape.carrier != NormalCarrier::body_b;
  shape.radius = shape.center_on_b ? radius_b : radius_a;
  // Contacts are on the plane, or midway; by the authors on the point of body b (springs.cpp).
  shape.gap_share = plane_a || plane_b ? 1.0 : 0.5;
  const double sign = shape.center_on_b ? -1.0 : 1.0;
  if (rules == AnchorRules::authors && contact.tree_b >= 0) shape.gap_share += sign;
  const Vector3<double>& n = contact.contact.axes.c2;
  const double height = shape.radius + shape.gap_share * contact.gap;
  shape.center = multiply_subtract(sign * height, n, contact.contact.point);
  if (shape.carrier == NormalCarrier::centers) {
    shape.center_distance = radius_a + radius_b + contact.gap;
    shape.other_center = multiply_subtract(shape.center_distance, n, shape.center);
  }
  return shape;
}

}  // namespace

/// Columns of one contact.
class ColumnFinder {
 public:
  using Column = SpringDerivatives::Column;
  using Vector = Vector3<double>;

  ColumnFinder(const SceneSnapshot& scene, const ViscoelasticOptions& options,
               std::span<const ShapeGeometry> geometries, double time_step,
               const Candidate& contact, const EndSpring& end)
      : scene_(scene),
        time_step_(time_step),
        contact_(contact),
        end_(end),
        shape_(shape_of(contact, geometries, options.rules)),
        velocity_a_(velocity_of(contact.contact.body_a)),
        velocity_b_(velocity_of(contact.contact.body_b)) {}

  void fill(std::vector<Column>& columns) {
    columns.clear();
    add_way(contact_.contact.body_b, false, columns);
    add_way(contact_.contact.body_a, true, columns);
  }

 private:
  /// Entries between a body and its root; those of both bodies come once.
  void add_way(int body, bool of_a, std::vector<Column>& columns) {
    for (int at = body; at >= 0; at = scene_.model.parent(at)) {
      const BodyConstants& constants = scene_.model.constants()[index(at)];
      if (constants.kinematic) continue;
      const bool moves_a = of_a || is_on_way(contact_.contact.body_a, at);
      const bool moves_b = !of_a || is_on_way(contact_.contact.body_b, at);
      if (of_a && moves_b) return;
      for (int k = 0; k < constants.velocity_count; ++k) {
        Column& column = columns.emplace_back();
        column.entry = constants.velocity_index + k;
        column.moves_a = moves_a;
        column.moves_b = moves_b;
        fill_column(index(at), column);
      }
    }
  }

  [[nodiscard]] bool is_on_way(int body, int ancestor) const {
    return body >= ancestor && body < scene_.model.constants()[index(ancestor)].subtree_end;
  }

  [[nodiscard]] Motion<double> velocity_of(int body) const {
    if (body < 0) return {};
    const Vector v = point_velocity(scene_.dynamics, body, contact_.contact.point);
    return {scene_.dynamics.bodies[index(body)].velocity.angular, v};
  }

  void fill_column(std::size_t body, Column& column) const {
    const DynamicsData<double>& data = scene_.dynamics;
    const std::size_t k = static_cast<std::size_t>(column.entry);
    const Vector& origin = data.bodies[body].position;
    const Vector& axis = data.dofs[k].axis;
    const bool angular = scene_.model.degrees_of_freedom()[k].angular;
    column.turn = angular ? axis : Vector{};
    const auto moved = [&](const Vector& point) {
      return angular ? cross(axis, point - origin) : axis;
    };
    const double on_a = column.moves_a ? 1.0 : 0.0;
    const double on_b = column.moves_b ? 1.0 : 0.0;
    const ContactPoint<double>& at = contact_.contact;
    const Vector here = moved(at.point);
    column.apart = (on_b - on_a) * here;

    SpringChange change;
    change.gap = dot(at.axes.c2, column.apart);
    change.normal = normal_change(on_a, on_b, column.turn, moved);
    const double on_center = shape_.center_on_b ? on_b : on_a;
    const double sign = shape_.center_on_b ? -1.0 : 1.0;
    Vector place = multiply_add(sign * (shape_.radius + shape_.gap_share * contact_.gap),
                                change.normal, on_center * moved(shape_.center));
    place = multiply_add(sign * shape_.gap_share * change.gap, at.axes.c2, place);
    column.ahead_a = multiply_subtract(on_a, here, place);
    column.ahead_b = multiply_subtract(on_b, here, place);
    if (end_.anchors.known) {
      change.stretch = on_b * moved(end_.anchors.b) - on_a * moved(end_.anchors.a);
    }
    // The point of the body that is at the contact, and how far the contact runs ahead of it.
    const DofMotion motion = dof_motion(scene_.model, data, body, k);
    const Vector by_motion =
        cross_add(motion.velocity_by_q.angular, at.point - origin, motion.velocity_by_q.linear);
    const auto velocity_change = [&](double on, const Motion<double>& v, const Vector& ahead) {
      const Vector carried = cross_add(column.turn, v.linear, by_motion);
      return multiply_add(on, carried, cross(v.angular, ahead));
    };
    change.velocity = velocity_change(on_b, velocity_b_, column.ahead_b) -
                      velocity_change(on_a, velocity_a_, column.ahead_a);
    column.force_by_q = force_change(time_step_, contact_, end_, change);
    const SpringChange faster{.velocity = column.apart};
    column.force_by_v = force_change(time_step_, contact_, end_, faster);
  }

  template <class Moved>
  [[nodiscard]] Vector normal_change(double on_a, double on_b, const Vector& turn,
                                     const Moved& moved) const {
    const Vector& n = contact_.contact.axes.c2;
    if (shape_.carrier == NormalCarrier::centers) {
      const Vector apart = on_b * moved(shape_.center) - on_a * moved(shape_.other_center);
      return (1.0 / shape_.center_distance) * multiply_subtract(dot(n, apart), n, apart);
    }
    return (shape_.carrier == NormalCarrier::body_b ? on_b : on_a) * cross(turn, n);
  }

  const SceneSnapshot& scene_;
  double time_step_;
  const Candidate& contact_;
  const EndSpring& end_;
  ContactShape shape_;
  Motion<double> velocity_a_;  ///< of the body's point at the contact
  Motion<double> velocity_b_;
};

void SpringDerivatives::add(const SceneSnapshot& scene, const ViscoelasticOptions& options,
                            std::span<const ShapeGeometry> geometries, double time_step,
                            std::span<const Candidate> contacts, std::span<const EndSpring> ends,
                            Eigen::MatrixXd& by_q, Eigen::MatrixXd& by_v) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!(ends[i].normal_force > 0.0)) continue;
    const ContactPoint<double>& at = contacts[i].contact;
    const Vector3<double>& f = ends[i].force;
    ColumnFinder(scene, options, geometries, time_step, contacts[i], ends[i]).fill(columns_);
    const Eigen::Vector3d point = to_eigen(at.point);
    if (at.body_b >= 0) {
      add_point_force_by_q(scene.model, scene.dynamics, at.body_b, point, to_eigen(f), by_q, -1.0);
    }
    if (at.body_a >= 0) {
      add_point_force_by_q(scene.model, scene.dynamics, at.body_a, point, to_eigen(f), by_q, 1.0);
    }
    for (const Column& k : columns_) {
      const Vector3<double> moment_a = cross(k.ahead_a, f);
      const Vector3<double> moment_b = cross(k.ahead_b, f);
      for (const Column& j : columns_) {
        double change = dot(k.force_by_q, j.apart);
        if (j.moves_b) change += dot(j.turn, moment_b);
        if (j.moves_a) change -= dot(j.turn, moment_a);
        by_q(j.entry, k.entry) -= change;
        by_v(j.entry, k.entry) -= dot(k.force_by_v, j.apart);
      }
    }
  }
}

}  // namespace stiction
