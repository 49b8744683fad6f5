#include "stiction/compliant/exponential_engine.hpp"

#include <fmt/core.h>
#include <stdexcept>

namespace stiction {

std::string_view to_string(EngineKind kind) {
  switch (kind) {
    case EngineKind::modal:
      return "modal";
    case EngineKind::pade:
      return "pade";
    case EngineKind::automatic:
      return "automatic";
  }
  return "?";
}

std::optional<EngineKind> parse_engine_kind(std::string_view word) {
  for (const EngineKind kind : {EngineKind::modal, EngineKind::pade, EngineKind::automatic}) {
    if (word == to_string(kind)) return kind;
  }
  return std::nullopt;
}

void ExponentialEngine::set_options(const EngineOptions& options) {
  check_options(options.pade);
  if (!(options.tolerance >= 1e-16 && options.tolerance <= 1e-2)) {
    throw std::invalid_argument(
        fmt::format("The error target is {}. Use 1e-16 to 1e-2.", options.tolerance));
  }
  options_ = options;
}

void ExponentialEngine::reserve(Eigen::Index rows) {
  polynomials_.reserve(rows);
  modal_.reserve(rows);
  pade_.reserve(rows);
}

EngineStatus ExponentialEngine::integrate(const LinearContacts& system, double step,
                                          const ContactResponse& out) {
  used_ = {};
  switch (options_.kind) {
    case EngineKind::modal:
      return run_modal(system, step, out);
    case EngineKind::pade:
      return run_pade(options_.pade, system, step, out);
    case EngineKind::automatic:
      break;
  }
  if (!valid_input(system, step)) return EngineStatus::bad_input;
  const EnginePlan plan = cheapest_plan(system, step, options_.tolerance);
  if (plan.modal) {
    used_ = plan;
    return run_modal(system, step, out);
  }
  // The plan has found that order 1 is accurate without scaling.
  const EngineStatus status =
      run_pade({.order = plan.order, .scaling = plan.order > 1, .tolerance = options_.tolerance},
               system, step, out);
  used_.norm = plan.norm;
  used_.cost = plan.cost;
  return status;
}

EngineStatus ExponentialEngine::run_modal(const LinearContacts& system, double step,
                                          const ContactResponse& out) {
  EngineStatus status = polynomials_.integrate(system, step, out);
  if (status == EngineStatus::out_of_reach) status = modal_.integrate(system, step, out);
  if (status == EngineStatus::not_proportional || status == EngineStatus::not_converged) {
    return run_pade(exact_pade(), system, step, out);
  }
  return status;
}

EngineStatus ExponentialEngine::run_pade(const PadeOptions& options, const LinearContacts& system,
                                         double step, const ContactResponse& out) {
  pade_.set_options(options);
  const EngineStatus status = pade_.integrate(system, step, out);
  used_.modal = false;
  used_.order = options.order;
  used_.squarings = pade_.squarings();
  return status;
}

}  // namespace stiction
