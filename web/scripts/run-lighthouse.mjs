// Runs Lighthouse in a Chromium of its own.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "@playwright/test";

const port = 9223;

/** Benchmark index of the middle of the desktops that Lighthouse slows down four times. */
const desktopIndex = 1750;

/** Returns the report of a page. `cookies` are those of a Playwright context. */
export async function runLighthouse(url, cookies, ...flags) {
  const folder = mkdtempSync(join(tmpdir(), "lighthouse-"));
  const report = join(folder, "report.json");
  // Set in the browser, because the page's first cookie would replace a Lighthouse cookie header.
  const context = await chromium.launchPersistentContext(join(folder, "profile"), {
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", `--remote-debugging-port=${port}`],
    viewport: null,
  });
  try {
    await context.addCookies(cookies);
    await promisify(execFile)("npx", [
      "--yes",
      "lighthouse@13.5.0",
      url,
      `--port=${port}`,
      "--output=json",
      `--output-path=${report}`,
      "--quiet",
      ...flags,
    ]);
    return JSON.parse(readFileSync(report, "utf8"));
  } finally {
    await context.close();
    rmSync(folder, { recursive: true });
  }
}

/**
 * How many times this machine's processor is slowed down to that of a mid-range phone, by
 * Lighthouse's benchmark: 4 on a fast desktop, less on a slower machine.
 */
export async function slowdown(base) {
  const { environment } = await runLighthouse(base, [], "--only-audits=viewport-insight");
  const index = environment.benchmarkIndex;
  const times = Math.max(1, (4 * index) / desktopIndex);
  console.log(`processor: benchmark index ${index}, slowed down ${times.toFixed(1)} times`);
  return times;
}
