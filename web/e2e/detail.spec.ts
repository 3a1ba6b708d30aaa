import { expect, type Locator, type Page } from "@playwright/test";
import { test, type Open, type Screen } from "./fixtures";
import { daysAgo } from "./days";
import { fileDay, saved } from "./files";
import { company, machine, send, toast, unique, type Call } from "./people";
import { words, type Language, type Words } from "./words";

/** A new company with its owner signed in, and a function for REST calls. */
async function office(open: Open, screen: Screen, language: Language) {
  const context = await open(screen, language);
  const { call } = await company(context, unique("Detail Works"));
  const page = await context.newPage();
  return { context, call, page, t: words(language) };
}

const stored = (call: Call, id: string) => call("GET", `/api/equipment/${id}`);

/** The counts of the dashboard's tiles that are not 0, by status. */
async function tiles(page: Page, t: Words, counts: Record<string, number>) {
  await page.goto("/");
  for (const key of ["good", "approaching", "due", "overdue"]) {
    const tile = page.getByRole("button", {
      name: new RegExp(`^${t(`dashboard.tiles.${key}`)}`),
    });
    await expect(tile).toContainText(String(counts[key] ?? 0));
  }
}

const tab = (page: Page, t: Words, key: string) =>
  page.getByRole("tab", {
    name: t(`equipment-detail.tabs.${key}`),
    exact: true,
  });

const list = (page: Page, name: string) => page.getByRole("list", { name, exact: true });

async function voidEntry(page: Page, t: Words, item: Locator, reason: string) {
  await item
    .getByRole("button", {
      name: new RegExp(`^${t("equipment-detail.void.action")} `),
    })
    .click();
  const dialog = page.getByRole("dialog");
  const submit = dialog.getByRole("button", { name: t("equipment-detail.void.submit") });
  const why = dialog.getByLabel(t("equipment-detail.void.reason"));
  await submit.click();
  await expect(why).toHaveAccessibleDescription(
    new RegExp(t("equipment-detail.void.reasonRequired")),
  );
  await why.fill(reason);
  await submit.click();
  await expect(toast(page, t("equipment-detail.void.done"))).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(item).toContainText(t("equipment-detail.void.badge"));
  await expect(item).toContainText(reason);
}

test("a service task decides the status until it is done, on a phone in es", async ({ open }) => {
  const { call, page, t } = await office(open, "phone", "es");
  const id = await machine(call, "Dozer");
  await tiles(page, t, { good: 1 });
  await page.getByRole("link", { name: "Dozer", exact: true }).click();
  await expect(page).toHaveURL(`/equipment/item/${id}`);
  await expect(page.getByRole("heading", { level: 1, name: "Dozer" })).toBeVisible();

  await tab(page, t, "service").click();
  await expect(page).toHaveURL(/\?tab=service$/);
  await page.getByRole("button", { name: t("equipment-detail.tasks.add") }).click();
  const dialog = page.getByRole("dialog");
  const add = dialog.getByRole("button", { name: t("equipment-detail.tasks.add") });
  const name = dialog.getByLabel(t("equipment-detail.tasks.name"));
  await name.fill("Oil filter");
  await add.click();
  await expect(dialog.getByText(t("equipment-detail.tasks.intervalRequired"))).toBeVisible();
  await dialog.getByLabel(t("equipment-detail.tasks.usageInterval")).fill("100");
  await dialog.getByLabel(t("equipment-detail.tasks.lastDoneUsage")).fill("880");
  await dialog.getByLabel(t("equipment-detail.tasks.calendarInterval")).fill("3");
  await dialog.getByLabel(t("equipment-detail.tasks.lastDoneOn")).fill(daysAgo(10));
  await add.click();
  await expect(toast(page, t("equipment-detail.tasks.added"))).toBeVisible();
  const task = list(page, t("equipment-detail.tasks.title"))
    .getByRole("listitem")
    .filter({ hasText: "Oil filter" });
  await expect(task).toContainText(t("labels.badges.overdue"));
  const next = t("equipment-detail.header.nextTask", { task: "Oil filter" });
  await expect(page.getByText(next)).toBeVisible();

  // 120.5 of 100 hours: worse than the regular service, so the lists show it.
  await tiles(page, t, { overdue: 1 });
  await expect(
    page
      .getByRole("listitem")
      .filter({ hasText: "Dozer" })
      .filter({ hasText: "Oil filter" })
      .first(),
  ).toBeVisible();

  await page.goto(`/equipment/item/${id}?tab=service`);
  await expect(tab(page, t, "service")).toHaveAttribute("aria-selected", "true");
  await page
    .getByRole("button", {
      name: t("equipment-detail.tasks.doneFor", { name: "Oil filter" }),
    })
    .click();
  await dialog.getByLabel(t("equipment-detail.done.meter")).fill("1010");
  await dialog.getByLabel(t("equipment-dialogs.serviced.cost")).fill("125.5");
  await dialog.getByLabel(t("equipment-dialogs.serviced.notes")).fill("Filter of the night shift.");
  await dialog
    .getByRole("button", { name: t("equipment-detail.done.submit"), exact: true })
    .click();
  await expect(toast(page, t("equipment-detail.done.toast"))).toBeVisible();
  await expect(task).toContainText(t("labels.badges.good"));

  await tab(page, t, "history").click();
  await expect(page).toHaveURL(/tab=history/);
  const record = list(page, t("equipment-detail.history.title"))
    .getByRole("listitem")
    .filter({
      hasText: `${t("equipment-detail.kinds.service")}: Oil filter`,
    });
  await expect(record).toContainText("$125.50");
  await expect(record).toContainText("Filter of the night shift.");
  await tiles(page, t, { good: 1 });
  expect(await stored(call, id)).toMatchObject({ currentUsage: 1010, serviceStatus: "good" });
});

