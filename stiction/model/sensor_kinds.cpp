#include "stiction/model/sensor_kinds.hpp"

#include <array>

namespace stiction {

namespace {

using enum SensorKind;

/// In the order of the enum.
constexpr auto table = std::to_array<SensorTraits>({
    {joint_position, "joint position", 1, SensorSource::joint},
    {joint_velocity, "joint velocity", 1, SensorSource::joint},
    {joint_force, "joint force", 1, SensorSource::joint},
    {actuator_force, "actuator force", 1, SensorSource::joint},
    {actuator_position, "actuator position", 1, SensorSource::tendon},
    {actuator_velocity, "actuator velocity", 1, SensorSource::tendon},
    {tendon_position, "tendon position", 1, SensorSource::tendon},
    {tendon_velocity, "tendon velocity", 1, SensorSource::tendon},
    {ball_quaternion, "ball quaternion", 4, SensorSource::joint},
    {ball_angular_velocity, "ball angular velocity", 3, SensorSource::joint},
    {frame_position, "frame position", 3, SensorSource::frame},
    {frame_quaternion, "frame quaternion", 4, SensorSource::frame},
    {frame_linear_velocity, "frame linear velocity", 3, SensorSource::frame},
    {frame_angular_velocity, "frame angular velocity", 3, SensorSource::frame},
    {frame_linear_acceleration, "frame linear acceleration", 3, SensorSource::last_step},
    {frame_angular_acceleration, "frame angular acceleration", 3, SensorSource::last_step},
    {gyro, "gyro", 3, SensorSource::frame},
    {accelerometer, "accelerometer", 3, SensorSource::last_step},
    {velocimeter, "velocimeter", 3, SensorSource::frame},
    {magnetometer, "magnetometer", 3, SensorSource::frame},
    {force, "force", 3, SensorSource::forces},
    {torque, "torque", 3, SensorSource::forces},
    {touch, "touch", 1, SensorSource::last_step},
    {rangefinder, "rangefinder", 1, SensorSource::frame},
    {subtree_center_of_mass, "subtree centre of mass", 3, SensorSource::subtree},
    {subtree_linear_velocity, "subtree linear velocity", 3, SensorSource::subtree},
    {subtree_angular_momentum, "subtree angular momentum", 3, SensorSource::subtree},
    {clock, "clock", 1, SensorSource::scene},
    {frame_x_axis, "frame x axis", 3, SensorSource::frame},
    {frame_y_axis, "frame y axis", 3, SensorSource::frame},
    {frame_z_axis, "frame z axis", 3, SensorSource::frame},
    {joint_limit_position, "joint limit position", 1, SensorSource::limit},
    {joint_limit_velocity, "joint limit velocity", 1, SensorSource::limit},
    {joint_limit_force, "joint limit force", 1, SensorSource::limit},
    {potential_energy, "potential energy", 1, SensorSource::scene},
    {kinetic_energy, "kinetic energy", 1, SensorSource::scene},
    {contact, "contact", 0, SensorSource::contacts},
    {other, "other", 0, SensorSource::nothing},
});

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].kind) != i) return false;
  }
  return table.back().kind == other;
}
static_assert(is_in_order(), "one row for each kind of sensor, in the order of the enum");

}  // namespace

const SensorTraits& traits_of(SensorKind kind) { return table[static_cast<std::size_t>(kind)]; }

int Sensor::size() const {
  return contacts ? contacts->slots * contacts->slot_size() : traits_of(kind).size;
}

std::string_view to_string(SensorKind kind) { return traits_of(kind).name; }

}  // namespace stiction
