// Attributes and datasets of a recording that are written once.

#include <string_view>

#include "stiction/core/mixer.hpp"
#include "stiction/record/recording_file.hpp"
#include "stiction/sim/option_table.hpp"

namespace stiction {

namespace {

void attribute(hid_t file, const char* name, hid_t type, const void* value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle entry(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  require_hdf5(entry.good() && H5Awrite(entry, type, value) >= 0, "attributes");
}

Hdf5Handle text_type(std::size_t size) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, size);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

void attribute(hid_t file, const char* name, const std::string& text) {
  attribute(file, name, text_type(text.size() + 1), text.c_str());
}
void attribute(hid_t file, const char* name, std::uint64_t number) {
  attribute(file, name, H5T_STD_U64LE, &number);
}
void attribute(hid_t file, const char* name, double number) {
  attribute(file, name, H5T_IEEE_F64LE, &number);
}

void dataset(hid_t file, const char* name, hid_t type, const void* value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       H5Dclose);
  require_hdf5(set.good() && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0,
               "datasets");
}

void write_option(hid_t file, const StepOption& option, const StepOptions& options) {
  const std::string name(option.info().name);
  const OptionValue value = option.value(options);
  if (const auto* number = std::get_if<double>(&value)) attribute(file, name.c_str(), *number);
  if (const auto* word = std::get_if<std::string>(&value)) attribute(file, name.c_str(), *word);
  if (const auto* count = std::get_if<int>(&value)) {
    attribute(file, name.c_str(), static_cast<std::uint64_t>(*count));
  }
  if (const auto* on = std::get_if<bool>(&value)) {
    attribute(file, name.c_str(), static_cast<std::uint64_t>(*on));
  }
}

void write_run(hid_t file, const RunDescription& run) {
  attribute(file, "title", run.title);
  attribute(file, "scene", run.scene);
  attribute(file, "controls", run.controls);
  attribute(file, "steps_per_frame", static_cast<std::uint64_t>(run.steps_per_frame));
  attribute(file, "seed", run.seed);
  for (const StepOption& option : step_option_table()) {
    if (option.info().shapes_motion) write_option(file, option, run.options);
  }
}

}  // namespace

std::uint64_t scene_hash(const std::string& scene) {
  Mixer mixer;
  mixer.add(std::string_view(scene));
  return mixer.result();
}

void write_recording_head(hid_t file, const RecordingHead& head) {
  attribute(file, "format", std::string(recording_format));
  attribute(file, "version", head.version);
  attribute(file, "model", head.model.name);
  attribute(file, "structure", head.model.structure);
  attribute(file, "position_count", head.model.position_count);
  attribute(file, "velocity_count", head.model.velocity_count);
  if (head.model.activation_count > 0) {
    attribute(file, "activation_count", head.model.activation_count);
  }
  if (head.actuators) attribute(file, "actuator_count", *head.actuators);
  attribute(file, "scene_hash", scene_hash(head.scene));
  write_run(file, head.run);
  dataset(file, "scene_json", text_type(head.scene.size() + 1), head.scene.c_str());
  const std::int64_t growing = -1;
  dataset(file, "complete", H5T_STD_I64LE, &growing);
}

}  // namespace stiction