test("wrong entries are voided, on a desktop in en", async ({ open }) => {
  const { call, page, t } = await office(open, "desktop", "en");
  const id = await machine(call, "Loader");
  await call("PATCH", `/api/equipment/${id}/usage`, { usageIncrease: 260 });
  await tiles(page, t, { due: 1 });

  await page.goto(`/equipment/item/${id}?tab=history`);
  const items = list(page, t("equipment-detail.history.title")).getByRole("listitem");
  await voidEntry(page, t, items.filter({ hasText: "260" }), "One digit too many.");
  const struck = items.getByText(t("equipment-detail.kinds.usage"), { exact: true });
  await expect(struck).toHaveCSS("text-decoration-line", "line-through");
  await expect(items.filter({ hasText: "1,260.5 → 1,000.5" })).toHaveCount(1);
  expect(await stored(call, id)).toMatchObject({ currentUsage: 1000.5, serviceStatus: "good" });
  await tiles(page, t, { good: 1 });

  // After the wrong service is voided, the previous one counts again.
  await call("PATCH", `/api/equipment/${id}/usage`, { usageIncrease: 300 });
  await call("PATCH", `/api/equipment/${id}/reset-service`, { notes: "Wrong machine", cost: 99 });
  await tiles(page, t, { good: 1 });
  await page.goto(`/equipment/item/${id}?tab=service`);
  const services = list(page, t("equipment-detail.services.title")).getByRole("listitem");
  await expect(page.getByText(t("equipment-detail.services.total"))).toBeVisible();
  await voidEntry(page, t, services.filter({ hasText: "Wrong machine" }), "Not this one.");
  await expect(page.getByText(t("equipment-detail.services.total"))).toBeHidden();
  await expect(
    list(page, t("equipment-detail.tasks.title")).getByText(t("labels.badges.overdue"), {
      exact: true,
    }),
  ).toBeVisible();
  expect(await stored(call, id)).toMatchObject({ lastServiceUsage: 1000.5 });
  await tiles(page, t, { overdue: 1 });
});

