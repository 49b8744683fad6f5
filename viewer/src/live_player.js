// The player of the live view: the same methods as Player, as requests to the server.

export class LivePlayer {
  constructor(send, history) {
    this.send = send;
    this.history = history;
    this.playing = false;
    this.frame = 0;
    this.first = 0;
    this.last = 0;
    this.time = 0;
    this.end = Infinity;
    this.goto = null;
  }

  take_status(status) {
    this.playing = status.playing;
    this.first = status.first;
    this.last = status.last;
  }

  play() {
    this.send({ type: "play" });
  }

  pause() {
    this.send({ type: "pause" });
  }

  toggle() {
    this.send({ type: this.playing ? "pause" : "play" });
  }

  /// Back is time travel; on is time travel too, until there is nothing newer: then a step is made.
  step(count) {
    if (count > 0 && this.frame >= this.last) {
      this.send({ type: "step", count });
    } else {
      this.seek_frame(this.frame + count);
    }
  }

  seek_frame(frame) {
    this.goto = Math.min(Math.max(Math.round(frame), this.first), this.last);
  }

  seek_time(time) {
    this.seek_frame(this.history.frame_near(time));
  }

  restart() {
    this.seek_frame(this.first);
  }

  set_speed(speed) {
    this.send({ type: "settings", speed });
  }

  /// One request for a frame per picture, however fast the slider moves.
  tick() {
    if (this.goto !== null) {
      this.send({ type: "goto", frame: this.goto });
      this.goto = null;
    }
  }
}
