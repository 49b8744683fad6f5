#include "support/collision_cases.hpp"

namespace stiction::test::pairs {

ShapeGeometry make_shape(ShapeKind kind, const Eigen::Vector3d& size) {
  ShapeGeometry shape;
  shape.kind = kind;
  shape.size = from_eigen(size);
  switch (kind) {
    case ShapeKind::sphere:
      shape.radius = size.x();
      break;
    case ShapeKind::capsule:
      shape.radius = size.x() + size.y();
      break;
    case ShapeKind::cylinder:
      shape.radius = std::hypot(size.x(), size.y());
      break;
    case ShapeKind::box:
      shape.radius = size.norm();
      break;
    case ShapeKind::ellipsoid:
      shape.radius = size.maxCoeff();
      break;
    default:
      shape.radius = INFINITY;
  }
  return shape;
}

Placement make_placement(const Eigen::Vector3d& position, const Eigen::Matrix3d& rotation) {
  return {from_eigen(rotation), from_eigen(position)};
}

Placement moved(const Eigen::Isometry3d& motion, const Placement& at) {
  return make_placement(motion * to_eigen(at.position), motion.linear() * to_eigen(at.rotation));
}

PointBuffer find_points(const Case& c, double margin) {
  PointBuffer points;
  narrow_function(c.a, c.b)(c.a, c.at_a, c.b, c.at_b, margin, points);
  return points;
}

int deepest(const PointBuffer& points) {
  int best = -1;
  for (int i = 0; i < points.count(); ++i) {
    if (best < 0 || points[i].gap < points[best].gap) best = i;
  }
  return best;
}

Eigen::Vector3d random_direction(Random& random) {
  const Eigen::Vector3d v(random.normal(), random.normal(), random.normal());
  return v.normalized();
}

Eigen::Matrix3d random_rotation(Random& random) {
  return Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
      .normalized()
      .toRotationMatrix();
}

Eigen::Matrix3d nearly_aligned_rotation(Random& random) {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  const double quarter = std::acos(0.0);
  for (int i = 0; i < 3; ++i) {
    const Eigen::AngleAxisd turn(quarter * random.index(4), Eigen::Vector3d::Unit(random.index(3)));
    rotation = turn.toRotationMatrix().array().round().matrix() * rotation;
  }
  if (random.index(4) == 0) return rotation;
  const double tilt = std::pow(10.0, random.uniform(-14.0, -1.0));
  return Eigen::AngleAxisd(tilt, random_direction(random)).toRotationMatrix() * rotation;
}

ShapeGeometry random_shape(ShapeKind kind, Random& random) {
  const auto length = [&] { return random.uniform(0.05, 0.5); };
  return make_shape(kind, {length(), length(), length()});
}

Case random_case(ShapeKind a, ShapeKind b, bool aligned, Random& random) {
  Case c{random_shape(a, random), random_shape(b, random), {}, {}};
  const auto rotation = [&] {
    return aligned ? nearly_aligned_rotation(random) : random_rotation(random);
  };
  c.at_a = make_placement(random.uniform(0.0, 2.0) * random_direction(random), rotation());
  const Eigen::Vector3d center = to_eigen(c.at_a.position);
  Eigen::Vector3d offset = random.uniform(0.0, 1.1) * c.size() * random_direction(random);
  if (aligned && a == ShapeKind::box && b == ShapeKind::box && random.index(2) == 0) {
    // Faces, edges or corners that just touch, up to rounding or a little more.
    const Eigen::Matrix3d Ra = to_eigen(c.at_a.rotation);
    Eigen::Vector3d local;
    for (int i = 0; i < 3; ++i) {
      const double touch = (&c.a.size.x)[i] + (&c.b.size.x)[i];
      local[i] = random.uniform(-1.0, 1.0) * touch;
      if (random.index(2) == 0) {
        local[i] = touch + (random.index(3) - 1) * std::pow(10.0, random.uniform(-16.0, -2.0));
      }
    }
    c.at_b = make_placement(center + Ra * local,
                            random.index(2) == 0 ? Ra : Eigen::Matrix3d(rotation() * Ra));
    return c;
  }
  c.at_b = make_placement(center + offset, rotation());
  return c;
}

double support(const ShapeGeometry& shape, const Placement& at, const Eigen::Vector3d& n) {
  const Eigen::Vector3d local = to_eigen(at.rotation).transpose() * n;
  const Eigen::Vector3d size = to_eigen(shape.size);
  const double center = n.dot(to_eigen(at.position));
  const double across = std::hypot(local.x(), local.y());
  switch (shape.kind) {
    case ShapeKind::sphere:
      return center + size.x();
    case ShapeKind::capsule:
      return center + size.x() + size.y() * std::abs(local.z());
    case ShapeKind::cylinder:
      return center + size.x() * across + size.y() * std::abs(local.z());
    case ShapeKind::box:
      return center + size.dot(local.cwiseAbs());
    case ShapeKind::ellipsoid:
      return center + size.cwiseProduct(local).norm();
    default:
      return NAN;
  }
}

double separation(const Case& c, const Eigen::Vector3d& n) {
  return -support(c.b, c.at_b, -n) - support(c.a, c.at_a, n);
}

double searched_gap(const Case& c, const Eigen::Vector3d& start, Random& random) {
  Eigen::Vector3d best = start;
  double largest = separation(c, start);
  const auto attempt = [&](const Eigen::Vector3d& n) {
    const double value = separation(c, n);
    if (value <= largest) return;
    largest = value;
    best = n;
  };
  for (int i = 0; i < 100; ++i) attempt(random_direction(random));
  for (int i = 0; i < 200; ++i) {
    const double width = std::pow(10.0, random.uniform(-6.0, 0.0));
    attempt((best + width * random_direction(random)).normalized());
  }
  return largest;
}

std::string describe(const Case& c) {
  const auto one = [](const ShapeGeometry& shape, const Placement& at) {
    std::string text(to_string(shape.kind));
    const Eigen::Matrix3d R = to_eigen(at.rotation);
    const Eigen::Quaterniond q(R);
    char numbers[400];
    std::snprintf(numbers, sizeof numbers,
                  " size %.17g %.17g %.17g at %.17g %.17g %.17g quat_xyzw %.17g %.17g %.17g %.17g",
                  shape.size.x, shape.size.y, shape.size.z, at.position.x, at.position.y,
                  at.position.z, q.x(), q.y(), q.z(), q.w());
    return text + numbers;
  };
  return one(c.a, c.at_a) + "\n" + one(c.b, c.at_b);
}

}  // namespace stiction::test::pairs
