import { App } from "./app.js";
import { by_id } from "./dom.js";
import { start_live } from "./live.js";
import { say } from "./notice.js";
import { expose } from "./probe.js";
import { Replay } from "./replay.js";
import { Theme } from "./theme.js";

async function start() {
  const theme = new Theme();
  by_id("theme").addEventListener("click", () => {
    if (!window.stiction) {
      theme.toggle();
    }
  });
  performance.mark("stiction-start");
  const data = JSON.parse(by_id("stiction-data").textContent);
  if (data) {
    const replay = await Replay.read(data);
    performance.mark("stiction-read");
    const app = new App(replay, theme);
    expose(app);
    app.run();
  } else if (location.protocol.startsWith("http")) {
    start_live(theme);
  } else {
    say("This page contains no run. Create one with: stiction simulate SCENE --html run.html", Infinity);
  }
}

start().catch((error) => {
  console.error(error);
  say(`Cannot show this page: ${error.message}`, Infinity);
});
