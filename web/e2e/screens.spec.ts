import { AxeBuilder } from "@axe-core/playwright";
import { expect, test, type Browser, type Page } from "@playwright/test";
import { company, machine, open, operator, operatorIn, unique, watch, caller } from "./people";
import { words, type Language, type Words } from "./words";

/** What looks at a screen that is open now. */
type Look = (page: Page, screen: string) => Promise<void>;

interface Signed {
  cookies: Awaited<ReturnType<typeof company>>["signedIn"]["cookies"];
}

let owner: Signed;
let crew: Signed;

test.beforeAll(async ({ browser }) => {
  const office = await open(browser, "desktop", "en");
  const made = await company(office, unique("Screen Works"));
  owner = made.signedIn;
  await machine(made.call, "Excavator", { currentUsage: 1300, lastServiceUsage: 1000 });
  const id = await machine(made.call, "Crane", { threshold: 1200, serviceInterval: 0 });
  await machine(made.call, "Mixer", { currentUsage: 220, lastServiceUsage: 0 });
  const username = await operator(made.call);
  const field = await open(browser, "phone", "es");
  await operatorIn(field, username);
  crew = await field.storageState();
  const report = caller(field);
  for (const newUsage of [1010, 900]) {
    await report("POST", "/api/operator-updates", { equipmentId: id, newUsage, fuelAdded: 10 });
  }
});

for (const language of ["en", "es"] as const) {
  test(`every screen is accessible in both themes, in ${language}`, async ({ browser }) => {
    test.setTimeout(180_000);
    // The checker injects a script, which the policy of the product forbids.
    await everyScreen(browser, language, { bypassCSP: true }, async (page, screen) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        // Only the contrast depends on the theme.
        const only = colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {};
        const { violations } = await new AxeBuilder({ page })
          .options({ resultTypes: ["violations"], ...only })
          .analyze();
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
        expect(found, `${screen}, ${colorScheme}`).toEqual([]);
      }
    });
  });
}

test("no screen breaks the content policy or throws", async ({ browser }) => {
  const complaints: string[] = [];
  await everyScreen(
    browser,
    "en",
    {},
    async (page, screen) => {
      expect(complaints, screen).toEqual([]);
      expect(await scrollsSideways(page), screen).toBe(false);
    },
    (page) => watch(page, complaints),
  );
});

async function everyScreen(
  browser: Browser,
  language: Language,
  options: object,
  look: Look,
  prepare: (page: Page) => void = () => undefined,
) {
  const t = words(language);
  const guest = await pageOf(browser, "phone", language, { cookies: [] }, options);
  prepare(guest);
  for (const path of ["/", "/login", "/employee-login", "/signup"]) await visit(guest, path, look);
  await guest.context().close();

  const manager = await pageOf(browser, "desktop", language, owner, options);
  prepare(manager);
  for (const path of ["/nope", "/security-questions", "/add-equipment", "/employees"]) {
    await visit(manager, path, look);
  }
  for (const open of ["operators.form.add", "operators.settings.open"]) {
    await manager.getByRole("button", { name: t(open), exact: true }).click();
    await inDialog(manager, open, look);
  }
  await visit(manager, "/", look);
  await expect(
    manager.getByText(t("updates.queue.count_other", { count: 2 })).first(),
  ).toBeVisible();
  await managerDialogs(manager, t, look);
  await manager.context().close();

  const field = await pageOf(browser, "phone", language, crew, options);
  prepare(field);
  await visit(field, "/", look);
  await field.getByRole("button", { name: new RegExp(t("operator.form.equipment")) }).click();
  await inDialog(field, "the picker", look);
  await field.getByRole("button", { name: t("shell.openMenu") }).click();
  await inDialog(field, "the menu", look);
  await field.context().close();
}

async function managerDialogs(page: Page, t: Words, look: Look) {
  for (const action of ["updateUsage", "viewNotes", "markServiced", "delete"]) {
    const label = t("equipment.actions.label", { name: "Excavator" });
    await page.getByRole("button", { name: label }).click();
    await page.getByRole("menuitem", { name: t(`equipment.actions.${action}`) }).click();
    await inDialog(page, action, look);
  }
  const below = page.getByRole("listitem").filter({ hasText: t("updates.flags.belowMeter") });
  await below.getByRole("button", { name: t("updates.queue.apply"), exact: true }).click();
  await inDialog(page, "a reading below the meter", look);
  await below.getByRole("button", { name: t("updates.queue.reject"), exact: true }).click();
  await inDialog(page, "a rejection", look);
}

async function pageOf(
  browser: Browser,
  screen: "desktop" | "phone",
  language: Language,
  storageState: Signed,
  options: object,
) {
  const kept = { storageState: { ...storageState, origins: [] } };
  const context = await open(browser, screen, language, { ...kept, ...options });
  return context.newPage();
}

async function visit(page: Page, path: string, look: Look) {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: /^(Loading|Cargando)$/ })).toHaveCount(0);
  await look(page, path);
}

async function inDialog(page: Page, name: string, look: Look) {
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("heading").first()).toBeVisible();
  await look(page, name);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
}

function scrollsSideways(page: Page) {
  return page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
}
