#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string_view>

#include "stiction/io/mjcf_inertia.hpp"
#include "stiction/io/mjcf_scene.hpp"

namespace stiction {

namespace {

/// An element of a body, and the <frame> that it stands in.
struct Placed {
  pugi::xml_node node;
  Eigen::Isometry3d frame = Eigen::Isometry3d::Identity();  ///< in the body
  int class_index = 0;
};

/// What stands in a body, whatever frames are around it, in the file's order.
struct BodyContent {
  std::vector<Placed> joints, geoms, sites, bodies;
  std::vector<pugi::xml_node> inertials;
};

class BodyReader {
 public:
  explicit BodyReader(MjcfScene& scene) : scene_(scene) {}

  void read_world() {
    for (const pugi::xml_node world : scene_.document.root().children("worldbody")) {
      const int class_index =
          scene_.defaults.class_of(world, "childclass", MjcfDefaults::main_class);
      BodyContent content;
      gather(world, Eigen::Isometry3d::Identity(), class_index, content);
      for (const Placed& geom : content.geoms) {
        MjcfGeom read =
            read_geom(scene_, geom.node, geom.frame, geom.class_index, GeomMass::unneeded);
        if (read.keep) keep_shape(0, scene_.world_shapes, std::move(read), geom.node);
      }
      read_sites(content, 0);
      for (const Placed& body : content.bodies) read_body(body, 0);
    }
  }

 private:
  void gather(const pugi::xml_node& parent, const Eigen::Isometry3d& frame, int class_index,
              BodyContent& content) {
    for (const pugi::xml_node node : parent.children()) {
      const std::string_view tag = node.name();
      if (tag == "joint" || tag == "freejoint") {
        content.joints.push_back({node, frame, class_index});
      } else if (tag == "geom") {
        content.geoms.push_back({node, frame, class_index});
      } else if (tag == "site") {
        content.sites.push_back({node, frame, class_index});
      } else if (tag == "body") {
        content.bodies.push_back({node, frame, class_index});
      } else if (tag == "inertial") {
        content.inertials.push_back(node);
      } else if (tag == "frame") {
        const MjcfAttributes given(scene_.document, scene_.report, node);
        gather(node, frame * read_pose(given, scene_.compiler_of(given)),
               scene_.defaults.class_of(node, "childclass", class_index), content);
      }
    }
  }

  /// Until MuJoCo 2.3.3 a file could give poses of what stands in bodies in world axes.
  bool is_global(const pugi::xml_node& node) {
    const MjcfDocument& file = scene_.document.model_of(node);
    const auto [known, is_new] = global_.try_emplace(&file, false);
    if (is_new) {
      for (const pugi::xml_node compiler : file.root().children("compiler")) {
        const pugi::xml_attribute word = compiler.attribute("coordinate");
        if (word) known->second = std::string_view(word.value()) == "global";
      }
    }
    return known->second;
  }

  void read_body(const Placed& placed, int parent) {
    const MjcfAttributes given(scene_.document, scene_.report, placed.node);
    const int class_index = scene_.defaults.class_of(placed.node, "childclass", placed.class_index);
    const bool global = is_global(placed.node);
    const Eigen::Isometry3d pose = placed.frame * read_pose(given, scene_.compiler_of(given));
    const Eigen::Isometry3d pose_in_world = scene_.body(parent).pose_in_world * pose;
    if (global && !given.has("pos")) {
      given.error("in global coordinates the body needs a position", "add pos=\"x y z\"");
    }
    BodyContent content;
    // What stands in a body is given in world axes if coordinates are global.
    const Eigen::Isometry3d origin =
        global ? pose_in_world.inverse() : Eigen::Isometry3d::Identity();
    gather(placed.node, origin, class_index, content);
    const std::string own_name = given.text("name");
    const std::string name =
        own_name.empty() ? scene_.names.make("body", fmt::format("body_{}", scene_.bodies.size()))
                         : own_name;
    const bool mocap = given.flag("mocap", false);
    check_content(given, content, parent, mocap);

    const int index = static_cast<int>(scene_.bodies.size());
    MjcfBody& body = scene_.bodies.emplace_back();
    body.parent = parent;
    body.pose_in_world = pose_in_world;
    const bool moves = mocap || !content.joints.empty();
    body.rigid_group = moves ? index : scene_.body(parent).rigid_group;
    scene_.body_by_name.try_emplace(name, index);

    LinkSpec link;
    link.name = scene_.full(name);
    link.source = given.source();
    const double compensated = given.number("gravcomp", 0.0);
    link.gravity_compensation = scene_.option.gravity_compensation ? compensated : 0.0;
    weigh(link, content, index, given);
    hang(std::move(link), content, name, pose, index, mocap);
    read_sites(content, index);
    for (const Placed& child : content.bodies) read_body(child, index);
  }

