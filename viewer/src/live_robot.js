// What people do to a robot in the live view: sliders for actuators and joint targets, poses that are
// kept, what pauses, and recording.
import { Drive } from "./drive.js";
import { by_id, element, set_pressed, set_text } from "./dom.js";
import { number } from "./format.js";
import { body_name } from "./names.js";

const most_sliders = 60;
const usual_range = { actuator: [-1, 1], rad: [-Math.PI, Math.PI], m: [-1, 1] };

const pauses = [
  ["pause_uncertified", "uncertified step"],
  ["pause_energy", "energy growth"],
  ["pause_fall", "fall of the robot"],
];

export class LiveRobot {
  constructor(scene, send) {
    this.scene = scene;
    this.send = send;
    this.sliders = new Map(); // key -> { input, text, free, set }
    this.actuators = element("details", { class: "live-part" }, element("summary", {}, "Actuators"));
    this.targets = element("details", { class: "live-part" }, element("summary", {}, "Joint targets"));
    this.fill_actuators();
    this.targets_known = "";
    this.targets.hidden = true;
    this.drive = new Drive(send);
    this.parts = [this.drive.part, this.pause_part(), this.pose_part(), this.actuators, this.targets];
  }

  // ---- sliders ----

  /// A slider that takes over from what drives the robot, and a button that gives back.
  slider(key, label, [low, high], unit, request) {
    const input = element("input", { type: "range", min: low, max: high, step: (high - low) / 400, "aria-label": label });
    const text = element("output", {}, "");
    const free = element("button", { type: "button", class: "plot-toggle", title: `Let ${label} go`, "aria-label": `release ${label}` }, "free");
    free.hidden = true;
    input.addEventListener("input", () => {
      free.hidden = false;
      set_text(text, `${number(Number(input.value))} ${unit}`.trim());
      this.send({ ...request, value: Number(input.value) });
    });
    free.addEventListener("click", () => {
      free.hidden = true;
      this.send({ ...request, value: null });
    });
    this.sliders.set(key, { input, text, free, unit });
    return element("label", { class: "slider" }, element("span", {}, label), element("span", {}, text, free), input);
  }

  fill_actuators() {
    const list = (this.scene.actuators ?? []).slice(0, most_sliders);
    this.actuators.hidden = list.length === 0;
    this.actuators.append(...list.map((actuator, i) =>
      this.slider(`a${i}`, actuator.name || `actuator ${i}`, actuator.control_range ?? usual_range.actuator, "",
        { type: "control", actuator: i })));
  }

  /// Targets are known once the simulation has servos.
  fill_targets(targets) {
    const bodies = targets.slice(0, most_sliders).map(({ body }) => body);
    if (String(bodies) === this.targets_known) {
      return;
    }
    this.targets_known = String(bodies);
    this.targets.hidden = bodies.length === 0;
    const rows = bodies.map((body) => {
      const { joint } = this.scene.bodies[body];
      const unit = joint.kind === "prismatic" ? "m" : "rad";
      return this.slider(`t${body}`, joint.name || body_name(this.scene, body), joint.range ?? usual_range[unit], unit,
        { type: "target", body });
    });
    this.targets.replaceChildren(this.targets.firstChild, ...rows);
  }

  show_value(key, value) {
    const slider = this.sliders.get(key);
    if (slider && slider.free.hidden && document.activeElement !== slider.input) {
      slider.input.value = String(value);
      set_text(slider.text, `${number(value)} ${slider.unit}`.trim());
    }
  }

  // ---- pauses, poses, recording ----

  pause_part() {
    this.pause_boxes = pauses.map(([name, words]) => {
      const box = element("input", { type: "checkbox", id: `setting-${name}` });
      box.addEventListener("change", () => this.send({ type: "settings", [name]: box.checked }));
      return { name, box, row: element("label", { class: "check" }, box, words) };
    });
    const part = element("details", { class: "live-part" }, element("summary", {}, "Pause on"));
    part.append(...this.pause_boxes.map(({ row }) => row));
    return part;
  }

