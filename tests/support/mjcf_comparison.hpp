#pragma once

/// \file
/// One MJCF file as MuJoCo and as we read it, compared piece by piece. MuJoCo's quaternions stand w
/// first.

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <mujoco/mujoco.h>
#include <random>
#include <string>

#include "stiction/dynamics/kinematics.hpp"
#include "stiction/io/load.hpp"
#include "stiction/io/xml.hpp"

namespace stiction::test {

class MjcfComparison {
 public:
  explicit MjcfComparison(const std::filesystem::path& path) : loaded_(load_model(path)) {
    char message[1000] = "";
    theirs_.reset(mj_loadXML(path.c_str(), nullptr, message, sizeof message));
    if (!theirs_) throw std::runtime_error(std::string("MuJoCo: ") + message);
    data_.reset(mj_makeData(theirs_.get()));
    const XmlFile file(path);
    ProblemList problems;
    add_mjcf(builder_, file, path.parent_path(), {}, problems);
  }

  [[nodiscard]] const Model& model() const { return loaded_.model; }
  [[nodiscard]] const mjModel& theirs() const { return *theirs_; }
  /// Warnings and notes of our reader.
  [[nodiscard]] const ProblemList& problems() const { return loaded_.problems; }

  /// `tolerance`: relative, of masses, centres of mass and principal moments; `axes_tolerance`: of
  /// inertia matrices.
  void expect_same(double tolerance, double axes_tolerance, unsigned seed = 1) {
    expect_same_counts();
    expect_same_masses(tolerance, axes_tolerance);
    expect_same_joints();
    expect_same_actuators();
    expect_same_keyframes();
    expect_same_poses(model().initial_positions(), "as the file shows it");
    std::mt19937 random(seed);
    for (int i = 0; i < 5; ++i) {
      expect_same_poses(random_positions(random), "seed " + std::to_string(seed));
    }
  }

 private:
  struct Delete {
    void operator()(mjModel* model) const { mj_deleteModel(model); }
    void operator()(mjData* data) const { mj_deleteData(data); }
  };

  using Row3 = Eigen::Map<const Eigen::Vector3d>;

  [[nodiscard]] std::string name_of(int type, int index) const {
    const char* name = mj_id2name(theirs_.get(), type, index);
    return name == nullptr ? std::string() : std::string(name);
  }

  static Eigen::Quaterniond quat(const mjtNum* wxyz) {
    return {wxyz[0], wxyz[1], wxyz[2], wxyz[3]};
  }

  static void expect_near(const Eigen::MatrixXd& ours, const Eigen::MatrixXd& other,
                          double tolerance, const std::string& what) {
    EXPECT_LE((ours - other).cwiseAbs().maxCoeff(), tolerance) << what << "\nours\n"
                                                               << ours << "\nMuJoCo\n"
                                                               << other;
  }

  static Eigen::Vector3d principal_moments(const Eigen::Matrix3d& inertia) {
    return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia).eigenvalues();
  }

  /// Joints that MuJoCo has too: all but those of mocap bodies, in the same order.
  [[nodiscard]] std::vector<Joint> common_joints() const {
    std::vector<Joint> result;
    for (const Joint& joint : model().joints()) {
      if (!joint.kinematic) result.push_back(joint);
    }
    return result;
  }

  void expect_same_counts() {
    int nq = model().position_count();
    int nv = model().velocity_count();
    for (const Joint& joint : model().joints()) {
      nq -= joint.kinematic ? 7 : 0;
      nv -= joint.kinematic ? 6 : 0;
    }
    EXPECT_EQ(nq, theirs_->nq);
    EXPECT_EQ(nv, theirs_->nv);
    ASSERT_EQ(static_cast<int>(common_joints().size()), theirs_->njnt);
    EXPECT_EQ(model().time_step(), theirs_->opt.timestep);
    expect_near(model().gravity(), Row3(theirs_->opt.gravity), 0.0, "gravity");
  }

