// Which blocks act on each other, and what they did in the step before.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "stiction/sim/assembly.hpp"

namespace stiction {

namespace {

/// Running means below this are nothing [N·s]: they must not become subnormal.
constexpr double least_mean = 1e-30;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Root of a tree's set; halves the path on the way.
int find_root(std::vector<int>& parent, int tree) {
  while (parent[index(tree)] != tree) {
    parent[index(tree)] = parent[index(parent[index(tree)])];
    tree = parent[index(tree)];
  }
  return tree;
}

/// The smaller tree becomes the root, so that the result does not depend on the order.
void unite(std::vector<int>& parent, int a, int b) {
  if (a < 0 || b < 0) return;
  const auto [low, high] = std::minmax({find_root(parent, a), find_root(parent, b)});
  parent[index(high)] = low;
}

int tree_of_block(const Workspace::Memory& memory, int block) {
  if (memory.is_contact(block)) {
    const Candidate& candidate = memory.candidates[index(block)];
    return candidate.tree_a >= 0 ? candidate.tree_a : candidate.tree_b;
  }
  const Constraint& constraint = memory.constraint_of(block);
  return constraint.tree_a >= 0 ? constraint.tree_a : constraint.tree_b;
}

int block_count(const Workspace::Memory& memory) {
  return static_cast<int>(memory.candidates.size() + memory.constraints.size());
}

/// Numbers the islands by their first tree, and counts their trees.
void number_islands(Workspace::Memory& memory) {
  const int blocks = block_count(memory);
  std::ranges::fill(memory.island_of_tree, -1);
  // Sets with a block are islands; trees in no block are not.
  for (int i = 0; i < blocks; ++i) {
    memory.island_of_tree[index(find_root(memory.tree_parent, tree_of_block(memory, i)))] = 0;
  }
  memory.island_count = 0;
  for (std::size_t t = 0; t < memory.trees.size(); ++t) {
    const std::size_t root = index(find_root(memory.tree_parent, static_cast<int>(t)));
    if (memory.island_of_tree[root] < 0) continue;
    if (root == t) memory.island_of_tree[t] = memory.island_count++;
    memory.island_of_tree[t] = memory.island_of_tree[root];
  }
  if (memory.islands.size() < index(memory.island_count)) {
    memory.islands.resize(index(memory.island_count));
  }
  for (int i = 0; i < memory.island_count; ++i) {
    Island& island = memory.islands[index(i)];
    island.block_count = 0;
    island.tree_count = 0;
    island.events = false;
    island.active = false;
  }
}

/// All blocks of the only tree there is.
void make_one_island(Workspace::Memory& memory) {
  const int blocks = block_count(memory);
  memory.trees[0].active = false;
  memory.island_of_tree[0] = blocks > 0 ? 0 : -1;
  memory.island_count = blocks > 0 ? 1 : 0;
  if (blocks == 0) return;
  if (memory.islands.empty()) memory.islands.resize(1);
  Island& island = memory.islands[0];
  island.block_first = island.tree_first = 0;
  island.block_count = blocks;
  island.tree_count = 1;
  island.events = island.active = false;
  memory.island_trees.assign(1, 0);
  memory.island_blocks.resize(index(blocks));
  std::iota(memory.island_blocks.begin(), memory.island_blocks.end(), 0);
}

void gather(Workspace::Memory& memory) {
  const int blocks = block_count(memory);
  const auto island_of_block = [&](int block) -> Island& {
    return memory.islands[index(memory.island_of_tree[index(tree_of_block(memory, block))])];
  };
  for (int i = 0; i < blocks; ++i) ++island_of_block(i).block_count;
  int trees = 0;
  for (const int island : memory.island_of_tree) {
    if (island < 0) continue;
    ++memory.islands[index(island)].tree_count;
    ++trees;
  }
  memory.island_blocks.resize(index(blocks));
  memory.island_trees.resize(index(trees));
  int first_block = 0;
  int first_tree = 0;
  for (int i = 0; i < memory.island_count; ++i) {
    Island& island = memory.islands[index(i)];
    island.block_first = std::exchange(first_block, first_block + island.block_count);
    island.tree_first = std::exchange(first_tree, first_tree + island.tree_count);
    island.block_count = 0;
    island.tree_count = 0;
  }
  for (int i = 0; i < blocks; ++i) {
    Island& island = island_of_block(i);
    memory.island_blocks[index(island.block_first + island.block_count++)] = i;
  }
  for (std::size_t t = 0; t < memory.trees.size(); ++t) {
    if (memory.island_of_tree[t] < 0) continue;
    Island& island = memory.islands[index(memory.island_of_tree[t])];
    memory.island_trees[index(island.tree_first + island.tree_count++)] = static_cast<int>(t);
  }
}

bool wants_to_close(const Candidate& candidate) { return candidate.free.z < candidate.target; }

/// Calls `visit(key, place of the impulse, numbers)` for each piece of memory, in ascending order
/// of the keys.
template <class Visit>
void visit_impulses(const Workspace::Memory& memory, const Visit& visit) {
  std::size_t place = 0;
  for (const Candidate& candidate : memory.candidates) {
    visit(candidate.key, place, 3, &candidate.contact.axes);
    place += 3;
  }
  for (const Constraint& constraint : memory.constraints) {
    visit(constraint.key, place, std::min(constraint.rows, 3), nullptr);
    if (constraint.rows > 3) visit(constraint.key + 1, place + 3, constraint.rows - 3, nullptr);
    place += 6;
  }
}

/// What the next step begins with: the last impulse, or where one was recalled, the running mean.
std::array<double, 3> impulse_to_keep(const Workspace::Memory& memory, std::size_t place,
                                      int count) {
  std::array<double, 3> result{};
  const auto numbers = static_cast<std::size_t>(count);
  std::copy_n(memory.impulses.data() + place, numbers, result.begin());
  if (!(memory.recall_share < 1.0)) return result;
  const double* before = memory.recalled.data() + place;
  if (std::all_of(before, before + numbers, [](double x) { return x == 0.0; })) return result;
  for (std::size_t k = 0; k < numbers; ++k) {
    const double mean = fma(memory.recall_share, result[k] - before[k], before[k]);
    result[k] = std::abs(mean) < least_mean ? 0.0 : mean;
  }
  return result;
}

}  // namespace

void find_islands(Workspace::Memory& memory) {
  if (memory.trees.size() == 1) {
    make_one_island(memory);
    return;
  }
  for (std::size_t t = 0; t < memory.trees.size(); ++t) {
    memory.tree_parent[t] = static_cast<int>(t);
    memory.trees[t].active = false;
  }
  for (const Candidate& candidate : memory.candidates) {
    unite(memory.tree_parent, candidate.tree_a, candidate.tree_b);
  }
  for (const Constraint& constraint : memory.constraints) {
    unite(memory.tree_parent, constraint.tree_a, constraint.tree_b);
  }
  number_islands(memory);
  gather(memory);
}

void recall_impulses(const StepOptions& options, const State& state, Workspace::Memory& memory) {
  const std::size_t numbers = 3 * memory.candidates.size() + 6 * memory.constraints.size();
  memory.impulses.assign(numbers, 0.0);
  memory.velocities.resize(numbers);
  memory.modes.resize(memory.candidates.size());
  memory.fresh.assign(memory.candidates.size(), 1);
  auto old = state.memory.begin();
  visit_impulses(memory,
                 [&](std::uint64_t key, std::size_t place, int count, const Matrix3<double>* axes) {
                   while (old != state.memory.end() && old->key < key) ++old;
                   double* impulse = memory.impulses.data() + place;
                   if (old == state.memory.end() || old->key != key) return;
                   if (axes == nullptr) {
                     std::copy_n(old->impulse.begin(), count, impulse);
                     return;
                   }
                   memory.fresh[place / 3] = 0;
                   const Vector3<double> local =
                       transpose_times(*axes, {old->impulse[0], old->impulse[1], old->impulse[2]});
                   impulse[0] = local.x;
                   impulse[1] = local.y;
                   impulse[2] = local.z;
                 });
  memory.recall_share = options.recall_share;
  if (options.recall_share < 1.0) memory.recalled = memory.impulses;
}

void remember_impulses(const Workspace::Memory& memory, State& state) {
  state.memory.clear();
  visit_impulses(
      memory, [&](std::uint64_t key, std::size_t place, int count, const Matrix3<double>* axes) {
        const std::array<double, 3> impulse = impulse_to_keep(memory, place, count);
        const bool bears = std::ranges::any_of(impulse, [](double x) { return x != 0.0; });
        // One that would close but need not bear anything is remembered as well: it is not new.
        if (!bears && (axes == nullptr || !wants_to_close(memory.candidates[place / 3]))) return;
        ImpulseMemory& entry = state.memory.emplace_back();
        entry.key = key;
        if (axes == nullptr) {
          entry.impulse = impulse;
          return;
        }
        const Vector3<double> world = *axes * Vector3<double>{impulse[0], impulse[1], impulse[2]};
        entry.impulse = {world.x, world.y, world.z};
      });
}

}  // namespace stiction
