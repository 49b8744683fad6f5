// The live view: the same page, fed by a running simulation.
import { Vector3 } from "three";
import { App } from "./app.js";
import { Channels } from "./channels.js";
import { Connection } from "./connection.js";
import { curve_color, curves_of } from "./curves.js";
import { read_scene } from "./data.js";
import { by_id, element, set_pressed, set_text } from "./dom.js";
import { grouped, step_words, number } from "./format.js";
import { History, channel_value } from "./history.js";
import { LivePanel } from "./live_panel.js";
import { LiveRobot, PullLabel } from "./live_robot.js";
import { LivePlayer } from "./live_player.js";
import { LiveTrails } from "./live_trails.js";
import { Moment, set_from_binary } from "./moment.js";
import { say } from "./notice.js";
import { expose } from "./probe.js";
import { SpringRod } from "./spring.js";
import { contact_words, has_springs } from "./words.js";

const curves_interval = 250; // [ms] between two drawings of the curves
const message_time = 6000; // [ms] that an error stays on the page

const pull_point = new Vector3();

class LiveSession {
  constructor(scene, first_frame, settings, send) {
    this.scene = scene;
    this.settings = settings;
    this.send = send;
    this.history = new History();
    this.player = new LivePlayer(send, this.history);
    this.trails = new LiveTrails();
    this.moments = [new Moment(scene.bodies.length)];
    this.start_energy = null;
    this.fresh = false;
    this.curves_at = 0;
    this.curves_fresh = false;
    this.mouse_help = [["Shift-drag", "pull a body with a spring"]];
    this.take_frame(first_frame);
    this.channels = new Channels(scene, {
      has: (name, i) => this.moments[0].joint_value(name, i) !== undefined,
      time_step: () => this.time_step,
      pairs: [],
    });
  }

  get time_step() {
    return this.settings.time_step;
  }

  run_label() {
    return "";
  }

  bring_to_front() {}

  /// Velocities are not sent, and two frames may be far apart.
  velocity() {
    return null;
  }

  weight_impulse() {
    const mass = this.scene.bodies.reduce((sum, body) => sum + body.mass, 0);
    const gravity = Math.hypot(...this.scene.gravity) || 1;
    return Math.max(0.3 * mass * gravity * (this.settings.time_step || 1e-3), 1e-12);
  }

  /// Of a fair load whose friction is a fifth of it [m].
  typical_stretch() {
    const across = this.settings["viscoelastic.tangential_stiffness"];
    const stiffness = across || this.settings["viscoelastic.stiffness"] || 1e5;
    return (0.2 * this.weight_impulse()) / (this.settings.time_step || 1e-3) / stiffness;
  }

  view_arguments() {
    return { samples: this.moments, runs: 1, weight_impulse: this.weight_impulse() };
  }

  /// What fits into the picture: the scene as it is now.
  samples() {
    return this.moments;
  }

  tolerances() {
    return [this.settings.tolerance].filter((t) => t > 0);
  }

  value_at(channel, moment) {
    return channel_value(channel, moment);
  }

  /// The channels that are plotted are collected from now on.
  watch(keys) {
    this.history.watch(keys.map((key) => this.channels.get(key)));
    this.history.add(this.moments[0]);
  }

  curves(theme, keys) {
    const { history } = this;
    const count = history.frames;
    const style = { color: curve_color(0, true, theme), lone: true, theme, count };
    const values_of = (channel) => history.of(channel);
    const series = keys.map((key) => (count > 0 ? curves_of(history, this.channels.get(key), values_of, style) : []));
    const from = count > 0 ? history.times[0] : 0;
    const to = count > 0 ? history.times[count - 1] : 1;
    return { series, times: [from, Math.max(to, from + 0.1)] };
  }

  drag_events() {
    return {
      drag: (body, point, target) => {
        this.send({ type: "drag", body, point: point.toArray(), target: target.toArray() });
      },
      release: () => this.send({ type: "release" }),
    };
  }

  bindings(app) {
    return [
      ["S", "one step of the simulation", ["s"], () => this.send({ type: "step", count: 1 })],
      ["X", "back to the initial state", ["x"], () => this.send({ type: "reset" })],
      ["G", "arrow keys drive the robot of a policy, or the time again", ["g"], () => this.panel.robot.drive.toggle()],
      ["D", "drag pulls bodies, or rotates the camera", ["d"], () => this.toggle_drag(app)],
    ];
  }

  toggle_drag(app) {
    app.picker.drag_mode = !app.picker.drag_mode;
    set_pressed(this.panel.drag, app.picker.drag_mode);
  }

  begin(app) {
    this.app = app;
    by_id("app").dataset.mode = "live";
    set_text(by_id("title"), this.scene.name);
    document.title = `${this.scene.name} \u2013 Stiction`;
    this.spring = new SpringRod(app.view.stage.scene, app.view.size);
    this.panel = new LivePanel(this.send, {
      reset: () => this.send({ type: "reset" }),
      step: () => this.send({ type: "step", count: 1 }),
      drag: () => this.toggle_drag(app),
    }, new LiveRobot(this.scene, this.send));
    this.pull = new PullLabel(app.view);
    // On a live simulation this button is for going back as far as the server remembers.
    by_id("restart").title = "Go to the oldest frame in the history (Home)";
    this.write_summary();
  }

