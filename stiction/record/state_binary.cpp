// The compact binary: docs/state.md has the layout.

#include <bit>
#include <fmt/format.h>

#include "stiction/core/mixer.hpp"
#include "stiction/record/state_encoding.hpp"

namespace stiction {

namespace {

// The line ends show a transfer that took the file for text.
constexpr std::string_view magic = "\x93STATE\r\n";
constexpr std::size_t checksum_size = 8;
constexpr std::size_t entry_size = 32;  ///< of one ImpulseMemory

std::uint64_t checksum(std::string_view bytes) {
  Mixer mixer;
  mixer.add(bytes);
  return mixer.result();
}

/// Little endian on every machine.
class Writer {
 public:
  void put(std::string_view bytes) { bytes_ += bytes; }
  void put(std::uint32_t number) { put_bytes(number, 4); }
  void put(std::uint64_t number) { put_bytes(number, 8); }
  void put(double number) { put(std::bit_cast<std::uint64_t>(number)); }
  [[nodiscard]] std::string&& take() { return std::move(bytes_); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void put_bytes(std::uint64_t number, int count) {
    for (int i = 0; i < count; ++i) bytes_ += static_cast<char>((number >> (8 * i)) & 0xff);
  }
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  [[nodiscard]] std::size_t left() const { return left_.size(); }

  std::string_view text(std::size_t size) {
    if (size > left_.size()) throw_damaged("the file is cut off");
    const std::string_view result = left_.substr(0, size);
    left_.remove_prefix(size);
    return result;
  }
  std::uint64_t integer(std::size_t size = 8) {
    std::uint64_t number = 0;
    int place = 0;
    for (const char byte : text(size)) {
      number |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << (8 * place++);
    }
    return number;
  }
  double real() { return std::bit_cast<double>(integer()); }
  Eigen::VectorXd reals(std::uint64_t count) {
    Eigen::VectorXd numbers(static_cast<Eigen::Index>(count));
    for (double& number : numbers) number = real();
    return numbers;
  }

 private:
  std::string_view left_;
};

/// Before anything of that size is allocated.
void check_counts(const Reader& reader, const ModelIdentity& identity, std::uint64_t memory) {
  const std::uint64_t left = reader.left();
  const std::uint64_t q = identity.position_count;
  const std::uint64_t v = identity.velocity_count;
  const std::uint64_t a = identity.activation_count;
  const bool small = q <= left / 8 && v <= left / 8 && a <= left / 8 && memory <= left / entry_size;
  if (!small || 8 * (1 + q + v + a) + entry_size * memory != left) {
    throw_damaged(
        fmt::format("{} positions, {} velocities, {} activations and {} impulses are announced, "
                    "but {} bytes follow",
                    q, v, a, memory, left));
  }
}

}  // namespace

bool looks_like_binary(std::string_view bytes) { return bytes.starts_with(magic); }

std::string encode_binary(const StoredState& stored) {
  Writer writer;
  writer.put(magic);
  writer.put(state_file_version);
  writer.put(static_cast<std::uint32_t>(stored.identity.name.size()));
  writer.put(stored.identity.name);
  writer.put(stored.identity.structure);
  writer.put(stored.identity.position_count);
  writer.put(stored.identity.velocity_count);
  writer.put(stored.identity.activation_count);
  writer.put(static_cast<std::uint64_t>(stored.state.memory.size()));
  writer.put(stored.state.time);
  for (const double number : stored.state.q) writer.put(number);
  for (const double number : stored.state.v) writer.put(number);
  for (const double number : stored.state.activation) writer.put(number);
  for (const ImpulseMemory& entry : stored.state.memory) {
    writer.put(entry.key);
    for (const double number : entry.impulse) writer.put(number);
  }
  writer.put(checksum(writer.bytes()));
  return writer.take();
}

StoredState decode_binary(std::string_view bytes) {
  Reader reader(bytes);
  reader.text(magic.size());
  const std::uint64_t version = reader.integer(4);
  check_version(version);
  if (reader.left() < checksum_size) throw_damaged("the file is cut off");
  const std::string_view content = bytes.substr(0, bytes.size() - checksum_size);
  if (Reader(bytes.substr(content.size())).integer() != checksum(content)) {
    throw_damaged("the checksum does not match: the file is cut off or was modified");
  }
  reader = Reader(content.substr(magic.size() + 4));
  StoredState stored;
  stored.identity.name = reader.text(reader.integer(4));
  stored.identity.structure = reader.integer();
  stored.identity.position_count = reader.integer();
  stored.identity.velocity_count = reader.integer();
  if (version > first_state_file_version) stored.identity.activation_count = reader.integer();
  const std::uint64_t memory_count = reader.integer();
  check_counts(reader, stored.identity, memory_count);
  stored.state.time = reader.real();
  stored.state.q = reader.reals(stored.identity.position_count);
  stored.state.v = reader.reals(stored.identity.velocity_count);
  stored.state.activation = reader.reals(stored.identity.activation_count);
  stored.state.memory.resize(memory_count);
  for (ImpulseMemory& entry : stored.state.memory) {
    entry.key = reader.integer();
    for (double& number : entry.impulse) number = reader.real();
  }
  return stored;
}

}  // namespace stiction
