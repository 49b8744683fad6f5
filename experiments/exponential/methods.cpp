#include "experiments/exponential/methods.hpp"

#include <stdexcept>

namespace stiction::experiments {

std::vector<Method> methods_with(AnchorRules rules) {
  StepOptions springs;
  springs.contact = ContactFamily::viscoelastic;
  springs.viscoelastic.rules = rules;
  std::vector<Method> methods{{exponential_name, springs}};
  methods.push_back({order_one_name, springs});
  ViscoelasticOptions& cheap = methods.back().options.viscoelastic;
  cheap.engine = EngineKind::pade;
  cheap.pade_order = PadeOrder::order_1;
  cheap.pade_scaling = false;
  for (int i = 0; i <= static_cast<int>(last_contact_integrator); ++i) {
    const auto integrator = static_cast<ContactIntegrator>(i);
    if (integrator == ContactIntegrator::exponential) continue;
    methods.push_back({std::string(to_string(integrator)), springs});
    methods.back().options.viscoelastic.integrator = integrator;
    methods.back().explicit_steps = integrator == ContactIntegrator::explicit_euler ||
                                    integrator == ContactIntegrator::semi_implicit;
  }
  methods.push_back({hard_name, StepOptions{}});
  return methods;
}

Method method_with(AnchorRules rules, const std::string& name) {
  for (Method& method : methods_with(rules)) {
    if (method.name == name) return method;
  }
  throw std::invalid_argument("there is no method '" + name + "'");
}

}  // namespace stiction::experiments
