#include "experiments/body_world.hpp"

#ifndef STICTION_HAVE_MUJOCO

namespace stiction::experiments {
std::unique_ptr<BodyWorld> make_mujoco_world(const BodyScene&) { return nullptr; }
}  // namespace stiction::experiments

#else

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <mujoco/mujoco.h>
#include <stdexcept>

namespace stiction::experiments {

namespace {

struct DeleteModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct DeleteData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

/// The largest friction of the scene tells how many rows a contact needs.
std::string scene_text(const BodyScene& scene) {
  double most_friction = scene.floor_friction;
  for (const BodySpec& body : scene.bodies) most_friction = std::max(most_friction, body.friction);
  const bool large = scene.bodies.size() > 60;
  // Newton's method factorizes all bodies at once: too slow for piles.
  std::string text = fmt::format(
      "<mujoco><option timestep=\"{}\" gravity=\"0 0 {}\" cone=\"elliptic\" solver=\"{}\" "
      "iterations=\"{}\"/><size njmax=\"4000\" nconmax=\"2000\"/>"
      "<default><geom condim=\"{}\"/></default><worldbody>"
      "<geom type=\"plane\" size=\"100 100 1\" friction=\"{}\"/>",
      scene.time_step, -gravity, large ? "PGS" : "Newton",
      scene.iterations > 0 ? scene.iterations : 100, most_friction > 0.0 ? 3 : 1,
      scene.floor_friction);
  for (const BodySpec& body : scene.bodies) {
    const Eigen::Vector3d& p = body.position;
    const Eigen::Vector3d& s = body.half_size;
    const Eigen::Vector3d inertia = body.inertia();
    text += fmt::format(
        "<body pos=\"{} {} {}\"><freejoint/><inertial pos=\"0 0 0\" mass=\"{}\" "
        "diaginertia=\"{} {} {}\"/><geom type=\"{}\" size=\"{} {} {}\" friction=\"{}\"/></body>",
        p.x(), p.y(), p.z(), body.mass, inertia.x(), inertia.y(), inertia.z(),
        body.kind == BodySpec::Kind::ball ? "sphere" : "box", s.x(), s.y(), s.z(), body.friction);
  }
  return text + "</worldbody></mujoco>";
}

mjModel* load(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(text.size())) != 0) {
    throw std::runtime_error("MuJoCo cannot read a file of this size");
  }
  std::memcpy(files->filedata[files->nfile - 1], text.data(), text.size());
  char error[500] = "";
  mjModel* model = mj_loadXML("scene.xml", files.get(), error, sizeof(error));
  mj_deleteVFS(files.get());
  if (model == nullptr) {
    throw std::runtime_error(fmt::format("MuJoCo cannot read the scene: {}", error));
  }
  return model;
}

class MujocoWorld : public BodyWorld {
 public:
  explicit MujocoWorld(const BodyScene& scene)
      : model_(load(scene_text(scene))), data_(mj_makeData(model_.get())) {}

  void step(const Eigen::Vector3d& push) override {
    std::copy_n(push.data(), 3, data_->xfrc_applied + 6);
    mj_step(model_.get(), data_.get());
  }

  [[nodiscard]] BodyMotion motion(int body) const override {
    const mjtNum* q = data_->qpos + 7 * body;
    const mjtNum* v = data_->qvel + 6 * body;
    BodyMotion motion;
    motion.position = {q[0], q[1], q[2]};
    motion.attitude = Eigen::Quaterniond(q[3], q[4], q[5], q[6]);
    motion.velocity = {v[0], v[1], v[2]};
    motion.spin = motion.attitude * Eigen::Vector3d(v[3], v[4], v[5]);
    return motion;
  }

 private:
  std::unique_ptr<mjModel, DeleteModel> model_;
  std::unique_ptr<mjData, DeleteData> data_;
};

}  // namespace

std::unique_ptr<BodyWorld> make_mujoco_world(const BodyScene& scene) {
  const bool bounces =
      scene.floor_restitution > 0.0 ||
      std::ranges::any_of(scene.bodies, [](const BodySpec& b) { return b.restitution > 0.0; });
  if (bounces) return nullptr;
  return std::make_unique<MujocoWorld>(scene);
}

}  // namespace stiction::experiments

#endif
