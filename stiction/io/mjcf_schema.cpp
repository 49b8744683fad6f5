#include "stiction/io/mjcf_schema.hpp"

#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace stiction {

namespace {

/// One kind of element. All lists are words between blanks.
/// - `read`: attributes that some reader looks at.
/// - `unread`: attributes that are known and only listed; `!` before those that change the motion.
/// - `children`: `tag` or `tag:key`; `-` before those that are only listed, `!` if they change the
///   motion; neither are looked into. Attribute `*` allows anything: the reader lists it itself.
struct ElementRule {
  std::string_view key;
  std::string_view read;
  std::string_view unread;
  std::string_view children;
};

constexpr std::string_view actuators =
    "general motor position velocity damper intvelocity cylinder muscle adhesion "
    "plugin:plugin_actuator "
    "orientation:unread_actuator pid:unread_actuator dcmotor:unread_actuator";

#define STICTION_MJCF_ORIENTATION "quat axisangle xyaxes zaxis euler "
#define STICTION_MJCF_ACTUATOR                                                                \
  "name class ctrllimited forcelimited ctrlrange forcerange gear joint jointinparent tendon " \
  "slidersite cranksite site refsite body group lengthrange cranklength actlimited actrange " \
  "actearly actdim "
#define STICTION_MJCF_ACTUATOR_UNREAD "user !delay nsample interp "
#define STICTION_MJCF_TENDON                                                             \
  "stiffness damping springlength limited range margin frictionloss actuatorfrclimited " \
  "actuatorfrcrange "
#define STICTION_MJCF_TENDON_UNREAD                                                   \
  "group user solreflimit solimplimit solreffriction solimpfriction !armature width " \
  "material rgba "

const std::vector<ElementRule> rules = {
    {"mujoco", "model", "",
     "compiler option -size -visual -statistic default custom asset worldbody contact equality "
     "tendon actuator sensor keyframe !deformable extension"},
    {"extension", "", "", "plugin:extension_plugin"},
    {"extension_plugin", "plugin", "", "instance config:plugin_config"},
    {"instance", "name", "", "config:plugin_config"},
    {"plugin_config", "key value", "", ""},
    {"compiler",
     "angle eulerseq meshdir assetdir autolimits inertiafromgeom inertiagrouprange settotalmass "
     "boundmass boundinertia balanceinertia discardvisual coordinate strippath fusestatic "
     "exactmeshinertia fitaabb texturedir",
     "convexhull usethread alignfree saveinertial conflict", "-lengthrange"},
    {"option", "timestep gravity wind density viscosity actuatorgroupdisable integrator",
     "apirate impratio tolerance noslip_tolerance mpr_tolerance ccd_tolerance ls_tolerance "
     "sleep_tolerance magnetic o_margin o_solref o_solimp o_friction "
     "collision cone jacobian solver iterations ls_iterations noslip_iterations "
     "mpr_iterations ccd_iterations sdf_iterations sdf_initpoints",
     "flag"},
    {"flag",
     "gravity filterparent contact clampctrl actuation constraint equality frictionloss limit "
     "passive spring damper",
     "warmstart refsafe sensor override energy fwdinv invdiscrete sensornoise "
     "multiccd "
     "midphase eulerdamp autoreset nativeccd island sleep diagexact",
     ""},
    {"default", "class", "",
     "mesh material joint geom site -camera -light pair equality:default_equality "
     "tendon:default_tendon default "
     "general motor position velocity damper intvelocity cylinder muscle adhesion "
     "orientation:unread_actuator "
     "pid:unread_actuator dcmotor:unread_actuator"},
    {"default_equality", "active", "solref solimp", ""},
    {"custom", "", "", "numeric text -tuple"},
    {"text", "name data", "", ""},
    {"numeric", "name size data", "", ""},
    {"asset", "", "", "texture hfield mesh -skin material model"},
    {"texture",
     "name type file builtin rgb1 rgb2 mark markrgb width height gridsize fileright fileup "
     "filefront",
     "random colorspace content_type gridlayout fileleft filedown fileback hflip vflip nchannel",
     ""},
    {"layer", "role texture", "", ""},
    {"model", "name file", "content_type", ""},
    {"hfield", "name file nrow ncol size elevation content_type", "", ""},
    {"mesh",
     "name class file vertex face texcoord refpos refquat scale inertia builtin maxhullvert",
     "normal smoothnormal content_type params material octree_maxdepth", "-plugin"},
    {"material",
     "name class rgba texture texrepeat texuniform emission specular shininess metallic roughness",
     "reflectance", "layer"},
    {"worldbody", "childclass", "name",
     "geom site body frame replicate attach -camera -light !composite !flexcomp !flex !plugin"},
    {"body", "name childclass pos mocap gravcomp " STICTION_MJCF_ORIENTATION, "user sleep",
     "inertial joint freejoint geom site body frame replicate attach -camera -light !composite "
     "!flexcomp !flex !plugin"},
    {"frame", "name childclass pos " STICTION_MJCF_ORIENTATION, "",
     "joint freejoint geom site body frame replicate attach -camera -light !composite !flexcomp "
     "!flex !plugin"},
    {"replicate", "count offset euler sep childclass", "",
     "joint freejoint geom site body frame replicate attach -camera -light !composite !flexcomp "
     "!flex !plugin"},
    {"attach", "model body frame prefix", "", ""},
    {"inertial", "pos mass diaginertia fullinertia " STICTION_MJCF_ORIENTATION, "", ""},
    {"joint",
     "name class type pos axis limited range stiffness ref springref armature damping "
     "frictionloss actuatorfrclimited actuatorfrcrange margin actuatorgravcomp "
     "springdamper",
     "group user solreflimit solimplimit solreffriction solimpfriction", ""},
    {"freejoint", "name", "group align", ""},
    {"geom",
     "name class type contype conaffinity condim priority group size material friction mass "
     "density margin "
     "fromto pos hfield mesh rgba fitscale shellinertia fluidshape "
     "fluidcoef " STICTION_MJCF_ORIENTATION,
     "solmix solref solimp gap user !surfacevel !adhesion", "!plugin"},
    {"site", "name class pos fromto type size " STICTION_MJCF_ORIENTATION,
     "group material rgba user", ""},
    {"contact", "", "", "pair exclude"},
    {"pair", "name class geom1 geom2 condim friction margin", "solref solreffriction solimp gap",
     ""},
    {"exclude", "name body1 body2", "", ""},
    {"equality", "", "",
     "connect weld joint:equality_joint tendon:equality_tendon !distance !flex !flexvert "
     "!flexstrain"},
    {"connect", "name class body1 body2 anchor site1 site2 active", "solref solimp", ""},
    {"weld", "name class body1 body2 relpose anchor site1 site2 active torquescale",
     "solref solimp", ""},
    {"equality_joint", "name class joint1 joint2 polycoef active", "solref solimp", ""},
    {"equality_tendon", "name class tendon1 tendon2 polycoef active", "solref solimp", ""},
    {"tendon", "", "", "fixed spatial"},
    {"fixed", "name class " STICTION_MJCF_TENDON, STICTION_MJCF_TENDON_UNREAD,
     "joint:tendon_joint"},
    {"tendon_joint", "joint coef", "", ""},
    {"spatial", "name class " STICTION_MJCF_TENDON, STICTION_MJCF_TENDON_UNREAD,
     "site:tendon_site geom:tendon_geom pulley"},
    {"tendon_site", "site", "", ""},
    {"tendon_geom", "geom sidesite", "", ""},
    {"pulley", "divisor", "", ""},
    {"default_tendon", STICTION_MJCF_TENDON, STICTION_MJCF_TENDON_UNREAD, ""},
    {"actuator", "", "", actuators},
    {"general", STICTION_MJCF_ACTUATOR "dyntype gaintype biastype gainprm biasprm dynprm",
     STICTION_MJCF_ACTUATOR_UNREAD, ""},
    {"motor", STICTION_MJCF_ACTUATOR, STICTION_MJCF_ACTUATOR_UNREAD, ""},
    {"position", STICTION_MJCF_ACTUATOR "kp kv dampratio timeconst inheritrange",
     STICTION_MJCF_ACTUATOR_UNREAD, ""},
    {"velocity", STICTION_MJCF_ACTUATOR "kv", STICTION_MJCF_ACTUATOR_UNREAD, ""},
    {"damper", STICTION_MJCF_ACTUATOR "kv", STICTION_MJCF_ACTUATOR_UNREAD, ""},
    {"intvelocity", STICTION_MJCF_ACTUATOR "kp kv dampratio inheritrange",
     STICTION_MJCF_ACTUATOR_UNREAD, ""},
    {"cylinder", STICTION_MJCF_ACTUATOR "timeconst area diameter bias",
     STICTION_MJCF_ACTUATOR_UNREAD, ""},
    {"muscle",
     STICTION_MJCF_ACTUATOR "timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax",
     STICTION_MJCF_ACTUATOR_UNREAD, ""},
    {"adhesion", STICTION_MJCF_ACTUATOR "gain", STICTION_MJCF_ACTUATOR_UNREAD, ""},
    {"plugin_actuator", STICTION_MJCF_ACTUATOR "plugin instance dyntype dynprm",
     STICTION_MJCF_ACTUATOR_UNREAD, "config:plugin_config"},
    {"unread_actuator", "*", "", ""},
    {"sensor", "", "",
     "touch:any_sensor accelerometer:any_sensor velocimeter:any_sensor gyro:any_sensor "
     "force:any_sensor torque:any_sensor magnetometer:any_sensor rangefinder:any_sensor "
     "camprojection:any_sensor jointpos:any_sensor jointvel:any_sensor tendonpos:any_sensor "
     "tendonvel:any_sensor actuatorpos:any_sensor actuatorvel:any_sensor actuatorfrc:any_sensor "
     "jointactuatorfrc:any_sensor tendonactuatorfrc:any_sensor ballquat:any_sensor "
     "ballangvel:any_sensor jointlimitpos:any_sensor jointlimitvel:any_sensor "
     "jointlimitfrc:any_sensor tendonlimitpos:any_sensor tendonlimitvel:any_sensor "
     "tendonlimitfrc:any_sensor framepos:any_sensor framequat:any_sensor framexaxis:any_sensor "
     "frameyaxis:any_sensor framezaxis:any_sensor framelinvel:any_sensor frameangvel:any_sensor "
     "framelinacc:any_sensor frameangacc:any_sensor subtreecom:any_sensor "
     "subtreelinvel:any_sensor subtreeangmom:any_sensor insidesite:any_sensor "
     "distance:any_sensor normal:any_sensor fromto:any_sensor contact:any_sensor "
     "tactile:any_sensor e_potential:any_sensor e_kinetic:any_sensor clock:any_sensor "
     "user:any_sensor plugin:any_sensor"},
    {"any_sensor",
     "name site joint tendon actuator body objtype objname reftype refname cutoff noise geom1 "
     "geom2 "
     "body1 body2 subtree1 subtree2 num data reduce",
     "user camera datatype needstage dim geom mesh plugin instance delay nsample interval interp",
     "-config"},
    {"keyframe", "", "", "key"},
    {"key", "name time qpos qvel act ctrl mpos mquat", "", ""},
};

#undef STICTION_MJCF_ORIENTATION
#undef STICTION_MJCF_ACTUATOR
#undef STICTION_MJCF_ACTUATOR_UNREAD

/// Attributes that say how soft MuJoCo's constraints are, or how their softness is made up for.
const std::set<std::string_view> softness{
    "solref", "solimp",   "solreflimit", "solimplimit", "solreffriction",    "solimpfriction",
    "solmix", "impratio", "o_solref",    "o_solimp",    "noslip_iterations", "noslip_tolerance"};

enum class Use { read, listed, changes_motion };

struct Known {
  std::map<std::string_view, Use> attributes;
  std::map<std::string_view, std::pair<std::string_view, Use>> children;  ///< tag → key of its rule
  bool anything = false;
};

/// Takes words off the list, with the mark before each of them.
template <class Take>
void each_word(std::string_view list, Use unmarked, Take take) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    std::string_view word = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (word.empty()) continue;
    Use use = unmarked;
    if (word.front() == '-') use = Use::listed;
    if (word.front() == '!') use = Use::changes_motion;
    if (word.front() == '-' || word.front() == '!') word.remove_prefix(1);
    take(word, use);
  }
}

