import { expect, type Browser, type BrowserContext, type Page } from "@playwright/test";
import type { Language, Words } from "./words";

export type Screen = "desktop" | "phone";

const sizes = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

/** A browser of a person who speaks a language and has a screen. */
export function open(browser: Browser, screen: Screen, language: Language, more = {}) {
  const locale = language === "en" ? "en-US" : "es-MX";
  return browser.newContext({ ...sizes[screen], locale, timezoneId: "America/Chicago", ...more });
}

export const ownerPassword = "gravel-7-quarry";
export const operatorPassword = "shovel-ready-77";

let counter = 0;

/** A name nobody has yet. */
export function unique(name: string): string {
  counter += 1;
  return `${name} ${Date.now().toString(36)}${counter}`;
}

/** Signs a company up in the browser and skips the security questions. */
export async function signUp(page: Page, t: Words, business: string) {
  await page.goto("/signup");
  await page.getByLabel(t("auth.signup.businessName")).fill(business);
  const email = `${business.toLowerCase().replaceAll(" ", ".")}@example.com`;
  await page.getByLabel(t("auth.signup.email")).fill(email);
  await page.getByLabel(t("auth.password"), { exact: true }).fill(ownerPassword);
  await page.getByLabel(t("auth.signup.confirmPassword")).fill(ownerPassword);
  await page.getByRole("button", { name: t("auth.signup.submit") }).click();
  await page.getByRole("link", { name: t("auth.questions.skip") }).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  return email;
}

/** A company made over REST, its owner signed in in this context: for journeys about other things. */
export async function company(context: BrowserContext, business: string) {
  const call = caller(context);
  const email = `${business.toLowerCase().replaceAll(" ", ".")}@example.com`;
  const body = { businessName: business, email, password: ownerPassword, timeZone: "America/Chicago" };
  await call("POST", "/api/auth/signup", body);
  return { email, call };
}

/** Calls of the session in this context. */
export function caller(context: BrowserContext) {
  return async (method: string, path: string, body?: unknown) => {
    const answer = await context.request.fetch(path, {
      method,
      headers: { "X-Requested-With": "XMLHttpRequest" },
      ...(body === undefined ? {} : { data: body }),
    });
    expect(answer.ok(), `${method} ${path}: ${answer.status()} ${await answer.text()}`).toBe(true);
    return answer.status() === 204 ? null : ((await answer.json()) as Record<string, unknown>);
  };
}

/** An operator of the company, made over REST; answers the username. */
export async function operator(call: ReturnType<typeof caller>): Promise<string> {
  await call("POST", "/api/company-settings", { masterPassword: operatorPassword });
  const made = await call("POST", "/api/employees", { firstName: "María", lastName: "Salazar" });
  return String(made?.["operatorUsername"]);
}

/** Fails the test when the page complains about the content policy or throws. */
export function watch(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) complaints.push(message.text());
  });
  return complaints;
}
