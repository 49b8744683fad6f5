#include <fmt/format.h>

#include "stiction/io/mjcf_scene.hpp"

namespace stiction {

namespace {

enum class Looks { at_site, at_joint, at_tendon, at_actuator, at_object, at_body, at_nothing };

struct SensorRule {
  SensorKind kind;
  Looks looks;
};

const std::map<std::string_view, SensorRule> sensor_rules = {
    {"touch", {SensorKind::touch, Looks::at_site}},
    {"accelerometer", {SensorKind::accelerometer, Looks::at_site}},
    {"velocimeter", {SensorKind::velocimeter, Looks::at_site}},
    {"gyro", {SensorKind::gyro, Looks::at_site}},
    {"force", {SensorKind::force, Looks::at_site}},
    {"torque", {SensorKind::torque, Looks::at_site}},
    {"magnetometer", {SensorKind::magnetometer, Looks::at_site}},
    {"rangefinder", {SensorKind::rangefinder, Looks::at_site}},
    {"jointpos", {SensorKind::joint_position, Looks::at_joint}},
    {"jointvel", {SensorKind::joint_velocity, Looks::at_joint}},
    {"jointactuatorfrc", {SensorKind::joint_force, Looks::at_joint}},
    {"ballquat", {SensorKind::ball_quaternion, Looks::at_joint}},
    {"ballangvel", {SensorKind::ball_angular_velocity, Looks::at_joint}},
    {"actuatorfrc", {SensorKind::actuator_force, Looks::at_actuator}},
    {"actuatorpos", {SensorKind::actuator_position, Looks::at_actuator}},
    {"actuatorvel", {SensorKind::actuator_velocity, Looks::at_actuator}},
    {"tendonpos", {SensorKind::tendon_position, Looks::at_tendon}},
    {"tendonvel", {SensorKind::tendon_velocity, Looks::at_tendon}},
    {"framepos", {SensorKind::frame_position, Looks::at_object}},
    {"framequat", {SensorKind::frame_quaternion, Looks::at_object}},
    {"framelinvel", {SensorKind::frame_linear_velocity, Looks::at_object}},
    {"frameangvel", {SensorKind::frame_angular_velocity, Looks::at_object}},
    {"framelinacc", {SensorKind::frame_linear_acceleration, Looks::at_object}},
    {"frameangacc", {SensorKind::frame_angular_acceleration, Looks::at_object}},
    {"subtreecom", {SensorKind::subtree_center_of_mass, Looks::at_body}},
    {"subtreelinvel", {SensorKind::subtree_linear_velocity, Looks::at_body}},
    {"clock", {SensorKind::clock, Looks::at_nothing}},
    {"subtreeangmom", {SensorKind::subtree_angular_momentum, Looks::at_body}},
};

class SensorReader {
 public:
  explicit SensorReader(MjcfScene& scene) : scene_(scene) {}

  void read(const pugi::xml_node& node) {
    const MjcfAttributes given(scene_.document, scene_.report, node);
    Sensor sensor;
    sensor.type = node.name();
    sensor.source = given.source();
    if (given.has("name")) sensor.name = scene_.full(given.text("name"));
    sensor.noise = given.number_from("noise", 0.0, 0.0);
    sensor.cutoff = given.number_from("cutoff", 0.0, 0.0);
    const auto rule = sensor_rules.find(node.name());
    if (rule == sensor_rules.end()) {
      only_data(sensor,
                fmt::format("sensor <{}> is kept in the model but not evaluated", node.name()));
    } else if (given.has("refname")) {
      only_data(sensor, "sensors relative to a 'refname' are kept in the model but not evaluated");
    } else {
      sensor.kind = rule->second.kind;
      if (!aim(sensor, rule->second.looks, given)) return;
    }
    scene_.builder.add_sensor(std::move(sensor));
  }

 private:
  void only_data(Sensor& sensor, const std::string& why) {
    sensor.kind = SensorKind::other;
    sensor.target = Sensor::Target::none;
    scene_.report.unused(sensor.source, why);
  }

