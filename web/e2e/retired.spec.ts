import { expect } from "@playwright/test";
import { test } from "./fixtures";
import { company, machine, rows, send, toast, unique } from "./people";
import { words } from "./words";

test("a machine is retired and restored, on a phone in es", async ({ open }) => {
  const t = words("es");
  const context = await open("phone", "es");
  const { call } = await company(context, unique("Archive Works"));
  const dozer = await machine(call, "Dozer", { serialNumber: "D6-4411" });
  await call("PATCH", `/api/equipment/${dozer}/usage`, { usageIncrease: 10, fuelAdded: 12.5 });
  const pump = await machine(call, "Pump", { type: "tools" });
  await call("POST", `/api/equipment/${pump}/retire`, {});
  const page = await context.newPage();

  await page.goto("/");
  const name = "Dozer";
  await page.getByRole("button", { name: t("equipment.actions.label", { name }) }).click();
  await page.getByRole("menuitem", { name: t("equipment.actions.delete") }).click();
  const dialog = page.getByRole("dialog", { name: t("equipment-dialogs.delete.title", { name }) });
  await dialog.getByLabel(t("equipment-dialogs.retire.notes")).fill("Engine seized at the quarry.");
  await dialog.getByRole("button", { name: t("equipment-dialogs.retire.submit") }).click();
  await expect(toast(page, t("equipment-dialogs.retire.done"))).toBeVisible();
  expect(await rows(call, "/api/equipment")).toEqual([]);
  const archived = await rows(call, "/api/retired-equipment");
  expect(archived.find((row) => row.name === name)).toMatchObject({
    originalEquipmentId: dozer,
    finalUsage: 1010.5,
    totalFuelUsed: 12.5,
    retirementNotes: "Engine seized at the quarry.",
  });

  await page.goto("/retired-equipment");
  const figure = (key: string) =>
    page
      .getByRole("main")
      .locator("dl > div")
      .filter({ hasText: t(`retired.summary.${key}`) })
      .locator("dd");
  await expect(figure("total")).toHaveText("2");
  await expect(figure("fuel")).toContainText("12.5");
  await expect(figure("withNotes")).toHaveText("1");
  const archive = page.getByRole("list", {
    name: t("shell.titles.retired"),
  });
  const found = archive.getByRole("listitem");
  const row = found.filter({ has: page.getByRole("link", { name }) });
  await expect(row).toContainText("D6-4411");
  await expect(row).toContainText("Engine seized at the quarry.");
  await expect(row).toContainText("1,010.5");
  await expect(found.filter({ hasText: "Pump" })).toContainText(t("retired.noNotes"));

  // The search also reads the notes, and the URL contains it.
  await page.getByRole("searchbox").fill("quarry");
  await expect(archive.getByRole("link")).toHaveText([name]);
  await expect(page).toHaveURL(/search=quarry/);
  await page.reload();
  await expect(page.getByRole("searchbox")).toHaveValue("quarry");
  await page.getByRole("searchbox").fill("nothing like it");
  await expect(page.getByText(t("retired.noMatch.title"))).toBeVisible();
  await page.getByRole("button", { name: t("retired.noMatch.clear") }).click();
  await row.getByRole("link", { name }).click();
  await expect(page).toHaveURL(`/equipment/item/${dozer}`);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
  await expect(page.getByText("Engine seized at the quarry.").first()).toBeVisible();
  await page.goBack();

  await page.getByRole("button", { name: t("retired.restore.name", { name }) }).click();
  const sure = page.getByRole("alertdialog", { name: t("retired.restore.sure", { name }) });
  await sure.getByRole("button", { name: t("common.cancel") }).click();
  await expect(row).toBeVisible();
  await page.getByRole("button", { name: t("retired.restore.name", { name }) }).click();
  await sure.getByRole("button", { name: t("retired.restore.confirm") }).click();
  await expect(toast(page, t("retired.restore.done"))).toBeVisible();
  await expect(row).toBeHidden();
  await expect(figure("total")).toHaveText("1");
  const [back] = await rows(call, "/api/equipment");
  expect(back).toMatchObject({ id: dozer, name, currentUsage: 1010.5 });
});

test("at the plan's limit no machine is restored, and the dialog links to the plans", async ({
  open,
}) => {
  const t = words("en");
  const context = await open("desktop", "en");
  const { call } = await company(context, unique("Full Works"));
  const old = await machine(call, "Old loader");
  await call("POST", `/api/equipment/${old}/retire`, {});
  for (let number = 1; number <= 15; number += 1) await machine(call, `Pump ${number}`);
  const [{ id } = { id: "" }] = await rows(call, "/api/retired-equipment");
  const refused = await send(context, "POST", `/api/retired-equipment/${String(id)}/restore`);
  expect(refused.status()).toBe(403);

  const page = await context.newPage();
  await page.goto("/retired-equipment");
  const name = "Old loader";
  await page.getByRole("button", { name: t("retired.restore.name", { name }) }).click();
  const sure = page.getByRole("alertdialog", { name: t("retired.restore.sure", { name }) });
  await sure.getByRole("button", { name: t("retired.restore.confirm") }).click();
  await expect(sure.getByRole("alert")).toBeVisible();
  expect(await rows(call, "/api/equipment")).toHaveLength(15);
  await sure.getByRole("link", { name: t("retired.restore.seePlans") }).click();
  await expect(page).toHaveURL("/subscription");
  await expect(
    page.getByRole("heading", { level: 1, name: t("shell.titles.subscription") }),
  ).toBeVisible();
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  await page.goBack();
  await expect(page.getByRole("link", { name })).toBeVisible();
});
