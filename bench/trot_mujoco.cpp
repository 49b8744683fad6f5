#include "bench/trot_mujoco.hpp"

#ifndef STICTION_HAVE_MUJOCO

namespace stiction::bench {
std::vector<TrotMujocoEntry> make_trot_mujoco(const Trot&) { return {}; }
}  // namespace stiction::bench

#else

#include <Eigen/Geometry>
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "bench/mujoco_handles.hpp"

namespace stiction::bench {

namespace {

void insert_before(std::string& text, const std::string& mark, const std::string& what) {
  const std::size_t place = text.rfind(mark);
  if (place == std::string::npos) {
    throw std::runtime_error(fmt::format("the robot's file has no {}", mark));
  }
  text.insert(place, what);
}

MujocoModel load(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), "robot.xml", static_cast<int>(text.size())) != 0) {
    throw std::runtime_error("MuJoCo cannot read a file of this size");
  }
  std::memcpy(files->filedata[files->nfile - 1], text.data(), text.size());
  char error[500] = "";
  MujocoModel model(mj_loadXML("robot.xml", files.get(), error, sizeof(error)));
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(fmt::format("MuJoCo cannot read the robot: {}", error));
  return model;
}

/// URDF has no planes, so MuJoCo writes the robot as MJCF, which gets the floor.
std::string with_floor(std::string urdf) {
  insert_before(urdf, "</robot>",
                "<link name=\"world\"/><joint name=\"floating_base\" type=\"floating\">"
                "<parent link=\"world\"/><child link=\"base_link\"/></joint>\n");
  const MujocoModel robot = load(urdf);
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      fmt::format("stiction_trot_{}.xml", static_cast<int>(getpid()));
  char error[500] = "";
  const bool written = mj_saveLastXML(path.c_str(), robot.get(), error, sizeof(error)) != 0;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::filesystem::remove(path);
  if (!written) throw std::runtime_error(fmt::format("MuJoCo cannot write the robot: {}", error));
  std::string mjcf = text.str();
  insert_before(mjcf, "</worldbody>", "<geom type=\"plane\" size=\"0 0 1\" friction=\"1\"/>\n");
  return mjcf;
}

struct TheirMoment {
  std::vector<mjtNum> qpos, qvel, force;
};

class MujocoTrot : public TrotMujoco {
 public:
  MujocoTrot(const Trot& trot, const std::string& mjcf, mjtSolver solver, mjtCone cone)
      : model_(load(mjcf)), data_(mj_makeData(model_.get())) {
    if (model_->nv != trot.model.velocity_count()) {
      throw std::runtime_error(fmt::format("MuJoCo reads {} velocities", model_->nv));
    }
    model_->opt.timestep = trot.options.time_step;
    model_->opt.solver = solver;
    model_->opt.cone = cone;
    for (const TrotMoment& moment : trot.moments) moments_.push_back(convert(trot.model, moment));
  }

  void step(std::size_t moment) override {
    const TheirMoment& from = moments_[moment];
    std::copy(from.qpos.begin(), from.qpos.end(), data_->qpos);
    std::copy(from.qvel.begin(), from.qvel.end(), data_->qvel);
    std::copy(from.force.begin(), from.force.end(), data_->qfrc_applied);
    mj_step(model_.get(), data_.get());
  }

  [[nodiscard]] int contacts() const override { return data_->ncon; }

 private:
  [[nodiscard]] TheirMoment convert(const Model& ours, const TrotMoment& moment) const {
    TheirMoment result{std::vector<mjtNum>(static_cast<std::size_t>(model_->nq)),
                       std::vector<mjtNum>(static_cast<std::size_t>(model_->nv)),
                       std::vector<mjtNum>(static_cast<std::size_t>(model_->nv))};
    const Eigen::VectorXd& q = moment.state.q;
    const Eigen::VectorXd& v = moment.state.v;
    for (const Joint& joint : ours.joints()) {
      if (joint.kind == JointKind::floating) {
        // w first; angular velocity in the body's axes.
        const mjtNum place[7] = {q[0], q[1], q[2], q[6], q[3], q[4], q[5]};
        std::copy_n(place, 7, result.qpos.begin());
        const Eigen::Quaterniond attitude(q[6], q[3], q[4], q[5]);
        const Eigen::Vector3d angular = attitude.conjugate() * Eigen::Vector3d(v.segment<3>(3));
        std::copy_n(v.data(), 3, result.qvel.begin());
        std::copy_n(angular.data(), 3, result.qvel.begin() + 3);
        continue;
      }
      const int theirs = mj_name2id(model_.get(), mjOBJ_JOINT, joint.name.c_str());
      if (theirs < 0) throw std::runtime_error(fmt::format("MuJoCo has no joint '{}'", joint.name));
      const auto place = static_cast<std::size_t>(model_->jnt_dofadr[theirs]);
      result.qpos[static_cast<std::size_t>(model_->jnt_qposadr[theirs])] = q[joint.position_index];
      result.qvel[place] = v[joint.velocity_index];
      result.force[place] = moment.torques[joint.velocity_index];
    }
    return result;
  }

  MujocoModel model_;
  MujocoData data_;
  std::vector<TheirMoment> moments_;
};

}  // namespace

std::vector<TrotMujocoEntry> make_trot_mujoco(const Trot& trot) {
  mju_user_warning = [](const char*) {};
  const std::string mjcf = with_floor(trot.urdf);
  struct Setting {
    const char* name;
    mjtSolver solver;
    mjtCone cone;
  };
  constexpr Setting settings[] = {{"Newton pyramidal", mjSOL_NEWTON, mjCONE_PYRAMIDAL},
                                  {"Newton elliptic", mjSOL_NEWTON, mjCONE_ELLIPTIC},
                                  {"CG pyramidal", mjSOL_CG, mjCONE_PYRAMIDAL},
                                  {"CG elliptic", mjSOL_CG, mjCONE_ELLIPTIC},
                                  {"PGS pyramidal", mjSOL_PGS, mjCONE_PYRAMIDAL},
                                  {"PGS elliptic", mjSOL_PGS, mjCONE_ELLIPTIC}};
  std::vector<TrotMujocoEntry> entries;
  for (const Setting& setting : settings) {
    entries.push_back({fmt::format("MuJoCo, {}", setting.name),
                       std::make_unique<MujocoTrot>(trot, mjcf, setting.solver, setting.cone)});
  }
  return entries;
}

}  // namespace stiction::bench

#endif
