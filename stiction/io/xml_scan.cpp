#include "stiction/io/xml_scan.hpp"

#include <algorithm>
#include <vector>

namespace stiction {

namespace {

/// Walks over the markup of a text, one construct at a time.
class XmlScanner {
 public:
  XmlScanner(std::string_view text, const XmlBounds& bounds) : text_(text), bounds_(bounds) {}

  std::optional<XmlHazard> run() {
    while (!hazard_) {
      at_ = text_.find('<', at_);
      if (at_ == std::string_view::npos) break;
      step();
    }
    if (!hazard_ && !open_.empty()) {
      report(open_.back().offset, '<' + std::string(open_.back().name) + "> is never closed",
             "add </" + std::string(open_.back().name) + "> where it ends");
    }
    return hazard_;
  }

 private:
  struct OpenElement {
    std::string_view name;
    std::size_t offset;
  };

  void report(std::size_t offset, std::string what, std::string remedy) {
    hazard_ = XmlHazard{offset, std::nullopt, std::move(what), std::move(remedy)};
  }

  [[nodiscard]] bool here(std::string_view word) const {
    return text_.substr(at_, word.size()) == word;
  }

  void skip_past(std::string_view word, std::size_t from) {
    const std::size_t found = text_.find(word, from);
    at_ = found == std::string_view::npos ? text_.size() : found + word.size();
  }

  void skip_comment() {
    const std::size_t end = text_.find("-->", at_ + 4);
    if (end == std::string_view::npos) {
      report(at_, "a comment is not closed", "end it with -->");
      return;
    }
    at_ = end + 3;
  }

  void step() {
    if (here("<!--")) return skip_comment();
    if (here("<![CDATA[")) return skip_past("]]>", at_ + 9);
    if (here("<?")) return skip_past("?>", at_ + 2);
    if (here("<!")) return skip_doctype();
    if (here("</")) return close_element();
    open_element();
  }

  /// Passes over <!DOCTYPE ... [ ... ]>, whose brackets may declare entities.
  void skip_doctype() {
    int brackets = 0;
    while (++at_ < text_.size() && !hazard_) {
      const char letter = text_[at_];
      if (here("<!ENTITY")) {
        report(at_, "the file declares an XML entity, which is not allowed",
               "write the value where it is used and remove the <!ENTITY ...>");
      } else if (here("<!--")) {
        skip_comment();
        --at_;
      } else if (letter == '"' || letter == '\'') {
        skip_past(text_.substr(at_, 1), at_ + 1);
        --at_;
      } else if (letter == '[' || letter == '<') {
        ++brackets;
      } else if (letter == ']' || letter == '>') {
        if (brackets-- == 0) return;
      }
    }
  }

  void open_element() {
    if (here("<<<<<<<")) {
      report(at_, "the file has conflict marks of a version control system",
             "resolve the conflict between the lines <<<<<<< and >>>>>>>");
      return;
    }
    if (open_.size() >= bounds_.depth) {
      report(at_, "elements are nested more than " + std::to_string(bounds_.depth) + " deep",
             "look for opening tags that are never closed");
      return;
    }
    if (++elements_ > bounds_.elements) {
      report(at_, "the file has more than " + std::to_string(bounds_.elements) + " elements",
             "split the scene, or keep terrain in meshes and height fields");
      return;
    }
    const std::size_t end = end_of_tag(at_ + 1);
    const std::string_view tag = text_.substr(at_, end - at_);
    if (tag.size() > bounds_.attributes_of_one &&
        count_attributes(tag) > bounds_.attributes_of_one) {
      report(
          at_,
          "an element has more than " + std::to_string(bounds_.attributes_of_one) + " attributes",
          "give each element only the attributes that it needs");
      return;
    }
    const bool closed = end > at_ + 1 && end < text_.size() && text_[end - 1] == '/';
    // A tag that the text ends in is for the parser to explain.
    if (!closed && end < text_.size()) open_.push_back({name_at(at_ + 1), at_});
    at_ = std::min(end + 1, text_.size());
  }

  void close_element() {
    const std::string_view name = name_at(at_ + 2);
    if (!open_.empty() && open_.back().name != name) {
      const std::string open(open_.back().name);
      hazard_ = XmlHazard{at_, open_.back().offset,
                          "</" + std::string(name) + "> found, but <" + open + "> is still open",
                          "close <" + open + "> first: the innermost element ends first"};
      return;
    }
    if (!open_.empty()) open_.pop_back();
    skip_past(">", at_ + 2);
  }

  [[nodiscard]] std::string_view name_at(std::size_t from) const {
    const std::size_t end = text_.find_first_of(" \t\r\n/><", from);
    return text_.substr(from, std::min(end, text_.size()) - from);
  }

  /// Equals signs outside of quotes: every attribute has one.
  [[nodiscard]] static std::size_t count_attributes(std::string_view tag) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < tag.size(); ++i) {
      if (tag[i] == '=') ++count;
      if (tag[i] == '"' || tag[i] == '\'') i = std::min(tag.find(tag[i], i + 1), tag.size());
    }
    return count;
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
  XmlBounds bounds_;
  std::size_t at_ = 0;
  std::size_t elements_ = 0;
  std::vector<OpenElement> open_;
  std::optional<XmlHazard> hazard_;
};

}  // namespace

std::optional<XmlHazard> scan_xml(std::string_view text, const XmlBounds& bounds) {
  return XmlScanner(text, bounds).run();
}

}  // namespace stiction
