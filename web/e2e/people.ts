import { expect, type Browser, type BrowserContext, type Page } from "@playwright/test";
import * as v from "valibot";
import type { Words } from "./words";

export const ownerPassword = "gravel-7-quarry";
export const operatorPassword = "shovel-ready-77";

let counter = 0;

/** A name that is unique across all test processes. */
export function unique(name: string): string {
  counter += 1;
  const worker = process.env.TEST_WORKER_INDEX ?? "0";
  return `${name} ${Date.now().toString(36)}w${worker}n${counter}`;
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

/** Creates a company over REST and signs its owner in in this context. */
export async function company(context: BrowserContext, business: string) {
  const call = caller(context);
  const email = `${business.toLowerCase().replaceAll(" ", ".")}@example.com`;
  const timeZone = "America/Chicago";
  const body = { businessName: business, email, password: ownerPassword, timeZone };
  await call("POST", "/api/auth/signup", body);
  return { email, call, signedIn: await context.storageState() };
}

const record = v.record(v.string(), v.unknown());

/** Sends a request with this context's cookies and returns the response. */
export function send(context: BrowserContext, method: string, path: string, body?: unknown) {
  const headers = { "X-Requested-With": "XMLHttpRequest" };
  return context.request.fetch(path, {
    method,
    headers,
    // The server closes idle connections after 10 s, and the pool may write to one that just closed.
    maxRetries: 2,
    ...(body === undefined ? {} : { data: body }),
  });
}

/** REST calls with the session of this context; a refusal fails the test. */
export function caller(context: BrowserContext) {
  return async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await send(context, method, path, body);
    expect(answer.ok(), `${method} ${path}: ${answer.status()} ${await answer.text()}`).toBe(true);
    return answer.status() === 204 ? null : answer.json();
  };
}

export type Call = ReturnType<typeof caller>;

/** Creates an excavator with a service every 250 hours over REST; returns its id. */
export async function machine(call: Call, name: string, more: object = {}): Promise<string> {
  const made = await call("POST", "/api/equipment", {
    name,
    type: "machinery",
    unit: "hours",
    fuelType: "diesel",
    currentUsage: 1000.5,
    serviceInterval: 250,
    ...more,
  });
  return v.parse(v.object({ id: v.string() }), made).id;
}

/** A task set that a machine has, with a change that it does not have yet. */
export async function taskSet(call: Call, name: string, equipmentId: string): Promise<void> {
  const grease = (usageInterval: number) => {
    const items = [{ name: "Grease", usageInterval }];
    return { name, unit: "hours", items };
  };
  const made = await call("POST", "/api/task-sets", grease(50));
  const { id } = v.parse(v.object({ id: v.string() }), made);
  await call("POST", `/api/task-sets/${id}/apply`, { equipmentIds: [equipmentId] });
  await call("PUT", `/api/task-sets/${id}`, grease(40));
}

/** All rows of a list. */
export async function rows(call: Call, path: string) {
  return v.parse(v.array(record), await call("GET", path));
}

const hired = v.object({ id: v.string(), operatorUsername: v.string() });

/** Creates an operator over REST. */
export const hire = async (call: Call, firstName: string, lastName = "Salazar") =>
  v.parse(hired, await call("POST", "/api/employees", { firstName, lastName }));

/**
 * Creates the company's first operator, and sets the operator password, which signs all operators
 * out.
 */
export async function operator(call: Call): Promise<string> {
  await call("POST", "/api/company-settings", { masterPassword: operatorPassword });
  return (await hire(call, "María")).operatorUsername;
}

/** Creates a manager over REST; returns the id and the temporary password. */
export async function manager(call: Call, email: string, firstName = "Tomás") {
  const made = await call("POST", "/api/employees", {
    firstName,
    lastName: "Vega",
    role: "manager",
    email,
  });
  return v.parse(v.object({ id: v.string(), temporaryPassword: v.string() }), made);
}

/** Signs an owner or a manager in in this context, without the page. */
export const ownerIn = (context: BrowserContext, emailOrBusinessName: string, password: string) =>
  caller(context)("POST", "/api/auth/login", { emailOrBusinessName, password });

/** Signs the operator in in this context, without the page. */
export async function operatorIn(context: BrowserContext, operatorName: string) {
  await caller(context)("POST", "/api/employee/login", {
    operatorName,
    password: operatorPassword,
  });
}

/** The toast, without its announcement for screen readers. */
export function toast(page: Page, text: string) {
  return page.getByText(text, { exact: true });
}

export type Tier = "basic" | "professional" | "enterprise";

/** Buys a plan over REST. */
export async function buy(call: Call, tier: Tier, billingInterval: "month" | "year" = "month") {
  const body = { tier, billingInterval };
  const answer = await call("POST", "/api/create-checkout-session", body);
  const { url } = v.parse(v.object({ url: v.string() }), answer);
  await call("POST", `/api${url}/succeed`);
}

export type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** The storage state of a user whom `signIn` signs in, without a page. */
export async function signedInBy(
  browser: Browser,
  signIn: (context: BrowserContext) => Promise<unknown>,
): Promise<StorageState> {
  const context = await browser.newContext();
  await signIn(context);
  const state = await context.storageState();
  await context.close();
  return state;
}
