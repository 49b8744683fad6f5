// Several runs over each other, and pages whose data is damaged or missing.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, check, check_equal, finish, in_browser, page_text, picture, ready, settle } from "./browser.mjs";
import { contacts_of, fill_page, pack, replay, sample_run } from "./sample_run.mjs";

async function test_comparison(page, folder) {
  const file = join(folder, "comparison.html");
  const other = { shift: 0.1, bad_frames: 5, frames: 181 };
  const data = replay(sample_run("hybrid"), sample_run("<pgs & co>", other));
  writeFileSync(file, fill_page(page_text(), data));
  await page.goto(`file://${file}#t=2`);
  await ready(page);
  check_equal("both runs are drawn", await ask(page, "runs"), 2);
  const names = await page.locator("#runs button").allInnerTexts();
  check_equal("the legend names them", names, ["hybrid", "<pgs & co>"]);
  check("it tells the steps without certificate", /5 not certified/.test(await page.locator("#runs").innerText()));
  const banner = await page.locator("#certificate").innerText();
  check("the banner speaks for all runs, not for the one in front", /1 of 2 runs not certified/.test(banner), banner);
  await picture(page, "comparison");
  await page.keyboard.press("2");
  await settle(page);
  check_equal("2 brings the second run to the front", await ask(page, "front"), 1);
  await page.keyboard.press("i");
  check("its certificate is told", /5 of 3.060 steps not certified/.test(await page.locator("#about").innerText()));
  await page.keyboard.press("i");
  await page.keyboard.press("End");
  await settle(page);
  check_equal("the shorter run rests at its end", await ask(page, "frame"), 180);
  check_equal("with the contacts it has there", await ask(page, "contactsShown"), contacts_of(180));
  check_equal("the world is drawn once", await ask(page, "shapesDrawn"), [8, 7]);
  await page.locator("#runs input").first().uncheck();
  await settle(page);
  check_equal("a run can be hidden, but not the world", await ask(page, "shapesDrawn"), [1, 7]);
}

async function test_damage(page, folder) {
  const damage = async (name, change, wanted) => {
    const data = replay(sample_run("hybrid", { frames: 5 }));
    change(data);
    const file = join(folder, "damaged.html");
    writeFileSync(file, fill_page(page_text(), data));
    await page.goto(`file://${file}?${name}`);
    await page.locator("#notice").waitFor();
    const text = await page.locator("#notice").innerText();
    check(`${name}: the page says what is wrong`, wanted.test(text), text);
  };
  await damage("version", (d) => (d.version = 2), /version 1/);
  await damage("missing", (d) => delete d.runs[0].kinetic, /kinetic is missing/);
  await damage("short", (d) => (d.runs[0].residual = pack(new Float32Array(3))), /residual has 3 numbers instead of 5/);
  await damage("broken", (d) => (d.runs[0].times = "AAAA"), /times cannot be unpacked/);
  const file = join(folder, "empty.html");
  writeFileSync(file, page_text());
  await page.goto(`file://${file}`);
  await page.locator("#notice").waitFor();
  const text = await page.locator("#notice").innerText();
  check("a page without data says how to make one", /stiction simulate/.test(text), text);
}

await in_browser(async (page, { folder, errors }) => {
  await test_comparison(page, folder);
  check_equal("no error was logged", errors, []);
  await test_damage(page, folder);
}, { width: 720, height: 540 });

finish();
