import { expect, type BrowserContext, type Page } from "@playwright/test";
import { test } from "./fixtures";
import * as v from "valibot";
import { demoOwner } from "./demo";
import { daysAgo } from "./days";
import { fileDay, saved } from "./files";
import { buy, caller, company, machine, rows, toast, unique } from "./people";
import { words } from "./words";

const t = words("en");

const summarySchema = v.object({
  total: v.number(),
  gas: v.number(),
  diesel: v.number(),
  byEquipment: v.array(v.object({ equipmentName: v.string(), total: v.number() })),
  byMonth: v.array(v.object({ month: v.string() })),
});

async function summary(context: BrowserContext, from: string, to: string) {
  const path = `/api/fuel/summary?from=${from}&to=${to}`;
  return v.parse(summarySchema, await caller(context)("GET", path));
}

const dayOf = (instant: string, timeZone: string) =>
  new Intl.DateTimeFormat("en-CA", { timeZone }).format(new Date(instant));

const gallons = (amount: number) =>
  `${amount.toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} gal`;

/** The value of a label in the totals. */
const figure = (page: Page, label: string) =>
  page
    .locator("dl > div", {
      has: page.getByRole("term").filter({ hasText: label }),
    })
    .getByRole("definition")
    .first();

test("parts are entered row by row if the plan includes them", async ({ open, team }) => {
  const context = await open("desktop", "en", { storageState: team.owner });
  const { call } = team;
  const name = unique("Parts machine");
  const id = await machine(call, name);
  const page = await context.newPage();
  await page.goto(`/add-equipment?edit=${id}`);
  const row = (number: number) =>
    page.getByRole("group", {
      name: t("equipment-form.fields.parts.row", { number }),
      exact: true,
    });
  const field = (number: number, key: string) =>
    row(number).getByLabel(t(`equipment-form.fields.parts.${key}`), { exact: true });
  const add = page.getByRole("button", { name: t("equipment-form.fields.parts.add") });
  const update = page.getByRole("button", { name: t("equipment-form.fields.update"), exact: true });
  await field(1, "part").fill("Oil filter");
  await field(1, "partNumber").fill("LF-9001");
  await field(1, "quantity").fill("0");
  await add.click();
  await field(2, "partNumber").fill("nameless");
  await add.click();
  await field(3, "part").fill("Belt");
  await expect(add).toHaveCount(1);
  await update.click();
  await expect(page.getByText("Quantity must be at least 1")).toBeVisible();
  await field(1, "quantity").fill("2");
  await page
    .getByRole("button", {
      name: t("equipment-form.fields.parts.remove", { number: 2 }),
      exact: true,
    })
    .click();
  await expect(field(2, "part")).toHaveValue("Belt");
  await update.click();
  await expect(toast(page, t("equipment-form.fields.updated"))).toBeVisible();
  expect(await call("GET", `/api/equipment/${id}`)).toMatchObject({
    serviceParts: [{ part: "Oil filter", partNumber: "LF-9001", qty: 2 }, { part: "Belt" }],
  });
});

