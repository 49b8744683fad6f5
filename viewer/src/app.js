// Joins picture, plots, controls and mouse to a session (a replay or the live view), and draws when
// something changed. A session has: scene, player, moments (one per run), front, advance(seconds),
// time_step, velocity(body), bring_to_front(run), bindings(app), mouse_help, drag_events, view_arguments, and a summary.
import { by_id, set_text } from "./dom.js";
import { Controls } from "./controls.js";
import { Inspector, body_name, shape_name } from "./inspector.js";
import { mode_names } from "./colors.js";
import { listen_to_keys } from "./keys.js";
import { Picker } from "./picking.js";
import { Plots } from "./plots.js";
import { Selection } from "./selection.js";
import { View } from "./view.js";

const longest_tick = 0.1; // [s] a page that was in the background does not jump
const few_pictures = 6; // in a row that do not count as motion

export class App {
  constructor(session, theme) {
    this.session = session;
    this.scene = session.scene;
    this.theme = theme;
    by_id("player").hidden = by_id("plots").hidden = false;
    const { samples, runs, weight_impulse } = session.view_arguments();
    this.view = new View(by_id("canvas"), this.scene, theme, samples, runs, weight_impulse);
    this.selection = new Selection(this.view, new Inspector(() => this.select(null)));
    this.plots = new Plots(by_id("plots"), session.plot_definitions(), theme, (time) => {
      session.player.seek_time(time);
      this.touch();
    });
    this.controls = new Controls(this);
    this.picker = new Picker(this.view, () => this.moment, {
      hover: (what, x, y) => this.hover(what, x, y),
      click: (what) => this.select(what),
      ...session.drag_events(this),
    });
    this.drawn = 0;
    this.in_a_row = 0;
    this.described_at = 0;
    session.begin(this);
    listen_to_keys(this);
    theme.on_change(() => this.refresh_curves());
    new ResizeObserver(() => this.resized()).observe(document.body);
    this.touch();
  }

  get moment() {
    return this.session.moments[this.view.front];
  }

  /// Asks for pictures: two, for a change of the camera shows in the second.
  touch() {
    this.wanted = 2;
  }

  resized() {
    this.plots.redraw();
    this.touch();
  }

  refresh_curves() {
    const { series, times } = this.session.curves(this.theme);
    this.plots.set_series(series, times);
    this.touch();
  }

  toggle_contacts() {
    this.view.contacts.visible = !this.view.contacts.visible;
    this.controls.update_toggles();
  }

  toggle_cones() {
    this.view.contacts.cones_visible = !this.view.contacts.cones_visible;
    this.controls.update_toggles();
  }

  toggle_anchors() {
    this.view.contacts.anchors_visible = !this.view.contacts.anchors_visible;
    this.controls.update_toggles();
  }

  toggle_collision() {
    this.view.set_collision(!this.view.collision);
    this.controls.update_toggles();
  }

  follow(body) {
    this.view.follow(body);
    this.controls.update_toggles();
  }

  /// The selected body, or else the first one.
  toggle_follow() {
    const wanted = this.selection.body >= 0 ? this.selection.body : 0;
    this.follow(this.view.followed >= 0 || this.scene.bodies.length === 0 ? -1 : wanted);
  }

  reset_view() {
    this.follow(-1);
    this.view.stage.reset_view();
  }

  select(what) {
    if (what?.body >= 0) {
      this.session.bring_to_front(what.run);
    }
    this.selection.select(what, this.moment);
    this.described_at = 0;
    this.touch();
  }

  hover(what, x, y) {
    const label = by_id("hover");
    label.hidden = !what;
    this.view.stage.canvas.style.cursor = what ? "pointer" : "";
    if (!what) {
      return;
    }
    set_text(label, this.hover_text(what));
    const left = Math.min(x + 14, this.view.stage.canvas.clientWidth - label.offsetWidth - 4);
    label.style.transform = `translate(${left}px, ${Math.max(y - 26, 2)}px)`;
  }

  hover_text(what) {
    if (what.kind === "contact") {
      const k = this.moment.first + what.index;
      const { shapes, modes } = this.moment.contacts;
      const names = [0, 1].map((j) => shape_name(this.scene, shapes[2 * k + j]));
      return `${names.join(" \u2013 ")} (${mode_names[Math.min(modes[k], 2)]})`;
    }
    const run = this.session.run_label(what.run);
    const name =
      what.body < 0 ? shape_name(this.scene, what.shape) : body_name(this.scene, what.body);
    return run && what.body >= 0 ? `${name} (${run})` : name;
  }

  /// Draws from now on.
  run() {
    let before = performance.now();
    const tick = (now) => {
      const passed = Math.min((now - before) / 1000, longest_tick);
      before = now;
      this.tick(passed, now);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  tick(passed, now) {
    if (this.session.advance(passed)) {
      this.touch();
    }
    this.picker.tick();
    if (this.view.stage.controls.update()) {
      this.touch();
    }
    const { stage } = this.view;
    if (this.wanted > 0) {
      --this.wanted;
      stage.set_moving(++this.in_a_row > few_pictures);
      stage.note_pace(passed);
      this.draw(now);
      return;
    }
    this.in_a_row = 0;
    if (stage.moving) {
      stage.set_moving(false);
      this.draw(now);
    }
  }

  draw(now) {
    this.selection.track(this.moment);
    this.view.show(this.session.moments);
    this.plots.update(this.moment);
    this.controls.update();
    // Texts at ten a second can be read, at sixty not.
    if (now - this.described_at > 100 || !this.session.player.playing) {
      this.described_at = now;
      const { session } = this;
      this.plots.describe(this.moment);
      this.controls.describe();
      this.selection.describe(this.moment, (body) => session.velocity(body), session.time_step);
    }
    if (++this.drawn === 1) {
      document.title = `${document.title} \u2013 ready`;
    }
  }
}
