// Makes the gallery: node make.mjs BUILD OUT.html [NAME...]
// Runs the commands of scenes.mjs with the programs of a build, two at a time, and puts their replays into
// one page. Names choose scenes; without any, all are made. Exit code 1 if a run failed.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { scenes } from "./scenes.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [build, out, ...names] = process.argv.slice(2);
if (!build || !out) {
  console.error("usage: node make.mjs BUILD OUT.html [NAME...]");
  process.exit(2);
}
const programs = resolve(build, "bin");
const unknown = names.filter((name) => !scenes.some((scene) => scene.name === name));
if (unknown.length > 0) {
  console.error(`gallery: there is no scene '${unknown[0]}'; there are ${scenes.map((s) => s.name).join(", ")}`);
  process.exit(2);
}

/// Output of a program of the build; its errors go on, unless its exit code does not matter.
const run = (program, args, cwd, must_succeed = true) =>
  new Promise((done, failed) => {
    const options = { cwd, maxBuffer: 1 << 28, encoding: "utf8" };
    execFile(join(programs, program), args, options, (error, stdout, stderr) => {
      if (error && must_succeed) {
        failed(new Error(`${program} ${args.join(" ")}: ${stderr.trim() || error.message}`));
      } else {
        done(stdout);
      }
    });
  });

const start = '<script id="stiction-data" type="application/json">';

/// What a replay page shows, as text.
function data_of(page) {
  const from = page.indexOf(start) + start.length;
  return page.slice(from, page.indexOf("</script>", from));
}

const column = (text, Type) => {
  const bytes = inflateSync(Buffer.from(text, "base64"));
  return new Type(bytes.buffer, bytes.byteOffset, bytes.byteLength / Type.BYTES_PER_ELEMENT);
};

/// Steps of the runs in a page: all, those not certified, when these were, and the worst residual.
function counts_of(data) {
  const result = { steps: 0, failed: 0, times: [], worst: 0, tolerance: 0, springs: false };
  for (const run of data.runs) {
    const [times, failed] = [column(run.times, Float64Array), column(run.not_certified, Uint32Array)];
    result.steps += column(run.steps, Uint32Array).reduce((a, b) => a + b, 0);
    failed.forEach((count, k) => {
      result.failed += count;
      if (count > 0) {
        result.times.push(times[k]);
      }
    });
    result.worst = column(run.residual, Float32Array).reduce((a, b) => Math.max(a, b), result.worst);
    result.tolerance = run.description.tolerance;
    result.springs ||= run.description.options?.contact === "viscoelastic";
  }
  return result;
}

/// Why steps were not certified: what the solver said of the contact problems that were kept.
async function reasons_in(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith(".hdf5")).map((name) => join(folder, name));
  if (files.length === 0) {
    return "";
  }
  // Only what the files say is of interest here, not whether they are solved now.
  const output = await run("stiction", ["solve", ...files.slice(0, 20), "--solver", "hybrid", "--json"], folder, false);
  const texts = [...output.matchAll(/"description": "not certified, residual [^:]*: ([^"]*)"/g)].map((match) => match[1]);
  return [...new Set(texts)].join("; ");
}

const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");

function certificate_words(counts) {
  if (counts.failed > 0) {
    return `${grouped(counts.failed)} of ${grouped(counts.steps)} steps not certified`;
  }
  return counts.springs
    ? `${grouped(counts.steps)} steps; springs have no certificate, hard contacts have`
    : `all ${grouped(counts.steps)} steps certified at ${counts.tolerance.toExponential(0)}`;
}

function failure_words(counts, reason) {
  if (counts.failed === 0) {
    return "";
  }
  const times = counts.times.slice(0, 4).map((t) => t.toFixed(2)).join(", ");
  const more = counts.times.length > 4 ? " and later" : "";
  return `Not certified at t = ${times}${more} s: residual ${counts.worst.toExponential(1)} at a tolerance of ` +
    `${counts.tolerance.toExponential(0)}${reason ? ` (${reason})` : ""}.`;
}

