/// \file
/// MuJoCo in the race of robots.

#include "bench/robot_steps.hpp"

#ifndef STICTION_HAVE_MUJOCO

namespace stiction::bench {
std::unique_ptr<RobotRun> make_mujoco_run(const std::filesystem::path&) { return nullptr; }
}  // namespace stiction::bench

#else

#include <algorithm>

#include "bench/mujoco_handles.hpp"

namespace stiction::bench {

namespace {

class MujocoRun : public RobotRun {
 public:
  explicit MujocoRun(MujocoModel model)
      : model_(std::move(model)), data_(mj_makeData(model_.get())) {
    mj_resetData(model_.get(), data_.get());
    if (model_->nkey == 0) return;
    std::copy_n(model_->key_qpos, model_->nq, data_->qpos);
    std::copy_n(model_->key_qvel, model_->nv, data_->qvel);
    std::copy_n(model_->key_act, model_->na, data_->act);
    std::copy_n(model_->key_ctrl, model_->nu, data_->ctrl);
  }
  void step() override { mj_step(model_.get(), data_.get()); }
  [[nodiscard]] double time_step() const override { return model_->opt.timestep; }

 private:
  MujocoModel model_;
  MujocoData data_;
};

/// The default handler ends the program at the first bad mesh.
struct RefusedFile {};
[[noreturn]] void refuse_file(const char*) { throw RefusedFile{}; }

}  // namespace

std::unique_ptr<RobotRun> make_mujoco_run(const std::filesystem::path& file) {
  mju_user_error = refuse_file;
  mju_user_warning = [](const char*) {};
  char error[500] = "";
  try {
    MujocoModel model(mj_loadXML(file.c_str(), nullptr, error, sizeof(error)));
    return model ? std::make_unique<MujocoRun>(std::move(model)) : nullptr;
  } catch (const RefusedFile&) {
    return nullptr;
  }
}

}  // namespace stiction::bench

#endif
