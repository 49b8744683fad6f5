#include "support/scenes.hpp"

#include <cmath>

#include "support/contact_problems.hpp"

namespace stiction::test {

StepOptions SceneSetting::options(double tolerance) const {
  StepOptions result;
  result.solver = solver;
  result.solver_options.law = law;
  result.solver_options.tolerance = tolerance;
  result.gap_rule = gap_rule;
  // Gauss-Seidel takes some twenty thousand sweeps to begin with where contacts nearly slip.
  if (solver == "per_contact" || solver == "pgs") result.solver_options.max_iterations = 200000;
  return result;
}

std::string to_string(const SceneSetting& setting) {
  return setting.solver + '_' + std::string(stiction::to_string(setting.law)) + '_' +
         std::string(stiction::to_string(setting.gap_rule));
}

void PrintTo(const SceneSetting& setting, std::ostream* out) { *out << to_string(setting); }

bool claims(std::string_view solver, Law law) {
  SolverOptions options;
  options.law = law;
  return make_solver(solver)->refusal(robot_problem(1), options).empty();
}

std::vector<SceneSetting> scene_settings(std::initializer_list<Law> laws, Pyramids pyramids) {
  std::vector<SceneSetting> result;
  for (const std::string_view solver : solver_names()) {
    for (const Law law : laws) {
      if (!claims(solver, law)) continue;
      if (pyramids == Pyramids::left_out && solver == "lcp") continue;
      for (const GapRule rule : {GapRule::position, GapRule::velocity}) {
        result.push_back({std::string(solver), law, rule});
      }
    }
  }
  return result;
}

Model load_scene(const std::string& name) {
  return load_model(std::string(STICTION_SOURCE_DIR) + "/models/scenes/" + name + ".xml").model;
}

Model with_friction(const Model& model, double friction) {
  ModelParameters parameters = model.parameters();
  for (Material& material : parameters.materials) material.friction = friction;
  return model.with_parameters(parameters);
}

Model with_low_center(const Model& model, std::string_view body, double half_height) {
  ModelParameters parameters = model.parameters();
  parameters.bodies[static_cast<std::size_t>(*model.find_body(body))].center_of_mass.z() =
      -half_height;
  return model.with_parameters(parameters);
}

Model on_slope(const Model& model, double angle) {
  ModelParameters parameters = model.parameters();
  parameters.gravity << gravity * std::sin(angle), 0.0, -gravity * std::cos(angle);
  return model.with_parameters(parameters);
}

Simulation scene_at(const Model& model, const StepOptions& options, const char* keyframe) {
  Simulation simulation(model, options);
  simulation.reset_to_keyframe(keyframe);
  return simulation;
}

double normal_impulse(const Simulation& simulation, std::string_view a, std::string_view b) {
  const std::vector<Shape>& shapes = simulation.model().shapes();
  double sum = 0.0;
  for (const StepContact& contact : simulation.report().contacts) {
    const std::string& first = shapes[static_cast<std::size_t>(contact.shape_a)].name;
    const std::string& second = shapes[static_cast<std::size_t>(contact.shape_b)].name;
    if ((first == a && second == b) || (first == b && second == a)) sum += contact.impulse.z;
  }
  return sum;
}

}  // namespace stiction::test
