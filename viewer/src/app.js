// Joins picture, plots, controls and mouse to a session (a replay or the live view), and draws when
// something changed. A session has: scene, player, moments (one per run), front, advance(seconds),
// time_step, velocity(body), bring_to_front(run), bindings(app), mouse_help, drag_events,
// view_arguments, channels, curves(theme, keys), values_at(channel, moment), samples(), trails, and a
// summary.
import { default_keys } from "./channels.js";
import { by_id, set_text } from "./dom.js";
import { Controls } from "./controls.js";
import { csv_of, plot_definition } from "./curves.js";
import { Inspector } from "./inspector.js";
import { mode_names } from "./colors.js";
import { listen_to_keys } from "./keys.js";
import { Measure } from "./measure.js";
import { body_name, shape_name } from "./names.js";
import { say } from "./notice.js";
import { Picker } from "./picking.js";
import { Plots } from "./plots.js";
import { SaveMenu } from "./save_menu.js";
import { Selection } from "./selection.js";
import { View } from "./view.js";

const longest_tick = 0.1; // [s] a page that was in the background does not jump
const few_pictures = 6; // in a row that do not count as motion
const most_trails = 24;
const overlay_names = ["trails", "frames", "balance"];

export class App {
  constructor(session, theme) {
    this.session = session;
    this.scene = session.scene;
    this.theme = theme;
    by_id("player").hidden = by_id("plots").hidden = false;
    const { samples, runs, weight_impulse } = session.view_arguments();
    this.view = new View(by_id("canvas"), this.scene, theme, samples, runs, weight_impulse);
    this.view.on_resize = () => this.touch();
    this.measure = new Measure(this.view.stage, this.view.size);
    const inspector = new Inspector(() => this.select(null), (key) => this.toggle_plot(key));
    this.selection = new Selection(this.view, inspector, session.channels);
    this.chosen = [...default_keys];
    this.plots = new Plots(by_id("plots"), theme, {
      seek: (time) => {
        session.player.seek_time(time);
        this.touch();
      },
      remove: (key) => this.toggle_plot(key),
    });
    this.show_plots();
    this.controls = new Controls(this);
    this.save_menu = new SaveMenu(this);
    this.view.overlays.trails.set_source(session.trails);
    this.follow_overlays();
    this.picker = new Picker(this.view, () => this.moment, {
      hover: (what, x, y) => this.hover(what, x, y),
      click: (what) => this.click(what),
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

  say(words) {
    say(words);
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
    const { series, times } = this.session.curves(this.theme, this.chosen);
    this.plots.set_series(series, times);
    this.touch();
  }

  /// Plots of the chosen channels, without curves yet.
  show_plots() {
    const { session } = this;
    const about = {
      tolerances: () => session.tolerances(),
      lone: session.moments.length === 1,
      at: (channel, moment) => session.value_at(channel, moment),
    };
    const channels = this.chosen.map((key) => session.channels.get(key));
    this.plots.set_definitions(channels.map((channel) => plot_definition(channel, about)));
    this.selection.inspector.chosen = this.chosen;
  }

  /// Shows or removes a plot.
  toggle_plot(key) {
    const there = this.chosen.includes(key);
    this.choose_plots(there ? this.chosen.filter((k) => k !== key) : [...this.chosen, key]);
  }

  /// Shows the plots with these keys; those that do not exist here are left out.
  choose_plots(keys) {
    this.chosen = [...new Set(keys)].filter((key) => this.session.channels.get(key));
    this.session.watch?.(this.chosen);
    by_id("plots").hidden = this.chosen.length === 0;
    this.show_plots();
    this.refresh_curves();
    this.described_at = 0;
  }

  /// What an address asks for, besides time and run.
  take_wishes(wish) {
    const body = (name) => this.scene.bodies.findIndex((b, i) => b.name === name || (!b.name && String(i) === name));
    if (wish.has("plots")) {
      this.choose_plots(wish.get("plots").split(","));
    }
    if (wish.has("camera")) {
      if (wish.get("camera") === "fit") {
        this.fit_run();
      } else {
        this.look_from(wish.get("camera"));
      }
    }
    if (wish.has("show")) {
      this.show_overlays(wish.get("show").split(","));
    }
    if (wish.has("view")) {
      this.view.stage.set_view_words(wish.get("view"));
    }
    if (body(wish.get("follow")) >= 0) {
      this.follow(body(wish.get("follow")));
    }
    if (body(wish.get("body")) >= 0) {
      this.select({ kind: "body", body: body(wish.get("body")), run: this.view.front });
    }
    this.touch();
  }

  /// What is drawn beside bodies and contacts, as words of addresses.
  shown_overlays() {
    const { overlays, contacts, collision } = this.view;
    const names = overlay_names.filter((name) => overlays[name]?.visible);
    return [...names, ...(contacts.cones_visible ? ["cones"] : []), ...(collision ? ["collision"] : [])];
  }

  show_overlays(words) {
    overlay_names.forEach((name) => {
      if (this.view.overlays[name] && this.view.overlays[name].visible !== words.includes(name)) {
        this.toggle_overlay(name);
      }
    });
    this.view.contacts.cones_visible = words.includes("cones");
    this.view.set_collision(words.includes("collision"));
    this.controls.update_toggles();
  }

  plots_as_csv() {
    const { series } = this.session.curves(this.theme, this.chosen);
    return csv_of(this.chosen.map((key, i) => [this.session.channels.get(key), series[i]]));
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

  /// One of the overlays of the view: trails, frames, balance, tendons.
  toggle_overlay(name) {
    const overlay = this.view.overlays[name];
    if (!overlay) {
      return; // such as tendons in a scene without any
    }
    overlay.visible = !overlay.visible;
    this.controls.update_toggles();
    this.described_at = 0;
  }

  /// Overlays are about the selected body, or else about robots as a whole.
  follow_overlays() {
    const { body } = this.selection;
    const { trails, balance } = this.view.overlays;
    trails.follow(body >= 0 ? [body] : balance.tree.roots.filter((root, i) => root === i).slice(0, most_trails));
    balance.follow(body);
  }

  clear() {
    this.measure.clear();
    this.select(null);
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
    this.view.reset_view();
    this.controls.update_toggles();
  }

  fit_run() {
    this.view.fit(this.session.samples());
    this.controls.update_toggles();
  }

  /// `preset`: a name of camera.js.
  look_from(preset) {
    this.view.look_from(preset, this.moment);
    this.controls.update_toggles();
  }

  click(what) {
    if (!this.measure.active) {
      this.select(what);
      return;
    }
    const point = this.picker.point_of(what);
    if (point) {
      this.measure.add({ body: what.body ?? -1, point }, this.moment);
      this.touch();
    }
  }

  select(what) {
    if (what?.body >= 0) {
      this.session.bring_to_front(what.run);
    }
    this.selection.select(what, this.moment);
    this.follow_overlays();
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
    // The time of the first picture may lie before this call: only times of pictures are compared.
    let before;
    const tick = (now) => {
      const passed = Math.min(Math.max(now - (before ?? now), 0) / 1000, longest_tick);
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
    this.save_menu.tick();
    if (this.view.stage.update_controls()) {
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
    this.measure.update(this.moment);
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
      performance.mark("stiction-first-picture");
      document.title = `${document.title} \u2013 ready`;
    }
  }
}
