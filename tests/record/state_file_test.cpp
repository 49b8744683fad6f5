#include "stiction/record/state_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>

#include "stiction/core/mixer.hpp"
#include "stiction/core/paths.hpp"
#include "stiction/core/problem.hpp"
#include "stiction/core/random.hpp"
#include "stiction/io/load.hpp"
#include "stiction/record/state_encoding.hpp"
#include "support/temporary_folder.hpp"

/// HDF5 itself forgets some memory when it meets a damaged file; ours is still looked after.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

namespace stiction {
namespace {

const Model& quadruped() {
  static const Model model = load_model(models_folder() / "anymal.urdf").model;
  return model;
}

/// Numbers of all magnitudes, among them those that a text or a comparison would change.
State colourful_state(const Model& model, std::uint64_t seed = 1) {
  Random random(seed);
  State state = model.initial_state();
  state.time = 1.0 / 3.0;
  for (double& x : state.q) x = random.normal() * std::pow(10.0, random.uniform(-12.0, 12.0));
  for (double& x : state.v) x = random.normal();
  state.v[0] = -0.0;
  state.v[1] = std::numeric_limits<double>::denorm_min();
  state.v[2] = std::numeric_limits<double>::max();
  for (std::uint64_t i = 0; i < 40; ++i) {
    state.memory.push_back(
        {i * 0x0123456789abcdefu, {random.normal(), -0.0, random.uniform() * 1e-300}});
  }
  std::ranges::sort(state.memory, {}, &ImpulseMemory::key);
  return state;
}

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// The text of the one error that `act` throws.
std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().all().size(), 1U);
    EXPECT_FALSE(error.problems().all().front().remedy.empty());
    return error.what();
  }
  return "no error";
}

std::string load_error(const std::filesystem::path& path, const Model& model = quadruped()) {
  const std::string text = error_of([&] { static_cast<void>(load_state(path, model)); });
  EXPECT_NE(text.find(path.filename().string()), std::string::npos) << text;
  return text;
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

/// Little endian, at `place`.
void patch(std::string& bytes, std::size_t place, std::uint64_t number, int size) {
  for (int i = 0; i < size; ++i) {
    bytes[place + static_cast<std::size_t>(i)] = static_cast<char>((number >> (8 * i)) & 0xff);
  }
}

/// A changed binary whose checksum is right all the same.
std::string sealed(std::string bytes) {
  bytes.resize(bytes.size() - 8);
  Mixer mixer;
  mixer.add(std::string_view(bytes));
  bytes.resize(bytes.size() + 8);
  patch(bytes, bytes.size() - 8, mixer.result(), 8);
  return bytes;
}

class StateFile : public testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] std::filesystem::path path() const {
    return folder.path() / (std::string("robot") + GetParam());
  }
  [[nodiscard]] std::string bytes_of(const StoredState& stored) const {
    return path().extension() == ".h5" ? encode_hdf5(stored) : encode_binary(stored);
  }
  test::TemporaryFolder folder;
};

TEST_P(StateFile, ComesBackBitForBit) {
  const State state = colourful_state(quadruped());
  save_state(path(), quadruped(), state);
  const State back = load_state(path(), quadruped());
  EXPECT_TRUE(same_bits(state, back));
  EXPECT_EQ(hash(state), hash(back));
  EXPECT_TRUE(std::signbit(back.v[0]));
}

TEST_P(StateFile, EmptyMemoryComesBackToo) {
  save_state(path(), quadruped(), quadruped().initial_state());
  EXPECT_TRUE(same_bits(load_state(path(), quadruped()), quadruped().initial_state()));
}

TEST_P(StateFile, SameStateGivesSameFile) {
  save_state(path(), quadruped(), colourful_state(quadruped()));
  const std::string first = read(path());
  save_state(path(), quadruped(), colourful_state(quadruped()));
  EXPECT_EQ(first, read(path()));
}

