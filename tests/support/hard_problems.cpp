#include "support/hard_problems.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "stiction/core/random.hpp"

namespace stiction::test {

std::string_view hard_problem_family(int index) {
  constexpr std::string_view families[] = {"chain of 20 links", "stack 1:1000", "table 1:1000",
                                           "hyperstatic boxes", "wedge with e > 1"};
  return families[index / hard_problems_per_family];
}

namespace {

/// Rigid bodies that touch each other and the world (body -1), and may hang together by ball
/// joints.
class RigidScene {
 public:
  static constexpr double gravity = 9.81;     ///< [m/s²], along −z
  static constexpr double time_step = 0.001;  ///< [s]

  /// A box by its full edges, its pose and its velocity; returns its index.
  int add_box(double mass, const Eigen::Vector3d& size, const Eigen::Isometry3d& pose,
              const Eigen::Vector3d& linear = Eigen::Vector3d::Zero(),
              const Eigen::Vector3d& angular = Eigen::Vector3d::Zero()) {
    const Eigen::Vector3d squares = size.cwiseAbs2();
    const Eigen::Vector3d inertia =
        mass / 12.0 *
        Eigen::Vector3d(squares.y() + squares.z(), squares.x() + squares.z(),
                        squares.x() + squares.y());
    const Eigen::Matrix3d R = pose.linear();
    Body body{pose, {}, {}};
    body.inverse_mass.setZero();
    body.inverse_mass.topLeftCorner<3, 3>() = Eigen::Matrix3d::Identity() / mass;
    body.inverse_mass.bottomRightCorner<3, 3>() =
        R * inertia.cwiseInverse().asDiagonal() * R.transpose();
    body.velocity << linear, angular;
    body.velocity.z() -= time_step * gravity;
    bodies_.push_back(body);
    return static_cast<int>(bodies_.size()) - 1;
  }

  /// Body `b` may not move against `normal` (from a to b) at a point of the world.
  void add_contact(int a, int b, const Eigen::Vector3d& point, const Eigen::Vector3d& normal,
                   double friction, double target = 0.0) {
    contacts_.push_back({a, b, point, normal.normalized(), friction, target});
  }

  /// Four contacts at the lower corners of a box that stands on another body or on the world.
  void add_corners(int below, int box, const Eigen::Vector3d& size, double friction) {
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) {
        const Eigen::Vector3d corner(x * size.x(), y * size.y(), -0.5 * size.z());
        add_contact(below, box, bodies_[static_cast<std::size_t>(box)].pose * corner,
                    bodies_[static_cast<std::size_t>(box)].pose.linear().col(2), friction);
      }
    }
  }

  void add_ball_joint(int a, int b, const Eigen::Vector3d& point) {
    joints_.push_back({a, b, point});
  }

  /// Dense; joints are eliminated: M⁻¹ becomes M⁻¹ − M⁻¹Cᵀ(C M⁻¹ Cᵀ)⁻¹ C M⁻¹.
  [[nodiscard]] ContactProblem problem() const {
    const auto n = static_cast<Eigen::Index>(6 * bodies_.size());
    Eigen::MatrixXd inverse_mass = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd u(n);
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(6 * i);
      inverse_mass.block<6, 6>(at, at) = bodies_[i].inverse_mass;
      u.segment<6>(at) = bodies_[i].velocity;
    }
    if (!joints_.empty()) eliminate_joints(inverse_mass, u);

