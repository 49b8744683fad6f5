#pragma once

/// \file
/// One HTTP request and its answer: the page, a refusal, or the way to a LiveClient. Part of
/// live_server.cpp, as live_client.hpp is.

#include <array>
#include <fmt/format.h>
#include <optional>

#include "apps/live/live_client.hpp"
#include "apps/live/live_gate.hpp"

namespace stiction::live {

inline constexpr std::uint32_t most_header_bytes = 8 * 1024;
inline constexpr std::uint64_t most_body_bytes = 1024;

/// What the page may do in the browser: nothing but show itself and talk to this server.
inline std::string content_policy(std::uint16_t port) {
  return fmt::format(
      "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; "
      "img-src data: blob:; font-src data:; worker-src blob:; connect-src 'self' data: blob: "
      "ws://127.0.0.1:{0} ws://localhost:{0}; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'",
      port);
}

class HttpExchange : public std::enable_shared_from_this<HttpExchange> {
 public:
  HttpExchange(std::shared_ptr<Hub> hub, Tcp::socket socket)
      : hub_(std::move(hub)), stream_(std::move(socket)) {
    ++hub_->connections;
    parser_.header_limit(most_header_bytes);
    parser_.body_limit(most_body_bytes);
  }
  ~HttpExchange() { --hub_->connections; }
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  void begin() {
    stream_.expires_after(milliseconds(hub_->options.request_timeout));
    http::async_read(stream_, buffer_, parser_,
                     [self = shared_from_this()](Failure failure, std::size_t) {
                       if (failure) return self->explain(failure);
                       self->serve();
                     });
  }

 private:
  /// An unreadable request gets an answer; a client that is gone or silent gets none.
  void explain(const Failure& failure) {
    if (failure == http::error::header_limit || failure == http::error::buffer_overflow) {
      refuse(http::status::request_header_fields_too_large, "the header is too long");
    } else if (failure == http::error::body_limit) {
      refuse(http::status::payload_too_large, "the body is too long; no body is needed");
    } else if (failure.category() == http::make_error_code(http::error::bad_method).category() &&
               failure != http::error::end_of_stream && failure != http::error::partial_message) {
      refuse(http::status::bad_request, "this is not an HTTP request");
    }
  }

  void serve() {
    const Request& request = parser_.get();
    if (const auto status = gate(request)) {
      return refuse(*status, "only pages from this server may connect to it; open " + url());
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return refuse(http::status::method_not_allowed, "use GET or HEAD");
    }
    const std::string path(request.target().substr(0, request.target().find('?')));
    if (path == "/") return send_page();
    if (path == "/live") return open_live(request);
    if (path == "/favicon.ico") return refuse(http::status::no_content, "");
    refuse(http::status::not_found, "there is no page at this address; open " + url());
  }

  /// Why the request does not come from our own page; none if it may.
  [[nodiscard]] std::optional<http::status> gate(const Request& request) const {
    if (request.count(http::field::host) != 1) return http::status::bad_request;
    if (!is_own_host(view(request[http::field::host]), hub_->port)) return http::status::forbidden;
    const auto [first, last] = request.equal_range(http::field::origin);
    for (auto origin = first; origin != last; ++origin) {
      if (!is_own_origin(view(origin->value()), hub_->port)) return http::status::forbidden;
    }
    return std::nullopt;
  }

  void open_live(const Request& request) {
    if (!websocket::is_upgrade(request)) {
      return refuse(http::status::upgrade_required,
                    "this address accepts only WebSocket connections");
    }
    if (static_cast<int>(hub_->clients.size()) >= hub_->options.clients) {
      return refuse(
          http::status::service_unavailable,
          fmt::format("{} pages are already connected; close one", hub_->options.clients));
    }
    std::make_shared<LiveClient>(hub_, std::move(stream_))->open(request);
  }

  void send_page() {
    using Page = http::response<http::span_body<const char>>;
    auto response = std::make_shared<Page>(http::status::ok, parser_.get().version());
    response->body() = beast::span<const char>(hub_->page.data(), hub_->page.size());
    response->set(http::field::content_type, "text/html; charset=utf-8");
    response->set("Content-Security-Policy", content_policy(hub_->port));
    send(std::move(response));
  }

  void refuse(http::status status, const std::string& why) {
    using Text = http::response<http::string_body>;
    auto response = std::make_shared<Text>(status, 11);
    if (!why.empty()) response->body() = why + '\n';
    response->set(http::field::content_type, "text/plain; charset=utf-8");
    if (status == http::status::method_not_allowed) response->set(http::field::allow, "GET, HEAD");
    if (status == http::status::upgrade_required) response->set(http::field::upgrade, "websocket");
    send(std::move(response));
  }

  template <class Body>
  void send(std::shared_ptr<http::response<Body>> response) {
    response->set(http::field::cache_control, "no-store");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("X-Frame-Options", "DENY");
    response->set("Cross-Origin-Resource-Policy", "same-origin");
    response->set("Referrer-Policy", "no-referrer");
    response->keep_alive(false);
    response->prepare_payload();
    stream_.expires_after(milliseconds(hub_->options.request_timeout));
    auto serializer = std::make_shared<http::response_serializer<Body>>(*response);
    const auto finish = [self = shared_from_this(), response, serializer](Failure failure,
                                                                          std::size_t) {
      if (!failure) self->finish();
    };
    if (parser_.get().method() == http::verb::head) {
      http::async_write_header(stream_, *serializer, finish);
    } else {
      http::async_write(stream_, *serializer, finish);
    }
  }

  /// Closing while something unread is left would take the answer back from the client.
  void finish() {
    Failure ignored;
    stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);
    stream_.expires_after(std::chrono::seconds(1));
    drain();
  }

  void drain() {
    stream_.async_read_some(net::buffer(rest_),
                            [self = shared_from_this()](Failure failure, std::size_t) {
                              if (!failure && ++self->drained_ < 64) self->drain();
                            });
  }

  [[nodiscard]] std::string url() const { return fmt::format("http://127.0.0.1:{}/", hub_->port); }
  static std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

  std::shared_ptr<Hub> hub_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_{2 * most_header_bytes};
  http::request_parser<http::string_body> parser_;
  std::array<char, 4096> rest_{};  ///< what nobody reads
  int drained_ = 0;
};

}  // namespace stiction::live
