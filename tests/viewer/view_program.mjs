// The program `stiction view` for tests of the page with its real server.
import { spawn } from "node:child_process";

const program = process.env.STICTION_PROGRAM;

/// Starts the server and waits for its address.
export async function start_view(...args) {
  const server = spawn(program, ["view", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((found, failed) => {
    let text = "";
    server.stdout.on("data", (data) => {
      text += data;
      const match = text.match(/http:\/\/127\.0\.0\.1:\d+\//);
      if (match) found(match[0]);
    });
    server.on("exit", (code) => failed(new Error(`stiction view ended with ${code}: ${text}`)));
  });
  return { server, address };
}
