// The keyboard, and the overlay that tells about it.
import { by_id, element } from "./dom.js";

/// [keys as shown, what they do, key names of events, action(app, event)]
function bindings(app) {
  const { player } = app.session;
  const own = [
    ["Space", "play or pause", [" "], () => player.toggle()],
    ["\u2190 \u2192", "one frame back or forward; with Shift: ten frames", ["ArrowLeft", "ArrowRight"], (e) => {
      player.step((e.key === "ArrowLeft" ? -1 : 1) * (e.shiftKey ? 10 : 1));
    }],
    ["Home End", "go to the start or end", ["Home", "End"], (e) => {
      player.seek_frame(e.key === "Home" ? player.first : player.last);
    }],
    ["\u2191 \u2193", "faster, slower", ["ArrowUp", "ArrowDown"], (e) => {
      app.controls.change_speed(e.key === "ArrowUp" ? 1 : -1);
    }],
    ["C", "contacts", ["c"], () => app.toggle_contacts()],
    ["K", "friction cones", ["k"], () => app.toggle_cones()],
    ["A", "anchors of springs", ["a"], () => app.toggle_anchors()],
    ["[ ]", "shorter or longer arrows", ["[", "]"], (e) => {
      app.view.contacts.arrow_scale *= e.key === "[" ? 1 / 1.25 : 1.25;
    }],
    ["V", "collision shapes", ["v"], () => app.toggle_collision()],
    ["F", "follow the selected body, or stop", ["f"], () => app.toggle_follow()],
    ["R", "reset the camera", ["r"], () => app.reset_view()],
    ["E", "fit the whole run into the picture", ["e"], () => app.fit_run()],
    ["P", "trails of bodies", ["p"], () => app.toggle_overlay("trails")],
    ["O", "frames of bodies", ["o"], () => app.toggle_overlay("frames")],
    ["B", "centre of mass and support polygon", ["b"], () => app.toggle_overlay("balance")],
    ["N", "tendons", ["n"], () => app.toggle_overlay("tendons")],
    ["M", "measure between two clicks", ["m"], () => app.measure.toggle()],
    ["T", "dark or light theme", ["t"], () => app.theme.toggle()],
    ["I", "what was simulated", ["i"], () => app.controls.toggle_about()],
    ["Esc", "clear selection and measurement", ["Escape"], () => app.clear()],
    ["?", "this help", ["?"], () => toggle_help()],
  ];
  return [...own, ...app.session.bindings(app)];
}

const mouse = [
  ["Drag", "rotate the camera; right button: move it; wheel: zoom"],
  ["Click", "details of a body or contact at this time"],
  ["Click in a plot", "go to that time"],
];

function toggle_help() {
  const help = by_id("help");
  if (help.open) {
    help.close();
  } else {
    help.showModal();
  }
}

function fill_help(all, more_mouse) {
  const row = (keys, words) =>
    element(
      "div",
      { class: "help-row" },
      element("span", {}, ...keys.flatMap((k) => [element("kbd", {}, k), " "])),
      element("span", {}, words),
    );
  const key_rows = all.map(([keys, words]) => row(keys.split(" "), words));
  const mouse_rows = [...mouse, ...more_mouse].map(([what, words]) => row([what], words));
  by_id("help-rows").replaceChildren(...key_rows, ...mouse_rows);
}

/// Whether the focus came by keyboard: then Space and letters are for what has it. After a click they
/// are for the page, or Space would repeat the button that was clicked last.
let focus_by_keyboard = false;

function watch_focus() {
  window.addEventListener("pointerdown", () => (focus_by_keyboard = false), { capture: true });
  window.addEventListener("keydown", (event) => {
    if (event.key === "Tab" || (event.key.startsWith("Arrow") && by_id("head").contains(event.target))) {
      focus_by_keyboard = true;
    }
  }, { capture: true });
}

const is_written_into = ({ tagName, type }) =>
  tagName === "TEXTAREA" || (tagName === "INPUT" && !["range", "checkbox"].includes(type));

/// Whether an element uses this key itself.
function is_taken(target, key) {
  const tag = target?.tagName;
  if (!tag || is_written_into(target)) {
    return Boolean(tag);
  }
  if (!focus_by_keyboard) {
    return false;
  }
  if (tag === "BUTTON" || target.type === "checkbox") {
    return key === " " || key === "Enter";
  }
  return tag === "SELECT" || (tag === "INPUT" && key !== " " && !/^[a-z?[\]]$/i.test(key));
}

export function listen_to_keys(app) {
  const all = bindings(app);
  const actions = new Map(all.flatMap(([, , keys, action]) => keys.map((key) => [key, action])));
  fill_help(all, app.session.mouse_help);
  watch_focus();
  by_id("help-open").addEventListener("click", toggle_help);
  by_id("help-close").addEventListener("click", () => by_id("help").close());
  by_id("help").addEventListener("click", (event) => {
    if (event.target === by_id("help")) {
      by_id("help").close();
    }
  });
  window.addEventListener("keydown", (event) => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = actions.get(key);
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    if (!action || modified || is_taken(event.target, key) || (by_id("help").open && key !== "?")) {
      return;
    }
    event.preventDefault();
    if (!focus_by_keyboard && document.activeElement?.tagName === "BUTTON") {
      document.activeElement.blur(); // or the browser clicks it when Space comes up
    }
    action(event);
    app.touch();
  });
}
