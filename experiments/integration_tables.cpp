#include "experiments/integration_tables.hpp"

#include <fmt/format.h>

#include "experiments/csv_table.hpp"
#include "experiments/file_order.hpp"
#include "stiction/core/problem.hpp"

namespace stiction::experiments {

namespace {

/// Columns `name`first, `name`first+1, ... as a vector.
Eigen::VectorXd numbered(const CsvTable& table, std::size_t row, const char* name, int first,
                         Eigen::Index count) {
  const std::size_t start = table.column(fmt::format("{}{}", name, first));
  (void)table.column(fmt::format("{}{}", name, first + count - 1));
  Eigen::VectorXd result(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    result[i] = table.number(row, start + static_cast<std::size_t>(i));
  }
  return result;
}

/// The table must not have more entries than the robot.
void refuse_more(const CsvTable& table, const Model& model, const std::string& column) {
  if (!table.has(column)) return;
  ProblemList problems;
  problems.error({table.file().string(), 1, ""},
                 fmt::format("column '{}' is beyond the robot '{}'", column, model.name()),
                 "this table is of another robot; load that one");
  throw InputError(std::move(problems));
}

std::vector<std::string> contact_names(const CsvTable& table) {
  constexpr std::string_view ending = "_act";
  std::vector<std::string> names;
  for (const std::string& column : table.names()) {
    if (column.ends_with(ending)) names.push_back(column.substr(0, column.size() - ending.size()));
  }
  return names;
}

ContactSample contact_sample(const CsvTable& table, std::size_t row, const std::string& name) {
  const auto number = [&](const char* what) {
    return table.number(row, table.column(name + what));
  };
  ContactSample sample;
  sample.active = number("_act") != 0.0;
  sample.slipping = number("_slip") != 0.0;
  sample.anchor = {number("_p0x"), number("_p0y"), number("_p0z")};
  sample.force = {number("_fx"), number("_fy"), number("_fz")};
  return sample;
}

}  // namespace

GroundTruth load_ground_truth(const std::filesystem::path& file, const Model& model,
                              std::span<const std::string_view> joints) {
  const FileOrder order(model, joints, file);
  const CsvTable table(file);
  refuse_more(table, model, fmt::format("q{}", order.position_count()));
  refuse_more(table, model, fmt::format("v{}", order.velocity_count()));
  const std::size_t time = table.column("t");
  const bool has_forces = table.has("tau6");
  GroundTruth result;
  result.contacts = contact_names(table);
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    result.time.push_back(table.number(row, time));
    result.samples.push_back(order.to_model(numbered(table, row, "q", 0, order.position_count()),
                                            numbered(table, row, "v", 0, order.velocity_count())));
    std::vector<ContactSample> contacts;
    for (const std::string& name : result.contacts) {
      contacts.push_back(contact_sample(table, row, name));
    }
    result.contact_samples.push_back(std::move(contacts));
    if (has_forces) {
      result.forces.push_back(order.forces(numbered(table, row, "tau", 6, order.joint_count())));
    }
  }
  return result;
}

std::vector<GroundTruthDistance> load_distances(const std::filesystem::path& file) {
  const CsvTable table(file);
  std::vector<GroundTruthDistance> result;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    result.push_back({table.text(row, table.column("method")),
                      table.integer(row, table.column("ndt_gt")),
                      table.integer(row, table.column("failed")) != 0,
                      table.number(row, table.column("mean_inf_diff_vs_exp_gt")),
                      table.number(row, table.column("max_inf_diff_vs_exp_gt"))});
  }
  return result;
}

std::vector<LocalError> load_local_errors(const std::filesystem::path& file) {
  const CsvTable table(file);
  const auto integer = [&](std::size_t row, const char* name) {
    return table.integer(row, table.column(name));
  };
  const auto number = [&](std::size_t row, const char* name) {
    return table.number(row, table.column(name));
  };
  std::vector<LocalError> result;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    result.push_back({table.text(row, table.column("method")), integer(row, "mmm"),
                      integer(row, "ndt"), 1e-3 * number(row, "dt_ms"), integer(row, "fix") != 0,
                      number(row, "mean_err_inf"), number(row, "max_err_inf"),
                      number(row, "median_err_inf"), integer(row, "failed") != 0});
  }
  return result;
}

}  // namespace stiction::experiments
