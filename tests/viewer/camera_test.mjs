// The camera: stays above the floor, looks from presets, fits the whole run, follows, and is part of a
// link.
import { ask, check, check_equal, click_menu, finish, in_browser, open_run, picture, settle } from "./browser.mjs";
import { replay, sample_run } from "./sample_run.mjs";

async function rest(page) {
  await page.waitForTimeout(700); // the camera has swung out
  await settle(page);
}

async function test_floor(page) {
  await page.mouse.move(300, 200);
  for (let i = 0; i < 3; ++i) {
    await page.mouse.down();
    await page.mouse.move(300, 20, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(300, 200);
  }
  await rest(page);
  check("dragging does not go below the floor", (await ask(page, "cameraHeight")) > 0, await ask(page, "cameraHeight"));
  await page.mouse.wheel(0, -3000);
  await rest(page);
  check("nor does zooming", (await ask(page, "cameraHeight")) > 0, await ask(page, "cameraHeight"));
}

const preset = (page, name) => click_menu(page, "camera", `[data-preset="${name}"]`);

async function test_presets(page) {
  await page.keyboard.press("r");
  await rest(page);
  await preset(page, "front");
  const [x, y] = await ask(page, "camera");
  check("Front looks along x", x > 1 && Math.abs(y) < x, [x, y]);
  await preset(page, "top");
  const top = await ask(page, "camera");
  check("Top looks down", top[2] > 2 * Math.hypot(top[0], top[1]), top);
  await preset(page, "below");
  check("From below is below the floor", (await ask(page, "cameraHeight")) < 0, await ask(page, "cameraHeight"));
  await picture(page, "camera_below");
  await preset(page, "angle");
  check("another preset comes up again", (await ask(page, "cameraHeight")) > 0);
}

const all_on_page = (page) =>
  page.evaluate(() => {
    const box = document.getElementById("canvas").getBoundingClientRect();
    return [0, 1, 2, 3, 4, 5].every((body) => {
      const [x, y] = window.stiction.bodyOnPage(body);
      return x > box.left && x < box.right && y > box.top && y < box.bottom;
    });
  });

async function test_fit(page) {
  await page.mouse.move(400, 250);
  await page.mouse.wheel(0, -1500);
  await rest(page);
  check("the camera is too near for all bodies", !(await all_on_page(page)));
  await page.keyboard.press("e");
  for (const time of [0, 1, 2, 3, 4]) {
    await page.evaluate((t) => (location.hash = `t=${t}`), time);
    await settle(page);
    check(`fitted to the run, all bodies are in the picture at ${time} s`, await all_on_page(page));
  }
}

async function test_link(page, folder) {
  await open_run(page, folder, replay(sample_run("hybrid"), sample_run("pgs")), "#t=1.25&body=crate&run=pgs&plots=energy,q:15");
  check_equal("a link names the time", await ask(page, "time"), 1.25);
  check_equal("a link rests there", await ask(page, "playing"), false);
  check_equal("a link selects a body", await page.locator("#inspector-title").innerText(), "crate");
  check_equal("a link brings a run to the front", await ask(page, "front"), 1);
  check_equal("a link chooses plots", await ask(page, "plots"), ["energy", "q:15"]);
  await page.mouse.move(400, 250);
  await page.mouse.wheel(0, -300);
  await rest(page);
  const [camera, link] = [await ask(page, "camera"), await ask(page, "link")];
  check("the link of the page has them all", /#t=1\.25&run=pgs&body=crate&view=.*&plots=energy,q:15$/.test(link), link);
  await page.goto("about:blank");
  await page.goto(link);
  await page.waitForFunction(() => document.title.endsWith("ready"));
  await settle(page);
  const again = await ask(page, "camera");
  const away = Math.hypot(...again.map((v, i) => v - camera[i]));
  check("and leads to the same view", away < 1e-3 * Math.hypot(...camera), [camera, again]);
  await click_menu(page, "save", "#copy-link");
  check("the page says that the link was copied", /link/.test(await page.locator("#notice").innerText()));
}

await in_browser(async (page, { folder, errors }) => {
  await open_run(page, folder, replay(sample_run("hybrid")), "#t=1");
  await test_floor(page);
  await test_presets(page);
  await test_fit(page);
  await test_link(page, folder);
  check_equal("no error was logged", errors, []);
}, { width: 800, height: 600, colorScheme: "light" });

finish();
