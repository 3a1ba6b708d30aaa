import { expect, type Locator, type Page } from "@playwright/test";
import { test, type Open, type Screen } from "./fixtures";
import * as v from "valibot";
import { saved } from "./files";
import { company, machine, toast, unique, type Call } from "./people";
import { words, type Language, type Words } from "./words";

/** A new company with its owner signed in, and a function for REST calls. */
async function office(open: Open, screen: Screen, language: Language) {
  const context = await open(screen, language);
  const { call } = await company(context, unique("Meter Works"));
  const page = await context.newPage();
  return { context, call, page, t: words(language) };
}

/** Only the toast: the history contains the same words. */
const replacedToast = (page: Page, t: Words) =>
  page
    .locator("li[data-swipe-direction]")
    .getByText(t("equipment-meters.replace.done"), { exact: true });

const meterSchema = v.object({
  currentUsage: v.number(),
  meterReading: v.number(),
  serviceStatus: v.string(),
  nextServiceDueUsage: v.nullable(v.number()),
});
const meter = async (call: Call, id: string) =>
  v.parse(meterSchema, await call("GET", `/api/equipment/${id}`));

const segmentsSchema = v.array(
  v.object({
    number: v.number(),
    startReading: v.number(),
    endReading: v.number(),
    endUsage: v.number(),
    endedBy: v.nullable(v.string()),
  }),
);
const segments = async (call: Call, id: string) =>
  v.parse(segmentsSchema, await call("GET", `/api/equipment/${id}/meters`));

const hours = (t: Words, amount: string) => t("labels.amounts.hours_other", { amount });

/** Opens the dialog from the machine's menu. */
async function openDialog(page: Page, t: Words, name: string): Promise<Locator> {
  await page.getByRole("button", { name: t("equipment.actions.label", { name }) }).click();
  await page.getByRole("menuitem", { name: t("equipment-meters.replace.action") }).click();
  return page.getByRole("dialog", { name: t("equipment-meters.replace.title") });
}

const field = (dialog: Locator, t: Words, key: string) =>
  dialog.getByLabel(new RegExp(`^${t(`equipment-meters.replace.${key}`)}`));

const submit = (dialog: Locator, t: Words) =>
  dialog.getByRole("button", { name: t("equipment-meters.replace.submit") });

