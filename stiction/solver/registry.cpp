#include <array>
#include <memory>
#include <string_view>

#include "stiction/solver/solver.hpp"
#if __has_include("stiction/solver/hybrid.hpp")
#include "stiction/solver/hybrid.hpp"
#endif
#if __has_include("stiction/solver/per_contact.hpp")
#include "stiction/solver/per_contact.hpp"
#endif
#if __has_include("stiction/solver/pgs.hpp")
#include "stiction/solver/pgs.hpp"
#endif
#if __has_include("stiction/solver/implicit_complementarity.hpp")
#include "stiction/solver/implicit_complementarity.hpp"
#endif
#if __has_include("stiction/solver/lcp.hpp")
#include "stiction/solver/lcp.hpp"
#endif
#if __has_include("stiction/solver/convex.hpp")
#include "stiction/solver/convex.hpp"
#endif
#if __has_include("stiction/solver/admm.hpp")
#include "stiction/solver/admm.hpp"
#endif

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
constexpr std::array entries {
#if __has_include("stiction/solver/hybrid.hpp")
  Entry{"hybrid", make<HybridSolver>},
#endif
#if __has_include("stiction/solver/per_contact.hpp")
      Entry{"per_contact", make<PerContactSolver>},
#endif
#if __has_include("stiction/solver/pgs.hpp")
      Entry{"pgs", make<PgsSolver>},
#endif
#if __has_include("stiction/solver/implicit_complementarity.hpp")
      Entry{"implicit_complementarity", make<ImplicitComplementaritySolver>},
#endif
#if __has_include("stiction/solver/lcp.hpp")
      Entry{"lcp", make<LcpSolver>},
#endif
#if __has_include("stiction/solver/convex.hpp")
      Entry{"convex", make<ConvexSolver>},
#endif
#if __has_include("stiction/solver/admm.hpp")
      Entry{"admm", make<AdmmSolver>},
#endif
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
