import { expect, type Page } from "@playwright/test";
import { test, type Open } from "./fixtures";
import { fileDay } from "./files";
import { company, machine, rows, toast, unique, type Call } from "./people";
import { words } from "./words";

const en = words("en");
const es = words("es");

let owner: Awaited<ReturnType<typeof company>>["signedIn"];
let call: Call;

test.beforeAll(async ({ browser }) => {
  const office = await browser.newContext();
  ({ call, signedIn: owner } = await company(office, unique("List Works")));
  const used = (currentUsage: number) => ({ currentUsage, lastServiceUsage: 0 });
  await machine(call, "Excavator", { ...used(195), serialNumber: "CAT0320", threshold: 12000 });
  await machine(call, "Dozer", { ...used(240), type: "vehicle" });
  await machine(call, "Grader", used(320));
  await machine(call, "Roller", { ...scheduled(5), currentUsage: 40.5 });
  await machine(call, "Tower", { ...scheduled(2), unit: "n/a", currentUsage: 0 });
  const bare = { type: "tools", unit: "n/a", fuelType: "n/a", serviceInterval: 0, currentUsage: 0 };
  await machine(call, "Saw", bare);
});

/** Equipment without a service interval by usage, with a service due in a number of days. */
function scheduled(days: number) {
  return {
    serviceInterval: 0,
    hasScheduledMaintenance: true,
    maintenanceStartDate: fileDay(),
    maintenanceInterval: days,
    maintenanceIntervalUnit: "days",
  };
}

