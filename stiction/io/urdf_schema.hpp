#pragma once

/// \file
/// Which elements and attributes URDF knows, and what their values may be. Private to stiction/io.

#include <string_view>
#include <vector>

namespace stiction {

/// What an attribute may hold. All numbers are finite.
enum class UrdfValue {
  text,             ///< not empty
  any_text,         ///< may be empty
  number,           ///< one number
  not_negative,     ///< one number, at least 0
  positive,         ///< one number above 0
  vector,           ///< three numbers
  positive_vector,  ///< three numbers above 0
  scale,            ///< three numbers other than 0
  color,            ///< four numbers
  joint_type,
};

struct UrdfAttribute {
  std::string_view name;
  UrdfValue value = UrdfValue::text;
  bool required = true;
};

struct UrdfChild {
  std::string_view tag;
  int least = 0;  ///< how often it must be there
  int most = 1;   ///< how often it may be there
};

struct UrdfElement {
  std::string_view tag;
  std::vector<UrdfAttribute> attributes;
  std::vector<UrdfChild> children;
  std::vector<std::string_view> unused;  ///< children that others use and Stiction does not
};

/// The rule of an element that Stiction reads; null for any other tag.
const UrdfElement* find_urdf_element(std::string_view tag);

inline constexpr std::string_view urdf_joint_types =
    "revolute, continuous, prismatic, fixed, floating or planar";

}  // namespace stiction
