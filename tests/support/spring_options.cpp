#include "support/spring_options.hpp"

namespace stiction::test {

StepOptions springs(double time_step) {
  StepOptions options;
  options.contact = ContactFamily::viscoelastic;
  options.time_step = time_step;
  return options;
}

}  // namespace stiction::test
