// The picture of the replay page in README. scripts/replay_picture runs it: node replay_picture.mjs
// PAGE PICTURE
import { writeFileSync } from "node:fs";
import { ask, in_browser, ready, settle } from "./browser.mjs";
import { smaller_png } from "./smaller_png.mjs";

const [file, picture] = process.argv.slice(2);

await in_browser(async (page) => {
  await page.goto(`file://${file}#t=0.8`);
  await ready(page);
  await settle(page);
  // The card of a contact of a foot that slips.
  const count = await ask(page, "contactsShown");
  for (let i = 0; i < count; ++i) {
    await page.mouse.click(...(await ask(page, "contactOnPage", i)));
    await settle(page);
    const text = await page.locator("#inspector").innerText();
    if (/FOOT/.test(text) && /slipping/.test(text)) break;
  }
  await page.mouse.move(2, 2);
  for (let i = 0; i < 10; ++i) await settle(page);
  await page.waitForTimeout(3000);
  writeFileSync(picture, smaller_png(await page.screenshot()));
}, { width: 1060, height: 680, colorScheme: "light" });
