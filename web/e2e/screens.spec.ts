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

/** Each language with its speakers' usual screen; faults that both share appear in both. */
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

/** Evaluated through the debugger, because the content policy forbids injected scripts. */
const checker = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function barriers(page: Page, where: string): Promise<string[]> {
  const found: string[] = [];
  // Colors are the same at every width, so dark is checked on one screen.
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

/** Runs in the page. In the second theme only the contrast is checked. */
async function violated(contrastOnly: boolean): Promise<string[]> {
  // Waits for all transitions, since fading elements do not have their final colors. A child's
  // color depends on its parent's, so one may start another.
  for (let still = 0, tries = 0; still < 2 && tries < 25; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    still = document.getAnimations().length === 0 ? still + 1 : 0;
  }
  // A menu has focus and is outside the page's landmarks, so it is checked alone.
  const menu = document.querySelector("[role=menu]");
  // Content under a dialog is dimmed on purpose, and was checked before.
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

/** Spanish texts are longer, so the desktop width is also measured with them. */
async function sidewaysWhenWide(page: Page, where: string): Promise<string[]> {
  // Dialogs and menus can't widen the page, and the resize might close them.
  if ((await page.locator("[role=dialog], [role=alertdialog], [role=menu]").count()) > 0) return [];
  const narrow = page.viewportSize();
  await page.setViewportSize({ width: 1440, height: 900 });
  const found = await sideways(page, `${where}, wide`);
  if (narrow) await page.setViewportSize(narrow);
  return found;
}
