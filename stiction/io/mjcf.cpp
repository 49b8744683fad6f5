#include "stiction/io/mjcf_document.hpp"
#include "stiction/io/mjcf_expand.hpp"
#include "stiction/io/mjcf_scene.hpp"
#include "stiction/io/mjcf_schema.hpp"
#include "stiction/io/model_file.hpp"

namespace stiction {

// MJCF, the scene format of MuJoCo; docs/mjcf.md says what is read.
void add_mjcf(ModelBuilder& builder, const XmlFile& file, const std::filesystem::path& folder,
              const LoadOptions& options, ProblemList& problems, AppearanceSpec& looks) {
  MjcfReport report(problems);
  MjcfDocument document(file, folder, report);
  check_mjcf_schema(document, report);
  expand_mjcf(document, file.name(), report);
  if (!document.root().child("worldbody")) {
    report.error(document.source(document.root()), "the file has no <worldbody>",
                 "add <worldbody> with the bodies of the scene");
  }
  MjcfScene scene(builder, document, report, options);
  builder.set_name(options.prefix + document.root().attribute("model").as_string("scene"));
  builder.set_gravity(scene.option.gravity);
  builder.set_time_step(scene.option.time_step);
  builder.set_fluid(scene.option.density, scene.option.viscosity, scene.option.wind);
  read_bodies(scene);
  set_total_mass(scene);
  finish_shapes(scene);
  finish_custom(scene);
  read_contacts(scene);
  read_tendons(scene);
  if (scene.option.equalities) read_equalities(scene);
  read_actuators(scene);
  read_sensors(scene);
  read_keyframes(scene);
  looks = std::move(scene.assets.looks());
  report.finish();
}

}  // namespace stiction
