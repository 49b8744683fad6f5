// A live server for tests of the page alone (docs/page_format.md): HTTP and WebSocket by node's own
// means, and instead of physics a ball that can be pulled.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { sample_scene } from "./sample_run.mjs";

function frame_of_socket(payload, opcode) {
  const n = payload.length;
  const head = n < 126 ? Buffer.alloc(2) : n < 65536 ? Buffer.alloc(4) : Buffer.alloc(10);
  head[0] = 0x80 | opcode;
  if (n < 126) {
    head[1] = n;
  } else if (n < 65536) {
    head[1] = 126;
    head.writeUInt16BE(n, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(n), 2);
  }
  return Buffer.concat([head, payload]);
}

/// Takes whole messages off a buffer of masked frames below 64 KiB; returns what is left.
function take_messages(buffer, on_text) {
  for (;;) {
    if (buffer.length < 6) return buffer;
    const long = (buffer[1] & 127) === 126;
    const at = long ? 4 : 2;
    const n = long ? buffer.readUInt16BE(2) : buffer[1] & 127;
    if (buffer.length < at + 4 + n) return buffer;
    const mask = buffer.subarray(at, at + 4);
    const body = Buffer.from(buffer.subarray(at + 4, at + 4 + n).map((b, i) => b ^ mask[i % 4]));
    if ((buffer[0] & 15) === 1) on_text(body.toString("utf8"));
    buffer = buffer.subarray(at + 4 + n);
  }
}

const step_size = 0.01;

/// States that follow from the one before and from nothing else, but for the drag.
class FakeSimulation {
  constructor(springs) {
    this.springs = springs;
    this.settings = {
      contact: springs ? "viscoelastic" : "rigid", "viscoelastic.stiffness": 1e5,
      solver: "hybrid", law: "coulomb", gap_rule: "linear", integrator: "euler",
      time_step: step_size, friction: 1, speed: 1, tolerance: 1e-8,
    };
    this.playing = false;
    this.controls = [0];
    this.target = 0.25;
    this.poses = new Map();
    this.recording = "";
    this.command = null; // no policy
    this.reset();
  }

  reset() {
    this.states = [{ x: [0, 0, 0.15], v: [0.3, 0, 0] }];
    this.shown = 0;
  }

  step() {
    this.states.length = this.shown + 1;
    const { x, v } = this.states[this.shown];
    const pull = this.drag ? this.drag.target.map((t, i) => 40 * (t - x[i]) - 12 * v[i]) : [0, 0, 0];
    const next_v = v.map((a, i) => a + step_size * pull[i]);
    this.states.push({ x: x.map((a, i) => a + step_size * next_v[i]), v: next_v });
    ++this.shown;
  }

  hash() {
    const { x, v } = this.states[this.shown];
    return createHash("sha1").update(Buffer.from(new Float64Array([...x, ...v]).buffer)).digest();
  }

  status() {
    return {
      type: "status", playing: this.playing, frame: this.shown, first: 0, last: this.states.length - 1,
      time: this.shown * step_size, hash: this.hash().readBigUInt64LE(0).toString(16).padStart(16, "0"),
      settings: this.settings, counts: { steps: this.shown, not_certified: 0, refused: 0, worst_residual: 3e-11 },
      real_time_factor: 1, message: "",
      controls: this.controls, targets: [{ body: 2, value: this.target }], poses: [...this.poses.keys()],
      recording: this.recording, command: this.command, scenes: ["sample", "other"], scene: 0,
    };
  }

  binary() {
    const bodies = 6;
    const contacts = 1 + (this.shown % 3);
    const contact_size = this.springs ? 80 : 56;
    const [q, v, actuators, pulls] = [30, 26, 1, this.drag ? 1 : 0];
    const tables = 88 + 28 * bodies + contact_size * contacts;
    const out = Buffer.alloc(tables + 4 * (q + 2 * v + actuators + 6 * pulls));
    [0x46544353, 3, this.shown, bodies, contacts, 4, 0, 1].forEach((w, i) => out.writeUInt32LE(w, 4 * i));
    out.writeDoubleLE(this.shown * step_size, 32);
    this.hash().copy(out, 40, 0, 8);
    [1, 2, 1e-10, 1e-6].forEach((f, i) => out.writeFloatLE(f, 48 + 4 * i));
    [this.springs ? contacts : 0, q, v, v, actuators, pulls].forEach((n, i) => out.writeUInt32LE(n, 64 + 4 * i));
    out.writeFloatLE(this.target, tables + 4 * 14);
    out.writeFloatLE(this.controls[0], tables + 4 * (q + 2 * v));
    const { x } = this.states[this.shown];
    if (this.drag) {
      [...x, 0, 0, 12.5].forEach((f, i) => out.writeFloatLE(f, tables + 4 * (q + 2 * v + actuators + i)));
    }
    for (let i = 0; i < bodies; ++i) {
      const p = i === 0 ? x : [i * 0.4 - 1, 0.6, 0.3];
      p.forEach((value, j) => out.writeFloatLE(value, 88 + 12 * i + 4 * j));
      out.writeFloatLE(1, 88 + 12 * bodies + 16 * i + 12);
    }
    this.write_contacts(out, 88 + 28 * bodies, contacts, x);
    if (this.springs) {
      this.write_springs(out, 88 + 28 * bodies + 56 * contacts, contacts, x);
    }
    return out;
  }

