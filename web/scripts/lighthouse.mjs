// Lighthouse, as a phone sees it, on the landing page of a running product with a built client.
// BASE_URL: that product; CHROMIUM_PATH: the browser. Fails below the budget.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const url = `${process.env.BASE_URL ?? "http://127.0.0.1:8080"}/`;
const budget = { performance: 0.95, accessibility: 1 };
const folder = mkdtempSync(join(tmpdir(), "lighthouse-"));
const report = join(folder, "report.json");

execFileSync(
  "npx",
  [
    "--yes",
    "lighthouse@13.5.0",
    url,
    `--only-categories=${Object.keys(budget).join(",")}`,
    "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
    "--output=json",
    `--output-path=${report}`,
    "--quiet",
  ],
  {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, CHROME_PATH: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium" },
  },
);
const { categories, audits } = JSON.parse(readFileSync(report, "utf8"));
rmSync(folder, { recursive: true });

for (const name of [
  "first-contentful-paint",
  "largest-contentful-paint",
  "speed-index",
  "total-blocking-time",
  "cumulative-layout-shift",
]) {
  console.log(`${name}: ${audits[name].displayValue}`);
}
for (const [name, least] of Object.entries(budget)) {
  const { score } = categories[name];
  console.log(`${name}: ${score} (at least ${least})`);
  if (score < least) process.exitCode = 1;
}
