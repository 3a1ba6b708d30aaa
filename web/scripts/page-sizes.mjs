// Measures a cold visit of each page until it is usable: bytes after gzip and number of files, from
// the lists of the last build. Fails above a page's budget.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url);
const read = (name) => readFileSync(new URL(name, dist));
const lists = JSON.parse(read(".vite/page-files.json"));

/** The document's own files: scripts, styles and preloads. */
function filesNamedBy(name) {
  const named = read(name)
    .toString()
    .matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g);
  return [name, ...Array.from(named, ([, file]) => file)];
}

// The Spanish texts are the longer ones.
const application = (page, html) => [
  ...filesNamedBy(html),
  ...lists[page].filter((file) => !/\/texts-\w+-en-/.test(file)),
];

/** Kilobytes after gzip and number of files, the document included. Budgets may only decrease. */
const pages = {
  landing: { files: filesNamedBy("landing-es.html"), budget: [30, 4] },
  "sign-in": { files: application("sign-in", "sign-in.html"), budget: [122, 10] },
  "operator page": { files: application("operator page", "operator-es.html"), budget: [169, 12] },
  dashboard: { files: application("dashboard", "manager-es.html"), budget: [230, 13] },
};

for (const [name, { files, budget }] of Object.entries(pages)) {
  const sizes = [...new Set(files)]
    .map((file) => [gzipSync(read(file), { level: 9 }).length, file])
    .toSorted(([a], [b]) => b - a);
  const kilobytes = sizes.reduce((sum, [bytes]) => sum + bytes, 0) / 1000;
  const [mostKilobytes, mostFiles] = budget;
  console.log(
    `${name}: ${kilobytes.toFixed(1)} KB in ${sizes.length} files (at most ${mostKilobytes} in ${mostFiles})`,
  );
  if (process.argv.includes("--files")) {
    for (const [bytes, file] of sizes) console.log(`  ${(bytes / 1000).toFixed(1)} ${file}`);
  }
  if (kilobytes > mostKilobytes || sizes.length > mostFiles) {
    console.error(`${name}: ${kilobytes.toFixed(3)} KB in ${sizes.length} files exceed its budget`);
    process.exitCode = 1;
  }
}
