#pragma once

/// \file
/// The Delassus matrix of a contact problem as a plain matrix, in either storage. The only place
/// where G = J M⁻¹ Jᵀ of bodies is multiplied out.

#include <Eigen/Core>
#include <span>

#include "stiction/contact/contact_problem.hpp"

namespace stiction {

/// Writes G of the given blocks, in their order, to `result`, which has as many rows and columns as
/// these blocks together. Both triangles. Does not allocate.
void copy_delassus(const ContactProblem& problem, std::span<const int> blocks,
                   Eigen::Ref<Eigen::MatrixXd> result);

/// Writes G of all blocks to `result`, which has row_count() rows and columns.
void copy_delassus(const ContactProblem& problem, Eigen::Ref<Eigen::MatrixXd> result);

}  // namespace stiction