  /// Link by link, in the frame of the link, static ones too.
  void expect_same_masses(double tolerance, double axes_tolerance) {
    double total = 0.0;
    for (int body = 1; body < theirs_->nbody; ++body) {
      const std::string name = name_of(mjOBJ_BODY, body);
      if (name.empty()) continue;
      ASSERT_TRUE(builder_.find_link(name)) << name;
      const LinkSpec& link = std::as_const(builder_).link(*builder_.find_link(name));
      const double mass = theirs_->body_mass[body];
      EXPECT_NEAR(link.mass, mass, tolerance * mass) << name;
      total += mass;
      if (mass == 0.0) continue;
      const Eigen::Matrix3d R = quat(theirs_->body_iquat + 4 * body).toRotationMatrix();
      const Eigen::Matrix3d inertia =
          R * Row3(theirs_->body_inertia + 3 * body).asDiagonal() * R.transpose();
      const Row3 center(theirs_->body_ipos + 3 * body);
      expect_near(link.center_of_mass, center, tolerance * std::max(1.0, center.norm()),
                  name + ": centre of mass");
      expect_near(principal_moments(link.inertia), principal_moments(inertia),
                  tolerance * inertia.norm() + 1e-15, name + ": principal moments");
      expect_near(link.inertia, inertia, axes_tolerance * inertia.norm() + 1e-15,
                  name + ": inertia");
    }
    double ours = 0.0;
    for (int link = 0; link < builder_.link_count(); ++link) {
      ours += std::as_const(builder_).link(link).mass;
    }
    EXPECT_NEAR(ours, total, tolerance * total);
  }

  void expect_same_joints() {
    const std::vector<Joint> joints = common_joints();
    for (int j = 0; j < theirs_->njnt; ++j) {
      const Joint& joint = joints[static_cast<std::size_t>(j)];
      const std::string name = name_of(mjOBJ_JOINT, j);
      if (!name.empty()) {
        EXPECT_EQ(joint.name, name);
      }
      SCOPED_TRACE(joint.name);
      const int dof = theirs_->jnt_dofadr[j];
      const Eigen::Index v = joint.velocity_index;
      EXPECT_EQ(model().parameters().damping[v], theirs_->dof_damping[dof]);
      EXPECT_EQ(model().parameters().friction[v], theirs_->dof_frictionloss[dof]);
      EXPECT_EQ(model().parameters().armature[v], theirs_->dof_armature[dof]);
      EXPECT_EQ(model().parameters().stiffness[joint.body], theirs_->jnt_stiffness[j]);
      const bool limited = std::isfinite(joint.limits.upper);
      EXPECT_EQ(limited, theirs_->jnt_limited[j] != 0);
      if (limited) {
        EXPECT_NEAR(joint.limits.upper, theirs_->jnt_range[2 * j + 1], 1e-12);
      }
      if (position_size(joint.kind) != 1) continue;
      if (limited) {
        EXPECT_NEAR(joint.limits.lower, theirs_->jnt_range[2 * j], 1e-12);
      }
      const int q = theirs_->jnt_qposadr[j];
      EXPECT_NEAR(joint.spring_reference, theirs_->qpos_spring[q], 1e-12);
      EXPECT_NEAR(model().initial_positions()[joint.position_index], theirs_->qpos0[q], 1e-12);
    }
  }

