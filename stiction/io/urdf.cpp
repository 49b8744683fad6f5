#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numbers>
#include <string_view>
#include <unordered_map>

#include "stiction/io/model_file.hpp"
#include "stiction/io/srdf.hpp"
#include "stiction/io/urdf_convert.hpp"
#include "stiction/io/urdf_extras.hpp"
#include "stiction/io/urdf_meshes.hpp"
#include "stiction/io/urdf_parser.hpp"
#include "stiction/io/urdf_record.hpp"
#include "stiction/io/urdf_scan.hpp"
#include "stiction/io/xacro.hpp"
#include "stiction/model/inertia_check.hpp"

namespace stiction {

namespace {

/// Of moving links that have none [kg, kg·m²]: that of a ball of 1 cm.
constexpr double least_mass = 1e-3;
constexpr double least_inertia = 1e-7;

/// Friction of Gazebo decides against materials that say nothing, such as the ground's.
constexpr int link_priority = 1;

/// Puts a checked URDF robot into a builder.
class UrdfBuilder {
 public:
  UrdfBuilder(ModelBuilder& builder, const XmlFile& file, const UrdfRecord& record,
              const UrdfExtras& extras, const urdf::ModelInterface& model,
              const LoadOptions& options, ProblemList& problems, AppearanceSpec& looks)
      : builder_(builder),
        file_(file),
        record_(record),
        extras_(extras),
        model_(model),
        options_(options),
        problems_(problems),
        looks_(looks) {}

  void run() {
    builder_.set_name(options_.prefix + model_.name_);
    add_links();
    find_children();
    add_base();
    add_joints();
    add_mimics();
    mark_massless_links();
    give_least_mass();
    exclude_neighbours();
  }

 private:
  [[nodiscard]] int link_index(const std::string& name) const { return link_index_.at(name); }
  [[nodiscard]] const UrdfLink& root() const { return record_.links[root_]; }

  void add_links() {
    for (const UrdfLink& record : record_.links) {
      const urdf::Link& link = *model_.links_.at(record.name);
      LinkSpec spec;
      spec.name = options_.prefix + record.name;
      spec.source = file_.source(record.element);
      spec.shapes = convert_shapes(link, record, file_, options_.prefix);
      if (link.inertial) {
        convert_inertial(*link.inertial, spec);
        repair(urdf_source(file_, record.element.child("inertial").child("inertia")), spec);
      }
      if (const auto more = extras_.links.find(record.name); more != extras_.links.end()) {
        add_extras(more->second, spec);
      }
      const int index = builder_.add_link(std::move(spec));
      link_index_[record.name] = index;
      remember_finishes(record, index);
    }
  }

  /// In the order of convert_shapes().
  void remember_finishes(const UrdfLink& record, int link) {
    int place = static_cast<int>(record.collisions.size());
    for (const UrdfShape& shape : record.visuals) {
      if (shape.dropped) continue;
      if (shape.finish >= 0) looks_.shape_finishes[{link, place}] = shape.finish;
      ++place;
    }
  }

  void add_extras(const UrdfLinkExtras& extras, LinkSpec& link) {
    if (extras.without_gravity) link.gravity_compensation = 1.0;
    if (!extras.friction && !extras.spin_friction && !extras.roll_friction) return;
    Material wished;
    wished.friction = extras.friction.value_or(wished.friction);
    wished.spin_friction = extras.spin_friction.value_or(0.0);
    wished.roll_friction = extras.roll_friction.value_or(0.0);
    wished.priority = link_priority;
    wished.name = fmt::format("{}friction {:g}", options_.prefix, wished.friction);
    if (wished.spin_friction > 0.0) wished.name += fmt::format(", spin {:g}", wished.spin_friction);
    if (wished.roll_friction > 0.0) wished.name += fmt::format(", roll {:g}", wished.roll_friction);
    const std::array numbers{wished.friction, wished.spin_friction, wished.roll_friction};
    const auto [material, is_new] = materials_.try_emplace(numbers, 0);
    if (is_new) material->second = builder_.add_material(std::move(wished));
    for (Shape& shape : link.shapes) shape.material = material->second;
  }

