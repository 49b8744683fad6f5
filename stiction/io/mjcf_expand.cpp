#include "stiction/io/mjcf_expand.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <system_error>

#include "stiction/io/mjcf_attributes.hpp"
#include "stiction/io/mjcf_compiler.hpp"
#include "stiction/io/mjcf_references.hpp"
#include "stiction/io/mjcf_schema.hpp"

namespace stiction {

namespace {

constexpr double most_elements = 300'000;  // of a scene, with all copies
constexpr int deepest_nesting = 400;
constexpr std::size_t deepest_attach = 20;  // files within files

double count_elements(const pugi::xml_node& node) {
  double count = 1.0;
  for (const pugi::xml_node child : node.children()) count += count_elements(child);
  return count;
}

int height(const pugi::xml_node& node) {
  int tallest = 0;
  for (const pugi::xml_node child : node.children()) tallest = std::max(tallest, height(child));
  return tallest + 1;
}

int depth(pugi::xml_node node) {
  int count = 0;
  for (; node; node = node.parent()) ++count;
  return count;
}

bool is_or_is_in(pugi::xml_node node, const pugi::xml_node& ancestor) {
  for (; node; node = node.parent()) {
    if (node == ancestor) return true;
  }
  return false;
}

/// The first element of that tag and name below `node`.
pugi::xml_node find_named(const pugi::xml_node& node, const std::string& tag,
                          const std::string& name) {
  for (const pugi::xml_node child : node.children()) {
    if (child.name() == tag && child.attribute("name").value() == name) return child;
    if (const pugi::xml_node found = find_named(child, tag, name)) return found;
  }
  return {};
}

int count_joints(const pugi::xml_node& node) {
  const std::string_view tag = node.name();
  int count = tag == "joint" || tag == "freejoint" ? 1 : 0;
  for (const pugi::xml_node child : node.children()) count += count_joints(child);
  return count;
}

std::filesystem::path same_spelling(const std::filesystem::path& path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::weakly_canonical(path, failed);
  return failed ? path.lexically_normal() : absolute;
}

/// Attached files, read once however often they are attached.
struct ModelFiles {
  std::map<std::filesystem::path, std::shared_ptr<const MjcfDocument>> read;
  std::vector<std::filesystem::path> open;  ///< the main file and those that are being expanded
};

/// Expands one document.
class MjcfExpander {
 public:
  MjcfExpander(MjcfDocument& document, MjcfReport& report, ModelFiles& files)
      : document_(document), report_(report), files_(files) {
    ProblemList told_later;  // by the scene, which reads it again
    MjcfReport silent(told_later);
    compiler_ = read_compiler(document, silent);
  }

  void run() {
    for (const pugi::xml_node world : document_.root().children("worldbody")) expand_below(world);
  }

 private:
  /// What an <attach> takes over, and from where.
  struct Origin {
    const MjcfDocument* document = nullptr;
    std::shared_ptr<const MjcfDocument> model;  ///< empty: the document itself
    std::vector<pugi::xml_node> nodes;          ///< one body or frame, or all that the world holds
    std::string inherited_class;                ///< by a childclass around the nodes
  };

  void expand_below(const pugi::xml_node& parent) {
    for (pugi::xml_node node = parent.first_child(); node;) {
      const pugi::xml_node next = node.next_sibling();
      const std::string_view tag = node.name();
      if (tag == "body" || tag == "frame" || tag == "replicate") expand_below(node);
      if (tag == "replicate") {
        replicate(node);
        document_.remove(node);
      } else if (tag == "attach") {
        attach(node);
        document_.remove(node);
      }
      node = next;
    }
  }

  /// Whether there is room for `count` more elements; says so if not.
  bool has_room(const pugi::xml_node& element, double count) {
    const double total = static_cast<double>(document_.element_count()) + count;
    if (total <= most_elements) return true;
    report_.error(
        document_.source(element),
        fmt::format("with these copies the scene has {:.0f} elements", total),
        fmt::format("make fewer copies: at most {:.0f} elements are read", most_elements));
    return false;
  }