  write_contacts(out, at, n, x) {
    for (let c = 0; c < n; ++c) {
      out.writeInt32LE(0, at + 8 * c);
      out.writeInt32LE(1, at + 8 * c + 4);
      out.writeUInt32LE(1, at + 8 * n + 4 * c);
      [x[0] + 0.02 * c, x[1], 0].forEach((v, j) => out.writeFloatLE(v, at + 12 * n + 12 * c + 4 * j));
      out.writeFloatLE(1, at + 24 * n + 12 * c + 8);
      out.writeFloatLE(0.1, at + 36 * n + 12 * c + 8);
      out.writeFloatLE(0.6, at + 52 * n + 4 * c);
    }
  }

  /// Anchors 0.1 mm behind the contacts, and stretches.
  write_springs(out, at, n, x) {
    for (let c = 0; c < n; ++c) {
      [x[0] + 0.02 * c - 1e-4, x[1], 0].forEach((v, j) => out.writeFloatLE(v, at + 12 * c + 4 * j));
      out.writeFloatLE(1e-4, at + 12 * n + 12 * c);
    }
  }

  /// What a client asked for; a text if it cannot be done.
  obey(message) {
    if (message.type === "play") this.playing = true;
    else if (message.type === "pause") this.playing = false;
    else if (message.type === "reset") this.reset();
    else if (message.type === "drag") this.drag = message;
    else if (message.type === "release") this.drag = null;
    else if (message.type === "control") this.controls[message.actuator] = message.value ?? 0;
    else if (message.type === "target") this.target = message.value ?? 0.25;
    else if (message.type === "command") this.command = message.value;
    else if (message.type === "open") this.opened = message.scene;
    else if (message.type === "save_pose") this.poses.set(message.name, this.states[this.shown]);
    else if (message.type === "restore_pose") {
      this.states.length = this.shown + 1;
      this.states.push(this.poses.get(message.name));
      ++this.shown;
    } else if (message.type === "record") this.recording = message.on ? "sample_live_1.h5" : "";
    else if (message.type === "step") for (let i = 0; i < message.count; ++i) this.step();
    else if (message.type === "goto") {
      this.playing = false;
      this.shown = Math.min(Math.max(message.frame, 0), this.states.length - 1);
    } else if (message.type === "settings") {
      if (message.time_step > 1) return "a step of more than 1 s is too long";
      if (message.time_step <= 0) return "the step must be above 0 s";
      delete message.type;
      Object.assign(this.settings, message);
    } else if (message.type !== "status") return `unknown type ${message.type}`;
    return null;
  }
}

/// { port, requests, close() }: serves a page and the live view on loopback. `requests` collects what
/// clients sent. `springs`: contacts have anchors.
export async function start_fake_server(page, port = 0, { springs = false } = {}) {
  const simulation = new FakeSimulation(springs);
  const requests = [];
  const sockets = new Set();
  const server = createServer((_, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(page);
  });
  const send = (socket, value) => {
    const is_text = !Buffer.isBuffer(value);
    socket.write(frame_of_socket(is_text ? Buffer.from(JSON.stringify(value)) : value, is_text ? 1 : 2));
  };
  const tell = (socket) => {
    send(socket, simulation.binary());
    send(socket, simulation.status());
  };
  server.on("upgrade", (request, socket) => {
    const key = request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
      `Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => sockets.delete(socket));
    const choices = { solvers: ["hybrid", "pgs"], laws: ["coulomb", "convex"], gap_rules: ["linear"], integrators: ["euler"] };
    send(socket, { type: "scene", scene: sample_scene(), settings: simulation.settings, choices });
    tell(socket);
    let left = Buffer.alloc(0);
    socket.on("data", (data) => {
      left = take_messages(Buffer.concat([left, data]), (text) => {
        const message = JSON.parse(text);
        requests.push({ ...message });
        const problem = simulation.obey(message);
        if (problem) send(socket, { type: "error", message: problem });
        tell(socket);
      });
    });
  });
  const clock = setInterval(() => {
    if (simulation.playing) {
      simulation.step();
      sockets.forEach(tell);
    }
  }, 1000 * step_size);
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  const close = async () => {
    clearInterval(clock);
    sockets.forEach((socket) => socket.destroy());
    await new Promise((done) => server.close(done));
  };
  return { port: server.address().port, requests, simulation, close };
}
