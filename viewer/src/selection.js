// What was clicked, over time: contacts come and go and change their place in the list, so one is
// known by its two shapes and by where it was last.
import { set_from_run, Moment } from "./moment.js";
import { body_rows, contact_rows } from "./inspector.js";
import { body_name, shape_name } from "./names.js";

export class Selection {
  constructor(view, inspector, channels) {
    this.view = view;
    this.inspector = inspector;
    this.channels = channels;
    this.clear();
  }

  clear() {
    this.kind = null;
    this.body = -2;
    this.contact = -1;
    this.apply();
  }

  /// From a result of Picker.pick(); nothing clicked clears.
  select(what, moment) {
    this.clear();
    if (!what) {
      return;
    }
    this.kind = what.kind;
    if (what.kind === "body") {
      this.body = what.body;
      this.shape = what.shape;
    } else {
      const k = moment.first + what.index;
      this.pair = [...moment.contacts.shapes.subarray(2 * k, 2 * k + 2)];
      this.point = [...moment.contacts.points.subarray(3 * k, 3 * k + 3)];
      this.contact = what.index;
    }
    this.apply();
  }

  apply() {
    this.view.bodies.forEach((bodies) => bodies.select(this.body));
    this.view.contacts.selected = this.contact;
    if (!this.kind) {
      this.inspector.hide();
    }
  }

  /// Finds the contact again in another frame: nearest of the same two shapes.
  track(moment) {
    if (this.kind !== "contact") {
      return;
    }
    const { shapes, points } = moment.contacts;
    let best = Infinity;
    this.contact = -1;
    for (let i = 0; i < moment.count; ++i) {
      const k = moment.first + i;
      if (shapes[2 * k] !== this.pair[0] || shapes[2 * k + 1] !== this.pair[1]) {
        continue;
      }
      const away = Math.hypot(
        points[3 * k] - this.point[0],
        points[3 * k + 1] - this.point[1],
        points[3 * k + 2] - this.point[2],
      );
      if (away < best) {
        best = away;
        this.contact = i;
      }
    }
    if (this.contact >= 0) {
      const k = moment.first + this.contact;
      this.point = [...points.subarray(3 * k, 3 * k + 3)];
    }
    this.view.contacts.selected = this.contact;
  }

  /// Numbers into the card. `velocity(body)` gives [m/s] or null.
  describe(moment, velocity, time_step) {
    const { scene } = this.view;
    if (this.kind === "body") {
      const name = this.body < 0 ? shape_name(scene, this.shape) : body_name(scene, this.body);
      const rows = body_rows(scene, moment, this.body, velocity(this.body), time_step, this.channels);
      this.inspector.show(name, rows);
    } else if (this.kind === "contact") {
      this.describe_contact(scene, moment, time_step);
    }
  }

  describe_contact(scene, moment, time_step) {
    if (this.contact < 0) {
      const names = this.pair.map((i) => shape_name(scene, i)).join(" and ");
      this.inspector.show("Contact", [["Between", names], ["Mode", "no contact at this time"]]);
      return;
    }
    const k = moment.first + this.contact;
    const mode = Math.min(moment.contacts.modes[k], 2);
    this.inspector.show("Contact", contact_rows(scene, moment, k, time_step, this.channels), mode);
  }
}

/// Velocity of a body's origin by differences between the frames around a time.
export class RunVelocity {
  constructor(run, bodies) {
    this.run = run;
    this.before = new Moment(bodies);
    this.after = new Moment(bodies);
  }

  at(time, body) {
    const { times, frames } = this.run;
    if (body < 0 || frames < 2) {
      return null;
    }
    const spacing = (times[frames - 1] - times[0]) / (frames - 1);
    set_from_run(this.before, this.run, Math.max(time - spacing / 2, times[0]));
    set_from_run(this.after, this.run, Math.min(time + spacing / 2, times[frames - 1]));
    const span = this.after.time - this.before.time;
    return [0, 1, 2].map((j) => {
      return (this.after.positions[3 * body + j] - this.before.positions[3 * body + j]) / span;
    });
  }
}
