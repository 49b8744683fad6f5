// Numbers over time of a recorded run: of channels that are plotted, and of trails.
import { Moment } from "./moment.js";

export class RunSeries {
  constructor(run, bodies) {
    this.run = run;
    this.bodies = bodies;
    this.known = new Map();
  }

  /// One number per frame; NaN where it is not known.
  of(channel) {
    if (!this.known.has(channel.key)) {
      this.known.set(channel.key, this.compute(channel));
    }
    return this.known.get(channel.key);
  }

  compute(channel) {
    const { run } = this;
    const values = new Float32Array(run.frames).fill(NaN);
    if (channel.column) {
      const [name, i] = channel.column;
      const { unit, columns } = run.tables[name] ?? { columns: [] };
      columns[i]?.forEach((value, k) => (values[k] = unit * value));
    } else if (channel.place) {
      const [body, j] = channel.place;
      values.forEach((_, k) => (values[k] = run.position_unit * run.positions[3 * (k * this.bodies + body) + j]));
    } else if (channel.of) {
      this.fill_from_contacts(values, channel);
    }
    return values;
  }

  fill_from_contacts(values, channel) {
    const { run } = this;
    const moment = new Moment(0);
    moment.contacts = run.columns;
    for (let k = 0; k < run.frames; ++k) {
      moment.frame = k;
      moment.first = run.contact_start[k];
      moment.count = run.contact_start[k + 1] - moment.first;
      values[k] = channel.of(moment);
    }
  }
}

/// Where bodies were, for the trails: of the run that is in front.
export class RunTrails {
  constructor(run, bodies) {
    this.run = run;
    this.bodies = bodies;
  }

  get version() {
    return this.run().label;
  }

  points(body) {
    const { frames, positions, position_unit } = this.run();
    const points = new Float32Array(3 * frames);
    for (let k = 0; k < frames; ++k) {
      for (let j = 0; j < 3; ++j) {
        points[3 * k + j] = position_unit * positions[3 * (k * this.bodies + body) + j];
      }
    }
    return points;
  }

  count(moment) {
    return moment.frame + 1;
  }
}
