// Reads the data of a replay page (docs/page_format.md) into typed arrays.

const columns_of_run = {
  times: Float64Array,
  quaternions: Int16Array,
  kinetic: Float32Array,
  potential: Float32Array,
  residual: Float32Array,
  overlap: Float32Array,
  iterations: Uint32Array,
  not_certified: Uint32Array,
  steps: Uint32Array,
  contact_start: Uint32Array,
  contact_shapes: Int32Array,
  contact_mode: Uint8Array,
  contact_points: Float32Array,
  contact_normals: Float32Array,
  contact_impulses: Float32Array,
  contact_gap: Float32Array,
  contact_friction: Float32Array,
};

/// Of runs with viscoelastic contact alone.
const columns_of_springs = { contact_anchors: Float32Array, contact_stretches: Float32Array };

/// Of runs that recorded them: numbers of joints and actuators, as { unit, count, values }.
const scaled_tables = ["joint_positions", "joint_velocities", "joint_forces", "actuator_forces"];

function bytes_of(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) {
    bytes[i] = binary.charCodeAt(i);
  }
  return bytes;
}

/// A packed column: base64 of a zlib stream of little-endian numbers.
export async function unpack(text, Type, name) {
  if (typeof text !== "string") {
    throw new Error(`column ${name} is missing`);
  }
  if (text === "") {
    return new Type(0);
  }
  const stream = new Blob([bytes_of(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  try {
    return new Type(await new Response(stream).arrayBuffer());
  } catch (error) {
    throw new Error(`column ${name} cannot be unpacked (${error.message})`);
  }
}

/// Turns differences to the frame before into values, in place; the integers wrap around.
function sum_up(values, stride) {
  for (let i = stride; i < values.length; ++i) {
    values[i] += values[i - stride];
  }
}

function check_length(run, name, length) {
  if (run[name].length !== length) {
    throw new Error(`column ${name} has ${run[name].length} numbers instead of ${length}`);
  }
}

function check_run(run, bodies) {
  const n = run.frames;
  check_length(run, "positions", n * bodies * 3);
  check_length(run, "quaternions", n * bodies * 4);
  for (const name of ["times", "kinetic", "potential", "residual", "overlap", "iterations"]) {
    check_length(run, name, n);
  }
  check_length(run, "not_certified", n);
  check_length(run, "steps", n);
  check_length(run, "contact_start", n + 1);
  const contacts = run.contact_start[n];
  check_length(run, "contact_mode", contacts);
  check_length(run, "contact_gap", contacts);
  check_length(run, "contact_friction", contacts);
  check_length(run, "contact_shapes", contacts * 2);
  for (const name of ["contact_points", "contact_normals", "contact_impulses"]) {
    check_length(run, name, contacts * 3);
  }
  if (run.contact_anchors) {
    check_length(run, "contact_anchors", contacts * 3);
    check_length(run, "contact_stretches", contacts * 3);
  }
}

/// A table of real numbers: column by column, as differences of multiples of a unit. `entries` tells
/// which entries the columns are of a vector that has more.
async function read_table(json, name, frames) {
  const { unit, count } = json;
  const entries = json.entries ?? Array.from({ length: count }, (_, i) => i);
  const values = await unpack(json.values, Int32Array, name);
  if (!(unit > 0) || values.length !== count * frames) {
    throw new Error(`table ${name} has ${values.length} numbers instead of ${count * frames}`);
  }
  const columns = [];
  entries.forEach((entry, i) => {
    columns[entry] = values.subarray(i * frames, (i + 1) * frames);
    sum_up(columns[entry], 1);
  });
  return { unit, columns };
}

async function read_run(json, bodies) {
  const run = { label: json.label, description: json.description, frames: json.frames };
  if (!(run.frames > 0)) {
    throw new Error(`run ${json.label} has no frames`);
  }
  const whole = json.position_unit !== undefined;
  const types = { ...columns_of_run, ...(json.contact_anchors === undefined ? {} : columns_of_springs) };
  const names = Object.keys(types);
  const columns = await Promise.all(names.map((name) => unpack(json[name], types[name], name)));
  names.forEach((name, i) => (run[name] = columns[i]));
  run.positions = await unpack(json.positions, whole ? Int32Array : Float32Array, "positions");
  run.position_unit = whole ? json.position_unit : 1;
  run.tables = {};
  for (const name of scaled_tables.filter((name) => json[name] !== undefined)) {
    run.tables[name] = await read_table(json[name], name, run.frames);
  }
  check_run(run, bodies);
  sum_up(run.quaternions, bodies * 4);
  if (whole) {
    sum_up(run.positions, bodies * 3);
  }
  return with_derived(run);
}

/// Of contacts from `first` to before `end`: those that touch. The others are candidates alone: near
/// enough to be in the problem, but open.
export function touching_count(modes, first, end) {
  let count = 0;
  for (let k = first; k < end; ++k) {
    count += modes[k] === 0 ? 0 : 1;
  }
  return count;
}

/// Adds what is plotted but not stored.
function with_derived(run) {
  const n = run.frames;
  run.contacts = new Uint32Array(n);
  run.candidates = new Uint32Array(n);
  run.iterations_per_step = new Float32Array(n);
  run.overlap_mm = run.overlap.map((metres) => 1e3 * metres);
  for (let k = 0; k < n; ++k) {
    const [first, end] = [run.contact_start[k], run.contact_start[k + 1]];
    run.candidates[k] = end - first;
    run.contacts[k] = touching_count(run.contact_mode, first, end);
    run.iterations_per_step[k] = run.iterations[k] / Math.max(1, run.steps[k]);
  }
  return run;
}

/// An image whose first row is the lowest one. Without it things are drawn in their colours.
async function read_image(png) {
  try {
    return await createImageBitmap(new Blob([bytes_of(png)], { type: "image/png" }), { imageOrientation: "flipY" });
  } catch (error) {
    console.warn(`a texture cannot be read (${error.message})`);
    return undefined;
  }
}

export async function read_scene(scene) {
  for (const mesh of scene.meshes ?? []) {
    const name = `of mesh ${mesh.name}`;
    mesh.vertices = await unpack(mesh.vertices, Float32Array, `vertices ${name}`);
    mesh.triangles = await unpack(mesh.triangles, Uint32Array, `triangles ${name}`);
    mesh.hull_vertices = await unpack(mesh.hull_vertices ?? "", Float32Array, `hull ${name}`);
    mesh.hull_triangles = await unpack(mesh.hull_triangles ?? "", Uint32Array, `hull ${name}`);
    mesh.texture_places = await unpack(mesh.texture_places ?? "", Float32Array, `texture ${name}`);
    mesh.texture_triangles = await unpack(mesh.texture_triangles ?? "", Uint32Array, `texture ${name}`);
    mesh.triangle_colors = await unpack(mesh.triangle_colors ?? "", Uint32Array, `colors ${name}`);
  }
  for (const texture of scene.textures ?? []) {
    texture.image = await read_image(texture.png);
  }
  for (const field of scene.height_fields ?? []) {
    field.heights = await unpack(field.heights, Float32Array, `heights of ${field.name}`);
  }
  return scene;
}

/// The whole replay: { scene, runs, wish }. Throws an Error that says what is wrong.
export async function read_replay(json) {
  if (json.format !== "stiction-replay" || json.version !== 1) {
    throw new Error(
      `the page supports stiction-replay version 1, but its data is ${json.format} ${json.version}`,
    );
  }
  const scene = await read_scene(json.scene);
  const runs = [];
  for (const run of json.runs) {
    runs.push(await read_run(run, scene.bodies.length));
  }
  if (runs.length === 0) {
    throw new Error("the data contains no run");
  }
  return { scene, runs, wish: json.wish ?? "" };
}

/// The last frame at or before a time; 0 if there is none.
export function frame_at(times, count, time) {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time + 1e-9) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}
