// The gallery: made by its own program from quick scenes, opened from disk, gone through by mouse and
// keyboard, at three widths and in both themes.
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { check, check_equal, finish, in_browser, picture } from "./browser.mjs";

const { STICTION_PROGRAM: program, STICTION_SOURCE_DIR: source } = process.env;
if (!existsSync(program)) {
  console.log(`Skipped: the program is not built (${program})`);
  process.exit(77);
}
const make = join(source, "viewer", "gallery", "make.mjs");
const build = resolve(dirname(program), "..");
const names = ["pulley", "cradle", "springs"];

/// Waits for the replays of a scene, and returns their frames.
async function replays(page, count, scene) {
  await page.waitForFunction((name) => document.getElementById("scene-title").textContent === name, scene);
  await page.waitForFunction((n) => {
    const frames = [...document.querySelectorAll("iframe")];
    return frames.length === n && frames.every((f) => f.contentDocument?.title.endsWith("ready"));
  }, count);
  return page.frames().filter((frame) => frame !== page.mainFrame());
}

const title = (page) => page.locator("#scene-title").innerText();

async function test_list(page) {
  check_equal("scenes stand in the order of the list", await page.locator("#scenes button").allInnerTexts(),
    ["A cable over a pulley", "Newton's cradle", "Hard contact and springs, side by side"]);
  const [frame] = await replays(page, 1, "A cable over a pulley");
  check_equal("the first one is shown", await title(page), "A cable over a pulley");
  check_equal("with the plots that it asks for", await frame.evaluate(() => window.stiction.plots()), ["v:0", "v:1", "certificate", "energy"]);
  check_equal("it rests for those who want less motion", await frame.evaluate(() => window.stiction.playing()), false);
  check("every step is certified, and it says so", /^all [\d\s]+ steps certified at 1e-8$/.test(await page.locator("#steps").innerText()), await page.locator("#steps").innerText());
  check_equal("it tells how to run it alone", await page.locator("#commands").innerText(), "./run simulate pulley --duration 2 --html pulley.html");
}

async function test_cradle(page) {
  await page.getByRole("button", { name: "Newton's cradle" }).click();
  const [frame] = await replays(page, 1, "Newton's cradle");
  check_equal("a click shows another one", await title(page), "Newton's cradle");
  check_equal("its address is its own", new URL(page.url()).hash, "#cradle");
  const energy = await frame.evaluate(() => window.stiction.plotNumbers("energy").find((line) => /^total/.test(line.name)).values);
  const lifted = 0.5 * 9.81 * 0.5 * (1 - Math.cos(0.5));
  const most = Math.max(...energy.map(Math.abs));
  check("the cradle loses less than 1 % in ten swings", most < 0.01 * lifted, most / lifted);
}

async function test_keyboard(page) {
  await page.locator("#scenes button").first().focus();
  await page.keyboard.press("Enter");
  await replays(page, 1, "A cable over a pulley");
  check_equal("Enter chooses", await title(page), "A cable over a pulley");
  check_equal("the focus goes to what was chosen", await page.evaluate(() => document.activeElement.id), "scene-title");
  await page.locator("#before").focus();
  await page.keyboard.press("Enter");
  const frames = await replays(page, 2, "Hard contact and springs, side by side");
  check_equal("before the first comes the last", await title(page), "Hard contact and springs, side by side");
  const overlaps = await Promise.all(frames.map((f) => f.evaluate(() => Math.max(...window.stiction.plotNumbers("overlap")[0].values))));
  check("hard boxes do not sink in, soft ones do", Math.min(...overlaps) < 0.1 && Math.max(...overlaps) > 1, overlaps);
  check_equal("frames have names", await page.locator("iframe").evaluateAll((all) => all.map((f) => f.title)),
    ["Replay: hard contact", "Replay: springs, 2,000 N/m"]);
}

async function test_looks(page) {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const [width, height] of [[1500, 900], [1000, 760], [390, 844]]) {
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(400);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      check(`nothing sticks out at ${width}, ${colorScheme}`, wide <= 0, wide);
      const heights = await page.locator("iframe").evaluateAll((all) => all.map((f) => f.clientHeight));
      check(`replays have room at ${width}, ${colorScheme}`, Math.min(...heights) > 500, heights);
      await picture(page, `gallery_${width}_${colorScheme}`);
    }
  }
}

await in_browser(async (page, { folder, errors }) => {
  page.setDefaultTimeout(120000); // each scene makes a new picture, which takes long without a graphics card
  const file = join(folder, "gallery.html");
  const told = execFileSync(process.execPath, [make, build, file, ...names], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  check("it tells what it made", told.includes("3 scenes in "), told);
  check("it is one file of a few megabytes", statSync(file).size < 10e6, statSync(file).size);
  await page.goto(`file://${file}`);
  await test_list(page);
  await test_cradle(page);
  await test_keyboard(page);
  await test_looks(page);
  check_equal("no error was logged", errors, []);
  let failure = "";
  try {
    execFileSync(process.execPath, [make, build, file, "cradel"], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    failure = error.stderr;
  }
  check("a scene that there is not is refused", failure.includes("there is no scene 'cradel'"), failure);
}, { width: 1500, height: 900, reducedMotion: "reduce" });

finish();
