#include "python/source/bindings.hpp"
#include "stiction/core/problem.hpp"

PYBIND11_MODULE(_stiction, module) {
  using namespace stiction::python;
  module.doc() = "Simulator for articulated robots in hard contact";
  module.attr("__version__") = STICTION_VERSION;
  py::register_exception<stiction::InputError>(module, "InputError", PyExc_ValueError);
  add_model(module);
  add_dynamics(module);
  add_simulation(module);
  add_batch(module);
}
