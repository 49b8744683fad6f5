// The live view against a server of the test: plays, steps, drags, changes settings, travels in time
// to the same state, and tells when the server has gone.
import { ask, check, check_equal, finish, in_browser, page_text, picture, ready, settle } from "./browser.mjs";
import { start_fake_server } from "./fake_server.mjs";

async function frame_is(page, frame) {
  await page.waitForFunction((k) => window.stiction.frame() === k, frame);
  await settle(page);
}

async function test_playing(page) {
  check_equal("it shows the first frame", await ask(page, "frame"), 0);
  await page.keyboard.press("s");
  await frame_is(page, 1);
  check_equal("S makes a step, with the contacts of its frame", await ask(page, "contactsShown"), 2);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.stiction.playing() && window.stiction.frame() > 20);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => !window.stiction.playing());
  check("Space plays and pauses", true);
  const badge = await page.locator("#certificate").innerText();
  check("the badge tells the worst residual since the start", /every step certified; worst residual 3\.00?.*10/.test(badge) || /every step certified$/.test(badge), badge);
  check("and no zero of now", !/now/.test(badge), badge);
}

async function test_drag(page, server) {
  await page.keyboard.press("x");
  await frame_is(page, 0);
  const from = await ask(page, "bodyPosition", 0);
  const [x, y] = await ask(page, "bodyOnPage", 0);
  await page.keyboard.down("Shift");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 60, y - 40, { steps: 3 });
  await settle(page);
  const drags = server.requests.filter((r) => r.type === "drag");
  check("Shift-drag asks for a drag of the body under the mouse", drags.length > 0 && drags[0].body === 0, JSON.stringify(drags[0]));
  const local = drags[0]?.point ?? [];
  check("the point is in the body: on the ball's surface", Math.abs(Math.hypot(...local) - 0.15) < 5e-3, local);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.stiction.frame() > 40);
  check_equal("the force of the pull is shown", await page.locator("#pull").innerText(), "12.5 N");
  await picture(page, "live");
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await page.waitForFunction(() => window.stiction.frame() > 60);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => !window.stiction.playing());
  await page.locator("#pull").waitFor({ state: "hidden" });
  check("the release is told", server.requests.some((r) => r.type === "release"));
  const to = await ask(page, "bodyPosition", 0);
  check("the body went with the mouse", Math.hypot(...to.map((v, i) => v - from[i])) > 0.1, to);
}

/// Goes on from the middle twice: the same state comes out, byte for byte.
async function test_time_travel(page) {
  const last = await page.locator("#scrubber").evaluate((slider) => Number(slider.max));
  await page.locator("#scrubber").evaluate((slider) => {
    slider.value = 70;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  });
  check("there are frames to travel over", last > 60, last);
  const middle = Math.min(70, last);
  await frame_is(page, middle);
  const replayed = [];
  for (let i = 0; i < 2; ++i) {
    await page.keyboard.press("Home");
    await frame_is(page, 0);
    for (let k = 1; k <= 3; ++k) {
      await page.keyboard.press("s");
      await frame_is(page, k);
    }
    replayed.push(await ask(page, "hash"));
  }
  check_equal("the same steps from the same frame give the same hash", replayed[0], replayed[1]);
  check_equal("later frames are forgotten", await page.locator("#scrubber").evaluate((s) => s.max), "3");
  await page.keyboard.press("ArrowLeft");
  await frame_is(page, 2);
  check("another state has another hash", (await ask(page, "hash")) !== replayed[0]);
  check_equal("the hash is shown", await page.locator("#hash").innerText(), await ask(page, "hash"));
}

