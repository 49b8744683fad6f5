#pragma once

/// \file
/// Contacts of a step: from the points that the collider finds to contact frames.

#include "stiction/collision/collider.hpp"
#include "stiction/touch/contact_set.hpp"
#include "stiction/touch/scene_layout.hpp"

namespace stiction {

/// Which points become contacts.
struct ContactSearch {
  double time_step = 0.0;      ///< h [s]
  double margin = 0.0;         ///< beyond what the bodies can travel in the step [m]
  bool touching_only = false;  ///< contacts with a gap above zero are left out
  bool four_face_points =
      false;  ///< of two flat faces on each other the four points that span most
};

/// Places the collider's shapes and writes `contacts`.
void find_contacts(const SceneSnapshot& scene, const ContactSearch& search, Collider& collider,
                   std::vector<Candidate>& contacts);

}  // namespace stiction
