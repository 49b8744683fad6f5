#include <fmt/format.h>

#include "python/source/bindings.hpp"
#include "stiction/control/inverse_dynamics.hpp"
#include "stiction/control/joint_control.hpp"
#include "stiction/control/linearize.hpp"
#include "stiction/control/state_feedback.hpp"

namespace stiction::python {

namespace {

using Vector = Eigen::VectorXd;

/// A reference that is written as a whole; the controller checks it when it is used.
template <class Class, class Type>
void add_reference(Class& type, const char* name, Vector Type::*member, const char* text) {
  type.def_property(
      name, [member](const typename Class::type& c) { return frozen(c.*member); },
      [member, name](typename Class::type& c, const Vector& values) {
        assign(c.*member, values, name);
      },
      text);
}

using Pd = Owned<PdController>;
using GravityCompensator = Owned<GravityCompensationController>;
using Feedback = Owned<StateFeedback>;

void add_joint_control(py::module_& module) {
  py::class_<Pd> pd(module, "PdController",
                    "torques = feed_forward + kp (q_ref - q) + kd (v_ref - v), within "
                    "the effort limits. Explicit: "
                    "for stiff gains use Simulation.set_servos().");
  pd.def(py::init([](const SourcedModel& model, double kp, double kd) {
           return Pd(model, model, kp, kd);
         }),
         py::arg("model"), py::arg("kp"), py::arg("kd"), "Gains [N·m/rad], [N·m·s/rad].")
      .def(py::init([](const SourcedModel& model, const Vector& kp, const Vector& kd) {
             return Pd(model, model, kp, kd);
           }),
           py::arg("model"), py::arg("kp"), py::arg("kd"), "Gains, one per velocity.")
      .def(
          "torques",
          [](Pd& c, const OwnedState& state) {
            require_fit(*c.identity, state);
            return Vector(c.torques(state));
          },
          py::arg("state"), "One per velocity, 0 for the floating base [N·m or N].");
  add_reference(pd, "q", &PdController::q,
                "Reference, positions (a copy that cannot be written to; assign a whole array).");
  add_reference(pd, "v", &PdController::v, "Reference, velocities (a copy).");
  add_reference(pd, "feed_forward", &PdController::feed_forward, "[N·m or N] (a copy).");

  py::class_<GravityCompensator>(
      module, "GravityCompensation",
      "Torques that hold the robot still where it is. A floating robot stands on the frames "
      "`supports`.")
      .def(py::init([](const SourcedModel& model, std::vector<std::string> supports) {
             return GravityCompensator(model, model, std::move(supports));
           }),
           py::arg("model"), py::arg("supports") = std::vector<std::string>{})
      .def(
          "torques",
          [](GravityCompensator& c, const OwnedState& state) {
            require_fit(*c.identity, state);
            return Vector(c.torques(state));
          },
          py::arg("state"), "One per velocity [N·m or N].")
      .def_property_readonly(
          "forces", [](const GravityCompensator& c) { return c.forces(); },
          "Of the last call, 3 × supports, world [N].");
}

TaskGains gains_of(double kp, double kd, double weight) {
  return {.kp = kp, .kd = kd, .weight = weight};
}

Eigen::Isometry3d pose_of(const Eigen::Matrix4d& matrix) {
  Eigen::Isometry3d pose;
  pose.matrix() = matrix;
  return pose;
}

BodyTask::Part part_of(const std::string& word) {
  if (word == "position") return BodyTask::Part::position;
  if (word == "orientation") return BodyTask::Part::orientation;
  if (word == "both") return BodyTask::Part::both;
  refuse(fmt::format("part is '{}'; choose from position, orientation, both", word));
}

int checked(int task, int count, const char* what) {
  if (task >= 0 && task < count) return task;
  refuse(fmt::format("there is no {} {}; there are {}", what, task, count));
}

/// How many body tasks were added: the controller does not tell.
struct Controller {
  explicit Controller(const SourcedModel& model, InverseDynamicsOptions options)
      : control(model, std::move(options)), identity(model.identity()) {}

