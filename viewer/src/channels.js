// What can be plotted over time. A channel: { key, group, row, word, title, unit, help }, and how to get
// it: `column: [name, i]`, a recorded column of joints or actuators, or `of(moment)`, a number of what is
// shown at a time (contacts of the moment, and positions of bodies).
import { body_name } from "./names.js";

const axis_words = ["x", "y", "z"];

/// How many numbers of q and v a joint has.
const sizes = {
  free: [7, 6], floating: [7, 6], spherical: [4, 3], planar: [3, 3], fixed: [0, 0],
};
export const joint_sizes = (kind) => sizes[kind] ?? [1, 1];

/// Units of position and force of a joint with one coordinate.
const units_of = (kind) => (kind === "prismatic" ? ["m", "N"] : ["rad", "N m"]);

const velocity_words = {
  6: ["v x", "v y", "v z", "\u03c9 x", "\u03c9 y", "\u03c9 z"],
  3: ["1", "2", "3"],
};

/// First entry of v of each body; old recordings do not tell it.
export function velocity_indices(scene) {
  let next = 0;
  return scene.bodies.map(({ joint }) => {
    const first = joint.velocity_index ?? next;
    next = first + joint_sizes(joint.kind)[1];
    return first;
  });
}

/// Visits the contacts of a body, or those between two bodies: visit(k, sign), +1 if the impulse is on it.
function each_contact_of(scene, moment, body, other, visit) {
  const { shapes } = moment.contacts;
  for (let k = moment.first; k < moment.first + moment.count; ++k) {
    const a = scene.shapes[shapes[2 * k]]?.body ?? -1;
    const b = scene.shapes[shapes[2 * k + 1]]?.body ?? -1;
    const sign = (b === body ? 1 : 0) - (a === body ? 1 : 0);
    if (sign !== 0 && (other === null || (sign > 0 ? a : b) === other)) {
      visit(k, sign);
    }
  }
}

/// Impulse of a contact along its normal, and along the surface [N s].
export function parts_of_impulse({ impulses, normals }, k) {
  const p = impulses.subarray(3 * k, 3 * k + 3);
  const n = normals.subarray(3 * k, 3 * k + 3);
  const normal = p[0] * n[0] + p[1] * n[1] + p[2] * n[2];
  return { normal, tangent: Math.hypot(p[0] - normal * n[0], p[1] - normal * n[1], p[2] - normal * n[2]) };
}

/// How much of the friction that the contacts between two bodies could give is used [%]: at 100 they
/// slip. NaN if nothing presses them together.
export function friction_used(scene, moment, body, other) {
  let used = 0;
  let most = 0;
  each_contact_of(scene, moment, body, other, (k) => {
    const { normal, tangent } = parts_of_impulse(moment.contacts, k);
    used += tangent;
    most += moment.contacts.frictions[k] * normal;
  });
  return most > 0 ? (100 * used) / most : NaN;
}

/// Force of all contacts on a body, or of those between two bodies, in world axes [N].
export function force_on(scene, moment, body, other, time_step) {
  const force = [0, 0, 0];
  let count = 0;
  each_contact_of(scene, moment, body, other, (k, sign) => {
    ++count;
    for (let j = 0; j < 3; ++j) {
      force[j] += (sign * moment.contacts.impulses[3 * k + j]) / time_step;
    }
  });
  return { count, force, size: Math.hypot(...force) };
}

const run_channels = [
  { key: "energy", title: "Energy change", unit: "J",
    help: "Energy change since the start in joules: total, kinetic and potential" },
  { key: "certificate", title: "Certificate", unit: "", log: true,
    help: "How far the worst contact is from its law, checked independently of the solver; log scale. " +
      "The dashed line is the tolerance of the solver. Smaller is better." },
  { key: "contacts", title: "Contacts", unit: "", help: "Number of contacts that touch" },
  { key: "candidates", title: "Candidates", unit: "",
    help: "Number of contacts in the problem: those that touch, and those that are near enough to touch soon" },
  { key: "iterations", title: "Iterations per step", unit: "",
    help: "Solver iterations: mean of the steps between two frames" },
  { key: "overlap", title: "Deepest overlap", unit: "mm", help: "How deep bodies overlap at most" },
].map((channel) => ({ ...channel, group: "Run", row: "", word: channel.title }));

export const default_keys = ["energy", "certificate", "contacts", "iterations"];