    ContactProblem problem;
    for (const Contact& contact : contacts_) problem.add_contact(contact.friction, contact.target);
    problem.use_dense();
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(problem.row_count(), n);
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& contact = contacts_[i];
      const Eigen::Matrix3d axes = contact_axes(contact.normal);
      const auto row = static_cast<Eigen::Index>(3 * i);
      add_point(contact.b, contact.point, axes.transpose(), row, J);
      add_point(contact.a, contact.point, -axes.transpose(), row, J);
    }
    const Eigen::MatrixXd G = J * inverse_mass * J.transpose();
    problem.edit_delassus() = 0.5 * (G + G.transpose());
    problem.edit_free_velocity() = J * u;
    problem.prepare();
    return problem;
  }

 private:
  struct Body {
    Eigen::Isometry3d pose;
    Eigen::Matrix<double, 6, 6> inverse_mass;
    Eigen::Matrix<double, 6, 1> velocity;  ///< linear at the centre, angular; world axes
  };
  struct Contact {
    int a;
    int b;
    Eigen::Vector3d point;
    Eigen::Vector3d normal;
    double friction;
    double target;
  };
  struct Joint {
    int a;
    int b;
    Eigen::Vector3d point;
  };

  static Eigen::Matrix3d contact_axes(const Eigen::Vector3d& normal) {
    Eigen::Matrix3d axes;
    axes.col(0) = normal.unitOrthogonal();
    axes.col(1) = normal.cross(axes.col(0));
    axes.col(2) = normal;
    return axes;
  }

  /// Adds `rows` · (velocity of the body's point) to J.
  void add_point(int body, const Eigen::Vector3d& point, const Eigen::Matrix3d& rows,
                 Eigen::Index row, Eigen::MatrixXd& J) const {
    if (body < 0) return;
    const Eigen::Vector3d arm = point - bodies_[static_cast<std::size_t>(body)].pose.translation();
    Eigen::Matrix3d cross;
    cross << 0.0, -arm.z(), arm.y(), arm.z(), 0.0, -arm.x(), -arm.y(), arm.x(), 0.0;
    J.block<3, 3>(row, 6 * body) += rows;
    J.block<3, 3>(row, 6 * body + 3) -= rows * cross;
  }

  void eliminate_joints(Eigen::MatrixXd& inverse_mass, Eigen::VectorXd& u) const {
    Eigen::MatrixXd C =
        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(3 * joints_.size()), u.size());
    for (std::size_t i = 0; i < joints_.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(3 * i);
      add_point(joints_[i].b, joints_[i].point, Eigen::Matrix3d::Identity(), row, C);
      add_point(joints_[i].a, joints_[i].point, -Eigen::Matrix3d::Identity(), row, C);
    }
    const Eigen::MatrixXd MC = inverse_mass * C.transpose();
    const Eigen::LDLT<Eigen::MatrixXd> factor(C * MC);
    u -= MC * factor.solve(C * u);
    inverse_mass -= MC * factor.solve(MC.transpose());
  }

  std::vector<Body> bodies_;
  std::vector<Contact> contacts_;
  std::vector<Joint> joints_;
};

Eigen::Isometry3d pose_at(const Eigen::Vector3d& position, double yaw = 0.0) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  pose.translation() = position;
  pose.linear() = Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  return pose;
}

Eigen::Vector3d random_direction(Random& random) {
  return Eigen::Vector3d(random.normal(), random.normal(), random.normal()).normalized();
}

/// Links of 10 cm that wind over the ground; both ends of each touch it.
void add_chain(Random& random, RigidScene& scene) {
  constexpr int links = 20;
  const Eigen::Vector3d size(0.1, 0.02, 0.02);
  const double friction = random.uniform(0.2, 1.2);
  const Eigen::Vector3d drift = random.uniform(0.0, 0.5) * random_direction(random);
  Eigen::Vector3d joint(0.0, 0.0, 0.01);
  double yaw = random.uniform(-3.0, 3.0);
  for (int i = 0; i < links; ++i) {
    const Eigen::Vector3d along(std::cos(yaw), std::sin(yaw), 0.0);
    const Eigen::Vector3d slip(drift.x(), drift.y(), -0.2 * random.uniform());
    const int link =
        scene.add_box(0.2, size, pose_at(joint + 0.05 * along, yaw),
                      slip + 0.1 * random_direction(random), 2.0 * random_direction(random));
    if (i > 0) scene.add_ball_joint(link - 1, link, joint);
    for (const double end : {0.02, 0.08}) {
      const Eigen::Vector3d foot = joint + end * along - Eigen::Vector3d(0.0, 0.0, 0.01);
      scene.add_contact(-1, link, foot, Eigen::Vector3d::UnitZ(), friction);
    }
    joint += 0.1 * along;
    yaw += random.uniform(-0.6, 0.6);
  }
}

/// Light boxes below heavy ones, a mass ratio of 1000 from floor to floor, pushed sideways.
void add_stack(Random& random, RigidScene& scene) {
  const int floors = 4 + random.index(3);
  const double friction = random.uniform(0.3, 0.9);
  const Eigen::Vector3d size(0.4, 0.4, 0.2);
  for (int i = 0; i < floors; ++i) {
    const bool heavy = i % 2 == 1;
    const Eigen::Vector3d push(random.uniform(-0.02, 0.02), random.uniform(-0.02, 0.02), 0.0);
    const Eigen::Vector3d position(random.uniform(-0.02, 0.02), random.uniform(-0.02, 0.02),
                                   0.1 + 0.2 * i);
    const int box = scene.add_box(heavy ? 1000.0 : 1.0, size,
                                  pose_at(position, random.uniform(-0.1, 0.1)), push);
    scene.add_corners(i - 1, box, size, friction);
  }
}

