import { expect, type Page } from "@playwright/test";
import type { Open, Screen } from "./fixtures";
import { company, rows, unique, type Call } from "./people";
import type { Language } from "./words";

/** The owner of a new company, in a browser that has not opened the operators' page yet. */
export async function office(open: Open, screen: Screen, language: Language) {
  const context = await open(screen, language);
  const business = unique("Crew Works");
  const { call } = await company(context, business);
  const page = await context.newPage();
  return { context, business, call, page };
}

/** Checks the toast itself; an open dialog hides it from screen readers. */
export async function expectToast(page: Page, title: string, text: string) {
  const shown = page.getByRole("listitem", { includeHidden: true }).filter({
    has: page.getByText(title, { exact: true }),
  });
  await expect(shown.getByText(text, { exact: true })).toBeVisible();
}

/** The company's operators as stored on the server. */
export const operatorsOf = async (call: Call) =>
  (await rows(call, "/api/employees")).filter(({ role }) => role === "operator");
