#include "viewer/viewer_page.hpp"

namespace stiction {

std::string_view viewer_page() { return {}; }

}  // namespace stiction
