#pragma once

/// \file
/// Where the camera of a picture is, on the command line and in the address of a page.

#include <string>

namespace stiction {

/// What a camera can be, for help texts.
[[nodiscard]] std::string camera_words();

/// What is wrong with it, as CLI11 wants to know; bodies are not looked at.
[[nodiscard]] std::string check_camera(const std::string& camera);

/// Its part of the address of a page, such as `&camera=front`; empty for an empty camera. Throws
/// InputError if the scene has no such body.
[[nodiscard]] std::string camera_fragment(const std::string& camera, const std::string& scene);

}  // namespace stiction
