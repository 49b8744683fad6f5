// Which curves stand in which plot.
import { run_colors } from "./colors.js";
import { number } from "./format.js";

const energy_keys = [
  ["total", "accent"],
  ["kinetic", "curve-c"],
  ["potential", "curve-b"],
];

/// The four plots. `tolerance()` gives the values to mark on the certificate's axis.
export function plot_definitions(tolerance, lone = true) {
  return [
    {
      title: "Energy change",
      help: "Energy change since the start in joules: total, kinetic and potential",
      keys: lone ? energy_keys : [],
      read: (m) => `${number(m.energy_change)} J`,
    },
    {
      title: "Certificate",
      help:
        "How far the worst contact is from its law, checked independently of the solver; log scale. " +
        "The dashed line is the tolerance of the solver. Smaller is better.",
      log: true,
      include: tolerance,
      read: (m) => number(m.residual),
    },
    {
      title: "Contacts",
      help: "Number of contacts",
      include: () => [],
      read: (m) => String(m.count),
    },
    {
      title: "Iterations per step",
      help: "Solver iterations: mean of the steps between two frames",
      read: (m) => number(m.iterations_per_step),
    },
  ];
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

/// Curves of one run for the four plots. A lone run shows all three energies.
export function curves_of(run, index, lone, theme, count = run.frames) {
  const color = lone ? theme.css("accent") : run_colors[index % run_colors.length];
  const { total, potential } = energy_changes(run, count);
  const line = (values, more = {}) => ({ times: run.times, values, count, color, ...more });
  const energy = lone
    ? [
        line(potential, { color: theme.css("curve-b"), width: 1 }),
        line(run.kinetic, { color: theme.css("curve-c"), width: 1 }),
        line(total, { width: 1.8 }),
      ]
    : [line(total)];
  const certificate = line(run.residual, { failures: run.not_certified });
  return [energy, [certificate], [line(run.contacts)], [line(run.iterations_per_step)]];
}

/// Puts the curves of several runs together, the runs in front last.
export function join_curves(lists) {
  return lists[0].map((_, plot) => lists.flatMap((list) => list[plot]));
}
