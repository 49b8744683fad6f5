// Curves of the plots that are shown.
import { run_colors } from "./colors.js";
import { number } from "./format.js";

const energy_keys = [
  ["total", "accent"],
  ["kinetic", "curve-c"],
  ["potential", "curve-b"],
];

/// What a plot needs besides its channel. `tolerances()`: values to mark on the certificate's axis.
export function plot_definition(channel, { tolerances, lone, at }) {
  const reads = {
    energy: (m) => `${number(m.energy_change)} J`,
    certificate: (m) => number(m.residual),
    contacts: (m) => String(m.touching),
    candidates: (m) => String(m.count),
    iterations: (m) => number(m.iterations_per_step),
    overlap: (m) => `${number(1e3 * m.overlap)} mm`,
  };
  const value = (m) => {
    const seen = at(channel, m);
    return Number.isFinite(seen) ? `${number(seen)} ${channel.unit}`.trim() : "\u2013";
  };
  return {
    ...channel,
    keys: channel.key === "energy" && lone ? energy_keys : [],
    include: channel.key === "certificate" ? tolerances : undefined,
    read: reads[channel.key] ?? value,
  };
}

/// Energies as changes since the first frame: what a potential is counted from means nothing.
export function energy_changes(run, count = run.frames) {
  const total = new Float32Array(count);
  const potential = new Float32Array(count);
  const start = run.potential[0];
  for (let k = 0; k < count; ++k) {
    potential[k] = run.potential[k] - start;
    total[k] = potential[k] + run.kinetic[k] - run.kinetic[0];
  }
  return { total, potential };
}

/// Curves of one run for a channel. A lone run shows all three energies. `values_of(channel)`: numbers
/// of a channel that is not of the run as a whole.
export function curves_of(run, channel, values_of, { color, lone, theme, count }) {
  const line = (values, more = {}) => ({ times: run.times, values, count, color, name: channel.title, ...more });
  switch (channel.key) {
    case "energy": {
      const { total, potential } = energy_changes(run, count);
      return lone
        ? [
            line(potential, { color: theme.css("curve-b"), width: 1, name: "potential energy change" }),
            line(run.kinetic, { color: theme.css("curve-c"), width: 1, name: "kinetic energy" }),
            line(total, { width: 1.8, name: "total energy change" }),
          ]
        : [line(total)];
    }
    case "certificate":
      return [line(run.residual, { failures: run.not_certified })];
    case "contacts":
      return [line(run.contacts)];
    case "candidates":
      return [line(run.candidates)];
    case "iterations":
      return [line(run.iterations_per_step)];
    case "overlap":
      return [line(run.overlap_mm)];
    default:
      return [line(values_of(channel))];
  }
}

/// The colour of a run's curves.
export const curve_color = (index, lone, theme) =>
  lone ? theme.css("accent") : run_colors[index % run_colors.length];

/// All curves as a table: one line per time of the first curve. `all_series`: [channel, curves].
export function csv_of(all_series) {
  const curves = all_series.flatMap(([channel, series]) => series.map((line) => ({ ...line, unit: channel.unit })));
  const heads = curves.map(({ name, unit }) => `${name}${unit ? ` [${unit}]` : ""}`.replaceAll('"', '""'));
  const rows = [["time [s]", ...heads].map((head) => `"${head}"`).join(",")];
  if (curves.length > 0) {
    const { times, count } = curves[0];
    for (let k = 0; k < count; ++k) {
      rows.push([times[k], ...curves.map(({ values }) => (Number.isFinite(values[k]) ? values[k] : ""))].join(","));
    }
  }
  return `${rows.join("\n")}\n`;
}
