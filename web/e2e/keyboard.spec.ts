import { expect, type Locator, type Page } from "@playwright/test";
import { test } from "./fixtures";
import {
  caller,
  company,
  machine,
  operator,
  operatorIn,
  operatorPassword,
  ownerPassword,
  unique,
} from "./people";
import { words, type Words } from "./words";

test("an owner works without a mouse, on a desktop in en", async ({ open }) => {
  const t = words("en");
  const context = await open("desktop", "en");
  const { email, call } = await company(context, unique("Key Works"));
  const crane = await machine(call, "Crane", { currentUsage: 199 });
  await call("PATCH", `/api/equipment/${crane}/usage`, { currentUsage: 200 });
  const field = await open("phone", "es");
  await operatorIn(field, await operator(call));
  await caller(field)("POST", "/api/operator-updates", { equipmentId: crane, newUsage: 204 });
  await call("POST", "/api/auth/logout");
  const page = await context.newPage();
  const heading = page.getByRole("heading", { level: 1 });

  await page.goto("/login");
  await tabTo(page, page.getByLabel(t("auth.ownerLogin.name")));
  await page.keyboard.type(email);
  await tabTo(page, page.getByLabel(t("auth.password"), { exact: true }));
  await page.keyboard.type(ownerPassword);
  await page.keyboard.press("Enter");
  await expect(heading).toHaveText(t("shell.titles.dashboard"));
  await expect(heading).toBeFocused();

  // Adds a machine.
  await choose(page, "+", t("commands.add.machine"));
  await expect(heading).toHaveText(t("shell.titles.addEquipment"));
  await expect(heading).toBeFocused();
  const entries = [
    ["name", "Loader"],
    ["type", t("labels.types.machinery")],
    ["unit", t("labels.units.hours")],
    ["fuelType", t("labels.fuels.diesel")],
    ["currentUsage", "1000"],
    ["serviceInterval", "250"],
  ] as const;
  for (const [name, text] of entries) {
    await tabTo(page, page.getByLabel(t(`equipment-form.fields.${name}`)));
    await page.keyboard.type(text);
  }
  await page.keyboard.press("Enter");
  await expect(heading).toHaveText(t("shell.titles.dashboard"));

  // Finds it, and records a reading and a service.
  await find(page, t, "Loader", /Loader/);
  await expect(heading).toHaveText("Loader");
  await expect(heading).toBeFocused();
  await page.keyboard.press("l");
  await tabTo(page, page.getByRole("dialog").getByLabel(t("equipment-detail.usage.reading")));
  await page.keyboard.type("1008");
  await submit(page);
  await expect(page.getByText(/1,008/).first()).toBeVisible();
  await page.keyboard.press("s");
  await expect(
    page.getByRole("dialog").getByLabel(t("equipment-dialogs.serviced.date")),
  ).toBeVisible();
  await submit(page);

  // Applies a report, and takes it back.
  await find(page, t, t("shell.titles.review"), t("shell.titles.review"));
  await expect(heading).toHaveText(t("shell.titles.review"));
  const report = page
    .getByRole("row")
    .filter({ hasText: /204 hours/ })
    .filter({ hasText: "María" });
  await expect(report).toBeVisible();
  await page.keyboard.press("j");
  await expect(report).toBeFocused();
  await page.keyboard.press("a");
  await expect(report).toContainText(t("updates.status.applied"));
  await focusKept(page);
  await page.keyboard.press("u");
  await expect(report.getByRole("button", { name: t("review.queue.apply") })).toBeVisible();
  await focusKept(page);

  // Retires a machine, and takes it back.
  await find(page, t, t("shell.titles.equipmentList"), t("shell.titles.equipmentList"));
  const row = page.getByRole("row").filter({ hasText: "Loader" });
  await expect(row).toBeVisible();
  const link = row.getByRole("link", { name: "Loader" });
  await expect(heading).toBeFocused();
  await pressUntil(page, "j", link);
  await tabTo(
    page,
    row.getByRole("button", { name: t("equipment.actions.label", { name: "Loader" }) }),
  );
  await choose(page, "Enter", t("equipment.actions.deleteFull"));
  await submit(page);
  await expect(row).toBeHidden();
  await expect(page.getByRole("link", { name: "Crane", exact: true })).toBeFocused();
  await page.keyboard.press("F8");
  await tabTo(page, page.getByRole("button", { name: t("equipment-dialogs.undo.action") }));
  await page.keyboard.press("Enter");
  await expect(row).toBeVisible();
  await focusKept(page);

  // Adds an operator.
  await choose(page, "+", t("commands.add.operator"));
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel(t("operators.form.firstName"))).toBeFocused();
  await page.keyboard.type("Ana");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Ruiz");
  await page.keyboard.press("Enter");
  await tabTo(page, dialog.getByRole("button", { name: t("operators.form.finish") }));
  await page.keyboard.press("Enter");
  await closed(page);
  await expect(page.getByText("Ana Ruiz").first()).toBeVisible();

  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: t("commands.keys.title") })).toBeVisible();
  await page.keyboard.press("Escape");
  await closed(page);

  await tabTo(page, page.getByRole("button", { name: t("shell.logout") }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/");
  await expect(heading).toHaveText(t("landing.hero.title"));
});

