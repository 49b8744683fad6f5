#include "apps/stiction/table.hpp"

#include <algorithm>

namespace stiction {

std::string Table::text(const Palette& palette) const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string result;
  for (const auto& row : rows_) {
    std::string line = "  ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i + 1 < row.size() ? padded(row[i], widths[i] + 2) : row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += (&row == &rows_.front() ? palette.faint(line) : line) + '\n';
  }
  return result;
}

}  // namespace stiction
