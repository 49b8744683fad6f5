/// \file
/// Ways to find which of many boxes overlap: our grids, sweep and prune along one axis, all pairs,
/// and FCL's dynamic tree, on heaps of spheres that move a little from call to call.

#include "stiction/collision/broad_phase.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <memory>

#include "bench/output.hpp"
#include "bench/program.hpp"
#include "stiction/core/random.hpp"
#ifdef STICTION_HAVE_FCL
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/sphere.h>
#endif

namespace stiction::bench {

namespace {

constexpr double radius = 0.1;   // [m]
constexpr int moments = 16;      ///< that are stepped through, over and over
constexpr double travel = 1e-3;  ///< from moment to moment [m]

/// A heap at several moments.
struct Heap {
  std::vector<std::vector<Vector3<double>>> positions;
  std::vector<std::vector<BroadBox>> boxes;
};

Heap make_heap(int edge) {
  Random random(1);
  const int count = edge * edge * edge;
  const auto shift = [&](double size) {
    return Vector3<double>{random.uniform(-size, size), random.uniform(-size, size),
                           random.uniform(-size, size)};
  };
  Heap heap;
  std::vector<Vector3<double>> at;
  for (int i = 0; i < count; ++i) {
    const Vector3<double> cell{1.0 * (i % edge), 1.0 * (i / edge % edge), 1.0 * (i / edge / edge)};
    at.push_back(1.9 * radius * cell + shift(0.3 * radius));
  }
  for (int moment = 0; moment < moments; ++moment) {
    std::vector<BroadBox> boxes;
    for (int i = 0; i < count; ++i) {
      at[static_cast<std::size_t>(i)] += shift(travel);
      boxes.push_back(make_broad_box(i, at[static_cast<std::size_t>(i)], {radius, radius, radius}));
    }
    heap.positions.push_back(at);
    heap.boxes.push_back(std::move(boxes));
  }
  return heap;
}

/// Sorted along x, in the order of the call before, which is nearly right.
class SweepAndPrune {
 public:
  std::size_t find(std::span<const BroadBox> boxes) {
    if (order_.size() != boxes.size()) {
      order_.resize(boxes.size());
      for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
      std::ranges::sort(order_, {}, [&](std::size_t i) { return boxes[i].low[0]; });
    }
    for (std::size_t i = 1; i < order_.size(); ++i) {
      for (std::size_t k = i; k > 0 && boxes[order_[k]].low[0] < boxes[order_[k - 1]].low[0]; --k) {
        std::swap(order_[k], order_[k - 1]);
      }
    }
    sorted_.clear();
    for (const std::size_t i : order_) sorted_.push_back(boxes[i]);
    pairs_.clear();
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      const BroadBox& box = sorted_[i];
      for (std::size_t k = i + 1; k < sorted_.size() && sorted_[k].low[0] <= box.high[0]; ++k) {
        if (overlap(box, sorted_[k])) pairs_.push_back({box.index, sorted_[k].index});
      }
    }
    return pairs_.size();
  }

 private:
  std::vector<std::size_t> order_;
  std::vector<BroadBox> sorted_;
  std::vector<BroadPair> pairs_;
};

std::size_t all_pairs(std::span<const BroadBox> boxes) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t k = i + 1; k < boxes.size(); ++k) {
      count += overlap(boxes[i], boxes[k]) ? 1U : 0U;
    }
  }
  return count;
}

#ifdef STICTION_HAVE_FCL
/// Objects are moved, their boxes made and the tree brought up to date in each call.
class FclTree {
 public:
  explicit FclTree(const std::vector<Vector3<double>>& positions) {
    const auto ball = std::make_shared<fcl::Sphere<double>>(radius);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      objects_.push_back(std::make_unique<fcl::CollisionObject<double>>(ball));
    }
    place(positions);
    for (const auto& object : objects_) tree_.registerObject(object.get());
    tree_.setup();
  }

  std::size_t find(const std::vector<Vector3<double>>& positions) {
    place(positions);
    tree_.update();
    std::size_t count = 0;
    tree_.collide(&count,
                  [](fcl::CollisionObject<double>*, fcl::CollisionObject<double>*, void* counted) {
                    ++*static_cast<std::size_t*>(counted);
                    return false;
                  });
    return count;
  }

 private:
  void place(const std::vector<Vector3<double>>& positions) {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      objects_[i]->setTranslation(to_eigen(positions[i]));
      objects_[i]->computeAABB();
    }
  }

  std::vector<std::unique_ptr<fcl::CollisionObject<double>>> objects_;
  fcl::DynamicAABBTreeCollisionManager<double> tree_;
};
#endif

/// Contestants hold what they need; `heap` must outlive them.
void add_contestants(const Heap& heap, const std::string& group, Harness& harness) {
  const auto add = [&](const std::string& name, auto&& find) {
    harness.add(group, name, [find, next = 0](std::int64_t n) mutable {
      for (std::int64_t k = 0; k < n; ++k) {
        keep(find(static_cast<std::size_t>(next)));
        next = (next + 1) % moments;
      }
    });
  };
  add("grids", [&heap, broad = std::make_shared<BroadPhase>()](std::size_t moment) {
    return broad->find(heap.boxes[moment]).size();
  });
  add("sweep and prune", [&heap, sweep = std::make_shared<SweepAndPrune>()](std::size_t moment) {
    return sweep->find(heap.boxes[moment]);
  });
  if (heap.boxes[0].size() <= 1000) {
    add("all pairs", [&heap](std::size_t moment) { return all_pairs(heap.boxes[moment]); });
  }
#ifdef STICTION_HAVE_FCL
  add("FCL's tree", [&heap, tree = std::make_shared<FclTree>(heap.positions[0])](
                        std::size_t moment) { return tree->find(heap.positions[moment]); });
#endif
}

int run() {
  constexpr std::array edges{3, 5, 10, 16};
  std::vector<Heap> heaps;
  for (const int edge : edges) heaps.push_back(make_heap(edge));
  Options options;
  options.progress = progress_wanted();
  options.time_cap = 60.0;
  Harness harness(options);
  std::vector<std::string> groups;
  for (const Heap& heap : heaps) {
    groups.push_back(fmt::format("{}", heap.boxes[0].size()));
    add_contestants(heap, groups.back(), harness);
  }
  const Report report = harness.run();
  Table table({"µs by number of boxes", groups[0], groups[1], groups[2], groups[3]});
  for (const char* name : {"grids", "sweep and prune", "all pairs", "FCL's tree"}) {
    std::vector<std::string> line{name};
    for (const std::string& group : groups) {
      line.push_back(microseconds(report.seconds(group, name)));
    }
    table.add(std::move(line));
  }
  fmt::print("{}\n{}", table.text(), measurement_note(report));
  return 0;
}

}  // namespace

}  // namespace stiction::bench

int main(int argc, char** argv) {
  using namespace stiction::bench;
  CommandLine line("Times several ways to find the overlapping pairs among many boxes.",
                   "bench_broad_phase");
  return run_program(line, argc, argv, run);
}
