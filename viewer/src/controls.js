// Buttons, slider and selections of the page. They call the app and the player, and show their
// state.
import { presets } from "./camera.js";
import { anchor_color, mode_colors, mode_names, trees } from "./colors.js";
import { by_id, element, set_pressed, set_text } from "./dom.js";
import { grouped, length_words, number, seconds } from "./format.js";
import { Menus } from "./menus.js";
import { body_name } from "./names.js";
import { PlotsMenu } from "./plots_menu.js";
import { default_keys } from "./channels.js";

export const speeds = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];
const icons = { play: "M7 4.5v15l12.5-7.5z", pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z" };

export class Controls {
  constructor(app) {
    this.app = app;
    this.player = app.session.player;
    this.plots_menu = new PlotsMenu({
      channels: app.session.channels,
      chosen: () => app.chosen,
      toggle: (key) => app.toggle_plot(key),
      reset: () => app.choose_plots(default_keys),
    });
    this.menus = new Menus((name) => name === "plots" && this.plots_menu.fill());
    this.fill_speeds();
    this.fill_follow();
    this.fill_presets();
    this.fill_legend();
    by_id("show-tendons").hidden = !app.view.overlays.tendons.there;
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

  fill_presets() {
    const buttons = presets.map(([name, words]) => {
      const button = element("button", { type: "button", "data-preset": name }, words);
      button.addEventListener("click", () => {
        this.app.look_from(name);
        this.app.touch();
      });
      return button;
    });
    by_id("camera-presets").replaceChildren(...buttons);
  }

  fill_legend() {
    const entries = mode_names.map((name, i) => {
      const swatch = element("span", { class: "swatch", style: `background:${mode_colors[i]}` });
      return element("span", {}, swatch, name);
    });
    const grid = element("span", {}, `grid ${number(this.app.view.grid / 10)} m`);
    const arrows = element("span", { class: "wide-only" }, "arrows: contact forces, four times the force is twice as long");
    this.balance = element("span", { id: "legend-balance" });
    const list = [...[1, 2, 0].map((i) => entries[i]), arrows, ...this.anchor_entries(), grid, this.balance];
    by_id("legend").replaceChildren(...list);
    this.describe_balance();
  }

  describe_balance() {
    const words = this.app.view.overlays.balance.words(length_words);
    this.balance.hidden = words === "";
    set_text(this.balance, words);
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
    on("show-trails", "click", () => app.toggle_overlay("trails"));
    on("show-frames", "click", () => app.toggle_overlay("frames"));
    on("show-balance", "click", () => app.toggle_overlay("balance"));
    on("show-tendons", "click", () => app.toggle_overlay("tendons"));
    on("measure", "click", () => {
      app.measure.toggle();
      this.menus.close();
    });
    on("reset-view", "click", () => app.reset_view());
    on("fit-run", "click", () => app.fit_run());
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
    for (const name of ["trails", "frames", "balance", "tendons"]) {
      set_pressed(by_id(`show-${name}`), Boolean(view.overlays[name]?.visible));
    }
    by_id("follow").value = String(view.followed);
  }

  /// What need not change with every picture.
  describe() {
    by_id("scrubber").setAttribute("aria-valuetext", `${this.player.time.toFixed(3)} s`);
    this.describe_balance();
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
