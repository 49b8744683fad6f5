#pragma once

/// \file
/// The Model of Python: one that remembers where it came from, so that it can be pickled.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stiction/model/model.hpp"
#include "stiction/record/model_identity.hpp"

namespace stiction::python {

/// What load() or load_text() was told.
struct ModelSource {
  std::string file;    ///< absolute; empty: `text`
  std::string text;    ///< MJCF or URDF
  std::string folder;  ///< of the meshes of `text`
  bool ground = true;
  std::string srdf;                   ///< absolute; empty: none
  std::string base = "automatic";     ///< automatic, floating or fixed
  std::vector<std::string> packages;  ///< folders, absolute
  bool strict = false;
  bool keep_inertias = false;
  bool keep_overlaps = false;  ///< links that overlap where the robot starts collide all the same
};

/// A handle with its source, the numbers of the file, and each change since then. All changes of
/// numbers from Python go through change(), so that a pickled Model is its source and a short list.
class SourcedModel : public Model {
 public:
  /// `start`: the keyframe that a robot starts in which load() has put on the ground; empty: the
  /// initial positions.
  SourcedModel(Model model, ModelSource source, std::string start);

  /// `gravity` (3 numbers), `body_mass`, `friction` (of a material; of all if the name is empty),
  /// `joint_damping`, `joint_friction`, `joint_armature`, `joint_stiffness`, `actuator_gains` (gain
  /// and bias, 6 numbers). Throws std::invalid_argument or InputError, and changes nothing then.
  void change(const std::string& what, const std::string& name, const std::vector<double>& numbers);

  [[nodiscard]] const ModelSource& source() const { return origin_->source; }
  [[nodiscard]] const std::string& start_keyframe() const { return origin_->start; }
  using Changes = std::map<std::pair<std::string, std::string>, std::vector<double>>;
  [[nodiscard]] const Changes& changes() const { return changes_; }
  /// What its states have to fit; that of all copies.
  [[nodiscard]] const std::shared_ptr<const ModelIdentity>& identity() const {
    return origin_->identity;
  }
  /// Of everything that the file says: another one if the file has changed.
  [[nodiscard]] std::uint64_t fingerprint() const;

 private:
  void apply(const std::string& what, const std::string& name, const std::vector<double>& numbers);

  struct Origin {
    ModelSource source;
    Model model;
    std::string start;
    std::shared_ptr<const ModelIdentity> identity;
  };
  std::shared_ptr<const Origin> origin_;
  Changes changes_;
};

/// Reads a model as load() and load_text() do. Warnings become Python warnings, unless it was read
/// before.
[[nodiscard]] SourcedModel read_model(ModelSource source, bool again = false);

}  // namespace stiction::python
