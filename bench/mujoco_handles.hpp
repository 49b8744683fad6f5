#pragma once

/// \file
/// Owners of MuJoCo's models and data. Only for files that have MuJoCo.

#include <memory>
#include <mujoco/mujoco.h>

namespace stiction::bench {

struct DeleteMujocoModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct DeleteMujocoData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using MujocoModel = std::unique_ptr<mjModel, DeleteMujocoModel>;
using MujocoData = std::unique_ptr<mjData, DeleteMujocoData>;

}  // namespace stiction::bench
