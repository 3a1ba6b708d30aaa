import { expect, type Browser, type Page } from "@playwright/test";
import { company, open, rows, unique, watch, type Call, type Screen } from "./people";
import type { Language } from "./words";

/** The owner of a new company, in a browser that has not opened the operators' page yet. */
export async function office(browser: Browser, screen: Screen, language: Language) {
  const context = await open(browser, screen, language);
  const business = unique("Crew Works");
  const { call } = await company(context, business);
  const page = await context.newPage();
  return { context, business, call, page, complaints: watch(page) };
}

/** The notification itself; a dialog that is open over it keeps screen readers in the dialog. */
export async function told(page: Page, title: string, text: string) {
  const shown = page.getByRole("listitem", { includeHidden: true }).filter({
    has: page.getByText(title, { exact: true }),
  });
  await expect(shown.getByText(text, { exact: true })).toBeVisible();
}

/** The operators among the company's people, as they are stored. */
export const operatorsOf = async (call: Call) =>
  (await rows(call, "/api/employees")).filter(({ role }) => role === "operator");
