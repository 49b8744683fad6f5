#include "experiments/exponential/cost_ratios.hpp"

#include <algorithm>
#include <cmath>

namespace stiction::experiments {

namespace {

constexpr const char* rivals[] = {"explicit_euler", "rk4", "implicit_euler"};
constexpr double largest_error = 1.0;

bool is_of(const StudyRow& row, const StudyRow& like, const std::string& method) {
  return row.motion == like.motion && row.source == like.source && row.rules == like.rules &&
         row.method == method;
}

/// CPU time per simulated time of the cheapest step with at most this error; infinity if none has.
double cost_for(const std::vector<StudyRow>& rows, const StudyRow& like, const std::string& method,
                double error) {
  double cost = HUGE_VAL;
  for (const StudyRow& row : rows) {
    if (is_of(row, like, method) && row.error.mean <= error) {
      cost = std::min(cost, 1.0 / row.real_time);
    }
  }
  return cost;
}

}  // namespace

std::vector<CostRatio> cost_ratios(const std::vector<StudyRow>& rows) {
  std::vector<CostRatio> result;
  const StudyRow* before = nullptr;
  for (const StudyRow& row : rows) {
    const bool same = before != nullptr && is_of(row, *before, before->method);
    if (row.method != exponential_name || same) continue;
    before = &row;
    for (const char* method : rivals) {
      for (int third = 0; third >= -30; --third) {
        const double error = largest_error * std::pow(10.0, third / 3.0);
        const double cost = cost_for(rows, row, exponential_name, error);
        if (!std::isfinite(cost)) break;
        result.push_back({row.motion, row.source, row.rules, method, error, cost,
                          cost_for(rows, row, method, error) / cost});
      }
    }
  }
  return result;
}

}  // namespace stiction::experiments
