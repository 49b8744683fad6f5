#include "stiction/io/xml_scan.hpp"

#include <algorithm>

namespace stiction {

namespace {

/// Walks over the markup of a text, one construct at a time.
class XmlScanner {
 public:
  XmlScanner(std::string_view text, int deepest) : text_(text), deepest_(deepest) {}

  std::optional<XmlHazard> run() {
    while (!hazard_) {
      at_ = text_.find('<', at_);
      if (at_ == std::string_view::npos) break;
      step();
    }
    return hazard_;
  }

 private:
  [[nodiscard]] bool here(std::string_view word) const {
    return text_.substr(at_, word.size()) == word;
  }

  void skip_past(std::string_view word, std::size_t from) {
    const std::size_t found = text_.find(word, from);
    at_ = found == std::string_view::npos ? text_.size() : found + word.size();
  }

  void step() {
    if (here("<!--")) return skip_past("-->", at_ + 4);
    if (here("<![CDATA[")) return skip_past("]]>", at_ + 9);
    if (here("<?")) return skip_past("?>", at_ + 2);
    if (here("<!ENTITY")) {
      hazard_ = {at_, "the file declares an XML entity, which is not allowed",
                 "write the value where it is used and take the <!ENTITY ...> away"};
      return;
    }
    // Goes on inside the brackets of <!DOCTYPE [...]>, where entities are declared.
    if (here("<!")) return void(at_ += 2);
    if (here("</")) {
      --depth_;
      return skip_past(">", at_ + 2);
    }
    open_element();
  }

  void open_element() {
    if (depth_ >= deepest_) {
      hazard_ = {at_, "elements are nested more than " + std::to_string(deepest_) + " deep",
                 "no robot needs that: look for opening tags that are never closed"};
      return;
    }
    const std::size_t end = end_of_tag(at_ + 1);
    const bool closed = end > at_ + 1 && end < text_.size() && text_[end - 1] == '/';
    if (!closed) ++depth_;
    at_ = std::min(end + 1, text_.size());
  }

  /// Position of the '>' that ends a tag; one within quotes does not.
  [[nodiscard]] std::size_t end_of_tag(std::size_t from) const {
    for (std::size_t i = from; i < text_.size(); ++i) {
      if (text_[i] == '>') return i;
      if (text_[i] != '"' && text_[i] != '\'') continue;
      i = text_.find(text_[i], i + 1);
      if (i == std::string_view::npos) break;
    }
    return text_.size();
  }

  std::string_view text_;
  int deepest_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::optional<XmlHazard> hazard_;
};

}  // namespace

std::optional<XmlHazard> scan_xml(std::string_view text, int deepest) {
  return XmlScanner(text, deepest).run();
}

}  // namespace stiction