const std::map<std::string_view, Known>& known_elements() {
  static const std::map<std::string_view, Known> table = [] {
    std::map<std::string_view, Known> result;
    for (const ElementRule& rule : rules) {
      Known& known = result[rule.key];
      known.anything = rule.read == "*";
      each_word(rule.read, Use::read, [&](auto word, Use use) { known.attributes[word] = use; });
      each_word(rule.unread, Use::listed,
                [&](auto word, Use use) { known.attributes[word] = use; });
      each_word(rule.children, Use::read, [&](auto word, Use use) {
        const std::size_t colon = word.find(':');
        const std::string_view tag = word.substr(0, colon);
        known.children[tag] = {colon == word.npos ? tag : word.substr(colon + 1), use};
      });
    }
    return result;
  }();
  return table;
}

template <class Map>
std::vector<std::string_view> words_of(const Map& map) {
  std::vector<std::string_view> words;
  for (const auto& entry : map) words.push_back(entry.first);
  return words;
}

class SchemaCheck {
 public:
  SchemaCheck(const MjcfDocument& document, MjcfReport& report)
      : document_(document), report_(report) {}

  void check(const pugi::xml_node& node, const Known& known, bool in_default) {
    check_attributes(node, known, in_default);
    for (const pugi::xml_node child : node.children()) {
      const auto found = known.children.find(child.name());
      if (found == known.children.end()) {
        unknown_child(node, child, known);
      } else if (found->second.second != Use::read) {
        list(child, fmt::format("<{}> in <{}> is not used", child.name(), node.name()),
             found->second.second);
      } else {
        const bool is_default = std::string_view(child.name()) == "default";
        check(child, known_elements().at(found->second.first),
              !is_default && (in_default || std::string_view(node.name()) == "default"));
      }
    }
  }

