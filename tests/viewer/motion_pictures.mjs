// Pictures of our own motions with force arrows and anchors, for docs/pictures. scripts/motion_pictures
// runs it: node motion_pictures.mjs FOLDER_OF_PAGES FOLDER_OF_PICTURES [NAME...]
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, in_browser, ready, settle } from "./browser.mjs";
import { smaller_png } from "./smaller_png.mjs";

const [pages, pictures, ...names] = process.argv.slice(2);

/// `from`: where the camera is against the body `of`, `at`: what it looks at, both in world axes [m];
/// `contact`: one whose card is shown, by the index of its place at this time.
const shots = [
  { name: "squat", time: 4.7, of: "base_link", from: [0.78, -0.66, 0.22], at: [0, 0, -0.1], contact: -1 },
  { name: "jump", time: 1.05, of: "base_link", from: [0.62, -0.8, 0.1], at: [0, 0, -0.1], contact: -1 },
  { name: "trot", time: 2.95, of: "base_link", from: [0.85, -0.72, 0.24], at: [0.13, 0.12, -0.06], contact: 0 },
  { name: "walk", time: 3.3, of: "torso", from: [0.85, -0.85, -0.5], at: [0.03, 0.02, -0.76], contact: -1 },
];

async function shoot(page, { name, time, of, from, at, contact }) {
  await page.goto("about:blank");
  await page.goto(`file://${join(pages, `control_${name}.html`)}#t=${time}&bare`);
  await ready(page);
  const body = await ask(page, "bodyPosition", await ask(page, "bodyIndex", of));
  const place = (offset) => offset.map((x, i) => x + body[i]);
  await ask(page, "look", place(from), place(at));
  for (let i = 0; i < 10; ++i) await settle(page);
  if (contact >= 0) {
    await page.mouse.click(...(await ask(page, "contactOnPage", contact)));
  }
  await page.mouse.move(2, 2);
  for (let i = 0; i < 10; ++i) await settle(page);
  writeFileSync(join(pictures, `control_${name}.png`), smaller_png(await page.screenshot()));
  const [contacts, anchors] = [await ask(page, "contactsShown"), await ask(page, "anchorsShown")];
  console.log(`${name} at ${time} s: ${contacts} contacts, ${anchors} anchors`);
}

await in_browser(async (page) => {
  for (const shot of shots.filter(({ name }) => names.length === 0 || names.includes(name))) {
    await shoot(page, shot);
  }
}, { width: 1000, height: 620, colorScheme: "light" });
