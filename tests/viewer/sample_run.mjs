// A small replay by formulas, as docs/page_format.md describes it: every kind of shape, contacts of
// every mode, and numbers that a test can know.
import { deflateSync } from "node:zlib";

export const pack = (array) =>
  deflateSync(Buffer.from(array.buffer, array.byteOffset, array.byteLength)).toString("base64");

const identity = [0, 0, 0, 1];

function shape(name, body, kind, size, more = {}) {
  return {
    name, body, kind, size,
    position: [0, 0, 0], quaternion: identity, color: [0.7, 0.7, 0.7, 1],
    visible: true, collides: true, friction: 0.6, mesh: -1, height_field: -1, ...more,
  };
}

function body(name, parent, mass, kind, index, velocity_index) {
  const joint = { name: `${name}_joint`, kind, axis: [0, 1, 0], position: [0, 0, 0], quaternion: identity, index, velocity_index };
  return { name, parent, mass, center: [0, 0, 0], joint };
}

function pyramid() {
  return {
    name: "pyramid",
    vertices: pack(new Float32Array([-0.15, -0.15, 0, 0.15, -0.15, 0, 0.15, 0.15, 0, -0.15, 0.15, 0, 0, 0, 0.25])),
    triangles: pack(new Uint32Array([0, 2, 1, 0, 3, 2, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4])),
    hull_vertices: pack(new Float32Array([-0.15, -0.15, 0, 0.15, -0.15, 0, 0.15, 0.15, 0, -0.15, 0.15, 0, 0, 0, 0.25])),
    hull_triangles: pack(new Uint32Array([0, 2, 1, 0, 3, 2, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4])),
  };
}

function hills() {
  const heights = new Float32Array(20 * 30);
  for (let i = 0; i < heights.length; ++i) {
    heights[i] = 0.05 + 0.05 * Math.sin(i % 30) * Math.cos(Math.floor(i / 30) / 2);
  }
  return { name: "hills", rows: 20, columns: 30, half_size: [0.6, 0.4], base: 0.05, heights: pack(heights) };
}

export function sample_scene() {
  return {
    name: "sample",
    gravity: [0, 0, -9.81],
    bodies: [
      body("ball", -1, 1, "free", 0, 0), body("crate", -1, 4, "free", 7, 6), body("arm", -1, 2, "revolute", 14, 12),
      body("hand", 2, 1, "revolute", 15, 13), body("gem", -1, 0.5, "free", 16, 14), body("can", -1, 0.5, "free", 23, 20),
    ],
    shapes: [
      shape("floor", -1, "plane", [0, 0, 0]),
      shape("ball", 0, "sphere", [0.15, 0, 0]),
      shape("crate", 1, "box", [0.2, 0.15, 0.1], { color: [0.8, 0.3, 0.2, 1] }),
      shape("arm", 2, "capsule", [0.05, 0.2, 0], { position: [0, 0, -0.2] }),
      shape("hand", 3, "ellipsoid", [0.06, 0.1, 0.16], { position: [0, 0, -0.15] }),
      shape("gem", 4, "mesh", [0, 0, 0], { mesh: 0 }),
      shape("can", 5, "cylinder", [0.1, 0.14, 0], { visible: false }),
      shape("can_label", 5, "cylinder", [0.102, 0.06, 0], { collides: false, color: [0.2, 0.5, 0.9, 1] }),
      shape("sticker", 1, "box", [0.05, 0.151, 0.05], { collides: false, color: [0.95, 0.9, 0.6, 1] }),
      shape("hills", -1, "height_field", [0, 0, 0], { position: [-1, 1, 0], height_field: 0 }),
    ],
    actuators: [{ name: "elbow_motor", body: 3, unit: "N m", control_range: [-5, 5] }],
    meshes: [pyramid()],
    height_fields: [hills()],
    position_count: 30,
    velocity_count: 26,
  };
}

/// Number of contacts of a frame: between 0 and 6.
export const contacts_of = (frame) => Math.floor(frame / 10) % 7;

/// Poses of the six bodies at a time: [x, y, z, qx, qy, qz, qw] each. `shift` moves one run from
/// another.
function poses(time, shift) {
  const turn = (axis, angle) => {
    const q = [0, 0, 0, Math.cos(angle / 2)];
    q[axis] = Math.sin(angle / 2);
    return q;
  };
  const swing = 0.8 * Math.cos(3 * time);
  const elbow = [-0.4 * Math.sin(swing), -0.6, 0.9 - 0.4 * Math.cos(swing)];
  return [
    [0.3 * time - 0.6 + shift, 0.5, 0.15, ...turn(1, (0.3 * time) / 0.15)],
    [0.2 * time - 0.3, -0.1 + shift, 0.1, ...turn(2, 0.3 * time)],
    [0, -0.6, 0.9, ...turn(1, swing)],
    [...elbow, ...turn(1, 1.5 * swing)],
    [0.8, 0.1, 0.4 * Math.abs(Math.cos(4 * time)) + shift, ...turn(2, time)],
    [0.5, -0.5, 0.14, ...turn(2, 2 * time)],
  ];
}

function differences(array, stride) {
  for (let i = array.length - 1; i >= stride; --i) {
    array[i] -= array[i - stride];
  }
  return array;
}