  write_summary() {
    const s = this.settings;
    const parts = [`live in steps of ${step_words(s.time_step)}`, ...contact_words(s, s)];
    set_text(by_id("summary"), parts.join(" \u00b7 "));
  }

  take_frame(buffer) {
    const moment = this.moments[0];
    set_from_binary(moment, buffer);
    moment.iterations_per_step = moment.iterations / Math.max(1, moment.steps);
    const energy = moment.kinetic + moment.potential;
    if (moment.frame === 0 || this.start_energy === null) {
      this.start_energy = energy;
    }
    moment.energy_change = energy - this.start_energy;
    this.player.frame = moment.frame;
    this.player.last = Math.max(this.player.last, moment.frame);
    this.player.time = moment.time;
    this.history.add(moment);
    this.trails.add(moment);
    this.fresh = true;
    this.curves_fresh = true;
  }

  take_status(status) {
    this.settings = { ...this.settings, ...status.settings };
    this.player.take_status(status);
    this.history.keep(status.first, status.last);
    this.panel.show_status(status);
    if (document.activeElement !== by_id("speed")) {
      this.app.controls.show_speed(this.settings.speed);
    }
    const { contacts } = this.app.view;
    contacts.weight_impulse = this.weight_impulse();
    contacts.anchors.expect(this.typical_stretch(), contacts.size);
    this.write_summary();
    this.show_certificate(status.counts ?? {});
    this.curves_fresh = true;
    this.app.touch();
  }

  show_certificate({ steps = 0, not_certified = 0, worst_residual = 0 }) {
    const badge = by_id("certificate");
    badge.hidden = steps === 0;
    badge.classList.toggle("bad", not_certified > 0);
    const bad = `\u26a0 ${grouped(not_certified)} of ${grouped(steps)} steps not certified`;
    const good = has_springs(this.settings) ? "\u2713 contacts are springs" : "\u2713 every step certified";
    const worst = worst_residual > 0 ? element("span", { class: "wide-only" }, `; worst residual ${number(worst_residual)}`) : "";
    badge.replaceChildren(not_certified > 0 ? bad : good, worst);
    badge.title = "Since the last reset";
  }

  advance() {
    this.player.tick();
    this.spring.update(this.app.picker.dragging, this.moments[0]);
    this.pull.update(this.moments[0], pull_point);
    const now = performance.now();
    if (this.curves_fresh && now - this.curves_at > curves_interval) {
      this.curves_at = now;
      this.curves_fresh = false;
      this.app.refresh_curves();
    }
    const fresh = this.fresh;
    this.fresh = false;
    if (fresh) {
      set_text(this.panel.hash, this.moments[0].hash);
    }
    return fresh || Boolean(this.app.picker.dragging);
  }
}

/// Waits for the scene and a first frame, then shows the page; later scenes that differ load it anew.
class LiveStart {
  constructor(theme) {
    this.theme = theme;
    this.session = null;
    this.scene_text = null;
    const protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.connection = new Connection(`${protocol}//${location.host}/live`, {
      text: (message) => this.take(message),
      frame: (buffer) => this.take_frame(buffer),
      open: () => this.opened(),
      lost: () => this.lost(),
    });
  }

  opened() {
    by_id("notice").hidden = true;
    this.session?.panel.show_connection(true);
    this.connection.send({ type: "status" });
  }

  lost() {
    this.session?.panel.show_connection(false);
    say("Connection to the server lost. Start it again with: stiction view SCENE. This page will reconnect.", Infinity);
  }

  async take(message) {
    if (message.type === "scene") {
      await this.take_scene(message);
    } else if (message.type === "status") {
      this.status = message;
      this.session?.take_status(message);
    } else if (message.type === "error") {
      say(message.message, message_time);
      this.session?.panel.show_again();
    }
  }

  async take_scene(message) {
    const text = JSON.stringify(message.scene);
    if (this.scene_text !== null) {
      if (this.scene_text !== text) {
        this.leaving = true; // frames of the other scene are for the page that comes now
        location.reload();
      }
      return;
    }
    this.scene_text = text;
    this.message = message;
    this.scene = await read_scene(message.scene);
    this.try_start();
  }

  take_frame(buffer) {
    if (this.leaving) {
      return;
    }
    this.first_frame = buffer;
    if (this.session) {
      this.session.take_frame(buffer);
    } else {
      this.try_start();
    }
  }

  try_start() {
    if (!this.scene || !this.first_frame || this.session) {
      return;
    }
    const { settings, choices } = this.message;
    const send = (message) => this.connection.send(message);
    this.session = new LiveSession(this.scene, this.first_frame, settings, send);
    const app = new App(this.session, this.theme);
    this.session.panel.fill(choices, settings);
    if (this.status) {
      this.session.take_status(this.status);
    }
    expose(app);
    app.run();
  }
}

export function start_live(theme) {
  return new LiveStart(theme);
}
