#pragma once

/// \file
/// urdfdom behind a wall: one call at a time, its messages caught. Private to stiction/io.

#include <memory>
#include <pugixml.hpp>
#include <string>
#include <urdf_model/model.h>
#include <vector>

namespace stiction {

/// What urdfdom made of a document.
struct UrdfParse {
  UrdfParse() = default;
  UrdfParse(UrdfParse&&) = default;
  UrdfParse& operator=(UrdfParse&&) = default;
  ~UrdfParse();

  std::shared_ptr<urdf::ModelInterface> model;  ///< null if it failed
  std::vector<std::string> messages;            ///< its warnings and errors
};

/// Gives the clean copy that UrdfScan made to urdfdom.
UrdfParse parse_with_urdfdom(const pugi::xml_document& clean_copy);

}  // namespace stiction