TEST_P(StateFile, IsKnownByContentWhateverItsName) {
  const State state = colourful_state(quadruped());
  save_state(path(), quadruped(), state);
  const auto renamed = folder.path() / "renamed.bin";
  std::filesystem::rename(path(), renamed);
  EXPECT_TRUE(same_bits(state, load_state(renamed, quadruped())));
}

TEST_P(StateFile, EveryCutIsRefused) {
  save_state(path(), quadruped(), colourful_state(quadruped()));
  const std::string whole = read(path());
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 8) {
    SCOPED_TRACE(size);
    EXPECT_NE(load_error(folder.write("cut", whole.substr(0, size))), "no error");
  }
  EXPECT_NE(load_error(folder.write("cut", whole.substr(0, whole.size() - 1))), "no error");
}

TEST_P(StateFile, NoFlippedBitChangesTheState) {
  const State state = colourful_state(quadruped());
  save_state(path(), quadruped(), state);
  const std::string whole = read(path());
  int refused = 0;
  for (std::size_t i = 0; i < whole.size(); i += 11) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
    const auto file = folder.write("changed", changed);
    try {
      // HDF5 has bytes that mean nothing.
      EXPECT_TRUE(same_bits(state, load_state(file, quadruped()))) << i;
    } catch (const InputError&) {
      ++refused;
    }
  }
  // Every number of the state is a good part of both files.
  EXPECT_GT(refused, 100);
}

TEST_P(StateFile, StatesOfOtherModelsAreRefused) {
  save_state(path(), quadruped(), colourful_state(quadruped()));
  const Model other = load_model(models_folder() / "solo12.urdf").model;
  EXPECT_HAS(load_error(path(), other), "state of another model: it belongs to 'anymal'");

  StoredState stored{identity_of(quadruped()), quadruped().initial_state()};
  stored.identity.structure ^= 1;
  EXPECT_HAS(load_error(folder.write("order", bytes_of(stored))), "other names or another order");

  stored = {identity_of(quadruped()), quadruped().initial_state()};
  stored.state.q.conservativeResize(stored.state.q.size() + 1);
  stored.state.q.tail<1>()[0] = 0.0;
  ++stored.identity.position_count;
  EXPECT_HAS(load_error(folder.write("longer", bytes_of(stored))), "it has 20 positions");
}

TEST_P(StateFile, NumbersThatAreNoneAreNamedOnBothWays) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<std::function<void(State&)>, std::string>> faults{
      {[&](State& s) { s.time = nan; }, "time is nan"},
      {[&](State& s) { s.q[7] = nan; }, "q[7] of joint 'LF_HAA' is nan"},
      {[&](State& s) { s.v[6] = -std::numeric_limits<double>::infinity(); },
       "v[6] of joint 'LF_HAA' is -inf"},
      {[&](State& s) { s.memory[3].impulse[1] = nan; }, "impulse that is NaN or infinite"},
      {[&](State& s) { std::swap(s.memory[3], s.memory[4]); }, "keys of its memory"},
  };
  for (const auto& [spoil, text] : faults) {
    StoredState stored{identity_of(quadruped()), colourful_state(quadruped())};
    spoil(stored.state);
    EXPECT_HAS(load_error(folder.write("spoilt", bytes_of(stored))), text);
    EXPECT_HAS(error_of([&] { save_state(path(), quadruped(), stored.state); }), text);
    EXPECT_FALSE(std::filesystem::exists(path()));
  }
}