test("a new meter shows figures, errors, a preview and the result, on a desktop in en", async ({
  open,
}) => {
  const { call, page, t } = await office(open, "desktop", "en");
  // 204 of 250 hours: the service approaches, before and after.
  const id = await machine(call, "Excavator", { currentUsage: 1000.5, threshold: 6000 });
  await call("PATCH", `/api/equipment/${id}/usage`, { currentUsage: 1204.5 });
  const before = await meter(call, id);
  expect(before).toMatchObject({ currentUsage: 1204.5, meterReading: 1204.5 });

  await page.goto(`/equipment/item/${id}`);
  await expect(page.getByText(hours(t, "1,204.5"), { exact: true }).first()).toBeVisible();
  await expect(page.getByRole("heading", { name: t("equipment-meters.card.title") })).toBeHidden();
  const dialog = await openDialog(page, t, "Excavator");
  await expect(page).toHaveURL(/replace=meter/);
  const preview = dialog.getByRole("region", { name: t("equipment-meters.replace.preview") });
  await expect(field(dialog, t, "final")).toHaveValue("1204.5");
  await expect(field(dialog, t, "start")).toHaveValue("0");
  const stays = t("equipment-meters.replace.stays", { amount: "1,204.5 h" });
  await expect(preview).toContainText(stays);
  await expect(preview).toContainText(t("equipment-meters.replace.dueAt", { amount: "46 h" }));

  await dialog.getByText(t("equipment-detail.rules.more")).click();
  await field(dialog, t, "final").fill("1200");
  await field(dialog, t, "start").fill("5");
  await field(dialog, t, "reading").fill("4");
  await field(dialog, t, "at").fill("2199-01-01T08:00");
  await submit(dialog, t).click();
  const expectError = (key: string, error: string) =>
    expect(field(dialog, t, key)).toHaveAccessibleDescription(
      new RegExp(t(`equipment-meters.replace.${error}`)),
    );
  await expectError("final", "finalLow");
  await expectError("reading", "readingLow");
  await expectError("at", "future");
  await field(dialog, t, "at").fill("2020-01-01T08:00");
  await expectError("at", "early");
  expect(await meter(call, id)).toEqual(before);

  await field(dialog, t, "final").fill("1,208.5");
  await field(dialog, t, "start").fill("0");
  await field(dialog, t, "reading").fill("12");
  await field(dialog, t, "at").fill("");
  // 4 more hours on the old meter and 12 on the new one: 30 of the 46 are left.
  await expect(preview).toContainText("1,220.5 h");
  await expect(preview).toContainText(t("equipment-meters.replace.dueAt", { amount: "42 h" }));
  await dialog
    .getByLabel(new RegExp(`^${t("equipment-dialogs.usage.notes")}`))
    .fill("Glass broken");
  await submit(dialog, t).click();
  await expect(replacedToast(page, t)).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(page).not.toHaveURL(/replace/);

  const after = await meter(call, id);
  expect(after).toMatchObject({
    currentUsage: 1220.5,
    meterReading: 12,
    serviceStatus: before.serviceStatus,
    nextServiceDueUsage: 1250.5,
  });
  await expect(page.getByText(hours(t, "12"), { exact: true }).first()).toBeVisible();
  await expect(
    page.getByText(
      t("equipment-meters.header.lifeOfMeters_other", { amount: "1,220.5 h", count: 2 }),
    ),
  ).toBeVisible();
  const left = t("labels.due.until", { amount: hours(t, "30") });
  await expect(page.getByText(left).first()).toBeVisible();

  const meters = page.getByRole("list", { name: t("equipment-meters.card.title") });
  await expect(meters.getByRole("listitem")).toHaveCount(2);
  await expect(meters.getByRole("listitem").first()).toContainText("0 → 12 h");
  await expect(meters.getByRole("listitem").first()).toContainText(
    t("equipment-meters.card.inUse"),
  );
  await expect(meters.getByRole("listitem").last()).toContainText("1,000.5 → 1,208.5 h");
  await expect(meters.getByRole("listitem").last()).toContainText("208 h");

  await page.goto(`/equipment/item/${id}?tab=history&kind=meter`);
  const history = page.getByRole("list", { name: t("equipment-detail.history.title") });
  await expect(history.getByRole("listitem")).toHaveCount(1);
  await expect(history).toContainText(t("equipment-meters.kinds.replaced"));
  await expect(history).toContainText(
    t("equipment-meters.record.replaced", {
      ended: hours(t, "1,208.5"),
      began: hours(t, "0"),
    }),
  );
  await expect(history).toContainText("Glass broken");
  await expect(page.getByRole("radio", { name: t("equipment-meters.card.title") })).toBeChecked();

  await page.goto("/equipment-list");
  const row = page.getByRole("row").filter({ hasText: "Excavator" }).first();
  await expect(row).toContainText(hours(t, "12"));
  await expect(row).toContainText(t("labels.lifeShort", { amount: "1,220.5" }));
  await expect(row).toContainText(t("labels.due.until", { amount: hours(t, "30") }));
  const file = await saved(page, () =>
    page.getByRole("button", { name: t("equipment-list.exportCsv") }).click(),
  );
  // One scale in the file: life-to-date usage.
  expect(file.lines[0]).toContain(",1220.5,6000,");

  await page.goto("/");
  await expect(
    page
      .getByRole("listitem")
      .filter({ hasText: t("equipment-meters.kinds.replaced") })
      .first(),
  ).toContainText("Glass broken");
});

