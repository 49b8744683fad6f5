// Textures, finishes and colours of mesh files in the page, from files of MJCF and URDF by the program:
// pixels of the picture have the colours that the files give.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, check, check_equal, finish, in_browser, picture, ready, settle } from "./browser.mjs";
import { painted_png } from "./png.mjs";

const program = process.env.STICTION_PROGRAM;
if (!existsSync(program)) {
  console.log(`Skipped: the program is not built (${program})`);
  process.exit(77);
}

/// Red and green above blue and yellow.
const quarters = [[230, 30, 30], [30, 190, 40], [30, 60, 230], [240, 220, 30]];
const quarter = (x, y) => quarters[2 * (y >= 16) + (x >= 16)];

const panel_obj = `mtllib panel.mtl
v -0.2 0 0
v 0.2 0 0
v 0.2 0 0.4
v -0.2 0 0.4
v -0.2 0.1 0
v 0.2 0.1 0
v 0.2 0.1 0.4
v -0.2 0.1 0.4
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl front
f 1/1 2/2 3/3 4/4
usemtl top
f 4 3 7 8
usemtl rest
f 5 8 7 6
f 1 5 6 2
f 1 4 8 5
f 2 6 7 3
`;
const panel_mtl = "newmtl front\nmap_Kd quarters.png\nnewmtl top\nKd 0.9 0.1 0.9\nnewmtl rest\nKd 0.2 0.2 0.2\n";

const mjcf = `<mujoco><asset><mesh name="panel" file="panel.obj"/>
<texture name="quarters" type="2d" file="quarters.png"/><material name="quarters" texture="quarters"/>
<texture name="tiles" type="2d" builtin="checker" rgb1="1 0 0" rgb2="0 0 1" width="64" height="64"/>
<material name="tiles" texture="tiles" texuniform="true" texrepeat="1 1"/>
<material name="lamp" emission="1" rgba="1 0.9 0 1"/></asset>
<worldbody><geom type="plane" size="0 0 1" material="tiles"/>
<body name="panel" pos="0 0 0.5"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom type="mesh" mesh="panel" material="quarters" contype="0" conaffinity="0"/></body>
<body name="lid" pos="1 0 0.5"><freejoint/><geom type="box" size="0.2 0.2 0.2" material="quarters"/></body>
<body name="lamp" pos="-1 0 0.7"><freejoint/><geom size="0.2" material="lamp"/></body>
</worldbody></mujoco>`;

const urdf = `<robot name="r"><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 -0.1"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision>
<visual><geometry><mesh filename="panel.obj"/></geometry></visual>
<visual><origin xyz="1 0 0.2"/><geometry><box size="0.4 0.4 0.4"/></geometry>
<material name="m"><texture filename="quarters.png"/></material></visual></link></robot>`;

async function open_scene(page, folder, name, text) {
  writeFileSync(join(folder, name), text);
  execFileSync(program, ["simulate", name, "--duration", "0.02", "--html", "run.html", "--quiet"], { cwd: folder, stdio: "ignore" });
  await page.goto("about:blank");
  await page.goto(`file://${join(folder, "run.html")}#t=0&bare`);
  await ready(page);
  await page.keyboard.press("c"); // no contacts
}

/// Colours [r, g, b] of the picture where these points of the world are.
async function colors_at(page, points) {
  await settle(page);
  const shot = (await page.screenshot()).toString("base64");
  const places = [];
  for (const p of points) {
    places.push(await ask(page, "pointOnPage", p));
  }
  return page.evaluate(async ([png, where]) => {
    const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return where.map(([x, y]) => [...context.getImageData(Math.round(x), Math.round(y), 1, 1).data.slice(0, 3)]);
  }, [shot, places]);
}

/// Light makes colours brighter or darker: which channels are strong stays.
const tint = (rgb) => rgb.map((v) => (v > 0.6 * Math.max(...rgb) ? 1 : 0)).join("");
const words = { red: "100", green: "010", blue: "001", yellow: "110", purple: "101", gray: "111" };

async function check_tints(page, claim, points, wanted) {
  const seen = await colors_at(page, points);
  check_equal(claim, seen.map(tint), wanted.map((word) => words[word]));
}

const front = (x, z) => [[x - 0.1, 0, z + 0.3], [x + 0.1, 0, z + 0.3], [x - 0.1, 0, z + 0.1], [x + 0.1, 0, z + 0.1]];
const four = ["red", "green", "blue", "yellow"];

async function test_mjcf(page, folder) {
  await open_scene(page, folder, "scene.xml", mjcf);
  await ask(page, "look", [0, -2.5, 0.9], [0, 0, 0.7]);
  await picture(page, "looks");
  await check_tints(page, "a mesh shows its texture the right way up", front(0, 0.5), four);
  await check_tints(page, "a material with emission shines", [[-1, -0.2, 0.7]], ["yellow"]);
  await ask(page, "look", [1, -0.01, 3], [1, 0, 0.7]);
  const top = [[0.9, 0.1], [1.1, 0.1], [0.9, -0.1], [1.1, -0.1]].map(([x, y]) => [x, y, 0.7]);
  await check_tints(page, "a box shows a 2d texture from above", top, four);
  await ask(page, "look", [3, -3.01, 4], [3, -3, 0]);
  const floor = [[3.25, -2.75], [3.75, -2.75], [3.25, -3.25], [3.75, -3.25]].map(([x, y]) => [x, y, 0]);
  await check_tints(page, "the ground has the tiles of a builtin checker, once in each metre", floor, ["blue", "red", "red", "blue"]);
  await page.keyboard.press("v");
  await ask(page, "look", [1, -2.5, 0.6], [1, 0, 0.5]);
  const [side] = await colors_at(page, [[1.1, -0.2, 0.6]]);
  check("collision shapes have no texture", Math.max(...side) - Math.min(...side) < 60, side);
}

async function test_urdf(page, folder) {
  await open_scene(page, folder, "robot.urdf", urdf);
  const [x, y, z] = await ask(page, "bodyPosition", 0);
  await ask(page, "look", [x + 0.2, y - 2.5, z + 0.5], [x + 0.2, y, z + 0.2]);
  await picture(page, "looks_urdf");
  const panel = front(x, z).map(([a, , c]) => [a, y, c]);
  await check_tints(page, "a mesh shows the picture of its MTL", panel, four);
  const box = front(x + 1, z).map(([a, , c]) => [a, y - 0.2, c]);
  await check_tints(page, "a box shows the texture of its <material> on its sides", box, four);
  await ask(page, "look", [x, y - 1, z + 2], [x, y, z + 0.4]);
  await check_tints(page, "parts of a mesh have the colours of its MTL", [[x, y + 0.05, z + 0.4]], ["purple"]);
}

await in_browser(async (page, { folder, errors }) => {
  writeFileSync(join(folder, "quarters.png"), painted_png(32, 32, quarter));
  writeFileSync(join(folder, "panel.obj"), panel_obj);
  writeFileSync(join(folder, "panel.mtl"), panel_mtl);
  await test_mjcf(page, folder);
  await test_urdf(page, folder);
  check_equal("no error was logged", errors, []);
}, { width: 800, height: 600, colorScheme: "light" });

finish();
