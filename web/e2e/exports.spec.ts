import { expect } from "@playwright/test";
import { test, type Open } from "./fixtures";
import { demoOwner } from "./demo";
import { fileDay, printed, saved, stubPrint } from "./files";
import { company, machine, toast, unique } from "./people";
import { words, type Language } from "./words";

const formula = '=HYPERLINK("x")';
/** Quoted, and with a prefix that prevents a spreadsheet from evaluating it. */
const harmless = `"'=HYPERLINK(""x"")"`;

let business: string;
let owner: Awaited<ReturnType<typeof company>>["signedIn"];
let dozer: string;

test.beforeAll(async ({ browser }) => {
  business = unique("Export Works");
  const made = await company(await browser.newContext(), business);
  owner = made.signedIn;
  const { call } = made;
  dozer = await machine(call, 'Dozer, "big"', {
    serialNumber: "CAT0320",
    threshold: 12000,
    currentUsage: 1200.5,
    lastServiceUsage: 1000,
  });
  await machine(call, formula, { type: "tools", unit: "n/a", fuelType: "n/a", serviceInterval: 0 });
  await call("PATCH", `/api/equipment/${dozer}/usage`, { usageIncrease: 10, fuelAdded: 12.5 });
  const retired = await machine(call, "Old loader", {
    type: "vehicle",
    unit: "miles",
    threshold: 9000,
  });
  await call("POST", `/api/equipment/${retired}/retire`, { retirementNotes: "+1 offer" });
});

async function at(open: Open, path: string, language: Language = "en") {
  const context = await open("desktop", language, { storageState: owner });
  const page = await context.newPage();
  await stubPrint(page);
  await page.goto(path);
  const press = (name: string) => page.getByRole("button", { name, exact: true }).first().click();
  return { page, press };
}

test("the equipment report contains the rows that the dashboard's filters show", async ({
  open,
}) => {
  const { page, press } = await at(open, "/");
  const filters = page.getByRole("search", { name: "Filter equipment" });
  const exported = filters.getByRole("button", { name: "Export" });
  await expect(page.getByRole("table").getByRole("link", { name: /Dozer/ })).toBeVisible();
  const all = await saved(page, () => exported.click());
  expect(all.name).toBe("equipment-maintenance-report.csv");
  expect(all.header).toBe(
    "Name,Type,Current Usage,Threshold,Unit,Status,Last Updated,Reading Age (Days),Projected Due Date,Missed Rounds,Snoozed,Group,Meter",
  );
  expect(all.lines).toEqual([
    `"Dozer, ""big""",Machinery,1210.5,12000,hours,Approaching Service,${fileDay()},0,,,,,1210.5`,
    `${harmless},Tools,1000.5,,n/a,No service plan,${fileDay()},,,,,,`,
  ]);
  await expect(toast(page, "Export Complete")).toBeVisible();

  await page.getByLabel("Type", { exact: true }).selectOption({ label: "Tools" });
  await expect(page.getByRole("table").getByRole("link", { name: /Dozer/ })).toBeHidden();
  const tools = await saved(page, () => exported.click());
  expect(tools.lines).toHaveLength(1);

  await page.getByRole("searchbox").first().fill("nothing like it");
  await expect(page.getByText("No equipment matches")).toBeVisible();
  await expect(exported).toHaveAttribute("aria-disabled", "true");
  await expect(exported).toHaveAccessibleDescription("There is no equipment to export.");
  await press("Clear filters");
});