async function test_settings(page, server) {
  const last = () => server.requests.filter((r) => r.type === "settings").at(-1);
  const arrives = async (claim, wanted) => {
    for (let i = 0; i < 50 && JSON.stringify(last()) !== JSON.stringify(wanted); ++i) {
      await page.waitForTimeout(20);
    }
    check_equal(claim, last(), wanted);
  };
  await page.locator("#setting-solver").selectOption("pgs");
  await arrives("another solver is asked for", { type: "settings", solver: "pgs" });
  await page.locator("#setting-law").selectOption("convex");
  await arrives("another law is asked for", { type: "settings", law: "convex" });
  await page.locator("#setting-time_step").fill("2");
  await page.locator("#setting-time_step").press("Enter");
  await arrives("another step is asked for, in seconds", { type: "settings", time_step: 0.002 });
  await page.locator("#setting-friction").fill("0.5");
  await arrives("another friction is asked for", { type: "settings", friction: 0.5 });
  await page.locator("#speed").selectOption("0.25");
  await arrives("another speed is asked for", { type: "settings", speed: 0.25 });
  await page.locator("#setting-time_step").fill("5000");
  await page.locator("#setting-time_step").press("Enter");
  await page.locator("#notice").waitFor();
  check("a refusal is told", /too long/.test(await page.locator("#notice").innerText()));
  check_equal("and the number is the one that counts", await page.locator("#setting-time_step").inputValue(), "2");
  await page.locator("#setting-time_step").fill("-1");
  await page.locator("#setting-time_step").press("Enter");
  await page.waitForFunction(() => /must be above 0/.test(document.getElementById("notice").innerText));
  check_equal("a negative step is not dropped in silence", await page.locator("#setting-time_step").inputValue(), "2");
  await page.locator("#setting-time_step").fill("");
  await page.locator("#setting-time_step").press("Enter");
  await page.waitForFunction(() => /enter a number/.test(document.getElementById("notice").innerText));
  check_equal("nor is an empty one", await page.locator("#setting-time_step").inputValue(), "2");
}