  void expect_same_actuators() {
    ASSERT_EQ(static_cast<int>(model().actuators().size()), theirs_->nu);
    for (int a = 0; a < theirs_->nu; ++a) {
      const Actuator& actuator = model().actuators()[static_cast<std::size_t>(a)];
      SCOPED_TRACE("actuator " + std::to_string(a));
      EXPECT_EQ(actuator.name, name_of(mjOBJ_ACTUATOR, a));
      const bool affine_gain = theirs_->actuator_gaintype[a] == mjGAIN_AFFINE;
      const bool affine_bias = theirs_->actuator_biastype[a] == mjBIAS_AFFINE;
      for (std::size_t k = 0; k < 3; ++k) {
        const mjtNum* gain = theirs_->actuator_gainprm + mjNGAIN * a;
        const mjtNum* bias = theirs_->actuator_biasprm + mjNBIAS * a;
        EXPECT_EQ(actuator.gain[k], affine_gain || k == 0 ? gain[k] : 0.0);
        EXPECT_EQ(actuator.bias[k], affine_bias ? bias[k] : 0.0);
      }
      for (std::size_t k = 0; k < 6; ++k) {
        EXPECT_EQ(actuator.gear[k], theirs_->actuator_gear[6 * a + static_cast<int>(k)]);
      }
      EXPECT_EQ(actuator.control_limited, theirs_->actuator_ctrllimited[a] != 0);
      EXPECT_EQ(actuator.force_limited, theirs_->actuator_forcelimited[a] != 0);
      for (std::size_t k = 0; k < 2; ++k) {
        const int entry = 2 * a + static_cast<int>(k);
        if (actuator.control_limited) {
          EXPECT_EQ(actuator.control_range[k], theirs_->actuator_ctrlrange[entry]);
        }
        if (actuator.force_limited) {
          EXPECT_EQ(actuator.force_range[k], theirs_->actuator_forcerange[entry]);
        }
      }
      const int target = theirs_->actuator_trnid[2 * a];
      if (theirs_->actuator_trntype[a] == mjTRN_TENDON) {
        ASSERT_GE(actuator.tendon, 0);
        EXPECT_EQ(name_of(mjOBJ_TENDON, target),
                  model().tendons()[static_cast<std::size_t>(actuator.tendon)].name);
        continue;
      }
      ASSERT_GE(actuator.joint, 0);
      EXPECT_EQ(common_joints()[static_cast<std::size_t>(target)].name,
                model().joint(actuator.joint).name);
    }
  }

  /// Our q as MuJoCo's qpos.
  [[nodiscard]] Eigen::VectorXd to_qpos(const Eigen::VectorXd& q) const {
    Eigen::VectorXd qpos(theirs_->nq);
    const std::vector<Joint> joints = common_joints();
    for (int j = 0; j < theirs_->njnt; ++j) {
      const Joint& joint = joints[static_cast<std::size_t>(j)];
      const Eigen::Index from = joint.position_index;
      const Eigen::Index to = theirs_->jnt_qposadr[j];
      const int size = position_size(joint.kind);
      if (size < 4) {
        qpos.segment(to, size) = q.segment(from, size);
        continue;
      }
      qpos.segment(to, size - 4) = q.segment(from, size - 4);
      qpos[to + size - 4] = q[from + size - 1];
      qpos.segment(to + size - 3, 3) = q.segment(from + size - 4, 3);
    }
    return qpos;
  }

  void expect_same_keyframes() {
    ASSERT_EQ(static_cast<int>(model().keyframes().size()), theirs_->nkey);
    for (int k = 0; k < theirs_->nkey; ++k) {
      const Keyframe& key = model().keyframes()[static_cast<std::size_t>(k)];
      SCOPED_TRACE(key.name);
      using Vector = Eigen::Map<const Eigen::VectorXd>;
      const Vector qpos(theirs_->key_qpos + theirs_->nq * k, theirs_->nq);
      if (theirs_->nq > 0) expect_near(to_qpos(key.q), qpos, 1e-9, "qpos");
      const Vector ctrl(theirs_->key_ctrl + theirs_->nu * k, theirs_->nu);
      if (theirs_->nu > 0) expect_near(key.control, ctrl, 1e-12, "ctrl");
      expect_same_velocities(key, k);
    }
  }

  /// Velocities are compared where both agree on what they mean: at the bodies, in the world.
  void expect_same_velocities(const Keyframe& key, int index) {
    mj_resetDataKeyframe(theirs_.get(), data_.get(), index);
    mj_forward(theirs_.get(), data_.get());
    DynamicsData<double> data(model());
    update_kinematics(model(), data, key.q, key.v);
    for (int body = 1; body < theirs_->nbody; ++body) {
      const auto frame = model().find_frame(name_of(mjOBJ_BODY, body));
      if (!frame || model().frames()[static_cast<std::size_t>(*frame)].body < 0) continue;
      const int ours = model().frames()[static_cast<std::size_t>(*frame)].body;
      if (model().joint(ours).kinematic) continue;  // MuJoCo does not know how fast they move
      mjtNum velocity[6];
      mj_objectVelocity(theirs_.get(), data_.get(), mjOBJ_XBODY, body, velocity, 0);
      const Eigen::Vector3d angular =
          to_eigen(data.bodies[static_cast<std::size_t>(ours)].velocity.angular);
      expect_near(angular, Row3(velocity), 1e-9, "angular velocity");
    }
  }