test("the equipment list is exported and printed", async ({ open }) => {
  const { page, press } = await at(open, "/equipment-list");
  await expect(page.getByRole("table").getByRole("link", { name: /Dozer/ })).toBeVisible();
  const { name, header, lines } = await saved(page, () => press("Export CSV"));
  expect(name).toBe(`equipment-list-${fileDay()}.csv`);
  expect(header).toBe(
    "Name,Type,Serial Number,Unit,Current Usage,Threshold,Fuel Type,Service Interval,Last Service Usage,Status,Scheduled Maintenance,Next Maintenance Date,Date Added,Unit number,Operational Status,Reading Age (Days),Projected Due Date,Earliest Due Date,Latest Due Date,Projected Due Task,Missed Rounds,Snoozed,Group,Meter",
  );
  expect(lines.toSorted()).toEqual([
    `"'=HYPERLINK(""x"")",Tools,,n/a,1000.5,,n/a,,0,No service plan,No,,${fileDay()},,In use,,,,,,,,,`,
    `"Dozer, ""big""",Machinery,CAT0320,hours,1210.5,12000,Diesel,250,1000,Approaching Service,No,,${fileDay()},,In use,0,,,,,,,,1210.5`,
  ]);

  await press("Print");
  await printed(page, async (report) => {
    await expect(report.getByRole("heading")).toHaveText("Equipment List");
    await expect(report).toContainText(business);
    await expect(report).toContainText("2 pieces of equipment");
    await expect(report).toContainText(String(new Date(`${fileDay()}T12:00`).getFullYear()));
    await expect(report.getByRole("row").filter({ hasText: "Dozer" })).toContainText(
      "1,210.5 hours",
    );
    await expect(report.getByRole("row").filter({ hasText: formula })).toBeVisible();
  });

  // What the browser prints has the headings that sort, and no checkboxes.
  const heading = page.getByRole("columnheader", { name: "Name" });
  const sort = heading.getByRole("button", { includeHidden: true });
  await page.emulateMedia({ media: "print" });
  await expect(sort).toBeVisible();
  await expect(page.getByRole("checkbox", { includeHidden: true }).first()).toBeHidden();
  await expect(page.getByRole("button", { name: "Print", includeHidden: true })).toBeHidden();
});

test("one status is exported and printed, also when it is empty", async ({ open }) => {
  const { page, press } = await at(open, "/equipment/approaching");
  await expect(page.getByRole("table").getByRole("link", { name: /Dozer/ })).toBeVisible();
  const header =
    "Name,Type,Fuel Type,Current Usage,Service Interval,Unit,Service Status,Last Updated,Reading Age (Days),Projected Due Date,Group,Missed Rounds,Snoozed,Meter";
  const soon = await saved(page, () => press("Export CSV"));
  expect(soon.name).toBe(`equipment-approaching-${fileDay()}.csv`);
  expect(soon.header).toBe(header);
  expect(soon.lines).toEqual([
    `"Dozer, ""big""",Machinery,Diesel,1210.5,250,hours,Approaching Service,${fileDay()},0,,,,,1210.5`,
  ]);
  await press("Print Report");
  await printed(page, async (report) => {
    await expect(report.getByRole("heading")).toHaveText("Approaching Service");
    await expect(report.getByRole("row")).toHaveCount(2);
  });

  await page.goto("/equipment/overdue");
  await expect(page.getByText("No equipment found")).toBeVisible();
  const empty = await saved(page, () => press("Export Empty Report"));
  expect(empty).toEqual({ name: `equipment-overdue-${fileDay()}.csv`, header, lines: [] });
});

test("the history is exported for all machines and for one", async ({ open }) => {
  const { page } = await at(open, "/");
  const header =
    "Date,Equipment,Type,Note Type,Operator,Usage,Fuel Added (gal),Fuel Type,Content,Voided,Filled Up,Cost,Unit";
  // The filter bar and fuel analytics have an Export button, too.
  const heading = page.getByRole("heading", { name: "Equipment History" });
  const history = page.locator("section").filter({ has: heading });
  const exported = history.getByRole("button", { name: "Export", exact: true });
  await expect(history).toContainText("Dozer");
  const all = await saved(page, () => exported.click());
  expect(all.name).toBe(`equipment-history-all-${fileDay()}.csv`);
  expect(all.header).toBe(header);
  expect(all.lines).toHaveLength(2);
  expect(all.lines.join("\n")).toContain(",1210.5,12.5,Diesel,");
  // The text starts with a character that spreadsheets treat as a formula.
  expect(all.lines.join("\n")).toContain("'+1 offer");

  await page.goto(`/equipment/item/${dozer}?tab=history`);
  await expect(page.getByRole("list", { name: "History" }).getByRole("listitem")).toHaveCount(1);
  const one = await saved(page, () => page.getByRole("button", { name: "Export CSV" }).click());
  expect(one.name).toBe(`equipment-history-${dozer}-${fileDay()}.csv`);
  expect(one.header).toBe(`${header},Group,Correction`);
  expect(one.lines).toHaveLength(1);
});

