#include <cmath>
#include <fmt/format.h>

#include "python/source/bindings.hpp"
#include "stiction/dynamics/articulated_body.hpp"
#include "stiction/dynamics/energy.hpp"
#include "stiction/dynamics/inverse_dynamics.hpp"
#include "stiction/dynamics/jacobian.hpp"
#include "stiction/dynamics/kinematics.hpp"
#include "stiction/dynamics/mass_matrix.hpp"
#include "stiction/dynamics/spans.hpp"

namespace stiction::python {

namespace {

using Vector = Eigen::VectorXd;

void require(const Vector& vector, int size, const char* name) {
  if (vector.size() != size) {
    refuse(fmt::format("{} has {} entries; give {}", name, vector.size(), size));
  }
  if (!vector.allFinite()) refuse(fmt::format("{} has an entry that is not finite", name));
}

/// As a step does: what is no rotation has no dynamics.
void require_unit_quaternions(const Model& model, const Vector& q) {
  for (const Joint& joint : model.joints()) {
    const bool floats = joint.kind == JointKind::floating;
    if (!floats && joint.kind != JointKind::spherical) continue;
    const double length = q.segment<4>(joint.position_index + (floats ? 3 : 0)).norm();
    if (std::abs(length - 1.0) < 1e-3) continue;
    refuse(fmt::format("the quaternion of joint '{}' in q has length {:.3g}; give it unit length",
                       joint.name, length));
  }
}

int frame_of(const Model& model, const std::string& name) {
  if (const auto found = model.find_frame(name)) return *found;
  refuse(fmt::format("there is no frame '{}'; Model.frame_names lists them", name));
}

DynamicsData<double> moving(const Model& model, const Vector& q, const Vector& v) {
  require(q, model.position_count(), "q");
  require(v, model.velocity_count(), "v");
  require_unit_quaternions(model, q);
  DynamicsData<double> data(model);
  update_kinematics(model, data, q, v);
  return data;
}

DynamicsData<double> placed(const Model& model, const Vector& q) {
  return moving(model, q, Vector::Zero(model.velocity_count()));
}

}  // namespace

void add_dynamics(py::module_& module) {
  module.def(
      "mass_matrix",
      [](const SourcedModel& model, const Vector& q) {
        DynamicsData<double> data = placed(model, q);
        return mass_matrix(model, data);
      },
      py::arg("model"), py::arg("q"), "M(q), with armature.");
  module.def(
      "bias_forces",
      [](const SourcedModel& model, const Vector& q, const Vector& v) {
        DynamicsData<double> data = moving(model, q, v);
        return bias_forces(model, data);
      },
      py::arg("model"), py::arg("q"), py::arg("v"),
      "Joint forces that hold against gravity and velocity terms.");
  module.def(
      "inverse_dynamics",
      [](const SourcedModel& model, const Vector& q, const Vector& v, const Vector& dv) {
        require(dv, model.velocity_count(), "dv");
        DynamicsData<double> data = moving(model, q, v);
        return inverse_dynamics(model, data, dv);
      },
      py::arg("model"), py::arg("q"), py::arg("v"), py::arg("dv"),
      "Joint forces that give the accelerations `dv`, without contacts.");
  module.def(
      "forward_dynamics",
      [](const SourcedModel& model, const Vector& q, const Vector& v, const Vector& tau) {
        require(tau, model.velocity_count(), "tau");
        DynamicsData<double> data = moving(model, q, v);
        return articulated_body_algorithm(model, data, q, v, tau);
      },
      py::arg("model"), py::arg("q"), py::arg("v"), py::arg("tau"),
      "Accelerations under joint forces `tau`, without contacts.");
  module.def(
      "frame_pose",
      [](const SourcedModel& model, const Vector& q, const std::string& frame) {
        DynamicsData<double> data = placed(model, q);
        return Eigen::Matrix4d(frame_pose(model, data, frame_of(model, frame)).matrix());
      },
      py::arg("model"), py::arg("q"), py::arg("frame"), "World pose of a link or site, 4 × 4.");
  module.def(
      "frame_jacobian",
      [](const SourcedModel& model, const Vector& q, const std::string& frame) {
        DynamicsData<double> data = placed(model, q);
        return Eigen::MatrixXd(frame_jacobian(model, data, frame_of(model, frame)));
      },
      py::arg("model"), py::arg("q"), py::arg("frame"),
      "6 × velocities: linear rows, then angular, world axes.");
  module.def(
      "energy",
      [](const SourcedModel& model, const Vector& q, const Vector& v) {
        DynamicsData<double> data = moving(model, q, v);
        return std::pair(kinetic_energy(model, data, as_span(v)),
                         potential_energy(model, data, as_span(q)));
      },
      py::arg("model"), py::arg("q"), py::arg("v"), "Kinetic and potential energy [J].");
}

}  // namespace stiction::python
