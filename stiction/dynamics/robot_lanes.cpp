#include "stiction/dynamics/robot_lanes.hpp"

#include "stiction/core/index.hpp"
#include "stiction/dynamics/limb_transfer.hpp"

namespace stiction {

namespace {

/// What the sweeps ask of a body, but for its inertia.
LaneBody form_of(const BodyConstants& body) {
  LaneBody form;
  form.parent = body.parent;
  form.joint = body.joint;
  form.axis_kind = body.axis_kind;
  form.rotated = body.rotated;
  form.kinematic = body.kinematic;
  form.velocity_count = body.velocity_count;
  form.handover = body.handover;
  form.gathers = body.gathers;
  form.coincident = body.coincident;
  form.subtree_end = body.subtree_end;
  return form;
}

/// The first `count` numbers of a record to the i-th record of the same kind of each robot.
template <std::size_t count, template <Scalar> class Record>
[[gnu::always_inline]] inline void hand_out(
    const Record<Lane>& record, const PerLane<DynamicsData<double>*>& robots,
    std::vector<Record<double>> DynamicsData<double>::*records, std::size_t i) {
  PerLane<double*> targets;
  for (std::size_t slot = 0; slot < lane_width; ++slot) {
    targets[slot] = numbers((robots[slot]->*records)[i]);
  }
  scatter_records<count>(numbers(record), targets);
}

constexpr std::size_t kinematic_numbers = offsetof(BodyData<double>, acceleration) / sizeof(double);
constexpr std::size_t motion_numbers = offsetof(BodyData<double>, force) / sizeof(double);
/// The axis and one number more, to write whole lanes.
constexpr std::size_t axis_numbers = 4;
constexpr std::size_t dof_numbers = sizeof(DofData<double>) / sizeof(double);
constexpr std::size_t factor_numbers = sizeof(BaseFactor<double>) / sizeof(double);

/// So many numbers of each body, and the axes.
template <std::size_t count>
void hand_out_bodies(const DynamicsData<Lane>& lanes,
                     const PerLane<DynamicsData<double>*>& robots) {
  for (std::size_t i = 0; i < lanes.bodies.size(); ++i) {
    hand_out<count>(lanes.bodies[i], robots, &DynamicsData<double>::bodies, i);
  }
  for (std::size_t k = 0; k < lanes.dofs.size(); ++k) {
    hand_out<axis_numbers>(lanes.dofs[k], robots, &DynamicsData<double>::dofs, k);
  }
}

}  // namespace

RobotLanes::RobotLanes(const Model& structure)
    : structure_(structure), armature_(index(structure.velocity_count())) {
  for (const BodyConstants& body : structure.constants()) bodies_.push_back(form_of(body));
}

bool RobotLanes::go_together(const PerLane<const Model*>& robots) {
  const std::vector<BodyConstants>& first = robots[0]->constants();
  for (std::size_t slot = 1; slot < lane_width; ++slot) {
    const std::vector<BodyConstants>& other = robots[slot]->constants();
    if (&other == &first) continue;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i].weightless != other[i].weightless) return false;
    }
  }
  return true;
}

void RobotLanes::take_numbers(const PerLane<const Model*>& robots) {
  PerLane<const double*> sources;
  const auto from_all = [&](const auto& source) {
    for (std::size_t slot = 0; slot < lane_width; ++slot) sources[slot] = source(*robots[slot]);
  };
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    bodies_[i].weightless = robots[0]->constants()[i].weightless;
    from_all([&](const Model& robot) { return numbers(robot.constants()[i].inertia); });
    gather_records<sizeof(RigidInertia<double>) / sizeof(double)>(sources,
                                                                  numbers(bodies_[i].inertia));
  }
  from_all([](const Model& robot) { return robot.parameters().armature.data(); });
  gather_numbers(sources, armature_);
  from_all([](const Model& robot) { return robot.parameters().gravity.data(); });
  gather_records<3>(sources, numbers(gravity_));
}

void RobotLanes::factorize_and_accelerate(DynamicsData<Lane>& data, std::span<const Lane> tau,
                                          std::span<Lane> dv, std::span<const Lane> diagonal,
                                          std::span<const Force<Lane>> external) const {
  stiction::factorize_and_accelerate({structure_, bodies_, armature_, gravity_}, data, tau, dv,
                                     diagonal, external);
}

void hand_out_kinematics(const DynamicsData<Lane>& lanes,
                         const PerLane<DynamicsData<double>*>& robots) {
  hand_out_bodies<kinematic_numbers>(lanes, robots);
}

void hand_out_motion(const DynamicsData<Lane>& lanes,
                     const PerLane<DynamicsData<double>*>& robots) {
  hand_out_bodies<motion_numbers>(lanes, robots);
}

void hand_out_factors(const DynamicsData<Lane>& lanes,
                      const PerLane<DynamicsData<double>*>& robots) {
  for (std::size_t k = 0; k < lanes.dofs.size(); ++k) {
    hand_out<dof_numbers>(lanes.dofs[k], robots, &DynamicsData<double>::dofs, k);
  }
  for (std::size_t i = 0; i < lanes.base_factors.size(); ++i) {
    hand_out<factor_numbers>(lanes.base_factors[i], robots, &DynamicsData<double>::base_factors, i);
  }
}

void gather_numbers(const PerLane<const double*>& sources, std::span<Lane> lanes) {
  std::size_t k = 0;
  for (; k + lane_width <= lanes.size(); k += lane_width) {
    PerLane<const double*> here;
    for (std::size_t slot = 0; slot < lane_width; ++slot) here[slot] = sources[slot] + k;
    gather_records<lane_width>(here, lanes.data() + k);
  }
  for (; k < lanes.size(); ++k) {
    lanes[k] = make_lane([&](std::size_t slot) { return sources[slot][k]; });
  }
}

void scatter_numbers(std::span<const Lane> lanes, const PerLane<double*>& targets) {
  std::size_t k = 0;
  for (; k + lane_width <= lanes.size(); k += lane_width) {
    PerLane<double*> here;
    for (std::size_t slot = 0; slot < lane_width; ++slot) here[slot] = targets[slot] + k;
    scatter_records<lane_width>(lanes.data() + k, here);
  }
  for (; k < lanes.size(); ++k) {
    for (std::size_t slot = 0; slot < lane_width; ++slot) {
      targets[slot][k] = lane_value(lanes[k], slot);
    }
  }
}

}  // namespace stiction
