// Numbers of the frames that the live view has seen, for its plots: the columns that curves are made
// of, by frame number. Frames may be missing between: a slow page skips some.

const most = 40000; // frames; the older half is dropped when that many are there
const columns = [
  "times", "kinetic", "potential", "residual", "contacts", "candidates", "iterations_per_step", "not_certified", "overlap_mm",
];

/// The number of a channel at a moment; NaN if it is not known.
export function channel_value(channel, moment) {
  const value = channel.column ? moment.joint_value(...channel.column) : channel.of?.(moment);
  return value ?? NaN;
}

export class History {
  constructor() {
    this.frames = 0;
    this.numbers = new Uint32Array(most);
    this.times = new Float64Array(most);
    for (const name of columns.slice(1)) {
      this[name] = new Float32Array(most);
    }
    this.watched = new Map(); // numbers of channels that are plotted, by key
  }

  /// Collects these channels from now on; what came before is not known.
  watch(channels) {
    const before = this.watched;
    this.watched = new Map(channels.map((channel) => {
      const values = before.get(channel.key)?.values ?? new Float32Array(most).fill(NaN);
      return [channel.key, { channel, values }];
    }));
  }

  of(channel) {
    return this.watched.get(channel.key)?.values ?? new Float32Array(most).fill(NaN);
  }

  /// Index of the first frame with at least this number.
  index_of(number) {
    let low = 0;
    let high = this.frames;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.numbers[middle] < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Forgets frames before `first` and after `last`, as the server has.
  keep(first, last) {
    this.frames = this.index_of(last + 1);
    const from = this.index_of(first);
    if (from > most / 4) {
      this.drop(from);
    }
  }

  drop(count) {
    for (const name of ["numbers", ...columns]) {
      this[name].copyWithin(0, count, this.frames);
    }
    this.watched.forEach(({ values }) => values.copyWithin(0, count, this.frames).fill(NaN, this.frames - count));
    this.frames -= count;
  }

  /// Adds a frame at the end, or puts its numbers in the place it had.
  add(moment) {
    if (this.frames === most) {
      this.drop(most / 2);
    }
    const i = this.index_of(moment.frame);
    if (i < this.frames && this.numbers[i] !== moment.frame) {
      return;
    }
    this.frames = Math.max(this.frames, i + 1);
    this.numbers[i] = moment.frame;
    this.times[i] = moment.time;
    this.kinetic[i] = moment.kinetic;
    this.potential[i] = moment.potential;
    this.residual[i] = moment.residual;
    this.not_certified[i] = moment.not_certified;
    this.contacts[i] = moment.touching;
    this.candidates[i] = moment.count;
    this.iterations_per_step[i] = moment.iterations_per_step;
    this.overlap_mm[i] = 1e3 * moment.overlap;
    this.watched.forEach(({ channel, values }) => (values[i] = channel_value(channel, moment)));
  }

  /// The number of the frame nearest to a time.
  frame_near(time) {
    let best = 0;
    for (let k = 1; k < this.frames; ++k) {
      if (Math.abs(this.times[k] - time) < Math.abs(this.times[best] - time)) {
        best = k;
      }
    }
    return this.numbers[best];
  }
}
