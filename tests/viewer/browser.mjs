// Chromium for the tests of the page, and small checks. Environment, set by ctest:
//   STICTION_VIEWER_DIR   build folder of the viewer: page and node_modules
//   STICTION_CHROMIUM     the program
//   STICTION_PICTURES     folder for screenshots
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fill_page } from "./sample_run.mjs";

const { STICTION_VIEWER_DIR: viewer, STICTION_CHROMIUM: chromium, STICTION_PICTURES: pictures } = process.env;

export const page_text = () => readFileSync(join(viewer, "viewer_page.html"), "utf8");

const flags = [
  "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--enable-unsafe-swiftshader",
  "--use-angle=swiftshader", "--ignore-gpu-blocklist",
];

/// Runs a test in a new page of a new browser. Anything that the page logs as an error fails it.
export async function in_browser(test, { width = 1000, height = 700, ...context_options } = {}) {
  const { chromium: driver } = createRequire(join(viewer, "package.json"))("playwright-core");
  const folder = mkdtempSync(join(tmpdir(), "stiction-viewer-"));
  const browser = await driver.launch({ executablePath: chromium, args: flags, headless: true });
  try {
    const context = await browser.newContext({ viewport: { width, height }, ...context_options });
    const page = await context.newPage();
    page.setDefaultTimeout(90000); // only a page that hangs takes so long, also on a busy machine
    const errors = [];
    page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
    page.on("pageerror", (e) => errors.push(String(e)));
    await test(page, { folder, errors });
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function ready(page) {
  await page.waitForFunction(() => document.title.endsWith("ready"));
}

/// Opens a page with data from a file, as users do.
export async function open_run(page, folder, data, fragment = "") {
  const file = join(folder, "run.html");
  writeFileSync(file, fill_page(page_text(), data));
  await page.goto("about:blank"); // another fragment alone would not load the file anew
  await page.goto(`file://${file}${fragment}`);
  await ready(page);
}

/// Clicks an entry of a menu: show, camera, save or plots.
export async function click_menu(page, menu, entry) {
  await page.locator(`#${menu}-open`).click();
  await page.locator(entry).click();
  if (await page.locator(`#${menu}-menu`).isVisible()) {
    await page.keyboard.press("Escape");
  }
  await settle(page);
}

/// Reads from window.stiction, such as ask(page, "frame").
export const ask = (page, name, ...args) =>
  page.evaluate(([n, a]) => window.stiction[n](...a), [name, args]);

/// Waits until the page has drawn what changed.
export async function settle(page) {
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))),
  );
}

/// How many different colours the picture of an element has: an empty canvas has one.
export async function count_colors(page, selector) {
  await settle(page);
  const shot = (await page.locator(selector).screenshot()).toString("base64");
  return page.evaluate(async (png) => {
    const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    return new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size;
  }, shot);
}

export async function picture(page, name) {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

let failures = 0;

export function check(claim, good, seen = "") {
  if (!good) {
    ++failures;
  }
  console.log(`${good ? "ok  " : "FAIL"} ${claim}${good || seen === "" ? "" : ` (seen: ${seen})`}`);
}

export const check_equal = (claim, seen, wanted) =>
  check(claim, JSON.stringify(seen) === JSON.stringify(wanted), `${JSON.stringify(seen)}, wanted ${JSON.stringify(wanted)}`);

/// Ends the program with 1 if a check failed.
export function finish() {
  console.log(failures === 0 ? "all checks passed" : `${failures} checks failed`);
  process.exitCode = failures === 0 ? 0 : 1;
}
