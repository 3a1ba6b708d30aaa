// Measures a first visit on a phone: 4G (9 Mbit/s, 85 ms round trip), a mid-range
// processor, an empty cache. Reports when the operator's form accepts input and when the dashboard
// shows machines. BASE_URL: a running product; CHROMIUM_PATH: the browser; TRACE: a folder for a
// trace of each page. Fails above a budget.
import { chromium } from "@playwright/test";
import { cookiesFor, measuredCompany } from "./measured-company.mjs";
import { slowdown } from "./run-lighthouse.mjs";

const base = process.env.BASE_URL ?? "http://127.0.0.1:8080";
const folder = process.env.TRACE;
const visits = 5;
const network = {
  offline: false,
  latency: 85,
  downloadThroughput: 9_000_000 / 8,
  uploadThroughput: 9_000_000 / 8,
};
const pages = {
  operator: { as: "operator", mostMs: 2500, usable: "#main form input:enabled" },
  dashboard: { as: "owner", mostMs: 3000, usable: "#main", text: "Excavator" },
};

const people = await measuredCompany(base);
const rate = await slowdown(base);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});

/** Milliseconds from the start of the navigation to the first frame in which the page is usable. */
async function visit({ as, usable, text = "" }, trace) {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    locale: "en-US",
  });
  await context.addCookies(cookiesFor(base, people[as]));
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", network);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
  if (trace) await browser.startTracing(page, { path: trace });
  await page.addInitScript(
    ([selector, wanted]) => {
      const check = () => {
        const found = document.querySelector(selector);
        if (found?.textContent.includes(wanted)) window.usableAfter = performance.now();
        else requestAnimationFrame(check);
      };
      requestAnimationFrame(check);
    },
    [usable, text],
  );
  await page.goto(base, { waitUntil: "commit" });
  const time = await page.waitForFunction(() => window.usableAfter, null, { timeout: 60_000 });
  const milliseconds = await time.jsonValue();
  if (trace) await browser.stopTracing();
  await context.close();
  return milliseconds;
}

for (const [name, page] of Object.entries(pages)) {
  const times = [];
  for (let count = 0; count < visits; count += 1) times.push(await visit(page));
  if (folder) await visit(page, `${folder}/${name}.json`);
  times.sort((a, b) => a - b);
  const median = times[Math.floor(visits / 2)];
  const all = times.map((time) => Math.round(time)).join(", ");
  console.log(`${name}: usable after ${Math.round(median)} ms (at most ${page.mostMs}; ${all})`);
  if (median > page.mostMs) process.exitCode = 1;
}
await browser.close();
