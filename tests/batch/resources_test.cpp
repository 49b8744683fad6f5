// What a batch costs besides its steps: memory for each environment, and nothing while it waits.

#include <ctime>
#include <filesystem>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <thread>

#include "stiction/batch/batch.hpp"
#include "stiction/core/index.hpp"
#include "stiction/io/load.hpp"

namespace stiction {
namespace {

Model quadruped() {
  return load_model(std::filesystem::path(STICTION_SOURCE_DIR) / "models" / "anymal_lumped.xml")
      .model;
}

double bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

/// A batch of random robots on the floor, all numbers their own.
std::unique_ptr<Batch> random_batch(const Model& model, int count) {
  auto batch = std::make_unique<Batch>(model, count, StepOptions{}, 1);
  const std::vector<double> factors(index(count), 1.1);
  batch->scale_masses(factors);
  batch->scale_friction(factors);
  std::vector<JointServo> servos;
  for (int k = 6; k < model.velocity_count(); ++k) {
    servos.push_back({.velocity_index = k, .stiffness = 40.0, .damping = 1.0});
  }
  batch->set_servos(servos);
  batch->reset_randomly("stand", {.joint_position = 0.1}, 5);
  batch->step(30);
  return batch;
}

TEST(BatchResources, QuadrupedTakesLessThan16Kilobytes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's allocator is not the one that is asked";
#endif
  const Model model = quadruped();
  constexpr int few = 500, many = 1500;
  const double before = bytes_in_use();
  const auto first = random_batch(model, few);
  const double between = bytes_in_use();
  const auto second = random_batch(model, many);
  const double each = (bytes_in_use() - between - (between - before)) / (many - few);
  RecordProperty("bytes", std::to_string(each));
  EXPECT_LT(each, 16'000.0);
  EXPECT_GT(each, 1'000.0);  // else this counts something else
}

TEST(BatchResources, IdleThreadsTakeNoTime) {
  const Model model = quadruped();
  Batch batch(model, 64, {}, 4);
  batch.step(5);
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double before = now();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  // One thread that spins would take 0.3 s, or on a busy machine a good part of it.
  EXPECT_LT(now() - before, 0.02);
  batch.step(5);
  EXPECT_EQ(batch.counts().steps, 640);
}

}  // namespace
}  // namespace stiction
