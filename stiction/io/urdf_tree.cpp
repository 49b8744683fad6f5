#include <fmt/format.h>
#include <unordered_map>

#include "stiction/io/urdf_record.hpp"
#include "stiction/io/urdf_scan.hpp"

namespace stiction {

namespace {

constexpr int none = -1;

/// Finds what is wrong with the way in which links hang together.
class TreeCheck {
 public:
  TreeCheck(const UrdfRecord& record, const XmlFile& file, ProblemList& problems)
      : record_(record),
        file_(file),
        problems_(problems),
        parent_joint_(record.links.size(), none),
        parent_link_(record.links.size(), none) {}

  void run() {
    check_names();
    hang_up_links();
    // A joint that names a wrong link leaves others without parent: one mistake, one message.
    if (complained_) return;
    check_roots();
    check_loops();
  }

 private:
  void complain(const pugi::xml_node& node, std::string what, std::string remedy) {
    complained_ = true;
    problems_.error(file_.source(node), std::move(what), std::move(remedy));
  }

  void check_names() {
    for (std::size_t i = 0; i < record_.links.size(); ++i) {
      const UrdfLink& link = record_.links[i];
      const auto [first, is_new] = link_index_.try_emplace(link.name, static_cast<int>(i));
      if (link.name.empty()) complained_ = true;  // reported as a missing attribute
      if (is_new || link.name.empty()) continue;
      complain(link.element,
               fmt::format("a link with this name already exists on line {}",
                           line_of_link(first->second)),
               "give each link its own name");
    }
    std::unordered_map<std::string, const UrdfJoint*> joints;
    for (const UrdfJoint& joint : record_.joints) {
      const auto [first, is_new] = joints.try_emplace(joint.name, &joint);
      if (is_new || joint.name.empty()) continue;
      complain(joint.element,
               fmt::format("a joint with this name already exists on line {}",
                           file_.line(first->second->element)),
               "give each joint its own name");
    }
  }

  int find_link(const UrdfJoint& joint, const std::string& name, const char* role) {
    if (name.empty()) {  // reported as a missing attribute
      complained_ = true;
      return none;
    }
    if (const auto found = link_index_.find(name); found != link_index_.end()) return found->second;
    complain(joint.element, fmt::format("its {} link '{}' does not exist", role, name),
             suggest_(
                 name, [this] { return link_names(); },
                 fmt::format("add <link name=\"{}\"> or correct the name", name)));
    return none;
  }

  [[nodiscard]] std::vector<std::string_view> link_names() const {
    std::vector<std::string_view> names;
    for (const UrdfLink& link : record_.links) names.emplace_back(link.name);
    return names;
  }

  void hang_up_links() {
    for (std::size_t j = 0; j < record_.joints.size(); ++j) {
      const UrdfJoint& joint = record_.joints[j];
      const int parent = find_link(joint, joint.parent, "parent");
      const int child = find_link(joint, joint.child, "child");
      if (parent == none || child == none) continue;
      const std::size_t slot = static_cast<std::size_t>(child);
      if (parent == child) {
        complain(joint.element, fmt::format("it connects link '{}' to itself", joint.child),
                 "name two different links");
      } else if (parent_joint_[slot] != none) {
        const UrdfJoint& other = record_.joints[static_cast<std::size_t>(parent_joint_[slot])];
        complain(joint.element,
                 fmt::format("its child link '{}' is already the child of joint '{}' (line {})",
                             joint.child, other.name, file_.line(other.element)),
                 "a URDF link has only one parent: remove one joint, or close the loop in MJCF");
      } else {
        parent_joint_[slot] = static_cast<int>(j);
        parent_link_[slot] = parent;
      }
    }
  }

  void check_roots() {
    int first = none;
    for (std::size_t i = 0; i < record_.links.size(); ++i) {
      if (parent_joint_[i] != none) continue;
      if (first == none) {
        first = static_cast<int>(i);
        continue;
      }
      complain(record_.links[i].element,
               fmt::format(
                   "no joint has this link as child, so the robot has a second root besides '{}'",
                   record_.links[static_cast<std::size_t>(first)].name),
               "add a joint that has it as child, or remove the link");
    }
  }

  /// Follows parents from each link; a way that comes back to itself is a loop.
  void check_loops() {
    std::vector<int> visit(record_.links.size(), 0);
    for (std::size_t start = 0; start < record_.links.size(); ++start) {
      const int mark = static_cast<int>(start) + 1;
      int at = static_cast<int>(start);
      while (at != none && visit[static_cast<std::size_t>(at)] == 0) {
        visit[static_cast<std::size_t>(at)] = mark;
        at = parent_link_[static_cast<std::size_t>(at)];
      }
      if (at != none && visit[static_cast<std::size_t>(at)] == mark) report_loop(at);
    }
  }

  void report_loop(int start) {
    std::string way = "'" + record_.links[static_cast<std::size_t>(start)].name + "'";
    int at = start;
    do {
      at = parent_link_[static_cast<std::size_t>(at)];
      const UrdfLink& link = record_.links[static_cast<std::size_t>(at)];
      if (way.size() < 120) way = fmt::format("'{}' → {}", link.name, way);
    } while (at != start);
    complain(record_.links[static_cast<std::size_t>(start)].element,
             fmt::format("the joints form a loop: {}", way),
             "reverse or remove one joint, so that one link is the root");
  }

  [[nodiscard]] int line_of_link(int index) const {
    return file_.line(record_.links[static_cast<std::size_t>(index)].element);
  }

  const UrdfRecord& record_;
  const XmlFile& file_;
  ProblemList& problems_;
  bool complained_ = false;
  Suggestions suggest_;
  std::unordered_map<std::string, int> link_index_;
  std::vector<int> parent_joint_;  ///< one per link
  std::vector<int> parent_link_;   ///< one per link
};

}  // namespace

void check_urdf_tree(const UrdfRecord& record, const XmlFile& file, ProblemList& problems) {
  TreeCheck(record, file, problems).run();
}

}  // namespace stiction