  /// Numbers of many public robots are a little off; other programs read them as they are.
  void repair(const Source& source, LinkSpec& link) {
    link.keeps_inertia = options_.keep_inertias;
    if (options_.keep_inertias && is_positive_inertia(link.inertia)) return;
    if (options_.strict) return;
    if (link.mass > 0.0 && link.inertia.isZero(0.0)) return fill_inertia(source, link);
    const auto repaired = repair_inertia(link.inertia);
    if (!repaired) return;
    problems_.warning(
        source,
        fmt::format("no body has this inertia: its largest principal moment exceeds the sum of the "
                    "others by {:.2g} %; the moments were changed by up to {:.2g} %",
                    100.0 * repaired->excess, 100.0 * repaired->change),
        "recompute ixx..izz from the shape; --strict refuses such numbers");
    link.inertia = repaired->inertia;
  }

  /// A mass without moments of inertia gets those of a ball of water.
  void fill_inertia(const Source& source, LinkSpec& link) {
    constexpr double density = 1000.0;  // [kg/m³]
    const double radius = std::cbrt(3.0 * link.mass / (4.0 * std::numbers::pi * density));
    const double moment = 0.4 * link.mass * radius * radius;
    problems_.warning(
        source,
        fmt::format("the inertia is zero although the mass is {:g} kg; the link turns "
                    "like a ball of water of that mass ({:.3g} kg·m²)",
                    link.mass, moment),
        "compute ixx..izz from the shape; --strict refuses zeros");
    link.inertia = moment * Eigen::Matrix3d::Identity();
  }

  void find_children() {
    for (std::size_t i = 0; i < record_.links.size(); ++i) position_[record_.links[i].name] = i;
    children_.resize(record_.links.size());
    std::vector<bool> held(record_.links.size(), false);
    for (const UrdfJoint& joint : record_.joints) {
      children_[position_[joint.parent]].push_back({&joint, position_[joint.child]});
      held[position_[joint.child]] = true;
    }
    root_ = static_cast<std::size_t>(std::find(held.begin(), held.end(), false) - held.begin());
  }

  /// Visits a link and every link that fixed joints tie to it, with its pose in the first.
  template <class Visit>
  void for_each_link_of_piece(std::size_t first, Visit visit) const {
    std::vector<std::pair<std::size_t, Eigen::Isometry3d>> pending{
        {first, Eigen::Isometry3d::Identity()}};
    while (!pending.empty()) {
      const auto [link, pose] = pending.back();
      pending.pop_back();
      visit(record_.links[link], pose);
      for (const Child& child : children_[link]) {
        if (child.joint->type != "fixed") continue;
        const urdf::Joint& joint = *model_.joints_.at(child.joint->name);
        pending.emplace_back(child.link,
                             pose * convert_pose(joint.parent_to_joint_origin_transform));
      }
    }
  }

  [[nodiscard]] bool base_is_fixed() {
    if (options_.base != BaseKind::automatic) return options_.base == BaseKind::fixed;
    if (root().name == "world") return true;
    if (mass_of_piece(root_) > 0.0) return false;
    // Without <inertial> a massless base is a habit of ROS; a mass of 0 is one of Bullet.
    if (const pugi::xml_node inertial = root().element.child("inertial")) {
      const Source source = urdf_source(file_, inertial.child("mass"));
      const char* remedy = "give a positive mass, or remove the <inertial> to fix the base";
      if (options_.strict) {
        problems_.error(source, "mass is 0 kg", remedy);
      } else {
        problems_.warning(source, "mass is 0 kg, so the base is fixed to the world", remedy);
      }
    }
    return true;
  }

  void add_base() {
    JointSpec base;
    const bool fixed = base_is_fixed();
    base.kind = fixed ? JointKind::fixed : JointKind::floating;
    base.name = free_joint_name(fixed ? "fixed_base" : "floating_base");
    base.child = link_index(root().name);
    base.source = file_.source(root().element);
    builder_.add_joint(std::move(base));
    if (!fixed) return;
    collide_scenery_as_it_is();
    for_each_link_of_piece(root_, [this](const UrdfLink& link, const Eigen::Isometry3d& pose) {
      anchored_.emplace(link.name, pose);
    });
  }