  void check_content(const MjcfAttributes& given, const BodyContent& content, int parent,
                     bool mocap) {
    if (content.inertials.size() > 1) {
      given.error("the body has more than one <inertial>", "keep one of them");
    }
    if (content.joints.size() > 6) {
      given.error(fmt::format("the body has {} joints", content.joints.size()),
                  "a body has at most six degrees of freedom: remove joints, or distribute them "
                  "over several bodies");
    }
    if (!mocap) return;
    if (parent != 0) {
      given.error("a mocap body is inside another body", "make it a child of the world");
    }
    if (!content.joints.empty()) {
      given.error("a mocap body has joints", "remove the joints, or remove mocap");
    }
  }

  /// Mass and shapes of the link.
  void weigh(LinkSpec& link, const BodyContent& content, int index, const MjcfAttributes& given) {
    using From = MjcfCompiler::InertiaFromGeom;
    const From rule = scene_.compiler_of(given).inertia_from_geom;
    const bool explicit_inertia = !content.inertials.empty() && rule != From::always;
    GeomMass wish = scene_.body(index).rigid_group == 0 ? GeomMass::welcome : GeomMass::needed;
    if (explicit_inertia || rule == From::never) wish = GeomMass::unneeded;

    BodyInertia total;
    int weighed = 0;
    for (const Placed& geom : content.geoms) {
      MjcfGeom read = read_geom(scene_, geom.node, geom.frame, geom.class_index, wish);
      if (read.counts_for_inertia) {
        total = sum(total, read.inertia);
        const bool alone = ++weighed == 1 && read.shape.kind != ShapeKind::mesh;
        link.inertia_axes.reset();
        if (alone) link.inertia_axes = Eigen::Quaterniond(read.shape.pose.linear());
      }
      if (read.fluid) link.fluid_ellipsoids.push_back(*read.fluid);
      if (read.keep) keep_shape(index, link.shapes, std::move(read), geom.node);
    }
    if (!content.inertials.empty()) {
      BodyInertia written = read_inertial(content.inertials.front(), index);
      if (explicit_inertia) {
        total = written;
        link.inertia_axes.reset();
        if (content.inertials.front().attribute("diaginertia")) {
          link.inertia_axes = scene_.body(index).inertial_rotation;
        }
      }
    }
    if (total.mass > 1e300 || !total.inertia.allFinite()) {
      given.error("the mass of the body is NaN or infinite", "check the sizes of its geoms");
    }
    total = bounded(total, scene_.compiler_of(given));
    link.mass = total.mass;
    link.center_of_mass = total.center_of_mass;
    link.inertia = total.inertia;
  }

