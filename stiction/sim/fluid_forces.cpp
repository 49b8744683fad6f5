#include "stiction/sim/fluid_forces.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/core/index.hpp"

namespace stiction {

namespace {

using Eigen::Vector3d;
constexpr double pi = std::numbers::pi;
constexpr double tiny = 1e-15;

/// Motion of a piece in the medium, or what acts on it, in its own axes at its own place.
struct Twist {
  Vector3d linear = Vector3d::Zero();
  Vector3d angular = Vector3d::Zero();
};

/// Where a piece is, and how it moves against the medium.
struct Piece {
  Piece(const DynamicsData<double>& data, int body, const Eigen::Isometry3d& pose,
        const Vector3d& wind) {
    const BodyData<double>& entry = data.bodies[index(body)];
    const Eigen::Matrix3d rotation = to_eigen(entry.rotation);
    arm = rotation * pose.translation();
    axes = rotation * pose.linear();
    const Vector3d turning = to_eigen(entry.velocity.angular);
    const Vector3d moving = to_eigen(entry.velocity.linear) + turning.cross(arm) - wind;
    motion = {axes.transpose() * moving, axes.transpose() * turning};
  }

  Vector3d arm;          ///< from the body's origin, world
  Eigen::Matrix3d axes;  ///< in the world
  Twist motion;
};

void add(const Piece& piece, const Twist& acting, Force<double>& body) {
  const Vector3d force = piece.axes * acting.linear;
  const Vector3d torque = piece.axes * acting.angular + piece.arm.cross(force);
  body.linear += from_eigen(force);
  body.angular += from_eigen(torque);
}

/// Linear and quadratic drag on a box, axis by axis.
Twist box_drag(const Fluid& fluid, const FluidBox& box, const Twist& motion, double h) {
  const Vector3d& s = box.size;
  const double diameter = s.mean();
  const double stokes = 3.0 * pi * diameter * fluid.viscosity;
  const double stokes_turning = pi * diameter * diameter * diameter * fluid.viscosity;
  Twist acting;
  for (int i = 0; i < 3; ++i) {
    const double j = s[(i + 1) % 3];
    const double k = s[(i + 2) % 3];
    const double v = motion.linear[i];
    const double w = motion.angular[i];
    const double along = stokes + 0.5 * fluid.density * j * k * std::abs(v);
    const double about = stokes_turning + fluid.density * s[i] * (j * j * j * j + k * k * k * k) *
                                              std::abs(w) / 64.0;
    acting.linear[i] = -std::min(along, box.mass / h) * v;
    acting.angular[i] = -std::min(about, box.inertia[i] / h) * w;
  }
  return acting;
}

/// Lift of ellipsoids and the fluid that moves along. These forces do no work.
Twist ellipsoid_lift(const Fluid& fluid, const FluidEllipsoid& piece, const Twist& motion,
                     double projected, const Vector3d& normal, double cosine) {
  const FluidCoefficients& c = piece.coefficients;
  const Vector3d& v = motion.linear;
  const Vector3d& w = motion.angular;
  const Vector3d momentum = fluid.density * piece.virtual_volume.cwiseProduct(v);
  const Vector3d spin = fluid.density * piece.virtual_moment.cwiseProduct(w);
  const double volume = 4.0 / 3.0 * pi * piece.semi_axes.prod();
  const Vector3d circulation = c.kutta_lift * fluid.density * cosine * projected * normal.cross(v);
  Twist acting;
  acting.linear = momentum.cross(w) + c.magnus_lift * fluid.density * volume * w.cross(v) +
                  circulation.cross(v);
  acting.angular = momentum.cross(v) + spin.cross(w);
  return acting;
}

/// Forces that turn a motion do so by at most half of it in a step: an explicit step gains energy
/// from a larger turn.
void limit_turning(Twist& lift, const FluidEllipsoid& piece, const Twist& motion, double h) {
  const double reach = piece.linear_share * motion.linear.squaredNorm() +
                       piece.angular_share * motion.angular.squaredNorm();
  const double push = lift.linear.squaredNorm() / std::max(tiny, piece.linear_share) +
                      lift.angular.squaredNorm() / std::max(tiny, piece.angular_share);
  if (!(h * h * push > 0.25 * reach)) return;
  const double scale = 0.5 * std::sqrt(reach / push) / h;
  lift.linear *= scale;
  lift.angular *= scale;
}

Twist ellipsoid_forces(const Fluid& fluid, const FluidEllipsoid& piece, const Twist& motion,
                       double h) {
  const FluidCoefficients& c = piece.coefficients;
  const Vector3d& s = piece.semi_axes;
  const Vector3d& v = motion.linear;
  const Vector3d& w = motion.angular;
  const double speed = v.norm();
  const double largest = s.maxCoeff();
  const double middle = s.sum() - largest - s.minCoeff();
  const Vector3d faces(s[1] * s[2], s[2] * s[0], s[0] * s[1]);  // over π: areas seen along the axes

  // What the medium sees along the velocity.
  const Vector3d normal = faces.cwiseAbs2().cwiseProduct(v);
  const double denominator = normal.squaredNorm();
  const double numerator = faces.cwiseProduct(v).squaredNorm();
  const double projected = pi * std::sqrt(denominator / std::max(tiny, numerator));
  const double cosine = numerator / std::max(tiny, speed * denominator);

  Twist acting = ellipsoid_lift(fluid, piece, motion, projected, normal, cosine);
  limit_turning(acting, piece, motion, h);

  const double diameter = 2.0 / 3.0 * s.sum();
  const double widest = pi * largest * middle;
  const double along =
      3.0 * pi * diameter * fluid.viscosity +
      fluid.density * speed * (projected * c.blunt_drag + c.slender_drag * (widest - projected));
  const double turned = 8.0 / 15.0 * pi * middle * std::pow(largest, 4);
  Vector3d resisted;
  for (int i = 0; i < 3; ++i) {
    const double moment =
        8.0 / 15.0 * pi * s[i] * std::pow(std::max(s[(i + 1) % 3], s[(i + 2) % 3]), 4);
    resisted[i] = w[i] * (c.angular_drag * moment + c.slender_drag * (turned - moment));
  }
  const double about =
      pi * diameter * diameter * diameter * fluid.viscosity + fluid.density * resisted.norm();
  acting.linear -= std::min(along, piece.linear_share / h) * v;
  acting.angular -= std::min(about, piece.angular_share / h) * w;
  return acting;
}

}  // namespace

void add_fluid_forces(const Model& model, const DynamicsData<double>& data, double h,
                      std::span<Force<double>> bodies) {
  const Fluid& fluid = model.fluid();
  for (const FluidBox& box : fluid.boxes) {
    const Piece piece(data, box.body, box.pose, fluid.wind);
    add(piece, box_drag(fluid, box, piece.motion, h), bodies[index(box.body)]);
  }
  for (const FluidEllipsoid& ellipsoid : fluid.ellipsoids) {
    const Piece piece(data, ellipsoid.body, ellipsoid.pose, fluid.wind);
    add(piece, ellipsoid_forces(fluid, ellipsoid, piece.motion, h), bodies[index(ellipsoid.body)]);
  }
}

}  // namespace stiction
