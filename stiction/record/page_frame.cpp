#include <bit>
#include <cstring>
#include <limits>

#include "stiction/record/page.hpp"
#include "stiction/record/page_encoding.hpp"

namespace stiction {

namespace {

constexpr std::uint32_t frame_magic = 0x46544353;
constexpr std::uint32_t frame_version = 1;
constexpr std::uint32_t frame_version_with_springs = 2;  ///< two columns more

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
  bytes.add(frame.springs.empty() ? frame_version : frame_version_with_springs);
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
                       std::uint64_t state_hash) {
  const std::vector<Eigen::Isometry3d> poses = scene.poses(frame.state.q);
  Bytes bytes;
  bytes.reserve(64 + 28 * poses.size() + 56 * frame.contacts.size() + 24 * frame.springs.size());
  add_head(bytes, frame, number, state_hash, poses.size());
  add_poses(bytes, poses);
  add_contacts(bytes, frame.contacts);
  add_springs(bytes, frame.springs);
  return bytes.take();
}

}  // namespace stiction
