import { expect, type BrowserContext, type Page } from "@playwright/test";
import type { Open } from "./fixtures";
import { operatorIn, operatorPassword, rows, type Call } from "./people";
import { words } from "./words";

const es = words("es");
/** Escapes names, because the result is used in a pattern. */
const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A phone with the operator page open; the service worker is blocked unless a test needs it. */
export async function phone(open: Open, username: string, more = {}) {
  const context = await open("phone", "es", more);
  await operatorIn(context, username);
  const page = await context.newPage();
  await page.goto("/");
  await ready(page);
  return { context, page };
}

/** Waits until all code of the page is loaded, so that the connection can be cut. */
export async function ready(page: Page) {
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(
    es("shell.titles.equipmentUpdates"),
  );
  await expect(submit(page)).toBeVisible();
  await expect(page.getByRole("heading", { name: es("operator.list.title") })).toBeVisible();
}

/** Matches the call that sends an entry; calls for lists have a query. */
export const submitCall = "**/api/operator-updates";

export const submit = (page: Page) =>
  page.getByRole("button", { name: es("operator.form.submit"), exact: true });

/** Chooses a machine in the list of all machines. */
export async function choose(page: Page, name: string) {
  const field = page.getByRole("button", {
    name: new RegExp(`^${escaped(es("operator.form.equipment"))}`),
  });
  await field.click();
  const sheet = page.getByRole("dialog", { name: es("operator.picker.choose") });
  await sheet.getByLabel(es("operator.picker.search")).fill(name);
  await sheet
    .getByRole("button", { name: new RegExp(escaped(name)) })
    .first()
    .click();
  await expect(sheet).toBeHidden();
}

/** Reports a reading in hours; the caller checks the result. */
export async function report(page: Page, name: string, reading: number) {
  await choose(page, name);
  await page.getByLabel(es("operator.form.readingHours")).fill(String(reading));
  await submit(page).click();
}

/** The readings of one machine on the server, oldest first, as `reading by person`. */
export async function stored(call: Call, equipmentName: string): Promise<string[]> {
  const all = await rows(call, "/api/operator-updates");
  return all
    .filter((row) => row.equipmentName === equipmentName)
    .map((row) => `${String(row.newUsage)} by ${String(row.operatorName)}`)
    .toReversed();
}

/** The number of unsent updates in the bar under the header. */
export async function unsent(page: Page, count: number) {
  if (count === 0) {
    await expect(page.locator("[data-unsent-bar]")).toHaveCount(0);
    return;
  }
  const text = count === 1 ? "operator.outbox.waiting_one" : "operator.outbox.waiting_other";
  await expect(page.locator("[data-unsent-bar]").getByText(es(text, { count }))).toBeVisible();
}

/** Signs in on the current page. */
export async function signInOnPage(page: Page, username: string) {
  const name = page.getByLabel(es("auth.operatorLogin.name"));
  await name.fill(username);
  await page.getByLabel(es("auth.password"), { exact: true }).fill(operatorPassword);
  await page.getByRole("button", { name: es("auth.operatorLogin.submit") }).click();
  await ready(page);
}

/** Ends the session on the server only. */
export async function endSession(context: BrowserContext) {
  const headers = { "X-Requested-With": "XMLHttpRequest" };
  const cookies = await context.cookies();
  await context.request.post("/api/auth/logout", { headers });
  // The phone keeps its cookie, which is no longer valid.
  await context.addCookies(cookies);
}