test("fuel analytics shows totals, months, the top five and another period, and exports them", async ({
  open,
}) => {
  const context = await open("desktop", "en");
  await demoOwner(context);
  const page = await context.newPage();
  const from = daysAgo(300);
  const to = fileDay();
  const figures = await summary(context, from, to);
  expect(figures.total).toBeGreaterThan(0);
  await page.goto(`/?fuel=custom&fuelFrom=${from}&fuelTo=${to}`);
  await expect(figure(page, t("fuel.total"))).toHaveText(gallons(figures.total));
  await expect(figure(page, t("labels.fuelKinds.gas"))).toHaveText(gallons(figures.gas));
  await expect(figure(page, t("labels.fuelKinds.diesel"))).toHaveText(gallons(figures.diesel));

  const top = page.getByRole("list", { name: t("fuel.top") }).getByRole("listitem");
  await expect(top).toHaveCount(Math.min(5, figures.byEquipment.length));
  await expect(top.first()).toContainText(figures.byEquipment[0]?.equipmentName ?? "");
  await expect(top.first()).toContainText(gallons(figures.byEquipment[0]?.total ?? 0));
  await page.getByText(t("fuel.asTable")).click();
  await expect(page.getByRole("table", { name: t("fuel.byMonth") }).getByRole("row")).toHaveCount(
    figures.byMonth.length + 1,
  );

  // The days are those of the company's calendar.
  const settings = await caller(context)("GET", "/api/company-settings");
  const { timeZone } = v.parse(v.object({ timeZone: v.string() }), settings);
  const exported = await rows(caller(context), "/api/fuel-usage/export");
  const within = exported.filter((row) => {
    const day = dayOf(v.parse(v.string(), row.date), timeZone);
    return day >= from && day <= to;
  });
  const button = page.getByRole("button", { name: t("fuel.export"), exact: true });
  const { name, header, lines } = await saved(page, () => fuelOf(page, button).click());
  expect(name).toBe(`fuel-usage-export-${fileDay()}.csv`);
  expect(header).toBe(
    "Date,Equipment,Operator,Fuel Type,Fuel Added (gal),Notes,Filled Up,Consumption,Group",
  );
  expect(lines).toHaveLength(within.length);

  await page.getByLabel(t("fuel.range.to"), { exact: true }).fill(daysAgo(200));
  await expect(page).toHaveURL(new RegExp(`fuelTo=${daysAgo(200)}`));
  const earlier = await summary(context, from, daysAgo(200));
  if (earlier.total > 0) {
    await expect(figure(page, t("fuel.total"))).toHaveText(gallons(earlier.total));
  } else await expect(page.getByText(t("fuel.empty.noMatch"))).toBeVisible();
  await page
    .getByLabel(t("fuel.range.label"), { exact: true })
    .selectOption({ label: t("fuel.range.year") });
  await expect(page).toHaveURL(/\?fuel=year$/);
  await page.reload();
  await expect(page.getByLabel(t("fuel.range.label"), { exact: true })).toHaveValue("year");
});

test("the fuel reset asks for confirmation, and is disabled at 0", async ({ open }) => {
  const context = await open("desktop", "en");
  const { call } = await company(context, unique("Thirsty Works"));
  await buy(call, "professional");
  const id = await machine(call, "Thirsty machine");
  await call("PATCH", `/api/equipment/${id}/usage`, { fuelAdded: 12.5, fuelType: "diesel" });
  const page = await context.newPage();
  await page.goto("/");
  const reset = page.getByRole("button", { name: t("fuel.reset.open"), exact: true });
  const question = page.getByRole("alertdialog", { name: t("fuel.reset.title") });
  await reset.click();
  await question.getByRole("button", { name: t("common.cancel") }).click();
  await expect(question).toBeHidden();
  expect(await call("GET", `/api/equipment/${id}`)).toMatchObject({ totalFuelUsed: 12.5 });
  await reset.click();
  await question.getByRole("button", { name: t("fuel.reset.confirm") }).click();
  await expect(toast(page, "Fuel Data Reset")).toBeVisible();
  await expect(question).toBeHidden();
  await expect(reset).toHaveAttribute("aria-disabled", "true");
  await expect(reset).toHaveAccessibleDescription(t("fuel.reset.nothing"));
  await expect(page.getByText(t("fuel.empty.sinceReset"))).toBeVisible();
  expect(await call("GET", `/api/equipment/${id}`)).toMatchObject({ totalFuelUsed: 0 });
  // The ledger does not change.
  expect((await summary(context, fileDay(), fileDay())).total).toBeGreaterThanOrEqual(12.5);
});

/** The history card and the overview also have an export. */
function fuelOf(page: Page, button: ReturnType<Page["getByRole"]>) {
  return page
    .locator("section", {
      has: page.getByRole("heading", { name: t("fuel.title"), exact: true }),
    })
    .locator(button);
}
