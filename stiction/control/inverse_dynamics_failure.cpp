// What InverseDynamics says where no motion meets all constraints; and where robots start.

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <stdexcept>

#include "stiction/control/inverse_dynamics.hpp"
#include "stiction/core/index.hpp"

namespace stiction {

std::string InverseDynamics::name_of(const ProgramRow& row) const {
  const bool equality = row.kind == ProgramRow::Kind::equality;
  const RowOwner& owner = (equality ? equality_owners_ : inequality_owners_)[index(row.row)];
  const auto contact = [&] { return contacts_[index(owner.index)].spec.frame; };
  switch (owner.kind) {
    case RowOwner::Kind::base:
      return "dynamics of the floating base";
    case RowOwner::Kind::motion:
      return fmt::format("motion of contact '{}'", contact());
    case RowOwner::Kind::friction:
      return fmt::format("friction of contact '{}'", contact());
    case RowOwner::Kind::normal_force:
      return fmt::format("{} normal force of contact '{}'", row.upper ? "largest" : "least",
                         contact());
    case RowOwner::Kind::torque:
      break;
  }
  for (const Joint& joint : model_.joints()) {
    const int entry = owner.index - joint.velocity_index;
    if (entry < 0 || entry >= velocity_size(joint.kind)) continue;
    return fmt::format("{} torque of joint '{}'", row.upper ? "largest" : "least", joint.name);
  }
  return "a torque limit";
}

void InverseDynamics::describe_failure() {
  if (result_.status != ProgramStatus::infeasible) {
    result_.message = fmt::format("the quadratic program of inverse dynamics has the status '{}'",
                                  to_string(result_.status));
    return;
  }
  std::vector<std::string> others;
  const std::string violated = name_of(solver_.violated());
  for (const ProgramRow& row : solver_.conflict()) {
    const std::string name = name_of(row);
    if (name != violated && std::find(others.begin(), others.end(), name) == others.end()) {
      others.push_back(name);
    }
  }
  std::string list;
  for (const std::string& name : others) list += (list.empty() ? "" : ", ") + name;
  result_.message = fmt::format("no motion meets all constraints: {} contradicts {}", violated,
                                list.empty() ? "itself" : list);
}

void put_on_floor(const Model& model, const std::vector<ContactSpec>& contacts, State& state) {
  InverseDynamics robot(model);
  for (const ContactSpec& contact : contacts) robot.add_contact(contact);
  robot.update(state);
  double lowest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < robot.contact_count(); ++i) {
    lowest = std::min(lowest, robot.contact_height(i));
  }
  for (const Joint& joint : model.joints()) {
    if (joint.kind != JointKind::floating || !std::isfinite(lowest)) continue;
    state.q[joint.position_index + 2] -= lowest;
    return;
  }
  throw std::invalid_argument(
      "put_on_floor needs a floating base and at least one contact; load a URDF with "
      "BaseKind::floating");
}

}  // namespace stiction
