// The card with the numbers of what was clicked: a body or a contact, at the time shown.
import { stretch_of } from "./anchors.js";
import { force_on, joint_sizes, parts_of_impulse, velocity_indices } from "./channels.js";
import { mode_colors, mode_names } from "./colors.js";
import { by_id, element, set_pressed, set_text } from "./dom.js";
import { number, vector } from "./format.js";
import { body_name, shape_name } from "./names.js";

/// Rows on the contact k of a moment's columns: [name, value, key of its plot if it has one].
export function contact_rows(scene, moment, k, time_step, channels) {
  const { shapes, modes, points, normals, gaps, frictions } = moment.contacts;
  const { normal, tangent } = parts_of_impulse(moment.contacts, k);
  const limit = frictions[k] * normal;
  const with_force = (impulse) =>
    `${number(impulse)} N s${time_step > 0 ? ` (${number(impulse / time_step)} N)` : ""}`;
  let used_key;
  const rows = [
    ["Between", `${shape_name(scene, shapes[2 * k])} and ${shape_name(scene, shapes[2 * k + 1])}`],
    ["Mode", mode_names[Math.min(modes[k], 2)]],
    ["Point", `${vector(...points.subarray(3 * k, 3 * k + 3))} m`],
    ["Normal", vector(...normals.subarray(3 * k, 3 * k + 3))],
    ["Gap", `${number(gaps[k] * 1e3)} mm`],
    ["Normal impulse", with_force(normal)],
    ["Friction impulse", with_force(tangent)],
  ];
  if (time_step > 0) {
    rows.push(["Mean force", `${number(Math.hypot(normal, tangent) / time_step)} N`]);
    const bodies = [0, 1].map((j) => scene.shapes[shapes[2 * k + j]]?.body ?? -1);
    if (Math.max(...bodies) >= 0) {
      const pair = bodies[0] < 0 ? [bodies[1], bodies[0]] : bodies;
      const { size, count } = force_on(scene, moment, ...pair, time_step);
      const words = count > 1 ? `${number(size)} N at ${count} points` : `${number(size)} N`;
      const key = channels.pair(...pair);
      rows.push(["Force of the pair", words, key]);
      used_key = key.replace("pair", "used");
    }
  }
  rows.push(["Friction \u03bc", number(frictions[k])]);
  if (limit > 0) {
    rows.push(["Friction used", `${number((100 * tangent) / limit)} % of \u03bc times normal`, used_key]);
  }
  const stretch = stretch_of(moment.contacts, k);
  if (stretch) {
    rows.push(
      ["Stretch", `${number(stretch.whole * 1e3)} mm`],
      ["Stretch along surface", `${number(stretch.along * 1e3)} mm`],
    );
  }
  return rows;
}

/// Rows on a body, like those on a contact. `velocity`: of its origin [m/s], or null.
export function body_rows(scene, moment, body, velocity, time_step, channels) {
  if (body < 0) {
    return [["", "Fixed: part of the world"]];
  }
  const b = scene.bodies[body];
  const rows = [
    ["Mass", `${number(b.mass)} kg`],
    ["Joint", joint_words(scene, b)],
    ...joint_rows(scene, moment, body, channels),
    ["Position", `${vector(...moment.positions.subarray(3 * body, 3 * body + 3))} m`, `z:${body}`],
    ["Quaternion xyzw", quaternion_words(moment.quaternions, body)],
  ];
  if (velocity) {
    rows.push(["Speed of origin", `${number(Math.hypot(...velocity))} m/s`]);
  }
  if (time_step > 0) {
    const { count, size } = force_on(scene, moment, body, null, time_step);
    rows.push(["Contacts", String(count)], ["Contact force", `${number(size)} N`, `force:${body}`]);
  }
  return rows;
}

/// What the joint that carries a body does, as far as it was recorded, and the actuators that drive it.
function joint_rows(scene, moment, body, channels) {
  const { joint } = scene.bodies[body];
  const rows = [];
  const add = (name, column, i, key, unit) => {
    const value = moment.joint_value(column, i);
    if (value !== undefined && channels.get(key)) {
      const degrees = unit === "rad" ? ` (${number((180 / Math.PI) * value)}\u00b0)` : "";
      rows.push([name, `${number(value)} ${unit}${degrees}`.trim(), key]);
    }
  };
  if (joint_sizes(joint.kind)[1] === 1) {
    const [unit, force] = joint.kind === "prismatic" ? ["m", "N"] : ["rad", "N m"];
    const v = velocity_indices(scene)[body];
    add("Joint position", "joint_positions", joint.index, `q:${joint.index}`, unit);
    add("Joint velocity", "joint_velocities", v, `v:${v}`, `${unit}/s`);
    add(force === "N" ? "Joint force" : "Joint torque", "joint_forces", v, `f:${v}`, force);
  }
  (scene.actuators ?? []).forEach((actuator, i) => {
    if (actuator.body === body) {
      add(`Actuator ${actuator.name}`, "actuator_forces", i, `a:${i}`, actuator.unit ?? "");
    }
  });
  return rows;
}

function joint_words(scene, body) {
  const kind = body.joint?.kind ?? "?";
  return `${kind} to ${body_name(scene, body.parent)}`;
}

function quaternion_words(q, body) {
  return [...q.subarray(4 * body, 4 * body + 4)].map((x) => x.toFixed(3)).join(", ");
}

/// The card itself; rows are reused, only texts change. `on_plot(key)`: a plot is wanted, or not any
/// more; `chosen`: keys of the plots that are shown.
export class Inspector {
  constructor(on_close, on_plot) {
    this.card = by_id("inspector");
    this.title = by_id("inspector-title");
    this.table = by_id("inspector-rows");
    this.on_plot = on_plot;
    this.chosen = [];
    this.rows = [];
    by_id("inspector-close").addEventListener("click", on_close);
  }

  hide() {
    this.card.hidden = true;
  }

  add_row() {
    const made = { key: undefined };
    made.name = element("th", { scope: "row" });
    made.value = element("td");
    made.plot = element("button", { type: "button", class: "plot-toggle" }, "plot");
    made.plot.addEventListener("click", () => this.on_plot(made.key));
    made.row = element("tr", {}, made.name, made.value, element("td", {}, made.plot));
    this.rows.push(made);
    this.table.append(made.row);
  }

  show(title, rows, mode = -1) {
    this.card.hidden = false;
    set_text(this.title, title);
    this.card.style.setProperty("--mark", mode >= 0 ? mode_colors[mode] : "var(--highlight)");
    while (this.rows.length < rows.length) {
      this.add_row();
    }
    this.rows.forEach((made, i) => {
      made.row.hidden = i >= rows.length;
      if (!made.row.hidden) {
        this.write(made, ...rows[i]);
      }
    });
  }

  write(made, name, value, key) {
    set_text(made.name, name);
    set_text(made.value, value);
    made.key = key;
    made.plot.hidden = key === undefined;
    if (key !== undefined) {
      set_pressed(made.plot, this.chosen.includes(key));
      made.plot.setAttribute("aria-label", `plot ${name}`);
    }
  }
}
