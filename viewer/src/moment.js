// What is drawn at one time: poses of all bodies, and the contacts of one frame. Contacts are not
// copied: `contacts` refers to columns of the run, from `first` on.
import { frame_at, touching_count } from "./data.js";

export class Moment {
  constructor(bodies) {
    this.bodies = bodies;
    this.positions = new Float32Array(bodies * 3);
    this.quaternions = new Float32Array(bodies * 4);
    for (let i = 0; i < bodies; ++i) {
      this.quaternions[4 * i + 3] = 1;
    }
    this.time = 0;
    this.frame = 0;
    this.first = 0;
    this.count = 0;
    this.contacts = null;
    this.kinetic = 0;
    this.potential = 0;
    this.residual = 0;
    this.overlap = 0;
    this.pulls = [];
    this.tables = {}; // numbers of joints and actuators, if they are known
  }

  /// How many contacts touch.
  get touching() {
    return this.contacts ? touching_count(this.contacts.modes, this.first, this.first + this.count) : 0;
  }

  /// Entry i of one of the tables; undefined if it is not known.
  joint_value(name, i) {
    const table = this.tables[name];
    if (!table) {
      return undefined;
    }
    if (!table.columns) {
      return table[i];
    }
    const column = table.columns[i];
    return column && table.unit * column[this.frame];
  }

  /// Coordinate j of the origin of a body [m].
  place(body, j) {
    return this.positions[3 * body + j];
  }
}

/// Columns of the contacts of a run under the names that drawing uses.
export function contact_columns(run) {
  return {
    shapes: run.contact_shapes,
    modes: run.contact_mode,
    points: run.contact_points,
    normals: run.contact_normals,
    impulses: run.contact_impulses,
    gaps: run.contact_gap,
    frictions: run.contact_friction,
    anchors: run.contact_anchors ?? null,
    stretches: run.contact_stretches ?? null,
  };
}

/// Sets a moment to a time of a run. Poses are interpolated between frames, so that slow motion is
/// smooth; contacts and numbers are those of the frame before.
export function set_from_run(moment, run, time) {
  const k = frame_at(run.times, run.frames, time);
  const next = Math.min(k + 1, run.frames - 1);
  const span = run.times[next] - run.times[k];
  const part = span > 0 ? Math.min(Math.max((time - run.times[k]) / span, 0), 1) : 0;
  moment.time = Math.min(Math.max(time, run.times[0]), run.times[run.frames - 1]);
  moment.frame = k;
  moment.contacts = run.columns;
  moment.first = run.contact_start[k];
  moment.count = run.contact_start[k + 1] - moment.first;
  moment.kinetic = run.kinetic[k];
  moment.potential = run.potential[k];
  moment.residual = run.residual[k];
  moment.overlap = run.overlap[k];
  moment.tables = run.tables;
  mix_positions(moment, run, k, next, part);
  mix_quaternions(moment, run, k, next, part);
}

function mix_positions(moment, run, k, next, part) {
  const n = moment.bodies * 3;
  const from = run.positions;
  for (let i = 0; i < n; ++i) {
    const a = from[k * n + i];
    moment.positions[i] = run.position_unit * (a + part * (from[next * n + i] - a));
  }
}

/// Straight between the two and made a unit again: frames are close enough.
function mix_quaternions(moment, run, k, next, part) {
  const n = moment.bodies * 4;
  const from = run.quaternions;
  for (let i = 0; i < n; i += 4) {
    const a = k * n + i;
    const b = next * n + i;
    let dot = 0;
    for (let j = 0; j < 4; ++j) {
      dot += from[a + j] * from[b + j];
    }
    const weight = dot < 0 ? -part : part;
    let norm = 0;
    for (let j = 0; j < 4; ++j) {
      const value = (1 - part) * from[a + j] + weight * from[b + j];
      moment.quaternions[i + j] = value;
      norm += value * value;
    }
    const scale = norm > 0 ? 1 / Math.sqrt(norm) : 0;
    for (let j = 0; j < 4; ++j) {
      moment.quaternions[i + j] *= scale;
    }
  }
}

const magic = 0x46544353;
const frame_version = 3;
const head_size = 88;
const columns_per_contact = 14; // and six more of contacts with springs

/// Sets a moment from a binary frame of the live view. Throws if it is none, or of another scene.
export function set_from_binary(moment, buffer) {
  const view = new DataView(buffer);
  const sane = buffer.byteLength >= head_size && view.getUint32(0, true) === magic;
  if (!sane || view.getUint32(4, true) !== frame_version) {
    throw new Error(`a message from the server is not a frame of version ${frame_version}`);
  }
  const [bodies, count] = [view.getUint32(12, true), view.getUint32(16, true)];
  const sizes = [64, 68, 72, 76, 80, 84].map((place) => view.getUint32(place, true));
  const [springs, q, v, joint_forces, actuator_forces, pulls] = sizes;
  const numbers = 7 * bodies + columns_per_contact * count + 6 * springs + q + v + joint_forces + actuator_forces + 6 * pulls;
  if (bodies !== moment.bodies || buffer.byteLength !== head_size + 4 * numbers) {
    throw new Error("a frame from the server does not match the scene");
  }
  moment.frame = view.getUint32(8, true);
  moment.iterations = view.getUint32(20, true);
  moment.not_certified = view.getUint32(24, true);
  moment.steps = view.getUint32(28, true);
  moment.time = view.getFloat64(32, true);
  moment.hash = view.getBigUint64(40, true).toString(16).padStart(16, "0");
  moment.kinetic = view.getFloat32(48, true);
  moment.potential = view.getFloat32(52, true);
  moment.residual = view.getFloat32(56, true);
  moment.overlap = view.getFloat32(60, true);
  moment.first = 0;
  moment.count = count;
  read_columns(moment, buffer, { bodies, count, springs, q, v, joint_forces, actuator_forces, pulls });
}

function read_columns(moment, buffer, n) {
  let at = head_size;
  const take = (Type, length) => {
    const column = new Type(buffer, at, length);
    at += 4 * length;
    return column;
  };
  moment.positions.set(take(Float32Array, 3 * n.bodies));
  moment.quaternions.set(take(Float32Array, 4 * n.bodies));
  moment.contacts = {
    shapes: take(Int32Array, 2 * n.count),
    modes: take(Uint32Array, n.count),
    points: take(Float32Array, 3 * n.count),
    normals: take(Float32Array, 3 * n.count),
    impulses: take(Float32Array, 3 * n.count),
    gaps: take(Float32Array, n.count),
    frictions: take(Float32Array, n.count),
    anchors: n.springs > 0 ? take(Float32Array, 3 * n.springs) : null,
    stretches: n.springs > 0 ? take(Float32Array, 3 * n.springs) : null,
  };
  moment.tables = {};
  const names = ["joint_positions", "joint_velocities", "joint_forces", "actuator_forces"];
  [n.q, n.v, n.joint_forces, n.actuator_forces].forEach((length, i) => {
    if (length > 0) {
      moment.tables[names[i]] = take(Float32Array, length);
    }
  });
  const points = take(Float32Array, 3 * n.pulls);
  const forces = take(Float32Array, 3 * n.pulls);
  moment.pulls = Array.from({ length: n.pulls }, (_, i) => ({
    point: points.subarray(3 * i, 3 * i + 3), force: forces.subarray(3 * i, 3 * i + 3),
  }));
}