test("a machine's notes, fuel and export work on a phone in es", async ({ open }) => {
  const { call, page, t } = await office(open, "phone", "es");
  const id = await machine(call, "=Grader");
  const usage = { usageIncrease: 5.5, fuelAdded: 40.3, fuelType: "diesel" };
  await call("PATCH", `/api/equipment/${id}/usage`, {
    ...usage,
    notes: 'Filled, "full"',
  });
  await page.goto(`/equipment/item/${id}`);

  await tab(page, t, "notes").click();
  const note = page.getByRole("button", { name: t("equipment-dialogs.notes.submit") });
  await note.click();
  await expect(page.getByText(t("equipment-dialogs.notes.required"))).toBeVisible();
  await page.getByLabel(t("equipment-dialogs.notes.content")).fill("Left track is loose.");
  await note.click();
  await expect(toast(page, t("equipment-dialogs.notes.added"))).toBeVisible();
  await expect(list(page, t("equipment-dialogs.notes.title"))).toContainText(
    "Left track is loose.",
  );

  await tab(page, t, "fuel").click();
  await expect(page).toHaveURL(/tab=fuel/);
  await expect(list(page, t("equipment-detail.fuel.entries")).getByRole("listitem")).toHaveCount(1);
  await expect(
    page
      .getByRole("definition")
      .filter({ hasText: /^40[.,]3 / })
      .first(),
  ).toBeVisible();
  await expect(page.getByText(t("equipment-detail.fuel.upgradeText"))).toBeVisible();
  const csv = page.getByRole("button", { name: t("equipment-detail.export.action") });
  const fuel = await saved(page, () => csv.click());
  expect(fuel.name).toBe(`fuel-usage-export-${id}-${fileDay()}.csv`);

  await tab(page, t, "history").click();
  const history = await saved(page, () => csv.click());
  expect(history.name).toBe(`equipment-history-${id}-${fileDay()}.csv`);
  const columns = ["date", "equipment", "type", "noteType", "operator", "usage", "fuelAdded"];
  columns.push("fuelType", "content", "voided", "fullFill");
  expect(history.header).toBe(
    [
      ...columns.map((key) => t(`equipment-history.csv.${key}`, { unit: "gal" })),
      t("equipment-detail.months.cost"),
      t("equipment-list.csv.unit"),
      t("equipment-form.fields.group"),
      t("equipment-history.csv.correction"),
    ].join(","),
  );
  expect(history.lines).toHaveLength(2);
  expect(history.lines[0]).toContain("Left track is loose.");
  const entry = history.lines[1] ?? "";
  expect(entry).toMatch(new RegExp(`^${fileDay()} \\d\\d:\\d\\d,'=Grader,`));
  expect(entry).toContain(`,1006,40.3,${t("labels.fuelKinds.diesel")},"Filled, ""full""",`);
});

test("a retired machine can be read and restored, on a desktop in en", async ({ open }) => {
  const { call, page, t } = await office(open, "desktop", "en");
  const id = await machine(call, "Old crane");
  await call("POST", `/api/equipment/${id}/notes`, { content: "Boom was repaired." });
  await call("POST", `/api/equipment/${id}/retire`, { retirementNotes: "Sold to a museum." });
  await page.goto(`/equipment/item/${id}`);
  const banner = page.getByRole("main").locator("header").first();
  await expect(banner).toContainText(t("equipment-detail.retired.badge"));
  await expect(banner).toContainText("1,000.5");
  await expect(banner).toContainText("Sold to a museum.");
  await tab(page, t, "notes").click();
  await expect(list(page, t("equipment-dialogs.notes.title"))).toContainText("Boom was repaired.");
  await expect(page.getByLabel(t("equipment-dialogs.notes.content"))).toBeHidden();
  await tab(page, t, "history").click();
  await expect(list(page, t("equipment-detail.history.title"))).toBeVisible();
  const voids = page.getByRole("button", {
    name: new RegExp(`^${t("equipment-detail.void.action")} `),
  });
  await expect(voids).toHaveCount(0);

  await page.getByRole("button", { name: t("equipment-detail.retired.restore") }).click();
  await page
    .getByRole("alertdialog")
    .getByRole("button", { name: t("equipment-detail.retired.restore") })
    .click();
  await expect(toast(page, t("equipment-detail.retired.restored"))).toBeVisible();
  await expect(
    page.getByRole("button", { name: t("equipment.actions.updateUsage") }),
  ).toBeVisible();
  expect(await stored(call, id)).toMatchObject({ name: "Old crane", currentUsage: 1000.5 });
});

test("an unknown id and one of another company show the 404 page", async ({ open }) => {
  const other = await office(open, "desktop", "en");
  const theirs = await machine(other.call, "Secret dozer");
  const { context, page, t } = await office(open, "desktop", "en");
  for (const id of [theirs, "00000000-0000-4000-8000-000000000000"]) {
    await page.goto(`/equipment/item/${id}`);
    await expect(page.getByRole("heading", { name: t("shell.notFound.title") })).toBeVisible();
    expect((await send(context, "GET", `/api/equipment/${id}`)).status()).toBe(404);
  }
});
