// Plots that one chooses: joints, actuators, bodies, pairs of bodies; their values at the cursor, and the
// table of them.
import { readFileSync } from "node:fs";
import { ask, check, check_equal, click_menu, count_colors, finish, in_browser, open_run, picture, settle } from "./browser.mjs";
import { elbow_torque, replay, sample_run } from "./sample_run.mjs";

const near = (a, b, error = 1e-4) => Math.abs(a - b) <= error;
const value_of = (page, key) => page.locator(`[data-plot="${key}"] .plot-value`).innerText();

async function test_menu(page) {
  await page.locator("#plots-open").click();
  await page.locator('#plots-menu [data-plot="q:14"]').click();
  await page.locator("#plots-menu input").fill("hand torque");
  check_equal("the search finds one", await page.locator("#plots-menu .chips button").count(), 1);
  await page.locator('#plots-menu [data-plot="f:13"]').click();
  await page.keyboard.press("Escape");
  await settle(page);
  const plots = ["energy", "certificate", "contacts", "iterations", "q:14", "f:13"];
  check_equal("two plots more", await ask(page, "plots"), plots);
  check_equal("each is drawn", await page.locator("#plots canvas").count(), 6);
  await picture(page, "plots");
  check_equal("the value at the cursor", await value_of(page, "q:14"), "-0.792 rad");
  const [{ values }] = await ask(page, "plotNumbers", "f:13");
  check("the torque of every frame", values.every((v, k) => near(v, elbow_torque(k / 60))), values.slice(0, 4));
}

async function test_panel(page) {
  await page.evaluate(() => (location.hash = "t=1&body=hand"));
  await settle(page);
  const text = await page.locator("#inspector").innerText();
  check("the card tells position, velocity and torque of the joint", /Joint position\s+-0\.396 rad \(-22\.7\u00b0\)/.test(text) &&
    /Joint velocity\s+0 rad\/s/.test(text) && /Joint torque\s+-1\.51 N m/.test(text), text);
  check("and the force of its actuator", /Actuator elbow_motor\s+-1\.51 N m/.test(text), text);
  await page.locator('#inspector [aria-label="plot Actuator elbow_motor"]').click();
  await settle(page);
  check("a row of the card becomes a plot", (await ask(page, "plots")).includes("a:0"));
  await page.locator('#inspector [aria-label="plot Actuator elbow_motor"]').click();
  await settle(page);
  check("and goes again", !(await ask(page, "plots")).includes("a:0"));
}

/// Frame 65 has six contacts: one of the ball, four of the crate, one of the can.
async function test_contacts(page) {
  const [{ values: ball }] = await ask(page, "plotNumbers", "force:0");
  check("force of a contact: impulse over step", near(ball[65], 0.01 / 0.001, 1e-3), ball[65]);
  check_equal("none where there is no contact", ball[0], 0);
  const [{ values: crate }] = await ask(page, "plotNumbers", "pair:1:-1");
  const wanted = Math.hypot(0.003 * 6, 0.01 * 3 + 0.002 * 6) / 0.001;
  check("force between two bodies: the sum of their contacts", near(crate[65], wanted, 1e-3), [crate[65], wanted]);
  const [x, y] = await ask(page, "contactOnPage", 0);
  await page.mouse.click(x, y);
  await settle(page);
  await page.locator('#inspector [aria-label="plot Force of the pair"]').click();
  await settle(page);
  check("a contact gives the plot of its pair", (await ask(page, "plots")).includes("pair:0:-1"));
  const [{ values: used }] = await ask(page, "plotNumbers", "used:1:-1");
  const share = (100 * 0.003 * 6) / (0.6 * (0.01 * 3 + 0.002 * 6));
  check("friction used: along the surface, of what the normal impulses allow", near(used[65], share, 1e-2), [used[65], share]);
  check("none where nothing touches", Number.isNaN(used[0]) || used[0] === null, used[0]);
  await page.locator('#inspector [aria-label="plot Friction used"]').click();
  await settle(page);
  check("and the plot of the friction that its pair uses", (await ask(page, "plots")).includes("used:0:-1"));
  await page.locator('#inspector [aria-label="plot Friction used"]').click();
  const text = await page.locator("#inspector").innerText();
  check("its impulses are told as forces, too", /Normal impulse\s+0\.01 N s \(10 N\)/.test(text), text);
}

async function test_table(page) {
  const downloading = page.waitForEvent("download");
  await click_menu(page, "save", "#save-csv");
  const download = await downloading;
  check_equal("the table has a name", download.suggestedFilename(), "sample.csv");
  const lines = readFileSync(await download.path(), "utf8").trim().split("\n");
  check_equal("a line per frame, and a head", lines.length, 242);
  check("the head names columns and units", /^"time \[s\]",.*"arm_joint position \[rad\]","hand_joint torque \[N m\]"/.test(lines[0]), lines[0]);
  const columns = lines[0].split('","').length;
  check("each line has a number per column", lines.every((line) => line.split(",").length === columns));
  const torque = Number(lines[61].split(",")[lines[0].split('","').findIndex((head) => head.startsWith("hand_joint"))]);
  check("with the numbers of the plots", near(torque, elbow_torque(1)), torque);
}

async function test_removal(page) {
  await page.locator('[data-plot="certificate"]').first().hover();
  await page.locator('figure[data-plot="certificate"] .plot-remove').click();
  check("a plot can be removed", !(await ask(page, "plots")).includes("certificate"));
  await page.locator("#plots-open").click();
  await page.getByRole("button", { name: "Default plots" }).click();
  await page.keyboard.press("Escape");
  check_equal("and the usual ones come back", await ask(page, "plots"), ["energy", "certificate", "contacts", "iterations"]);
}

/// Without `touch`: only the new size asks for a picture.
async function test_resize(page) {
  for (const keys of [["energy"], ["energy", "contacts", "iterations", "overlap", "candidates", "certificate"]]) {
    await page.evaluate((chosen) => {
      window.stiction.choosePlots(chosen);
      document.getElementById("plots").style.height = `${60 + 20 * chosen.length}px`;
    }, keys);
    await page.waitForTimeout(300);
    const colors = await count_colors(page, "#canvas");
    check(`the picture is drawn anew where ${keys.length} plots leave it another size`, colors > 200, colors);
  }
  await page.evaluate(() => document.getElementById("plots").removeAttribute("style"));
}

async function test_comparison(page, folder) {
  await open_run(page, folder, replay(sample_run("hybrid"), sample_run("pgs", { tables: false })), "#t=1&plots=q:14");
  const curves = await ask(page, "plotNumbers", "q:14");
  check_equal("a curve per run, also where one did not record it", curves.map(({ values }) => values.length), [241, 241]);
}

await in_browser(async (page, { folder, errors }) => {
  await open_run(page, folder, replay(sample_run("hybrid")), "#t=1");
  await test_menu(page);
  await test_panel(page);
  await page.evaluate(() => (location.hash = "t=1.09"));
  await settle(page);
  await test_contacts(page);
  await test_table(page);
  await test_removal(page);
  await test_resize(page);
  await test_comparison(page, folder);
  check_equal("no error was logged", errors, []);
}, { width: 1100, height: 760, colorScheme: "light" });

finish();
