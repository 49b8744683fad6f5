#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <sstream>

#include "stiction/io/mjcf_scene.hpp"

namespace stiction {

namespace {

enum class Looks {
  at_site,
  at_joint,
  at_tendon,
  at_actuator,
  at_object,
  at_body,
  at_contacts,
  at_nothing
};

constexpr int most_contact_slots = 1000;

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
    {"framexaxis", {SensorKind::frame_x_axis, Looks::at_object}},
    {"frameyaxis", {SensorKind::frame_y_axis, Looks::at_object}},
    {"framezaxis", {SensorKind::frame_z_axis, Looks::at_object}},
    {"jointlimitpos", {SensorKind::joint_limit_position, Looks::at_joint}},
    {"jointlimitvel", {SensorKind::joint_limit_velocity, Looks::at_joint}},
    {"jointlimitfrc", {SensorKind::joint_limit_force, Looks::at_joint}},
    {"contact", {SensorKind::contact, Looks::at_contacts}},
    {"e_potential", {SensorKind::potential_energy, Looks::at_nothing}},
    {"e_kinetic", {SensorKind::kinetic_energy, Looks::at_nothing}},
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
    } else {
      sensor.kind = rule->second.kind;
      if (rule->second.looks == Looks::at_contacts) return read_contacts(std::move(sensor), given);
      if (!aim(sensor, rule->second.looks, given)) return;
      if (given.has("refname") && !refer(sensor, given)) return;
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
        return aim_at_site(sensor, given);
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
      case Looks::at_contacts:
      case Looks::at_nothing:
        return true;
    }
    return false;
  }

  bool aim_at_site(Sensor& sensor, const MjcfAttributes& given) {
    const auto site = scene_.find(scene_.site_by_name, given, "site", "site");
    if (!site) return false;
    if (sensor.kind == SensorKind::touch || sensor.kind == SensorKind::contact) {
      sensor.zone = scene_.site_zone.at(given.text("site"));
    }
    return aim_at(sensor, Sensor::Target::frame, site);
  }

  /// The frame that `reftype` and `refname` mean, if there is one.
  bool refer(Sensor& sensor, const MjcfAttributes& given) {
    if (sensor.kind == SensorKind::other) return true;
    const std::optional<MjcfPlace> place = find_object(given, "reftype", "refname");
    if (!place) return false;
    sensor.reference = frame(given.text("refname"), given.text("reftype") + " reference",
                             place->link, place->pose);
    return true;
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
    if (type == "camera") {
      only_data(sensor, "sensors of cameras are kept in the model but not evaluated");
      return true;
    }
    if (type == "site") {
      return aim_at(sensor, Sensor::Target::frame,
                    scene_.find(scene_.site_by_name, given, "objname", "site"));
    }
    if (type == "xbody") {
      return aim_at_body(sensor, scene_.find(scene_.body_by_name, given, "objname", "body"));
    }
    const std::optional<MjcfPlace> place = find_object(given, "objtype", "objname");
    if (!place) return false;
    return aim_at(sensor, Sensor::Target::frame,
                  frame(given.text("objname"), type == "geom" ? "geom" : "inertial", place->link,
                        place->pose));
  }

  /// A link and a pose in it.
  struct MjcfPlace {
    int link = world_body;
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  };

  /// What a pair of attributes names; empty, with an error, if it is not there.
  std::optional<MjcfPlace> find_object(const MjcfAttributes& given, const char* type_attribute,
                                       const char* name_attribute) {
    const std::string type = given.text(type_attribute);
    if (type == "site") {
      const auto site = scene_.find(scene_.site_place, given, name_attribute, "site");
      if (!site) return std::nullopt;
      return MjcfPlace{scene_.body(site->first).link, site->second};
    }
    if (type == "geom") {
      const auto geom = scene_.find(scene_.geom_by_name, given, name_attribute, "geom");
      if (!geom) return std::nullopt;
      return MjcfPlace{scene_.body(geom->body).link, geom->pose};
    }
    if (type == "body" || type == "xbody") {
      const auto body = scene_.find(scene_.body_by_name, given, name_attribute, "body");
      if (!body) return std::nullopt;
      const int link = scene_.body(*body).link;
      if (type == "xbody" || *body == 0) return MjcfPlace{link, Eigen::Isometry3d::Identity()};
      // The frame of a `body` sits in its centre of mass and has the axes of its <inertial>.
      return MjcfPlace{link, make_pose(scene_.builder.link(link).center_of_mass,
                                       scene_.body(*body).inertial_rotation)};
    }
    given.error(given.has(type_attribute)
                    ? fmt::format("attribute '{}' is '{}'", type_attribute, type)
                    : fmt::format("attribute '{}' is missing", type_attribute),
                "give one of body, xbody, geom, site");
    return std::nullopt;
  }

  /// Shapes of one side of a contact sensor, as (link, position).
  using Shapes = std::vector<std::pair<int, int>>;

  void read_contacts(Sensor sensor, const MjcfAttributes& given) {
    ContactQuery query;
    Shapes shapes[2];
    if (!read_side(given, "1", query.any_a, shapes[0])) return;
    if (!read_side(given, "2", query.any_b, shapes[1])) return;
    if (given.has("site") && !aim_at_site(sensor, given)) return;
    query.order =
        given.keyword<ContactQuery::Order>("reduce",
                                           {{"none", ContactQuery::Order::as_found},
                                            {"mindist", ContactQuery::Order::least_gap},
                                            {"maxforce", ContactQuery::Order::largest_force},
                                            {"netforce", ContactQuery::Order::net_force}},
                                           ContactQuery::Order::as_found);
    query.slots = given.integer("num", 1);
    if (query.slots < 1 || query.slots > most_contact_slots) {
      given.error("num", fmt::format("'num' is {}", query.slots),
                  fmt::format("give 1 to {}", most_contact_slots));
      return;
    }
    if (given.has("data")) read_data(given, query);
    sensor.contacts = std::move(query);
    scene_.builder.add_contact_sensor(std::move(sensor), std::move(shapes[0]),
                                      std::move(shapes[1]));
  }

  /// False if what a side names does not exist (which was said).
  bool read_side(const MjcfAttributes& given, const char* number, bool& any, Shapes& shapes) {
    const std::string geom_attribute = std::string("geom") + number;
    if (given.has(geom_attribute.c_str())) {
      const auto geom = scene_.find(scene_.geom_by_name, given, geom_attribute.c_str(), "geom");
      if (!geom) return false;
      any = false;
      shapes.push_back(scene_.shape_of(geom->body, geom->shape));
    }
    for (const bool with_children : {false, true}) {
      const std::string attribute = std::string(with_children ? "subtree" : "body") + number;
      if (!given.has(attribute.c_str())) continue;
      const auto body = scene_.find(scene_.body_by_name, given, attribute.c_str(), "body");
      if (!body) return false;
      any = false;
      for (int i = 0; i < static_cast<int>(scene_.bodies.size()); ++i) {
        if (i == *body || (with_children && is_below(i, *body))) scene_.add_shapes_of(i, shapes);
      }
    }
    return true;
  }

  [[nodiscard]] bool is_below(int body, int ancestor) const {
    while (body > ancestor) body = scene_.body(body).parent;
    return body == ancestor;
  }

  static void read_data(const MjcfAttributes& given, ContactQuery& query) {
    query.found = false;
    const std::pair<std::string_view, bool*> fields[] = {
        {"found", &query.found},     {"force", &query.force},  {"torque", &query.torque},
        {"dist", &query.distance},   {"pos", &query.position}, {"normal", &query.normal},
        {"tangent", &query.tangent},
    };
    std::istringstream words(given.text("data"));
    for (std::string word; words >> word;) {
      const auto field =
          std::ranges::find(fields, word, &std::pair<std::string_view, bool*>::first);
      if (field != std::end(fields)) {
        *field->second = true;
        continue;
      }
      given.error("data", fmt::format("'data' has the unknown word '{}'", word),
                  "use words of: found force torque dist pos normal tangent");
    }
    if (query.slot_size() == 0) query.found = true;
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
