#include "apps/live/live_gate.hpp"

#include <algorithm>
#include <string>

namespace stiction {

namespace {

constexpr std::uint16_t default_port = 80;  // browsers leave it out

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

bool is_own_host(std::string_view host, std::uint16_t port) {
  for (const std::string name : {"127.0.0.1", "localhost"}) {
    if (same_word(host, name + ':' + std::to_string(port))) return true;
    if (port == default_port && same_word(host, name)) return true;
  }
  return false;
}

bool is_own_origin(std::string_view origin, std::uint16_t port) {
  constexpr std::string_view scheme = "http://";
  return origin.size() > scheme.size() && same_word(origin.substr(0, scheme.size()), scheme) &&
         is_own_host(origin.substr(scheme.size()), port);
}

}  // namespace stiction
