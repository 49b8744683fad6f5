// Results of experiments in tables, files and pages of the documentation.

#include "bench/docs_page.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

#include "bench/output.hpp"

namespace stiction::bench {
namespace {

TEST(WithBlock, ReplacesWhatStandsBetweenItsLinesAlone) {
  const std::string page =
      "before\n<!-- first -->\nold\n<!-- end -->\nbetween\n<!-- second -->\nkept\n<!-- end -->\n";
  const std::string once = with_block(page, "first", "new\n");
  EXPECT_EQ(once,
            "before\n<!-- first -->\n\nnew\n\n<!-- end -->\nbetween\n<!-- second "
            "-->\nkept\n<!-- end -->\n");
  EXPECT_EQ(with_block(once, "first", "new\n"), once);
}

TEST(WithBlock, RefusesPagesWithoutAPlace) {
  EXPECT_THROW(static_cast<void>(with_block("text", "first", "new")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(with_block("<!-- first -->\n", "first", "new")),
               std::invalid_argument);
}

TEST(Table, IsWrittenAsMarkdownAndCsv) {
  Table table({"name", "value"});
  table.add({"a, b", "1"});
  table.add({"say \"c\"", "2"});
  EXPECT_EQ(table.markdown(), "| name | value |\n|---|---|\n| a, b | 1 |\n| say \"c\" | 2 |\n");
  EXPECT_EQ(table.csv(), "name,value\n\"a, b\",1\n\"say \"\"c\"\"\",2\n");
}

}  // namespace
}  // namespace stiction::bench