/// Moves a slider as a hand does.
async function slide(page, name, value) {
  await page.getByRole("slider", { name, exact: true }).evaluate((slider, v) => {
    slider.value = v;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, value);
}

async function test_robot(page, server) {
  const open = (name) => page.locator("#live summary", { hasText: name }).click();
  await open("Actuators");
  await open("Joint targets");
  await slide(page, "elbow_motor", 2.5);
  await page.waitForFunction(() => document.querySelector("details:not([hidden]) .slider output").innerText === "2.5");
  check_equal("a slider drives an actuator", server.simulation.controls, [2.5]);
  await page.getByRole("button", { name: "release elbow_motor" }).click();
  await page.waitForFunction(() => document.querySelector("details:not([hidden]) .slider output").innerText === "0");
  check_equal("and lets it go again", server.simulation.controls, [0]);
  await slide(page, "arm_joint", 1.2);
  await settle(page);
  check("a slider sets the target of a joint", Math.abs(server.simulation.target - 1.2) < 0.02, server.simulation.target);
  await page.evaluate(() => (location.hash = ""));
  await open("Poses");
  await page.locator("#pose-name").fill("here");
  await page.locator("#pose-save").click();
  await page.locator("#poses button").waitFor();
  const there = await ask(page, "bodyPosition", 0);
  await page.keyboard.press("s");
  await page.keyboard.press("s");
  await settle(page);
  await page.getByRole("button", { name: "here" }).click();
  await page.waitForFunction((x) => Math.abs(window.stiction.bodyPosition(0)[0] - x) < 1e-6, there[0]);
  check("a pose that was kept comes back", true);
  await open("Pause on");
  await page.locator("#setting-pause_fall").check();
  await page.waitForFunction(() => document.getElementById("setting-pause_fall").checked);
  for (let i = 0; i < 50 && !server.simulation.settings.pause_fall; ++i) await page.waitForTimeout(20);
  check_equal("a pause on falls is asked for", server.simulation.settings.pause_fall, true);
  await page.locator("#record").click();
  await page.locator("#recording", { hasText: "sample_live_1.h5" }).waitFor();
  check_equal("the button shows that it records", await page.locator("#record").getAttribute("aria-pressed"), "true");
  await picture(page, "live_robot");
  await page.locator("#record").click();
  await page.waitForFunction(() => document.getElementById("recording").innerText === "");
  check("and ends that", true);
}

/// The arrow keys drive the robot of a policy, and are for time again afterwards.
async function test_driving(page, server) {
  check("without a policy there is nothing to drive", await page.locator("#drive").isHidden());
  server.simulation.command = [0.5, 0, 0];
  await page.keyboard.press("s");
  await page.locator("#drive").waitFor();
  check_equal("the first command is shown", await page.locator("#command-0").inputValue(), "0.5");
  const command = async (claim, wanted) => {
    for (let i = 0; i < 50 && String(server.simulation.command) !== String(wanted); ++i) await page.waitForTimeout(20);
    check_equal(claim, server.simulation.command, wanted);
  };
  await page.locator("#canvas").focus();
  const frame = await ask(page, "frame");
  await page.keyboard.press("g");
  check_equal("G switches it on", await page.locator("#drive").getAttribute("aria-pressed"), "true");
  await page.keyboard.down("ArrowUp");
  await command("an arrow key walks", [0.8, 0, 0]);
  await page.keyboard.down("ArrowLeft");
  await command("two turn while walking", [0.8, 0, 0.6]);
  await page.keyboard.down("Shift");
  await command("with Shift it walks aside", [0.8, 0.3, 0]);
  await page.keyboard.up("Shift");
  await page.keyboard.up("ArrowLeft");
  await page.keyboard.up("ArrowUp");
  await command("it stops when the keys are let go", [0, 0, 0]);
  check_equal("time does not move meanwhile", await ask(page, "frame"), frame);
  await picture(page, "live_driving");
  await page.keyboard.press("g");
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction((k) => window.stiction.frame() === k - 1, frame);
  check("afterwards arrow keys are for time again", true);
  await page.keyboard.press("ArrowRight");
  await slide(page, "forward [m/s]", 0.4);
  await command("a slider commands, too", [0.4, 0, 0]);
  await page.locator("#scenes").selectOption("1");
  for (let i = 0; i < 50 && server.simulation.opened !== 1; ++i) await page.waitForTimeout(20);
  check_equal("another scene is asked for", server.simulation.opened, 1);
}

/// Numbers of joints come with the frames: the card and plots have them.
async function test_joint_numbers(page) {
  await page.evaluate(() => window.stiction.choosePlots(["energy", "q:14", "a:0"]));
  await page.keyboard.press("s");
  await page.keyboard.press("s");
  await settle(page);
  const [{ values }] = await ask(page, "plotNumbers", "q:14");
  check("a joint is plotted from now on", Math.abs(values.at(-1) - 1.2) < 0.02 && values.filter(Number.isFinite).length <= 4, values.slice(-4));
  await page.keyboard.press("p");
  await page.keyboard.press("s");
  await page.keyboard.press("s");
  await settle(page);
  check("trails grow", (await ask(page, "trails")).every((n) => n >= 2), await ask(page, "trails"));
  await page.keyboard.press("p");
}

let server = await start_fake_server(page_text());
await in_browser(async (page, { errors }) => {
  await page.goto(`http://127.0.0.1:${server.port}/`);
  await ready(page);
  await test_playing(page);
  await test_drag(page, server);
  await test_time_travel(page);
  await test_settings(page, server);
  await test_robot(page, server);
  await test_driving(page, server);
  await test_joint_numbers(page);
  check_equal("no error was logged", errors, []);
  const { port } = server;
  await server.close();
  await page.waitForFunction(() => /server lost/.test(document.getElementById("notice").innerText));
  check("the page says that the server has gone", await page.locator("#notice").isVisible());
  server = await start_fake_server(page_text(), port);
  await page.locator("#notice").waitFor({ state: "hidden" });
  await page.keyboard.press("s");
  await frame_is(page, 1);
  check("it reconnects and goes on", true);
}, { width: 900, height: 700 }).finally(() => server.close());

finish();
