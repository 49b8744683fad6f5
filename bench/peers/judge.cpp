#include "bench/peers/judge.hpp"

#include <algorithm>
#include <cmath>

#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/kinematics.hpp"

namespace stiction::bench {

namespace {

void read_bodies(const DynamicsData<double>& data, std::vector<PeerBody>& bodies) {
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const Eigen::Matrix<double, 6, 1> twist = body_velocity(data, static_cast<int>(k));
    bodies[k] = {body_pose(data, static_cast<int>(k)), twist.head<3>(), twist.tail<3>()};
  }
}

Eigen::Matrix3d axes_of(const Eigen::Vector3d& normal) {
  Eigen::Matrix3d axes;
  axes.col(2) = normal.normalized();
  axes.col(0) = axes.col(2).unitOrthogonal();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  return axes;
}

}  // namespace

PeerJudge::PeerJudge(const PeerScene& scene)
    : scene_(scene),
      model_(scene.built.model),
      data_(model_),
      collider_(model_),
      kernel_(model_, 1),
      bodies_(static_cast<std::size_t>(model_.body_count())),
      moving_(bodies_.size()) {
  state_.q = scene.q;
  state_.v = scene.v;
}

void PeerJudge::look(PeerEngine& engine) {
  q_before_ = state_.q;
  const std::vector<PeerBody> before = bodies_;
  engine.read(state_);
  if (!finite()) return;
  if (state_.bodies.empty()) {
    // Velocities of this moment at the positions before, which is what the engine solved for.
    update_kinematics(model_, data_, q_before_, state_.v);
    read_bodies(data_, moving_);
    update_kinematics(model_, data_, state_.q, state_.v);
    read_bodies(data_, bodies_);
    return;
  }
  bodies_ = state_.bodies;
  moving_ = bodies_;
  for (std::size_t k = 0; k < moving_.size(); ++k) moving_[k].pose = before[k].pose;
}

bool PeerJudge::finite() const {
  return state_.q.allFinite() && state_.v.allFinite() &&
         std::ranges::all_of(state_.bodies, [](const PeerBody& body) {
           return body.pose.matrix().allFinite() && body.velocity.allFinite();
         });
}

void PeerJudge::measure_overlaps() {
  for (const int k : collider_.moving_shapes()) {
    const Shape& shape = model_.shapes()[index(k)];
    const Eigen::Isometry3d pose = bodies_[index(shape.body)].pose * shape.pose;
    Placement& placement = collider_.placements()[index(k)];
    placement.position = from_eigen(Eigen::Vector3d(pose.translation()));
    placement.rotation = from_eigen(Eigen::Matrix3d(pose.linear()));
  }
  for (const CollisionPoint& point : collider_.find(0.0)) {
    if (point.gap >= 0.0) continue;
    sum_ -= point.gap;
    points_ += 1.0;
    deepest_ = std::max(deepest_, -point.gap);
  }
}

double PeerJudge::energy() const {
  double sum = 0.0;
  for (int k = 0; k < model_.body_count(); ++k) {
    const PeerBody& body = bodies_[index(k)];
    const BodyInertia& inertia = model_.body_inertia(k);
    const Eigen::Vector3d arm = body.pose.rotation() * inertia.center_of_mass;
    const Eigen::Vector3d velocity = body.velocity + body.spin.cross(arm);
    const Eigen::Vector3d spin = body.pose.rotation().transpose() * body.spin;
    sum += 0.5 * inertia.mass * velocity.squaredNorm() + 0.5 * spin.dot(inertia.inertia * spin) -
           inertia.mass * model_.gravity().dot(body.pose.translation() + arm);
  }
  return sum;
}

double PeerJudge::horizontal_velocity() const {
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  for (int k = 0; k < model_.body_count(); ++k) {
    const PeerBody& body = bodies_[index(k)];
    const BodyInertia& inertia = model_.body_inertia(k);
    const Eigen::Vector3d velocity =
        body.velocity + body.spin.cross(body.pose.rotation() * inertia.center_of_mass);
    sum += inertia.mass * velocity.head<2>();
  }
  return sum.norm() / model_.total_mass();
}

double PeerJudge::fastest() const {
  double most = 0.0;
  for (const PeerBody& body : bodies_) most = std::max(most, body.velocity.norm());
  return most;
}

std::vector<Eigen::Vector3d> PeerJudge::tracked() const {
  std::vector<Eigen::Vector3d> points;
  const Eigen::Isometry3d frame = scene_.tracked_in == world_body
                                      ? Eigen::Isometry3d::Identity()
                                      : bodies_[index(scene_.tracked_in)].pose;
  for (const TrackedPoint& point : scene_.tracked) {
    points.push_back(frame.inverse() * (bodies_[index(point.body)].pose * point.point));
    if (scene_.track_horizontally) points.back().z() = 0.0;
  }
  return points;
}

Eigen::Vector3d PeerJudge::velocity_at(int body, const Eigen::Vector3d& point) const {
  if (body == world_body) return Eigen::Vector3d::Zero();
  const PeerBody& at = moving_[index(body)];
  return at.velocity + at.spin.cross(Eigen::Vector3d(point - at.pose.translation()));
}

Certificate PeerJudge::certify(const std::vector<PeerContact>& contacts) {
  // Blocks beside the diagonal are left out: with v* = v − Gλ the residual of a block depends on
  // its own velocity, impulse and diagonal block alone.
  update_kinematics(model_, data_, q_before_, state_.v);
  factorize<double>(model_, data_);
  const double h = scene_.built.time_step;
  const auto rows = static_cast<Eigen::Index>(3 * contacts.size());
  Eigen::VectorXd impulses(rows), velocities(rows), blocks(3 * rows);
  problem_.clear();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const PeerContact& contact = contacts[k];
    const Eigen::Matrix3d axes = axes_of(contact.normal);
    const auto row = static_cast<Eigen::Index>(3 * k);
    const Eigen::Vector3d impulse = axes.transpose() * contact.impulse;
    const Eigen::Vector3d velocity =
        axes.transpose() *
        (velocity_at(contact.body_b, contact.point) - velocity_at(contact.body_a, contact.point));
    const double slowest = -std::max(contact.gap, 0.0) / h;
    const double quickest = std::max(-contact.gap, 0.0) / h;
    const double target = impulse.z() > 0.0 ? std::clamp(velocity.z(), slowest, quickest) : slowest;
    problem_.add_contact(scene_.built.friction, target);
    impulses.segment<3>(row) = impulse;
    velocities.segment<3>(row) = velocity;
    kernel_.begin(1);
    kernel_.set_point(
        model_, data_, 0,
        {contact.body_a, contact.body_b, from_eigen(contact.point), from_eigen(axes)});
    const Eigen::Matrix3d block = to_eigen(kernel_.block(0, 0));
    Eigen::Map<Eigen::Matrix3d>(blocks.data() + 3 * row) = block;
    velocities.segment<3>(row) -= block * impulse;
  }
  problem_.use_dense();
  for (Eigen::Index row = 0; row < rows; row += 3) {
    problem_.edit_delassus().block<3, 3>(row, row) =
        Eigen::Map<const Eigen::Matrix3d>(blocks.data() + 3 * row);
  }
  problem_.edit_free_velocity() = velocities;
  problem_.prepare();
  judge_.open(problem_);
  return judge_.examine(Law::coulomb, {impulses.data(), static_cast<std::size_t>(rows)});
}

}  // namespace stiction::bench