  pose_part() {
    const name = element("input", { type: "text", placeholder: "name of a pose", maxlength: 60, "aria-label": "Name of the pose", id: "pose-name" });
    const save = element("button", { type: "button", id: "pose-save" }, "Keep");
    const keep = () => {
      this.send({ type: "save_pose", name: name.value.trim() || `pose ${this.pose_count() + 1}` });
      name.value = "";
      name.blur();
    };
    save.addEventListener("click", keep);
    name.addEventListener("keydown", (event) => event.key === "Enter" && keep());
    this.poses = element("div", { class: "chips", id: "poses" });
    const part = element("details", { class: "live-part" }, element("summary", {}, "Poses"));
    part.append(element("div", { class: "plot-search" }, name, save), this.poses);
    return part;
  }

  pose_count() {
    return this.poses.children.length;
  }

  record_button() {
    this.record = element("button", { type: "button", id: "record", "aria-pressed": "false", title: "Record from now on into a file beside the server" }, "Record");
    this.record.addEventListener("click", () => this.send({ type: "record", on: this.record.getAttribute("aria-pressed") !== "true" }));
    this.recording = element("span", { id: "recording", role: "status" });
    return this.record;
  }

  /// The list of scenes that can be opened; hidden while there is only the one that runs.
  scene_list() {
    this.scenes = element("select", { id: "scenes", "aria-label": "Open another scene" });
    this.scenes.addEventListener("change", () => {
      this.send({ type: "open", scene: Number(this.scenes.value) });
    });
    this.scenes_row = element("label", { class: "row" }, element("span", {}, "Recent scenes"), this.scenes);
    this.scenes_row.hidden = true;
    return this.scenes_row;
  }

  fill_scenes(scenes, scene) {
    const known = `${scene} ${scenes}`;
    if (known === this.scenes_known) {
      return;
    }
    this.scenes_known = known;
    this.scenes_row.hidden = scenes.length < 2;
    this.scenes.replaceChildren(...scenes.map((name, i) => element("option", { value: i }, name)));
    this.scenes.value = String(scene);
  }

  show_status({ controls = [], targets = [], poses = [], recording = "", settings = {}, command = null, scenes = [], scene = 0 }) {
    this.drive.show(command);
    this.fill_scenes(scenes, scene);
    controls.forEach((value, i) => this.show_value(`a${i}`, value));
    this.fill_targets(targets);
    targets.forEach(({ body, value }) => this.show_value(`t${body}`, value));
    this.pause_boxes.forEach(({ name, box }) => (box.checked = Boolean(settings[name])));
    if (String(poses) !== this.poses_known) {
      this.poses_known = String(poses);
      this.poses.replaceChildren(...poses.map((name) => {
        const button = element("button", { type: "button", title: `Go to the pose ${name}` }, name);
        button.addEventListener("click", () => this.send({ type: "restore_pose", name }));
        return button;
      }));
    }
    set_pressed(this.record, recording !== "");
    set_text(this.recording, recording ? `recording ${recording}` : "");
  }
}

/// The forces of all who pull, in words at the points that they pull.
export class PullLabel {
  constructor(view) {
    this.view = view;
    this.label = element("div", { id: "pull", "aria-hidden": "true" });
    this.label.hidden = true;
    by_id("view").append(this.label);
  }

  update(moment, point) {
    const pull = moment.pulls[0];
    this.label.hidden = !pull;
    if (!pull) {
      return;
    }
    set_text(this.label, `${number(Math.hypot(...pull.force))} N`);
    const { camera, canvas } = this.view.stage;
    point.fromArray(pull.point).project(camera);
    const [x, y] = [((point.x + 1) / 2) * canvas.clientWidth, ((1 - point.y) / 2) * canvas.clientHeight];
    this.label.style.transform = `translate(${x + 12}px, ${y + 6}px)`;
  }
}
