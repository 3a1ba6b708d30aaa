import { expect } from "@playwright/test";
import { test } from "./fixtures";
import { company, ownerPassword, unique } from "./people";
import { words } from "./words";

test("a visitor signs up, skips the questions, logs out and signs in again", async ({ open }) => {
  const page = await (await open("desktop", "en")).newPage();
  const business = unique("Quarry");
  await page.goto("/");
  await page.getByRole("link", { name: "Get Started as Owner/Manager" }).first().click();
  await page.getByLabel("Business name").fill(business);
  await page.getByLabel("Email").fill(`${business.replace(" ", ".")}@example.com`);
  await page.getByLabel("Password", { exact: true }).fill(ownerPassword);
  await page.getByLabel("Confirm password").fill(ownerPassword);
  await page.getByRole("button", { name: "Create account" }).click();

  await expect(page.getByRole("heading", { name: "Security Questions" })).toBeVisible();
  await page.getByRole("link", { name: "Skip for Now" }).click();
  await expect(page).toHaveTitle("Dashboard - Equipment Management");

  await page.getByRole("button", { name: "Logout" }).click();
  await page.getByRole("link", { name: "Owner Login" }).first().click();
  await page.getByLabel("Email or business name").fill(business);
  await page.getByLabel("Password", { exact: true }).fill(ownerPassword);
  await page.getByRole("button", { name: "Sign In" }).click();
  await expect(page).toHaveTitle("Dashboard - Equipment Management");
});

test("the language changes without a reload and is remembered", async ({ open }) => {
  const page = await (await open("desktop", "en")).newPage();
  await page.goto("/login");
  await page.getByLabel("Email or business name").fill("Acme");
  await page.getByRole("button", { name: "ES Español" }).click();
  await expect(page.getByLabel("Correo o nombre de la empresa")).toHaveValue("Acme");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("lang", "es");
});

test("a chosen language persists with and without a reload", async ({ open }) => {
  const context = await open("desktop", "en");
  await company(context, unique("Idioma"));
  const page = await context.newPage();
  await page.goto("/employees");
  const loads: string[] = [];
  page.on("load", () => loads.push(page.url()));
  const en = words("en");
  const es = words("es");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(en("operators.pageTitle"));
  await page.getByRole("button", { name: "ES Español" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(es("operators.pageTitle"));
  await expect(page).toHaveTitle(`${es("shell.titles.operators")} - ${es("shell.titleSuffix")}`);
  expect(loads).toEqual([]);
  await page.goto("/nope");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(es("shell.notFound.title"));
  await page.getByRole("link", { name: es("shell.notFound.action") }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(es("shell.titles.dashboard"));
});
