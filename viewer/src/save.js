// Files and links that the page gives away.
import { by_id } from "./dom.js";

const video_types = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
const video_rate = 30; // pictures per second
const video_bits = 8e6; // per second

/// Lets the browser save bytes under a name.
export function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/// The name of a file about this scene: letters, digits and `-`, which all systems accept.
export const file_name = (scene, ending) =>
  `${(scene.name || "run").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "run"}${ending}`;

/// Copies a text; the older way is for pages that were opened from disk.
export async function copy_text(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

export function save_picture(app) {
  app.draw(performance.now()); // what was drawn before is gone from the canvas
  by_id("canvas").toBlob((blob) => download(blob, file_name(app.scene, ".png")), "image/png");
}

/// Films the canvas while the run plays. `stop()` ends it early.
export class Film {
  /// `on_end(failure)`: after the file was given away; failure is a text, or empty.
  constructor(app, on_end) {
    this.app = app;
    this.on_end = on_end;
    const type = video_types.find((t) => window.MediaRecorder?.isTypeSupported(t));
    const canvas = by_id("canvas");
    if (!type || !canvas.captureStream) {
      throw new Error("this browser cannot make videos; use: stiction replay RUN --video FILE.mp4");
    }
    this.parts = [];
    this.recorder = new MediaRecorder(canvas.captureStream(video_rate), {
      mimeType: type, videoBitsPerSecond: video_bits,
    });
    this.recorder.addEventListener("dataavailable", (event) => event.data.size > 0 && this.parts.push(event.data));
    this.recorder.addEventListener("stop", () => this.finish(type));
    this.recorder.start(500);
  }

  stop() {
    if (this.recorder.state !== "inactive") {
      this.recorder.stop();
    }
  }

  finish(type) {
    this.recorder.stream.getTracks().forEach((track) => track.stop());
    const blob = new Blob(this.parts, { type: type.split(";")[0] });
    if (blob.size > 0) {
      download(blob, file_name(this.app.scene, ".webm"));
    }
    this.on_end(blob.size > 0 ? "" : "the browser made no video");
  }
}