  /// A file without moving joints is no robot but scenery, such as stairs: its meshes are not
  /// replaced by their hulls.
  void collide_scenery_as_it_is() {
    const auto moves = [](const UrdfJoint& joint) { return joint.type != "fixed"; };
    if (std::ranges::any_of(record_.joints, moves)) return;
    for (const auto& [name, index] : link_index_) {
      for (Shape& shape : builder_.link(index).shapes) shape.as_triangles = true;
    }
  }

  [[nodiscard]] std::string free_joint_name(std::string name) const {
    while (model_.joints_.contains(name)) name += '_';
    return options_.prefix + name;
  }

  void add_joints() {
    for (const UrdfJoint& record : record_.joints) {
      JointSpec spec = convert_joint(*model_.joints_.at(record.name));
      spec.name = options_.prefix + record.name;
      spec.source = file_.source(record.element);
      spec.parent = link_index(record.parent);
      spec.child = link_index(record.child);
      if (const auto more = extras_.joints.find(record.name); more != extras_.joints.end()) {
        add_extras(more->second, record, spec);
      }
      // A floating joint on something that is fixed to the world floats in the world.
      const auto anchor = anchored_.find(record.parent);
      if (spec.kind == JointKind::floating && anchor != anchored_.end()) {
        spec.parent = world_body;
        spec.pose_in_parent = anchor->second * spec.pose_in_parent;
      }
      joint_index_[record.name] = builder_.add_joint(std::move(spec));
    }
  }

  void add_extras(const UrdfJointExtras& extras, const UrdfJoint& record, JointSpec& joint) {
    if (extras.armature == 0.0 && extras.spring_stiffness == 0.0) return;
    if (!has_one_coordinate(record)) {
      problems_.warning(
          file_.source(record.element),
          fmt::format("a {} joint has no use for its spring or rotor inertia", record.type),
          "remove them from <gazebo> or <transmission>");
      return;
    }
    joint.armature = extras.armature;
    joint.stiffness = extras.spring_stiffness;
    joint.spring_reference = extras.spring_reference;
  }

  void add_mimics() {
    for (const UrdfJoint& record : record_.joints) {
      const urdf::Joint& joint = *model_.joints_.at(record.name);
      if (!joint.mimic || joint.type == urdf::Joint::FIXED || joint.type == urdf::Joint::FLOATING) {
        continue;
      }
      if (!joint_index_.contains(joint.mimic->joint_name)) continue;  // a warning says so
      Coupling coupling;
      coupling.name = options_.prefix + record.name + "_mimic";
      coupling.kind = Coupling::Kind::joint;
      coupling.mimic = true;
      coupling.joint_a = joint_index_.at(record.name);
      coupling.joint_b = joint_index_.at(joint.mimic->joint_name);
      coupling.coefficients = {joint.mimic->offset, joint.mimic->multiplier, 0, 0, 0};
      coupling.source = urdf_source(file_, record.element.child("mimic"));
      builder_.add_coupling(std::move(coupling));
    }
  }

  /// A link without <inertial> between two moving joints, as models of ball joints have it.
  void mark_massless_links() {
    for (const UrdfJoint& joint : record_.joints) {
      if (joint.type == "fixed") continue;
      LinkSpec& link = builder_.link(link_index(joint.child));
      const urdf::Link& source = *model_.links_.at(joint.child);
      const auto moving =
          std::count_if(source.child_joints.begin(), source.child_joints.end(),
                        [](const auto& child) { return child->type != urdf::Joint::FIXED; });
      const bool has_pieces = moving != static_cast<std::ptrdiff_t>(source.child_joints.size());
      if (source.inertial || has_pieces || moving != 1) continue;
      if (options_.strict) continue;  // then it is an error that it has no mass
      link.virtual_link = true;
      problems_.warning(link.source, "it moves but has no <inertial>: it is treated as massless",
                        "add a mass and an inertia if it has any");
    }
  }

