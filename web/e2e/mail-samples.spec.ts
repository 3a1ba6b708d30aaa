import { readdirSync, readFileSync } from "node:fs";
import { expect, test, type Page } from "@playwright/test";
import { checker } from "./checker";

const folder = "../services/notifications/samples";
const samples = readdirSync(folder).filter((name) => name.endsWith(".html"));

/** What breaks WCAG 2.1 AA. A mail has no landmarks, which the other rules expect. */
async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(checker);
  return page.evaluate(async () => {
    const runOnly = ["wcag2a", "wcag2aa", "wcag21aa"];
    const results = await window.axe?.run(document, { runOnly });
    if (!results) throw new Error("the checker is not here");
    return results.violations.map(({ id, nodes: [node] }) => `${id}: ${node?.failureSummary}`);
  });
}

test("each mail is readable on a phone and a desktop, in light and dark", async ({
  page,
}, testInfo) => {
  expect(samples.length).toBeGreaterThan(10);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const name of samples) {
      await test.step(`${name}, ${colorScheme}`, async () => {
        await page.setContent(readFileSync(`${folder}/${name}`, "utf8"));
        for (const width of [320, 700]) {
          await page.setViewportSize({ width, height: 800 });
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          expect(wide).toBeLessThanOrEqual(width);
          await page.screenshot({
            path: testInfo.outputPath(`${name}-${width}-${colorScheme}.png`),
            fullPage: true,
          });
        }
        expect(await barriers(page)).toEqual([]);
      });
    }
  }
});
