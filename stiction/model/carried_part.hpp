#pragma once

/// \file
/// What a sensor beyond a fixed joint carries. Private to stiction/model.

#include <optional>

#include "stiction/model/link_tree.hpp"
#include "stiction/model/sensor_data.hpp"

namespace stiction {

/// The part of its body that begins with `link`; empty if that is the whole body. For the world,
/// all that is fixed to it. `first_shape` has the index of the first shape of each link.
std::optional<CarriedPart> carried_part(const std::vector<LinkSpec>& links,
                                        const std::vector<JointSpec>& joints, const LinkTree& tree,
                                        const std::vector<int>& first_shape, int link);

}  // namespace stiction
