#include "python/source/bindings.hpp"
#include "stiction/core/problem.hpp"

PYBIND11_MODULE(_stiction, module) {
  using namespace stiction::python;
  module.doc() = "Simulator for articulated robots in hard contact";
  module.attr("__version__") = STICTION_VERSION;
  py::register_exception<stiction::InputError>(module, "InputError", PyExc_ValueError);
  watch_forks();
  add_state(module);
  add_model(module);
  add_dynamics(module);
  add_report(module);
  add_problem(module);
  add_simulation(module);
  add_control(module);
  add_batch(module);
  add_render(module);
}