  BodyInertia read_inertial(const pugi::xml_node& node, int index) {
    const MjcfAttributes given(scene_.document, scene_.report, node);
    BodyInertia result;
    if (!given.has("mass")) given.error("<inertial> has no mass", "give mass=\"...\"");
    result.mass = given.number_from("mass", 0.0, 0.0);
    Eigen::Isometry3d pose = read_pose(given, scene_.compiler_of(given));
    if (is_global(node)) {
      pose = scene_.body(index).pose_in_world.inverse() * pose;
    }
    result.center_of_mass = pose.translation();
    scene_.body(index).inertial_rotation = Eigen::Quaterniond(pose.linear());
    const auto diagonal = given.exactly<3>("diaginertia");
    const auto full = given.exactly<6>("fullinertia");
    if (given.has("diaginertia") && given.has("fullinertia")) {
      given.error("both diaginertia and fullinertia are given", "keep one of them");
    }
    if (diagonal) {
      const Eigen::Matrix3d moments = to_vector(*diagonal).asDiagonal();
      result.inertia = pose.linear() * moments * pose.linear().transpose();
    } else if (full) {
      const auto& m = *full;
      result.inertia << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
      if (!pose.linear().isIdentity()) {
        given.error("fullinertia is given together with an orientation",
                    "remove the orientation: fullinertia is in body axes");
      }
    }
    return result;
  }

  /// Adds the link with its joints. All joints but the last end in links without mass.
  void hang(LinkSpec link, const BodyContent& content, const std::string& name,
            const Eigen::Isometry3d& pose, int index, bool mocap) {
    std::vector<JointSpec> joints;
    for (const Placed& joint : content.joints) {
      joints.push_back(read_joint(scene_, joint.node, joint.frame, joint.class_index, name));
    }
    const bool free = mocap || (!joints.empty() && joints.front().kind == JointKind::floating);
    for (const JointSpec& joint : joints) check_free(joint, joints.size(), index);
    if (mocap) joints = {mocap_joint(name)};
    const bool welded = joints.empty();
    if (welded) joints = {weld(name)};

    int parent = scene_.body(scene_.body(index).parent).link;
    Eigen::Isometry3d offset = free ? scene_.body(index).pose_in_world : pose;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const bool last = i + 1 == joints.size();
      JointSpec& joint = joints[i];
      const std::string own_name = joint.name;
      joint.name = scene_.full(own_name);
      joint.parent = free ? world_body : parent;
      joint.child = scene_.builder.add_link(last ? std::move(link) : virtual_link(name, joint));
      joint.pose_in_parent = offset * joint.pose_in_parent;
      parent = joint.child;
      offset.setIdentity();
      const int added = scene_.builder.add_joint(std::move(joint));
      if (welded) continue;
      (mocap ? scene_.mocap_joints : scene_.joints).push_back(added);
      if (!mocap) scene_.joint_parts.push_back(scene_.document.part_of(content.joints[i].node));
      if (!mocap) scene_.joint_by_name.try_emplace(own_name, added);
    }
    scene_.body(index).link = parent;
  }

  void check_free(const JointSpec& joint, std::size_t count, int index) {
    if (joint.kind != JointKind::floating) return;
    if (scene_.body(index).parent != 0) {
      scene_.report.error(joint.source, "a free joint is inside another body",
                          "make its body a child of the world");
    }
    if (count > 1) {
      scene_.report.error(joint.source, "the body has a free joint and other joints",
                          "keep only the free joint: it allows every motion");
    }
  }

  JointSpec mocap_joint(const std::string& body_name) {
    JointSpec joint;
    joint.name = scene_.names.make("joint", body_name + "_mocap");
    joint.kind = JointKind::floating;
    joint.kinematic = true;
    return joint;
  }

  JointSpec weld(const std::string& body_name) {
    JointSpec joint;
    joint.name = scene_.names.make("joint", body_name + "_fixed");
    joint.kind = JointKind::fixed;
    return joint;
  }

  LinkSpec virtual_link(const std::string& body_name, const JointSpec& joint) {
    LinkSpec link;
    link.name = scene_.full(scene_.names.make("body", body_name + "_virtual"));
    link.virtual_link = true;
    link.source = joint.source;
    return link;
  }

