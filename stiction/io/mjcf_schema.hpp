#pragma once

/// \file
/// Which elements and attributes MJCF knows, and which of them are read. Private to stiction/io.

#include "stiction/io/mjcf_document.hpp"
#include "stiction/io/mjcf_report.hpp"

namespace stiction {

/// Walks the whole file: unknown elements and attributes are errors, with the word that was
/// probably meant; known ones that nothing reads are listed.
void check_mjcf_schema(const MjcfDocument& document, MjcfReport& report);

}  // namespace stiction
