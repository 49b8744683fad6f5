/// \file
/// The comparison for programs.

#include <cmath>

#include "bench/peers/report.hpp"

namespace stiction::bench {

namespace {

using nlohmann::json;

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json result_json(const PeerResult& r) {
  return {{"engine", r.engine},
          {"setting", r.setting},
          {"stable", r.stable()},
          {"failure", r.failure},
          {"seconds_per_step", number(r.seconds)},
          {"noisy", r.noisy},
          {"in_turns", r.in_turns},
          {"mean_contacts", number(r.contacts)},
          {"mean_overlap", number(r.mean_overlap)},
          {"deepest_overlap", number(r.deepest)},
          {"creep", number(r.creep)},
          {"relative_energy_error", number(r.energy)},
          {"energy_rise", number(r.energy_rise)},
          {"horizontal_velocity", number(r.momentum)},
          {"residual_median", number(r.residual)},
          {"residual_worst", number(r.worst_residual)}};
}

}  // namespace

json json_report(const PeerReport& report) {
  json document{{"machine", machine_description()},
                {"quick", report.quick},
                {"wall_seconds", report.wall_seconds},
                {"missing", json::array()},
                {"scenes", json::array()}};
  for (const PeerEngineName& engine : report.missing) document["missing"].push_back(engine.engine);
  for (const PeerSceneResult& scene : report.scenes) {
    json entry{{"name", scene.name},
               {"title", scene.title},
               {"accuracy", to_string(scene.accuracy)},
               {"bodies", scene.bodies},
               {"velocities", scene.velocities},
               {"time_step", scene.time_step},
               {"measured_seconds", scene.look},
               {"results", json::array()},
               {"verdicts", json::array()}};
    for (const PeerResult& row : scene.results) entry["results"].push_back(result_json(row));
    for (const PeerVerdict& verdict : verdicts(scene)) {
      entry["verdicts"].push_back({{"engine", verdict.engine},
                                   {"speedup", number(verdict.speedup)},
                                   {"violation_to_most_accurate", number(verdict.violation)},
                                   {"violation_to_fastest", number(verdict.violation_fastest)},
                                   {"holds", verdict.holds()}});
    }
    document["scenes"].push_back(std::move(entry));
  }
  return document;
}

}  // namespace stiction::bench
