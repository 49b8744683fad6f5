#include "stiction/model/state.hpp"

#include <bit>

#include "stiction/core/mixer.hpp"

namespace stiction {

namespace {

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

void add(Mixer& mixer, const Eigen::VectorXd& numbers) {
  mixer.add(static_cast<std::uint64_t>(numbers.size()));
  for (const double number : numbers) mixer.add(number);
}

bool same_bits(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  if (a.size() != b.size()) return false;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    if (bits(a[i]) != bits(b[i])) return false;
  }
  return true;
}

bool same_bits(const ImpulseMemory& a, const ImpulseMemory& b) {
  return a.key == b.key && bits(a.impulse[0]) == bits(b.impulse[0]) &&
         bits(a.impulse[1]) == bits(b.impulse[1]) && bits(a.impulse[2]) == bits(b.impulse[2]);
}

}  // namespace

bool same_bits(const State& a, const State& b) {
  if (bits(a.time) != bits(b.time) || !same_bits(a.q, b.q) || !same_bits(a.v, b.v) ||
      !same_bits(a.activation, b.activation)) {
    return false;
  }
  if (a.memory.size() != b.memory.size()) return false;
  for (std::size_t i = 0; i < a.memory.size(); ++i) {
    if (!same_bits(a.memory[i], b.memory[i])) return false;
  }
  return true;
}

std::uint64_t hash(const State& state) {
  Mixer mixer;
  mixer.add(state.time);
  add(mixer, state.q);
  add(mixer, state.v);
  mixer.add(static_cast<std::uint64_t>(state.memory.size()));
  for (const ImpulseMemory& entry : state.memory) {
    mixer.add(entry.key);
    for (const double number : entry.impulse) mixer.add(number);
  }
  // Without activations the hash is what it was before there were any.
  if (state.activation.size() > 0) add(mixer, state.activation);
  return mixer.result();
}

}  // namespace stiction
