#pragma once

/// \file
/// One step of spring-damper contacts by the engine that the options name.

#include "stiction/compliant/engine_kind.hpp"
#include "stiction/compliant/engine_plan.hpp"
#include "stiction/compliant/modal_engine.hpp"
#include "stiction/compliant/pade_engine.hpp"
#include "stiction/compliant/polynomial_engine.hpp"

namespace stiction {

struct EngineOptions {
  EngineKind kind = EngineKind::modal;
  /// Of `pade`. exact_pade(), cheap_pade() and published_pade() make the usual ones.
  PadeOptions pade{};
  /// Of `automatic`: truncation error relative to the forces, 1e-16 to 1e-2. `modal` has none.
  double tolerance = 1e-8;
};

class ExponentialEngine {
 public:
  ExponentialEngine() = default;
  explicit ExponentialEngine(const EngineOptions& options) { set_options(options); }
  /// Throws std::invalid_argument for an order that is not available or a tolerance out of range.
  void set_options(const EngineOptions& options);
  [[nodiscard]] const EngineOptions& options() const { return options_; }

  /// Memory for systems of up to that many rows. Larger systems allocate when they come.
  void reserve(Eigen::Index rows);

  /// The response over a step of `step` seconds.
  EngineStatus integrate(const LinearContacts& system, double step, const ContactResponse& out);

  /// What the last call of integrate() used.
  [[nodiscard]] const EnginePlan& used() const { return used_; }

 private:
  EngineStatus run_modal(const LinearContacts& system, double step, const ContactResponse& out);
  EngineStatus run_pade(const PadeOptions& options, const LinearContacts& system, double step,
                        const ContactResponse& out);

  EngineOptions options_;
  EnginePlan used_;
  PolynomialEngine polynomials_;
  ModalEngine modal_;
  PadeEngine pade_;
};

}  // namespace stiction
