import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures";
import * as v from "valibot";
import { fileDay } from "./files";
import {
  caller,
  company,
  machine,
  operator,
  operatorIn,
  ownerPassword,
  rows,
  toast,
  unique,
  type Call,
} from "./people";
import { words } from "./words";

const en = words("en");

const stored = async (call: Call) =>
  v.parse(v.record(v.string(), v.unknown()), await call("GET", "/api/company-settings"));

/** The list that finds a time zone by its city. */
async function chooseZone(page: Page, city: string) {
  const field = page.getByRole("combobox", { name: en("settings.company.timeZone") });
  await field.click();
  await field.fill(city);
  await page.getByRole("option", { name: new RegExp(city) }).click();
}

const save = (page: Page) => page.getByRole("button", { name: en("settings.save") });

test("the company's name is saved, used to sign in, and refused if taken", async ({ open }) => {
  const elsewhere = await open("desktop", "en");
  const taken = unique("Taken Works");
  await company(elsewhere, taken);

  const context = await open("desktop", "en");
  const { call } = await company(context, unique("Name Works"));
  const page = await context.newPage();
  await page.goto("/settings");
  const name = page.getByLabel(en("operators.settings.companyName"));
  await expect(save(page)).toHaveAttribute("aria-disabled", "true");
  await name.fill(taken);
  await save(page).click();
  await expect(name).toHaveAttribute("aria-invalid", "true");
  await expect(name).toHaveAccessibleDescription(new RegExp(en("refusals.BUSINESS_NAME_TAKEN")));
  await expect(name).toBeFocused();
  await expect(name).toHaveValue(taken);

  const next = unique("Renamed Works");
  await name.fill(next);
  await save(page).click();
  await expect(toast(page, en("operators.settings.done"))).toBeVisible();
  await page.reload();
  await expect(name).toHaveValue(next);
  await expect(page.getByRole("button", { name: `Account: ${next}` })).toBeVisible();
  expect(await stored(call)).toMatchObject({ companyName: next });
  await call("POST", "/api/auth/login", { emailOrBusinessName: next, password: ownerPassword });
});

test("the time zone changes the day that due dates count from", async ({ open }) => {
  const context = await open("desktop", "en");
  const { call } = await company(context, unique("Zone Works"));
  await machine(call, "Roller", {
    serviceInterval: 0,
    hasScheduledMaintenance: true,
    maintenanceStartDate: fileDay(),
    maintenanceInterval: 5,
    maintenanceIntervalUnit: "days",
  });
  // At every hour of the day one of the two has another date than Chicago.
  const ahead = fileDay("Pacific/Kiritimati") !== fileDay();
  const [zone, city, left] = ahead
    ? ["Pacific/Kiritimati", "Kiritimati", 4]
    : (["Pacific/Pago_Pago", "Pago Pago", 6] as const);
  const page = await context.newPage();
  await page.goto("/");
  const due = (count: number) =>
    page
      .getByRole("table")
      .getByText(new RegExp(en("labels.due.maintenanceIn_other", { count }), "i"));
  await expect(due(5)).toBeVisible();
  await page.goto("/settings");
  await chooseZone(page, city);
  await save(page).click();
  await expect(toast(page, en("operators.settings.done"))).toBeVisible();
  expect(await stored(call)).toMatchObject({ timeZone: zone });
  await page.reload();
  await expect(page.getByRole("combobox", { name: en("settings.company.timeZone") })).toHaveValue(
    new RegExp(city),
  );
  await page.goto("/");
  await expect(due(left)).toBeVisible();
});

test("the switch for automatic updates takes effect immediately", async ({ open }) => {
  const context = await open("phone", "en");
  const { call } = await company(context, unique("Auto Works"));
  const id = await machine(call, "Excavator");
  const username = await operator(call);
  const field = await open("phone", "es");
  await operatorIn(field, username);
  const report = (newUsage: number) =>
    caller(field)("POST", "/api/operator-updates", { equipmentId: id, newUsage });
  await report(1001);

  const page = await context.newPage();
  await page.goto("/settings");
  const auto = page.getByRole("switch", { name: en("settings.operators.autoApply") });
  await expect(auto).not.toBeChecked();
  const answer = page.waitForResponse(/AccountsService\/UpdateCompanySettings$/);
  // The switch changes once the server has stored it.
  await auto.click();
  await answer;
  await expect(auto).toBeChecked();
  await expect(page.getByText(en("settings.operators.autoApplyOn"))).toBeVisible();
  await page.reload();
  await expect(auto).toBeChecked();
  expect(await stored(call)).toMatchObject({ autoApplyUpdates: true });
  await report(1002);
  await expect
    .poll(async () => (await rows(call, "/api/operator-updates")).map((row) => row.status))
    .toEqual(["recent", "pending"]);
  expect(await rows(call, "/api/equipment")).toMatchObject([{ currentUsage: 1002 }]);
});

test("display settings are stored on the device until the logout", async ({ open }) => {
  const context = await open("desktop", "en");
  const { call } = await company(context, unique("Look Works"));
  const id = await machine(call, "Excavator", { currentUsage: 1400, lastServiceUsage: 1000 });
  await call("PATCH", `/api/equipment/${id}/usage`, { usageIncrease: 1, fuelAdded: 12.5 });
  const username = await operator(call);
  const field = await open("phone", "es");
  await operatorIn(field, username);
  await call("POST", "/api/company-settings", { autoApplyUpdates: true });
  await caller(field)("POST", "/api/operator-updates", { equipmentId: id, newUsage: 1402 });

  const page = await context.newPage();
  await page.goto("/");
  const recent = page.locator("section").filter({
    has: page.getByRole("heading", { name: en("review.recent.title") }),
  });
  const update = recent.getByRole("listitem").filter({ hasText: "Excavator" });
  const history = page.getByRole("region", { name: en("equipment-history.title") });
  await expect(update).toHaveClass(/severe-pulse/);
  await expect(history.getByText(/12\.5 gal/)).toBeVisible();

  await page.goto("/settings");
  const pulse = page.getByRole("switch", { name: en("settings.display.pulse") });
  await expect(pulse).toBeChecked();
  await pulse.uncheck();
  await page.goto("/");
  await expect(update).toBeVisible();
  await expect(update).not.toHaveClass(/pulse/);
  await expect(recent.getByRole("switch")).not.toBeChecked();

  await page.goto("/settings");
  await page
    .getByRole("group", { name: en("shell.language") })
    .getByText("Español")
    .last()
    .click();
  const es = words("es");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(es("shell.titles.settings"));
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("lang", "es");
  await expect(page.getByRole("switch", { name: es("settings.display.pulse") })).not.toBeChecked();
  await expect(page.getByRole("radio", { name: "Español" })).toBeChecked();

  // Logging out clears what the device stored.
  await page.getByRole("button", { name: es("shell.logout") }).click();
  await expect(page).toHaveURL("/");
  const kept = () => localStorage.getItem("pulseAlerts");
  await expect.poll(() => page.evaluate(kept)).toBeNull();
});
