#include <fmt/format.h>

#include "python/source/runner.hpp"

namespace stiction::python {

namespace {

Eigen::Vector3d vector_of(const Vector3<double>& v) { return {v.x, v.y, v.z}; }

using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// One row per contact.
template <class Read>
Rows rows_of(const StepReport& report, const Read& read) {
  Rows rows(static_cast<Eigen::Index>(report.contacts.size()), 3);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    rows.row(i) = vector_of(read(report.contacts[static_cast<std::size_t>(i)]));
  }
  return rows;
}

void add_contact(py::module_& module) {
  py::class_<StepContact>(module, "Contact", "A contact of a step, also one that did nothing.")
      .def_readonly("body_a", &StepContact::body_a,
                    "-1 is the world (Model.body_name() names both); the normal points from a to b")
      .def_readonly("body_b", &StepContact::body_b)
      .def_readonly("shape_a", &StepContact::shape_a)
      .def_readonly("shape_b", &StepContact::shape_b)
      .def_readonly("gap", &StepContact::gap, "Before the step [m].")
      .def_readonly("friction", &StepContact::friction, "Coefficient.")
      .def_readonly("restitution", &StepContact::restitution, "That was used.")
      .def_property_readonly(
          "point", [](const StepContact& c) { return vector_of(c.point); }, "World [m].")
      .def_property_readonly(
          "normal", [](const StepContact& c) { return vector_of(c.axes.c2); }, "World.")
      .def_property_readonly(
          "impulse", [](const StepContact& c) { return vector_of(c.axes * c.impulse); },
          "On body b, world axes [N·s]; divided by the time step: force.")
      .def_property_readonly(
          "velocity", [](const StepContact& c) { return vector_of(c.velocity); },
          "Of b against a along t1, t2, n after the step [m/s].")
      .def_property_readonly(
          "mode", [](const StepContact& c) { return std::string(to_string(c.mode)); },
          "open, stick or slip")
      .def("__repr__", [](const StepContact& c) {
        return fmt::format("<stiction.Contact of bodies {} and {}: {}, gap {:.2g} m>", c.body_a,
                           c.body_b, to_string(c.mode), c.gap);
      });
}

void add_certificate(py::module_& module) {
  py::class_<Certificate>(
      module, "Certificate",
      "How well impulses satisfy the laws of contact, measured outside the solver. Relative to the "
      "scales of velocity and impulse, unless there is a unit.")
      .def_property_readonly("residual", &Certificate::residual,
                             "The larger of law and natural residual.")
      .def_readonly("signorini", &Certificate::signorini, "max |min(normal impulse, velocity)|")
      .def_readonly("cone", &Certificate::cone, "How far impulses are outside of their cones.")
      .def_readonly("dissipation", &Certificate::dissipation,
                    "How far friction is from opposing the slip [J].")
      .def_readonly("penetration_rate", &Certificate::penetration_rate, "[m/s]")
      .def_readonly("closing", &Certificate::closing)
      .def_readonly("law_residual", &Certificate::law_residual,
                    "Distance of each block from its exact answer while the others stay.")
      .def_readonly("natural_residual", &Certificate::natural_residual)
      .def_readonly("work", &Certificate::work, "Of contacts [J].")
      .def_readonly("worst_block", &Certificate::worst_block)
      .def_property_readonly(
          "velocity_scale", [](const Certificate& c) { return c.scales.velocity; }, "[m/s]")
      .def_property_readonly(
          "impulse_scale", [](const Certificate& c) { return c.scales.impulse; }, "[N·s]")
      .def("certified", &Certificate::certified, py::arg("tolerance") = 1e-8,
           "Whether the residual is within a tolerance, and the impulses are in their cones.")
      .def("__repr__", [](const Certificate& c) {
        return fmt::format("<stiction.Certificate: residual {:.1e}, cone {:.1e}>", c.residual(),
                           c.cone);
      });
}

}  // namespace

void add_report(py::module_& module) {
  add_contact(module);
  add_certificate(module);
  py::class_<Report> type(module, "StepReport",
                          "What the last step did. The report of a simulation shows its last step, "
                          "whichever that is; copy.copy(report) keeps one.");
  const auto add = [&type](const char* name, auto read, const char* text) {
    type.def_property_readonly(
        name, [read](const Report& r) { return read(r.get()); }, text);
  };
  add(
      "ok", [](const StepReport& r) { return r.ok(); }, "Every island is certified.");
  add(
      "status", [](const StepReport& r) { return std::string(to_string(r.status)); },
      "ok, not certified, energy grew, refused or diverged");
  add(
      "message", [](const StepReport& r) { return r.message; },
      "What went wrong and a remedy; empty if nothing did.");
  add(
      "certificate", [](const StepReport& r) { return r.certificate; },
      "The worst of all islands, each number by itself.");
  add(
      "residual", [](const StepReport& r) { return r.certificate.residual(); },
      "Of the certificate: how well the contact laws hold, relative.");
  add(
      "iterations", [](const StepReport& r) { return r.iterations; },
      "Of the solver, all islands together.");
  add(
      "islands", [](const StepReport& r) { return r.islands; }, "That had something to solve.");
  add(
      "uncertified", [](const StepReport& r) { return r.uncertified; },
      "Islands that are not certified.");
  add(
      "deepest_overlap", [](const StepReport& r) { return r.deepest_overlap; },
      "Before the step [m].");
  add(
      "energy_gain", [](const StepReport& r) { return r.energy_gain; },
      "That came in without input [J].");
  add(
      "kinetic_energy", [](const StepReport& r) { return r.balance.kinetic_energy; },
      "After the step [J], with the option balance=True.");
  add(
      "potential_energy", [](const StepReport& r) { return r.balance.potential_energy; },
      "After the step [J], with the option balance=True.");
  add(
      "contacts", [](const StepReport& r) { return std::vector<StepContact>(r.contacts); },
      "A list of copies.");
  add(
      "points",
      [](const StepReport& r) { return rows_of(r, [](const auto& c) { return c.point; }); },
      "Of all contacts, contacts × 3, world [m].");
  add(
      "impulses",
      [](const StepReport& r) {
        return rows_of(r, [](const auto& c) { return c.axes * c.impulse; });
      },
      "On the bodies b of all contacts, contacts × 3, world [N·s].");
  type.def("__copy__", [](const Report& r) { return Report(r.get()); });
  type.def("__repr__", [](const Report& report) {
    const StepReport& r = report.get();
    return fmt::format("<stiction.StepReport {}: residual {:.1e}, {} contacts, {} iterations>",
                       to_string(r.status), r.certificate.residual(), r.contacts.size(),
                       r.iterations);
  });
}

}  // namespace stiction::python
