// The replay page from disk: loads without an error, scrubs, shows the contacts of its data, and
// answers keyboard, mouse and the wish for dark or light.
import { ask, check, check_equal, finish, in_browser, open_run, picture, settle } from "./browser.mjs";
import { contacts_of, replay, sample_run } from "./sample_run.mjs";

async function scrub(page, frame) {
  await page.locator("#scrubber").evaluate((slider, k) => {
    slider.value = k;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, frame);
  await settle(page);
}

async function test_time(page) {
  check_equal("#t=1 starts at its frame", await ask(page, "frame"), 60);
  check_equal("#t=1 rests", await ask(page, "playing"), false);
  for (const frame of [5, 65, 205]) {
    await scrub(page, frame);
    check_equal(`contacts of frame ${frame}`, await ask(page, "contactsShown"), contacts_of(frame));
    check_equal(`the slider goes to frame ${frame}`, await ask(page, "frame"), frame);
  }
  const [x] = await ask(page, "bodyPosition", 0);
  check("bodies move with the slider", Math.abs(x - (0.3 * (205 / 60) - 0.6)) < 2e-5, x);
}

async function test_keys(page) {
  await scrub(page, 65);
  await page.keyboard.press("ArrowRight");
  await settle(page);
  check_equal("Right goes one frame on", await ask(page, "frame"), 66);
  await page.keyboard.press("Shift+ArrowLeft");
  await settle(page);
  check_equal("Shift-Left goes ten back", await ask(page, "frame"), 56);
  await page.keyboard.press("k");
  await settle(page);
  check_equal("K shows a cone for each contact", await ask(page, "conesShown"), contacts_of(56));
  await page.keyboard.press("c");
  await settle(page);
  check_equal("C hides the contacts", await ask(page, "contactsShown"), 0);
  await page.keyboard.press("c");
  const shown = await ask(page, "shapesDrawn");
  await page.keyboard.press("v");
  await settle(page);
  check_equal("visual shapes without the ground", shown, [8]);
  check_equal("V shows the shapes that collide", await ask(page, "shapesDrawn"), [7]);
  await page.keyboard.press("v");
  await page.keyboard.press("?");
  check("? opens the help", await page.locator("#help").isVisible());
  await page.keyboard.press("Escape");
  check("Escape closes the help", !(await page.locator("#help").isVisible()));
  await page.keyboard.press("End");
  await settle(page);
  check_equal("End goes to the last frame", await ask(page, "frame"), 240);
}

async function test_mouse(page) {
  await scrub(page, 65);
  const [x, y] = await ask(page, "contactOnPage", 0);
  await page.mouse.move(x, y);
  await settle(page);
  check_equal("hover names a contact", await page.locator("#hover").innerText(), "floor \u2013 ball (sticking)");
  await page.mouse.click(x, y);
  await settle(page);
  check_equal("a click selects the contact", await ask(page, "selected"), "contact");
  const rows = await page.locator("#inspector").innerText();
  check("the card tells the mode and the impulse", /sticking/.test(rows) && /0\.01 N s/.test(rows), rows);
  await page.locator("#inspector-close").click();
  const gem = await ask(page, "bodyOnPage", await ask(page, "bodyIndex", "gem"));
  await page.mouse.move(gem[0], gem[1] - 12);
  await settle(page);
  check_equal("hover names a body", await page.locator("#hover").innerText(), "gem");
  await page.mouse.click(gem[0], gem[1] - 12);
  await settle(page);
  check("the card tells the mass", /0\.5 kg/.test(await page.locator("#inspector").innerText()));
  await page.keyboard.press("f");
  check_equal("F follows it", await page.locator("#follow").inputValue(), "4");
  await page.keyboard.press("Escape");
  check_equal("Escape selects nothing", await ask(page, "selected"), null);
  const plot = await page.locator("#plots canvas").nth(1).boundingBox();
  await page.mouse.click(plot.x + 44 + (plot.width - 52) / 2, plot.y + plot.height / 2);
  await settle(page);
  check("a click in a plot goes to that time", Math.abs((await ask(page, "time")) - 2) < 0.05, await ask(page, "time"));
}

async function test_theme(page) {
  check_equal("light as the system wishes", await ask(page, "theme"), "light");
  await page.emulateMedia({ colorScheme: "dark" });
  check_equal("dark as the system wishes", await ask(page, "theme"), "dark");
  await settle(page);
  await picture(page, "replay_dark");
  await page.keyboard.press("t");
  check_equal("T turns it round", await ask(page, "theme"), "light");
}

async function test_playing(page) {
  await page.keyboard.press("Home");
  await settle(page);
  check_equal("Home goes to the first frame", await ask(page, "frame"), 0);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.stiction.frame() > 3);
  check_equal("Space plays", await ask(page, "playing"), true);
  await page.keyboard.press("Space");
  await settle(page);
  const at = await ask(page, "time");
  await settle(page);
  check_equal("Space pauses", await ask(page, "time"), at);
}

/// Nothing sticks out of the page, and the picture keeps room.
async function test_layout(page, width, height) {
  await page.setViewportSize({ width, height });
  await settle(page);
  const seen = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth <= window.innerWidth,
    high: document.documentElement.scrollHeight <= window.innerHeight,
    view: document.getElementById("view").clientHeight / window.innerHeight,
    sharp: document.getElementById("view").getBoundingClientRect().bottom % 1 === 0,
    plots: [...document.querySelectorAll("#plots canvas")].every((c) => c.clientHeight > 40),
  }));
  check(`the page fits into ${width} x ${height}`, seen.wide && seen.high && seen.plots, JSON.stringify(seen));
  check(`the picture lies on whole pixels at ${width} x ${height}`, seen.sharp);
  check(`the picture has half of ${width} x ${height}`, seen.view > 0.5, seen.view);
  await picture(page, `replay_${width}`);
}

await in_browser(async (page, { folder, errors }) => {
  await open_run(page, folder, replay(sample_run("hybrid")), "#t=1");
  check("the title names the run", (await page.title()).startsWith("sample"), await page.title());
  check("the certificate in words", /All [\d\u202f]+ steps certified/.test(await page.locator("#certificate").innerText()));
  await test_time(page);
  await test_keys(page);
  await test_mouse(page);
  await test_theme(page);
  await test_playing(page);
  await test_layout(page, 800, 600);
  check_equal("no error was logged", errors, []);
}, { width: 720, height: 540, colorScheme: "light" });

finish();
