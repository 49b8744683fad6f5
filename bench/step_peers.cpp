/// \file
/// Bullet and ODE in the race of steps, as in the comparison of all engines.

#include <algorithm>

#include "bench/peers/engines.hpp"
#include "bench/step_engine.hpp"

namespace stiction::bench {

namespace {

/// The friction of what touches; all of it is the same.
double friction_of(const Model& model) {
  const std::vector<char> touching = touching_shapes(model);
  const auto first = std::ranges::find(touching, char{1}) - touching.begin();
  const Shape& shape = model.shapes()[static_cast<std::size_t>(first)];
  return model.materials()[static_cast<std::size_t>(shape.material)].friction;
}

PeerModel peer_model(const StepRobot& robot) {
  return {robot.model, robot.time_step, friction_of(robot.model), {}};
}

class PeerStep : public StepEngine {
 public:
  PeerStep(const StepRobot& robot, std::unique_ptr<PeerEngine> engine)
      : stand_(robot.stand),
        rest_(Eigen::VectorXd::Zero(robot.model.velocity_count())),
        engine_(std::move(engine)) {
    reset(stand_.head<3>(), Eigen::Vector3d::Zero());
  }

  void reset(const Eigen::Vector3d& position, const Eigen::Vector3d& velocity) override {
    Eigen::VectorXd q = stand_, v = rest_;
    q.head<3>() = position;
    v.head<3>() = velocity;
    engine_->reset(q, v);
  }
  void read_legs(LegState& legs) override { engine_->read_joints(legs.angle, legs.rate); }
  double fastest() override {
    engine_->read(state_);
    return state_.v.cwiseAbs().maxCoeff();
  }
  void step(const LegTorques& torques) override { engine_->step(torques); }
  void read_state(FullState& state) override {
    engine_->read(state_);
    state.q = state_.q;
    state.v = state_.v;
  }
  [[nodiscard]] int contacts() const override { return engine_->contacts(); }

 private:
  Eigen::VectorXd stand_, rest_;
  std::unique_ptr<PeerEngine> engine_;
  PeerState state_;
};

std::unique_ptr<StepEngine> make_bullet(const StepRobot& robot, int setting) {
  const BulletSetting choice{.dantzig = setting == 1};
  return std::make_unique<PeerStep>(robot, make_bullet_peer(peer_model(robot), choice));
}

std::unique_ptr<StepEngine> make_ode(const StepRobot& robot, int setting) {
  return std::make_unique<PeerStep>(robot, make_ode_peer(peer_model(robot), setting));
}

}  // namespace

std::vector<StepEntry> bullet_entries() {
  if (bullet_peers().empty()) return {};
  return {{"Bullet", "10 iterations", make_bullet, 0}, {"Bullet", "Dantzig", make_bullet, 1}};
}

std::vector<StepEntry> ode_entries() {
  if (ode_peers().empty()) return {};
  return {{"ODE", "quick step, 20 iterations", make_ode, 20}, {"ODE", "world step", make_ode, 0}};
}

}  // namespace stiction::bench
