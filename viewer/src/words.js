// What was simulated, in words.
import { grouped, number, step_words } from "./format.js";

const laws = {
  coulomb: "Coulomb friction",
  max_dissipation: "maximum dissipation friction",
  convex: "convex (relaxed) contact",
};

export const law_words = (law) => laws[law] ?? `law ${law}`;

/// Whether options of a run, or settings, say that contacts are springs.
export const has_springs = (options) => options?.contact === "viscoelastic";

/// How contacts are simulated, with some options of the run.
export const contact_words = (options, { solver, law }) =>
  has_springs(options) ? ["viscoelastic contact"] : [`solver ${solver}`, law_words(law)];

const sum = (values) => values.reduce((a, b) => a + b, 0);

/// Counts of a run that its certificate is told with.
export function certificate_of(run) {
  let worst = 0;
  for (const residual of run.residual) {
    // Written so that a residual that is no number counts as worst, too.
    if (!(residual <= worst)) {
      worst = residual;
    }
  }
  const springs = has_springs(run.description.options);
  return { steps: sum(run.steps), failed: sum(run.not_certified), worst, springs };
}

/// One sentence on the certificate, and whether all is well.
export function certificate_words({ steps, failed, worst, springs }) {
  if (steps === 0) {
    return { good: true, text: "No steps yet." };
  }
  if (failed === 0 && springs) {
    const text = `Contacts are springs: every limit and lock certified; worst residual ${number(worst)}.`;
    return { good: true, text };
  }
  if (failed === 0) {
    const text = `All ${grouped(steps)} steps certified; worst residual ${number(worst)}.`;
    return { good: true, text };
  }
  const text =
    `${grouped(failed)} of ${grouped(steps)} steps not certified; ` +
    `worst residual ${number(worst)}.`;
  return { good: false, text };
}

/// The same on several runs: good only if all are.
export function all_certificates_words(certificates) {
  const bad = certificates.filter(({ failed }) => failed > 0);
  const runs = `${certificates.length} runs`;
  if (bad.length > 0) {
    const failed = sum(bad.map((c) => c.failed));
    const steps = sum(certificates.map((c) => c.steps));
    const text = `${bad.length} of ${runs} not certified: ${grouped(failed)} of ${grouped(steps)} steps.`;
    return { good: false, text };
  }
  const worst = number(Math.max(...certificates.map((c) => c.worst)));
  const springs = certificates.some((c) => c.springs);
  return { good: true, text: `${springs ? "No step of" : "All steps of"} ${runs} ${springs ? "failed its certificate" : "certified"}; worst residual ${worst}.` };
}

/// Such as "4 s of quadruped in steps of 1 ms, ..."
export function run_words(run) {
  const d = run.description;
  const duration = run.times[run.frames - 1] - run.times[0];
  const parts = [`${number(duration)} s in steps of ${step_words(d.time_step)}`];
  parts.push(...contact_words(d.options, d));
  if (d.controls && d.controls !== "zero" && d.controls !== "none") {
    // Fingerprints of files tell people nothing.
    const words = d.controls.replace(/ [0-9a-f]{16}\b/g, "");
    parts.push(`controls ${words.length > 48 ? `${words.slice(0, 46)}\u2026` : words}`);
  }
  return parts.join(" \u00b7 ");
}

const spring_words = (options) =>
  `viscoelastic, ${number(options["viscoelastic.stiffness"])} N/m, ${number(options["viscoelastic.damping"])} N s/m`;

/// Rows of the table on a run: [name, value, explanation].
export function run_rows(run) {
  const d = run.description;
  return [
    ["Scene", d.scene || d.title, "simulated file"],
    ["Contact", has_springs(d.options) ? spring_words(d.options) : "", "viscoelastic: springs with dampers and anchors"],
    ["Solver", d.solver, "computes the contact impulses of each step"],
    ["Law", law_words(d.law), "contact law"],
    ["Gap rule", d.gap_rule, "how a step uses the gaps of contacts"],
    ["Integrator", d.integrator, "how a step moves the bodies"],
    ["Step", step_words(d.time_step), "time step"],
    ["Tolerance", number(d.tolerance), "target residual of the solver"],
    ["Controls", d.controls || "none", "what drives the joints"],
    ["Seed", String(d.seed ?? 0), "of the random controls"],
  ].filter(([, value]) => value !== undefined && value !== "");
}
