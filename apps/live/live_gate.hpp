#pragma once

/// \file
/// Who may talk to the live server: pages that it served itself. Pages of other sites reach
/// 127.0.0.1 too, in the same browser; their origin, or the host name that they made point here,
/// gives them away.

#include <cstdint>
#include <string_view>

namespace stiction {

/// Whether a header `Host` names this server: 127.0.0.1 or localhost, with its port.
[[nodiscard]] bool is_own_host(std::string_view host, std::uint16_t port);

/// Whether a header `Origin` is that of a page which this server sent.
[[nodiscard]] bool is_own_origin(std::string_view origin, std::uint16_t port);

}  // namespace stiction