function inDays(days: number, locale: string): string {
  const day = new Date(`${fileDay()}T12:00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toLocaleDateString(locale, {
    timeZone: "UTC",
    day: "numeric",
    year: "numeric",
    month: "short",
  });
}

async function at(open: Open, path: string, screen: "desktop" | "phone", language: "en" | "es") {
  const context = await open(screen, language, { storageState: owner });
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

/** The rows of the table without its header, or the cards. */
const line = (page: Page, name: string) =>
  page
    .getByRole("main")
    .getByRole("row")
    .or(page.getByRole("main").getByRole("listitem"))
    .filter({ has: page.getByRole("link", { name, exact: true }) });

const names = (page: Page) =>
  page
    .getByRole("table")
    .getByRole("row")
    .filter({ has: page.getByRole("cell") })
    .getByRole("link");

test("the table has all columns, with the service status", async ({ open }) => {
  const page = await at(open, "/equipment-list?columns=type.fuel", "desktop", "en");
  await expect(page.getByRole("columnheader")).toHaveText([
    "Name",
    "Type",
    "Fuel Type",
    "Current Usage",
    "Next Maintenance",
    "Status",
    "Actions",
  ]);
  await expect(page.getByText(en("equipment-list.count_other", { amount: 6 }))).toBeVisible();
  const cells = (name: string) => line(page, name).getByRole("cell");
  await expect(cells("Excavator")).toHaveText([
    "ExcavatorCAT0320",
    "Machinery",
    "Diesel",
    "195 hoursread today · of 12,000 hours",
    "55 hours until service",
    // 78 percent
    "Good",
    "",
  ]);
  await expect(cells("Dozer").nth(5)).toHaveText("Approaching Service");
  await expect(cells("Grader").nth(5)).toHaveText("Overdue");
  await expect(cells("Roller").nth(5)).toHaveText("Approaching Service");
  await expect(cells("Roller").nth(4)).toContainText(inDays(5, "en-US"));
  await expect(cells("Tower").nth(5)).toHaveText("Approaching Service");
  await expect(cells("Saw")).toHaveText([
    "Saw",
    "Tools",
    "n/a",
    "–",
    "No schedule",
    "No service plan",
    "",
  ]);
  await expect(line(page, "Saw")).not.toContainText("of ");
});

test("the server searches, filters and sorts, and the URL contains the choice", async ({
  open,
}) => {
  const page = await at(open, "/equipment-list", "desktop", "en");
  // The most urgent first.
  await expect(names(page)).toHaveText(["Grader", "Dozer", "Roller", "Tower", "Excavator", "Saw"]);
  const usage = page.getByRole("columnheader", { name: "Current Usage" });
  const asked = () => page.waitForResponse(/EquipmentService\/ListEquipment$/);
  let answer = asked();
  await usage.getByRole("button").click();
  await answer;
  await expect(usage).toHaveAttribute("aria-sort", "ascending");
  await expect(names(page).nth(2)).toHaveText("Roller");
  await expect(names(page).last()).toHaveText("Grader");
  answer = asked();
  await usage.getByRole("button").click();
  await answer;
  await expect(usage).toHaveAttribute("aria-sort", "descending");
  await expect(names(page).first()).toHaveText("Grader");

  answer = asked();
  await page.getByRole("searchbox").fill("cat03");
  await answer;
  await expect(names(page)).toHaveText(["Excavator"]);
  await expect(
    page.getByText(en("equipment-list.shown_other", { shown: 1, total: 6 })),
  ).toBeVisible();
  await page.reload();
  await expect(page.getByRole("searchbox")).toHaveValue("cat03");
  await expect(names(page)).toHaveText(["Excavator"]);
  await expect(usage).toHaveAttribute("aria-sort", "descending");

  await page.getByRole("searchbox").fill("nothing like it");
  await expect(page.getByText(en("equipment.overview.noMatchTitle"))).toBeVisible();
  await page.getByRole("button", { name: en("equipment.overview.clearFilters") }).click();
  await expect(names(page)).toHaveCount(6);
});

test("a card's menu edits and deletes, on a phone in es", async ({ open }) => {
  const name = unique("Bomba");
  const id = await machine(call, name, { type: "tools" });
  const page = await at(open, "/equipment-list", "phone", "es");
  const card = line(page, name);
  await expect(card).toContainText(es("labels.badges.good"));
  await expect(line(page, "Tower")).toContainText(inDays(2, "es-MX"));
  const menu = page.getByRole("button", { name: es("equipment.actions.label", { name }) });
  await menu.click();
  await expect(page.getByRole("menuitem")).toHaveText([
    es("equipment.actions.updateUsage"),
    es("equipment.actions.viewNotes"),
    es("equipment.actions.markServiced"),
    es("equipment.actions.editFull"),
    es("equipment.actions.copy"),
    es("equipment.actions.deleteFull"),
  ]);
  await page.getByRole("menuitem", { name: es("equipment.actions.editFull") }).click();
  await expect(page).toHaveURL(`/add-equipment?edit=${id}`);
  await expect(page.getByLabel(es("equipment-form.fields.name"))).toHaveValue(name);
  await page.goBack();

  await menu.click();
  await page.getByRole("menuitem", { name: es("equipment.actions.deleteFull") }).click();
  const dialog = page.getByRole("dialog", { name: es("equipment-dialogs.delete.title", { name }) });
  await dialog.getByRole("button", { name: es("common.cancel") }).click();
  await expect(card).toBeVisible();
  await menu.click();
  await page.getByRole("menuitem", { name: es("equipment.actions.deleteFull") }).click();
  await dialog.getByRole("radio", { name: es("equipment-dialogs.delete.option") }).check();
  await dialog.getByRole("button", { name: es("equipment-dialogs.delete.submit") }).click();
  const sure = page.getByRole("alertdialog", {
    name: es("equipment-dialogs.delete.sure", { name }),
  });
  expect(await rows(call, "/api/equipment")).toHaveLength(7);
  await sure.getByRole("button", { name: es("equipment-dialogs.delete.confirm") }).click();
  await expect(toast(page, es("equipment-dialogs.delete.done"))).toBeVisible();
  await expect(card).toBeHidden();
  expect(await rows(call, "/api/equipment")).toHaveLength(6);
  expect(await rows(call, "/api/retired-equipment")).toEqual([]);
});

test("a status without equipment shows an empty state and links to all equipment", async ({
  open,
}) => {
  const page = await at(open, "/equipment/due", "phone", "es");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    es("equipment-list.byStatus.due"),
  );
  await expect(page.getByText(es("equipment-list.emptyTitle"))).toBeVisible();
  await expect(
    page.getByRole("button", { name: es("equipment-list.byStatus.exportEmpty") }),
  ).toBeVisible();
  await page.getByRole("link", { name: es("equipment-list.byStatus.viewAll") }).click();
  await expect(page).toHaveURL("/equipment/all");
  await expect(line(page, "Saw")).toBeVisible();
});

test("each status has a page with links to the others", async ({ open }) => {
  const page = await at(open, "/equipment/all", "desktop", "en");
  const others = page.getByRole("navigation", { name: en("equipment-list.byStatus.label") });
  const count = (amount: number) =>
    page.getByText(en(`equipment-list.count_${amount === 1 ? "one" : "other"}`, { amount }), {
      exact: true,
    });
  await expect(names(page)).toHaveCount(6);
  for (const [status, found] of [
    ["good", ["Excavator", "Saw"]],
    ["approaching", ["Dozer", "Roller", "Tower"]],
    ["overdue", ["Grader"]],
  ] as const) {
    const title = en(`equipment-list.byStatus.${status}`);
    await others.getByRole("link", { name: new RegExp(`^${title}`) }).click();
    await expect(page).toHaveURL(`/equipment/${status}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(title);
    await expect(count(found.length)).toBeVisible();
    await expect(names(page)).toHaveCount(found.length);
    for (const name of found) await expect(line(page, name)).toBeVisible();
  }
  await names(page).first().click();
  await expect(page).toHaveURL(/\/equipment\/item\//);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Grader");
});

