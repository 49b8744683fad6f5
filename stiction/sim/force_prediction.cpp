#include "stiction/sim/force_prediction.hpp"

#include <cmath>
#include <fmt/format.h>

#include "stiction/core/index.hpp"
#include "stiction/sim/workspace_parts.hpp"

namespace stiction {

namespace {

/// Lets a step fill a prediction, as long as it lives.
class Asking {
 public:
  Asking(ViscoelasticParts& springs, SpringPrediction& prediction) : springs_(springs) {
    springs_.prediction = &prediction;
  }
  ~Asking() { springs_.prediction = nullptr; }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

 private:
  ViscoelasticParts& springs_;
};

/// What is wrong with the times; empty if nothing is.
std::string fault_of_times(std::span<const double> times) {
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (times[k] >= 0.0 && std::isfinite(times[k])) continue;
    return fmt::format("time {} of the prediction is {} s; it must be finite and not negative", k,
                       times[k]);
  }
  return {};
}

StepOptions with_springs(StepOptions options) {
  options.contact = ContactFamily::viscoelastic;
  options.viscoelastic.integrator = ContactIntegrator::exponential;
  return options;
}

void describe(const Candidate& contact, PredictedContact& entry) {
  entry.shape_a = contact.shape_a;
  entry.shape_b = contact.shape_b;
  entry.body_a = contact.contact.body_a;
  entry.body_b = contact.contact.body_b;
  entry.feature = contact.feature;
  entry.gap = contact.gap;
  entry.friction = contact.material.friction;
  entry.point = contact.contact.point;
  entry.axes = contact.contact.axes;
}

}  // namespace

void predict_forces(const Model& model, const StepOptions& options, const StepInput& input,
                    const State& state, const PredictionRequest& request, Workspace& workspace,
                    ForcePrediction& result) {
  result.times.assign(request.times.begin(), request.times.end());
  result.contacts.clear();
  result.status = StepStatus::refused;
  result.message = fault_of_times(request.times);
  if (!result.message.empty()) return;

  Workspace::Parts& w = workspace.parts();
  if (w.springs == nullptr) w.springs = std::make_unique<ViscoelasticParts>(w.model, w.layout);
  SpringPrediction prediction{.times = request.times, .forces = {}, .island = {}};
  StepReport report;
  {
    const Asking asking(*w.springs, prediction);
    evaluate(model, with_springs(options), input, state, workspace, report);
  }
  result.status = report.status;
  result.message = report.message;
  if (!result.ok()) return;
  const std::size_t times = request.times.size();
  prediction.forces.resize(times * w.contacts.contacts.size());
  result.contacts.resize(w.contacts.contacts.size());
  for (std::size_t i = 0; i < result.contacts.size(); ++i) {
    PredictedContact& entry = result.contacts[i];
    describe(w.contacts.contacts[i], entry);
    const auto first = prediction.forces.begin() + static_cast<std::ptrdiff_t>(i * times);
    entry.forces.assign(first, first + static_cast<std::ptrdiff_t>(times));
    if (!request.within_cones) continue;
    for (Vector3<double>& force : entry.forces) project_to_cone(entry.friction, force);
  }
}

ForcePrediction predict_forces(Simulation& simulation, const PredictionRequest& request) {
  ForcePrediction result;
  predict_forces(simulation.model(), simulation.options(), simulation.input(), simulation.state(),
                 request, simulation.workspace(), result);
  return result;
}

}  // namespace stiction
