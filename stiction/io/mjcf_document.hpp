#pragma once

/// \file
/// An MJCF file with its includes, attached models and copies in place, each element knowing its
/// own file and line. Private to stiction/io.

#include <filesystem>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "stiction/io/mjcf_report.hpp"
#include "stiction/io/xml.hpp"

namespace stiction {

class MjcfDocument;

/// What one <attach> took over from a model file; the first part is the main file itself.
struct MjcfPart {
  const MjcfDocument* document = nullptr;  ///< whose compiler, defaults and assets its elements use
  int parent = -1;                         ///< the part that attached it; -1 for the main file
  std::string prefix;                      ///< of its names, with those of the parts around it
};

class MjcfDocument {
 public:
  /// Copies `file` and what it includes. Included paths start at `folder`, the main file's folder,
  /// also inside of included files; each file may be included once.
  MjcfDocument(const XmlFile& file, const std::filesystem::path& folder, MjcfReport& report);

  MjcfDocument(const MjcfDocument&) = delete;
  MjcfDocument& operator=(const MjcfDocument&) = delete;

  [[nodiscard]] pugi::xml_node root() const { return document_.document_element(); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// File, line and `<tag name="...">` of an element, also of one in an attached model.
  [[nodiscard]] Source source(const pugi::xml_node& node) const;

  [[nodiscard]] const std::vector<MjcfPart>& parts() const { return parts_; }
  /// Where an element comes from: an index into parts().
  [[nodiscard]] int part_of(const pugi::xml_node& node) const;
  /// The file whose compiler, defaults and assets an element uses.
  [[nodiscard]] const MjcfDocument& model_of(const pugi::xml_node& node) const;
  /// Whether `part` is `whole`, or was attached by it or by what it attached.
  [[nodiscard]] bool is_within(int part, int whole) const;
  [[nodiscard]] std::size_t element_count() const { return origins_.size(); }

  /// \name For MjcfExpander
  /// @{
  /// Attached parts of `model`, which is kept alive: one for it, and one for each of its own.
  /// Returns the index of the first.
  int add_part(const std::shared_ptr<const MjcfDocument>& model, const std::string& prefix);
  /// A copy of `node`, of this document or of a model, as the last child of `to`. Its part is
  /// `first_part` where the model's own is its main file, and so on.
  pugi::xml_node copy(const MjcfDocument& from, const pugi::xml_node& node, pugi::xml_node to,
                      int first_part);
  /// An empty <frame> before an element, that stands for it in messages.
  pugi::xml_node add_frame_before(const pugi::xml_node& element, int part);
  /// An empty last section of the file, that stands for an element in messages.
  pugi::xml_node add_section(const char* tag, const pugi::xml_node& element);
  void remove(const pugi::xml_node& node);
  /// @}

 private:
  struct Origin {
    int file = 0;
    int line = 0;
    int part = 0;
  };

  void copy_children(const XmlFile& file, const pugi::xml_node& from, pugi::xml_node to,
                     int include_depth);
  [[nodiscard]] std::filesystem::path find_included(const XmlFile& file, const std::string& name,
                                                    int include_depth) const;
  void include(const XmlFile& file, const pugi::xml_node& element, pugi::xml_node to,
               int include_depth);
  void remember(const XmlFile& file, const pugi::xml_node& from, const pugi::xml_node& to);
  void remember_copies(const MjcfDocument& from, const pugi::xml_node& node,
                       const pugi::xml_node& copied, int first_part);
  void forget(const pugi::xml_node& node);
  [[nodiscard]] bool has(const pugi::xml_node& node) const {
    return origins_.contains(node.hash_value());
  }
  int file_index(const std::string& name);

  std::filesystem::path folder_;
  MjcfReport& report_;
  pugi::xml_document document_;
  std::vector<std::string> files_;
  std::vector<std::filesystem::path> included_;
  std::unordered_map<std::size_t, Origin> origins_;  ///< by node hash
  std::vector<MjcfPart> parts_;
  std::vector<std::shared_ptr<const MjcfDocument>> models_;  ///< attached ones
};

}  // namespace stiction
