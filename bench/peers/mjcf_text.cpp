#include "bench/peers/mjcf_text.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <stdexcept>

namespace stiction::bench {

namespace {

std::string numbers(const Eigen::Vector3d& v) {
  return fmt::format("{} {} {}", v.x(), v.y(), v.z());
}

std::string place(const Eigen::Isometry3d& pose) {
  const Eigen::Quaterniond turn(pose.rotation());
  return fmt::format("pos=\"{}\" quat=\"{} {} {} {}\"", numbers(pose.translation()), turn.w(),
                     turn.x(), turn.y(), turn.z());
}

class Writer {
 public:
  Writer(const PeerModel& scene, const std::string& softness)
      : scene_(scene),
        model_(scene.model),
        softness_(softness),
        touching_(touching_shapes(scene.model)) {}

  std::string text(int contacts) {
    text_ = fmt::format(
        "<mujoco><compiler angle=\"radian\" boundmass=\"0\" boundinertia=\"0\"/>"
        "<option timestep=\"{}\" gravity=\"{}\"/><size njmax=\"{}\" nconmax=\"{}\"/><worldbody>\n",
        scene_.time_step, numbers(model_.gravity()), (scene_.friction > 0.0 ? 4 : 1) * contacts,
        contacts);
    add_shapes(world_body);
    for (int body = 0; body < model_.body_count(); ++body) {
      if (model_.parent(body) == world_body) add_body(body);
    }
    text_ += "</worldbody>\n<contact>";
    add_excludes();
    return text_ + "</contact></mujoco>\n";
  }

 private:
  void add_body(int body) {
    const bool floats = model_.joint(body).kind == JointKind::floating;
    text_ +=
        fmt::format("<body name=\"b{}\" {}>", body, floats ? "" : place(model_.joint_pose(body)));
    if (floats) {
      text_ += "<freejoint/>";
    } else {
      text_ += fmt::format("<joint type=\"{}\" axis=\"{}\"/>",
                           model_.joint(body).kind == JointKind::prismatic ? "slide" : "hinge",
                           numbers(model_.joint_axis(body)));
    }
    // Diagonal inertias: MuJoCo 2.2.2 finds principal axes with an error of 4e-8.
    const BodyInertia& inertia = model_.body_inertia(body);
    const PrincipalFrame frame = principal_frame(inertia);
    text_ += fmt::format("<inertial {} mass=\"{}\" diaginertia=\"{}\"/>\n", place(frame.in_body),
                         inertia.mass, numbers(frame.inertia));
    add_shapes(body);
    for (int child = body + 1; child < model_.body_count(); ++child) {
      if (model_.parent(child) == body) add_body(child);
    }
    text_ += "</body>\n";
  }

  void add_shapes(int body) {
    for (std::size_t k = 0; k < touching_.size(); ++k) {
      const Shape& shape = model_.shapes()[k];
      if (shape.body != body || touching_[k] == 0) continue;
      text_ += fmt::format(
          "<geom type=\"{}\" size=\"{}\" {} contype=\"{}\" conaffinity=\"{}\" condim=\"{}\" "
          "friction=\"{} 0 0\" {}/>\n",
          kind(shape), shape.kind == ShapeKind::plane ? "100 100 1" : numbers(shape.size),
          place(shape.pose), shape.collision_group, shape.collision_mask,
          scene_.friction > 0.0 ? 3 : 1, scene_.friction, softness_);
    }
  }

  static std::string kind(const Shape& shape) {
    switch (shape.kind) {
      case ShapeKind::sphere:
        return "sphere";
      case ShapeKind::box:
        return "box";
      case ShapeKind::capsule:
        return "capsule";
      case ShapeKind::plane:
        return "plane";
      default:
        break;
    }
    throw std::runtime_error("the comparison has spheres, boxes, capsules and planes only");
  }

  void add_excludes() {
    for (const auto& [a, b] : model_.excluded_shapes()) {
      const int body_a = model_.shapes()[static_cast<std::size_t>(a)].body;
      const int body_b = model_.shapes()[static_cast<std::size_t>(b)].body;
      if (body_a < 0 || body_b < 0) continue;
      text_ += fmt::format("<exclude body1=\"b{}\" body2=\"b{}\"/>", body_a, body_b);
    }
  }

  const PeerModel& scene_;
  const Model& model_;
  const std::string& softness_;
  std::vector<char> touching_;
  std::string text_;
};

}  // namespace

PrincipalFrame principal_frame(const BodyInertia& body) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(body.inertia);
  Eigen::Matrix3d axes = solver.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(2) *= -1.0;
  PrincipalFrame frame;
  frame.in_body.linear() = axes;
  frame.in_body.translation() = body.center_of_mass;
  frame.inertia = solver.eigenvalues();
  return frame;
}

std::string mjcf_text(const PeerModel& scene, const std::string& softness, int contacts) {
  return Writer(scene, softness).text(contacts);
}

}  // namespace stiction::bench
