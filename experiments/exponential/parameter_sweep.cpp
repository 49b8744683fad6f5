#include "experiments/exponential/parameter_sweep.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "experiments/exponential/methods.hpp"

namespace stiction::experiments {

namespace {

struct Place {
  double stiffness;
  double ratio;
};

std::vector<Place> places(bool quick) {
  std::vector<Place> result;
  for (int i = 0; i <= 10; i += quick ? 2 : 1)
    result.push_back({std::pow(10.0, 3.0 + 0.5 * i), 0.5});
  for (int i = 2; i <= 10; i += quick ? 4 : 1) result.push_back({1e5, 0.1 * i});
  return result;
}

/// Stiff contacts need small steps in the ground truth too: the slowest steps are stable up to
/// about 1e6 N/m.
int truth_substeps(bool quick) { return quick ? 32 : 128; }

}  // namespace

std::vector<SweepRow> sweep_parameters(const DrivenMotion& trot, bool quick, Progress& progress) {
  std::vector<SweepRow> rows;
  for (const Method& method : methods_with(AnchorRules::surface)) {
    const bool explicit_euler = method.name == "explicit_euler";
    if (!explicit_euler && method.name != order_one_name && method.name != "implicit_euler") {
      continue;
    }
    const int substeps = explicit_euler ? 4 : 1;
    for (const Place& place : places(quick)) {
      progress.show(fmt::format("K = {:.1e} N/m, ratio {:.1f}, {}", place.stiffness, place.ratio,
                                method.name));
      StepOptions options = method.options;
      options.viscoelastic.stiffness = place.stiffness;
      options.viscoelastic.damping = 2.0 * place.ratio * std::sqrt(place.stiffness);
      const DrivenRun truth = drive(trot, options, truth_substeps(quick));
      SweepRow row{method.name, trot.control_step / substeps, place.stiffness, place.ratio,
                   std::numeric_limits<double>::quiet_NaN()};
      if (!truth.failed) row.mean_error = local_error(trot, options, substeps, truth).mean;
      rows.push_back(row);
      progress.add(static_cast<double>(trot.control_steps) * truth_substeps(quick));
    }
  }
  return rows;
}

}  // namespace stiction::experiments
