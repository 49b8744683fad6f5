// Trails, frames of bodies, centre of mass over its support polygon, and measuring: against the formulas
// of the sample.
import { ask, check, check_equal, click_menu, finish, in_browser, open_run, picture, settle } from "./browser.mjs";
import { replay, sample_run } from "./sample_run.mjs";

async function press(page, key) {
  await page.keyboard.press(key);
  await settle(page);
}

async function test_trails(page) {
  check_equal("no trails at first", (await ask(page, "trails")).filter((n) => n > 0), []);
  await press(page, "p");
  check_equal("P shows a trail of each robot and free body up to this time", await ask(page, "trails"), [61, 61, 61, 61, 61]);
  await page.evaluate(() => (location.hash = "t=2&body=gem"));
  await settle(page);
  check_equal("of a selected body alone", await ask(page, "trails"), [121]);
  await picture(page, "trails");
  await press(page, "p");
  check_equal("P hides them", (await ask(page, "trails")).filter((n) => n > 0), []);
}

async function test_frames(page) {
  await click_menu(page, "show", "#show-frames");
  check_equal("three axes for each of six bodies", await ask(page, "framesShown"), 18);
  await press(page, "o");
  check_equal("O hides them", await ask(page, "framesShown"), 0);
}

/// The crate stands on four corners of 0.4 m by 0.3 m; frame 55 has five contacts, of which the fifth is
/// apart.
async function test_balance(page) {
  await page.evaluate(() => (location.hash = "t=0.92&body=crate"));
  await settle(page);
  await press(page, "b");
  const [x, y, z] = await ask(page, "centerOfMass");
  const [cx, cy, cz] = await ask(page, "bodyPosition", 1);
  check("the centre of mass of a lone body is its own", Math.hypot(x - cx, y - cy, z - cz) < 1e-6, [x, y, z]);
  const margin = await ask(page, "supportMargin");
  check("three corners carry: its centre lies on the diagonal between two", margin !== null && Math.abs(margin) < 0.02, margin);
  check("the legend tells it", /centre of mass .* the support/.test(await page.locator("#legend").innerText()));
  await picture(page, "balance");
  await page.evaluate(() => (location.hash = "t=0.02&body=arm"));
  await settle(page);
  const [ax, , az] = await ask(page, "centerOfMass");
  const arm = await ask(page, "bodyPosition", 2);
  const hand = await ask(page, "bodyPosition", 3);
  check("that of a robot is weighted: 2 kg and 1 kg", Math.abs(ax - (2 * arm[0] + hand[0]) / 3) < 1e-6 && Math.abs(az - (2 * arm[2] + hand[2]) / 3) < 1e-6);
  check_equal("nothing carries the arm", await ask(page, "supportMargin"), null);
  await press(page, "b");
}

async function test_measure(page) {
  await page.evaluate(() => (location.hash = "t=1&camera=top"));
  await press(page, "Escape");
  await click_menu(page, "show", "#measure");
  check("it asks for two points", /first point/.test(await page.locator("#measured").innerText()));
  const places = [];
  for (const body of [1, 4]) {
    const [x, y] = await ask(page, "bodyOnPage", body);
    await page.mouse.click(x, y);
    await settle(page);
    places.push(await ask(page, "bodyPosition", body));
  }
  const text = await page.locator("#measured").innerText();
  const [, digits, unit] = text.match(/^([\d.]+) (m|cm)/) ?? [];
  const metres = Number(digits) * (unit === "cm" ? 0.01 : 1);
  const across = Math.hypot(places[0][0] - places[1][0], places[0][1] - places[1][1]);
  // The clicks meet the tops, which stand higher than the origins and so a little aside.
  check("the distance between two clicks", Math.abs(metres - across) < 0.15, `${text}, wanted about ${across}`);
  check("with its parts", /\u0394x .*\u0394y .*\u0394z /.test(text), text);
  await picture(page, "measure");
  await press(page, "Escape");
  check("Escape ends it", !(await page.locator("#measured").isVisible()));
}

await in_browser(async (page, { folder, errors }) => {
  await open_run(page, folder, replay(sample_run("hybrid")), "#t=1");
  await test_trails(page);
  await test_frames(page);
  await test_balance(page);
  await test_measure(page);
  check_equal("no error was logged", errors, []);
}, { width: 900, height: 700, colorScheme: "light" });

finish();