  void replicate(const pugi::xml_node& element) {
    const MjcfAttributes given(document_, report_, element);
    const int count = given.integer("count", 0);
    if (count < 1) {
      given.error(
          given.has("count") ? fmt::format("'count' is {}", count) : "attribute 'count' is missing",
          "give the number of copies, at least 1");
      return;
    }
    MjcfNameSet names;
    for (const pugi::xml_node child : element.children()) names.add_tree(child);
    std::vector<pugi::xml_node> referring = referring_elements(names);
    double size = count_elements(element);
    for (const pugi::xml_node& node : referring) size += count_elements(node);
    if (!has_room(element, size * count)) return;

    Eigen::Vector3d position = Eigen::Vector3d::Zero();
    const Eigen::Vector3d offset =
        to_vector(given.exactly<3>("offset").value_or(std::array<double, 3>{}));
    const auto euler = given.exactly<3>("euler").value_or(std::array<double, 3>{});
    const std::size_t digits = std::to_string(count - 1).size();
    for (int i = 0; i < count; ++i) {
      const Eigen::Quaterniond turn =
          from_euler({i * euler[0], i * euler[1], i * euler[2]}, compiler_);
      pugi::xml_node frame = document_.add_frame_before(element, document_.part_of(element));
      place(frame, position, turn);
      if (given.has("childclass")) {
        frame.append_attribute("childclass") = given.text("childclass").c_str();
      }
      const MjcfRenaming renaming{{}, fmt::format("{}{:0>{}}", given.text("sep"), i, digits)};
      for (const pugi::xml_node child : element.children()) {
        renaming.apply(document_.copy(document_, child, frame, 0), names);
      }
      for (const pugi::xml_node& node : referring) {
        renaming.apply(document_.copy(document_, node, node.parent(), 0), names);
      }
      position += turn * offset;
    }
    for (const pugi::xml_node& node : referring) document_.remove(node);
  }

  static void place(pugi::xml_node frame, const Eigen::Vector3d& position,
                    const Eigen::Quaterniond& turn) {
    frame.append_attribute("pos") =
        fmt::format("{} {} {}", position.x(), position.y(), position.z()).c_str();
    frame.append_attribute("quat") =
        fmt::format("{} {} {} {}", turn.w(), turn.x(), turn.y(), turn.z()).c_str();
  }

  /// Elements of sections that name something of the set. Their own names join the set.
  std::vector<pugi::xml_node> referring_elements(MjcfNameSet& names) {
    std::vector<pugi::xml_node> result;
    for (const char* tag : mjcf_referring_sections) {
      for (const pugi::xml_node section : document_.root().children(tag)) {
        for (const pugi::xml_node node : section.children()) {
          if (count_references(node, names).inside == 0) continue;
          result.push_back(node);
          names.add_element(node, tag);
        }
      }
    }
    return result;
  }

  void attach(const pugi::xml_node& element) {
    const MjcfAttributes given(document_, report_, element);
    std::optional<Origin> origin =
        given.has("model") ? from_model(given) : from_this_document(given);
    if (!origin || !find_nodes(*origin, given)) return;
    double size = 0.0;
    int tallest = 0;
    for (const pugi::xml_node& node : origin->nodes) {
      size += count_elements(node);
      tallest = std::max(tallest, height(node));
    }
    if (!has_room(element, size)) return;
    if (depth(element) + 1 + tallest > deepest_nesting) {
      given.error(fmt::format("attached elements are nested more than {} deep", deepest_nesting),
                  "make the tree flatter");
      return;
    }
    take_over(*origin, given);
  }

  std::optional<Origin> from_this_document(const MjcfAttributes& given) {
    if (!given.has("body") && !given.has("frame")) {
      given.error("<attach> names neither a model nor a body",
                  "give model=\"...\" with a <model> of <asset>, or body=\"...\" of this file");
      return std::nullopt;
    }
    return Origin{&document_, nullptr, {}, {}};
  }

