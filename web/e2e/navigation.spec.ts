import { expect, type Page } from "@playwright/test";
import { test, type Open, type Screen } from "./fixtures";
import { company, machine, send, unique, type StorageState } from "./people";
import { words, type Language } from "./words";

async function at(
  open: Open,
  storageState: StorageState,
  screen: Screen = "desktop",
  language: Language = "en",
) {
  const context = await open(screen, language, { storageState });
  const page = await context.newPage();
  await page.goto("/");
  // A context that never signed in shows the visitor's page until the session response arrives.
  const t = words(language);
  const shell = screen === "phone" ? t("shell.openMenu") : t("shell.logout");
  await expect(page.getByRole("button", { name: shell })).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  return page;
}

const office = [
  ["Review", "/review"],
  ["Equipment List", "/equipment-list"],
  ["Service", "/service"],
  ["Fuel", "/fuel"],
  ["Operators", "/employees"],
  ["Retired Equipment", "/retired-equipment"],
  ["Add Equipment", "/add-equipment"],
  ["Subscription", "/subscription"],
  ["Instructions", "/instructions"],
  ["Contact Support", "/contact"],
  ["Settings", "/settings"],
  ["Audit Log", "/audit-log"],
] as const;

test("owners and managers reach every page from the header", async ({ open, team }) => {
  const page = await at(open, team.owner);
  const bar = page.getByRole("navigation", { name: "Main navigation" });
  for (const [name, path] of office) {
    const link = bar.getByRole("link", { name, exact: true });
    if (await link.isVisible()) {
      await link.click();
    } else {
      await bar.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name, exact: true }).click();
    }
    await expect(page).toHaveURL(path);
    await expect(page).toHaveTitle(`${name} - Equipment Management`);
    // A screen reader announces the page.
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  }
  await expect(bar.getByRole("link", { name: /^Dashboard/ })).toBeVisible();
});

test("the profile button shows the user, and links to profile and settings", async ({
  open,
  team,
}) => {
  const page = await at(open, team.owner);
  const account = page.getByRole("button", { name: `Account: ${team.business}` });
  await account.click();
  const menu = page.getByRole("menu");
  await expect(menu).toContainText(team.business);
  await expect(menu).toContainText("Owner");
  await menu.getByRole("menuitem", { name: "Profile" }).click();
  await expect(page).toHaveURL("/profile");
  await account.click();
  await menu.getByRole("menuitem", { name: "Settings" }).click();
  await expect(page).toHaveURL("/settings");
  await account.click();
  await menu.getByRole("menuitemradio", { name: "Dark" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

for (const [role, language] of [
  ["owner", "es"],
  ["operator", "es"],
] as const) {
  test(`the slide-in menu of an ${role} in ${language}`, async ({ open, team }) => {
    const t = words(language);
    const page = await at(open, role === "owner" ? team.owner : team.operator, "phone", language);
    const button = page.getByRole("button", { name: t("shell.openMenu") });
    await button.click();
    const menu = page.getByRole("dialog", { name: t("shell.menu") });
    await expect(menu.getByText(t(`common.roles.${role}`), { exact: true })).toBeVisible();
    const links = menu.getByRole("navigation").getByRole("link");
    const profile = t("shell.titles.profile");
    await expect(links).toHaveText(
      role === "owner"
        ? [
            t("shell.titles.dashboard"),
            t("shell.titles.review"),
            t("shell.titles.equipmentList"),
            t("shell.titles.service"),
            t("shell.titles.fuel"),
            t("shell.titles.addEquipment"),
            t("shell.titles.operators"),
            t("shell.titles.retired"),
            t("shell.titles.subscription"),
            t("shell.titles.instructions"),
            t("shell.titles.contact"),
            profile,
            t("shell.titles.settings"),
            t("shell.titles.auditLog"),
          ]
        : [t("shell.titles.equipmentUpdates"), profile],
    );
    await expect(menu.getByRole("button", { name: t("shell.logout") })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(menu).toBeHidden();
    await expect(button).toBeFocused();
    await button.click();
    await links.filter({ hasText: profile }).click();
    await expect(page).toHaveURL("/profile");
    await expect(menu).toBeHidden();
  });
}

test("an operator's header has no links for managers", async ({ open, team }) => {
  const page = await at(open, team.operator);
  const links = page.getByRole("navigation", { name: "Main navigation" }).getByRole("link");
  await expect(links).toHaveText(["Equipment Updates"]);
  await expect(page.getByRole("button", { name: "More" })).toHaveCount(0);
  await page.getByRole("button", { name: /Account: / }).click();
  await expect(page.getByRole("menuitem")).toHaveText(["Profile"]);
  for (const [name] of office) {
    await expect(page.getByRole("link", { name, exact: true })).toHaveCount(0);
  }
});

test("everything can be reached with the keyboard", async ({ open, team }) => {
  await machine(team.call, unique("Excavator"));
  const page = await at(open, team.owner);
  await expect(page.getByRole("table")).toBeVisible();
  await page.keyboard.press("Tab");
  const skip = page.getByRole("link", { name: "Skip to content" });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/#main");
  // The next tab stop is within the page's content.
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.closest("main") !== null)).toBe(true);

  await page.goto("/equipment-list");
  await expect(page.getByRole("table")).toBeVisible();
  const more = page.getByRole("button", { name: "More" });
  await tabTo(page, "More");
  await expect(more).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menu")).toBeVisible();
  const item = (name: string) => page.getByRole("menuitem", { name });
  await expect(item("Add Equipment")).toBeFocused();
  for (const next of ["Retired Equipment", "Subscription", "Instructions"]) {
    await page.keyboard.press("ArrowDown");
    await expect(item(next)).toBeFocused();
  }
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/instructions");
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();

  await tabTo(page, "More", "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menu")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("menu")).toBeHidden();
  await expect(more).toBeFocused();
});

/** Presses the key until the element of this name has focus. */
async function tabTo(page: Page, name: string, press = "Tab") {
  const target = page.getByRole("button", { name, exact: true });
  for (let step = 0; step < 40; step += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(press);
  }
}

test("logging out shows its progress and ends the session", async ({ open }) => {
  const context = await open("phone", "en");
  await company(context, unique("Leaving Works"));
  const page = await context.newPage();
  let letGo = () => undefined as void;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route("**/api/auth/logout", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("/equipment-list");
  await page.getByRole("button", { name: "Open menu" }).click();
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page.getByRole("button", { name: "Logging out..." })).toBeVisible();
  letGo();
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("link", { name: "Owner Login" }).first()).toBeVisible();
  expect((await send(context, "GET", "/api/auth/user")).status()).toBe(401);
  await page.goto("/equipment-list");
  await expect(page.getByRole("heading", { name: "Equipment List" })).toHaveCount(0);
});

test("a logout without a server response still opens the start page", async ({ open }) => {
  const context = await open("desktop", "en");
  await company(context, unique("Deaf Works"));
  const page = await context.newPage();
  await page.route(/\/api\/(auth\/)?logout$/, (route) => route.abort());
  await page.goto("/settings");
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("link", { name: "Owner Login" }).first()).toBeVisible();
});