  [[nodiscard]] Eigen::VectorXd random_positions(std::mt19937& random) const {
    std::normal_distribution<double> normal;
    Eigen::VectorXd q = model().initial_positions();
    for (const Joint& joint : model().joints()) {
      if (joint.kinematic) continue;
      const int size = position_size(joint.kind);
      for (int k = 0; k < size; ++k) q[joint.position_index + k] = normal(random);
      if (size >= 4) q.segment<4>(joint.position_index + size - 4).normalize();
    }
    return q;
  }

  void expect_same_poses(const Eigen::VectorXd& q, const std::string& where) {
    SCOPED_TRACE(where);
    mj_resetData(theirs_.get(), data_.get());
    const Eigen::VectorXd qpos = to_qpos(q);
    std::copy(qpos.data(), qpos.data() + qpos.size(), data_->qpos);
    mj_kinematics(theirs_.get(), data_.get());
    DynamicsData<double> data(model());
    update_kinematics(model(), data, q, Eigen::VectorXd::Zero(model().velocity_count()));
    for (int body = 1; body < theirs_->nbody; ++body) {
      const std::string name = name_of(mjOBJ_BODY, body);
      if (!name.empty()) {
        expect_pose(data, name, data_->xpos + 3 * body, data_->xmat + 9 * body);
      }
    }
    for (int site = 0; site < theirs_->nsite; ++site) {
      expect_pose(data, name_of(mjOBJ_SITE, site), data_->site_xpos + 3 * site,
                  data_->site_xmat + 9 * site);
    }
    expect_same_shapes(data);
  }

  [[nodiscard]] Eigen::Isometry3d body_pose(const DynamicsData<double>& data, int body) const {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    if (body < 0) return pose;
    pose.linear() = to_eigen(data.bodies[static_cast<std::size_t>(body)].rotation);
    pose.translation() = to_eigen(data.bodies[static_cast<std::size_t>(body)].position);
    return pose;
  }

  void expect_pose(const DynamicsData<double>& data, const std::string& name,
                   const mjtNum* position, const mjtNum* rotation) {
    ASSERT_TRUE(model().find_frame(name)) << name;
    const Frame& frame = model().frames()[static_cast<std::size_t>(*model().find_frame(name))];
    expect_at(body_pose(data, frame.body) * frame.pose, position, rotation, name);
  }

  static void expect_at(const Eigen::Isometry3d& pose, const mjtNum* position,
                        const mjtNum* rotation, const std::string& name) {
    using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    expect_near(pose.translation(), Row3(position), 1e-9, name + ": position");
    expect_near(pose.linear(), Eigen::Map<const Matrix>(rotation), 1e-9, name + ": rotation");
  }

  /// Named geoms; meshes are left out, because MuJoCo moves them into their principal axes.
  void expect_same_shapes(const DynamicsData<double>& data) {
    for (const Shape& shape : model().shapes()) {
      if (shape.name.empty()) continue;
      const int geom = mj_name2id(theirs_.get(), mjOBJ_GEOM, shape.name.c_str());
      if (geom < 0 || shape.kind == ShapeKind::mesh) continue;
      expect_at(body_pose(data, shape.body) * shape.pose, data_->geom_xpos + 3 * geom,
                data_->geom_xmat + 9 * geom, shape.name);
      EXPECT_EQ(shape.collision_group, theirs_->geom_contype[geom]);
      EXPECT_EQ(shape.collision_mask, theirs_->geom_conaffinity[geom]);
      const double friction =
          model().materials()[static_cast<std::size_t>(shape.material)].friction;
      if (theirs_->geom_condim[geom] > 1) {
        EXPECT_EQ(friction, theirs_->geom_friction[3 * geom]);
      }
      if (shape.kind == ShapeKind::plane || shape.kind == ShapeKind::height_field) continue;
      expect_near(shape.size, Row3(theirs_->geom_size + 3 * geom), 1e-12, shape.name + ": size");
    }
  }

  LoadedModel loaded_;
  ModelBuilder builder_;
  std::unique_ptr<mjModel, Delete> theirs_;
  std::unique_ptr<mjData, Delete> data_;
};

}  // namespace stiction::test
