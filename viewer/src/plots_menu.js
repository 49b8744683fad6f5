// The menu of plots: every channel as a button, sorted by what it belongs to, with a search.
import { by_id, element } from "./dom.js";

const open_at_first = ["Run", "Joints", "Actuators"];
const most_rows = 400; // of one group; the search finds the others

export class PlotsMenu {
  /// `chosen()`: keys of the plots shown; `toggle(key)`, `reset()`.
  constructor({ channels, chosen, toggle, reset }) {
    this.channels = channels;
    this.chosen = chosen;
    this.toggle = toggle;
    this.root = by_id("plots-menu");
    this.search = element("input", { type: "search", placeholder: "Search", "aria-label": "Search plots" });
    this.search.addEventListener("input", () => this.fill());
    const usual = element("button", { type: "button" }, "Default plots");
    usual.addEventListener("click", () => {
      reset();
      this.fill();
    });
    this.list = element("div", { class: "plot-list" });
    this.root.replaceChildren(element("div", { class: "plot-search" }, this.search, usual), this.list);
  }

  /// What matches the search, as it is chosen now.
  fill() {
    const words = this.search.value.toLowerCase().split(/\s+/);
    const matches = ({ title, group }) => words.every((word) => `${group} ${title}`.toLowerCase().includes(word));
    const groups = new Map();
    for (const channel of this.channels.all.filter(matches)) {
      const rows = groups.get(channel.group) ?? groups.set(channel.group, new Map()).get(channel.group);
      rows.set(channel.row, [...(rows.get(channel.row) ?? []), channel]);
    }
    const searching = this.search.value !== "";
    const parts = [...groups].map(([name, rows]) => this.group(name, rows, searching));
    this.list.replaceChildren(...(parts.length > 0 ? parts : ["Nothing has such a name."]));
  }

  group(name, rows, open) {
    const details = element("details", { open: open || open_at_first.includes(name) }, element("summary", {}, name));
    for (const [row, channels] of [...rows].slice(0, most_rows)) {
      const chips = element("span", { class: "chips" }, ...channels.map((channel) => this.chip(channel)));
      details.append(element("div", { class: "plot-row" }, row ? element("span", {}, row) : "", chips));
    }
    return details;
  }

  chip(channel) {
    const chosen = this.chosen().includes(channel.key);
    const button = element("button", {
      type: "button", title: channel.help, "aria-pressed": String(chosen), "aria-label": channel.title,
      "data-plot": channel.key,
    }, channel.word);
    button.addEventListener("click", () => {
      this.toggle(channel.key);
      button.setAttribute("aria-pressed", String(this.chosen().includes(channel.key)));
    });
    return button;
  }
}
