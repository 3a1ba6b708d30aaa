// What a cold visit of a page loads before it can be used: bytes after gzip and number of files,
// from the manifest of the last build. Fails above a page's budget.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", dist), "utf8"));

const route = (path) => `src/routes/${path}.tsx?tsr-split=component`;
// Spanish, the longer one.
const texts = (area) => {
  const found = Object.keys(manifest).find((name) => name.startsWith(`_texts-${area}-es-`));
  if (!found) throw new Error(`the build has no texts of ${area}`);
  return found;
};
const app = ["index.html", "src/app/app-root.tsx", texts("shared")];

/** Kilobytes after gzip, and files. The aim of a page is lower than its budget; a budget only goes down. */
const pages = {
  landing: {
    modules: ["index.html", texts("shared"), "src/features/landing/landing-rest.tsx"],
    budget: [179, 34],
  },
  "sign-in": {
    modules: [...app, route("_guest"), route("_guest/login")],
    budget: [226, 60],
  },
  "operator's page": {
    modules: [
      ...app,
      texts("person"),
      texts("operator"),
      route("index"),
      "src/app/signed-in.tsx",
      "src/features/operator/operator-page.tsx",
      "src/features/operator/send/outbox-keeper.tsx",
    ],
    budget: [332, 104],
  },
  dashboard: {
    modules: [
      ...app,
      texts("person"),
      texts("home"),
      route("index"),
      "src/routes/-manager-home.tsx",
      "src/routes/-pages-ahead.ts",
      "src/app/signed-in.tsx",
      "src/shared/live/live-updates.tsx",
      "src/features/billing/access-banner.tsx",
    ],
    budget: [326, 132],
  },
};

/** The files that these modules need, each once, with scripts' styles. */
function filesOf(modules) {
  const files = new Set();
  const seen = new Set();
  const add = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    const chunk = manifest[name];
    if (!chunk) throw new Error(`the build has no ${name}`);
    files.add(chunk.file);
    for (const style of chunk.css ?? []) files.add(style);
    for (const next of chunk.imports ?? []) add(next);
  };
  for (const name of modules) add(name);
  return [...files];
}

const size = (file) => gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length;

for (const [name, { modules, budget }] of Object.entries(pages)) {
  const files = filesOf(modules);
  const sizes = files.map((file) => [size(file), file]).toSorted(([a], [b]) => b - a);
  const kilobytes = sizes.reduce((sum, [bytes]) => sum + bytes, 0) / 1000;
  const [mostKilobytes, mostFiles] = budget;
  console.log(
    `${name}: ${kilobytes.toFixed(1)} KB in ${files.length} files (at most ${mostKilobytes} in ${mostFiles})`,
  );
  if (process.argv.includes("--files")) {
    for (const [bytes, file] of sizes) console.log(`  ${(bytes / 1000).toFixed(1)} ${file}`);
  }
  if (kilobytes > mostKilobytes || files.length > mostFiles) process.exitCode = 1;
}
