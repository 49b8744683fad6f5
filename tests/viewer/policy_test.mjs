// The arrow keys drive the robot of a policy through the real server of `stiction view`.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, check, check_equal, finish, in_browser, picture, ready } from "./browser.mjs";
import { start_view } from "./view_program.mjs";

if (!existsSync(process.env.STICTION_PROGRAM)) {
  console.log(`Skipped: the program is not built (${process.env.STICTION_PROGRAM})`);
  process.exit(77);
}

/// A policy that bends the knees by the forward command: answers are a network without hidden layers.
function write_policy(file) {
  const legs = ["LF", "RF", "LH", "RH"];
  const joints = legs.flatMap((leg) => ["HAA", "HFE", "KFE"].map((part) => `${leg}_${part}`));
  const front = (leg) => (leg.endsWith("F") ? 1 : -1);
  const weights = joints.map((name) => {
    const row = new Array(14 + 2 * joints.length).fill(0);
    row[9] = name.endsWith("KFE") ? -0.5 * front(name.slice(0, 2)) : name.endsWith("HFE") ? 0.25 * front(name.slice(0, 2)) : 0;
    return row;
  });
  const pose = joints.map((name) => (name.endsWith("HFE") ? 0.7 : name.endsWith("KFE") ? -0.9143 : 0) * front(name.slice(0, 2)));
  writeFileSync(file, JSON.stringify({
    format: "stiction policy 1", control_interval: 0.02, stride: 0.5, joints, pose, stiffness: 150, damping: 4, action_scale: 1,
    command_scale: [1, 1, 1], layers: [{ weights, biases: new Array(joints.length).fill(0) }],
  }));
}

/// Keys reach the policy of the real server: the base sinks while the key is held.
async function test_policy(page, folder) {
  write_policy(join(folder, "policy.json"));
  const { server, address } = await start_view("anymal_lumped", "--port", "0", "--control", `policy:${join(folder, "policy.json")}`);
  try {
    await page.goto(address);
    await ready(page);
    await page.locator("#drive").waitFor();
    const height = async () => (await ask(page, "bodyPosition", 0))[2];
    await page.waitForFunction(() => window.stiction.time() > 1);
    const upright = await height();
    await page.locator("#canvas").focus();
    await page.keyboard.press("g");
    await page.keyboard.down("ArrowUp");
    const sinks = (level) => page.waitForFunction((z) => window.stiction.bodyPosition(0)[2] < z, level).then(() => true, () => false);
    check("a key that is held commands the policy", await sinks(upright - 0.02), await height());
    await page.keyboard.up("ArrowUp");
    const rises = (level) => page.waitForFunction((z) => window.stiction.bodyPosition(0)[2] > z, level).then(() => true, () => false);
    check("and it stands up when the key is let go", await rises(upright - 0.01), await height());
    await picture(page, "live_policy");
  } finally {
    server.removeAllListeners("exit");
    server.kill("SIGINT");
  }
}

await in_browser(async (page, { folder, errors }) => {
  process.env.XDG_STATE_HOME = folder; // the list of recent scenes
  page.setDefaultTimeout(90000); // a page without a graphics card may be far slower than the robot
  await test_policy(page, folder);
  check_equal("no error was logged", errors, []);
}, { width: 720, height: 540 });

finish();
