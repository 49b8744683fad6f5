/// \file
/// Measures what carries the scalar best in a hot kernel: plain structs or Eigen's fixed-size
/// matrices. The outcome stands in docs/decisions/0004-lane-carrier.md.

#include "bench/carrier.hpp"

#include <array>
#include <cmath>
#include <fmt/core.h>
#include <stdexcept>
#include <vector>

#include "bench/harness.hpp"
#include "bench/output.hpp"
#include "bench/program.hpp"
#include "stiction/core/random.hpp"

namespace stiction::bench {

namespace {

constexpr std::size_t link_count = 18;

template <Scalar S>
using Sweep = void (*)(std::span<const CarrierLink<S>>, std::span<CarrierJoint<S>>);

/// Contestants by name, the same for both scalars.
constexpr std::array carrier_names{"plain structs", "Eigen", "Eigen, contracted"};

template <Scalar S>
std::array<Sweep<S>, carrier_names.size()> sweeps() {
  return {sweep_with_structs<S>, sweep_with_eigen<S>, sweep_with_contracted_eigen<S>};
}

/// Links of 1 kg or so whose axes and offsets point anywhere.
std::vector<CarrierLink<double>> random_links(std::uint64_t seed) {
  Random random(seed);
  std::vector<CarrierLink<double>> links(link_count);
  for (CarrierLink<double>& link : links) {
    double length = 0.0;
    for (double& value : link.axis) value = random.normal();
    for (const double value : link.axis) length = std::hypot(length, value);
    for (double& value : link.axis) value /= length;
    for (double& value : link.offset) value = random.uniform(-0.3, 0.3);
    link.mass = random.uniform(0.5, 2.0);
    double c[3];
    for (int k = 0; k < 3; ++k) {
      c[k] = random.uniform(-0.1, 0.1);
      link.mass_center[k] = link.mass * c[k];
    }
    const double own = random.uniform(0.01, 0.02);
    const double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    int entry = 0;
    for (int row = 0; row < 3; ++row) {
      for (int column = row; column < 3; ++column) {
        const double diagonal = row == column ? own + link.mass * square : 0.0;
        link.inertia[entry++] = diagonal - link.mass * c[row] * c[column];
      }
    }
  }
  return links;
}

/// The same link in every lane.
template <Scalar S>
std::vector<CarrierLink<S>> broadcast_links(const std::vector<CarrierLink<double>>& links) {
  std::vector<CarrierLink<S>> result(links.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      result[i].axis[k] = S(links[i].axis[k]);
      result[i].offset[k] = S(links[i].offset[k]);
      result[i].mass_center[k] = S(links[i].mass_center[k]);
    }
    result[i].mass = S(links[i].mass);
    for (int k = 0; k < 6; ++k) result[i].inertia[k] = S(links[i].inertia[k]);
  }
  return result;
}

/// Throws unless all carriers compute the same, up to rounding.
template <Scalar S>
void check_agreement(const std::vector<CarrierLink<S>>& links) {
  std::vector<CarrierJoint<S>> expected(links.size());
  sweep_with_structs<S>(links, expected);
  for (const Sweep<S> sweep : sweeps<S>()) {
    std::vector<CarrierJoint<S>> joints(links.size());
    sweep(links, joints);
    for (std::size_t i = 0; i < links.size(); ++i) {
      for (std::size_t slot = 0; slot < sizeof(S) / sizeof(double); ++slot) {
        const double a = lane_value(joints[i].inverse_inertia, slot);
        const double b = lane_value(expected[i].inverse_inertia, slot);
        if (!(std::abs(a - b) <= 1e-11 * std::abs(b))) {
          throw std::runtime_error("the carriers compute different results; nothing is timed");
        }
      }
    }
  }
}

template <Scalar S>
void add_contestants(Harness& harness, const std::string& group,
                     const std::vector<CarrierLink<double>>& values) {
  const std::vector<CarrierLink<S>> links = broadcast_links<S>(values);
  check_agreement<S>(links);
  for (std::size_t k = 0; k < carrier_names.size(); ++k) {
    harness.add(
        group, carrier_names[k],
        [links, joints = std::vector<CarrierJoint<S>>(links.size()),
         sweep = sweeps<S>()[k]](std::int64_t count) mutable {
          for (std::int64_t i = 0; i < count; ++i) {
            keep(links);
            sweep(links, joints);
            keep(joints);
          }
        },
        static_cast<double>(sizeof(S) / sizeof(double)));
  }
}

void run(const std::string& json_file) {
  if (!json_file.empty()) check_writable(json_file);
  Options options;
  options.blocks = 25;
  options.time_cap = 60.0;
  options.progress = progress_wanted();
  Harness harness(options);
  const std::vector<CarrierLink<double>> links = random_links(7);
  add_contestants<double>(harness, "double", links);
  add_contestants<Lane>(harness, "lanes", links);
  const Report report = harness.run();

  const double base = report.seconds("double", carrier_names[0]);
  const double base_lanes = report.seconds("lanes", carrier_names[0]);
  Table table({"carrier", "double", "lanes", "lanes ×", "double/structs", "lanes/structs"});
  for (const char* name : carrier_names) {
    const double alone = report.seconds("double", name);
    const double lanes = report.seconds("lanes", name);
    table.add({name, microseconds(alone), microseconds(lanes), ratio_text(alone / lanes),
               ratio_text(alone / base), ratio_text(lanes / base_lanes)});
  }
  fmt::print("Articulated inertias of a chain of {} joints, µs per robot, {} lanes.\n\n{}\n{}",
             link_count, lane_width, table.text(), measurement_note(report));
  if (json_file.empty()) return;
  nlohmann::json document = to_json(report);
  document["machine"] = machine_description();
  write_json(json_file, document);
}

}  // namespace

}  // namespace stiction::bench

int main(int argc, char** argv) {
  using namespace stiction::bench;
  CommandLine line("Compares plain structs and Eigen as carriers of the scalar in a hot kernel.",
                   "bench_carrier");
  std::string json_file;
  line.add_option("--json", json_file, "also write all results to this file");
  return run_program(line, argc, argv, [&json_file] {
    run(json_file);
    return 0;
  });
}
