#pragma once

/// \file
/// The solvers that are compared, each with its options in a step.

#include <string>
#include <vector>

#include "stiction/sim/options.hpp"
#include "stiction/sim/workspace.hpp"

namespace stiction::experiments {

inline constexpr double paper_threshold = 1e-6;  ///< [N·s] and [m/s]

struct TaskMethod {
  std::string name;   ///< in tables and files
  std::string label;  ///< for people
  StepOptions options;
  bool printed_stop = false;  ///< per-contact iteration that ends as the paper's does
};

/// \name Names that results are looked up by
/// @{
inline constexpr const char* paper_name = "per_contact_paper";
inline constexpr const char* hybrid_name = "hybrid";
inline constexpr const char* pgs_name = "pgs_1e-6";
inline constexpr const char* fine_pgs_name = "pgs_1e-8";
/// @}

/// All, the paper's own method first, our default second.
std::vector<TaskMethod> task_methods();
/// One of them. Throws std::invalid_argument if there is none of that name.
TaskMethod task_method(const std::string& name);

/// A workspace for the steps of a method.
Workspace workspace_for(const TaskMethod& method, const Model& model);

}  // namespace stiction::experiments
