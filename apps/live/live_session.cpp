#include "apps/live/live_session.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <stdexcept>

namespace stiction {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::ptrdiff_t most_waiting = 64;  // requests of one client
constexpr std::size_t most_replies = 1000;   // that nobody fetched yet
constexpr Seconds frame_period{1.0 / 60.0};  // of publishing
constexpr Seconds frame_slack{0.004};        // a frame may come so much early: threads wake late
constexpr Seconds status_period{1.0};
constexpr Seconds longest_frame{0.2};  // a slow scene is shown before its 1/60 s are full
constexpr Seconds measuring_time{0.5};
constexpr Seconds most_debt{0.1};  // so much is made up for; a scene that is too slow just is slow

/// In the unit of the clock.
std::chrono::steady_clock::duration ticks(Seconds seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(seconds);
}

}  // namespace

LiveSession::LiveSession(LiveSimulation simulation, bool playing, LiveScenes scenes)
    : simulation_(std::move(simulation)), scenes_(std::move(scenes)), playing_(playing) {
  due_ = frame_due_ = status_due_ = frame_begin_ = measured_ = Clock::now();
  publish();
}

LiveSession::~LiveSession() { stop(); }

void LiveSession::set_listener(std::function<void()> listener) {
  const std::lock_guard lock(listener_mutex_);
  listener_ = std::move(listener);
}

void LiveSession::start() {
  if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
}

void LiveSession::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    called_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool LiveSession::replaces(const LiveRequest& request, int client, const Waiting& last) {
  const auto* newer = std::get_if<DragRequest>(&request);
  const auto* older = last.request ? std::get_if<DragRequest>(&*last.request) : nullptr;
  return newer && older && last.client == client && newer->body == older->body;
}

bool LiveSession::submit(int client, LiveRequest request) {
  {
    const std::lock_guard lock(mutex_);
    const bool again = !requests_.empty() && replaces(request, client, requests_.back());
    if (again) {  // only the newest target counts
      requests_.back().request = std::move(request);
      return true;
    }
    if (std::ranges::count(requests_, client, &Waiting::client) >= most_waiting) return false;
    requests_.push_back({client, std::move(request)});
    called_ = true;
  }
  wake_.notify_all();
  return true;
}

void LiveSession::forget(int client) {
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back({client, std::nullopt});
    called_ = true;
  }
  wake_.notify_all();
}

LiveNews LiveSession::take_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

LiveNews LiveSession::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

LiveStatus LiveSession::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void LiveSession::loop() {
  while (take_requests()) {
    const bool moves = steps_left_ > 0 || (playing_ && Clock::now() >= due_);
    try {
      if (moves) advance();
      publish();
    } catch (const std::exception& error) {  // such as memory that ran out
      stop_by_itself(error.what());
    }
    if (!moves) wait();
  }
  simulation_.end_frame();
  publish_status(Clock::now());
}

bool LiveSession::take_requests() {
  std::deque<Waiting> taken;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    taken.swap(requests_);
    called_ = false;
  }
  for (const Waiting& waiting : taken) handle(waiting);
  return true;
}

void LiveSession::handle(const Waiting& waiting) {
  try {
    if (waiting.request) {
      act(waiting.client, *waiting.request);
    } else {
      simulation_.release(waiting.client);
    }
  } catch (const std::exception& error) {
    reply(waiting.client, error_message(error.what()));
  }
}

void LiveSession::act(int client, const LiveRequest& request) {
  if (const auto* drag = std::get_if<DragRequest>(&request)) {
    simulation_.drag(client, *drag);
    return;
  }
  if (std::holds_alternative<ReleaseRequest>(request)) {
    simulation_.release(client);
    return;
  }
  if (const auto* change = std::get_if<SettingsChange>(&request)) {
    if (simulation_.change(*change)) scene_changed_ = true;
    due_ = Clock::now();
  } else if (const auto* go = std::get_if<GotoRequest>(&request)) {
    simulation_.go_to(go->frame);
    set_playing(false);
  } else if (const auto* step = std::get_if<StepRequest>(&request)) {
    set_playing(false);
    steps_left_ = step->count;
  } else if (std::holds_alternative<ResetRequest>(request)) {
    simulation_.reset();
    steps_left_ = 0;
    frame_changed_ = true;
  } else if (const auto* other = std::get_if<OpenRequest>(&request)) {
    open(*other);
  } else if (act_on_robot(request)) {
    frame_changed_ = true;
  } else if (!std::holds_alternative<StatusRequest>(request)) {
    set_playing(std::holds_alternative<PlayRequest>(request));
  }
  status_changed_ = true;
}

