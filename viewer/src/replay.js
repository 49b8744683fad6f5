// A replay: recorded runs that stand in the page.
import { frame_at, read_replay } from "./data.js";
import { typical_stretch } from "./anchors.js";
import { run_colors } from "./colors.js";
import { typical_impulse } from "./contacts.js";
import { curves_of, join_curves, plot_definitions } from "./curves.js";
import { by_id, element, set_text } from "./dom.js";
import { number } from "./format.js";
import { Moment, contact_columns, set_from_run } from "./moment.js";
import { Player } from "./player.js";
import { RunVelocity } from "./selection.js";
import { certificate_of, certificate_words, run_rows, run_words } from "./words.js";

const longest = (runs) =>
  runs.reduce((a, b) => (b.times[b.frames - 1] > a.times[a.frames - 1] ? b : a));

export class Replay {
  constructor({ scene, runs }) {
    this.scene = scene;
    this.runs = runs;
    this.front = 0;
    this.player = new Player(longest(runs));
    this.moments = runs.map((run) => {
      run.columns = contact_columns(run);
      return new Moment(scene.bodies.length);
    });
    this.velocities = runs.map((run) => new RunVelocity(run, scene.bodies.length));
    this.mouse_help = [];
    this.shown_time = undefined;
    this.advance(0);
  }

  static async read(json) {
    return new Replay(await read_replay(json));
  }

  get time_step() {
    return this.runs[this.front].description.time_step;
  }

  run_label(index) {
    return this.runs.length > 1 ? this.runs[index].label : "";
  }

  velocity(body) {
    return this.velocities[this.front].at(this.player.time, body);
  }

  view_arguments() {
    const run = this.runs[0];
    const samples = [0, 0.25, 0.5, 0.75, 1].map((part) => {
      const moment = new Moment(this.scene.bodies.length);
      set_from_run(moment, run, run.times[0] + part * (run.times[run.frames - 1] - run.times[0]));
      return moment;
    });
    const weight_impulse = typical_impulse(run.contact_impulses);
    return { samples, runs: this.runs.length, weight_impulse };
  }

  plot_definitions() {
    const tolerances = [...new Set(this.runs.map((run) => run.description.tolerance))];
    return plot_definitions(() => tolerances.filter((t) => t > 0), this.runs.length === 1);
  }

  curves(theme) {
    const lone = this.runs.length === 1;
    const order = this.runs.map((_, i) => i).filter((i) => !this.app.view.hidden.has(i));
    order.sort((a, b) => (a === this.front ? 1 : 0) - (b === this.front ? 1 : 0));
    const lists = order.map((i) => curves_of(this.runs[i], i, lone, theme));
    return {
      series: lists.length > 0 ? join_curves(lists) : [[], [], [], []],
      times: [this.player.start, Math.max(this.player.end, this.player.start + 1e-9)],
    };
  }

  drag_events() {
    return {};
  }

  bindings() {
    const own = [["L", "play in a loop", ["l"], () => (this.player.loop = !this.player.loop)]];
    if (this.runs.length > 1) {
      const keys = this.runs.map((_, i) => String(i + 1)).slice(0, 9);
      const bring = (event) => this.set_front(Number(event.key) - 1);
      own.push([`1 \u2026 ${keys.length}`, "bring a run to the front", keys, bring]);
    }
    return own;
  }

  /// Moves time on; true if another picture is needed.
  advance(seconds) {
    this.player.tick(seconds);
    if (this.shown_time === this.player.time) {
      return false;
    }
    this.shown_time = this.player.time;
    this.runs.forEach((run, i) => {
      const moment = this.moments[i];
      set_from_run(moment, run, this.player.time);
      const k = moment.frame;
      moment.iterations_per_step = run.iterations_per_step[k];
      moment.energy_change =
        run.kinetic[k] + run.potential[k] - run.kinetic[0] - run.potential[0];
    });
    return true;
  }

