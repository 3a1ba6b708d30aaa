import { expect, type Page } from "@playwright/test";
import { test, type Open, type Screen } from "./fixtures";
import { company, machine, toast, unique } from "./people";
import { words, type Language, type Words } from "./words";

/** Two users with the form of one machine open, and the REST calls of their company. */
async function twoForms(open: Open, screen: Screen, language: Language) {
  const t = words(language);
  const context = await open(screen, language);
  const { call } = await company(context, unique("Merge Works"));
  const id = await machine(call, "Loader", { serialNumber: "L-1" });
  const [mine, theirs] = await Promise.all([context.newPage(), context.newPage()]);
  for (const page of [mine, theirs]) {
    await page.goto(`/add-equipment?edit=${id}`);
    await expect(form(page, t).name).toHaveValue("Loader");
  }
  const stored = () => call("GET", `/api/equipment/${id}`);
  return { t, context, call, id, mine, theirs, stored };
}

function form(page: Page, t: Words) {
  const field = (key: string) => page.getByLabel(t(`equipment-form.fields.${key}`));
  return {
    name: page.getByRole("textbox", { name: t("equipment-form.fields.name") }),
    usage: field("currentUsage"),
    serial: field("serialNumber"),
    description: field("descriptionLabel"),
    update: page.getByRole("button", { name: t("equipment-form.fields.update"), exact: true }),
    panel: page.getByRole("region", { name: t("equipment-form.merge.title") }),
  };
}

async function expectSaved(page: Page, t: Words) {
  await expect(toast(page, t("equipment-form.fields.updated"))).toBeVisible();
  await expect(page).toHaveURL(/\/equipment-list$/);
}

test("changes of different fields are merged, on a desktop in en", async ({ open }) => {
  const { t, mine, theirs, stored } = await twoForms(open, "desktop", "en");
  await form(mine, t).name.fill("Loader of the night shift");
  await form(theirs, t).usage.fill("1100");
  await form(theirs, t).update.click();
  await expectSaved(theirs, t);

  await form(mine, t).update.click();
  await expectSaved(mine, t);
  await expect(
    mine
      .getByRole("listitem")
      .filter({ hasText: t("equipment-form.fields.currentUsage") })
      .first(),
  ).toBeVisible();
  await expect(mine.getByText("Loader of the night shift").first()).toBeVisible();
  expect(await stored()).toMatchObject({ name: "Loader of the night shift", currentUsage: 1100 });
});

test("a conflict in one field is resolved by the later user, on a phone in es", async ({
  open,
}) => {
  const { t, mine, theirs, stored } = await twoForms(open, "phone", "es");
  const my = form(mine, t);
  await my.name.fill("Loader Mine");
  await my.usage.fill("1200");
  await my.description.fill("Typed by me.");
  const other = form(theirs, t);
  await other.name.fill("Loader Theirs");
  await other.usage.fill("1100");
  await other.serial.fill("L-2");
  await other.update.click();
  await expectSaved(theirs, t);

  await my.update.click();
  await expect(my.panel).toBeFocused();
  const names = my.panel.getByRole("group", { name: t("equipment-form.fields.name"), exact: true });
  for (const text of ["Loader", "Loader Theirs", "Loader Mine"]) {
    await expect(names.getByText(text, { exact: true })).toBeVisible();
  }
  await expect(my.panel).toContainText("L-1 → L-2");
  await expect(my.name).toHaveValue("Loader Mine");
  await expect(my.update).toHaveAttribute("aria-disabled", "true");
  expect(await stored()).toMatchObject({ name: "Loader Theirs", currentUsage: 1100 });

  const keepMine = my.panel.getByRole("button", { name: t("equipment-form.merge.keepMine") });
  const takeTheirs = my.panel.getByRole("button", { name: t("equipment-form.merge.takeTheirs") });
  await takeTheirs.click();
  await expect(my.name).toHaveValue("Loader Theirs");
  await expect(my.usage).toHaveValue("1100");
  await keepMine.click();
  await expect(my.name).toHaveValue("Loader Mine");
  await expect(my.usage).toHaveValue("1200");
  await my.panel
    .getByRole("group", { name: t("equipment-form.fields.currentUsage"), exact: true })
    .getByRole("radio", { name: new RegExp(t("equipment-form.merge.theirs")) })
    .check();
  await expect(my.usage).toHaveValue("1100");
  await my.update.click();
  await expectSaved(mine, t);
  expect(await stored()).toMatchObject({
    name: "Loader Mine",
    currentUsage: 1100,
    serialNumber: "L-2",
    description: "Typed by me.",
  });
});

test("typed values stay when the machine was deleted, on a desktop in en", async ({ open }) => {
  const { t, call, id, mine, theirs } = await twoForms(open, "desktop", "en");
  await form(mine, t).description.fill("A long text about the hydraulics.");
  await call("POST", `/api/equipment/${id}/retire`, { retirementNotes: "Sold." });
  await form(mine, t).update.click();
  await expect(mine.getByText(t("equipment-form.gone.text"))).toBeVisible();
  await expect(mine.getByRole("link", { name: t("equipment-form.gone.toArchive") })).toBeVisible();
  await expect(form(mine, t).description).toHaveValue("A long text about the hydraulics.");

  const restored = await machine(call, "Roller");
  await theirs.goto(`/add-equipment?edit=${restored}`);
  await form(theirs, t).name.fill("Roller of the day shift");
  await call("DELETE", `/api/equipment/${restored}`);
  await form(theirs, t).update.click();
  const gone = t("equipment-form.gone.deleted", { name: "Roller" });
  await expect(theirs.getByText(gone).first()).toBeVisible();
  await expect(theirs.getByText(t("equipment-form.gone.text"))).toBeVisible();
  await expect(form(theirs, t).name).toHaveValue("Roller of the day shift");
});
