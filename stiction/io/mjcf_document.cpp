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
  parts_.push_back({this, -1, {}});
  files_.push_back(file.name());
  included_.push_back(same_spelling(file.name()));
  pugi::xml_node root = document_.append_child(file.root().name());
  remember(file, file.root(), root);
  for (const pugi::xml_attribute attribute : file.root().attributes()) root.append_copy(attribute);
  copy_children(file, file.root(), root, 0);
}

void MjcfDocument::remember(const XmlFile& file, const pugi::xml_node& from,
                            const pugi::xml_node& to) {
  origins_[to.hash_value()] = {file_index(file.name()), file.line(from), 0};
}

int MjcfDocument::file_index(const std::string& name) {
  // The file of the element before is nearly always the file of this one.
  auto index = std::find(files_.rbegin(), files_.rend(), name);
  if (index == files_.rend()) {
    files_.push_back(name);
    index = files_.rbegin();
  }
  return static_cast<int>(files_.rend() - index) - 1;
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
  } else {
    for (const auto& model : models_) {
      result = model->source(node);
      if (result.line > 0) return result;
    }
  }
  const char* name = node.attribute("name").value();
  result.element = *name == '\0' ? fmt::format("<{}>", node.name())
                                 : fmt::format("<{} name=\"{}\">", node.name(), name);
  return result;
}

int MjcfDocument::part_of(const pugi::xml_node& node) const {
  const auto origin = origins_.find(node.hash_value());
  return origin == origins_.end() ? 0 : origin->second.part;
}

const MjcfDocument& MjcfDocument::model_of(const pugi::xml_node& node) const {
  if (!has(node)) {
    for (const auto& model : models_) {
      const MjcfDocument& owner = model->model_of(node);
      if (owner.has(node) || model->has(node)) return owner;
    }
  }
  return *parts_[static_cast<std::size_t>(part_of(node))].document;
}

bool MjcfDocument::is_within(int part, int whole) const {
  while (part > whole) part = parts_[static_cast<std::size_t>(part)].parent;
  return part == whole;
}

int MjcfDocument::add_part(const std::shared_ptr<const MjcfDocument>& model,
                           const std::string& prefix) {
  const int first = static_cast<int>(parts_.size());
  for (const MjcfPart& part : model->parts_) {
    parts_.push_back(
        {part.document, part.parent < 0 ? 0 : first + part.parent, prefix + part.prefix});
  }
  if (std::find(models_.begin(), models_.end(), model) == models_.end()) models_.push_back(model);
  return first;
}

pugi::xml_node MjcfDocument::copy(const MjcfDocument& from, const pugi::xml_node& node,
                                  pugi::xml_node to, int first_part) {
  const pugi::xml_node copied = to.append_copy(node);
  remember_copies(from, node, copied, first_part);
  return copied;
}

void MjcfDocument::remember_copies(const MjcfDocument& from, const pugi::xml_node& node,
                                   const pugi::xml_node& copied, int first_part) {
  const Origin origin = from.origins_.at(node.hash_value());
  const int file = file_index(from.files_[static_cast<std::size_t>(origin.file)]);
  origins_[copied.hash_value()] = {file, origin.line, first_part + origin.part};
  pugi::xml_node twin = copied.first_child();
  for (const pugi::xml_node child : node.children()) {
    remember_copies(from, child, twin, first_part);
    twin = twin.next_sibling();
  }
}

pugi::xml_node MjcfDocument::add_frame_before(const pugi::xml_node& element, int part) {
  const pugi::xml_node added = element.parent().insert_child_before("frame", element);
  Origin origin = origins_.at(element.hash_value());
  origin.part = part;
  origins_[added.hash_value()] = origin;
  return added;
}

pugi::xml_node MjcfDocument::add_section(const char* tag, const pugi::xml_node& element) {
  const pugi::xml_node added = root().append_child(tag);
  const Origin origin = origins_.at(element.hash_value());
  origins_[added.hash_value()] = origin;
  return added;
}

void MjcfDocument::remove(const pugi::xml_node& node) {
  forget(node);
  node.parent().remove_child(node);
}

/// A later element may stand at the same place in memory.
void MjcfDocument::forget(const pugi::xml_node& node) {
  for (const pugi::xml_node child : node.children()) forget(child);
  origins_.erase(node.hash_value());
}

}  // namespace stiction
