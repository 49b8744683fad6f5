#include "experiments/exponential/force_traces.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stiction::experiments {

namespace {

constexpr double trace_window = 1e-3;  // [s]

}  // namespace

ForceTrace trace_forces(const DrivenMotion& motion, const Method& method, int substeps,
                        const std::string& foot) {
  const auto frame = motion.model.find_frame(foot);
  if (!frame) throw std::invalid_argument("there is no frame '" + foot + "'");
  const int body = motion.model.frames()[static_cast<std::size_t>(*frame)].body;
  ForceTrace trace{motion.name, method.name, motion.control_step / substeps, {}, {}};
  const int window = std::max(1, static_cast<int>(std::lround(trace_window / trace.step)));
  double impulse = 0.0;
  int steps = 0;
  drive(motion, method.options, substeps, [&](const State&, const StepReport& report) {
    for (const StepContact& contact : report.contacts) {
      if (contact.body_a == body || contact.body_b == body) impulse += contact.impulse.z;
    }
    if (++steps % window != 0) return;
    trace.time.push_back(trace.step * steps);
    trace.force.push_back(impulse / (trace.step * window));
    impulse = 0.0;
  });
  return trace;
}

}  // namespace stiction::experiments
