#include "stiction/io/srdf.hpp"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "stiction/io/xml.hpp"

namespace stiction {

namespace {

class SrdfReader {
 public:
  SrdfReader(ModelBuilder& builder, const XmlFile& file, const std::string& prefix,
             ProblemList& problems)
      : builder_(builder), file_(file), prefix_(prefix), problems_(problems) {
    for (int i = 0; i < builder.link_count(); ++i) links_.emplace(builder.link(i).name, i);
  }

  void run() {
    if (std::string_view(file_.root().name()) != "robot") {
      problems_.error(file_.source(file_.root()), "this is not an SRDF file",
                      "its root element must be <robot>");
      return;
    }
    std::map<std::string, pugi::xml_node> unused;
    for (const pugi::xml_node& element : file_.root().children()) {
      if (element.type() != pugi::node_element) continue;
      if (std::string_view(element.name()) == "disable_collisions") {
        disable(element);
      } else {
        unused.try_emplace(element.name(), element);
      }
    }
    for (const auto& [tag, element] : unused) {
      problems_.note(file_.source(element), fmt::format("<{}> in SRDF is not used", tag));
    }
  }

 private:
  void disable(const pugi::xml_node& element) {
    const std::optional<int> first = find(element, "link1");
    const std::optional<int> second = find(element, "link2");
    if (first && second) builder_.exclude_collision(*first, *second);
  }

  std::optional<int> find(const pugi::xml_node& element, const char* attribute) {
    const std::string name = element.attribute(attribute).value();
    if (const auto link = links_.find(prefix_ + name); link != links_.end()) return link->second;
    problems_.warning(file_.source(element),
                      name.empty()
                          ? fmt::format("the attribute '{}' is missing", attribute)
                          : fmt::format("{} '{}' is not a link of the robot", attribute, name),
                      "this line is ignored; name two links of the URDF");
    return std::nullopt;
  }

  ModelBuilder& builder_;
  const XmlFile& file_;
  const std::string& prefix_;
  ProblemList& problems_;
  std::unordered_map<std::string, int> links_;
};

}  // namespace

void add_srdf(ModelBuilder& builder, const std::filesystem::path& path, const std::string& prefix,
              ProblemList& problems) {
  try {
    const XmlFile file(path);
    SrdfReader(builder, file, prefix, problems).run();
  } catch (const InputError& error) {
    problems.append(error.problems());
  }
}

}  // namespace stiction