/// Runs one replay of a scene: `simulate` and `compare` write the page themselves, examples a recording.
async function make_replay({ program = "stiction", args, wish = "" }, folder, title) {
  const page = join(folder, "page.html");
  const kept = join(folder, "kept");
  if (program !== "stiction") {
    await run(program, [...args, join(folder, "run.h5")], folder);
    await run("stiction", ["replay", join(folder, "run.h5"), "--html", page], folder);
  } else if (args[0] === "simulate") {
    await run(program, [...args, "--html", page, "--keep-uncertified", kept, "--quiet"], folder);
  } else {
    await run(program, [...args, "--html", page, "--quiet"], folder);
  }
  const data = JSON.parse(data_of(readFileSync(page, "utf8")));
  const counts = counts_of(data);
  const reason = counts.failed > 0 && args[0] === "simulate" ? await reasons_in(kept) : "";
  data.wish = wish;
  return { title, counts, reason, json: JSON.stringify(data).replaceAll("<", "\\u003c") };
}

async function make_scene(scene, work) {
  const from = Date.now();
  const replays = [];
  for (const replay of scene.replays) {
    replays.push(await make_replay(replay, mkdtempSync(join(work, `${scene.name}-`)), replay.title ?? scene.title));
  }
  const total = replays.map((r) => r.counts).reduce((a, b) => ({
    ...a, steps: a.steps + b.steps, failed: a.failed + b.failed, springs: a.springs || b.springs,
  }));
  const uncertified = replays.map((r) => failure_words(r.counts, r.reason)).filter(Boolean).join(" ");
  console.error(`gallery: ${scene.name}: ${certificate_words(total)}, ${((Date.now() - from) / 1000).toFixed(1)} s`);
  if (uncertified) {
    console.error(`gallery: ${scene.name}: ${uncertified}`);
  }
  return { ...scene, replays, uncertified, certificate: certificate_words(total) };
}

/// All scenes in their order, two at a time.
async function make_all(wanted, work) {
  const made = new Array(wanted.length);
  let next = 0;
  const worker = async () => {
    while (next < wanted.length) {
      const i = next++;
      made[i] = await make_scene(wanted[i], work);
    }
  };
  await Promise.all([worker(), worker()]);
  return made;
}

const text_of = (name) => readFileSync(join(here, name), "utf8");
const json = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");

function page_of(made, seconds) {
  const blocks = [];
  const list = made.map(({ name, title, look, shows, alone, certificate, uncertified, replays }) => ({
    name, title, look, shows, alone, certificate, uncertified,
    replays: replays.map((replay, i) => {
      const data = `data-${name}-${i}`;
      blocks.push(`<script id="${data}" type="application/json">${replay.json}</script>`);
      return { title: replay.title, data };
    }),
  }));
  const viewer = readFileSync(resolve(build, "viewer", "viewer_page.html"), "utf8");
  return text_of("gallery.html")
    .replace("/*STYLE*/", () => text_of("gallery.css"))
    .replace("/*VIEWER*/", () => json(viewer))
    .replace("/*SCENES*/", () => json({ scenes: list, seconds }))
    .replace("/*DATA*/", () => blocks.join("\n"))
    .replace("/*PROGRAM*/", () => text_of("gallery.js"));
}

const work = mkdtempSync(join(tmpdir(), "stiction-gallery-"));
try {
  const from = Date.now();
  const made = await make_all(names.length > 0 ? scenes.filter((s) => names.includes(s.name)) : scenes, work);
  const seconds = Math.round((Date.now() - from) / 1000);
  const page = page_of(made, seconds);
  writeFileSync(out, page);
  console.log(`${out}: ${made.length} scenes in ${seconds} s, ${(Buffer.byteLength(page) / 1e6).toFixed(1)} MB`);
} catch (error) {
  console.error(`gallery: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
