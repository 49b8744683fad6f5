#include <bit>
#include <cstring>
#include <limits>

#include "stiction/record/page.hpp"
#include "stiction/record/page_encoding.hpp"

namespace stiction {

namespace {

constexpr std::uint32_t frame_magic = 0x46544353;
constexpr std::uint32_t frame_version = 3;

/// Appends numbers to the bytes of a message.
class Bytes {
 public:
  template <class Number>
  void add(Number number) {
    char bytes[sizeof(Number)];
    std::memcpy(bytes, &number, sizeof(Number));
    text_.append(bytes, sizeof(Number));
  }
  void add_count(std::int64_t number) { add(static_cast<std::uint32_t>(number)); }
  void add_float(double number) { add(static_cast<float>(number)); }
  void add_vector(const Vector3<double>& vector) {
    add_float(vector.x);
    add_float(vector.y);
    add_float(vector.z);
  }
  void reserve(std::size_t size) { text_.reserve(size); }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void add_head(Bytes& bytes, const RecordedFrame& frame, std::uint32_t number,
              std::uint64_t state_hash, std::size_t bodies) {
  bytes.add(frame_magic);
  bytes.add(frame_version);
  bytes.add(number);
  bytes.add_count(static_cast<std::int64_t>(bodies));
  bytes.add_count(static_cast<std::int64_t>(frame.contacts.size()));
  bytes.add_count(frame.iterations);
  bytes.add_count(frame.not_certified);
  bytes.add_count(frame.steps);
  bytes.add(frame.state.time);
  bytes.add(state_hash);
  bytes.add_float(frame.kinetic_energy);
  bytes.add_float(frame.potential_energy);
  bytes.add_float(frame.worst_residual);
  bytes.add_float(frame.deepest_overlap);
}

void add_numbers(Bytes& bytes, const Eigen::VectorXd& numbers) {
  for (const double x : numbers) bytes.add_float(x);
}

void add_point(Bytes& bytes, const Eigen::Vector3d& point) {
  for (const double x : point) bytes.add_float(x);
}

/// How long the columns after those of contacts are.
void add_sizes(Bytes& bytes, const RecordedFrame& frame, std::size_t pulls) {
  bytes.add_count(static_cast<std::int64_t>(frame.springs.size()));
  bytes.add_count(frame.state.q.size());
  bytes.add_count(frame.state.v.size());
  bytes.add_count(frame.joint_forces.size());
  bytes.add_count(frame.actuator_forces.size());
  bytes.add_count(static_cast<std::int64_t>(pulls));
}

void add_poses(Bytes& bytes, const std::vector<Eigen::Isometry3d>& poses) {
  for (const Eigen::Isometry3d& pose : poses) {
    for (const double x : pose.translation()) bytes.add_float(x);
  }
  for (const Eigen::Isometry3d& pose : poses) {
    const Eigen::Quaterniond quaternion(pose.linear());
    for (const double x : quaternion.coeffs()) bytes.add_float(x);
  }
}

void add_contacts(Bytes& bytes, const std::vector<RecordedContact>& contacts) {
  for (const RecordedContact& contact : contacts) {
    bytes.add(contact.shape_a);
    bytes.add(contact.shape_b);
  }
  for (const RecordedContact& contact : contacts) {
    bytes.add(static_cast<std::uint32_t>(contact.mode));
  }
  for (const RecordedContact& contact : contacts) bytes.add_vector(contact.point);
  for (const RecordedContact& contact : contacts) bytes.add_vector(contact.normal);
  for (const RecordedContact& contact : contacts) bytes.add_vector(contact.impulse);
  for (const RecordedContact& contact : contacts) bytes.add_float(contact.gap);
  for (const RecordedContact& contact : contacts) bytes.add_float(contact.friction);
}

void add_springs(Bytes& bytes, const std::vector<SpringEnds>& springs) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const Vector3<double> nowhere{none, none, none};
  for (const SpringEnds& spring : springs) bytes.add_vector(spring.attached ? spring.a : nowhere);
  for (const SpringEnds& spring : springs) {
    bytes.add_vector(spring.attached ? spring.stretch() : nowhere);
  }
}

}  // namespace

std::string page_frame(const ScenePoses& scene, const RecordedFrame& frame, std::uint32_t number,
                       std::uint64_t state_hash, std::span<const PulledPoint> pulls) {
  const std::vector<Eigen::Isometry3d> poses = scene.poses(frame.state.q);
  Bytes bytes;
  const auto numbers =
      static_cast<std::size_t>(frame.state.q.size() + frame.state.v.size() +
                               frame.joint_forces.size() + frame.actuator_forces.size());
  bytes.reserve(88 + 28 * poses.size() + 56 * frame.contacts.size() + 24 * frame.springs.size() +
                4 * numbers + 24 * pulls.size());
  add_head(bytes, frame, number, state_hash, poses.size());
  add_sizes(bytes, frame, pulls.size());
  add_poses(bytes, poses);
  add_contacts(bytes, frame.contacts);
  add_springs(bytes, frame.springs);
  add_numbers(bytes, frame.state.q);
  add_numbers(bytes, frame.state.v);
  add_numbers(bytes, frame.joint_forces);
  add_numbers(bytes, frame.actuator_forces);
  for (const PulledPoint& pull : pulls) add_point(bytes, pull.point);
  for (const PulledPoint& pull : pulls) add_point(bytes, pull.force);
  return bytes.take();
}

}  // namespace stiction
