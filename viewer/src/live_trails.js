// Trails of the live view: where bodies were since somebody asked for it.

const most = 3000; // points of a body; the older half is dropped
const refresh = 6; // frames between two drawings of the lines

export class LiveTrails {
  constructor() {
    this.paths = new Map();
    this.numbers = [];
    this.added = 0;
  }

  get version() {
    return Math.floor(this.added / refresh);
  }

  add(moment) {
    const known = this.numbers.findIndex((number) => number >= moment.frame);
    if (known >= 0 && this.numbers[known] === moment.frame && known < this.numbers.length - 1) {
      return; // a look back
    }
    this.keep(known >= 0 ? known : this.numbers.length);
    if (this.numbers.length >= most) {
      this.numbers.splice(0, most / 2);
      this.paths.forEach((path) => path.splice(0, (3 * most) / 2));
    }
    this.numbers.push(moment.frame);
    this.paths.forEach((path, body) => path.push(...moment.positions.subarray(3 * body, 3 * body + 3)));
    ++this.added;
    this.newest = moment;
  }

  /// Forgets all but the first frames.
  keep(count) {
    this.numbers.length = count;
    this.paths.forEach((path) => (path.length = Math.min(path.length, 3 * count)));
  }

  /// Begins with a body when it is first asked for: then it stood where it is now.
  points(body) {
    if (!this.paths.has(body)) {
      const place = this.newest ? [...this.newest.positions.subarray(3 * body, 3 * body + 3)] : [];
      this.paths.set(body, this.numbers.flatMap(() => place));
    }
    return new Float32Array(this.paths.get(body));
  }

  count(moment) {
    const later = this.numbers.findIndex((number) => number > moment.frame);
    return later < 0 ? this.numbers.length : later;
  }
}
