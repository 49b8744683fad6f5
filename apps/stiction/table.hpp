#pragma once

/// \file
/// Rows of cells, printed as aligned columns.

#include <string>
#include <vector>

#include "apps/stiction/output.hpp"

namespace stiction {

class Table {
 public:
  explicit Table(std::vector<std::string> head) { add(std::move(head)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  [[nodiscard]] std::string text(const Palette& palette) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace stiction
