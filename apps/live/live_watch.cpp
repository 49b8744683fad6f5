#include "apps/live/live_watch.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <vector>

namespace stiction {

std::string reason_to_stop(const StepReport& report, const LiveSettings& settings, double time) {
  const bool goes_on =
      report.status == StepStatus::ok ||
      (report.status == StepStatus::not_certified && !settings.pause_uncertified) ||
      (report.status == StepStatus::energy_grew && !settings.pause_energy);
  if (goes_on) return {};
  return fmt::format("step {} at t = {:g} s: {}", to_string(report.status), time, report.message);
}

FallWatch::FallWatch(const Model& model, const State& start) {
  std::vector<double> masses(static_cast<std::size_t>(model.body_count()), 0.0);
  double heaviest = 0.0;
  for (int body = 0; body < model.body_count(); ++body) {
    int root = body;
    while (model.parent(root) >= 0) root = model.parent(root);
    const bool alone = root == body;
    double& mass = masses[static_cast<std::size_t>(root)];
    mass += model.body_inertia(body).mass;
    const bool floats = model.joint(root).kind == JointKind::floating;
    if (alone || !floats || mass <= heaviest) continue;
    heaviest = mass;
    quaternion_ = model.joint(root).position_index + 3;
  }
  const Eigen::Vector3d gravity = model.gravity();
  up_ = gravity.norm() > 0.0 ? Eigen::Vector3d(-gravity.normalized()) : Eigen::Vector3d::UnitZ();
  if (quaternion_ >= 0) up_in_base_ = rotation(start).transpose() * up_;
}

Eigen::Matrix3d FallWatch::rotation(const State& state) const {
  return Eigen::Quaterniond(Eigen::Vector4d(state.q.segment<4>(quaternion_)))
      .normalized()
      .toRotationMatrix();
}

bool FallWatch::has_fallen(const State& state) {
  constexpr double cosine = 0.5;  // of 60 degrees
  if (quaternion_ < 0) return false;
  const bool lay = lies_;
  lies_ = up_.dot(rotation(state) * up_in_base_) < cosine;
  return lies_ && !lay;
}

std::string new_recording_file(const std::string& model) {
  std::string name;
  for (const char letter : model) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-';
    name += plain ? letter : '_';
  }
  if (name.empty()) name = "scene";
  for (int i = 1;; ++i) {
    const std::string file = fmt::format("{}_live_{}.h5", name, i);
    if (!std::filesystem::exists(file)) return file;
  }
}

}  // namespace stiction