/// Channels of a joint with one coordinate, or the velocities of one with several.
function joint_channels(scene, body, velocity) {
  const { joint } = scene.bodies[body];
  const name = joint.name || body_name(scene, body);
  const make = (word, unit, help, column, id) => ({
    key: `${id}:${column[1]}`, group: "Joints", row: name, word, title: `${name} ${word}`, unit, help, column,
  });
  const count = joint_sizes(joint.kind)[1];
  if (count !== 1) {
    return (velocity_words[count] ?? []).map((word, i) =>
      make(word, i < 3 && count === 6 ? "m/s" : "rad/s", `Velocity ${word} of ${name}`,
        ["joint_velocities", velocity + i], "v"));
  }
  const [unit, force] = units_of(joint.kind);
  return [
    make("position", unit, `Position of joint ${name}`, ["joint_positions", joint.index], "q"),
    make("velocity", `${unit}/s`, `Velocity of joint ${name}`, ["joint_velocities", velocity], "v"),
    make(force === "N" ? "force" : "torque", force, `What actuators and servos give to joint ${name}`,
      ["joint_forces", velocity], "f"),
  ];
}

function body_channels(scene, body, time_step) {
  const name = body_name(scene, body);
  const common = { group: "Bodies", row: name };
  const places = axis_words.map((word, j) => ({
    ...common, key: `${word}:${body}`, word, title: `${name} ${word}`, unit: "m",
    help: `${word} of the origin of ${name}`, place: [body, j], of: (moment) => moment.place(body, j),
  }));
  const force = {
    ...common, key: `force:${body}`, word: "contact force", title: `${name} contact force`, unit: "N",
    help: `Size of the sum of all contact forces on ${name}: mean of the last step`,
    of: (moment) => force_on(scene, moment, body, null, time_step() || NaN).size,
  };
  return [...places, force];
}

/// Force between two bodies, and how much of their friction is used; the first is one that moves.
function pair_channels(scene, a, b, time_step) {
  const [first, second] = [body_name(scene, a), body_name(scene, b)];
  const names = `${first} \u2013 ${second}`;
  const common = { group: "Contact pairs", row: names };
  return [
    {
      ...common, key: `pair:${a}:${b}`, word: "force", title: `${names} force`, unit: "N",
      help: `Size of the contact force between ${first} and ${second}`,
      of: (moment) => force_on(scene, moment, a, b, time_step() || NaN).size,
    },
    {
      ...common, key: `used:${a}:${b}`, word: "friction used", title: `${names} friction used`, unit: "%",
      help: `How much of the friction that ${first} and ${second} could give holds them: at 100 % they slip`,
      of: (moment) => friction_used(scene, moment, a, b),
    },
  ];
}

export class Channels {
  /// `has(name, i)`: whether there is such a column; `time_step()` [s]; `pairs`: of bodies that touch.
  constructor(scene, { has, time_step, pairs }) {
    const velocities = velocity_indices(scene);
    const joints = scene.bodies.flatMap((_, i) => joint_channels(scene, i, velocities[i]));
    const actuators = (scene.actuators ?? []).map((actuator, i) => ({
      key: `a:${i}`, group: "Actuators", row: actuator.name || `actuator ${i}`, word: "force",
      title: `${actuator.name || `actuator ${i}`} force`, unit: actuator.unit ?? "",
      help: "Force of the actuator, before its gear", column: ["actuator_forces", i],
    }));
    const there = ({ column }) => !column || has(...column);
    this.scene = scene;
    this.time_step = time_step;
    this.all = [
      ...run_channels,
      ...[...joints, ...actuators].filter(there),
      ...scene.bodies.flatMap((_, i) => body_channels(scene, i, time_step)),
      ...pairs.flatMap(([a, b]) => pair_channels(scene, a, b, time_step)),
    ];
    this.by_key = new Map(this.all.map((channel) => [channel.key, channel]));
  }

  get(key) {
    return this.by_key.get(key);
  }

  /// Of two bodies, also if they have not touched before.
  pair(a, b) {
    const [first, second] = a < 0 ? [b, a] : [a, b];
    const key = `pair:${first}:${second}`;
    const turned = `pair:${second}:${first}`;
    if (!this.by_key.has(key) && !this.by_key.has(turned)) {
      const made = pair_channels(this.scene, first, second, this.time_step);
      this.all.push(...made);
      made.forEach((channel) => this.by_key.set(channel.key, channel));
    }
    return this.by_key.has(key) ? key : turned;
  }
}

/// Pairs of bodies that touch at any time of the columns of contacts.
export function touching_pairs(scene, shapes) {
  const found = new Map();
  for (let k = 0; k + 1 < shapes.length; k += 2) {
    const a = scene.shapes[shapes[k]]?.body ?? -1;
    const b = scene.shapes[shapes[k + 1]]?.body ?? -1;
    const pair = a < 0 ? [b, a] : [a, b];
    found.set(pair.join(":"), pair);
  }
  return [...found.values()].sort((x, y) => x[0] - y[0] || x[1] - y[1]);
}