/// A slab of a ton on four legs of a kilogram, with a load on it.
void add_table(Random& random, RigidScene& scene) {
  const double friction = random.uniform(0.3, 0.9);
  const Eigen::Vector3d leg_size(0.1, 0.1, 0.5);
  std::vector<Eigen::Vector3d> feet;
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      const Eigen::Vector3d at(x + random.uniform(-0.1, 0.1), y + random.uniform(-0.1, 0.1), 0.25);
      const int leg = scene.add_box(1.0, leg_size, pose_at(at, random.uniform(-0.5, 0.5)),
                                    0.01 * random_direction(random));
      scene.add_corners(-1, leg, leg_size, friction);
      feet.push_back(at);
    }
  }
  const Eigen::Vector3d push(random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0.0);
  const int slab = scene.add_box(1000.0, {1.4, 1.4, 0.1}, pose_at({0.0, 0.0, 0.55}), push);
  for (std::size_t leg = 0; leg < feet.size(); ++leg) {
    for (const double x : {-0.04, 0.04}) {
      for (const double y : {-0.04, 0.04}) {
        scene.add_contact(static_cast<int>(leg), slab, feet[leg] + Eigen::Vector3d(x, y, 0.25),
                          Eigen::Vector3d::UnitZ(), friction);
      }
    }
  }
  const Eigen::Vector3d load(0.3, 0.3, 0.3);
  const int box =
      scene.add_box(random.uniform(1.0, 1000.0), load,
                    pose_at({random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), 0.75}),
                    0.2 * random_direction(random));
  scene.add_corners(slab, box, load, friction);
}

/// Boxes side by side between walls, each on 12 to 20 points: many more contacts than freedoms.
void add_hyperstatic_boxes(Random& random, RigidScene& scene) {
  const int boxes = 3 + random.index(4);
  const double friction = random.uniform(0.2, 1.0);
  const Eigen::Vector3d size(0.3, 0.3, 0.3);
  for (int i = 0; i < boxes; ++i) {
    const double x = 0.3 * i;
    const int box =
        scene.add_box(std::pow(10.0, random.uniform(-1.0, 2.0)), size, pose_at({x, 0.0, 0.15}),
                      {random.uniform(-0.3, 0.3), random.uniform(-0.1, 0.1), 0.0},
                      0.5 * random_direction(random));
    const int points = 12 + random.index(9);
    for (int k = 0; k < points; ++k) {
      const Eigen::Vector3d foot(x + random.uniform(-0.15, 0.15), random.uniform(-0.15, 0.15), 0.0);
      scene.add_contact(-1, box, foot, Eigen::Vector3d::UnitZ(), friction);
    }
    for (const double y : {-0.1, 0.1}) {
      for (const double z : {0.05, 0.25}) {
        scene.add_contact(i - 1, box, {x - 0.15, y, z}, Eigen::Vector3d::UnitX(), friction);
        if (i + 1 == boxes) {
          scene.add_contact(box, -1, {x + 0.15, y, z}, Eigen::Vector3d::UnitX(), friction);
        }
      }
    }
  }
}

/// Slanted rods that jam between floor, wall and each other: friction beyond Painlevé's bound, so
/// that the cone cuts the plane v_n = 0 in a hyperbola.
void add_wedge(Random& random, RigidScene& scene) {
  const int rods = 2 + random.index(4);
  const double friction = random.uniform(1.6, 4.0);
  constexpr double half = 0.5;
  for (int i = 0; i < rods; ++i) {
    const double angle = random.uniform(0.9, 1.25);  // of the rod against the ground [rad]
    const double yaw = random.uniform(-0.3, 0.3);
    const Eigen::Vector3d along(std::cos(angle) * std::cos(yaw), std::cos(angle) * std::sin(yaw),
                                std::sin(angle));
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.linear() =
        Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitX(), along).toRotationMatrix();
    pose.translation() = Eigen::Vector3d(0.0, 0.1 * i, half * along.z());
    const double mass = std::pow(10.0, random.uniform(-1.0, 2.0));
    const int rod = scene.add_box(mass, {2.0 * half, 0.02, 0.02}, pose,
                                  {random.uniform(-2.0, 2.0), random.uniform(-0.3, 0.3), -0.5},
                                  0.5 * random_direction(random));
    scene.add_contact(-1, rod, pose.translation() - half * along, Eigen::Vector3d::UnitZ(),
                      friction);
    scene.add_contact(rod, -1, pose.translation() + half * along, Eigen::Vector3d::UnitX(),
                      friction);
    if (i > 0) {
      scene.add_contact(rod - 1, rod, pose.translation() + random.uniform(-0.3, 0.3) * along,
                        Eigen::Vector3d::UnitY(), friction);
    }
  }
}

}  // namespace

ContactProblem hard_problem(int index) {
  Random random(0x5717c710u + static_cast<unsigned>(index));
  RigidScene scene;
  switch (index / hard_problems_per_family) {
    case 0:
      add_chain(random, scene);
      break;
    case 1:
      add_stack(random, scene);
      break;
    case 2:
      add_table(random, scene);
      break;
    case 3:
      add_hyperstatic_boxes(random, scene);
      break;
    default:
      add_wedge(random, scene);
      break;
  }
  return scene.problem();
}

}  // namespace stiction::test