test("a company without equipment sees a link to add some", async ({ open }) => {
  const context = await open("phone", "en");
  await company(context, unique("New Works"));
  const page = await context.newPage();
  await page.goto("/equipment-list");
  await expect(page.getByText("No equipment found")).toBeVisible();
  await page.getByRole("button", { name: en("shell.moreActions") }).click();
  for (const name of ["Export CSV", "Print"]) {
    await expect(page.getByRole("button", { name })).toHaveAttribute("aria-disabled", "true");
  }
  await page.getByRole("link", { name: "Add Your First Equipment" }).click();
  await expect(page).toHaveURL("/add-equipment");
  await page.goto("/equipment/all");
  await page.getByRole("link", { name: "View All Equipment" }).click();
  await expect(page).toHaveURL("/equipment-list");
});

test("selected machines get a group, which filters the list and groups the Service page", async ({
  open,
}) => {
  const context = await open("desktop", "en");
  const crews = await company(context, unique("Crew Works"));
  for (const name of ["Loader", "Mixer", "Pump"]) await machine(crews.call, name);
  const page = await context.newPage();
  await page.goto("/equipment-list");
  await page.getByRole("button", { name: en("equipment-bulk.start") }).click();
  for (const name of ["Loader", "Pump"]) {
    await page.getByRole("checkbox", { name: en("equipment-bulk.choose", { name }) }).check();
  }
  await page.getByRole("button", { name: en("equipment-bulk.actions"), exact: true }).click();
  await page.getByRole("menuitem", { name: en("equipment-bulk.group.action") }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(en("equipment-form.fields.group")).fill("Crew North");
  const submit = en("equipment-bulk.group.submit_other", { count: 2 });
  await dialog.getByRole("button", { name: submit }).click();
  await expect(dialog).toBeHidden();

  const group = page.getByRole("combobox", { name: en("equipment-form.fields.group") });
  await group.selectOption("Crew North");
  await expect(names(page)).toHaveText(["Loader", "Pump"]);
  await expect(page).toHaveURL("/equipment-list?group=Crew+North");
  await group.selectOption(en("equipment-list.group.none"));
  await expect(names(page)).toHaveText(["Mixer"]);

  await page.goto("/service?view=group");
  await expect(page.getByRole("heading", { level: 2 })).toHaveText(["Crew North 2", "No group 1"]);
});
