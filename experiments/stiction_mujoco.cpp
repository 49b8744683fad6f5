/// \file
/// MuJoCo in scenes where nothing should move.

#include "experiments/stiction_scenes.hpp"

#ifndef STICTION_HAVE_MUJOCO

namespace stiction::experiments {
std::vector<MujocoSetting> mujoco_settings() { return {}; }
std::unique_ptr<RestEngine> mujoco_engine(const std::filesystem::path&, const RestScene&,
                                          const MujocoSetting&) {
  return nullptr;
}
}  // namespace stiction::experiments

#else

#include <fmt/core.h>
#include <mujoco/mujoco.h>
#include <stdexcept>

namespace stiction::experiments {

namespace {

class MujocoRest : public RestEngine {
 public:
  MujocoRest(const std::filesystem::path& file, const RestScene& scene,
             const MujocoSetting& setting) {
    char error[500] = "";
    model_.reset(mj_loadXML(file.c_str(), nullptr, error, sizeof(error)));
    if (!model_)
      throw std::runtime_error(fmt::format("MuJoCo cannot read {}: {}", file.string(), error));
    apply(setting);
    data_.reset(mj_makeData(model_.get()));
    if (!scene.keyframe.empty()) {
      const int key = mj_name2id(model_.get(), mjOBJ_KEY, scene.keyframe.c_str());
      if (key < 0) throw std::runtime_error(fmt::format("no keyframe {}", scene.keyframe));
      mj_resetDataKeyframe(model_.get(), data_.get(), key);
    }
  }

  void set_control(int actuator, double value) override { data_->ctrl[actuator] = value; }

  void run(long steps) override {
    for (long k = 0; k < steps; ++k) mj_step(model_.get(), data_.get());
  }

  Poses poses() override {
    mj_kinematics(model_.get(), data_.get());
    Poses result;
    for (int i = 1; i < model_->nbody; ++i) {
      Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
      pose.translation() = Eigen::Map<const Eigen::Vector3d>(data_->xpos + 3 * i);
      pose.linear() =
          Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data_->xmat + 9 * i);
      result.push_back(pose);
    }
    return result;
  }

 private:
  void apply(const MujocoSetting& setting) {
    // The dampers of the actuators are too strong for MuJoCo's explicit Euler.
    model_->opt.integrator = mjINT_IMPLICIT;
    model_->opt.cone = setting.elliptic ? mjCONE_ELLIPTIC : mjCONE_PYRAMIDAL;
    model_->opt.impratio = setting.impratio;
    model_->opt.noslip_iterations = setting.noslip;
    if (setting.noslip > 0) model_->opt.solver = mjSOL_PGS;
    if (!setting.stiff) return;
    for (int i = 0; i < model_->ngeom; ++i) {
      mjtNum* solref = model_->geom_solref + mjNREF * i;
      mjtNum* solimp = model_->geom_solimp + mjNIMP * i;
      solref[0] = 2.0 * model_->opt.timestep;
      solref[1] = 1.0;
      solimp[0] = 0.99;
      solimp[1] = 0.9999;
    }
  }

  struct DeleteModel {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
  };
  struct DeleteData {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  std::unique_ptr<mjModel, DeleteModel> model_;
  std::unique_ptr<mjData, DeleteData> data_;
};

}  // namespace

std::vector<MujocoSetting> mujoco_settings() {
  return {
      {.name = "default: Newton, pyramidal"},
      {.name = "elliptic", .elliptic = true},
      {.name = "elliptic, impratio 100", .elliptic = true, .impratio = 100.0},
      {.name = "elliptic, stiff", .elliptic = true, .stiff = true},
      {.name = "elliptic, stiff, impratio 100", .elliptic = true, .stiff = true, .impratio = 100.0},
      {.name = "PGS, 10 noslip", .elliptic = true, .noslip = 10},
      {.name = "PGS, stiff, 10 noslip", .elliptic = true, .stiff = true, .noslip = 10}};
}

std::unique_ptr<RestEngine> mujoco_engine(const std::filesystem::path& folder,
                                          const RestScene& scene, const MujocoSetting& setting) {
  return std::make_unique<MujocoRest>(folder / scene.file, scene, setting);
}

}  // namespace stiction::experiments

#endif