test("the archive is exported, and printed with its reasons", async ({ open }) => {
  const { page, press } = await at(open, "/retired-equipment");
  await expect(page.getByRole("link", { name: "Old loader" })).toBeVisible();
  const { name, header, lines } = await saved(page, () => press("Export CSV"));
  expect(name).toBe(`retired-equipment-${fileDay()}.csv`);
  expect(header).toBe(
    "Name,Type,Serial Number,Unit,Final Usage,Threshold,Service Interval,Last Service Usage,Fuel Type,Total Fuel Used (gal),Gas Used (gal),Diesel Used (gal),Retirement Notes,Retired By,Date Added,Date Retired,Unit number,Group",
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    new RegExp(
      `^Old loader,Vehicle,,miles,1000.5,9000,250,1000.5,Diesel,0,0,0,'\\+1 offer,.+,${fileDay()},${fileDay()},,$`,
    ),
  );
  await press("Print");
  await printed(page, async (report) => {
    await expect(report.getByRole("heading")).toHaveText("Retired Equipment");
    await expect(report).toContainText(business);
    await expect(report.getByRole("row").nth(1)).toContainText("+1 offer");
  });

  await page.getByRole("searchbox").fill("nothing like it");
  await expect(page.getByText("No matches")).toBeVisible();
  await press("Export CSV");
  await expect(toast(page, "No Retired Equipment to Export")).toBeVisible();
});

test("fuel is exported for the chosen period, and refused without entries", async ({ open }) => {
  const context = await open("desktop", "en");
  await demoOwner(context);
  const page = await context.newPage();
  await page.goto("/?fuel=12-months");
  const heading = page.getByRole("heading", { name: "Fuel analytics" });
  const fuel = page.locator("section").filter({ has: heading });
  const exported = fuel.getByRole("button", { name: "Export" });
  const { name, header, lines } = await saved(page, () => exported.click());
  expect(name).toBe(`fuel-usage-export-${fileDay()}.csv`);
  expect(header).toBe(
    "Date,Equipment,Operator,Fuel Type,Fuel Added (gal),Notes,Filled Up,Consumption,Group",
  );
  expect(lines.length).toBeGreaterThan(0);
  expect(lines[0]).toMatch(/^\d{4}-\d{2}-\d{2},.+,(Gas|Diesel),\d+(\.\d+)?,/);

  await page.goto("/?fuel=custom&fuelFrom=2000-01-01&fuelTo=2001-01-01");
  await expect(page.getByText("No fuel in this period")).toBeVisible();
  await exported.click();
  await expect(toast(page, "No Data to Export")).toBeVisible();
});

test("an empty company has nothing to export", async ({ open }) => {
  const context = await open("desktop", "en");
  await company(context, unique("Bare Works"));
  const page = await context.newPage();
  await page.goto("/retired-equipment");
  await expect(page.getByText("No retired equipment", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Export CSV" }).click();
  await expect(toast(page, "No Retired Equipment to Export")).toBeVisible();
  await expect(page.getByRole("button", { name: "Print" })).toHaveAttribute(
    "aria-disabled",
    "true",
  );
  await page.goto("/");
  await expect(page.getByText("No history yet")).toBeVisible();
  // Those of the overview and the history; the third one reports that there is no fuel.
  const exports = page.getByRole("button", { name: "Export", exact: true });
  for (const place of [0, 1]) {
    await expect(exports.nth(place)).toHaveAttribute("aria-disabled", "true");
  }
});

test("files and reports are in Spanish for a Spanish user", async ({ open }) => {
  const t = words("es");
  const { page, press } = await at(open, "/equipment-list", "es");
  await expect(page.getByRole("table").getByRole("link", { name: /Dozer/ })).toBeVisible();
  const list = await saved(page, () => press(t("equipment-list.exportCsv")));
  expect(list.header?.split(",").slice(0, 5)).toEqual([
    "Nombre",
    "Tipo",
    "Número de serie",
    "Unidad",
    t("equipment.columns.currentUsage"),
  ]);
  expect(list.lines.find((row) => row.startsWith('"Dozer'))).toContain(
    `,Maquinaria,CAT0320,horas,1210.5,12000,${t("labels.fuels.diesel")},`,
  );
  await press(t("equipment-list.print.button"));
  await printed(page, async (report) => {
    await expect(report.getByRole("heading")).toHaveText(t("shell.titles.equipmentList"));
    await expect(report.getByRole("columnheader").first()).toHaveText(
      t("equipment-form.fields.unitNumber"),
    );
  });

  await page.goto("/retired-equipment");
  await expect(page.getByRole("link", { name: "Old loader" })).toBeVisible();
  const archive = await saved(page, () => press(t("retired.export.action")));
  expect(archive.header).toContain(t("retired.export.notes"));
  expect(archive.lines[0]).toContain(`,${t("labels.types.vehicle")},`);
});
