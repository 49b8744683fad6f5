#include "stiction/compliant/viscoelastic_options.hpp"

namespace stiction {

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
  }
  return "?";
}

}  // namespace stiction
