// Tendons in the page: their way around spheres and cylinders has the length that the program computes,
// in replays and in the live view, and fixed tendons are not drawn.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, check, check_equal, finish, in_browser, open_run, picture, ready, settle } from "./browser.mjs";
import { replay, sample_run } from "./sample_run.mjs";
import { start_view } from "./view_program.mjs";

const program = process.env.STICTION_PROGRAM;
if (!existsSync(program)) {
  console.log(`Skipped: the program is not built (${program})`);
  process.exit(77);
}

/// Numbers that look random and are the same each time (Lehmer's generator).
function generator(seed) {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

/// Arms with one hinge, each with a tendon around a random obstacle; every third goes over a pulley
/// and around another one.
function random_scene(count) {
  const random = generator(11);
  const vector = (size) => Array.from({ length: 3 }, () => size * (2 * random() - 1)).join(" ");
  const round = () => `type="${random() < 0.5 ? "sphere" : "cylinder"}" size="${0.05 + 0.2 * random()} .1"`;
  let bodies = "";
  let tendons = "";
  for (let i = 0; i < count; ++i) {
    bodies += `<body pos="${2 * i} 0 0"><joint name="j${i}" axis="0 1 0"/><geom size=".01" mass="1"/>
      <geom name="g${i}" ${round()} pos="${vector(0.1)}" euler="${vector(90)}" contype="0" conaffinity="0"/>
      <geom name="h${i}" ${round()} pos="${vector(0.3)}" euler="${vector(90)}" contype="0" conaffinity="0"/>
      <site name="a${i}" pos="${vector(0.6)}"/><site name="b${i}" pos="${vector(0.6)}"/>
      <site name="c${i}" pos="${vector(0.6)}"/><site name="side${i}" pos="${vector(0.4)}"/></body>
      <site name="w${i}" pos="${2 * i} 0 .6"/>`;
    const side = random() < 0.5 ? ` sidesite="side${i}"` : "";
    const more = i % 3 === 0
      ? `<pulley divisor="2"/><site site="b${i}"/><geom geom="h${i}"/><site site="c${i}"/><site site="w${i}"/>` : "";
    tendons += `<spatial name="t${i}"><site site="a${i}"/><geom geom="g${i}"${side}/><site site="b${i}"/>${more}</spatial>`;
  }
  tendons += `<fixed name="sum"><joint joint="j0" coef="1"/><joint joint="j1" coef="2"/></fixed>`;
  return `<mujoco><worldbody>${bodies}</worldbody><tendon>${tendons}</tendon></mujoco>`;
}

/// Lengths by the program, which MuJoCo checks (partners.TendonsInMujoco).
function lengths_by_program(folder, file) {
  const model = JSON.parse(execFileSync(program, ["inspect", file, "--json"], { cwd: folder, encoding: "utf8" }));
  return model.tendons.filter(({ kind }) => kind === "spatial").map(({ initial_length }) => initial_length);
}

async function test_lengths(page, folder) {
  writeFileSync(join(folder, "arms.xml"), random_scene(60));
  const wanted = lengths_by_program(folder, "arms.xml");
  execFileSync(program, ["simulate", "arms.xml", "--duration", "0.02", "--html", "arms.html", "--quiet"], { cwd: folder, stdio: "ignore" });
  await page.goto(`file://${join(folder, "arms.html")}#t=0`);
  await ready(page);
  const lengths = await ask(page, "tendonLengths");
  check_equal("each spatial tendon is drawn, the fixed one not", lengths.length, wanted.length);
  const straight = await ask(page, "tendonsShown");
  check("some go around something: straight ones alone would be 100 pieces", straight > 200, straight);
  const errors = wanted.map((length, i) => {
    const [first, second = 0] = lengths[i];
    return Math.abs(first + second / 2 - length);
  });
  // An arc is drawn as chords of at most 7.5 degrees: 0.07 % shorter. Poses have 16 bits.
  const worst = errors.indexOf(Math.max(...errors));
  check("they are as long as the program says", errors[worst] < 1e-3, `tendon ${worst}: ${lengths[worst]}, wanted ${wanted[worst]}`);
}

/// A thread over a wheel between two points at its height: two tangents and an arc, by hand.
const wheel = {
  name: "thread",
  path: [
    { kind: "site", body: -1, position: [-0.5, 0, 1] },
    { kind: "cylinder", body: -1, position: [0, 0, 1], quaternion: [Math.SQRT1_2, 0, 0, Math.SQRT1_2], radius: 0.25, side_body: -1, side: [0, 0, 1.5] },
    { kind: "site", body: -1, position: [0.5, 0, 1] },
  ],
};

async function test_wheel(page, folder) {
  const data = replay(sample_run("hybrid"));
  data.scene.tendons = [wheel];
  await open_run(page, folder, data, "#t=1");
  const [[length]] = await ask(page, "tendonLengths");
  const wanted = 2 * Math.sqrt(0.5 ** 2 - 0.25 ** 2) + 0.25 * (Math.PI - 2 * Math.acos(0.5));
  check("over a wheel: two tangents and an arc", Math.abs(length - wanted) < 1e-3, `${length}, wanted ${wanted}`);
  await picture(page, "tendon");
  await page.keyboard.press("n");
  await settle(page);
  check_equal("N hides tendons", await ask(page, "tendonsShown"), 0);
  await open_run(page, folder, replay(sample_run("hybrid")), "#t=1");
  await page.locator("#show-open").click();
  check("a scene without tendons offers none", !(await page.locator("#show-tendons").isVisible()));
}

async function test_live(page) {
  const { server, address } = await start_view("pulley", "--port", "0", "--paused");
  try {
    await page.goto(address);
    await ready(page);
    check("the live view draws tendons", (await ask(page, "tendonsShown")) > 10, await ask(page, "tendonsShown"));
    await page.locator("#show-open").click();
    check("and offers to hide them", await page.locator("#show-tendons").isVisible());
  } finally {
    server.removeAllListeners("exit");
    server.kill("SIGINT");
  }
}

await in_browser(async (page, { folder, errors }) => {
  process.env.XDG_STATE_HOME = folder; // the list of recent scenes
  await test_lengths(page, folder);
  await test_wheel(page, folder);
  await test_live(page);
  check_equal("no error was logged", errors, []);
}, { width: 900, height: 700, colorScheme: "light" });

finish();
