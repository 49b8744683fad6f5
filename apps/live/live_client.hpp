#pragma once

/// \file
/// One viewer at the other end of a WebSocket. Part of live_server.cpp, the one file that compiles
/// Boost.Beast; all of it happens on the server's thread.
///
/// What waits to be written has a fixed size: the newest scene, status and frame, and a few errors.
/// So a slow client skips frames, and one that takes nothing costs no memory until it is dropped.

#include <atomic>
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "apps/live/live_server.hpp"

namespace stiction::live {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using Tcp = net::ip::tcp;
using Failure = boost::system::error_code;
using Request = http::request<http::string_body>;

inline constexpr std::size_t most_message_bytes = 64 * 1024;
inline constexpr std::size_t most_errors = 16;  ///< waiting for one client

inline std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<long long>(seconds * 1e3));
}

class LiveClient;

/// What all connections share.
struct Hub {
  Hub(LiveSession& the_session, const LiveServerOptions& the_options, std::string the_page)
      : session(the_session), options(the_options), page(std::move(the_page)) {}

  LiveSession& session;
  LiveServerOptions options;
  std::string page;
  std::uint16_t port = 0;
  int connections = 0;
  int next_client = 0;
  std::map<int, std::shared_ptr<LiveClient>> clients;
  std::atomic<int> client_count = 0;
};

class LiveClient : public std::enable_shared_from_this<LiveClient> {
 public:
  LiveClient(std::shared_ptr<Hub> hub, beast::tcp_stream stream)
      : hub_(std::move(hub)),
        number_(hub_->next_client++),
        socket_(std::move(stream)),
        stall_(socket_.get_executor()) {
    ++hub_->connections;
  }
  ~LiveClient() { --hub_->connections; }
  LiveClient(const LiveClient&) = delete;
  LiveClient& operator=(const LiveClient&) = delete;

  /// Answers the handshake, then shows where the simulation is.
  void open(const Request& request) {
    beast::get_lowest_layer(socket_).expires_never();
    websocket::stream_base::timeout timeout;
    timeout.handshake_timeout = milliseconds(hub_->options.request_timeout);
    timeout.idle_timeout = milliseconds(hub_->options.idle_timeout);
    timeout.keep_alive_pings = true;
    socket_.set_option(timeout);
    socket_.read_message_max(most_message_bytes);
    tune();
    hub_->clients[number_] = shared_from_this();
    hub_->client_count = static_cast<int>(hub_->clients.size());
    socket_.async_accept(request, [self = shared_from_this()](Failure failure) {
      if (failure) return self->leave();
      self->open_ = true;
      self->show(self->hub_->session.latest());
      self->read();
    });
  }

  /// Takes over what is new; writes as soon as the last message is out.
  void show(const LiveNews& news) {
    if (news.scene) scene_ = news.scene;
    if (news.status) status_ = news.status;
    if (news.frame) frame_ = news.frame;
    write();
  }

  void answer(LiveText error) {
    if (errors_.size() < most_errors) errors_.push_back(std::move(error));
    write();
  }

  /// The server ends.
  void say_goodbye() {
    if (!open_) return leave();
    socket_.async_close(websocket::close_code::going_away,
                        [self = shared_from_this()](Failure) { self->leave(); });
  }

 private:
  /// Frames leave at once, and few of them wait in the kernel for a slow client: it shall see the
  /// present.
  void tune() {
    constexpr int kernel_bytes = 128 * 1024;
    Failure ignored;
    Tcp::socket& socket = beast::get_lowest_layer(socket_).socket();
    socket.set_option(Tcp::no_delay(true), ignored);
    socket.set_option(net::socket_base::send_buffer_size(kernel_bytes), ignored);
  }

  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](Failure failure, std::size_t) {
      if (failure) return self->leave();
      self->take(self->socket_.got_text());
      self->read();
    });
  }

  void take(bool text) {
    const std::string message = beast::buffers_to_string(buffer_.data());
    buffer_.consume(buffer_.size());
    try {
      if (!text) throw std::invalid_argument("requests must be text messages, not binary");
      if (!hub_->session.submit(number_, parse_request(message))) {
        throw std::invalid_argument("too many requests are waiting; this one was dropped");
      }
    } catch (const std::exception& error) {
      answer(std::make_shared<const std::string>(error_message(error.what())));
    }
  }

  /// The next message by importance; null if there is none. A scene comes before all that is about
  /// it.
  LiveText next_message() {
    for (LiveText* text : {&scene_, &status_, &frame_}) {
      if (text == &status_ && !errors_.empty()) {
        LiveText error = std::move(errors_.front());
        errors_.pop_front();
        return error;
      }
      if (*text) {
        socket_.binary(text == &frame_);
        return std::exchange(*text, nullptr);
      }
    }
    return nullptr;
  }

  void write() {
    if (!open_ || writing_) return;
    socket_.text(true);
    writing_ = next_message();
    if (!writing_) return;
    guard();
    socket_.async_write(net::buffer(*writing_),
                        [self = shared_from_this()](Failure failure, std::size_t) {
                          self->stall_.cancel();
                          ++self->written_;
                          self->writing_ = nullptr;
                          if (failure) return self->leave();
                          self->write();
                        });
  }

  /// Drops the client if the present message is not out in time.
  void guard() {
    stall_.expires_after(milliseconds(hub_->options.stall_timeout));
    stall_.async_wait([weak = weak_from_this(), message = written_](Failure failure) {
      const auto self = weak.lock();
      if (!failure && self && self->written_ == message) self->leave();
    });
  }

  void leave() {
    open_ = false;
    stall_.cancel();
    beast::get_lowest_layer(socket_).close();
    if (hub_->clients.erase(number_) == 0) return;
    hub_->client_count = static_cast<int>(hub_->clients.size());
    hub_->session.forget(number_);
  }

  std::shared_ptr<Hub> hub_;
  int number_;
  websocket::stream<beast::tcp_stream> socket_;
  net::steady_timer stall_;
  beast::flat_buffer buffer_;
  bool open_ = false;
  LiveText writing_;       ///< lives until its write is done
  long long written_ = 0;  ///< messages
  LiveText scene_;
  LiveText status_;
  LiveText frame_;
  std::deque<LiveText> errors_;
};

}  // namespace stiction::live
