import type { Page } from "@playwright/test";
import type { Open, Screen } from "./fixtures";
import * as v from "valibot";
import { company, unique } from "./people";
import type { Language, Words } from "./words";

const record = v.record(v.string(), v.unknown());

/** The owner of a new company, on the profile page. */
export async function owner(open: Open, screen: Screen, language: Language) {
  const context = await open(screen, language);
  const business = unique("Person Works");
  const { email, call } = await company(context, business);
  const page = await context.newPage();
  await page.goto("/profile");
  const stored = async () => v.parse(record, await call("GET", "/api/auth/user"));
  return { context, page, business, email, call, stored };
}

/** The field of this name, whose label may contain "optional". */
export const label = (page: Page, text: string) => page.getByLabel(new RegExp(`^${text}( \\(|$)`));

export const edit = (page: Page, t: Words) =>
  page.getByRole("button", { name: t("profile.edit.open") }).click();

export const save = (page: Page, t: Words) =>
  page.getByRole("button", { name: t("profile.edit.save") });

/** The value beside a label in the view; the user's own card comes first. */
export const fact = (page: Page, text: string) =>
  page
    .locator("dl > div")
    .filter({ has: page.locator("dt").getByText(text, { exact: true }) })
    .first()
    .locator("dd");
