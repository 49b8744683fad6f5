#include <array>
#include <memory>
#include <string_view>

#include "stiction/solver/admm.hpp"
#include "stiction/solver/convex.hpp"
#include "stiction/solver/hybrid.hpp"
#include "stiction/solver/implicit_complementarity.hpp"
#include "stiction/solver/lcp.hpp"
#include "stiction/solver/per_contact.hpp"
#include "stiction/solver/pgs.hpp"
#include "stiction/solver/solver.hpp"

namespace stiction {

namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Solver> (*make)();
};

template <class S>
std::unique_ptr<Solver> make() {
  return std::make_unique<S>();
}

/// Each solver once, the default first.
constexpr std::array entries{
    Entry{"hybrid", make<HybridSolver>},
    Entry{"per_contact", make<PerContactSolver>},
    Entry{"pgs", make<PgsSolver>},
    Entry{"implicit_complementarity", make<ImplicitComplementaritySolver>},
    Entry{"lcp", make<LcpSolver>},
    Entry{"convex", make<ConvexSolver>},
    Entry{"admm", make<AdmmSolver>},
};

constexpr auto names = [] {
  std::array<std::string_view, entries.size()> result{};
  for (std::size_t i = 0; i < entries.size(); ++i) result[i] = entries[i].name;
  return result;
}();

}  // namespace

std::span<const std::string_view> solver_names() { return names; }

std::unique_ptr<Solver> make_solver(std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.make();
  }
  return nullptr;
}

}  // namespace stiction
