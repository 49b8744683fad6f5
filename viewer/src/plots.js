// Plots under the view: curves over time with a cursor that goes with the scrubber. Curves are drawn
// once into a picture; each frame only copies it and adds the cursor.
import { linear_ticks, log_ticks, to_log, value_range } from "./axis.js";
import { element, set_text } from "./dom.js";

const margin = { left: 44, right: 8, top: 6, bottom: 17 };

class Plot {
  constructor(definition) {
    this.definition = definition;
    this.value = element("output", { class: "plot-value" });
    this.canvas = element("canvas", { role: "img", "aria-label": definition.help });
    const remove = `Remove the plot ${definition.title}`;
    this.remove = element("button", { type: "button", class: "plot-remove", title: remove, "aria-label": remove }, "\u00d7");
    this.root = element(
      "figure",
      { class: "plot", title: definition.help, "data-plot": definition.key },
      element("figcaption", {}, this.caption(), this.value, this.remove),
      this.canvas,
    );
    this.picture = document.createElement("canvas");
    this.series = [];
  }

  /// The title, and names of the curves in their colours.
  caption() {
    const keys = (this.definition.keys ?? []).map(([name, color]) =>
      element("span", { class: "key", style: `color:var(--${color})` }, name),
    );
    return element("span", {}, this.definition.title, ...keys);
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.width = Math.max(this.canvas.clientWidth, 40);
    this.height = Math.max(this.canvas.clientHeight, 30);
    for (const canvas of [this.canvas, this.picture]) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round(this.height * ratio);
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
  }

  x_of(time) {
    const [from, to] = this.times;
    const inner = this.width - margin.left - margin.right;
    return margin.left + (inner * (time - from)) / Math.max(to - from, 1e-12);
  }

  time_of(x) {
    const [from, to] = this.times;
    const inner = this.width - margin.left - margin.right;
    return from + (Math.min(Math.max((x - margin.left) / inner, 0), 1)) * (to - from);
  }

  y_of(value) {
    const [low, high] = this.range;
    const v = this.definition.log ? to_log(value) : value;
    const inner = this.height - margin.top - margin.bottom;
    return margin.top + inner * (1 - (v - low) / (high - low));
  }

  draw(series, times, style) {
    this.series = series;
    this.times = times;
    const { log, include } = this.definition;
    this.range = value_range(series, log, include ? include() : []);
    const context = this.picture.getContext("2d");
    context.clearRect(0, 0, this.width, this.height);
    this.draw_axes(context, style);
    context.save();
    context.beginPath();
    context.rect(margin.left, 0, this.width - margin.left - margin.right, this.height);
    context.clip();
    for (const line of series) {
      this.draw_line(context, line);
      this.draw_failures(context, line, style);
    }
    context.restore();
  }

