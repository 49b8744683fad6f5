/// \file
/// MuJoCo 2.2.2, its defaults but for solver, step, friction and the elliptic cone, which takes
/// three rows a contact instead of four: it reserves dense arrays for all rows and cannot have more
/// than 2 GB of them, which is why there are no larger heaps.

#include "bench/pile_engine.hpp"

#ifndef STICTION_HAVE_MUJOCO

namespace stiction::bench {
std::vector<PileEntry> mujoco_piles() { return {}; }
}  // namespace stiction::bench

#else

#include <cstring>
#include <fmt/format.h>
#include <stdexcept>

#include "bench/mujoco_handles.hpp"

namespace stiction::bench {

namespace {

std::string scene_text(const PileScene& scene) {
  const bool boxes = scene.has_boxes();
  const auto bodies = static_cast<int>(scene.poses.size());
  const int contacts = (boxes ? 650 : 276) * bodies / 100 + 60;
  std::string text = fmt::format(
      "<mujoco><size nconmax='{}' njmax='{}'/><option timestep='{}' gravity='0 0 {}'/>"
      "<default><geom friction='{} 0.005 0.0001' condim='3'/></default><worldbody>",
      contacts, 3 * contacts, pile_time_step, -pile_gravity, pile_friction);
  for (const PilePlane& plane : pile_planes(scene)) {
    const Eigen::Vector3d at = plane.offset * plane.normal;
    text += fmt::format("<geom type='plane' size='9 9 1' pos='{} {} {}' zaxis='{} {} {}'/>", at.x(),
                        at.y(), at.z(), plane.normal.x(), plane.normal.y(), plane.normal.z());
  }
  for (const Eigen::Isometry3d& pose : scene.poses) {
    const Eigen::Quaterniond turn(pose.rotation());
    text += fmt::format(
        "<body pos='{} {} {}' quat='{} {} {} {}'><freejoint/><geom type='{}' size='{} {} {}' "
        "mass='{}'/></body>",
        pose.translation().x(), pose.translation().y(), pose.translation().z(), turn.w(), turn.x(),
        turn.y(), turn.z(), boxes ? "box" : "sphere", scene.radius, scene.radius, scene.radius,
        pile_mass);
  }
  return text + "</worldbody></mujoco>";
}

mjModel* load(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();  // too large for the stack
  mj_defaultVFS(files.get());
  const auto size = static_cast<int>(text.size());
  mj_makeEmptyFileVFS(files.get(), "pile.xml", size);
  std::memcpy(files->filedata[0], text.data(), text.size());
  char error[500] = "";
  mjModel* model = mj_loadXML("pile.xml", files.get(), error, sizeof(error));
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(fmt::format("MuJoCo: {}", error));
  return model;
}

class MujocoPile : public PileEngine {
 public:
  MujocoPile(const PileScene& scene, mjtSolver solver) : model_(load(scene_text(scene))) {
    model_->opt.solver = solver;
    model_->opt.cone = mjCONE_ELLIPTIC;
    data_.reset(mj_makeData(model_.get()));
    if (!data_) throw std::runtime_error("MuJoCo: not enough memory");
  }

  void step() override {
    mj_step(model_.get(), data_.get());
    if (data_->warning[mjWARN_CONTACTFULL].number + data_->warning[mjWARN_CNSTRFULL].number > 0) {
      throw std::runtime_error("MuJoCo: more contacts than the reserved memory can store");
    }
  }

  [[nodiscard]] int contacts() const override { return data_->ncon; }

  void read(std::vector<Eigen::Isometry3d>& poses) const override {
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const mjtNum* q = data_->qpos + 7 * i;
      poses[i].translation() << q[0], q[1], q[2];
      poses[i].linear() = Eigen::Quaterniond(q[3], q[4], q[5], q[6]).toRotationMatrix();
    }
  }

 private:
  MujocoModel model_;
  MujocoData data_;
};

PileEntry entry(std::string setting, std::array<int, 2> largest, mjtSolver solver) {
  return {"MuJoCo", std::move(setting), largest,
          [solver](const PileScene& scene) { return std::make_unique<MujocoPile>(scene, solver); }};
}

}  // namespace

std::vector<PileEntry> mujoco_piles() {
  return {entry("CG", {1000, 512}, mjSOL_CG), entry("PGS", {125, 125}, mjSOL_PGS),
          entry("Newton", {125, 125}, mjSOL_NEWTON)};
}

}  // namespace stiction::bench

#endif
