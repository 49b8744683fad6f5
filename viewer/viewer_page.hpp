#pragma once

#include <string_view>

namespace stiction {

/// The viewer as one HTML page with no data in it; docs/page_format.md says where the data goes.
/// Empty if the program was built without the viewer (node or npm were not there).
std::string_view viewer_page();

}  // namespace stiction
