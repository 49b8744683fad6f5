// The WebSocket of the live view. When it breaks, it is opened again, ever more patiently.

const first_wait = 500; // [ms]
const longest_wait = 5000;

export class Connection {
  /// `events`: { text(json), frame(buffer), open(), lost() }
  constructor(url, events) {
    this.url = url;
    this.events = events;
    this.wait = first_wait;
    this.open();
  }

  open() {
    this.socket = new WebSocket(this.url);
    this.socket.binaryType = "arraybuffer";
    this.socket.addEventListener("open", () => {
      this.wait = first_wait;
      this.events.open();
    });
    this.socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") {
        this.events.text(JSON.parse(data));
      } else {
        this.events.frame(data);
      }
    });
    this.socket.addEventListener("close", () => {
      this.events.lost();
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, longest_wait);
    });
  }

  get connected() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /// Sends if there is a connection; a request that cannot be sent is dropped.
  send(message) {
    if (this.connected) {
      this.socket.send(JSON.stringify(message));
    }
  }
}
