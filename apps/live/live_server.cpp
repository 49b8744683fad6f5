#include "apps/live/live_server.hpp"

#include <fmt/format.h>
#include <thread>
#include <utility>

#include "apps/live/live_request.hpp"
#include "stiction/core/problem.hpp"

namespace stiction {

namespace {

using namespace live;

[[noreturn]] void no_port(const LiveServerOptions& options, const Failure& failure) {
  const bool taken = failure == net::error::address_in_use;
  const std::string ports =
      options.ports_to_try > 1
          ? fmt::format("ports {} to {}", options.port, options.port + options.ports_to_try - 1)
          : fmt::format("port {}", options.port);
  ProblemList problems;
  problems.error({},
                 fmt::format("cannot use {} of 127.0.0.1: {}", ports,
                             taken ? "in use by another program" : failure.message()),
                 "give another --port, or use --port 0 for any free port");
  throw InputError(std::move(problems));
}

/// Listens on the port; what went wrong otherwise.
Failure listen(Tcp::acceptor& acceptor, std::uint16_t port) {
  Failure failure;
  acceptor.open(Tcp::v4(), failure);
  if (!failure) acceptor.set_option(net::socket_base::reuse_address(true), failure);
  if (!failure) acceptor.bind({net::ip::address_v4::loopback(), port}, failure);
  if (!failure) acceptor.listen(net::socket_base::max_listen_connections, failure);
  if (failure) {
    Failure ignored;
    acceptor.close(ignored);
  }
  return failure;
}

}  // namespace

struct LiveServer::Implementation {
  Implementation(LiveSession& session, std::string page, const LiveServerOptions& options)
      : hub(std::make_shared<Hub>(session, options, std::move(page))) {
    Failure failure;
    for (int i = 0; i < options.ports_to_try; ++i) {
      const int port = options.port + i;
      if (port > 0xffff) break;
      failure = listen(acceptor, static_cast<std::uint16_t>(port));
      if (!failure) break;
    }
    if (!acceptor.is_open()) no_port(options, failure);
    hub->port = acceptor.local_endpoint().port();
  }

  void start() {
    accept();
    thread = std::thread([this] { context.run(); });
    hub->session.set_listener([this] {
      if (!told.exchange(true)) net::post(context, [this] { spread_news(); });
    });
  }

  void accept() {
    acceptor.async_accept([this](const Failure& failure, Tcp::socket socket) {
      if (!acceptor.is_open()) return;
      if (failure) return accept_later();
      if (hub->connections < hub->options.connections) {
        std::make_shared<HttpExchange>(hub, std::move(socket))->begin();
      } else {
        turn_away(socket);
      }
      accept();
    });
  }

  /// Such as without file descriptors: others must close theirs first.
  void accept_later() {
    pause.expires_after(std::chrono::milliseconds(100));
    pause.async_wait([this](const Failure&) {
      if (acceptor.is_open()) accept();
    });
  }

  static void turn_away(Tcp::socket& socket) {
    Failure ignored;
    socket.non_blocking(true, ignored);
    constexpr std::string_view text =
        "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    socket.write_some(net::buffer(text), ignored);
  }

  void spread_news() {
    told = false;
    const LiveNews news = hub->session.take_news();
    for (const auto& [number, text] : news.replies) {
      const auto client = hub->clients.find(number);
      if (client != hub->clients.end()) client->second->answer(text);
    }
    const auto clients = hub->clients;  // a client that fails leaves the map
    for (const auto& [number, client] : clients) client->show(news);
  }

  void stop() {
    if (!thread.joinable()) return;
    hub->session.set_listener({});
    net::post(context, [this] {
      acceptor.close();
      const auto clients = hub->clients;
      for (const auto& [number, client] : clients) client->say_goodbye();
      end_when_alone(20);
    });
    thread.join();
    hub->clients.clear();
  }

  /// Clients get a moment to answer the goodbye.
  void end_when_alone(int patience) {
    if (hub->clients.empty() || patience == 0) return context.stop();
    pause.expires_after(std::chrono::milliseconds(10));
    pause.async_wait([this, patience](const Failure&) { end_when_alone(patience - 1); });
  }

  std::shared_ptr<Hub> hub;
  std::atomic<bool> told = false;  ///< spread_news() is on its way
  net::io_context context{1};
  Tcp::acceptor acceptor{context};
  net::steady_timer pause{context};
  std::thread thread;
};

LiveServer::LiveServer(LiveSession& session, std::string page, const LiveServerOptions& options)
    : implementation_(std::make_unique<Implementation>(session, std::move(page), options)) {
  implementation_->start();
}

LiveServer::~LiveServer() { stop(); }

std::uint16_t LiveServer::port() const { return implementation_->hub->port; }
std::string LiveServer::url() const { return fmt::format("http://127.0.0.1:{}/", port()); }
int LiveServer::clients() const { return implementation_->hub->client_count; }
void LiveServer::stop() { implementation_->stop(); }

}  // namespace stiction
