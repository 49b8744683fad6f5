// Dark and light: what the system prefers, until the user says otherwise.

/// Colours of what is drawn with WebGL; those of the page stand in page.css.
const stage_colors = {
  light: {
    horizon: "#e9eef4",
    zenith: "#bcd0e6",
    ground: "#dfe4ea",
    line: "#8d99a8",
    ambient: 1.7,
    sun: 2.5,
  },
  dark: {
    horizon: "#1d2430",
    zenith: "#0e131b",
    ground: "#4a5565",
    line: "#8794a6",
    ambient: 1.1,
    sun: 2.4,
  },
};

export class Theme {
  constructor() {
    this.listeners = [];
    this.system = window.matchMedia("(prefers-color-scheme: dark)");
    this.chosen = null;
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get name() {
    return this.chosen ?? (this.system.matches ? "dark" : "light");
  }

  get stage() {
    return stage_colors[this.name];
  }

  /// A colour of page.css, for canvases.
  css(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  }

  toggle() {
    this.chosen = this.name === "dark" ? "light" : "dark";
    this.apply();
  }

  on_change(listener) {
    this.listeners.push(listener);
    listener(this);
  }

  apply() {
    document.documentElement.dataset.theme = this.name;
    this.listeners.forEach((listener) => listener(this));
  }
}
