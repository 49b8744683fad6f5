// Driving a robot that a policy walks: sliders for the velocity it shall reach, and the arrow keys.
import { element, set_pressed, set_text } from "./dom.js";
import { number } from "./format.js";

/// [what, unit, range of the slider, what a key asks for]
const axes = [
  ["forward", "m/s", 1.5, 0.8],
  ["left", "m/s", 0.6, 0.3],
  ["turn left", "rad/s", 1.2, 0.6],
];
const keys = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

/// The velocity that held keys ask for. With Shift the robot walks aside instead of turning.
export function velocity_of(held, shift) {
  const between = (more, less) => (held.has(more) ? 1 : 0) - (held.has(less) ? 1 : 0);
  const aside = between("ArrowLeft", "ArrowRight");
  return [between("ArrowUp", "ArrowDown") * axes[0][3], shift ? aside * axes[1][3] : 0, shift ? 0 : aside * axes[2][3]];
}

export class Drive {
  constructor(send) {
    this.send = send;
    this.active = false;
    this.held = new Set();
    this.button = element("button", { type: "button", id: "drive", "aria-pressed": "false", title: "Arrow keys drive the robot (G)" },
      "Drive with the arrow keys");
    this.button.addEventListener("click", () => this.toggle());
    this.sliders = axes.map((axis, i) => this.slider(axis, i));
    this.part = element("details", { class: "live-part", open: true },
      element("summary", {}, "Policy"),
      this.button,
      element("span", { class: "hint" }, "\u2191 \u2193 walk, \u2190 \u2192 turn, with Shift aside; G ends it"),
      ...this.sliders.map(({ row }) => row));
    this.part.hidden = true;
    window.addEventListener("keydown", (event) => this.key(event, true), { capture: true });
    window.addEventListener("keyup", (event) => this.key(event, false), { capture: true });
    window.addEventListener("blur", () => this.let_go());
  }

  slider([name, unit, most], i) {
    const input = element("input", { type: "range", min: -most, max: most, step: most / 60, value: 0, "aria-label": `${name} [${unit}]`, id: `command-${i}` });
    const text = element("output", {}, `0 ${unit}`);
    input.addEventListener("input", () => this.ask(this.sliders.map((s) => Number(s.input.value))));
    return { input, text, unit, row: element("label", { class: "slider" }, element("span", {}, name), text, input) };
  }

  ask(velocity) {
    this.send({ type: "command", value: velocity });
  }

  toggle() {
    if (this.part.hidden) {
      return;
    }
    this.active = !this.active;
    set_pressed(this.button, this.active);
    if (!this.active) {
      this.let_go();
    }
  }

  let_go() {
    if (this.held.size > 0) {
      this.held.clear();
      this.ask([0, 0, 0]);
    }
  }

  /// Before the keys of the player see it.
  key(event, down) {
    const shifts = event.key === "Shift" && this.held.size > 0;
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    const taken = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target?.tagName);
    if (!this.active || modified || taken || !(keys.includes(event.key) || shifts)) {
      return;
    }
    if (!shifts) {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.repeat) {
        return;
      }
      this.held[down ? "add" : "delete"](event.key);
    }
    this.ask(velocity_of(this.held, shifts ? down : event.shiftKey));
  }

  /// `command`: what the server has; null without a policy.
  show(command) {
    this.part.hidden = !command;
    command?.forEach((value, i) => {
      const { input, text, unit } = this.sliders[i];
      if (document.activeElement !== input) {
        input.value = String(value);
      }
      set_text(text, `${number(value)} ${unit}`);
    });
  }
}
