// The page at three widths and in both themes: nothing is cut off, nothing sticks out, texts have
// contrast.
import { ask, check, check_equal, finish, in_browser, open_run, picture, settle } from "./browser.mjs";
import { replay, sample_run } from "./sample_run.mjs";

const sizes = [[390, 844], [1024, 768], [1400, 800], [1600, 1000]];

const measured = (page) =>
  page.evaluate(() => {
    const inside = (e) => {
      const box = e.getBoundingClientRect();
      return box.left >= -0.5 && box.right <= window.innerWidth + 0.5 && box.top >= -0.5 && box.bottom <= window.innerHeight + 0.5;
    };
    const shown = [...document.querySelectorAll("#head button, #head p, #player > *, #legend, #certificate")]
      .filter((e) => e.offsetParent !== null && !e.closest(".menu-panel"));
    const cut = [...document.querySelectorAll("#summary, #certificate, #clock, #legend")]
      .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1);
    return {
      outside: shown.filter((e) => !inside(e)).map((e) => e.id || e.className),
      cut: cut.map((e) => e.id),
      wide: document.documentElement.scrollWidth - window.innerWidth,
      view: document.getElementById("view").clientHeight / window.innerHeight,
    };
  });

async function test_size(page, width, height) {
  const at = `${width} x ${height}`;
  await page.setViewportSize({ width, height });
  await settle(page);
  const seen = await measured(page);
  check_equal(`nothing sticks out at ${at}`, seen.outside, []);
  check_equal(`no text is cut off at ${at}`, seen.cut, []);
  check(`the page is not wider than ${width}`, seen.wide <= 0, seen.wide);
  check(`the picture has room at ${at}`, seen.view > 0.4, seen.view);
  for (const menu of ["show", "camera", "save", "plots"]) {
    await page.locator(`#${menu}-open`).click();
    const box = await page.locator(`#${menu}-menu`).boundingBox();
    const fits = box.height > 120 && box.x >= 0 && box.x + box.width <= width && box.y >= 0 && box.y + box.height <= height;
    check(`the menu ${menu} fits into ${at}`, fits, JSON.stringify(box));
    if (menu === "show" || menu === "plots") await picture(page, `layout_${width}_${menu}`);
    await page.keyboard.press("Escape");
  }
  await page.keyboard.press("?");
  const help = await page.locator("#help").evaluate((e) => [e.scrollHeight - e.clientHeight, e.scrollWidth - e.clientWidth]);
  check(`the help fits into ${at}`, (help[0] <= 0 || width < 500) && help[1] <= 0, help);
  await picture(page, `layout_${width}_help`);
  await page.keyboard.press("Escape");
}

/// Texts against what is behind them, as WCAG 2 counts: 4.5 is enough for small text.
const low_contrasts = (page) =>
  page.evaluate(() => {
    const parse = (text) => {
      const n = text.match(/[\d.]+/g).map(Number);
      return { rgb: n.slice(0, 3), alpha: n[3] ?? 1 };
    };
    const light = ([r, g, b]) => {
      const part = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
      return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    };
    const background = (e) => {
      for (let at = e; at; at = at.parentElement) {
        const { rgb, alpha } = parse(getComputedStyle(at).backgroundColor);
        if (alpha > 0.8) return rgb;
      }
      return [255, 255, 255];
    };
    const low = [];
    for (const e of document.querySelectorAll("button, p, h1, th, td, output, span, summary, label, kbd")) {
      const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
      const style = getComputedStyle(e);
      if (!own || e.offsetParent === null || e.disabled || style.opacity === "0" || style.fontSize === "0px") continue;
      const [a, b] = [light(parse(style.color).rgb), light(background(e))].sort((x, y) => y - x);
      const ratio = (a + 0.05) / (b + 0.05);
      if (ratio < 4.5) low.push(`${e.id || e.className || e.tagName} "${e.textContent.trim().slice(0, 30)}" ${ratio.toFixed(2)}`);
    }
    return low;
  });

await in_browser(async (page, { folder, errors }) => {
  const data = replay(sample_run("hybrid", { bad_frames: 3 }));
  data.runs[0].description.controls = "pd stand, kp = 80 N m/rad, kd = 2 N m s/rad, targets of keyframe home";
  await open_run(page, folder, data, "#t=1&body=hand");
  await page.keyboard.press("i");
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    await settle(page);
    check_equal(`the theme is ${theme}`, await ask(page, "theme"), theme);
    for (const menu of ["show", "plots"]) {
      await page.locator(`#${menu}-open`).click();
      check_equal(`texts have contrast, ${theme}, menu ${menu}`, await low_contrasts(page), []);
      await page.keyboard.press("Escape");
    }
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await settle(page);
      await picture(page, `layout_${width}_${theme}`);
    }
  }
  await page.keyboard.press("i");
  for (const [width, height] of sizes) {
    await test_size(page, width, height);
  }
  check_equal("no error was logged", errors, []);
}, { width: 1024, height: 768, colorScheme: "light" });

finish();
