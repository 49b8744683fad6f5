// Pages of the program itself: a replay that `stiction simulate` wrote, against the table of the same
// recording, and `stiction view` with its real server.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, check, check_equal, finish, in_browser, picture, ready, settle } from "./browser.mjs";
import { start_view } from "./view_program.mjs";

const program = process.env.STICTION_PROGRAM;
if (!existsSync(program)) {
  console.log(`Skipped: the program is not built (${program})`);
  process.exit(77);
}

const run = (folder, ...args) => execFileSync(program, args, { cwd: folder, encoding: "utf8" });

async function goto_frame(page, frame) {
  await page.locator("#scrubber").evaluate((slider, k) => {
    slider.value = k;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, frame);
  await page.waitForFunction((k) => window.stiction.frame() === k, frame);
  await settle(page);
}

/// Contacts by time, as the table of the recording has them.
function contacts_of_table(file) {
  const [head, ...lines] = readFileSync(file, "utf8").trim().split("\n").map((line) => line.split(","));
  const [time, candidates] = [head.indexOf("time"), head.indexOf("candidates")];
  return lines.map((line) => ({ time: Number(line[time]), candidates: Number(line[candidates]) }));
}

async function test_replay(page, folder) {
  run(folder, "simulate", "quadruped_boxes", "--keyframe", "drop", "--duration", "1.5", "--out", "run.h5",
    "--html", "run.html", "--quiet");
  run(folder, "replay", "run.h5", "--csv", "run.csv");
  const table = contacts_of_table(join(folder, "run.csv"));
  await page.goto(`file://${join(folder, "run.html")}#t=0.5`);
  await ready(page);
  check("#t=0.5 starts there", Math.abs((await ask(page, "time")) - 0.5) < 0.02, await ask(page, "time"));
  const frames = await ask(page, "frames");
  for (const part of [0.2, 0.6, 1]) {
    await goto_frame(page, Math.round(part * (frames - 1)));
    const time = await ask(page, "time");
    const row = table.find((r) => Math.abs(r.time - time) < 1e-9);
    check_equal(`as many contacts at ${time.toFixed(2)} s as the recording has candidates`, await ask(page, "contactsShown"), row?.candidates);
  }
  await picture(page, "quadruped");
  await test_contact_counts(page, folder);
}

/// Contacts are those that touch, in the page as in the table.
async function test_contact_counts(page, folder) {
  const [head, ...lines] = readFileSync(join(folder, "run.csv"), "utf8").trim().split("\n").map((line) => line.split(","));
  for (const [key, name] of [["contacts", "contacts"], ["candidates", "candidates"]]) {
    const table = lines.map((line) => [Number(line[0]), Number(line[head.indexOf(name)])]);
    const [curve] = await ask(page, "plotNumbers", key);
    const times = await ask(page, "plotTimes", key);
    const same = times.every((t, k) => curve.values[k] === table.find(([time]) => Math.abs(time - t) < 1e-9)?.[1]);
    check(`${name} of the page are those of the table`, same && curve.values.length > 50, curve.values.slice(0, 9));
  }
}

const frame_after = (page, frame) => page.waitForFunction((k) => window.stiction.frame() > k, frame);

async function pause(page) {
  await page.keyboard.press("Space");
  await page.waitForFunction(() => !window.stiction.playing());
}

async function play_until(page, frame) {
  await page.keyboard.press("Space");
  await frame_after(page, frame);
  await pause(page);
}

async function test_time_travel(page) {
  await play_until(page, 24);
  await goto_frame(page, 20);
  const later = await ask(page, "hash");
  await goto_frame(page, 8);
  const earlier = await ask(page, "hash");
  check("states at two times differ", earlier !== later, earlier);
  await play_until(page, 22);
  await goto_frame(page, 20);
  check_equal("going on from the past leads to the same hash", await ask(page, "hash"), later);
  await goto_frame(page, 8);
  check_equal("the past is as it was", await ask(page, "hash"), earlier);
  await page.keyboard.press("s");
  await page.waitForFunction((h) => window.stiction.hash() !== h, earlier);
  check("a single step is made from there", (await ask(page, "time")) < 1, await ask(page, "time"));
}

async function test_settings(page) {
  await page.locator("#live summary", { hasText: "Settings" }).click(); // closed on narrow pages
  await page.locator("#setting-law").selectOption("convex");
  await page.waitForFunction(() => /convex/.test(document.getElementById("summary").innerText));
  check("the law changes at run time", true);
}

async function test_drag(page) {
  await page.keyboard.press("r");
  await page.keyboard.press("x");
  await page.waitForFunction(() => window.stiction.time() === 0);
  await settle(page);
  // From farther away the mouse reaches high enough to lift the whole robot.
  await page.mouse.move(200, 250);
  for (let i = 0; i < 4; ++i) {
    await page.mouse.wheel(0, 400);
    await settle(page);
  }
  await page.waitForTimeout(500);
  const base = await ask(page, "bodyIndex", "base");
  const [x, y] = await ask(page, "bodyOnPage", base);
  const height = async () => (await ask(page, "bodyPosition", base))[2];
  const start = await height();
  await page.keyboard.down("Shift");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 70, { steps: 3 });
  await page.keyboard.press("Space");
  // The page may be slower than the simulation: what counts is that it gets there.
  const height_passes = (level, sign) =>
    page
      .waitForFunction(([b, z, s]) => s * (window.stiction.bodyPosition(b)[2] - z) > 0, [base, level, sign])
      .then(() => true, () => false);
  check("a body that is dragged up goes up", await height_passes(start + 0.1, 1), await height());
  await picture(page, "live_quadruped");
  const lifted = await height();
  await page.mouse.up();
  await page.keyboard.up("Shift");
  check("and falls when it is let go", await height_passes(lifted - 0.1, -1), await height());
  await pause(page);
}

await in_browser(async (page, { folder, errors }) => {
  process.env.XDG_STATE_HOME = folder; // the list of recent scenes
  await test_replay(page, folder);
  const { server, address } = await start_view("quadruped_boxes", "--port", "0", "--paused");
  try {
    await page.goto(address);
    await ready(page);
    await test_time_travel(page);
    await test_settings(page);
    await test_drag(page);
    check_equal("no error was logged", errors, []);
  } finally {
    server.removeAllListeners("exit");
    server.kill("SIGINT");
  }
}, { width: 720, height: 540 });

finish();
