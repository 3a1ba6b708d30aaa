import { expect, test } from "@playwright/test";
import { company, open, ownerPassword, send, unique } from "./people";
import { words } from "./words";

const password = "gravel-7-quarry";

test("a visitor signs up, skips the questions, logs out and signs in again", async ({ page }) => {
  const business = `Quarry ${Date.now()}`;
  await page.goto("/");
  await page.getByRole("link", { name: "Get Started as Owner/Manager" }).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await page.getByLabel("Business name").fill(business);
  await page.getByLabel("Email").fill(`quarry${Date.now()}@example.com`);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByLabel("Confirm password").fill(password);
  await page.getByRole("button", { name: "Create Account" }).click();

  await expect(page.getByRole("heading", { name: "Security Questions" })).toBeVisible();
  await page.getByRole("link", { name: "Skip for Now" }).click();
  await expect(page).toHaveTitle("Dashboard - Equipment Management");

  await page.getByRole("button", { name: "Logout" }).click();
  await page.getByRole("link", { name: "Owner Login" }).first().click();
  await page.getByLabel("Email or business name").fill(business);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign In" }).click();
  await expect(page).toHaveTitle("Dashboard - Equipment Management");
});

test("the language changes in place and is kept", async ({ page }) => {
  await page.goto("/login");
  await page.getByLabel("Email or business name").fill("Acme");
  await page.getByRole("button", { name: "ES Español" }).click();
  await expect(page.getByLabel("Correo o nombre del negocio")).toHaveValue("Acme");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("lang", "es");
});

test("a choice of language stays, without a reload and after one", async ({ browser }) => {
  const context = await open(browser, "desktop", "en");
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
  await expect(page).toHaveTitle(`${es("operators.title")} - ${es("shell.titleSuffix")}`);
  expect(loads).toEqual([]);
  await page.goto("/nope");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(es("shell.notFound.title"));
  await page.getByRole("link", { name: es("shell.notFound.action") }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(es("shell.titles.dashboard"));
  await context.close();
});

test("keeping a session sets a cookie for 30 days and stores no secret", async ({ browser }) => {
  const first = await open(browser, "desktop", "en");
  const { email } = await company(first, unique("Remember Works"));
  await first.close();

  const t = words("en");
  const context = await open(browser, "desktop", "en");
  const page = await context.newPage();
  await page.goto("/login");
  await page.getByLabel(t("auth.ownerLogin.name")).fill(email);
  await page.getByLabel(t("auth.password"), { exact: true }).fill(ownerPassword);
  await page.getByLabel(t("auth.ownerLogin.remember")).check();
  const answer = page.waitForResponse(/\/api\/auth\/login$/);
  await page.getByRole("button", { name: t("auth.ownerLogin.submit") }).click();
  const cookie = (await (await answer).allHeaders())["set-cookie"] ?? "";
  for (const part of [/Max-Age=2592000\b/i, /HttpOnly/i, /SameSite=(Lax|Strict)/i]) {
    expect(cookie).toMatch(part);
  }
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("shell.titles.dashboard"));
  const [session] = await context.cookies();
  const kept = await page.evaluate(everythingStored);
  for (const secret of [ownerPassword, session?.value ?? "no cookie"]) {
    expect(kept).not.toContain(secret);
  }

  await page.getByRole("button", { name: t("shell.logout") }).click();
  await expect(
    page.getByRole("link", { name: t("shell.titles.ownerLogin") }).first(),
  ).toBeVisible();
  expect((await send(context, "GET", "/api/auth/user")).status()).toBe(401);
  await page.goto("/employees");
  await expect(page.getByRole("heading", { name: t("operators.pageTitle") })).toHaveCount(0);
  await context.close();
});

/** Runs in the page: all that scripts could read from storage. */
async function everythingStored(): Promise<string> {
  const found: unknown[] = [
    Object.entries(localStorage),
    Object.entries(sessionStorage),
    document.cookie,
  ];
  const request = <T>(asked: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      asked.addEventListener("success", () => resolve(asked.result));
      asked.addEventListener("error", () => reject(new Error("the database can't be read")));
    });
  for (const { name } of await indexedDB.databases()) {
    if (!name) continue;
    const database = await request(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      found.push(await request(database.transaction(store).objectStore(store).getAll()));
    }
    database.close();
  }
  return JSON.stringify(found);
}