TEST_P(StateFile, WrongSizesAreNotSaved) {
  State state = quadruped().initial_state();
  state.v.conservativeResize(3);
  EXPECT_HAS(error_of([&] { save_state(path(), quadruped(), state); }), "3 velocities");
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_P(StateFile, AFailedSaveLeavesTheOldFile) {
  const State old = colourful_state(quadruped(), 1);
  save_state(path(), quadruped(), old);
  State spoilt = colourful_state(quadruped(), 2);
  spoilt.q[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(save_state(path(), quadruped(), spoilt), InputError);
  EXPECT_TRUE(same_bits(old, load_state(path(), quadruped())));
}

TEST_P(StateFile, NothingIsLeftBesideTheFile) {
  save_state(path(), quadruped(), colourful_state(quadruped()));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST_P(StateFile, UnwritablePathsAreNamed) {
  const State state = quadruped().initial_state();
  const std::string name = path().filename().string();
  EXPECT_HAS(error_of([&] { save_state(folder.path() / "absent" / name, quadruped(), state); }),
             "cannot write");
  std::filesystem::create_directory(path());
  EXPECT_HAS(error_of([&] { save_state(path(), quadruped(), state); }), "cannot write");
  EXPECT_TRUE(std::filesystem::is_directory(path()));
}

/// A hinge with a filtered servo.
Model filtered() {
  return load_model_text(
             "<mujoco model='anymal'><worldbody><body><joint name='j' axis='0 1 0'/>"
             "<geom size='.1'/></body></worldbody><actuator><position joint='j' timeconst='.1'/>"
             "</actuator></mujoco>",
             "filtered.xml")
      .model;
}

TEST_P(StateFile, HoldsActivations) {
  const Model model = filtered();
  State state = model.initial_state();
  ASSERT_EQ(state.activation.size(), 1);
  state.activation[0] = -1.0 / 3.0;
  save_state(path(), model, state);
  EXPECT_TRUE(same_bits(load_state(path(), model), state));
  StoredState stored{identity_of(model), state};
  stored.state.activation[0] = std::nan("");
  EXPECT_HAS(load_error(folder.write("bad.x", bytes_of(stored)), model), "an activation is nan");
  stored.state.activation.resize(0);
  stored.identity.activation_count = 0;
  EXPECT_HAS(load_error(folder.write("less.x", bytes_of(stored)), model),
             "0 activations of actuators, but 'anymal' has 1");
  state.activation.resize(2);
  EXPECT_HAS(error_of([&] { save_state(path(), model, state); }), "has 2 activations");
}

INSTANTIATE_TEST_SUITE_P(BothKinds, StateFile, testing::Values(".state", ".h5"),
                         [](const auto& kind) { return std::string(kind.param).substr(1); });

TEST(StateFileReading, WhatIsNoStateFileIsRefused) {
  const test::TemporaryFolder folder;
  EXPECT_HAS(load_error(folder.path() / "absent.state"), "no such file");
  EXPECT_HAS(load_error(folder.path()), "not a regular file");
  EXPECT_HAS(load_error(folder.write("empty.state", "")), "not a state file");
  EXPECT_HAS(load_error(folder.write("text.state", "time 0\nq 1 2 3\n")), "not a state file");
  EXPECT_HAS(load_error(models_folder() / "problems" / "stack.hdf5"), "contains no state");
}

TEST(StateFileReading, OtherVersionsAreNamed) {
  const test::TemporaryFolder folder;
  std::string bytes = encode_binary({identity_of(quadruped()), quadruped().initial_state()});
  patch(bytes, 8, 7, 4);
  EXPECT_HAS(load_error(folder.write("future.state", sealed(bytes))), "has version 7");

  const StoredState later{identity_of(quadruped()), quadruped().initial_state()};
  EXPECT_HAS(load_error(folder.write("future.h5", encode_hdf5(later, 7))), "has version 7");
}

/// The first version had no count of activations.
std::string as_first_version(std::string bytes, std::size_t name) {
  patch(bytes, 8, 1, 4);
  return sealed(bytes.erase(16 + name + 8 + 16, 8));
}

TEST(StateFileReading, TheFirstVersionIsStillRead) {
  const test::TemporaryFolder folder;
  const State state = colourful_state(quadruped());
  const StoredState stored{identity_of(quadruped()), state};
  const auto old = folder.write(
      "old.state", as_first_version(encode_binary(stored), stored.identity.name.size()));
  EXPECT_TRUE(same_bits(load_state(old, quadruped()), state));
  EXPECT_TRUE(
      same_bits(load_state(folder.write("old.h5", encode_hdf5(stored, 1)), quadruped()), state));
  StoredState less{identity_of(filtered()), filtered().initial_state()};
  less.state.activation.resize(0);
  EXPECT_HAS(load_error(folder.write("less.h5", encode_hdf5(less, 1)), filtered()),
             "0 activations of actuators, but 'anymal' has 1");
}

TEST(StateFileReading, HugeCountsAreRefusedBeforeAnythingIsAllocated) {
  const test::TemporaryFolder folder;
  const StoredState stored{identity_of(quadruped()), quadruped().initial_state()};
  const std::size_t counts = 16 + stored.identity.name.size() + 8;
  for (int field = 0; field < 4; ++field) {
    for (const std::uint64_t count :
         {std::uint64_t{1} << 61, ~std::uint64_t{0}, std::uint64_t{99}}) {
      std::string bytes = encode_binary(stored);
      patch(bytes, counts + 8 * static_cast<std::size_t>(field), count, 8);
      EXPECT_HAS(load_error(folder.write("huge.state", sealed(bytes))), "are announced");
    }
  }
  std::string bytes = encode_binary(stored);
  patch(bytes, 12, 0xffffffffu, 4);
  EXPECT_HAS(load_error(folder.write("name.state", sealed(bytes))), "cut off");
}

TEST(StateFileReading, SizesThatContradictEachOtherAreRefused) {
  const test::TemporaryFolder folder;
  StoredState stored{identity_of(quadruped()), quadruped().initial_state()};
  stored.state.q.conservativeResize(3);
  EXPECT_HAS(load_error(folder.write("short.h5", encode_hdf5(stored))), "contradict");
  EXPECT_HAS(load_error(folder.write("short.state", encode_binary(stored))), "are announced");
}

TEST(StateHash, TellsEveryBitApart) {
  const State state = colourful_state(quadruped());
  std::vector<std::uint64_t> hashes{hash(state)};
  const auto changed = [&](const std::function<void(State&)>& change) {
    State other = state;
    change(other);
    EXPECT_FALSE(same_bits(state, other));
    hashes.push_back(hash(other));
  };
  for (int bit = 0; bit < 64; ++bit) {
    const auto flip = [bit](double& x) {
      x = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ (std::uint64_t{1} << bit));
    };
    changed([&](State& s) { flip(s.time); });
    changed([&](State& s) { flip(s.q[5]); });
    changed([&](State& s) { flip(s.v[5]); });
    changed([&](State& s) { s.memory[7].key ^= std::uint64_t{1} << bit; });
    changed([&](State& s) { flip(s.memory[7].impulse[2]); });
  }
  changed([](State& s) { std::swap(s.q[0], s.q[1]); });
  changed([](State& s) { s.memory.pop_back(); });
  changed([](State& s) { s.v[0] = 0.0; });
  std::ranges::sort(hashes);
  EXPECT_EQ(std::ranges::adjacent_find(hashes), hashes.end());
}

TEST(StateHash, NotANumberIsEqualToItself) {
  State state = quadruped().initial_state();
  state.q[0] = std::numeric_limits<double>::quiet_NaN();
  const State copy = state;
  EXPECT_TRUE(same_bits(state, copy));
  EXPECT_EQ(hash(state), hash(copy));
}

TEST(StateHash, StaysTheSameBetweenReleases) {
  State state;
  state.time = 0.5;
  state.q = Eigen::Vector3d(1.0, 2.0, 3.0);
  state.v = Eigen::Vector2d(-1.0, 0.25);
  state.memory = {{42, {0.0, 1e-3, -2.0}}};
  EXPECT_EQ(hash(state), 7956460628865463577u);
}

}  // namespace
}  // namespace stiction
