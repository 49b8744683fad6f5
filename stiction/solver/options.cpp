#include "stiction/solver/options.hpp"

namespace stiction {

std::string_view to_string(CheckLevel level) {
  switch (level) {
    case CheckLevel::finite:
      return "finite";
    case CheckLevel::full:
      return "full";
  }
  return "?";
}

std::string_view to_string(PrintedGradient gradient) {
  switch (gradient) {
    case PrintedGradient::hybrid:
      return "hybrid";
    case PrintedGradient::full:
      return "full";
    case PrintedGradient::polar:
      return "polar";
  }
  return "?";
}

std::string_view to_string(PgsOptions::Stop stop) {
  switch (stop) {
    case PgsOptions::Stop::certificate:
      return "certificate";
    case PgsOptions::Stop::printed:
      return "printed";
  }
  return "?";
}

std::string_view to_string(ImplicitComplementarityOptions::Globalization globalization) {
  switch (globalization) {
    case ImplicitComplementarityOptions::Globalization::levenberg_marquardt:
      return "levenberg_marquardt";
    case ImplicitComplementarityOptions::Globalization::dogleg:
      return "dogleg";
  }
  return "?";
}

std::string_view to_string(LcpOptions::Method method) {
  switch (method) {
    case LcpOptions::Method::lemke:
      return "lemke";
    case LcpOptions::Method::newton:
      return "newton";
  }
  return "?";
}

}  // namespace stiction
