#pragma once

/// \file
/// Masses and inertias by MJCF's rules. Private to stiction/io.

#include "stiction/io/mjcf_compiler.hpp"
#include "stiction/model/solid.hpp"

namespace stiction {

/// What `boundmass`, `boundinertia` and `balanceinertia` make of it.
BodyInertia bounded(BodyInertia inertia, const MjcfCompiler& compiler);

}  // namespace stiction
