#include "stiction/io/srdf.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stiction/io/urdf_scan.hpp"
#include "stiction/io/xml.hpp"

namespace stiction {

namespace {

constexpr double rounding = 1e-6;  // of limits, which are often printed with fewer digits

class SrdfReader {
 public:
  SrdfReader(ModelBuilder& builder, const XmlFile& file, const std::string& prefix,
             ProblemList& problems, const std::function<void(KeyframeSpec&)>& finish)
      : builder_(builder), file_(file), prefix_(prefix), problems_(problems), finish_(finish) {
    for (int i = 0; i < builder.link_count(); ++i) links_.emplace(builder.link(i).name, i);
    for (int i = 0; i < builder.joint_count(); ++i) joints_.emplace(builder.joint(i).name, i);
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
      } else if (std::string_view(element.name()) == "group_state") {
        read_state(element);
      } else {
        unused.try_emplace(element.name(), element);
      }
    }
    for (const auto& [tag, element] : unused) {
      problems_.note(file_.source(element), fmt::format("<{}> in SRDF is not used", tag));
    }
    if (states_.empty() || builder_.check().has_errors()) return;
    const Model model = builder_.build();
    for (State& state : states_) add_keyframe(model, state);
  }

 private:
  void disable(const pugi::xml_node& element) {
    const std::optional<int> first = find(element, "link1");
    const std::optional<int> second = find(element, "link2");
    if (first && second) builder_.exclude_collision(*first, *second);
  }

  struct State {
    std::string name;
    pugi::xml_node element;
    std::map<int, std::vector<double>> joints;  ///< positions by the index of the joint
  };

  void read_state(const pugi::xml_node& element) {
    const std::string name = element.attribute("name").value();
    if (name.empty()) {
      problems_.warning(file_.source(element), "the attribute 'name' is missing",
                        "this state is ignored; give it a name");
      return;
    }
    State state{name, element, {}};
    for (const pugi::xml_node& joint : element.children("joint")) read_joint(joint, state.joints);
    merge(std::move(state), element.attribute("group").value());
  }

  void read_joint(const pugi::xml_node& element, std::map<int, std::vector<double>>& positions) {
    const std::string name = element.attribute("name").value();
    const auto found = joints_.find(prefix_ + name);
    if (found == joints_.end()) {
      problems_.warning(file_.source(element),
                        fmt::format("'{}' is not a joint of the robot", name),
                        "this line is ignored; name a joint of the URDF");
      return;
    }
    const JointSpec& joint = builder_.joint(found->second);
    if (joint.kind == JointKind::fixed) return;
    std::string problem;
    const auto values = parse_numbers(element.attribute("value").value(), problem);
    const auto expected = static_cast<std::size_t>(position_size(joint.kind));
    if (!values || values->size() != expected) {
      problems_.warning(file_.source(element),
                        fmt::format("'value' of joint '{}' is not {} finite number{}", name,
                                    expected, expected == 1 ? "" : "s"),
                        "this line is ignored; correct the value");
      return;
    }
    if (expected == 1 && (values->front() < joint.limits.lower - rounding ||
                          values->front() > joint.limits.upper + rounding)) {
      problems_.warning(file_.source(element),
                        fmt::format("{:g} is outside the range of joint '{}', {:g} to {:g}",
                                    values->front(), name, joint.limits.lower, joint.limits.upper),
                        "correct the value");
    }
    positions[found->second] = *values;
  }

  /// States of several groups with one name (the arm and the hand at home) are one pose. Where they
  /// contradict each other, the later one gets a name of its own.
  void merge(State state, const std::string& group) {
    for (State& other : states_) {
      if (other.name != state.name) continue;
      const bool agrees = std::ranges::all_of(state.joints, [&other](const auto& entry) {
        const auto found = other.joints.find(entry.first);
        return found == other.joints.end() || found->second == entry.second;
      });
      if (agrees) {
        other.joints.insert(state.joints.begin(), state.joints.end());
        return;
      }
      state.name = group + "/" + state.name;
    }
    states_.push_back(std::move(state));
  }

  void add_keyframe(const Model& model, State& state) {
    follow(model, state.joints);
    KeyframeSpec keyframe;
    keyframe.name = prefix_ + state.name;
    keyframe.source = file_.source(state.element);
    for (auto& [joint, positions] : state.joints) keyframe.joints.push_back({joint, positions, {}});
    if (finish_) finish_(keyframe);
    builder_.add_keyframe(std::move(keyframe));
  }

  /// Joints that follow others, unless the state gives them. Each round goes one joint further.
  void follow(const Model& model, std::map<int, std::vector<double>>& positions) {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Coupling& coupling : model.couplings()) {
        if (!coupling.mimic) continue;
        const int follower = joints_.at(model.joint(coupling.joint_a).name);
        const auto leader = positions.find(joints_.at(model.joint(coupling.joint_b).name));
        if (positions.contains(follower) || leader == positions.end()) continue;
        positions[follower] = {coupling.coefficients[0] +
                               coupling.coefficients[1] * leader->second.front()};
        changed = true;
      }
    }
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
  const std::function<void(KeyframeSpec&)>& finish_;
  std::unordered_map<std::string, int> links_;
  std::unordered_map<std::string, int> joints_;
  std::vector<State> states_;  ///< in the order of the file
};

}  // namespace

void add_srdf(ModelBuilder& builder, const std::filesystem::path& path, const std::string& prefix,
              ProblemList& problems, const std::function<void(KeyframeSpec&)>& finish) {
  try {
    const XmlFile file(path);
    SrdfReader(builder, file, prefix, problems, finish).run();
  } catch (const InputError& error) {
    problems.append(error.problems());
  }
}

}  // namespace stiction
