#pragma once

/// \file
/// Copies in the place of <replicate> and <attach>. Private to stiction/io.

#include "stiction/io/mjcf_document.hpp"
#include "stiction/io/mjcf_report.hpp"

namespace stiction {

/// Puts frames with copies in the place of every <replicate> and <attach>. Elements of other
/// sections that name what was copied are copied along, under names that follow. An attached model
/// keeps its own compiler settings, defaults and assets: see MjcfDocument::model_of().
void expand_mjcf(MjcfDocument& document, const std::filesystem::path& file, MjcfReport& report);

}  // namespace stiction
