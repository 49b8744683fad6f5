// Installs the packages of package-lock.json into a build folder, so that the source tree stays as
// it is and may be read-only.
// Usage: node install.mjs SOURCE_FOLDER BUILD_FOLDER STAMP [--tests]
//   STAMP    is written when all is there
//   --tests  also what only the tests of the page need
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [source, build, stamp, ...flags] = process.argv.slice(2);

mkdirSync(build, { recursive: true });
for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
  // A copy of a read-only file is read-only, and could not be replaced by the next one.
  rmSync(join(build, name), { force: true });
  copyFileSync(join(source, name), join(build, name));
}

const options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"];
if (!flags.includes("--tests")) {
  options.push("--omit=dev");
}
// Without a network npm would try for minutes; two tries tell as much.
options.push("--fetch-retries=1", "--fetch-timeout=60000");
const result = spawnSync("npm", options, { cwd: build, encoding: "utf8" });
if (result.error || result.status !== 0) {
  const said = result.error ? String(result.error) : result.stderr + result.stdout;
  process.stderr.write(said);
  process.stderr.write(
    "stiction: error: npm could not install the packages of the viewer (see above).\n" +
      "stiction:   Remedy: give npm a registry that it can reach (npm config set registry ...),\n" +
      "stiction:   or configure with -DSTICTION_VIEWER=OFF to build without the page.\n",
  );
  process.exit(1);
}
writeFileSync(stamp, "");
