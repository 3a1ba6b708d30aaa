import { expect, type Page } from "@playwright/test";
import { test, type Open, type Screen } from "./fixtures";
import { operatorPassword, signUp, toast, unique } from "./people";
import { words, type Language, type Words } from "./words";

/**
 * Sign up, register a machine, add an operator, report from the field, apply, and see the status.
 */
test("the main journey on a desktop in en", ({ open }) => journey(open, "desktop", "en"));
test("the main journey on a phone in es", ({ open }) => journey(open, "phone", "es"));

async function journey(open: Open, screen: Screen, language: Language) {
  const t = words(language);
  const office = await open(screen, language);
  const manager = await office.newPage();
  await signUp(manager, t, unique("Ridge Works"));

  await addMachine(manager, t, "Excavator CAT 320");
  const username = await addOperator(manager, t);

  const field = await open("phone", language);
  const phone = await field.newPage();
  await operatorSignsIn(phone, t, username);
  await operatorReports(phone, t, "Excavator CAT 320");
  await expect(phone.getByText(t("updates.status.pending")).first()).toBeVisible();

  await manager.goto("/");
  const row = manager.getByRole("listitem").filter({ hasText: "María Salazar" });
  await row.getByRole("button", { name: t("review.queue.apply"), exact: true }).click();
  await expect(manager.getByText(t("review.queue.empty"))).toBeVisible();
  const due = manager.getByRole("button", { name: new RegExp(t("dashboard.tiles.due")) });
  await expect(due).toContainText("1");
  await due.click();
  await expect(manager).toHaveURL(/status=due/);
  await expect(manager.getByText("Excavator CAT 320").first()).toBeVisible();
  await expect(manager.getByText(/1,021/).first()).toBeVisible();

  await phone.getByRole("button", { name: t("operator.list.refresh") }).click();
  await expect(phone.getByText(t("updates.status.applied"), { exact: true }).first()).toBeVisible();
}

async function addMachine(page: Page, t: Words, name: string) {
  await page.goto("/add-equipment");
  await expect(page).toHaveTitle(`${t("shell.titles.addEquipment")} - ${t("shell.titleSuffix")}`);
  await page.getByLabel(t("equipment-form.fields.name")).fill(name);
  await page
    .getByLabel(t("equipment-form.fields.type"))
    .selectOption({ label: t("labels.types.machinery") });
  await page
    .getByLabel(t("equipment-form.fields.unit"))
    .selectOption({ label: t("labels.units.hours") });
  await page
    .getByLabel(t("equipment-form.fields.fuelType"))
    .selectOption({ label: t("labels.fuels.diesel") });
  await page.getByLabel(t("equipment-form.fields.currentUsage")).fill("1000.5");
  await page.getByLabel(t("equipment-form.fields.serviceInterval")).fill("20");
  await page.getByRole("button", { name: t("equipment.add"), exact: true }).click();
  await expect(page.getByText(name).first()).toBeVisible();
  await expect(page).toHaveURL(/\/$/);
}

async function addOperator(page: Page, t: Words): Promise<string> {
  await page.goto("/employees");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const more = page.getByRole("button", { name: t("shell.moreActions") });
  if (await more.isVisible()) await more.click();
  await page.getByRole("button", { name: t("operators.settings.open") }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(t("operators.settings.operatorPassword")).fill(operatorPassword);
  await dialog.getByRole("button", { name: t("operators.settings.submit") }).click();
  await expect(dialog).toBeHidden();
  await page
    .getByRole("button", { name: t("operators.form.add") })
    .first()
    .click();
  await dialog.getByLabel(t("operators.form.firstName")).fill("María");
  await dialog.getByLabel(t("operators.form.lastName")).fill("Salazar");
  await dialog.getByRole("button", { name: t("operators.form.add") }).click();
  const username = dialog.getByText(/^maria\d{4,}$/);
  await expect(username).toBeVisible();
  const text = await username.innerText();
  await dialog.getByRole("button", { name: t("operators.form.finish") }).click();
  await expect(page.getByText(text).first()).toBeVisible();
  return text;
}

async function operatorSignsIn(page: Page, t: Words, username: string) {
  await page.goto("/employee-login");
  await page.getByLabel(t("auth.operatorLogin.name")).fill(username);
  await page.getByLabel(t("auth.password"), { exact: true }).fill(operatorPassword);
  await page.getByRole("button", { name: t("auth.operatorLogin.submit") }).click();
  await expect(
    page.getByRole("heading", { level: 1, name: t("shell.titles.equipmentUpdates") }),
  ).toBeVisible();
}

/** A day's work later: due for service, and plausible enough to need no confirmation. */
async function operatorReports(page: Page, t: Words, machine: string) {
  await page.getByRole("button", { name: new RegExp(t("operator.form.equipment")) }).click();
  await page.getByRole("dialog").getByText(machine).click();
  await page.getByLabel(t("operator.form.readingHours")).fill("1021");
  await page.getByLabel(t("operator.form.fuel"), { exact: false }).first().fill("40.25");
  await page.getByRole("button", { name: t("operator.form.addNote") }).click();
  await page.getByLabel(t("operator.form.notes")).fill("Todo bien, ruido al girar.");
  await page.getByRole("button", { name: t("operator.form.submit"), exact: true }).click();
  await expect(toast(page, t("operator.toast.submitted"))).toBeVisible();
}
