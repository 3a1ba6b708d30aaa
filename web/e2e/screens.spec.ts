import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, ElementContext, RunOptions } from "axe-core";
import { expect, type Page } from "@playwright/test";
import { test, type Screen } from "./fixtures";
import { cast, take, tours, type Cast } from "./walks";
import type { Language } from "./words";

let company: Cast;

test.beforeAll(async ({ browser, staff }) => {
  company = await cast(browser, staff.state);
});

/** Each language with the screen its speakers have; what the two share shows in both. */
const readers: ReadonlyArray<[Screen, Language]> = [
  ["desktop", "en"],
  ["phone", "es"],
];

for (const [name, tour] of Object.entries(tours)) {
  for (const [screen, language] of readers) {
    test(`${name}: accessible and in order on a ${screen} in ${language}`, async ({ open }) => {
      const found: string[] = [];
      await take(tour, {
        open,
        cast: company,
        screen,
        language,
        look: async (page, where) => {
          found.push(...(await barriers(page, where)), ...(await sideways(page, where)));
          if (screen === "phone") found.push(...(await sidewaysWhenWide(page, where)));
        },
      });
      expect(found).toEqual([]);
    });
  }
}

declare global {
  interface Window {
    axe?: { run: (context: ElementContext, options: RunOptions) => Promise<AxeResults> };
  }
}

/** Evaluated by the debugger, the checker is nothing the content policy forbids. */
const checker = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function barriers(page: Page, where: string): Promise<string[]> {
  const found: string[] = [];
  // Colours are the same on every width, so dark is read on one.
  const wide = (page.viewportSize()?.width ?? 0) > 1000;
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(checker);
  for (const colorScheme of wide ? (["light", "dark"] as const) : (["light"] as const)) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
    const violations = await page.evaluate(violated, colorScheme === "dark");
    found.push(...violations.map((violation) => `${where}, ${colorScheme}: ${violation}`));
  }
  return found;
}

/** Runs in the page. Of another theme only the contrast is another. */
async function violated(contrastOnly: boolean): Promise<string[]> {
  // What still fades has not yet the colours that are read. A child's colour follows its parent's,
  // so the end of one change may be the beginning of the next.
  for (let still = 0, tries = 0; still < 2 && tries < 25; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    still = document.getAnimations().length === 0 ? still + 1 : 0;
  }
  // A menu has the focus and stands outside the page's landmarks, as menus do: it is looked at alone.
  const menu = document.querySelector("[role=menu]");
  // What lies under a dialog is dimmed on purpose, and was looked at before.
  const front = document.querySelector("[role=dialog], [role=alertdialog]");
  const contrast: RunOptions = { runOnly: ["color-contrast"] };
  const all: RunOptions = front ? { rules: { "color-contrast": { enabled: false } } } : {};
  const runs: Array<[ElementContext, RunOptions]> = [];
  if (!contrastOnly) runs.push([menu ?? document, all]);
  if (contrastOnly || front) runs.push([menu ?? front ?? document, contrast]);
  const found: string[] = [];
  for (const [where, options] of runs) {
    const results = await window.axe?.run(where, { resultTypes: ["violations"], ...options });
    if (!results) throw new Error("the checker is not here");
    found.push(
      ...results.violations.map(
        ({ id, nodes: [node] }) => `${id}: ${node?.html} ${node?.failureSummary}`,
      ),
    );
  }
  return found;
}

async function sideways(page: Page, where: string): Promise<string[]> {
  const scrolls = await page.evaluate(
    () => document.documentElement.scrollWidth > window.innerWidth,
  );
  return scrolls ? [`${where}: scrolls sideways`] : [];
}

/** Spanish words are the longer ones, so a desktop is measured with them too. */
async function sidewaysWhenWide(page: Page, where: string): Promise<string[]> {
  // Neither a dialog nor a menu can widen the page, and the resize might close it.
  if ((await page.locator("[role=dialog], [role=alertdialog], [role=menu]").count()) > 0) return [];
  const narrow = page.viewportSize();
  await page.setViewportSize({ width: 1440, height: 900 });
  const found = await sideways(page, `${where}, wide`);
  if (narrow) await page.setViewportSize(narrow);
  return found;
}