test("an operator reports without a mouse, on a desktop in es", async ({ open }) => {
  const t = words("es");
  const name = unique("Grúa");
  const { call } = await company(await open("desktop", "es"), unique("Key Works"));
  await machine(call, name, { currentUsage: 500 });
  const username = await operator(call);
  const page = await (await open("desktop", "es")).newPage();
  await page.goto("/employee-login");
  await tabTo(page, page.getByLabel(t("auth.operatorLogin.name")));
  await page.keyboard.type(username);
  await tabTo(page, page.getByLabel(t("auth.password"), { exact: true }));
  await page.keyboard.type(operatorPassword);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await expect(page.getByText(t("operator.outbox.allSent"))).toBeVisible();

  await tabTo(
    page,
    page.getByRole("button", { name: new RegExp(`^${t("operator.form.equipment")}`) }),
  );
  await page.keyboard.press("Enter");
  const sheet = page.getByRole("dialog", { name: t("operator.picker.choose") });
  await expect(sheet.getByLabel(t("operator.picker.search"))).toBeFocused();
  await page.keyboard.type(name);
  await tabTo(page, sheet.getByRole("button", { name: new RegExp(`^${name}`) }));
  await page.keyboard.press("Enter");
  await expect(page.getByLabel(t("operator.form.readingHours"))).toBeFocused();
  await page.keyboard.type("508");
  await tabTo(page, page.getByLabel(t("operator.form.fuel")));
  await page.keyboard.type("40.5");
  await tabTo(page, page.getByRole("button", { name: t("operator.form.addNote") }));
  await page.keyboard.press("Enter");
  await expect(page.getByLabel(t("operator.form.notes"))).toBeFocused();
  await page.keyboard.type("Ruido al girar");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const receipt = page.getByRole("group", { name: t("operator.toast.submitted"), exact: true });
  await expect(receipt).toBeFocused();
  await expect(receipt).toContainText("508 h");
  await expect(receipt).toContainText("40.5");
});

/** Presses a key until the element has the focus. */
async function pressUntil(page: Page, key: string, target: Locator) {
  await expect(target).toBeVisible();
  for (let step = 0; step < 60; step += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
    // Menus move the focus in a task of their own.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  }
  await expect(target).toBeFocused();
}

const tabTo = (page: Page, target: Locator, key = "Tab") => pressUntil(page, key, target);

/** Opens a menu by a key and chooses an item. */
async function choose(page: Page, key: string, name: string) {
  // The keys of a page are loaded after its content.
  await expect(async () => {
    await page.keyboard.press(key);
    await expect(page.getByRole("menu")).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await pressUntil(page, "ArrowDown", page.getByRole("menuitem", { name, exact: true }));
  await page.keyboard.press("Enter");
}

/** Opens a machine or a page from the palette. */
async function find(page: Page, t: Words, text: string, option: string | RegExp) {
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: t("commands.search.label") })).toBeFocused();
  await page.keyboard.type(text);
  await expect(page.getByRole("option", { name: option, selected: true })).toBeVisible();
  await page.keyboard.press("Enter");
  await closed(page);
}

/** Submits the form of the dialog from its focused field. */
async function submit(page: Page) {
  const button = page.getByRole("dialog").locator("[type=submit]:not([aria-disabled])");
  await expect(button).toBeVisible();
  await page.keyboard.press("Enter");
  await closed(page);
}

/** No dialog is open, and an element has the focus. */
async function closed(page: Page) {
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await focusKept(page);
}

const focusKept = (page: Page) =>
  expect.poll(() => page.evaluate(() => document.activeElement === document.body)).toBe(false);