function pose_columns(frames, spacing, shift) {
  const positions = new Int32Array(frames * 6 * 3);
  const quaternions = new Int16Array(frames * 6 * 4);
  for (let k = 0; k < frames; ++k) {
    poses(k * spacing, shift).forEach((p, i) => {
      positions.set(p.slice(0, 3).map((x) => Math.round(x / 1e-5)), 3 * (6 * k + i));
      quaternions.set(p.slice(3).map((x) => Math.round(x * 32767)), 4 * (6 * k + i));
    });
  }
  return {
    position_unit: 1e-5,
    positions: pack(differences(positions, 18)),
    quaternions: pack(differences(quaternions, 24)),
  };
}

/// Stretch of the spring of a contact, by its place in the frame: along the surface and into it [m].
export const stretch_of = (c) => [-1e-4 * c, 5e-5, -1e-4];

function contact_columns(frames, spacing, shift, springs) {
  const start = new Uint32Array(frames + 1);
  const rows = [];
  for (let k = 0; k < frames; ++k) {
    const all = poses(k * spacing, shift);
    for (let c = 0; c < contacts_of(k); ++c) {
      const [x, y] = all[[0, 1, 1, 1, 1, 5][c]];
      const corner = [[0, 0], [0.2, 0.15], [-0.2, 0.15], [0.2, -0.15], [-0.2, -0.15], [0, 0]][c];
      rows.push({
        shapes: [0, [1, 2, 2, 2, 2, 6][c]], mode: [1, 2, 2, 1, 0, 1][c],
        point: [x + corner[0], y + corner[1], 0],
        stretch: stretch_of(c),
        impulse: c === 4 ? [0, 0, 0] : [0.003 * c, 0, 0.01 + 0.002 * c],
      });
    }
    start[k + 1] = rows.length;
  }
  const flat = (Type, read) => pack(new Type(rows.flatMap(read)));
  return {
    contact_start: pack(start),
    contact_shapes: flat(Int32Array, (r) => r.shapes),
    contact_mode: flat(Uint8Array, (r) => [r.mode]),
    contact_points: flat(Float32Array, (r) => r.point),
    contact_normals: flat(Float32Array, () => [0, 0, 1]),
    contact_impulses: flat(Float32Array, (r) => r.impulse),
    contact_gap: flat(Float32Array, () => [-1e-5]),
    contact_friction: flat(Float32Array, () => [0.6]),
    ...(springs && {
      contact_anchors: flat(Float32Array, (r) => r.point.map((x, i) => x - r.stretch[i])),
      contact_stretches: flat(Float32Array, (r) => r.stretch),
    }),
  };
}

/// Numbers of the joints of arm and hand; the others are zero.
export const elbow_torque = (time) => 2 * Math.sin(4 * time);

function table(count, frames, spacing, unit, read) {
  const values = new Int32Array(count * frames);
  for (let i = 0; i < count; ++i) {
    const column = Int32Array.from({ length: frames }, (_, k) => Math.round(read(i, k * spacing) / unit));
    values.set(differences(column, 1), i * frames);
  }
  return { unit, count, values: pack(values) };
}

function joint_tables(frames, spacing) {
  const swing = (time) => 0.8 * Math.cos(3 * time);
  return {
    joint_positions: table(30, frames, spacing, 1e-6, (i, t) => (i === 14 ? swing(t) : i === 15 ? 0.5 * swing(t) : 0)),
    joint_velocities: table(26, frames, spacing, 1e-6, (i, t) => (i === 12 ? -2.4 * Math.sin(3 * t) : 0)),
    joint_forces: table(26, frames, spacing, 1e-6, (i, t) => (i === 13 ? elbow_torque(t) : 0)),
    actuator_forces: table(1, frames, spacing, 1e-6, (_, t) => elbow_torque(t)),
  };
}

export function sample_run(label, { frames = 241, spacing = 1 / 60, shift = 0, bad_frames = 0, springs = false, tables = true } = {}) {
  const column = (Type, read) => pack(Type.from({ length: frames }, (_, k) => read(k)));
  return {
    label,
    description: {
      title: "sample", scene: "models/scenes/sample.xml", solver: label, law: "coulomb",
      gap_rule: "linear", integrator: "euler", controls: "zero", time_step: 0.001, tolerance: 1e-8, seed: 7,
      ...(springs && {
        options: { contact: "viscoelastic", "viscoelastic.stiffness": 1e5, "viscoelastic.damping": 300 },
      }),
    },
    frames,
    times: column(Float64Array, (k) => k * spacing),
    ...pose_columns(frames, spacing, shift),
    kinetic: column(Float32Array, (k) => 2 + Math.sin(k / 10)),
    potential: column(Float32Array, (k) => 30 - Math.sin(k / 10) - 0.004 * k),
    residual: column(Float32Array, (k) => 10 ** (-10 + 1.5 * Math.sin(k / 5))),
    overlap: column(Float32Array, () => 1e-5),
    iterations: column(Uint32Array, (k) => (k === 0 ? 0 : 17 * (3 + (k % 5)))),
    not_certified: column(Uint32Array, (k) => (k > 0 && k <= bad_frames ? 1 : 0)),
    steps: column(Uint32Array, (k) => (k === 0 ? 0 : 17)),
    ...contact_columns(frames, spacing, shift, springs),
    ...(tables && joint_tables(frames, spacing)),
  };
}

export const replay = (...runs) => ({ format: "stiction-replay", version: 1, scene: sample_scene(), runs });

/// The page with data in its place.
export function fill_page(page, data) {
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  const place = '<script id="stiction-data" type="application/json">';
  return page.replace(`${place}null<`, () => `${place}${json}<`);
}
