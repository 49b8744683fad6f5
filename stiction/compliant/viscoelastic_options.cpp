#include "stiction/compliant/viscoelastic_options.hpp"

#include <array>

#include "stiction/compliant/pade_terms.hpp"

namespace stiction {

namespace {

constexpr std::array<std::string_view, pade_orders.size()> order_words{"1", "2", "3", "5",
                                                                       "7", "9", "13"};
static_assert(static_cast<std::size_t>(last_pade_order) + 1 == pade_orders.size());

}  // namespace

int number_of(PadeOrder order) { return pade_orders[static_cast<std::size_t>(order)]; }

std::string_view to_string(PadeOrder order) {
  const std::size_t place = static_cast<std::size_t>(order);
  return place < order_words.size() ? order_words[place] : "?";
}

std::string_view to_string(AnchorRules rules) {
  switch (rules) {
    case AnchorRules::surface:
      return "surface";
    case AnchorRules::authors:
      return "authors";
  }
  return "?";
}

std::string_view to_string(ContactIntegrator integrator) {
  switch (integrator) {
    case ContactIntegrator::exponential:
      return "exponential";
    case ContactIntegrator::explicit_euler:
      return "explicit_euler";
    case ContactIntegrator::semi_implicit:
      return "semi_implicit";
    case ContactIntegrator::rk4:
      return "rk4";
    case ContactIntegrator::implicit_euler:
      return "implicit_euler";
  }
  return "?";
}

}  // namespace stiction
