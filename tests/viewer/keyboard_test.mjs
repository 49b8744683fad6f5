// Keys: Space always plays unless somebody came to a button by keyboard, and the page can be worked
// without a mouse.
import { ask, check, check_equal, click_menu, finish, in_browser, open_run, settle } from "./browser.mjs";
import { replay, sample_run } from "./sample_run.mjs";

const pressed = (page, id) => page.locator(id).getAttribute("aria-pressed");

async function play_state_after_space(page) {
  const before = await ask(page, "playing");
  await page.keyboard.press("Space");
  await settle(page);
  return (await ask(page, "playing")) !== before;
}

async function test_space(page) {
  await click_menu(page, "show", "#show-cones");
  check_equal("a click shows the cones", await pressed(page, "#show-cones"), "true");
  check("Space plays after a click on a toggle", await play_state_after_space(page));
  check_equal("and does not repeat the toggle", await pressed(page, "#show-cones"), "true");
  await page.locator("#theme").click();
  const theme = await ask(page, "theme");
  check("Space pauses after a click on the theme", await play_state_after_space(page));
  check_equal("and leaves the theme alone", await ask(page, "theme"), theme);
  await page.locator("#speed").click();
  await page.keyboard.press("Escape");
  await page.locator("#speed").selectOption("2");
  check("Space plays after a drop-down", await play_state_after_space(page));
  await page.locator("#speed").focus();
  check("letters work after a drop-down, too", await (async () => {
    await page.keyboard.press("k");
    await settle(page);
    return (await pressed(page, "#show-cones")) === "false";
  })());
  await page.keyboard.press("Space");
}

/// Accessible name of what has the focus, and what it is.
const focused = (page) =>
  page.evaluate(() => {
    const e = document.activeElement;
    const label = e.getAttribute("aria-label") || e.labels?.[0]?.innerText || e.innerText || e.title;
    return { id: e.id, tag: e.tagName, name: (label ?? "").trim() };
  });

async function test_tab(page) {
  await page.evaluate(() => document.activeElement.blur());
  await page.mouse.click(300, 300);
  await page.evaluate(() => document.activeElement.blur());
  const seen = [];
  for (let i = 0; i < 40; ++i) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    if (seen.length > 0 && now.id === seen[0].id && now.id) break;
    seen.push(now);
  }
  const nameless = seen.filter(({ tag, name }) => tag !== "BODY" && name === "");
  check_equal("everything that takes the focus has a name", nameless, []);
  const ids = seen.map(({ id }) => id);
  const wanted = ["certificate", "show-open", "camera-open", "save-open", "theme", "help-open", "canvas", "play", "scrubber", "speed", "plots-open"];
  check_equal("Tab comes to everything", wanted.filter((id) => !ids.includes(id)), []);
}

async function test_menu_by_keys(page) {
  await page.locator("#theme").focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  check_equal("Shift-Tab comes back to the first menu", (await focused(page)).id, "show-open");
  await page.keyboard.press("Enter");
  check("Enter opens it", await page.locator("#show-menu").isVisible());
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  check_equal("arrows go through it", (await focused(page)).id, "show-cones");
  const before = await pressed(page, "#show-cones");
  const playing = await ask(page, "playing");
  await page.keyboard.press("Space");
  await settle(page);
  check("Space presses what was come to by keyboard", (await pressed(page, "#show-cones")) !== before);
  check_equal("and does not play then", await ask(page, "playing"), playing);
  await page.keyboard.press("Escape");
  check("Escape closes the menu", !(await page.locator("#show-menu").isVisible()));
  check_equal("and goes back to its button", (await focused(page)).id, "show-open");
}

/// The browser may tell a time for the first picture that lies before the start of the program.
async function test_first_time(page, folder) {
  await page.addInitScript(() => {
    const real = window.requestAnimationFrame.bind(window);
    window.seen_times = [];
    let first = true;
    window.requestAnimationFrame = (draw) =>
      real((now) => {
        draw(first ? now - 800 : now);
        first = false;
        if (window.stiction) window.seen_times.push(window.stiction.time());
      });
  });
  await open_run(page, folder, replay(sample_run("hybrid")));
  await page.waitForFunction(() => window.stiction.frame() > 2);
  const least = await page.evaluate(() => Math.min(...window.seen_times));
  check("time starts at 0, whatever time the first picture has", least >= 0, least);
}

await in_browser(async (page, { folder, errors }) => {
  await open_run(page, folder, replay(sample_run("hybrid")), "#t=1");
  await test_space(page);
  await test_tab(page);
  await test_menu_by_keys(page);
  await test_first_time(page, folder);
  check_equal("no error was logged", errors, []);
}, { width: 1000, height: 640, colorScheme: "light" });

finish();