  /// A link that moves needs a mass. Public robots have some without, such as frames of tools.
  void give_least_mass() {
    if (options_.strict) return;
    for (const UrdfJoint& joint : record_.joints) {
      LinkSpec& link = builder_.link(link_index(joint.child));
      if (joint.type == "fixed" || link.virtual_link) continue;
      if (mass_of_piece(position_.at(joint.child)) > 0.0) continue;
      link.mass = least_mass;
      link.inertia = least_inertia * Eigen::Matrix3d::Identity();
      problems_.warning(
          link.source,
          fmt::format("it moves but has no mass; {:g} kg and {:g} kg·m² are used", least_mass,
                      least_inertia),
          "give it a mass and an inertia, or use a fixed joint; --strict refuses such links");
    }
  }

  /// Mass of a link and of all that fixed joints tie to it.
  [[nodiscard]] double mass_of_piece(std::size_t first) const {
    double mass = 0.0;
    for_each_link_of_piece(first, [&](const UrdfLink& link, const Eigen::Isometry3d&) {
      mass += builder_.link(link_index(link.name)).mass;
    });
    return mass;
  }

  void exclude_neighbours() {
    for (const UrdfJoint& joint : record_.joints) {
      const int parent = link_index(joint.parent);
      const int child = link_index(joint.child);
      if (anchored_.contains(joint.parent)) {
        // A fixed base is part of the world's body: the ground and the rest of it may be touched.
        builder_.exclude_link_collision(parent, child);
      } else {
        builder_.exclude_collision(parent, child);
      }
    }
  }

  struct Child {
    const UrdfJoint* joint;
    std::size_t link;  ///< position in the record
  };

  ModelBuilder& builder_;
  const XmlFile& file_;
  const UrdfRecord& record_;
  const UrdfExtras& extras_;
  const urdf::ModelInterface& model_;
  const LoadOptions& options_;
  ProblemList& problems_;
  AppearanceSpec& looks_;
  std::map<std::array<double, 3>, int> materials_;               ///< of the builder, by numbers
  std::size_t root_ = 0;                                         ///< position in the record
  std::unordered_map<std::string, std::size_t> position_;        ///< of a link in the record
  std::vector<std::vector<Child>> children_;                     ///< one per link of the record
  std::unordered_map<std::string, int> link_index_;              ///< name in the file → builder
  std::unordered_map<std::string, int> joint_index_;             ///< likewise
  std::unordered_map<std::string, Eigen::Isometry3d> anchored_;  ///< pose in world of fixed links
};

}  // namespace

void add_urdf(ModelBuilder& builder, const XmlFile& file, const std::filesystem::path& folder,
              const LoadOptions& options, ProblemList& problems, AppearanceSpec& looks) {
  if (uses_xacro(file)) {
    problems.error(file.source(file.root()), "this is a xacro template, not a URDF file",
                   xacro_remedy(file.name()));
    return;
  }
  insert_environment(file);
  ProblemList found;
  UrdfScan scan(file, found);
  scan.run();
  UrdfRecord record(file);
  resolve_materials(record, file, found);
  check_urdf_tree(record, file, found);
  check_urdf_joints(record, file, options.strict, found);
  const UrdfExtras extras = read_urdf_extras(record, file, found);
  load_urdf_meshes(record, file, folder, options, builder, found, looks);
  if (!found.has_errors()) {
    const UrdfParse parse = parse_with_urdfdom(scan.clean_copy());
    // Whatever urdfdom complains about has slipped through the checks above: never keep it quiet.
    const Source source = file.source(file.root());
    for (const std::string& message : parse.messages) {
      found.error(source, "urdfdom reports: " + message, "fix the element that it names");
    }
    if (!parse.model && parse.messages.empty()) {
      found.error(source, "urdfdom cannot read this file", "check it with `check_urdf`");
    }
    if (!found.has_errors()) {
      UrdfBuilder(builder, file, record, extras, *parse.model, options, found, looks).run();
      if (options.srdf) add_srdf(builder, *options.srdf, options.prefix, found);
    }
  }
  problems.append(found);
}

}  // namespace stiction