  InverseDynamics control;
  std::shared_ptr<const ModelIdentity> identity;
  int body_tasks = 0;
};

void add_tasks(py::class_<Controller>& type) {
  type.def(
          "set_center_of_mass",
          [](Controller& c, const Eigen::Vector3d& position, const Eigen::Vector3d& velocity,
             const Eigen::Vector3d& acceleration, double kp, double kd, double weight) {
            c.control.center_of_mass() = {.gains = gains_of(kp, kd, weight),
                                          .position = position,
                                          .velocity = velocity,
                                          .acceleration = acceleration};
          },
          py::arg("position"), py::arg("velocity") = Eigen::Vector3d(0, 0, 0),
          py::arg("acceleration") = Eigen::Vector3d(0, 0, 0), py::arg("kp") = 10.0,
          py::arg("kd") = -1.0, py::arg("weight") = 1.0,
          "Where the centre of mass should be [m]. kp [1/s²], kd [1/s]; negative: critical.")
      .def(
          "set_posture",
          [](Controller& c, const Vector& q, double kp, double kd, double weight) {
            c.control.posture() = {
                .gains = gains_of(kp, kd, weight), .q = q, .velocity = {}, .joint_weights = {}};
          },
          py::arg("q"), py::arg("kp") = 10.0, py::arg("kd") = -1.0, py::arg("weight") = 1e-4,
          "What the joints should do where nothing else asks.")
      .def(
          "add_body_task",
          [](Controller& c, const std::string& frame, const Eigen::Matrix4d& pose,
             const std::string& part, double kp, double kd, double weight) {
            BodyTask task;
            task.frame = frame;
            task.part = part_of(part);
            task.gains = gains_of(kp, kd, weight);
            task.pose = pose_of(pose);
            const int index = c.control.add_body_task(task);
            c.body_tasks = index + 1;
            return index;
          },
          py::arg("frame"), py::arg("pose"), py::arg("part") = "both", py::arg("kp") = 10.0,
          py::arg("kd") = -1.0, py::arg("weight") = 1.0,
          "Where a frame should be (4 × 4, world [m]): its position, orientation or both. Returns "
          "its index.")
      .def(
          "set_body_task",
          [](Controller& c, int task, const Eigen::Matrix4d& pose, const Eigen::Vector3d& velocity,
             const Eigen::Vector3d& angular_velocity) {
            BodyTask& one = c.control.body_task(checked(task, c.body_tasks, "body task"));
            one.pose = pose_of(pose);
            one.velocity = velocity;
            one.angular_velocity = angular_velocity;
          },
          py::arg("task"), py::arg("pose"), py::arg("velocity") = Eigen::Vector3d(0, 0, 0),
          py::arg("angular_velocity") = Eigen::Vector3d(0, 0, 0), "A new reference.")
      .def(
          "add_ball_foot",
          [](Controller& c, const std::string& frame, double radius, double friction) {
            return c.control.add_contact(ContactSpec::ball(frame, radius, friction));
          },
          py::arg("frame"), py::arg("radius"), py::arg("friction") = 1.0,
          "A ball foot about a frame [m] that may push against the floor. Returns its index.")
      .def(
          "add_sole",
          [](Controller& c, const std::string& frame, double x_rear, double x_front,
             double half_width, double z, double friction) {
            return c.control.add_contact(
                ContactSpec::rectangle(frame, x_rear, x_front, half_width, z, friction));
          },
          py::arg("frame"), py::arg("x_rear"), py::arg("x_front"), py::arg("half_width"),
          py::arg("z"), py::arg("friction") = 1.0,
          "A rectangular sole in a frame [m] that may push against the floor. Returns its index.")
      .def(
          "set_active",
          [](Controller& c, int contact, bool active) {
            c.control.set_active(checked(contact, c.control.contact_count(), "contact"), active);
          },
          py::arg("contact"), py::arg("active"), "Whether a contact may push.");
}

void add_inverse_dynamics(py::module_& module) {
  py::class_<Controller> type(
      module, "InverseDynamics",
      "Task-space inverse dynamics: joint torques that make the robot do what the tasks ask, with "
      "forces that its contacts can take, by one quadratic program per call.");
  type.def(py::init([](const SourcedModel& model, const std::optional<Vector>& torque_limits) {
             InverseDynamicsOptions options;
             if (torque_limits) options.torque_limits = *torque_limits;
             return std::make_unique<Controller>(model, std::move(options));
           }),
           py::arg("model"), py::arg("torque_limits") = py::none(),
           "Limits: one per velocity [N·m or N]; default: the effort limits of the joints.");
  add_tasks(type);
  type.def(
          "torques",
          [](Controller& c, const OwnedState& state) {
            require_fit(*c.identity, state);
            return Vector(c.control.compute(state).torques);
          },
          py::arg("state"),
          "One per velocity, 0 for the floating base [N·m or N]. `ok` tells whether they are new.")
      .def_property_readonly("ok", [](const Controller& c) { return c.control.result().ok(); })
      .def_property_readonly(
          "message", [](const Controller& c) { return c.control.result().message; },
          "Which constraints contradict each other; empty if none do.")
      .def_property_readonly(
          "accelerations", [](const Controller& c) { return c.control.result().accelerations; },
          "One per velocity.")
      .def_property_readonly(
          "forces", [](const Controller& c) { return Eigen::MatrixXd(c.control.result().forces); },
          "3 × contact points, world [N].")
      .def_property_readonly(
          "center_of_mass", [](const Controller& c) { return c.control.center_of_mass_position(); },
          "At the last call of torques() [m].");
}

void add_linear_control(py::module_& module) {
  module.def(
      "linearize",
      [](const SourcedModel& model, double time_step, const Vector& q, const Vector& v,
         const Vector& tau, std::vector<int> inputs) {
        Linearizer linearizer(model, time_step, std::move(inputs));
        const LinearStep& step = linearizer.linearize(q, v, tau);
        return std::pair(step.A, step.B);
      },
      py::arg("model"), py::arg("time_step"), py::arg("q"), py::arg("v"), py::arg("tau"),
      py::arg("inputs") = std::vector<int>{},
      "A and B of δx⁺ = A δx + B δu about a state, without contacts; x is positions (as "
      "velocities are), then velocities; u the forces of the entries `inputs` of v, all by "
      "default.");
  py::class_<Feedback>(module, "StateFeedback",
                       "torques = reference - K (x - x_ref): an LQR that holds a pose.")
      .def(py::init([](const SourcedModel& model, double time_step, const Vector& q,
                       const Vector& forces, const Eigen::MatrixXd& state_cost,
                       const Eigen::MatrixXd& input_cost, std::vector<int> inputs) {
             return Feedback(model,
                             hold(model, time_step, q, forces,
                                  {.state = state_cost, .input = input_cost, .final_state = {}},
                                  std::move(inputs)));
           }),
           py::arg("model"), py::arg("time_step"), py::arg("q"), py::arg("forces"),
           py::arg("state_cost"), py::arg("input_cost"), py::arg("inputs") = std::vector<int>{},
           "Holds the robot at rest at q, where `forces` (one per velocity) balance it.")
      .def(
          "torques",
          [](Feedback& c, const OwnedState& state) {
            require_fit(*c.identity, state);
            return Vector(c.torques(state));
          },
          py::arg("state"), "One per velocity [N·m or N].");
}

}  // namespace

void add_control(py::module_& module) {
  add_joint_control(module);
  add_inverse_dynamics(module);
  add_linear_control(module);
}

}  // namespace stiction::python