  /// Texts of the page, and where it starts.
  begin(app) {
    this.app = app;
    by_id("app").dataset.mode = "replay";
    this.certificates = this.runs.map(certificate_of);
    this.runs.forEach((run) => app.view.contacts.expect(run.contacts.reduce((a, b) => Math.max(a, b), 0)));
    const springs = this.runs.filter((run) => run.columns.stretches);
    if (springs.length > 0) {
      const stretch = Math.max(...springs.map((run) => typical_stretch(run.columns)));
      app.view.contacts.anchors.expect(stretch, app.view.contacts.size);
      app.view.contacts.anchors.there = true;
    }
    this.write_texts();
    if (this.runs.length > 1) {
      this.fill_runs();
    }
    this.apply_fragment();
    window.addEventListener("hashchange", () => this.apply_fragment());
  }

  write_texts() {
    const run = this.runs[this.front];
    const { title } = run.description;
    const name = title || this.scene.name;
    set_text(by_id("title"), this.runs.length > 1 ? `${name}: ${this.runs.length} runs` : name);
    set_text(by_id("summary"), run_words(run));
    by_id("summary").title = run_words(run);
    document.title = document.title.replace(/^Stiction$/, `${name} \u2013 Stiction`);
    const words = certificate_words(this.certificates[this.front]);
    this.write_badge(words);
    const certificate = ["Certificate", words.text, "does each step satisfy the contact law?"];
    const rows = [certificate, ...run_rows(run)].map(([head, value, help]) => {
      const th = element("th", { scope: "row" }, head);
      return element("tr", { title: help }, th, element("td", {}, value));
    });
    by_id("about-rows").replaceChildren(...rows);
  }

  /// The certificate in a few words, on wide pages in a sentence.
  write_badge({ good, text }) {
    const badge = by_id("certificate");
    badge.hidden = false;
    badge.classList.toggle("bad", !good);
    const [short, ...rest] = text.split(/(?=[:;])/);
    badge.replaceChildren(
      `${good ? "\u2713" : "\u26a0"} ${short}`,
      element("span", { class: "wide-only" }, rest.join("")),
    );
    badge.title = `${text} Click for all settings of the run.`;
  }

  fill_runs() {
    by_id("runs").hidden = false;
    by_id("runs").replaceChildren(...this.runs.map((run, i) => this.run_row(run, i)));
    this.mark_front();
  }

  run_row(run, i) {
    const color = run_colors[i % run_colors.length];
    const box = element("input", { type: "checkbox", checked: true, "aria-label": `show ${run.label}` });
    box.addEventListener("change", () => {
      this.app.view.set_hidden(i, !box.checked);
      this.app.refresh_curves();
    });
    const name = element("button", { type: "button", title: `Bring to the front (${i + 1})` });
    name.append(element("span", { class: "swatch", style: `background:${color}` }), run.label);
    name.addEventListener("click", () => this.set_front(i));
    const { failed, worst, springs } = this.certificates[i];
    const certified = springs ? "springs" : `certified, ${number(worst)}`;
    const words = failed > 0 ? `${failed} not certified` : certified;
    const numbers = element("span", { class: failed > 0 ? "numbers bad" : "numbers" }, words);
    return element("div", { class: "run" }, box, name, numbers);
  }

  mark_front() {
    by_id("runs").querySelectorAll("button").forEach((button, i) => {
      button.setAttribute("aria-pressed", String(i === this.front));
    });
  }

  bring_to_front(run) {
    if (run !== this.front) {
      this.set_front(run);
    }
  }

  set_front(index) {
    this.front = index;
    this.app.view.set_front(index);
    this.app.view.hidden.forEach((i) => this.app.view.set_hidden(i, true));
    this.write_texts();
    this.mark_front();
    this.app.refresh_curves();
  }

  /// `#t=1.5` rests at that time, `&bare` shows the picture alone. Otherwise the run plays, unless
  /// the user asked for less motion.
  apply_fragment() {
    const wish = new URLSearchParams(location.hash.slice(1));
    by_id("app").classList.toggle("bare", wish.has("bare"));
    const time = Number(wish.get("t"));
    if (wish.has("t") && Number.isFinite(time)) {
      const { times, frames } = this.player.run;
      this.player.pause();
      this.player.seek_frame(frame_at(times, frames, time));
    } else if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.player.play();
    }
    this.app.touch();
  }
}
