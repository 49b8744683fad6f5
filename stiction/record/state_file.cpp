#include "stiction/record/state_file.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <span>

#include "stiction/core/problem.hpp"
#include "stiction/core/write_file.hpp"
#include "stiction/record/state_encoding.hpp"

namespace stiction {

namespace {

constexpr std::uintmax_t largest_file = std::uintmax_t{1} << 30;  // [bytes] thirty million impulses

[[noreturn]] void refuse(const std::filesystem::path& path, std::string what, std::string remedy) {
  ProblemList problems;
  problems.error({path.string(), 0, ""}, std::move(what), std::move(remedy));
  throw InputError(std::move(problems));
}

std::uint64_t unsigned_count(int count) { return static_cast<std::uint64_t>(count); }

/// The first number of q or v that is none, with its joint; empty if all are numbers.
std::string not_finite(const Model& model, std::span<const double> numbers, bool positions) {
  for (const Joint& joint : model.joints()) {
    const int first = positions ? joint.position_index : joint.velocity_index;
    const int size = positions ? position_size(joint.kind) : velocity_size(joint.kind);
    for (int i = first; i < first + size; ++i) {
      const double number = numbers[static_cast<std::size_t>(i)];
      if (std::isfinite(number)) continue;
      return fmt::format("{}[{}] of joint '{}' is {}", positions ? "q" : "v", i, joint.name,
                         number);
    }
  }
  return {};
}

/// What is wrong with a state whose sizes fit; empty if nothing is.
std::string fault_of(const Model& model, const State& state) {
  if (!std::isfinite(state.time)) return fmt::format("time is {}", state.time);
  std::string fault =
      not_finite(model, {state.q.data(), unsigned_count(model.position_count())}, true);
  if (!fault.empty()) return fault;
  fault = not_finite(model, {state.v.data(), unsigned_count(model.velocity_count())}, false);
  if (!fault.empty()) return fault;
  for (const double activation : state.activation) {
    if (!std::isfinite(activation)) return fmt::format("an activation is {}", activation);
  }
  std::uint64_t last = 0;
  for (const ImpulseMemory& entry : state.memory) {
    if (entry.key < last) return "the keys of its memory are not in ascending order";
    last = entry.key;
    if (!std::ranges::all_of(entry.impulse, [](double x) { return std::isfinite(x); })) {
      return fmt::format("its memory of {:#x} contains an impulse that is NaN or infinite",
                         entry.key);
    }
  }
  return {};
}

void check_identity(const std::filesystem::path& path, const ModelIdentity& stored,
                    const ModelIdentity& own) {
  const std::string difference = difference_of(stored, own);
  if (difference.empty()) return;
  refuse(path, "this is a state of another model: " + difference,
         "load it with the model it was saved with");
}

std::string read_bytes(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) refuse(path, "there is no such file", "check the path");
  if (!std::filesystem::is_regular_file(status)) {
    refuse(path, "this is not a regular file",
           "give a file written by save_state() or --save-state");
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || size > largest_file) {
    refuse(path, fmt::format("{} bytes are too many for a state", size),
           "give a file written by save_state() or --save-state");
  }
  std::string bytes(size, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) {
    refuse(path, "this file cannot be read", "check its permissions");
  }
  return bytes;
}

StoredState decode(std::string_view bytes) {
  if (looks_like_binary(bytes)) return decode_binary(bytes);
  if (looks_like_hdf5(bytes)) return decode_hdf5(bytes);
  throw StateFileFault("this is not a state file",
                       "give a file written by save_state() or --save-state");
}

}  // namespace

void throw_damaged(const std::string& what) {
  throw StateFileFault(what, "save the state again, or download the file again");
}

void check_version(std::uint64_t version) {
  if (version >= first_state_file_version && version <= state_file_version) return;
  throw StateFileFault(fmt::format("the file has version {}, but only versions {} to {} are known",
                                   version, first_state_file_version, state_file_version),
                       "read it with the release of Stiction that wrote it");
}

void save_state(const std::filesystem::path& path, const Model& model, const State& state) {
  if (state.q.size() != model.position_count() || state.v.size() != model.velocity_count()) {
    refuse(path,
           fmt::format("the state has {} positions and {} velocities, but model '{}' has {} and {}",
                       state.q.size(), state.v.size(), model.name(), model.position_count(),
                       model.velocity_count()),
           "save it with the model it belongs to");
  }
  if (state.activation.size() != model.activation_count()) {
    refuse(path,
           fmt::format("the state has {} activations, but model '{}' has {}",
                       state.activation.size(), model.name(), model.activation_count()),
           "save it with the model it belongs to");
  }
  if (const std::string fault = fault_of(model, state); !fault.empty()) {
    refuse(path, fmt::format("the state was not saved: {}", fault), "save a valid state");
  }
  const StoredState stored{identity_of(model), state};
  const std::string ending = path.extension().string();
  try {
    write_file(path,
               ending == ".h5" || ending == ".hdf5" ? encode_hdf5(stored) : encode_binary(stored));
  } catch (const StateFileFault& fault) {
    refuse(path, fault.what(), fault.remedy);
  } catch (const std::runtime_error& error) {
    refuse(path, error.what(), "check that the folder exists and is writable");
  }
}

State load_state(const std::filesystem::path& path, const Model& model) {
  const std::string bytes = read_bytes(path);
  StoredState stored;
  try {
    stored = decode(bytes);
  } catch (const StateFileFault& fault) {
    refuse(path, fault.what(), fault.remedy);
  }
  check_identity(path, stored.identity, identity_of(model));
  if (stored.state.q.size() != model.position_count() ||
      stored.state.v.size() != model.velocity_count() ||
      stored.state.activation.size() != model.activation_count()) {
    refuse(path, "the sizes in the file contradict each other", "save the state again");
  }
  if (const std::string fault = fault_of(model, stored.state); !fault.empty()) {
    refuse(path, fault, "save a valid state");
  }
  return std::move(stored.state);
}

}  // namespace stiction
