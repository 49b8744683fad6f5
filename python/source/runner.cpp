#include "python/source/runner.hpp"

#include <cmath>
#include <fmt/format.h>

#include "viewer/viewer_page.hpp"

namespace stiction::python {

namespace {

constexpr double frames_per_second = 60.0;  // of a page

/// Python sees Ctrl-C between so many steps.
constexpr int steps_between_signals = 256;

bool cannot_go_on(const StepReport& report) {
  return report.status == StepStatus::refused || report.status == StepStatus::diverged;
}

RecordedFrame frame_of(const State& state, const StepReport* report) {
  RecordedFrame frame;
  frame.state = state;
  if (report == nullptr) return frame;
  frame.steps = 1;
  frame.worst_residual = report->certificate.residual();
  frame.deepest_overlap = report->deepest_overlap;
  frame.iterations = report->iterations;
  frame.not_certified = report->status == StepStatus::not_certified ? 1 : 0;
  for (const StepContact& contact : report->contacts) {
    RecordedContact kept;
    kept.shape_a = contact.shape_a;
    kept.shape_b = contact.shape_b;
    kept.mode = contact.mode;
    kept.gap = contact.gap;
    kept.friction = contact.friction;
    kept.point = contact.point;
    kept.normal = contact.axes.c2;
    kept.impulse = contact.axes * contact.impulse;
    frame.contacts.push_back(kept);
  }
  return frame;
}

}  // namespace

const StepReport& Report::get() const {
  return runner_ == nullptr ? *own_ : runner_->idle().report();
}

Runner::Runner(const SourcedModel& given, const StepOptions& options)
    : model(given), sensors(given), simulation_(std::make_unique<Simulation>(given, options)) {
  simulation_->state() = keyframe_of(model, "");
}

Runner::~Runner() {
  // Its threads, if it has any, are those of the other process: waiting for them would never end.
  if (!busy.is_of_this_process()) static_cast<void>(simulation_.release());
}

void Runner::keep(const StepReport* last) {
  // A step that was not taken leaves nothing to show.
  if (last != nullptr && cannot_go_on(*last)) return;
  if (frames_ != nullptr) frames_->add(frame_of(simulation_->state(), last));
}

void Runner::step() {
  const auto hold = busy.hold();
  const py::gil_scoped_release release;
  keep(&simulation_->step());
}

void Runner::run(double seconds) {
  const auto hold = busy.hold();
  const double steps = std::round(seconds / simulation_->time_step());
  if (!(steps >= 0.0 && steps <= 1e15)) refuse(fmt::format("cannot run for {} s", seconds));
  for (auto left = static_cast<long long>(steps); left > 0;) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    const py::gil_scoped_release release;
    for (int k = 0; k < steps_between_signals && left > 0; ++k, --left) {
      const StepReport& last = simulation_->step();
      keep(&last);
      if (cannot_go_on(last)) return;
    }
  }
}

void Runner::begin_record() {
  const auto hold = busy.hold();
  frames_ = std::make_unique<PageFrames>(PageOptions{frames_per_second});
  keep(nullptr);
}

std::string Runner::page() {
  const auto hold = busy.hold();
  if (frames_ == nullptr) {
    refuse("nothing was recorded; call record() before the steps that the page should show");
  }
  if (viewer_page().empty()) {
    refuse("the package was built without the viewer; install node and npm and build again");
  }
  const py::gil_scoped_release release;
  std::vector<RecordedFrame> frames = frames_->take();
  RunDescription description;
  description.title = simulation_->model().name();
  description.options = simulation_->options();
  description.options.time_step = simulation_->time_step();
  const PageRun shown{"run", description, frames};
  const std::string data = page_data(scene_json(simulation_->model()), {&shown, 1});
  const std::string html = fill_page(viewer_page(), data);
  for (RecordedFrame& frame : frames) frames_->add(std::move(frame));
  return html;
}

void Runner::set_state(const State& state) {
  const auto hold = busy.hold();
  // Written in place: arrays that Python holds show the new numbers.
  State& own = simulation_->state();
  own.time = state.time;
  own.q = state.q;
  own.v = state.v;
  own.activation = state.activation;
  own.memory = state.memory;
}

void Runner::reset(const std::string& keyframe) {
  const Model& robot = simulation_->model();
  set_state(keyframe_of(model, keyframe));
  Eigen::VectorXd& control = simulation_->control();
  control.setZero();
  simulation_->joint_forces().setZero();
  simulation_->clear_pushes();
  if (keyframe.empty()) return;
  const auto found = static_cast<std::size_t>(*robot.find_keyframe(keyframe));
  assign(control, robot.keyframes()[found].control, "control");
}

}  // namespace stiction::python
