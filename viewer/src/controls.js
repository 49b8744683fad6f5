// Buttons, slider and selections of the page. They call the app and the player, and show their
// state.
import { anchor_color, mode_colors, mode_names, trees } from "./colors.js";
import { by_id, element, set_pressed, set_text } from "./dom.js";
import { grouped, number, seconds } from "./format.js";
import { body_name } from "./inspector.js";

export const speeds = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];
const icons = { play: "M7 4.5v15l12.5-7.5z", pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z" };

export class Controls {
  constructor(app) {
    this.app = app;
    this.player = app.session.player;
    this.fill_speeds();
    this.fill_follow();
    this.fill_legend();
    this.listen();
    this.was_playing = null;
  }

  fill_speeds() {
    const options = speeds.map((s) => element("option", { value: s }, `${s}\u00d7`));
    by_id("speed").replaceChildren(...options);
    this.show_speed(1);
  }

  /// A speed that is not in the list gets its own entry.
  show_speed(speed) {
    const select = by_id("speed");
    if (![...select.options].some((option) => Number(option.value) === speed)) {
      select.append(element("option", { value: speed }, `${number(speed)}\u00d7`));
    }
    select.value = String(speed);
  }

  /// Roots of trees first: one follows robots rather than their toes.
  fill_follow() {
    const { scene } = this.app;
    const { roots } = trees(scene.bodies);
    const order = scene.bodies.map((_, i) => i);
    order.sort((a, b) => (roots[a] === a ? 0 : 1) - (roots[b] === b ? 0 : 1) || a - b);
    const options = order.map((i) => element("option", { value: i }, body_name(scene, i)));
    by_id("follow").replaceChildren(element("option", { value: -1 }, "nothing"), ...options);
  }

  fill_legend() {
    const entries = mode_names.map((name, i) => {
      const swatch = element("span", { class: "swatch", style: `background:${mode_colors[i]}` });
      return element("span", {}, swatch, name);
    });
    const grid = element("span", {}, `grid ${number(this.app.view.grid / 10)} m`);
    const arrows = element("span", { class: "wide-only" }, "arrow length: square root of the impulse");
    const list = [...[1, 2, 0].map((i) => entries[i]), arrows, ...this.anchor_entries(), grid];
    by_id("legend").replaceChildren(...list);
  }

  /// None with hard contact, which has no anchors.
  anchor_entries() {
    const { there, magnified } = this.app.view.contacts.anchors;
    by_id("show-anchors").hidden = !there;
    this.legend_shows = `${there} ${magnified}`;
    if (!there) {
      return [];
    }
    const ring = element("span", { class: "swatch ring", style: `border-color:${anchor_color}` });
    const words = magnified > 1 ? `anchor, stretch drawn ${grouped(magnified)}\u00d7` : "anchor";
    return [element("span", { id: "legend-anchors" }, ring, words)];
  }

  listen() {
    const { app, player } = this;
    const on = (id, event, action) =>
      by_id(id).addEventListener(event, (e) => {
        action(e);
        app.touch();
      });
    on("play", "click", () => player.toggle());
    on("back", "click", () => player.step(-1));
    on("forward", "click", () => player.step(1));
    on("restart", "click", () => player.restart());
    on("scrubber", "input", (e) => player.seek_frame(Number(e.target.value)));
    on("speed", "change", (e) => player.set_speed(Number(e.target.value)));
    on("follow", "change", (e) => app.follow(Number(e.target.value)));
    on("show-contacts", "click", () => app.toggle_contacts());
    on("show-cones", "click", () => app.toggle_cones());
    on("show-anchors", "click", () => app.toggle_anchors());
    on("show-collision", "click", () => app.toggle_collision());
    on("reset-view", "click", () => app.reset_view());
    on("theme", "click", () => app.theme.toggle());
    on("certificate", "click", () => this.toggle_about());
  }

  toggle_about() {
    const about = by_id("about");
    about.hidden = !about.hidden;
    by_id("certificate").setAttribute("aria-expanded", String(!about.hidden));
  }

  /// One of the speeds up or down from where the selection stands.
  change_speed(by) {
    const now = speeds.indexOf(Number(by_id("speed").value));
    const next = speeds[Math.min(Math.max((now < 0 ? 5 : now) + by, 0), speeds.length - 1)];
    by_id("speed").value = String(next);
    this.player.set_speed(next);
  }

  update_toggles() {
    const { view } = this.app;
    set_pressed(by_id("show-contacts"), view.contacts.visible);
    set_pressed(by_id("show-cones"), view.contacts.cones_visible);
    set_pressed(by_id("show-anchors"), view.contacts.anchors_visible);
    set_pressed(by_id("show-collision"), view.collision);
    by_id("follow").value = String(view.followed);
  }

  /// What need not change with every picture.
  describe() {
    by_id("scrubber").setAttribute("aria-valuetext", `${this.player.time.toFixed(3)} s`);
  }

  update() {
    const { player } = this;
    const { there, magnified } = this.app.view.contacts.anchors;
    if (this.legend_shows !== `${there} ${magnified}`) {
      this.fill_legend();
    }
    const scrubber = by_id("scrubber");
    if (this.shown_last !== player.last || this.shown_first !== player.first) {
      this.shown_first = scrubber.min = player.first;
      this.shown_last = scrubber.max = player.last;
    }
    scrubber.value = player.frame;
    const end = Number.isFinite(player.end) ? ` / ${seconds(player.end)}` : "";
    set_text(by_id("clock"), `${player.time.toFixed(3)}${end}`);
    if (this.was_playing !== player.playing) {
      this.was_playing = player.playing;
      by_id("play-icon").setAttribute("d", player.playing ? icons.pause : icons.play);
      by_id("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
    }
  }
}
