#include "stiction/io/mjcf_document.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>

namespace stiction {

namespace {

constexpr int deepest_include = 20;
constexpr int deepest_nesting = 400;  // of the whole, with includes in place

int depth_of(pugi::xml_node node) {
  int depth = 0;
  for (; node; node = node.parent()) ++depth;
  return depth;
}

std::filesystem::path same_spelling(const std::filesystem::path& path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::weakly_canonical(path, failed);
  return failed ? path.lexically_normal() : absolute;
}

}  // namespace

MjcfDocument::MjcfDocument(const XmlFile& file, const std::filesystem::path& folder,
                           MjcfReport& report)
    : folder_(folder), report_(report) {
  files_.push_back(file.name());
  included_.push_back(same_spelling(file.name()));
  pugi::xml_node root = document_.append_child(file.root().name());
  remember(file, file.root(), root);
  for (const pugi::xml_attribute attribute : file.root().attributes()) root.append_copy(attribute);
  copy_children(file, file.root(), root, 0);
}

void MjcfDocument::remember(const XmlFile& file, const pugi::xml_node& from,
                            const pugi::xml_node& to) {
  // The file of the element before is nearly always the file of this one.
  auto index = std::find(files_.rbegin(), files_.rend(), file.name());
  if (index == files_.rend()) {
    files_.push_back(file.name());
    index = files_.rbegin();
  }
  const int position = static_cast<int>(files_.rend() - index) - 1;
  origins_[to.hash_value()] = {position, file.line(from)};
}

void MjcfDocument::copy_children(const XmlFile& file, const pugi::xml_node& from, pugi::xml_node to,
                                 int include_depth) {
  if (depth_of(to) > deepest_nesting) {
    report_.error(file.source(from),
                  fmt::format("elements are nested more than {} deep", deepest_nesting),
                  "make the tree flatter");
    return;
  }
  for (const pugi::xml_node child : from.children()) {
    if (child.type() != pugi::node_element) continue;
    if (std::string_view(child.name()) == "include") {
      include(file, child, to, include_depth);
      continue;
    }
    pugi::xml_node copy = to.append_child(child.name());
    remember(file, child, copy);
    for (const pugi::xml_attribute attribute : child.attributes()) copy.append_copy(attribute);
    copy_children(file, child, copy, include_depth);
  }
}

/// Beside the file that includes it; else beside the main file, as MuJoCo does.
std::filesystem::path MjcfDocument::find_included(const XmlFile& file, const std::string& name,
                                                  int include_depth) const {
  if (include_depth > 0) {
    std::error_code failed;
    std::filesystem::path beside = std::filesystem::path(file.name()).parent_path() / name;
    if (std::filesystem::exists(beside, failed)) return beside;
  }
  return folder_ / name;
}

void MjcfDocument::include(const XmlFile& file, const pugi::xml_node& element, pugi::xml_node to,
                           int include_depth) {
  const Source source = file.source(element);
  const std::string name = element.attribute("file").value();
  if (name.empty()) {
    report_.error(source, "an include has no file", "give it file=\"...\"");
    return;
  }
  const std::filesystem::path path = find_included(file, name, include_depth);
  const std::filesystem::path known = same_spelling(path);
  if (std::find(included_.begin(), included_.end(), known) != included_.end()) {
    report_.error(source, fmt::format("'{}' is included a second time, or includes itself", name),
                  "include each file once");
    return;
  }
  if (include_depth >= deepest_include) {
    report_.error(source, fmt::format("includes are nested more than {} deep", deepest_include),
                  "include the file from the main file");
    return;
  }
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    report_.error(source, fmt::format("the included file '{}' does not exist", path.string()),
                  fmt::format("paths start at the folder of the file that includes, or at the main "
                              "file's folder '{}'; correct the path",
                              folder_.string()));
    return;
  }
  if (!std::filesystem::is_regular_file(path, failed)) {
    report_.error(source, fmt::format("'{}' cannot be included: it is not a file", path.string()),
                  "name an MJCF file");
    return;
  }
  included_.push_back(known);
  try {
    const XmlFile included(path);
    copy_children(included, included.root(), to, include_depth + 1);
  } catch (const InputError& broken) {
    for (const Problem& problem : broken.problems().all()) {
      report_.error(problem.source, problem.what, problem.remedy);
    }
  }
}

Source MjcfDocument::source(const pugi::xml_node& node) const {
  Source result;
  const auto origin = origins_.find(node.hash_value());
  if (origin != origins_.end()) {
    result.file = files_[static_cast<std::size_t>(origin->second.file)];
    result.line = origin->second.line;
  }
  const char* name = node.attribute("name").value();
  result.element = *name == '\0' ? fmt::format("<{}>", node.name())
                                 : fmt::format("<{} name=\"{}\">", node.name(), name);
  return result;
}

}  // namespace stiction
