// Makes the page: one HTML file with its style and program inside, and the same as a C++ source.
// Usage: node bundle.mjs SOURCE_FOLDER BUILD_FOLDER      (BUILD_FOLDER has node_modules)
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [source, build] = process.argv.slice(2);
const esbuild = createRequire(join(build, "package.json"))("esbuild");
const data_element = '<script id="stiction-data" type="application/json">null</script>';

async function bundled(entry) {
  const result = await esbuild.build({
    entryPoints: [join(source, entry)],
    nodePaths: [join(build, "node_modules")],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome100", "firefox110", "safari16"],
    legalComments: "eof",
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

// A text inside an element ends at its closing tag, whatever stands around it.
function checked(text, tag) {
  if (text.toLowerCase().includes(`</${tag}`)) {
    throw new Error(`the ${tag} of the page contains its own closing tag`);
  }
  return text;
}

function c_string_lines(bytes) {
  const lines = [];
  const width = 4096;
  for (let from = 0; from < bytes.length; from += width) {
    let line = "";
    for (const byte of bytes.subarray(from, from + width)) {
      const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63;
      // Three octal digits end an escape, whatever follows; '?' could begin a trigraph.
      line += plain ? String.fromCharCode(byte) : "\\" + byte.toString(8).padStart(3, "0");
    }
    lines.push(`    "${line}"`);
  }
  return lines.join("\n");
}

const style = checked(await bundled("page.css"), "style");
const program = checked(await bundled("src/main.js"), "script");
// Functions as replacements: the texts hold dollar signs.
const page = readFileSync(join(source, "page.html"), "utf8")
  .replace("/*STYLE*/", () => style)
  .replace("/*PROGRAM*/", () => program);
if (page.split(data_element).length !== 2) {
  throw new Error("the page must have its data element exactly once");
}
writeFileSync(join(build, "viewer_page.html"), page);

const bytes = Buffer.from(page, "utf8");
writeFileSync(
  join(build, "viewer_page.cpp"),
  `// Made by viewer/tools/bundle.mjs.
#include "viewer/viewer_page.hpp"

namespace stiction {
namespace {
constexpr char page[] =
${c_string_lines(bytes)};
}  // namespace

std::string_view viewer_page() {
  return {page, ${bytes.length}};
}

}  // namespace stiction
`,
);
