// What the page saves: a video of the run while it plays, and a picture.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { ask, check, check_equal, click_menu, finish, in_browser, open_run, settle } from "./browser.mjs";
import { replay, sample_run } from "./sample_run.mjs";

async function saved(page, entry) {
  const downloading = page.waitForEvent("download");
  await click_menu(page, "save", entry);
  const download = await downloading;
  return { name: download.suggestedFilename(), path: await download.path() };
}

/// [pictures, time of the last one in seconds], or null where ffprobe is not installed.
function probed(file) {
  try {
    const text = execFileSync("ffprobe", ["-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", file], { encoding: "utf8" });
    const times = text.trim().split("\n").map(Number.parseFloat).filter(Number.isFinite);
    return [times.length, times.at(-1)];
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

async function test_video(page) {
  const { name, path } = await saved(page, "#save-video");
  check_equal("the video has a name", name, "sample.webm");
  const bytes = readFileSync(path);
  check_equal("it is a WebM file", bytes.subarray(0, 4).toString("hex"), "1a45dfa3");
  check_equal("it ends with the run", await ask(page, "frame"), 90);
  const seen = probed(path);
  if (seen) {
    // A machine that draws slowly plays slowly: there is no upper bound on the duration.
    check("it has pictures from start to end of 1.5 s", seen[0] > 5 && seen[1] > 1, seen);
  } else {
    console.log("not checked: ffprobe is not installed");
  }
  check("the menu offers another one", /Video of the run/.test(await page.locator("#save-video").textContent()));
}

await in_browser(async (page, { folder, errors }) => {
  await open_run(page, folder, replay(sample_run("hybrid", { frames: 91 })), "#t=0.5");
  await test_video(page);
  const { name, path } = await saved(page, "#save-picture");
  check_equal("the picture has a name", name, "sample.png");
  const bytes = readFileSync(path);
  check_equal("it is a PNG file", bytes.subarray(1, 4).toString(), "PNG");
  check("it is not empty", bytes.length > 20000, bytes.length);
  await settle(page);
  check_equal("no error was logged", errors, []);
}, { width: 800, height: 600, colorScheme: "light" });

finish();
