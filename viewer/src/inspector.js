// The card with the numbers of what was clicked: a body or a contact, at the time shown.
import { stretch_of } from "./anchors.js";
import { mode_colors, mode_names } from "./colors.js";
import { by_id, element, set_text } from "./dom.js";
import { number, vector } from "./format.js";

export const shape_name = (scene, i) => {
  const shape = scene.shapes[i];
  if (!shape) {
    return `shape ${i}`;
  }
  return shape.name || `${shape.kind} of ${body_name(scene, shape.body)}`;
};

export const body_name = (scene, i) =>
  i < 0 ? "world" : scene.bodies[i].name || `body ${i}`;

/// Rows on the contact k of a moment's columns.
export function contact_rows(scene, moment, k, time_step) {
  const { shapes, modes, points, normals, impulses, gaps, frictions } = moment.contacts;
  const p = impulses.subarray(3 * k, 3 * k + 3);
  const n = normals.subarray(3 * k, 3 * k + 3);
  const normal = p[0] * n[0] + p[1] * n[1] + p[2] * n[2];
  const tangent = Math.hypot(p[0] - normal * n[0], p[1] - normal * n[1], p[2] - normal * n[2]);
  const limit = frictions[k] * normal;
  const rows = [
    ["Between", `${shape_name(scene, shapes[2 * k])} and ${shape_name(scene, shapes[2 * k + 1])}`],
    ["Mode", mode_names[Math.min(modes[k], 2)]],
    ["Point", `${vector(...points.subarray(3 * k, 3 * k + 3))} m`],
    ["Normal", vector(...n)],
    ["Gap", `${number(gaps[k] * 1e3)} mm`],
    ["Normal impulse", `${number(normal)} N s`],
    ["Friction impulse", `${number(tangent)} N s`],
  ];
  if (time_step > 0) {
    rows.push(["Mean force", `${number(Math.hypot(...p) / time_step)} N`]);
  }
  rows.push(["Friction \u03bc", number(frictions[k])]);
  if (limit > 0) {
    rows.push(["Share of friction cone", `${number((100 * tangent) / limit)} %`]);
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

/// Rows on a body. `velocity`: of its origin [m/s], or null.
export function body_rows(scene, moment, body, velocity, time_step) {
  if (body < 0) {
    return [["", "Fixed: part of the world"]];
  }
  const b = scene.bodies[body];
  const rows = [
    ["Mass", `${number(b.mass)} kg`],
    ["Joint", joint_words(scene, b)],
    ["Position", `${vector(...moment.positions.subarray(3 * body, 3 * body + 3))} m`],
    ["Quaternion xyzw", quaternion_words(moment.quaternions, body)],
  ];
  if (velocity) {
    rows.push(["Speed of origin", `${number(Math.hypot(...velocity))} m/s`]);
  }
  const { count, force } = contact_force(scene, moment, body);
  rows.push(["Contacts", String(count)]);
  if (time_step > 0 && count > 0) {
    rows.push(["Contact force", `${number(Math.hypot(...force) / time_step)} N`]);
  }
  return rows;
}

function joint_words(scene, body) {
  const kind = body.joint?.kind ?? "?";
  return `${kind} to ${body_name(scene, body.parent)}`;
}

function quaternion_words(q, body) {
  return [...q.subarray(4 * body, 4 * body + 4)].map((x) => x.toFixed(3)).join(", ");
}

function contact_force(scene, moment, body) {
  const force = [0, 0, 0];
  let count = 0;
  for (let k = moment.first; k < moment.first + moment.count; ++k) {
    const a = scene.shapes[moment.contacts.shapes[2 * k]]?.body;
    const b = scene.shapes[moment.contacts.shapes[2 * k + 1]]?.body;
    if (a !== body && b !== body) {
      continue;
    }
    ++count;
    const sign = (b === body ? 1 : 0) - (a === body ? 1 : 0);
    for (let j = 0; j < 3; ++j) {
      force[j] += sign * moment.contacts.impulses[3 * k + j];
    }
  }
  return { count, force };
}

/// The card itself; rows are reused, only texts change.
export class Inspector {
  constructor(on_close) {
    this.card = by_id("inspector");
    this.title = by_id("inspector-title");
    this.table = by_id("inspector-rows");
    this.rows = [];
    by_id("inspector-close").addEventListener("click", on_close);
  }

  hide() {
    this.card.hidden = true;
  }

  show(title, rows, mode = -1) {
    this.card.hidden = false;
    set_text(this.title, title);
    this.card.style.setProperty("--mark", mode >= 0 ? mode_colors[mode] : "var(--highlight)");
    while (this.rows.length < rows.length) {
      const name = element("th", { scope: "row" });
      const value = element("td");
      const row = element("tr", {}, name, value);
      this.rows.push({ row, name, value });
      this.table.append(row);
    }
    this.rows.forEach(({ row, name, value }, i) => {
      row.hidden = i >= rows.length;
      if (!row.hidden) {
        set_text(name, rows[i][0]);
        set_text(value, rows[i][1]);
      }
    });
  }
}