  /// False if what it looks at does not exist (which was said).
  bool aim(Sensor& sensor, Looks looks, const MjcfAttributes& given) {
    switch (looks) {
      case Looks::at_site:
        return aim_at(sensor, Sensor::Target::frame,
                      scene_.find(scene_.site_by_name, given, "site", "site"));
      case Looks::at_joint:
        return aim_at(sensor, Sensor::Target::joint,
                      scene_.find(scene_.joint_by_name, given, "joint", "joint"));
      case Looks::at_tendon:
        return aim_at_tendon(sensor, given);
      case Looks::at_actuator:
        return aim_at_actuator(sensor, given);
      case Looks::at_body:
        return aim_at_body(sensor, scene_.find(scene_.body_by_name, given, "body", "body"));
      case Looks::at_object:
        return aim_at_object(sensor, given);
      case Looks::at_nothing:
        return true;
    }
    return false;
  }

  static bool aim_at(Sensor& sensor, Sensor::Target target, std::optional<int> index) {
    if (!index) return false;
    sensor.target = target;
    sensor.index = *index;
    return true;
  }

  bool aim_at_tendon(Sensor& sensor, const MjcfAttributes& given) {
    const auto tendon = scene_.find(scene_.tendon_by_name, given, "tendon", "tendon");
    return tendon && *tendon >= 0 && aim_at(sensor, Sensor::Target::tendon, tendon);
  }

  bool aim_at_actuator(Sensor& sensor, const MjcfAttributes& given) {
    const auto position = scene_.find(scene_.actuator_by_name, given, "actuator", "actuator");
    if (!position) return false;
    const int index = scene_.actuators[static_cast<std::size_t>(*position)];
    if (index < 0) {
      only_data(sensor, "sensors of unused actuators are kept in the model but not evaluated");
      return true;
    }
    return aim_at(sensor, Sensor::Target::actuator, index);
  }

  /// Bodies by their link, the world by a frame at its origin.
  bool aim_at_body(Sensor& sensor, std::optional<int> body) {
    if (!body) return false;
    if (*body != 0) return aim_at(sensor, Sensor::Target::body, scene_.body(*body).link);
    return aim_at(sensor, Sensor::Target::frame,
                  frame("world", "origin", world_body, Eigen::Isometry3d::Identity()));
  }

  bool aim_at_object(Sensor& sensor, const MjcfAttributes& given) {
    const std::string type = given.text("objtype");
    if (type == "site") {
      return aim_at(sensor, Sensor::Target::frame,
                    scene_.find(scene_.site_by_name, given, "objname", "site"));
    }
    if (type == "xbody") {
      return aim_at_body(sensor, scene_.find(scene_.body_by_name, given, "objname", "body"));
    }
    if (type == "body") {
      const auto body = scene_.find(scene_.body_by_name, given, "objname", "body");
      if (!body) return false;
      if (*body == 0) return aim_at_body(sensor, body);
      return aim_at(sensor, Sensor::Target::frame, inertial_frame(given.text("objname"), *body));
    }
    if (type == "geom") {
      const auto geom = scene_.find(scene_.geom_by_name, given, "objname", "geom");
      if (!geom) return false;
      return aim_at(sensor, Sensor::Target::frame,
                    frame(given.text("objname"), "geom", scene_.body(geom->body).link, geom->pose));
    }
    if (type == "camera") {
      only_data(sensor, "sensors of cameras are kept in the model but not evaluated");
      return true;
    }
    given.error(given.has("objtype") ? fmt::format("attribute 'objtype' is '{}'", type)
                                     : "attribute 'objtype' is missing",
                "give one of body, xbody, geom, site, camera");
    return false;
  }

  /// MJCF's frame of a `body` sits in its centre of mass and has the axes of its <inertial>.
  int inertial_frame(const std::string& name, int body) {
    const MjcfBody& placed = scene_.body(body);
    return frame(
        name, "inertial", placed.link,
        make_pose(scene_.builder.link(placed.link).center_of_mass, placed.inertial_rotation));
  }

  int frame(const std::string& name, const std::string& what, int link,
            const Eigen::Isometry3d& pose) {
    const std::string key = name + '/' + what;
    const auto known = frames_.find(key);
    if (known != frames_.end()) return known->second;
    const int index = scene_.builder.add_frame(
        {scene_.full(scene_.names.make("site", key)), link, pose, Source{}});
    frames_[key] = index;
    return index;
  }

  MjcfScene& scene_;
  std::map<std::string, int> frames_;  ///< made for sensors of geoms and inertial frames
};

}  // namespace

void read_sensors(MjcfScene& scene) {
  SensorReader reader(scene);
  for (const pugi::xml_node section : scene.document.root().children("sensor")) {
    for (const pugi::xml_node node : section.children()) reader.read(node);
  }
}

}  // namespace stiction
