// Random robots, each with numbers, controls and resets of its own: whatever batch one is in, it
// has the bits of that robot alone.

#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <memory>

#include "stiction/batch/batch.hpp"
#include "stiction/core/index.hpp"
#include "stiction/core/random.hpp"
#include "stiction/io/load.hpp"
#include "stiction/sim/step.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

constexpr int robot_count = 1000;
constexpr int steps_per_target = 20;
/// Robots of batches with less than `small` environments; of larger ones all take part.
constexpr int robots_in_small = 84;
constexpr int small = 64;

/// 2 s take minutes: STICTION_BATCH_STEPS=2000 asks for them.
int step_count() {
  const char* text = std::getenv("STICTION_BATCH_STEPS");
  return text == nullptr ? 90 : std::atoi(text);
}

Model quadruped() {
  return load_model(fs::path(STICTION_SOURCE_DIR) / "models" / "anymal_lumped.xml").model;
}

/// What one robot is and does, by its number alone.
class Life {
 public:
  Life(int robot, const Model& model) : random_(static_cast<std::uint64_t>(97 + robot)) {
    stand_ = model.keyframe_state(0);
    next_reset_ = random_.uniform(0.0, 400.0);
  }

  void change(Model& model) {
    for (int b = 0; b < model.body_count(); ++b) {
      BodyInertia inertia = model.body_inertia(b);
      const double factor = random_.uniform(0.7, 1.4);
      inertia.mass *= factor;
      inertia.inertia *= factor;
      model.set_body_inertia(b, inertia);
    }
    Material material = model.materials()[0];
    material.friction *= random_.uniform(0.5, 1.5);
    model.set_material(0, material);
    model.set_armature(7, random_.uniform(0.0, 0.02));
    model.set_gravity({0.0, random_.uniform(-0.5, 0.5), random_.uniform(-10.5, -9.0)});
  }

  [[nodiscard]] State start() {
    State state = stand_;
    state.q[2] += random_.uniform(0.0, 0.1);
    for (Eigen::Index k = 7; k < state.q.size(); ++k) state.q[k] += random_.uniform(-0.2, 0.2);
    for (Eigen::Index k = 0; k < state.v.size(); ++k) state.v[k] = random_.uniform(-0.5, 0.5);
    return state;
  }

  /// Whether the robot starts anew before step k.
  bool resets(int k) {
    if (k < next_reset_) return false;
    next_reset_ = k + random_.uniform(20.0, 400.0);
    return true;
  }

  void steer(int k, std::span<double> joint_forces) {
    if (k % steps_per_target != 0) return;
    for (std::size_t i = 6; i < joint_forces.size(); ++i) {
      joint_forces[i] = random_.uniform(-25.0, 25.0);
    }
  }

 private:
  Random random_;
  State stand_;
  double next_reset_ = 0.0;
};

std::vector<std::uint64_t> ends_alone(const Model& original, int steps) {
  std::vector<std::uint64_t> ends;
  Workspace workspace(original);
  StepReport report;
  for (int i = 0; i < robot_count; ++i) {
    Model model = original;
    Life life(i, model);
    life.change(model);
    State state = life.start();
    std::vector<double> forces(index(model.velocity_count()));
    for (int k = 0; k < steps; ++k) {
      if (life.resets(k)) state = life.start();
      life.steer(k, forces);
      StepInput input;
      input.joint_forces = forces;
      step(model, {}, input, state, workspace, report);
    }
    ends.push_back(hash(state));
  }
  return ends;
}

/// Robots [first, first + batch.count()).
void live(Batch& batch, int first, int steps) {
  std::vector<Life> lives;
  for (int i = 0; i < batch.count(); ++i) {
    lives.emplace_back(first + i, batch.model());
    lives.back().change(batch.model(i));
    batch.set_state(i, lives.back().start());
  }
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < batch.count(); ++i) {
      if (lives[index(i)].resets(k)) batch.set_state(i, lives[index(i)].start());
      lives[index(i)].steer(k, batch.joint_forces(i));
    }
    batch.step();
  }
}

TEST(BatchBits, RandomRobotsAreTheSameInAnyBatch) {
  const Model model = quadruped();
  const int steps = step_count();
  const std::vector<std::uint64_t> alone = ends_alone(model, steps);
  for (const int size : {1, 4, 7, 64, 1000}) {
    const int robots = size < small && steps < 1000 ? robots_in_small : robot_count;
    for (const int threads : {1, 2, 4}) {
      for (int first = 0; first < robots; first += size) {
        Batch batch(model, std::min(size, robots - first), {}, threads);
        live(batch, first, steps);
        for (int i = 0; i < batch.count(); ++i) {
          ASSERT_EQ(hash(batch.state(i)), alone[index(first + i)])
              << "robot " << first + i << " in a batch of " << size << " on " << threads
              << " threads";
        }
        ASSERT_EQ(batch.counts().not_certified, 0);
      }
    }
  }
}

}  // namespace
}  // namespace stiction
