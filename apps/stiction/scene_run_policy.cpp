#include "apps/stiction/scene_run_policy.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include "stiction/core/index.hpp"
#include "stiction/core/mixer.hpp"

namespace stiction {

namespace {

/// Of time comparisons: state times are sums of steps.
constexpr double time_slack = 1e-9;  // [s]

}  // namespace

PolicyControl::PolicyControl(const std::string& file, const std::vector<double>& command,
                             const Model& model)
    : policy_(file, model) {
  if (command.size() == 3) policy_.command << command[0], command[1], command[2];
  for (std::size_t k = 0; k < policy_.velocity_indices().size(); ++k) {
    servos_.push_back({.velocity_index = policy_.velocity_indices()[k],
                       .position_target = policy_.pose()[static_cast<Eigen::Index>(k)],
                       .stiffness = policy_.stiffness(),
                       .damping = policy_.damping()});
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  Mixer mixer;
  mixer.add(text);
  fingerprint_ = fmt::format("{:016x}", mixer.result());
}

bool PolicyControl::has_own_servos(const std::vector<JointServo>& servos) const {
  return std::ranges::equal(servos, servos_, {}, &JointServo::velocity_index,
                            &JointServo::velocity_index);
}

void PolicyControl::apply(Simulation& simulation) {
  const double intervals = simulation.state().time / interval();
  const bool is_due = std::abs(intervals - std::round(intervals)) * interval() < time_slack;
  const bool has_own = has_own_servos(simulation.servos());
  if (has_own && !is_due) return;
  if (!has_own) simulation.servos() = servos_;
  const Eigen::VectorXd& targets = policy_.targets(simulation.state());
  for (Eigen::Index k = 0; k < targets.size(); ++k) {
    simulation.servos()[index(static_cast<int>(k))].position_target = targets[k];
  }
}

}  // namespace stiction
