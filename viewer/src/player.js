// Time of a replay: plays, pauses, seeks. Controls call the same methods on the live view.
import { frame_at } from "./data.js";

export class Player {
  /// `run`: the one that decides on times and frames.
  constructor(run) {
    this.set_run(run);
    this.time = run.times[0];
    this.playing = false;
    this.speed = 1;
    this.loop = false;
  }

  set_run(run) {
    this.run = run;
    this.first = 0;
    this.last = run.frames - 1;
    this.start = run.times[0];
    this.end = run.times[run.frames - 1];
  }

  get frame() {
    return frame_at(this.run.times, this.run.frames, this.time);
  }

  play() {
    if (this.time >= this.end) {
      this.time = this.start;
    }
    this.playing = true;
  }

  pause() {
    this.playing = false;
  }

  toggle() {
    if (this.playing) {
      this.pause();
    } else {
      this.play();
    }
  }

  /// Frames on or back; rests there.
  step(count) {
    this.pause();
    this.seek_frame(this.frame + count);
  }

  seek_frame(frame) {
    const k = Math.min(Math.max(Math.round(frame), this.first), this.last);
    this.time = this.run.times[k];
  }

  seek_time(time) {
    this.time = Math.min(Math.max(time, this.start), this.end);
  }

  /// To the start; what was playing goes on from there.
  restart() {
    this.time = this.start;
  }

  set_speed(speed) {
    this.speed = speed;
  }

  tick(seconds) {
    if (!this.playing) {
      return;
    }
    this.time += Math.max(seconds, 0) * this.speed;
    if (this.time >= this.end) {
      this.time = this.loop ? this.start : this.end;
      this.playing = this.loop;
    }
  }
}
