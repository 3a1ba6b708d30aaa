import type { ElementContext, RunOptions } from "axe-core";
import { expect, type Page } from "@playwright/test";
import { checker } from "./checker";
import { sizes, test } from "./fixtures";
import { cast, take, tours, type Cast } from "./walks";
import type { Language } from "./words";

let company: Cast;

test.beforeAll(async ({ browser }) => {
  company = await cast(browser);
});

interface View {
  language: Language;
  width: number;
  /** Further widths; the first has a structure of its own. */
  others: number[];
}

/** Each language with its speakers' usual screen; faults that both share appear in both. */
const usual: View[] = [
  { language: "en", width: 1440, others: [1024] },
  // Spanish texts are longer.
  { language: "es", width: 390, others: [320, 1440, 1024] },
];

const every = [320, 390, 1024, 1440].flatMap((width): View[] => [
  { language: "en", width, others: [] },
  { language: "es", width, others: [] },
]);

for (const [name, tour] of Object.entries(tours)) {
  for (const { language, width, others } of process.env.SCREENS === "all" ? every : usual) {
    const screen = width < 700 ? "phone" : "desktop";
    test(`${name}: accessible and in order, ${width} wide in ${language}`, async ({ open }) => {
      const found: string[] = [];
      await take(tour, {
        open: (device, texts, options) => open(device, texts, { ...options, ...sizeOf(width) }),
        cast: company,
        screen,
        language,
        look: async (page, where) => {
          found.push(
            ...(await shifted(page, where)),
            ...(await barriers(page, where)),
            ...(await faultsByWidth(page, where, others)),
          );
        },
      });
      expect(found).toEqual([]);
    });
  }
}

/** The context option for a width that no device of the other tests has. */
function sizeOf(width: number) {
  const { height } = (width < 700 ? sizes.phone : sizes.desktop).viewport;
  const isUsual = Object.values(sizes).some(({ viewport }) => viewport.width === width);
  return isUsual ? {} : { viewport: { width, height } };
}

async function barriers(page: Page, where: string): Promise<string[]> {
  const found: string[] = [];
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(checker);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
    const checks = colorScheme === "dark" ? "contrast" : "all";
    const violations = await page.evaluate<string[], Checks>(violated, checks);
    found.push(...violations.map((violation) => `${where}, ${colorScheme}: ${violation}`));
  }
  return found;
}

/** The structure is all but the contrast, which is the same at every width. */
type Checks = "all" | "contrast" | "structure";

/** Runs in the page. */
async function violated(checks: Checks): Promise<string[]> {
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
  const withContrast = checks === "all" && !front;
  const structure: RunOptions = {
    rules: { "color-contrast": { enabled: withContrast }, "target-size": { enabled: true } },
  };
  const runs: Array<[ElementContext, RunOptions]> = [];
  if (checks !== "contrast") runs.push([menu ?? document, structure]);
  if (checks === "contrast" || (checks === "all" && front)) {
    runs.push([menu ?? front ?? document, contrast]);
  }
  // A target that scrolls under a sticky bar is only covered at this scroll position.
  const sticky = [...document.querySelectorAll<HTMLElement>(".sticky")];
  for (const { style } of sticky) style.inset = "auto";
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
  for (const { style } of sticky) style.inset = "";
  return found;
}

async function sideways(page: Page, where: string): Promise<string[]> {
  const wide = await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const front = document.querySelector("[role=dialog], [role=alertdialog]");
    const view = document.documentElement;
    return [view, ...(front ? [front] : [])].some((each) => each.scrollWidth > each.clientWidth);
  });
  return wide ? [`${where}: scrolls sideways`] : [];
}

/** The texts of one language at all widths, and the structure of the nearest one. */
async function faultsByWidth(page: Page, where: string, others: number[]): Promise<string[]> {
  const size = page.viewportSize();
  if (!size) throw new Error("the page has no size");
  // A resize might close dialogs and menus.
  const front = page.locator("[role=dialog], [role=alertdialog], [role=menu]");
  if ((await front.count()) > 0) return sideways(page, where);
  const found: string[] = [];
  // Its own width is the last one.
  for (const width of [...others, size.width]) {
    await page.setViewportSize({ ...size, width });
    found.push(...(await sideways(page, `${where}, ${width} wide`)));
    if (width !== others[0]) continue;
    const violations = await page.evaluate<string[], Checks>(violated, "structure");
    found.push(...violations.map((violation) => `${where}, ${width} wide: ${violation}`));
  }
  return found;
}

/** Pages whose content must not move while it loads. */
const steady = /^\/(equipment-list|review|equipment\/item\/.*)?$/;

async function shifted(page: Page, where: string): Promise<string[]> {
  if (!steady.test(where)) return [];
  const shift = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const values = list.getEntries().map((entry) => ("value" in entry ? entry.value : 0));
          resolve(values.reduce<number>((sum, value) => sum + Number(value), 0));
        }).observe({ type: "layout-shift", buffered: true });
        // No entry, no callback.
        setTimeout(resolve, 50, 0);
      }),
  );
  return shift > 0.02 ? [`${where}: shifts by ${shift.toFixed(3)}`] : [];
}