  std::optional<Origin> from_model(const MjcfAttributes& given) {
    const std::string wish = given.text("model");
    std::vector<std::string> names;
    for (const pugi::xml_node section : document_.root().children("asset")) {
      for (const pugi::xml_node node : section.children("model")) {
        const std::string name = node.attribute("name").value();
        if (name == wish) return open(node);
        if (!name.empty()) {
          names.push_back(name);
          continue;
        }
        // Without a name of its own it has the one in its file.
        const std::optional<Origin> opened = open(node);
        if (opened && opened->document->root().attribute("model").value() == wish) return opened;
      }
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    given.error("model", fmt::format("there is no model '{}'", wish),
                report_.suggestion(wish, known, "define it in <asset> as <model>"));
    return std::nullopt;
  }

  std::optional<Origin> open(const pugi::xml_node& element) {
    const MjcfAttributes given(document_, report_, element);
    const std::filesystem::path path = document_.folder() / given.text("file");
    std::error_code failed;
    if (!given.has("file") || !std::filesystem::is_regular_file(path, failed)) {
      given.error(given.has("file") ? fmt::format("the file '{}' does not exist", path.string())
                                    : "the model has no file",
                  "give file=\"...\", relative to the folder of this file");
      return std::nullopt;
    }
    const std::filesystem::path known = same_spelling(path);
    if (std::find(files_.open.begin(), files_.open.end(), known) != files_.open.end()) {
      given.error(fmt::format("'{}' attaches itself", path.filename().string()),
                  "remove the <attach> that leads back to it");
      return std::nullopt;
    }
    if (files_.open.size() > deepest_attach) {
      given.error(fmt::format("attached files are nested more than {} deep", deepest_attach),
                  "attach the file from the main file");
      return std::nullopt;
    }
    auto [entry, added] = files_.read.try_emplace(known);
    if (added) entry->second = read(path, known, given);
    if (!entry->second) return std::nullopt;
    return Origin{entry->second.get(), entry->second, {}, {}};
  }

  std::shared_ptr<const MjcfDocument> read(const std::filesystem::path& path,
                                           const std::filesystem::path& known,
                                           const MjcfAttributes& given) {
    try {
      const XmlFile file(path);
      if (std::string_view(file.root().name()) != "mujoco") {
        given.error(fmt::format("'{}' is not an MJCF file", path.string()),
                    "attach MJCF files; convert others first");
        return nullptr;
      }
      const auto model = std::make_shared<MjcfDocument>(file, path.parent_path(), report_);
      check_mjcf_schema(*model, report_);
      list_unused(*model);
      files_.open.push_back(known);
      MjcfExpander(*model, report_, files_).run();
      files_.open.pop_back();
      return model;
    } catch (const InputError& broken) {
      for (const Problem& problem : broken.problems().all()) {
        report_.error(problem.source, problem.what, problem.remedy);
      }
      return nullptr;
    }
  }

  void list_unused(const MjcfDocument& model) {
    for (const char* tag : {"option", "custom"}) {
      if (const pugi::xml_node node = model.root().child(tag)) {
        report_.unused(model.source(node),
                       fmt::format("<{}> of an attached model is not used: that of the main file "
                                   "counts",
                                   tag));
      }
    }
  }

  /// Fills in the nodes; false if they are not there (which is said).
  bool find_nodes(Origin& origin, const MjcfAttributes& given) {
    const std::string tag = given.has("body") ? "body" : "frame";
    const std::string name = given.text(tag.c_str());
    for (const pugi::xml_node world : origin.document->root().children("worldbody")) {
      if (name.empty()) {
        origin.nodes.insert(origin.nodes.end(), world.begin(), world.end());
        origin.inherited_class = world.attribute("childclass").value();
      } else if (const pugi::xml_node found = find_named(world, tag, name)) {
        origin.nodes = {found};
        break;
      }
    }
    if (origin.nodes.empty()) {
      given.error(name.empty() ? "the attached model has nothing in its <worldbody>"
                               : fmt::format("there is no {} '{}' to attach", tag, name),
                  "name a body of that model");
      return false;
    }
    for (pugi::xml_node node = origin.nodes.front().parent(); node && !name.empty();
         node = node.parent()) {
      if (!origin.inherited_class.empty()) break;
      origin.inherited_class = node.attribute("childclass").value();
    }
    return origin.model != nullptr || is_ready(origin.nodes.front(), given);
  }

  /// Whether a body of this very document can be copied: it stands before, and not around.
  bool is_ready(const pugi::xml_node& node, const MjcfAttributes& given) {
    if (is_or_is_in(given.element(), node)) {
      given.error("the body attaches itself", "move the <attach> out of it");
      return false;
    }
    for (const char* tag : {"attach", "replicate"}) {
      const auto is_one = [tag](const pugi::xml_node& n) {
        return std::string_view(n.name()) == tag;
      };
      if (node.find_node(is_one)) {
        given.error(fmt::format("the attached body holds a <{}> and stands behind", tag),
                    "move it before this <attach>");
        return false;
      }
    }
    return true;
  }

  void take_over(const Origin& origin, const MjcfAttributes& given) {
    const pugi::xml_node element = given.element();
    const MjcfRenaming renaming{given.text("prefix"), {}};
    const int part = origin.model ? document_.add_part(origin.model, renaming.prefix) : 0;
    pugi::xml_node frame = document_.add_frame_before(element, part);
    if (!origin.inherited_class.empty()) {
      frame.append_attribute("childclass") = origin.inherited_class.c_str();
    }
    MjcfNameSet names;
    for (const pugi::xml_node& node : origin.nodes) names.add_tree(node);
    for (const pugi::xml_node& node : origin.nodes) {
      renaming.apply(document_.copy(*origin.document, node, frame, part), names);
    }
    bool whole = true;
    for (const char* tag : mjcf_referring_sections) {
      whole &= take_over_section(tag, origin, element, part, renaming, names);
    }
    if (origin.model) take_over_keyframes(origin, element, part, renaming, whole);
  }

  /// Elements that name nothing but what was copied. False if an actuator stayed behind.
  bool take_over_section(const char* tag, const Origin& origin, const pugi::xml_node& element,
                         int part, const MjcfRenaming& renaming, MjcfNameSet& names) {
    std::vector<pugi::xml_node> nodes;
    bool whole = true;
    for (const pugi::xml_node section : origin.document->root().children(tag)) {
      for (const pugi::xml_node node : section.children()) {
        const MjcfReferences found = count_references(node, names);
        const bool all = found.outside == 0 && (origin.model || found.inside > 0);
        if (all) {
          nodes.push_back(node);
          names.add_element(node, tag);
          continue;
        }
        if (std::string_view(tag) == "actuator") whole = false;
        if (found.inside > 0) {
          report_.unused(origin.document->source(node),
                         fmt::format("<{}> is not attached: it names elements outside of the "
                                     "attached body",
                                     node.name()));
        }
      }
    }
    if (nodes.empty()) return whole;
    double size = 0.0;
    for (const pugi::xml_node& node : nodes) size += count_elements(node);
    if (!has_room(element, size)) return false;
    const pugi::xml_node section = document_.add_section(tag, element);
    for (const pugi::xml_node& node : nodes) {
      renaming.apply(document_.copy(*origin.document, node, section, part), names);
    }
    return whole;
  }

  /// A keyframe lists the joints of its whole file, so it is of use only with all of them.
  void take_over_keyframes(const Origin& origin, const pugi::xml_node& element, int part,
                           const MjcfRenaming& renaming, bool all_actuators) {
    int joints = 0;
    for (const pugi::xml_node world : origin.document->root().children("worldbody")) {
      joints += count_joints(world);
    }
    for (const pugi::xml_node& node : origin.nodes) joints -= count_joints(node);
    for (const pugi::xml_node section : origin.document->root().children("keyframe")) {
      if (joints > 0 || !all_actuators) {
        report_.unused(origin.document->source(section),
                       "the keyframes of an attached model are not used: only a part of it is "
                       "attached");
        return;
      }
      if (!has_room(element, count_elements(section))) return;
      const pugi::xml_node added = document_.add_section("keyframe", element);
      for (const pugi::xml_node node : section.children()) {
        renaming.apply(document_.copy(*origin.document, node, added, part), {});
      }
    }
  }

  MjcfDocument& document_;
  MjcfReport& report_;
  ModelFiles& files_;
  MjcfCompiler compiler_;
};

}  // namespace

void expand_mjcf(MjcfDocument& document, const std::filesystem::path& file, MjcfReport& report) {
  ModelFiles files;
  files.open.push_back(same_spelling(file));
  MjcfExpander(document, report, files).run();
}

}  // namespace stiction
