// Runs Lighthouse for a phone on pages of a running product with a built client: the landing page,
// the sign-in, the operator page and the dashboard, or the pages in the arguments. BASE_URL: the
// product; CHROMIUM_PATH: the browser. Fails below a budget.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "@playwright/test";
import { cookiesFor, measuredCompany } from "./measured-company.mjs";

const base = process.env.BASE_URL ?? "http://127.0.0.1:8080";
const pages = {
  landing: { path: "/", performance: 0.98 },
  "sign-in": { path: "/login", performance: 0.92 },
  operator: { path: "/", as: "operator", performance: 0.92 },
  dashboard: { path: "/", as: "owner", performance: 0.92 },
};
const port = 9223;
const named = process.argv.slice(2);
const chosen = Object.entries(pages).filter(([name]) => named.length === 0 || named.includes(name));
const people = chosen.some(([, { as }]) => as) ? await measuredCompany(base) : {};
const folder = mkdtempSync(join(tmpdir(), "lighthouse-"));

for (const [name, { path, as, performance }] of chosen) {
  const budget = { performance, accessibility: 1 };
  const report = join(folder, `${name}.json`);
  // Set in the browser, because the page's first cookie would replace a Lighthouse cookie header.
  const context = await chromium.launchPersistentContext(join(folder, name), {
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", `--remote-debugging-port=${port}`],
    viewport: null,
  });
  if (as) await context.addCookies(cookiesFor(base, people[as]));
  await promisify(execFile)("npx", [
    "--yes",
    "lighthouse@13.5.0",
    base + path,
    `--only-categories=${Object.keys(budget).join(",")}`,
    `--port=${port}`,
    "--output=json",
    `--output-path=${report}`,
    "--quiet",
  ]);
  await context.close();
  const { categories, audits } = JSON.parse(readFileSync(report, "utf8"));
  const figures = [
    "first-contentful-paint",
    "largest-contentful-paint",
    "speed-index",
    "total-blocking-time",
    "cumulative-layout-shift",
  ].map((figure) => `${figure} ${audits[figure].displayValue}`);
  console.log(`${name}: ${figures.join(", ")}`);
  for (const [category, least] of Object.entries(budget)) {
    const { score } = categories[category];
    console.log(`${name}: ${category} ${score} (at least ${least})`);
    if (score < least) process.exitCode = 1;
  }
}
rmSync(folder, { recursive: true });
