import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures";
import { company, rows, toast, unique } from "./people";
import { words } from "./words";

const t = words("en");
const field = (page: Page, key: string) => page.getByLabel(t(`equipment-form.fields.${key}`));
const schedule = (page: Page) =>
  page.getByRole("checkbox", { name: t("equipment-form.fields.schedule") });
const name = (page: Page) => page.getByRole("textbox", { name: t("equipment-form.fields.name") });
const submit = (page: Page, key: "equipment.add" | "equipment-form.fields.update") =>
  page.getByRole("button", { name: t(key), exact: true }).click();

test("the schedule is opened, saved, and cleared when it is turned off", async ({ open }) => {
  const context = await open("desktop", "en");
  const { call } = await company(context, unique("Form Works"));
  const page = await context.newPage();
  await page.goto("/add-equipment");
  await name(page).fill("Trencher");
  await field(page, "type").selectOption({ label: t("labels.types.machinery") });
  await field(page, "unit").selectOption({ label: t("labels.units.none") });
  const date = field(page, "startDate");
  await page.getByText(t("equipment-form.more"), { exact: true }).click();
  await expect(date).toBeHidden();
  await schedule(page).check();
  await date.fill("2026-01-31");
  await page
    .getByRole("textbox", { name: t("equipment-form.fields.maintenanceInterval"), exact: true })
    .fill("1");
  await expect(page.getByText("Feb 28, 2026")).toBeVisible();
  await submit(page, "equipment.add");
  await expect(toast(page, t("equipment-form.fields.added"))).toBeVisible();
  await expect(page).toHaveURL(/\/$/);

  await page
    .getByRole("button", { name: t("equipment.actions.label", { name: "Trencher" }) })
    .click();
  await page.getByRole("menuitem", { name: t("equipment.actions.edit") }).click();
  await expect(page).toHaveTitle(new RegExp(t("equipment-form.fields.editTitle")));
  await expect(date).toHaveValue("2026-01-31");
  const box = schedule(page);
  await box.uncheck();
  await expect(date).toBeHidden();
  await box.check();
  await expect(date).toHaveValue("");
  await box.uncheck();
  await submit(page, "equipment-form.fields.update");
  await expect(toast(page, t("equipment-form.fields.updated"))).toBeVisible();
  await expect(page).toHaveURL(/\/equipment-list$/);
  await expect(page.getByRole("row", { name: /Trencher/ })).toContainText(
    t("labels.due.noSchedule"),
  );
  const [stored] = await rows(call, "/api/equipment?search=Trencher");
  expect(stored).toMatchObject({ hasScheduledMaintenance: false, maintenanceStartDate: null });
});

test("leaving with unsaved values asks first", async ({ open, team }) => {
  const page = await (await open("desktop", "en", { storageState: team.owner })).newPage();
  await page.goto("/");
  await page
    .getByRole("main")
    .getByRole("link", { name: t("equipment.add"), exact: true })
    .first()
    .click();
  await name(page).fill("Half a crane");
  const question = page.getByRole("alertdialog", { name: t("common.leave.title") });

  await page.getByRole("button", { name: t("equipment-form.fields.back") }).click();
  await question.getByRole("button", { name: t("common.leave.stay") }).click();
  await expect(question).toBeHidden();
  await expect(name(page)).toHaveValue("Half a crane");

  await page.goBack();
  await question.getByRole("button", { name: t("common.leave.confirm") }).click();
  await expect(
    page.getByRole("heading", { level: 1, name: t("shell.titles.dashboard") }),
  ).toBeVisible();
  await expect(page.getByText("Half a crane")).toBeHidden();
});
