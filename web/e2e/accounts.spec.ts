import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "@playwright/test";

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

for (const path of ["/", "/login", "/employee-login", "/signup"]) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`${path} is accessible and keeps the content policy (${colorScheme})`, async ({
      browser,
    }) => {
      // The checker injects a script, so the page under test is looked at twice.
      const strict = await browser.newPage({ colorScheme });
      const complaints: string[] = [];
      strict.on("console", (message) => {
        if (message.text().includes("Content Security Policy")) complaints.push(message.text());
      });
      await strict.goto(path);
      await expect(strict.getByRole("heading", { level: 1 })).toBeVisible();
      expect(complaints).toEqual([]);
      await strict.close();

      const context = await browser.newContext({ colorScheme, bypassCSP: true });
      const page = await context.newPage();
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
      await context.close();
    });
  }
}
