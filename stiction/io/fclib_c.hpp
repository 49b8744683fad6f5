#pragma once

/// \file
/// fclib's header does not say that its functions are C. Private to stiction/io.

extern "C" {
#include <fclib.h>
}
