#pragma once

/// \file
/// Browsers, and worse, as the live server sees them: HTTP and WebSocket by plain sockets, so that
/// nothing here shares a mistake with the server's library.

#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace stiction::test {

/// Longer than anything takes here, even on a busy machine.
inline constexpr std::chrono::seconds patience{20};

/// Waits until a condition holds; false if it does not come true.
template <class Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::usleep(1000);
  }
  return true;
}

/// A connection to 127.0.0.1.
class TcpClient {
 public:
  /// `receive_buffer`: bytes that the kernel takes for us, 0 for its own choice.
  explicit TcpClient(std::uint16_t port, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ::close(socket_);
      throw std::runtime_error("cannot connect");
    }
  }
  ~TcpClient() {
    if (socket_ >= 0) ::close(socket_);
  }
  TcpClient(TcpClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), received_(std::move(other.received_)) {}
  TcpClient& operator=(TcpClient&&) = delete;

  /// False if the other end is closed, or takes nothing for a while.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      pollfd ready{socket_, POLLOUT, 0};
      if (::poll(&ready, 1, 2000) <= 0) return false;
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// Gets some more bytes; false at the end of the stream. Throws if nothing comes.
  bool receive_some() {
    pollfd ready{socket_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(patience.count()) * 1000) <= 0) {
      throw std::runtime_error("the server does not answer");
    }
    std::array<char, 65536> bytes{};
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (count <= 0) return false;
    received_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }

  [[nodiscard]] std::string& received() { return received_; }

 private:
  int socket_;
  std::string received_;
};

struct HttpAnswer {
  int status = 0;  ///< 0: the connection ended without an answer
  std::string head;
  std::string body;
};

/// Sends bytes and reads until the server closes.
inline HttpAnswer exchange(std::uint16_t port, const std::string& request) {
  TcpClient client(port);
  client.send(request);
  while (client.receive_some()) {
  }
  HttpAnswer answer;
  const std::string& text = client.received();
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos || text.size() < 12) return answer;
  answer.status = std::stoi(text.substr(9, 3));
  answer.head = text.substr(0, end);
  answer.body = text.substr(end + 4);
  return answer;
}

/// A request as a browser writes it; `more` are header lines, each with its line end.
inline std::string http_request(const std::string& method, const std::string& target,
                                const std::string& host, const std::string& more = {}) {
  return fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n{}\r\n", method, target, host, more);
}

inline std::string host_of(std::uint16_t port) { return fmt::format("127.0.0.1:{}", port); }

inline const std::string upgrade_lines =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// A viewer.
class WebClient {
 public:
  struct Message {
    int opcode = 0;  ///< 1 text, 2 binary, 8 close, 9 ping
    std::string payload;
  };

  explicit WebClient(std::uint16_t port, int receive_buffer = 0)
      : connection_(port, receive_buffer) {
    const std::string origin = fmt::format("Origin: http://127.0.0.1:{}\r\n", port);
    connection_.send(http_request("GET", "/live", host_of(port), upgrade_lines + origin));
    std::string& text = connection_.received();
    while (text.find("\r\n\r\n") == std::string::npos) {
      if (!connection_.receive_some()) throw std::runtime_error("the server hung up");
    }
    if (!text.starts_with("HTTP/1.1 101")) throw std::runtime_error(text);
    text.erase(0, text.find("\r\n\r\n") + 4);
  }

  bool send(const nlohmann::json& message) { return send_frame(1, message.dump()); }

  /// One masked frame.
  bool send_frame(int opcode, const std::string& payload) {
    std::string bytes(1, static_cast<char>(0x80 | opcode));
    const std::size_t size = payload.size();
    const int long_bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
    const std::size_t code = size < 126 ? size : size < 65536 ? 126 : 127;
    bytes += static_cast<char>(0x80 | code);
    for (int i = long_bytes - 1; i >= 0; --i) bytes += static_cast<char>(size >> (8 * i));
    const std::string mask = "\x12\x34\x56\x78";
    bytes += mask;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(payload[i] ^ mask[i % 4]);
    return connection_.send(bytes);
  }

  bool send_raw(std::string_view bytes) { return connection_.send(bytes); }

  /// The next message; none at the end of the connection. Throws if nothing comes.
  std::optional<Message> next() {
    std::string& text = connection_.received();
    while (true) {
      if (const auto frame = take_frame(text)) {
        if (const auto message = joined(*frame)) return message;
        continue;
      }
      if (!connection_.receive_some()) return std::nullopt;
    }
  }

  /// Reads on until a JSON message of a type that a condition likes.
  template <class Condition>
  nlohmann::json wait_for(const std::string& type, Condition condition) {
    while (const auto message = next()) {
      if (message->opcode != 1) continue;
      nlohmann::json json = nlohmann::json::parse(message->payload);
      if (json.at("type") == type && condition(json)) return json;
    }
    throw std::runtime_error("the server hung up while we waited for " + type);
  }
  nlohmann::json wait_for(const std::string& type) {
    return wait_for(type, [](const nlohmann::json&) { return true; });
  }

  /// Sends a request, and reads the status that comes when it was handled.
  nlohmann::json ask(const nlohmann::json& request) {
    send(request);
    return fresh_status();
  }

  /// A status that was made after all that we sent was handled. The answer to a wrong request marks
  /// the place.
  nlohmann::json fresh_status() {
    send({{"type", "drag"}, {"body", 2000000000}, {"point", {0, 0, 0}}, {"target", {0, 0, 0}}});
    wait_for("error");
    send({{"type", "status"}});
    return wait_for("status");
  }

  /// Reads on until the binary frame of this number.
  std::string wait_frame(std::uint32_t number) {
    while (const auto message = next()) {
      if (message->opcode == 2 && word(message->payload, 8) == number) return message->payload;
    }
    throw std::runtime_error("the server hung up while we waited for a frame");
  }

  static std::uint32_t word(const std::string& bytes, std::size_t offset) {
    std::uint32_t result = 0;
    std::memcpy(&result, bytes.data() + offset, sizeof result);
    return result;
  }

 private:
  struct Frame : Message {
    bool last = true;  ///< of its message
  };

  /// The message, once its last frame is there. Frames of control come as a whole, also in between.
  std::optional<Message> joined(const Frame& frame) {
    if (frame.opcode >= 8) return frame;
    if (frame.opcode != 0) begun_.opcode = frame.opcode;
    begun_.payload += frame.payload;
    return frame.last ? std::optional(std::exchange(begun_, {})) : std::nullopt;
  }

  static std::optional<Frame> take_frame(std::string& text) {
    if (text.size() < 2) return std::nullopt;
    std::size_t size = static_cast<unsigned char>(text[1]) & 0x7f;
    const std::size_t extra = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (text.size() < 2 + extra) return std::nullopt;
    if (extra > 0) size = 0;
    for (std::size_t i = 0; i < extra; ++i) {
      size = size << 8 | static_cast<unsigned char>(text[2 + i]);
    }
    if (text.size() < 2 + extra + size) return std::nullopt;
    const int head = static_cast<unsigned char>(text[0]);
    Frame frame{{head & 0x0f, text.substr(2 + extra, size)}, (head & 0x80) != 0};
    text.erase(0, 2 + extra + size);
    return frame;
  }

  TcpClient connection_;
  Message begun_;  ///< of which the last frame has not come yet
};

}  // namespace stiction::test