  draw_axes(context, style) {
    context.font = "10px system-ui, sans-serif";
    context.lineWidth = 1;
    const [low, high] = this.range;
    const count = Math.max(2, Math.floor(this.height / 28));
    const ticks = this.definition.log ? log_ticks(low, high, count) : linear_ticks(low, high, count);
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const { value, label } of ticks) {
      const y = Math.round(this.y_of(this.definition.log ? 10 ** value : value)) + 0.5;
      context.strokeStyle = style.grid;
      this.segment(context, margin.left, y, this.width - margin.right, y);
      context.fillStyle = style.text;
      context.fillText(label, margin.left - 5, y);
    }
    context.textBaseline = "alphabetic";
    this.draw_time_axis(context, style);
    this.draw_marked_lines(context, style);
  }

  draw_time_axis(context, style) {
    const ticks = linear_ticks(...this.times, Math.max(2, Math.floor(this.width / 80)));
    context.fillStyle = style.text;
    ticks.forEach(({ value, label }, i) => {
      const x = this.x_of(value);
      context.textAlign = x > this.width - 24 ? "right" : "center";
      context.fillText(i === ticks.length - 1 ? `${label} s` : label, x, this.height - 4);
    });
  }

  draw_marked_lines(context, style) {
    context.strokeStyle = style.mark;
    context.setLineDash([4, 4]);
    for (const value of this.definition.include ? this.definition.include() : []) {
      const y = this.y_of(value);
      this.segment(context, margin.left, y, this.width - margin.right, y);
    }
    context.setLineDash([]);
  }

  segment(context, x0, y0, x1, y1) {
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
  }

  /// Lowest and highest of each column of pixels, so that no peak of a long run is lost.
  draw_line(context, { times, values, count, color, width, dashed }) {
    context.strokeStyle = color;
    context.lineWidth = width ?? 1.4;
    context.lineJoin = "round";
    context.setLineDash(dashed ? [3, 3] : []);
    context.beginPath();
    let column = NaN;
    let low = 0;
    let high = 0;
    for (let k = 0; k < count; ++k) {
      if (!Number.isFinite(values[k])) {
        continue; // not known at that time
      }
      const x = Math.round(2 * this.x_of(times[k])) / 2;
      const y = this.y_of(values[k]);
      if (x === column) {
        low = Math.min(low, y);
        high = Math.max(high, y);
        continue;
      }
      if (low !== high) {
        context.lineTo(column, low);
        context.lineTo(column, high);
      }
      context.lineTo(x, y);
      column = x;
      low = high = y;
    }
    if (!Number.isNaN(column)) {
      context.lineTo(column, low);
    }
    context.stroke();
    context.setLineDash([]);
  }

  /// A dot where steps were not certified.
  draw_failures(context, { times, values, count, failures }, style) {
    context.fillStyle = style.mark;
    for (let k = 0; failures && k < count; ++k) {
      if (failures[k] > 0) {
        context.beginPath();
        context.arc(this.x_of(times[k]), this.y_of(values[k]), 2.5, 0, 2 * Math.PI);
        context.fill();
      }
    }
  }

  draw_cursor(time, style) {
    const context = this.canvas.getContext("2d");
    context.clearRect(0, 0, this.width, this.height);
    context.drawImage(this.picture, 0, 0, this.width, this.height);
    const x = this.x_of(time);
    context.strokeStyle = style.cursor;
    context.lineWidth = 1.5;
    this.segment(context, x, margin.top, x, this.height - margin.bottom);
  }
}

/// The strip of plots. `events`: { seek(time), remove(key) }.
export class Plots {
  constructor(root, theme, events) {
    this.root = root;
    this.theme = theme;
    this.events = events;
    this.plots = [];
    this.all_series = [];
    this.times = [0, 1];
    theme.on_change(() => {
      this.style = {
        grid: theme.css("plot-grid"),
        text: theme.css("muted"),
        cursor: theme.css("cursor"),
        mark: theme.css("warn"),
      };
      this.redraw();
    });
  }

  /// `definitions`: { key, title, help, log, include(): values to mark, read(moment): text of the value
  /// at the cursor }.
  set_definitions(definitions) {
    this.plots = definitions.map((definition) => new Plot(definition));
    this.all_series = definitions.map(() => []);
    this.root.replaceChildren(...this.plots.map((plot) => plot.root));
    this.root.style.setProperty("--plots", String(Math.min(Math.max(this.plots.length, 1), 4)));
    this.root.classList.toggle("many", this.plots.length > 4);
    this.plots.forEach((plot) => {
      this.listen(plot, this.events.seek);
      plot.remove.addEventListener("click", () => this.events.remove(plot.definition.key));
    });
  }

  listen(plot, on_seek) {
    const seek = (event) => {
      const box = plot.canvas.getBoundingClientRect();
      on_seek(plot.time_of(event.clientX - box.left));
    };
    plot.canvas.addEventListener("pointerdown", (event) => {
      plot.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    plot.canvas.addEventListener("pointermove", (event) => {
      if (plot.canvas.hasPointerCapture(event.pointerId)) {
        seek(event);
      }
    });
  }

  /// New curves: for each plot a list of { times, values, count, color }.
  set_series(all_series, times) {
    this.all_series = all_series;
    this.times = times;
    this.redraw();
  }

  redraw() {
    this.hidden = this.root.clientWidth === 0;
    if (this.hidden) {
      return;
    }
    this.plots.forEach((plot, i) => {
      plot.resize();
      plot.draw(this.all_series[i], this.times, this.style);
    });
    this.shown_time = undefined;
  }

  /// The cursor at the time shown.
  update(moment) {
    if (this.shown_time === moment.time || this.hidden) {
      return;
    }
    this.shown_time = moment.time;
    for (const plot of this.plots) {
      plot.draw_cursor(moment.time, this.style);
    }
  }

  /// The values at the time shown.
  describe(moment) {
    for (const plot of this.plots) {
      set_text(plot.value, plot.definition.read(moment));
    }
  }
}
