#include "experiments/exponential/error_study.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace stiction::experiments {

std::vector<StudyRow> study(const DrivenMotion& motion, const StudySettings& settings,
                            const std::vector<Method>& methods, Progress& progress) {
  DrivenMotion whole = motion;
  whole.control_steps = settings.stability_steps;
  std::vector<StudyRow> rows;
  for (const Method& method : methods) {
    progress.show(fmt::format("{}, {}, {}, {}", motion.name, settings.source,
                              to_string(settings.rules), method.name));
    const DrivenRun truth = drive(motion, method.options, settings.truth_substeps);
    const int most = method.explicit_steps ? settings.smallest_explicit : settings.smallest;
    for (int substeps = 1; substeps <= most && !truth.failed; substeps *= 2) {
      StudyRow row;
      row.motion = motion.name;
      row.source = settings.source;
      row.rules = method.hard() ? "-" : std::string(to_string(settings.rules));
      row.method = method.name;
      row.step = motion.control_step / substeps;
      row.error = local_error(motion, method.options, substeps, truth);
      row.real_time = row.step / row.error.step_seconds;
      const DrivenRun run = drive(whole, method.options, substeps);
      row.stable = !run.failed;
      row.end_height = run.states.back().q[2];
      rows.push_back(row);
    }
    progress.add(study_cost(motion, settings));
  }
  return rows;
}

double study_cost(const DrivenMotion& motion, const StudySettings& settings) {
  const double weight = motion.name == "romeo" ? 4.0 : 1.0;  // more joints and contacts
  return weight * motion.control_steps * (settings.truth_substeps + 4.0 * settings.smallest);
}

double largest_stable_step(const std::vector<StudyRow>& rows, const std::string& motion,
                           const std::string& source, const std::string& rules,
                           const std::string& method) {
  std::vector<const StudyRow*> found;
  for (const StudyRow& row : rows) {
    if (row.motion == motion && row.source == source && row.method == method &&
        (row.rules == rules || row.rules == "-")) {
      found.push_back(&row);
    }
  }
  std::ranges::sort(found, {}, [](const StudyRow* row) { return row->step; });
  double largest = 0.0;
  for (const StudyRow* row : found) {
    if (!row->stable) break;
    largest = row->step;
  }
  return largest;
}

}  // namespace stiction::experiments