 private:
  void check_attributes(const pugi::xml_node& node, const Known& known, bool in_default) {
    if (known.anything) return;
    for (const pugi::xml_attribute attribute : node.attributes()) {
      const std::string_view name = attribute.name();
      const auto found = known.attributes.find(name);
      if (found == known.attributes.end()) {
        report_.error(
            document_.source(node), fmt::format("<{}> has no attribute '{}'", node.name(), name),
            report_.suggestion(name, words_of(known.attributes), "remove it, or correct its name"));
      } else if (in_default && (name == "name" || name == "class")) {
        report_.error(document_.source(node),
                      fmt::format("<{}> in <default> cannot have a {}", node.name(), name),
                      name == "class" ? "put the class on the enclosing <default>"
                                      : "remove the name: defaults have no names");
      } else if (softness.contains(name)) {
        report_.unused(document_.source(node),
                       "softness of constraints (solref, solimp, impratio, noslip and the like) is "
                       "not needed: contacts, limits and locks are hard here");
      } else if (found->second != Use::read) {
        list(node, fmt::format("attribute '{}' of <{}> is not used", name, node.name()),
             found->second);
      }
    }
  }

  void unknown_child(const pugi::xml_node& parent, const pugi::xml_node& child,
                     const Known& known) {
    for (const auto& [key, element] : known_elements()) {
      if (element.children.contains(child.name())) {
        report_.error(document_.source(child),
                      fmt::format("<{}> is not allowed in <{}>", child.name(), parent.name()),
                      report_.suggestion(
                          child.name(), words_of(known.children),
                          fmt::format("move it to an element that allows it, such as <{}>", key)));
        return;
      }
    }
    report_.error(document_.source(child),
                  fmt::format("<{}> has no element <{}>", parent.name(), child.name()),
                  report_.suggestion(child.name(), words_of(known.children),
                                     "remove it, or correct its name"));
  }

  void list(const pugi::xml_node& node, const std::string& what, Use use) {
    report_.unused(document_.source(node), what,
                   use == Use::changes_motion ? Severity::warning : Severity::note);
  }

  const MjcfDocument& document_;
  MjcfReport& report_;
};

}  // namespace

void check_mjcf_schema(const MjcfDocument& document, MjcfReport& report) {
  SchemaCheck(document, report).check(document.root(), known_elements().at("mujoco"), false);
}

}  // namespace stiction
