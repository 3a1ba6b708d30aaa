import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures";
import { company, machine, send, toast, unique } from "./people";
import { words } from "./words";

test("all actions of a row work, on a phone in es", async ({ open }) => {
  const t = words("es");
  const context = await open("phone", "es");
  const { call } = await company(context, unique("Row Works"));
  await machine(call, "Dozer");
  await machine(call, "Crane");
  const page = await context.newPage();
  await page.goto("/");
  const act = async (name: string, action: string) => {
    await page.getByRole("button", { name: t("equipment.actions.label", { name }) }).click();
    await page.getByRole("menuitem", { name: t(`equipment.actions.${action}`) }).click();
  };
  const dialog = page.getByRole("dialog");
  const row = page
    .getByRole("list", { name: t("equipment.overview.title") })
    .getByRole("listitem")
    .filter({ hasText: "Dozer" });

  await act("Dozer", "updateUsage");
  const update = dialog.getByRole("button", { name: t("equipment-dialogs.usage.submit") });
  await update.click();
  await expect(toast(page, t("equipment-dialogs.usage.invalid"))).toBeVisible();
  await dialog.getByLabel(t("equipment-dialogs.usage.increase")).fill("250");
  await expect(dialog.getByText(/1,250\.5/)).toBeVisible();
  await update.click();
  // An unusual increase needs a confirmation.
  await page.getByRole("button", { name: "Guardar tal cual" }).click();
  await expect(toast(page, t("equipment-dialogs.usage.done"))).toBeVisible();
  await expect(row).toContainText(t("labels.badges.timeForService"));

  await act("Dozer", "viewNotes");
  await dialog.getByLabel(t("equipment-dialogs.notes.content")).fill("Left track is loose.");
  await dialog.getByRole("button", { name: t("equipment-dialogs.notes.submit") }).click();
  await expect(
    dialog.getByRole("listitem").filter({ hasText: "Left track is loose." }),
  ).toBeVisible();
  // The toast is still visible; one press closes both.
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();

  await act("Dozer", "markServiced");
  await dialog.getByLabel(t("equipment-dialogs.serviced.cost")).fill("125.5");
  await dialog.getByRole("button", { name: t("equipment-dialogs.serviced.submit") }).click();
  await expect(toast(page, t("equipment-dialogs.serviced.done"))).toBeVisible();
  await expect(row).toContainText(t("labels.badges.good"));
  const history = page.getByRole("region", { name: t("equipment-history.title") });
  await expect(
    history.getByText(t("equipment-history.record.cost", { amount: "$125.50" })),
  ).toBeVisible();

  await act("Dozer", "delete");
  await dialog.getByLabel(t("equipment-dialogs.retire.notes")).fill("Sold.");
  await dialog.getByRole("button", { name: t("equipment-dialogs.retire.submit") }).click();
  await expect(toast(page, t("equipment-dialogs.retire.done"))).toBeVisible();
  await expect(row).toBeHidden();

  await act("Crane", "delete");
  await dialog.getByRole("radio", { name: t("equipment-dialogs.delete.option") }).check();
  await dialog.getByRole("button", { name: t("equipment-dialogs.delete.submit") }).click();
  const sure = page.getByRole("alertdialog", {
    name: t("equipment-dialogs.delete.sure", { name: "Crane" }),
  });
  await sure.getByRole("button", { name: t("equipment-dialogs.delete.confirm") }).click();
  await expect(page.getByText(t("equipment.overview.emptyTitle"))).toBeVisible();
});

test("tiles, filters and search are part of the URL, and a link restores them", async ({
  open,
}) => {
  const t = words("en");
  const context = await open("desktop", "en");
  const { call } = await company(context, unique("Filter Works"));
  await machine(call, "Grader", { currentUsage: 300, lastServiceUsage: 0 });
  await machine(call, "Roller", { type: "tools" });
  await machine(call, "Truck", { type: "vehicle", serialNumber: "1FTFW1E50" });
  const page = await context.newPage();
  await page.goto("/");
  const overdue = page.getByRole("button", {
    name: new RegExp(`^${t("dashboard.tiles.overdue")}`),
  });
  await expect(overdue).toContainText("1");
  await overdue.click();
  await expect(page).toHaveURL(/\?status=overdue$/);
  await expect(overdue).toHaveAttribute("aria-pressed", "true");
  await expect(names(page)).toHaveText([/Grader/]);
  await overdue.click();
  await expect(page).toHaveURL(/\/$/);

  await page
    .getByLabel(t("dashboard.filter.type"))
    .selectOption({ label: t("labels.types.vehicle") });
  await page.getByRole("searchbox").fill("1ftfw");
  await expect(page).toHaveURL(/type=vehicle/);
  await expect(page).toHaveURL(/search=1ftfw/);
  await expect(names(page)).toHaveText([/Truck/]);
  await page.reload();
  await expect(page.getByRole("searchbox")).toHaveValue("1ftfw");
  await expect(names(page)).toHaveText([/Truck/]);

  await page.getByRole("searchbox").fill("nothing like it");
  await page.getByRole("button", { name: t("equipment.overview.clearFilters") }).click();
  await expect(page).toHaveURL(/\/$/);
  await expect(names(page)).toHaveCount(3);

  await page.goto("/?status=time_for_service&type=nonsense");
  await expect(page.getByText(t("equipment.overview.noMatchTitle"))).toBeVisible();
});

test("at the plan's limit no equipment can be added, and the page explains why", async ({
  open,
}) => {
  const t = words("en");
  const context = await open("desktop", "en");
  const { call } = await company(context, unique("Limit Works"));
  for (let number = 1; number <= 15; number += 1) await machine(call, `Pump ${number}`);
  const refused = await send(context, "POST", "/api/equipment", {
    name: "Pump 16",
    type: "tools",
    unit: "hours",
  });
  expect(refused.ok()).toBe(false);

  const page = await context.newPage();
  await page.goto("/");
  const reached = t("equipment.limit.reached_other", { count: 15 });
  await expect(page.getByText(reached).first()).toBeVisible();
  const add = page.getByRole("button", { name: t("equipment.add") });
  await expect(add).toHaveAttribute("aria-disabled", "true");
  await expect(add).toHaveAccessibleDescription(reached);
  await page
    .getByRole("button", { name: t("equipment.overview.showAll_other", { total: 15 }) })
    .click();
  await expect(names(page)).toHaveCount(15);

  await page.goto("/add-equipment");
  await expect(page.getByRole("alert").filter({ hasText: reached })).toBeVisible();
});

/** The rows of the overview without the header. */
function names(page: Page) {
  return page
    .getByRole("table")
    .getByRole("row")
    .filter({ has: page.getByRole("cell") });
}