test("a concurrent reading, a rollover and voiding a replacement, on a phone in es", async ({
  open,
}) => {
  const { call, page, t } = await office(open, "phone", "es");
  const id = await machine(call, "Dozer", { currentUsage: 9990 });
  await page.goto(`/equipment/item/${id}`);
  const dialog = await openDialog(page, t, "Dozer");
  await dialog
    .getByRole("radio", { name: t("equipment-meters.replace.rolledOver") })
    .check({ force: true });
  await expect(field(dialog, t, "again")).toHaveValue("10000");
  await expect(field(dialog, t, "start")).toHaveCount(0);
  await field(dialog, t, "reading").fill("4.5");
  await dialog.getByText(t("equipment-detail.rules.more")).click();
  await dialog
    .getByLabel(new RegExp(`^${t("equipment-dialogs.usage.notes")}`))
    .fill("Seen at noon");

  // The meter is read while the dialog is open: outdated figures are refused.
  await call("PATCH", `/api/equipment/${id}/usage`, { currentUsage: 9995.5 });
  await submit(dialog, t).click();
  await expect(dialog.getByRole("alert")).toContainText(
    t("equipment-meters.replace.moved", {
      before: hours(t, "9,990"),
      now: hours(t, "9,995.5"),
    }),
  );
  await expect(field(dialog, t, "reading")).toHaveValue("4.5");
  expect(await meter(call, id)).toMatchObject({ meterReading: 9995.5 });
  const preview = dialog.getByRole("region", { name: t("equipment-meters.replace.preview") });
  await expect(preview).toContainText("10,004.5 h");
  await submit(dialog, t).click();
  await expect(replacedToast(page, t)).toBeVisible();
  expect(await meter(call, id)).toMatchObject({ currentUsage: 10_004.5, meterReading: 4.5 });
  expect(await segments(call, id)).toMatchObject([
    { number: 2, startReading: 0, endReading: 4.5, endUsage: 10_004.5, endedBy: null },
    { number: 1, endReading: 10_000, endUsage: 10_000, endedBy: "rolled_over" },
  ]);

  // The usage dialog and the edit form also mention the meter.
  await page
    .getByRole("button", { name: t("equipment.actions.updateUsage") })
    .first()
    .click();
  const usage = page.getByRole("dialog", { name: t("equipment-dialogs.usage.title") });
  await expect(usage).toContainText(hours(t, "4.5"));
  await usage.getByLabel(new RegExp(`^${t("equipment-dialogs.usage.increase")}`)).fill("3");
  await expect(usage).toContainText(hours(t, "7.5"));
  await usage.getByRole("button", { name: t("equipment-dialogs.usage.submit") }).click();
  await expect(toast(page, t("equipment-dialogs.usage.done"))).toBeVisible();
  expect(await meter(call, id)).toMatchObject({ currentUsage: 10_007.5, meterReading: 7.5 });

  await call("PATCH", `/api/equipment/${id}/usage`, { meterReading: 8 });
  await page.goto(`/equipment/item/${id}?tab=history`);
  const entry = (text: string) =>
    page
      .getByRole("list", { name: t("equipment-detail.history.title") })
      .getByRole("listitem")
      .filter({ hasText: text });
  const ended = entry(t("equipment-meters.kinds.rolledOver"));
  const voidOf = async (item: Locator) => {
    await item
      .getByRole("button", { name: new RegExp(`^${t("equipment-detail.void.action")} `) })
      .click();
    const asked = page.getByRole("dialog");
    await asked.getByLabel(t("equipment-detail.void.reason")).fill("Not so");
    await asked.getByRole("button", { name: t("equipment-detail.void.submit") }).click();
  };
  await voidOf(entry("10,008"));
  await expect(toast(page, t("equipment-detail.void.done"))).toBeVisible();
  await expect(page.getByRole("dialog")).toBeHidden();
  await voidOf(ended);
  await expect(ended).toContainText(t("equipment-detail.void.badge"));
  // The usage added since then is added to the previous meter.
  expect(await meter(call, id)).toMatchObject({ currentUsage: 9998.5, meterReading: 9998.5 });
  await page.goto(`/equipment/item/${id}`);
  await expect(page.getByText(hours(t, "9,998.5"), { exact: true }).first()).toBeVisible();
  await expect(page.getByRole("heading", { name: t("equipment-meters.card.title") })).toBeHidden();
});

test("the edit form corrects the meter, adjusts life-to-date usage, and links to the dialog", async ({
  open,
}) => {
  const { call, page, t } = await office(open, "desktop", "en");
  const id = await machine(call, "Loader", { currentUsage: 1000.5 });
  await call("POST", `/api/equipment/${id}/replace-meter`, { kind: "replaced", startReading: 20 });
  await page.goto(`/add-equipment?edit=${id}`);
  const usage = page.getByLabel(t("equipment-form.fields.currentUsage"));
  await expect(usage).toHaveValue("20");
  await expect(usage).toHaveAccessibleDescription(/life-to-date 1,000\.5 hours/);
  await expect(
    page.getByLabel(new RegExp(`^${t("equipment-form.fields.lastServiced")}`)),
  ).toHaveValue("1000.5");
  // 250 hours after the last service, as the new meter will show it.
  await expect(page.getByText("270 hours", { exact: true })).toBeVisible();
  await usage.fill("25");
  await page.getByRole("button", { name: t("equipment-form.fields.update") }).click();
  await expect(page).toHaveURL("/equipment-list");
  expect(await meter(call, id)).toMatchObject({ currentUsage: 1005.5, meterReading: 25 });
  await page.goto(`/add-equipment?edit=${id}`);
  await page.getByRole("link", { name: t("equipment-meters.replace.action") }).click();
  const dialog = page.getByRole("dialog", { name: t("equipment-meters.replace.title") });
  await expect(field(dialog, t, "final")).toHaveValue("25");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(`/equipment/item/${id}`);
});

test("a lost response does not create a second meter", async ({ open }) => {
  const { call, page, t } = await office(open, "desktop", "en");
  const id = await machine(call, "Grader");
  await page.goto(`/equipment/item/${id}`);
  const dialog = await openDialog(page, t, "Grader");
  await page.route("**/*EquipmentService/ReplaceMeter", async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  await submit(dialog, t).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await page.unroute("**/*EquipmentService/ReplaceMeter");
  await submit(dialog, t).click();
  await expect(replacedToast(page, t)).toBeVisible();
  expect(await segments(call, id)).toHaveLength(2);
});
