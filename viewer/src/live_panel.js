// The card of the live view: settings that can change while it runs, and what the server says.
import { by_id, element, set_pressed, set_text } from "./dom.js";
import { grouped, number } from "./format.js";
import { say } from "./notice.js";
import { has_springs } from "./words.js";

const narrow = 760; // [px] pages on which the card is short at first

const selections = [
  ["solver", "Solver", "solvers"],
  ["law", "Law", "laws"],
  ["gap_rule", "Gap rule", "gap_rules"],
  ["integrator", "Integrator", "integrators"],
];

export class LivePanel {
  /// `send`: sends a message; `reset`, `drag`: what the buttons do; `robot`: a LiveRobot.
  constructor(send, actions, robot) {
    this.send = send;
    this.robot = robot;
    this.root = by_id("live");
    this.root.hidden = false;
    this.inputs = {};
    this.connection = element("strong", { id: "connection", role: "status" }, "live");
    this.reset = this.button("Reset", "Back to the initial state (X)", actions.reset);
    this.step = this.button("Step", "One step of the simulation (S)", actions.step);
    this.drag = this.button("Drag", "Pull bodies with the mouse (D), or hold Shift", actions.drag);
    this.hash = element("code", { id: "hash", title: "Hash of the state shown: equal states have equal hashes" });
    this.rate = element("span");
    this.counts = element("span");
    this.message = element("span", { role: "status" });
  }

  button(text, title, action) {
    const made = element("button", { type: "button", title }, text);
    made.addEventListener("click", action);
    return made;
  }

  row(label, content, title = "") {
    return element("label", { class: "row", title }, element("span", {}, label), content);
  }

  /// The settings with what can be chosen.
  fill(choices, settings) {
    const rows = selections
      .filter(([, , list]) => (choices?.[list] ?? []).length > 0)
      .map(([name, label, list]) => this.row(label, this.selection(name, choices[list])));
    rows.push(
      this.row("Step [ms]", this.number_input("time_step", 1e-3, { step: "any", "aria-label": "Step [ms]" })),
      this.row("Friction \u00d7", this.friction_input(), "Factor for all friction coefficients"),
      this.row("Tolerance", this.number_input("tolerance", 1, { step: "any", "aria-label": "Tolerance" })),
    );
    this.root.replaceChildren(
      element("div", { class: "card-head" }, this.connection, this.rate),
      element("div", { class: "buttons" }, this.step, this.reset, this.drag, this.robot.record_button()),
      this.robot.recording,
      this.robot.scene_list(),
      this.counts,
      this.message,
      element("details", { class: "live-part", open: true }, element("summary", {}, "Settings"), ...rows,
        this.row("State", this.hash)),
      ...this.robot.parts,
    );
    if (window.innerWidth < narrow) {
      this.root.querySelector("details").open = false;
    }
    set_pressed(this.drag, false);
    this.settings = settings;
    this.show_settings(settings);
  }

  selection(name, words) {
    const options = words.map((word) => element("option", { value: word }, word));
    const select = element("select", { id: `setting-${name}` }, ...options);
    select.addEventListener("change", () => this.send({ type: "settings", [name]: select.value }));
    this.inputs[name] = { input: select, show: (value) => (select.value = value) };
    return select;
  }

  number_input(name, unit, attributes) {
    const input = element("input", { type: "number", id: `setting-${name}`, ...attributes });
    input.addEventListener("change", () => {
      const value = Number(input.value) * unit;
      if (input.value !== "" && Number.isFinite(value)) {
        this.send({ type: "settings", [name]: value }); // the server says if that is not possible
      } else {
        say(`${attributes["aria-label"]}: enter a number`);
        this.show_again();
      }
    });
    // Keys are for the simulation again once a number is entered.
    input.addEventListener("keydown", (event) => event.key === "Enter" && input.blur());
    const show = (value) => (input.value = String(Number((value / unit).toPrecision(6))));
    this.inputs[name] = { input, show };
    return input;
  }

  friction_input() {
    const attributes = { type: "range", id: "setting-friction", min: 0, max: 2, step: 0.05 };
    const input = element("input", attributes);
    const text = element("output", {}, "1");
    input.addEventListener("input", () => {
      set_text(text, number(Number(input.value)));
      this.send({ type: "settings", friction: Number(input.value) });
    });
    const show = (value) => {
      input.value = String(value);
      set_text(text, number(value));
    };
    this.inputs.friction = { input, show };
    return element("span", { style: "display:flex;gap:6px" }, input, text);
  }

  /// What the server has, except where the user is just typing.
  show_settings(settings) {
    for (const [name, { input, show }] of Object.entries(this.inputs)) {
      if (settings?.[name] !== undefined && document.activeElement !== input) {
        show(settings[name]);
      }
    }
  }

  /// The last ones again, also where something was typed that the server refused.
  show_again() {
    Object.entries(this.inputs).forEach(([name, { show }]) => {
      if (this.settings?.[name] !== undefined) {
        show(this.settings[name]);
      }
    });
  }

  show_status(status) {
    this.settings = status.settings;
    this.robot.show_status(status);
    this.show_settings(status.settings);
    set_text(this.rate, status.playing ? `${number(status.real_time_factor ?? 0)}\u00d7 real time` : "paused");
    const { steps = 0, not_certified = 0, refused = 0 } = status.counts ?? {};
    const certified = has_springs(status.settings) ? "limits and locks certified" : "all certified";
    const failed = not_certified > 0 ? `${grouped(not_certified)} not certified` : certified;
    const not_done = refused > 0 ? `, ${grouped(refused)} refused` : "";
    set_text(this.counts, steps > 0 ? `${grouped(steps)} steps, ${failed}${not_done}` : "No steps yet");
    this.counts.style.color = not_certified + refused > 0 ? "var(--warn)" : "";
    set_text(this.message, status.message ?? "");
    this.message.hidden = !status.message;
  }

  show_connection(connected) {
    this.connection.classList.toggle("lost", !connected);
    set_text(this.connection, connected ? "live" : "connection lost");
  }
}
