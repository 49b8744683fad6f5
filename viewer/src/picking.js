// Mouse over the picture: names on hover, selection on click, dragging of bodies in the live view.
import { Matrix4, Plane, Raycaster, Vector2, Vector3 } from "three";
import { body_pose } from "./bodies.js";

const reach = 11; // [px] how near the mouse must be to a contact
const click_slack = 4; // [px] that the mouse may move in a click

export class Picker {
  /// `events`: { hover(what, x, y), click(what), drag(body, point, target), release() }, of which
  /// the last two are for the live view; `moment()`: what is shown in front.
  constructor(view, moment, events) {
    this.view = view;
    this.moment = moment;
    this.events = events;
    this.raycaster = new Raycaster();
    this.pointer = new Vector2();
    this.projected = new Vector3();
    this.plane = new Plane();
    this.target = new Vector3();
    this.inverse = new Matrix4();
    this.moved = false;
    this.inside = false;
    this.dragging = null;
    this.drag_mode = false;
    this.listen(view.stage.canvas);
  }

  listen(canvas) {
    // Before the orbit controls see it: a drag of a body must not turn the camera.
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", () => this.release());
    canvas.addEventListener("pointerleave", () => {
      this.inside = false;
      this.events.hover(null);
    });
  }

  place(event) {
    const box = this.view.stage.canvas.getBoundingClientRect();
    this.x = event.clientX - box.left;
    this.y = event.clientY - box.top;
    this.pointer.set((2 * this.x) / box.width - 1, 1 - (2 * this.y) / box.height);
  }

  down(event) {
    this.place(event);
    this.down_at = { x: this.x, y: this.y };
    if (!this.events.drag || event.button !== 0 || !(event.shiftKey || this.drag_mode)) {
      return;
    }
    const hit = this.pick_body();
    if (hit && hit.body >= 0) {
      this.begin_drag(hit, event);
    }
  }

  begin_drag(hit, event) {
    const { stage } = this.view;
    stage.controls.enabled = false;
    stage.canvas.setPointerCapture(event.pointerId);
    this.inverse.copy(body_pose(this.moment(), hit.body, this.inverse)).invert();
    const local = hit.point.clone().applyMatrix4(this.inverse);
    const facing = stage.camera.getWorldDirection(new Vector3());
    this.plane.setFromNormalAndCoplanarPoint(facing, hit.point);
    this.dragging = { body: hit.body, local, target: hit.point.clone(), changed: true };
    this.events.hover(null);
  }

  move(event) {
    this.place(event);
    this.inside = true;
    this.moved = true;
    if (this.dragging) {
      this.raycaster.setFromCamera(this.pointer, this.view.stage.camera);
      if (this.raycaster.ray.intersectPlane(this.plane, this.target)) {
        this.dragging.target.copy(this.target);
        this.dragging.changed = true;
      }
    }
  }

  up(event) {
    this.place(event);
    if (this.dragging) {
      this.release();
      return;
    }
    const from = this.down_at;
    if (from && Math.hypot(this.x - from.x, this.y - from.y) < click_slack && event.button === 0) {
      this.events.click(this.pick());
    }
    this.down_at = null;
  }

  release() {
    if (this.dragging) {
      this.dragging = null;
      this.view.stage.controls.enabled = true;
      this.events.release();
    }
  }

  /// Once per picture: what the mouse points at now, and the drag as it is now.
  tick() {
    if (this.dragging) {
      if (this.dragging.changed) {
        this.dragging.changed = false;
        this.events.drag(this.dragging.body, this.dragging.local, this.dragging.target);
      }
    } else if (this.moved && this.inside) {
      this.events.hover(this.pick(), this.x, this.y);
    }
    this.moved = false;
  }

  /// { kind: "contact", index } or { kind: "body", body, shape }, or null.
  pick() {
    const contact = this.pick_contact();
    if (contact >= 0) {
      return { kind: "contact", index: contact };
    }
    const hit = this.pick_body();
    return hit ? { kind: "body", ...hit } : null;
  }

  /// Where in the world something is that was picked; null if nothing was.
  point_of(what) {
    if (what?.kind === "contact") {
      const moment = this.moment();
      return new Vector3().fromArray(moment.contacts.points, 3 * (moment.first + what.index));
    }
    return what?.point ?? null;
  }

  pick_body() {
    const { view } = this;
    this.raycaster.setFromCamera(this.pointer, view.stage.camera);
    let nearest = null;
    view.bodies.forEach((bodies, run) => {
      if (view.hidden.has(run)) {
        return;
      }
      const hit = bodies.pick(this.raycaster);
      if (hit && (!nearest || hit.distance < nearest.distance)) {
        nearest = { ...hit, run };
      }
    });
    return nearest;
  }

  /// The contact whose point is nearest to the mouse on the screen, counted within its frame.
  pick_contact() {
    const moment = this.moment();
    let best = reach;
    let found = -1;
    for (let i = 0; i < (this.view.contacts.shown ?? 0); ++i) {
      const p = this.screen_point(moment, i);
      const away = Math.hypot(p.x - this.x, p.y - this.y);
      if (p.z < 1 && away < best) {
        best = away;
        found = i;
      }
    }
    return found;
  }

  /// Where a contact stands on the screen [px]; z is its depth, below 1 if before the camera.
  screen_point(moment, i) {
    const p = this.projected.fromArray(moment.contacts.points, 3 * (moment.first + i));
    p.project(this.view.stage.camera);
    const { clientWidth, clientHeight } = this.view.stage.canvas;
    p.x = ((p.x + 1) / 2) * clientWidth;
    p.y = ((1 - p.y) / 2) * clientHeight;
    return p;
  }
}
