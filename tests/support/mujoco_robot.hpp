#pragma once

/// \file
/// A robot in MuJoCo, asked in our coordinates. MuJoCo's velocities are u = T v: the angular
/// velocity of a free joint is in body axes there and in world axes here, all else is alike. With
/// R the body's rotation, d/dt(Rᵀω) = Rᵀω̇, so accelerations go by T as well.

#include <Eigen/Core>
#include <cstring>
#include <memory>
#include <mujoco/mujoco.h>
#include <stdexcept>
#include <string>

#include "stiction/model/model.hpp"
#include "support/random_tree.hpp"

namespace stiction::test {

class MujocoRobot {
 public:
  /// MJCF text; joints and links are found by their names in `model`.
  MujocoRobot(const std::string& mjcf, const Model& model) : ours_(model) {
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    const char* name = "robot.xml";
    mj_makeEmptyFileVFS(files.get(), name, static_cast<int>(mjcf.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), name)], mjcf.data(), mjcf.size());
    char error[1000] = "";
    model_.reset(mj_loadXML(name, files.get(), error, sizeof error));
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(std::string("MuJoCo: ") + error);
    if (model_->nv != ours_.velocity_count()) throw std::runtime_error("MuJoCo: other nv");
    model_->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_PASSIVE;
    data_.reset(mj_makeData(model_.get()));
  }

  void set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& tau) {
    const Eigen::Index n = model_->nv;
    T_ = Eigen::MatrixXd::Zero(n, n);
    for (const Joint& joint : ours_.joints()) set_joint(joint, q);
    vector(data_->qvel) = T_ * v;
    vector(data_->qfrc_applied) = T_ * tau;  // T is orthogonal
    mj_forward(model_.get(), data_.get());
  }

  [[nodiscard]] Eigen::MatrixXd mass_matrix() const {
    const Eigen::Index n = model_->nv;
    Eigen::MatrixXd M(n, n);
    mj_fullM(model_.get(), M.data(), data_->qM);
    return T_.transpose() * M * T_;
  }

  [[nodiscard]] Eigen::VectorXd bias_forces() const {
    return T_.transpose() * vector(data_->qfrc_bias);
  }

  [[nodiscard]] Eigen::VectorXd accelerations() const {
    return T_.transpose() * vector(data_->qacc);
  }

  [[nodiscard]] bool has_link(const std::string& name) const { return body(name) >= 0; }

  /// Columns: position, rotation matrix, linear velocity of the origin, angular velocity.
  [[nodiscard]] Eigen::Matrix<double, 3, 6> pose_and_velocity(const std::string& name) const {
    const int id = body(name);
    Eigen::Matrix<double, 3, 6> result;
    result.col(0) = Eigen::Map<const Eigen::Vector3d>(data_->xpos + 3 * id);
    result.middleCols<3>(1) = rotation(id);
    double velocity[6];
    mj_objectVelocity(model_.get(), data_.get(), mjOBJ_XBODY, id, velocity, 0);
    result.col(4) = Eigen::Map<const Eigen::Vector3d>(velocity + 3);
    result.col(5) = Eigen::Map<const Eigen::Vector3d>(velocity);
    return result;
  }

  /// 3 x 2n: of the point at `offset` in the link, then angular.
  [[nodiscard]] Eigen::MatrixXd jacobian(const std::string& name,
                                         const Eigen::Vector3d& offset) const {
    using RowMajor = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>;
    const int id = body(name);
    const Eigen::Index n = model_->nv;
    const Eigen::Vector3d point =
        Eigen::Map<const Eigen::Vector3d>(data_->xpos + 3 * id) + rotation(id) * offset;
    RowMajor linear(3, n);
    RowMajor angular(3, n);
    mj_jac(model_.get(), data_.get(), linear.data(), angular.data(), point.data(), id);
    Eigen::MatrixXd J(3, 2 * n);
    J << linear * T_, angular * T_;
    return J;
  }

 private:
  struct DeleteModel {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
  };
  struct DeleteData {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };

  [[nodiscard]] int body(const std::string& name) const {
    return mj_name2id(model_.get(), mjOBJ_BODY, name.c_str());
  }

  [[nodiscard]] Eigen::Matrix3d rotation(int body) const {
    return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data_->xmat + 9 * body);
  }

  [[nodiscard]] Eigen::Map<Eigen::VectorXd> vector(double* entries) const {
    return {entries, model_->nv};
  }

  /// Index of MuJoCo's joint of this name.
  [[nodiscard]] int find(const std::string& name) const {
    const int id = mj_name2id(model_.get(), mjOBJ_JOINT, name.c_str());
    if (id < 0) throw std::runtime_error("MuJoCo has no joint " + name);
    return id;
  }

  void set_quaternion(const double* quat_xyzw, double* wxyz) const {
    wxyz[0] = quat_xyzw[3];
    std::copy(quat_xyzw, quat_xyzw + 3, wxyz + 1);
  }

  void set_joint(const Joint& joint, const Eigen::VectorXd& q) {
    const int id = find(joint.name);
    const double* from = q.data() + joint.position_index;
    double* to = data_->qpos + model_->jnt_qposadr[id];
    const int row = model_->jnt_dofadr[id];
    const int column = joint.velocity_index;
    switch (joint.kind) {
      case JointKind::planar: {
        const int slide[2] = {find(joint.name + "_x"), find(joint.name + "_y")};
        for (int k = 0; k < 2; ++k) {
          data_->qpos[model_->jnt_qposadr[slide[k]]] = from[k];
          T_(model_->jnt_dofadr[slide[k]], column + k) = 1.0;
        }
        *to = from[2];
        T_(row, column + 2) = 1.0;
        break;
      }
      case JointKind::spherical:
        set_quaternion(from, to);
        T_.block<3, 3>(row, column).setIdentity();
        break;
      case JointKind::floating: {
        std::copy(from, from + 3, to);
        set_quaternion(from + 3, to + 3);
        const Eigen::Quaterniond rotation(from[6], from[3], from[4], from[5]);
        T_.block<3, 3>(row, column).setIdentity();
        T_.block<3, 3>(row + 3, column + 3) = rotation.toRotationMatrix().transpose();
        break;
      }
      case JointKind::revolute:
      case JointKind::continuous:
      case JointKind::prismatic:
        *to = *from;
        T_(row, column) = 1.0;
        break;
      case JointKind::fixed:
        break;
    }
  }

  Model ours_;
  std::unique_ptr<mjModel, DeleteModel> model_;
  std::unique_ptr<mjData, DeleteData> data_;
  Eigen::MatrixXd T_;
};

}  // namespace stiction::test
