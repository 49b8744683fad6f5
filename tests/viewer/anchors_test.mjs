// Anchors of contacts that are springs: drawn, switched and told where there are springs, and absent
// with hard contact; in replays, in the live view, and in pages of the program itself.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, click_menu, check, check_equal, finish, in_browser, page_text, picture, ready, settle } from "./browser.mjs";
import { start_fake_server } from "./fake_server.mjs";
import { contacts_of, fill_page, replay, sample_run, stretch_of } from "./sample_run.mjs";

const legend = (page) => page.locator("#legend-anchors");

async function open(page, folder, data) {
  const file = join(folder, "run.html");
  writeFileSync(file, fill_page(page_text(), data));
  await page.goto("about:blank");
  await page.goto(`file://${file}#t=0.75`); // four contacts
  await ready(page);
  await settle(page);
}

async function press(page, key) {
  await page.keyboard.press(key);
  await settle(page);
}

async function expect_none(page, what) {
  check_equal(`${what}: no anchors`, await ask(page, "anchorsShown"), 0);
  check(`${what}: no button for them`, !(await page.locator("#show-anchors").isVisible()));
  check_equal(`${what}: nothing in the legend`, await legend(page).count(), 0);
}

async function select_contact(page, index) {
  const [x, y] = await ask(page, "contactOnPage", index);
  await page.mouse.click(x, y);
  await settle(page);
  return page.locator("#inspector").innerText();
}

async function test_hard(page, folder) {
  await open(page, folder, replay(sample_run("hybrid")));
  await expect_none(page, "hard contact");
  check("a hard contact has no stretch", !/Stretch/.test(await select_contact(page, 0)));
}

async function test_springs(page, folder) {
  await open(page, folder, replay(sample_run("springs", { springs: true })));
  const shown = contacts_of(45);
  check_equal("an anchor for each spring", await ask(page, "anchorsShown"), shown);
  check_equal("and an arrow as before", await ask(page, "arrowsShown"), shown);
  const factor = await ask(page, "stretchMagnified");
  check("stretches are drawn longer", factor >= 10 && /^[125]0*$/.test(String(factor)), factor);
  const words = (await legend(page).innerText()).replaceAll("\u202f", "");
  check("the legend says how much", words === `anchor, stretch drawn ${factor}\u00d7`, words);
  check("springs are not called certified", /^\u2713 Contacts are springs/.test(await page.locator("#certificate").innerText()));
  const rows = await select_contact(page, 2);
  const [x, y, z] = stretch_of(2).map((s) => 1e3 * s);
  const told = (name) => Number(rows.match(new RegExp(`${name}\\s+([\\d.]+) mm`))?.[1]);
  check("the card tells the stretch", Math.abs(told("Stretch") - Math.hypot(x, y, z)) < 1e-3, rows);
  check("and its part along the surface", Math.abs(told("Stretch along surface") - Math.hypot(x, y)) < 1e-3, rows);
  await picture(page, "anchors");
}

async function test_switches(page) {
  await press(page, "a");
  check_equal("A hides the anchors", await ask(page, "anchorsShown"), 0);
  check_equal("and leaves the contacts", await ask(page, "contactsShown"), contacts_of(45));
  await click_menu(page, "show", "#show-anchors");
  await settle(page);
  check_equal("the button shows them again", await ask(page, "anchorsShown"), contacts_of(45));
  await press(page, "c");
  check_equal("C hides contacts and anchors", await ask(page, "anchorsShown"), 0);
  await press(page, "c");
}

async function test_live(page) {
  for (const springs of [false, true]) {
    const server = await start_fake_server(page_text(), 0, { springs });
    try {
      await page.goto(`http://127.0.0.1:${server.port}/`);
      await ready(page);
      await settle(page);
      if (springs) {
        check_equal("live: an anchor for each spring", await ask(page, "anchorsShown"), await ask(page, "contactsShown"));
        check("live: the legend tells", (await legend(page).count()) === 1);
      } else {
        await expect_none(page, "live with hard contact");
      }
    } finally {
      await page.goto("about:blank");
      await server.close();
    }
  }
}

// ---- the program itself ---------------------------------------------------------------------------

const program = process.env.STICTION_PROGRAM;

async function test_program_replay(page, folder) {
  execFileSync(program, ["simulate", "quadruped_boxes", "--contact", "viscoelastic", "--duration", "0.8", "--out", "run.h5",
    "--html", "run.html", "--quiet"], { cwd: folder });
  await page.goto(`file://${join(folder, "run.html")}#t=0.7`);
  await ready(page);
  await settle(page);
  const shown = await ask(page, "anchorsShown");
  check("a recording of springs shows its anchors", shown > 0 && shown <= (await ask(page, "contactsShown")), shown);
  await picture(page, "anchors_quadruped");
}

async function test_program_live(page) {
  const args = ["view", "quadruped_boxes", "--contact", "viscoelastic", "--port", "0"];
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const address = await new Promise((found, failed) => {
      let text = "";
      server.stdout.on("data", (data) => {
        text += data;
        const match = text.match(/http:\/\/127\.0\.0\.1:\d+\//);
        if (match) found(match[0]);
      });
      server.on("exit", (code) => failed(new Error(`stiction view ended with ${code}: ${text}`)));
    });
    await page.goto(address);
    await ready(page);
    await page.waitForFunction(() => window.stiction.time() > 0.5);
    await press(page, "Space");
    await page.waitForFunction(() => !window.stiction.playing());
    await settle(page);
    const shown = await ask(page, "anchorsShown");
    check("stiction view shows anchors", shown > 0 && shown <= (await ask(page, "contactsShown")), shown);
    await picture(page, "anchors_live");
  } finally {
    await page.goto("about:blank");
    server.removeAllListeners("exit");
    server.kill("SIGINT");
  }
}

await in_browser(async (page, { folder, errors }) => {
  await test_hard(page, folder);
  await test_springs(page, folder);
  await test_switches(page);
  await test_live(page);
  if (existsSync(program)) {
    await test_program_replay(page, folder);
    await test_program_live(page);
  }
  check_equal("no error was logged", errors, []);
}, { width: 1000, height: 620 });

finish();
