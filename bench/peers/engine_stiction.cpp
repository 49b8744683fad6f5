/// \file
/// Ours in the comparison: every option as it comes, and once with another solver.

#include <algorithm>

#include "bench/peers/peer.hpp"
#include "stiction/sim/step.hpp"

namespace stiction::bench {

namespace {

class StictionPeer : public PeerEngine {
 public:
  StictionPeer(const PeerModel& scene, const std::string& solver)
      : model_(scene.model),
        joints_(scalar_joints(model_)),
        state_(model_.initial_state()),
        workspace_(model_),
        forces_(static_cast<std::size_t>(model_.velocity_count())) {
    options_.time_step = scene.time_step;
    if (!solver.empty()) options_.solver = solver;
  }

  void reset(const Eigen::VectorXd& q, const Eigen::VectorXd& v) override {
    state_ = model_.initial_state();
    state_.q = q;
    state_.v = v;
    healthy_ = true;
  }

  void read_joints(std::span<double> positions, std::span<double> rates) override {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      positions[k] = state_.q[joints_[k].position];
      rates[k] = state_.v[joints_[k].velocity];
    }
  }

  void step(std::span<const double> torques) override {
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      forces_[static_cast<std::size_t>(joints_[k].velocity)] = torques[k];
    }
    StepInput input;
    input.joint_forces = forces_;
    stiction::step(model_, options_, input, state_, workspace_, report_);
    healthy_ &= report_.status != StepStatus::refused && report_.status != StepStatus::diverged;
  }

  void read(PeerState& state) override {
    state.q = state_.q;
    state.v = state_.v;
    state.bodies.clear();
  }

  [[nodiscard]] int contacts() const override { return static_cast<int>(report_.contacts.size()); }

  void read_contacts(std::vector<PeerContact>& contacts) override {
    contacts.clear();
    for (const StepContact& from : report_.contacts) {
      const Eigen::Matrix3d axes = to_eigen(from.axes);
      contacts.push_back({from.body_a, from.body_b, to_eigen(from.point), axes.col(2),
                          axes * to_eigen(from.impulse), from.gap});
    }
  }

  [[nodiscard]] bool healthy() const override { return healthy_; }

 private:
  Model model_;
  std::vector<ScalarJoint> joints_;
  StepOptions options_;
  State state_;
  Workspace workspace_;
  StepReport report_;
  std::vector<double> forces_;
  bool healthy_ = true;
};

PeerEntry entry(const std::string& setting, const std::string& solver) {
  return {"Stiction", setting, [solver](const PeerModel& scene) {
            return std::make_unique<StictionPeer>(scene, solver);
          }};
}

}  // namespace

std::vector<PeerEntry> stiction_peers() {
  return {entry("default", ""), entry("per_contact", "per_contact")};
}

}  // namespace stiction::bench
