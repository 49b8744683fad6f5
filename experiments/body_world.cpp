#include "experiments/body_world.hpp"

#include <algorithm>

#include "stiction/sim/scene.hpp"
#include "stiction/sim/simulation.hpp"

namespace stiction::experiments {

Eigen::Vector3d BodySpec::inertia() const {
  if (kind == Kind::ball) return Eigen::Vector3d::Constant(0.4 * mass * radius() * radius());
  const Eigen::Vector3d s = half_size.cwiseAbs2();
  return mass / 3.0 * Eigen::Vector3d(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
}

double total_energy(const BodyScene& scene, const BodyWorld& world) {
  double energy = 0.0;
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    const BodySpec& body = scene.bodies[k];
    const BodyMotion motion = world.motion(static_cast<int>(k));
    const Eigen::Vector3d spin = motion.attitude.conjugate() * motion.spin;
    energy += body.mass * (0.5 * motion.velocity.squaredNorm() + gravity * motion.position.z()) +
              0.5 * spin.dot(body.inertia().cwiseProduct(spin));
  }
  return energy;
}

double squared_overlaps(const BodyScene& scene, const BodyWorld& world) {
  std::vector<BodyMotion> motions;
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    motions.push_back(world.motion(static_cast<int>(k)));
  }
  const auto squared = [](double gap) { return gap < 0.0 ? gap * gap : 0.0; };
  double sum = 0.0;
  for (std::size_t a = 0; a < motions.size(); ++a) {
    const double radius = scene.bodies[a].radius();
    sum += squared(motions[a].position.z() - radius);
    for (std::size_t b = 0; b < a; ++b) {
      const double reach = radius + scene.bodies[b].radius();
      const Eigen::Vector3d apart = motions[a].position - motions[b].position;
      if (apart.squaredNorm() < reach * reach) sum += squared(apart.norm() - reach);
    }
  }
  return sum;
}

namespace {

Model make_model(const BodyScene& scene) {
  SceneBuilder builder(scene.name);
  builder.set_gravity({0.0, 0.0, -gravity});
  builder.set_time_step(scene.time_step);
  builder.use_material(scene.floor_friction, scene.floor_restitution);
  builder.add_plane("floor");
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    const BodySpec& body = scene.bodies[k];
    const int material = builder.use_material(body.friction, body.restitution);
    const std::string name = "body" + std::to_string(k);
    if (body.kind == BodySpec::Kind::ball) {
      builder.add_sphere(name, body.radius(), body.mass, at(body.position), material);
    } else {
      builder.add_box(name, body.half_size, body.mass, at(body.position), material);
    }
  }
  return builder.build();
}

class StictionWorld : public BodyWorld {
 public:
  StictionWorld(const BodyScene& scene, const StepOptions& options)
      : simulation_(make_model(scene), options) {
    const Model& model = simulation_.model();
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
      bodies_.push_back(*model.find_body("body" + std::to_string(k)));
    }
  }

  void step(const Eigen::Vector3d& push) override {
    if (!push.isZero()) {
      ExternalForce force;
      force.body = bodies_.front();
      force.force = push;
      simulation_.push(force);
    }
    const StepReport& report = simulation_.step();
    if (report.status == StepStatus::refused || report.status == StepStatus::diverged) {
      throw std::runtime_error("a step of Stiction failed: " + report.message);
    }
    ++counts_.steps;
    counts_.not_certified += report.ok() ? 0 : 1;
    counts_.iterations += report.iterations;
    counts_.contacts += static_cast<double>(report.contacts.size());
    counts_.worst_residual = std::max(counts_.worst_residual, report.certificate.residual());
  }

  [[nodiscard]] BodyMotion motion(int body) const override {
    const Joint& joint = simulation_.model().joint(bodies_[static_cast<std::size_t>(body)]);
    const State& state = simulation_.state();
    BodyMotion motion;
    motion.position = state.q.segment<3>(joint.position_index);
    motion.attitude.coeffs() = state.q.segment<4>(joint.position_index + 3);
    motion.velocity = state.v.segment<3>(joint.velocity_index);
    motion.spin = state.v.segment<3>(joint.velocity_index + 3);
    return motion;
  }

  [[nodiscard]] const OwnCounts* counts() const override { return &counts_; }

 private:
  Simulation simulation_;
  std::vector<int> bodies_;
  OwnCounts counts_;
};

}  // namespace

std::unique_ptr<BodyWorld> make_stiction_world(const BodyScene& scene, const StepOptions& options) {
  return std::make_unique<StictionWorld>(scene, options);
}

}  // namespace stiction::experiments
