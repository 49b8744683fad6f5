// A replay: recorded runs that stand in the page.
import { read_replay } from "./data.js";
import { typical_stretch } from "./anchors.js";
import { run_colors } from "./colors.js";
import { typical_impulse } from "./contacts.js";
import { Channels, touching_pairs } from "./channels.js";
import { curve_color, curves_of } from "./curves.js";
import { by_id, element, set_text } from "./dom.js";
import { number } from "./format.js";
import { Moment, contact_columns, set_from_run } from "./moment.js";
import { Player } from "./player.js";
import { RunSeries, RunTrails } from "./run_series.js";
import { RunVelocity } from "./selection.js";
import { all_certificates_words, certificate_of, certificate_words, run_rows, run_words } from "./words.js";

const longest = (runs) =>
  runs.reduce((a, b) => (b.times[b.frames - 1] > a.times[a.frames - 1] ? b : a));

export class Replay {
  constructor({ scene, runs, wish }) {
    this.wish = wish; // what a page without an address of its own shows, such as one in a frame
    this.scene = scene;
    this.runs = runs;
    this.front = 0;
    this.player = new Player(longest(runs));
    this.moments = runs.map((run) => {
      run.columns = contact_columns(run);
      return new Moment(scene.bodies.length);
    });
    this.channels = new Channels(scene, {
      has: (name, i) => runs.some((run) => run.tables[name]?.columns[i]),
      time_step: () => this.time_step,
      pairs: touching_pairs(scene, runs[0].contact_shapes),
    });
    this.series = runs.map((run) => new RunSeries(run, scene.bodies.length));
    this.trails = new RunTrails(() => this.runs[this.front], scene.bodies.length);
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

  /// Moments of the run in front, from start to end.
  samples(count = 60) {
    return this.moments_of(this.runs[this.front], count);
  }

  moments_of(run, count) {
    return Array.from({ length: count }, (_, i) => {
      const moment = new Moment(this.scene.bodies.length);
      const part = i / (count - 1);
      set_from_run(moment, run, run.times[0] + part * (run.times[run.frames - 1] - run.times[0]));
      return moment;
    });
  }

  view_arguments() {
    const run = this.runs[0];
    const weight_impulse = typical_impulse(run.contact_impulses);
    return { samples: this.moments_of(run, 5), runs: this.runs.length, weight_impulse };
  }

  /// To mark on the axis of the certificate.
  tolerances() {
    return [...new Set(this.runs.map((run) => run.description.tolerance))].filter((t) => t > 0);
  }

  /// Of a channel that is not of the run as a whole, at the frame shown.
  value_at(channel, moment) {
    return this.series[this.front].of(channel)[moment.frame];
  }

  /// For each key the curves of all runs that are not hidden, the one in front last.
  curves(theme, keys) {
    const lone = this.runs.length === 1;
    const order = this.runs.map((_, i) => i).filter((i) => !this.app?.view.hidden.has(i));
    order.sort((a, b) => (a === this.front ? 1 : 0) - (b === this.front ? 1 : 0));
    const series = keys.map((key) =>
      order.flatMap((i) => {
        const style = { color: curve_color(i, lone, theme), lone, theme, count: this.runs[i].frames };
        return curves_of(this.runs[i], this.channels.get(key), (channel) => this.series[i].of(channel), style);
      }),
    );
    return { series, times: [this.player.start, Math.max(this.player.end, this.player.start + 1e-9)] };
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
    this.write_badge(this.runs.length > 1 ? all_certificates_words(this.certificates) : words);
    const certificate = ["Certificate", words.text, "does each step satisfy the contact law?"];
    const drawing = this.scene.reduced ? [["Drawing", this.scene.reduced, "to keep the page small"]] : [];
    const rows = [certificate, ...run_rows(run), ...drawing].map(([head, value, help]) => {
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

  /// What an address says about this moment.
  link_words() {
    const words = [["t", String(Number(this.player.time.toFixed(4)))]];
    if (this.front > 0) {
      words.push(["run", this.runs[this.front].label]);
    }
    return words;
  }

  /// `#t=1.5` rests at that time, `&bare` shows the picture alone; `&body=`, `&run=`, `&view=`,
  /// `&camera=`, `&follow=`, `&plots=` and `&show=` are what they are called. Without a time the run plays, unless
  /// the user asked for less motion.
  apply_fragment() {
    const wish = new URLSearchParams(location.hash.slice(1) || this.wish);
    by_id("app").classList.toggle("bare", wish.has("bare"));
    const time = Number(wish.get("t"));
    if (wish.has("t") && Number.isFinite(time)) {
      this.player.pause();
      this.player.seek_time(time);
    } else if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.player.play();
    }
    const run = this.runs.findIndex(({ label }) => label === wish.get("run"));
    if (run >= 0) {
      this.set_front(run);
    }
    this.app.take_wishes(wish);
  }
}