  void keep_shape(int body, std::vector<Shape>& shapes, MjcfGeom geom, const pugi::xml_node& node) {
    const int place = static_cast<int>(shapes.size());
    if (geom.finish >= 0) scene_.finish_of_shape[{body, place}] = geom.finish;
    const std::string name = node.attribute("name").value();
    if (!name.empty()) {
      scene_.geom_by_name.try_emplace(name, MjcfGeomPlace{body, place, geom.shape.pose});
    }
    shapes.push_back(std::move(geom.shape));
  }

  void read_sites(const BodyContent& content, int body) {
    for (const Placed& site : content.sites) {
      const MjcfAttributes given = scene_.attributes(site.node, site.class_index);
      const std::string own_name = given.text("name");
      const std::string name = own_name.empty() ? scene_.names.make("site", "site") : own_name;
      const Eigen::Isometry3d pose = site.frame * read_site_pose(given);
      const int frame = scene_.builder.add_frame(
          {scene_.full(name), scene_.body(body).link, pose, given.source()});
      scene_.site_by_name.try_emplace(name, frame);
      scene_.site_place.try_emplace(name, body, pose);
      scene_.site_zone.try_emplace(name, read_site_zone(given));
    }
  }

  static SensorZone read_site_zone(const MjcfAttributes& given) {
    SensorZone zone;
    zone.kind = given.keyword<ShapeKind>("type",
                                         {{"sphere", ShapeKind::sphere},
                                          {"capsule", ShapeKind::capsule},
                                          {"cylinder", ShapeKind::cylinder},
                                          {"ellipsoid", ShapeKind::ellipsoid},
                                          {"box", ShapeKind::box}},
                                         ShapeKind::sphere);
    zone.size = to_vector(given.overlay<3>("size", {0.005, 0.005, 0.005}));
    if (const auto ends = given.exactly<6>("fromto")) {
      const Eigen::Vector3d along((*ends)[3] - (*ends)[0], (*ends)[4] - (*ends)[1],
                                  (*ends)[5] - (*ends)[2]);
      const bool flat = zone.kind == ShapeKind::box || zone.kind == ShapeKind::ellipsoid;
      if (flat) zone.size.y() = zone.size.x();
      zone.size[flat ? 2 : 1] = 0.5 * along.norm();
    }
    return zone;
  }

  Eigen::Isometry3d read_site_pose(const MjcfAttributes& given) {
    const auto ends = given.exactly<6>("fromto");
    if (!ends) return read_pose(given, scene_.compiler_of(given));
    const Eigen::Vector3d from((*ends)[0], (*ends)[1], (*ends)[2]);
    const Eigen::Vector3d to((*ends)[3], (*ends)[4], (*ends)[5]);
    if ((to - from).norm() < 1e-10) {
      given.error("fromto", "both ends of 'fromto' are the same point", "give two points");
      return Eigen::Isometry3d::Identity();
    }
    return make_pose(0.5 * (from + to), turn_z_to(from - to));
  }

  MjcfScene& scene_;
  std::map<const MjcfDocument*, bool> global_;
};

}  // namespace

void read_bodies(MjcfScene& scene) { BodyReader(scene).read_world(); }

void set_total_mass(MjcfScene& scene) {
  if (scene.compiler.total_mass <= 0.0) return;
  double total = 0.0;
  for (const MjcfBody& body : scene.bodies) {
    if (body.link != world_body) total += scene.builder.link(body.link).mass;
  }
  if (!(total > 0.0) || !std::isfinite(total)) return;
  for (const MjcfBody& body : scene.bodies) {
    if (body.link == world_body) continue;
    LinkSpec& link = scene.builder.link(body.link);
    link.mass *= scene.compiler.total_mass / total;
    link.inertia *= scene.compiler.total_mass / total;
  }
}

}  // namespace stiction
