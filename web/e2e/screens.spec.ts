import { AxeBuilder } from "@axe-core/playwright";
import { expect, test, type Page } from "@playwright/test";
import { watch, type Screen } from "./people";
import { cast, take, tours, type Cast } from "./walks";
import type { Language } from "./words";

let company: Cast;

test.beforeAll(async ({ browser }) => {
  company = await cast(browser);
});

/** Each language with the screen its speakers have; what the two share shows in both. */
const readers: ReadonlyArray<[Screen, Language]> = [
  ["desktop", "en"],
  ["phone", "es"],
];

for (const [name, tour] of Object.entries(tours)) {
  for (const [screen, language] of readers) {
    test(`${name}: accessible on a ${screen} in ${language}`, async ({ browser }) => {
      // The checker reads each screen twice, which takes a slow machine its time.
      test.setTimeout(180_000);
      const found: string[] = [];
      await take(tour, {
        browser,
        cast: company,
        screen,
        language,
        // The checker injects a script, which the policy of the product forbids.
        options: { bypassCSP: true },
        look: async (page, where) => void found.push(...(await barriers(page, where))),
      });
      expect(found).toEqual([]);
    });
  }

  test(`${name}: within the content policy and the window, and nothing throws`, async ({
    browser,
  }) => {
    test.setTimeout(180_000);
    // Spanish words are the longer ones, and a phone the narrower screen.
    for (const screen of ["desktop", "phone"] as const) {
      const complaints: string[] = [];
      const sideways: string[] = [];
      await take(tour, {
        browser,
        cast: company,
        screen,
        language: "es",
        prepare: (page) => watch(page, complaints),
        look: async (page, where) => {
          if (await scrollsSideways(page)) sideways.push(where);
        },
      });
      expect(complaints, screen).toEqual([]);
      expect(sideways, screen).toEqual([]);
    }
  });
}

async function barriers(page: Page, where: string): Promise<string[]> {
  const found: string[] = [];
  // A menu has the focus and stands outside the page's landmarks, as menus do: it is looked at alone.
  const menu = (await page.getByRole("menu").count()) > 0;
  // Colours are the same on every width, so dark is read on one.
  const wide = (page.viewportSize()?.width ?? 0) > 1000;
  for (const colorScheme of wide ? (["light", "dark"] as const) : (["light"] as const)) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // Only the contrast depends on the theme.
    const only = colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {};
    const checker = new AxeBuilder({ page }).options({ resultTypes: ["violations"], ...only });
    const { violations } = await (menu ? checker.include("[role=menu]") : checker).analyze();
    found.push(
      ...violations.map(({ id, nodes }) => `${where}, ${colorScheme}: ${id}: ${nodes[0]?.html}`),
    );
  }
  return found;
}

function scrollsSideways(page: Page) {
  return page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
}