/// Controls, poses and recordings; false if the request is another one.
bool LiveSession::act_on_robot(const LiveRequest& request) {
  if (const auto* control = std::get_if<ControlRequest>(&request)) {
    simulation_.set_control(*control);
  } else if (const auto* target = std::get_if<TargetRequest>(&request)) {
    simulation_.set_target(*target);
  } else if (const auto* command = std::get_if<CommandRequest>(&request)) {
    simulation_.command(*command);
  } else if (const auto* save = std::get_if<SavePoseRequest>(&request)) {
    simulation_.save_pose(save->name);
  } else if (const auto* restore = std::get_if<RestorePoseRequest>(&request)) {
    simulation_.restore_pose(restore->name);
  } else if (const auto* record = std::get_if<RecordRequest>(&request)) {
    simulation_.record(record->on);
  } else {
    return false;
  }
  return true;
}

void LiveSession::open(const OpenRequest& request) {
  const auto count = static_cast<int>(scenes_.names.size());
  if (request.scene < 0 || request.scene >= count) {
    throw std::invalid_argument(
        fmt::format("there is no scene {}; the list has {}", request.scene, count));
  }
  simulation_ = scenes_.open(request.scene);
  scene_ = request.scene;
  scene_changed_ = true;
  set_playing(playing_);
}

void LiveSession::set_playing(bool playing) {
  if (!playing) simulation_.end_frame();
  if (playing && !playing_) due_ = Clock::now();
  playing_ = playing;
  steps_left_ = 0;
  frame_changed_ = true;
  measured_ = frame_begin_ = Clock::now();
  simulated_ = real_time_factor_ = 0.0;
}

void LiveSession::advance() {
  const double begin = simulation_.time();
  bool full = false;
  do {
    if (!simulation_.step()) {
      set_playing(false);
      status_changed_ = true;
      return;
    }
    const bool last = steps_left_ > 0 && --steps_left_ == 0;
    if (last) status_changed_ = true;
    full = last || simulation_.frame_is_full() || Clock::now() - frame_begin_ > longest_frame;
  } while (!full && !called_);
  if (full) {
    simulation_.end_frame();
    frame_changed_ = true;
    frame_begin_ = Clock::now();
  }
  pace(simulation_.time() - begin);
}

void LiveSession::stop_by_itself(const std::string& why) {
  simulation_.set_message("the simulation stopped: " + why);
  playing_ = false;
  steps_left_ = 0;
  status_changed_ = true;
}

void LiveSession::pace(double simulated) {
  simulated_ += simulated;
  due_ = std::max(due_ + ticks(Seconds(simulated / simulation_.speed())),
                  Clock::now() - ticks(most_debt));
}

void LiveSession::wait() {
  Clock::time_point until = status_due_;
  if (playing_) until = std::min(until, due_);
  if (frame_changed_) until = std::min(until, frame_due_);
  std::unique_lock lock(mutex_);
  wake_.wait_until(lock, until, [this] { return stopping_ || !requests_.empty(); });
}

void LiveSession::publish() {
  const Clock::time_point now = Clock::now();
  const bool scene = std::exchange(scene_changed_, false);
  const bool status = status_changed_ || now >= status_due_;
  const bool frame = frame_changed_ && now >= frame_due_ - ticks(frame_slack);
  bool replies = false;
  {
    const std::lock_guard lock(mutex_);
    replies = !news_.replies.empty();
  }
  if (scene) {
    auto text = std::make_shared<const std::string>(simulation_.scene_text());
    const std::lock_guard lock(mutex_);
    latest_.scene = news_.scene = std::move(text);
  }
  if (frame) publish_frame(now);
  if (status) publish_status(now);
  if (scene || frame || status || replies) tell_listener();
}

void LiveSession::publish_frame(Clock::time_point now) {
  auto text = std::make_shared<const std::string>(simulation_.frame_text());
  frame_changed_ = false;
  frame_due_ = std::max(frame_due_, now) + ticks(frame_period);
  const std::lock_guard lock(mutex_);
  latest_.frame = news_.frame = std::move(text);
}

void LiveSession::publish_status(Clock::time_point now) {
  measure_speed(now);
  LiveStatus status = simulation_.status();
  status.playing = running();
  status.scenes = scenes_.names;
  status.scene = scene_;
  status.real_time_factor = running() ? real_time_factor_ : 0.0;
  auto text = std::make_shared<const std::string>(status_message(status));
  status_changed_ = false;
  status_due_ = now + ticks(status_period);
  const std::lock_guard lock(mutex_);
  latest_.status = news_.status = std::move(text);
  status_ = std::move(status);
}

void LiveSession::measure_speed(Clock::time_point now) {
  const Seconds passed = now - measured_;
  if (passed < measuring_time) return;
  real_time_factor_ = simulated_ / passed.count();
  simulated_ = 0.0;
  measured_ = now;
}

void LiveSession::reply(int client, std::string text) {
  const std::lock_guard lock(mutex_);
  if (news_.replies.size() >= most_replies) return;
  news_.replies.emplace_back(client, std::make_shared<const std::string>(std::move(text)));
}

void LiveSession::tell_listener() {
  const std::lock_guard lock(listener_mutex_);
  if (listener_) listener_();
}

}  // namespace stiction
