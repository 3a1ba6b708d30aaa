import { readFileSync } from "node:fs";
import { expect, type Locator, type Page } from "@playwright/test";

/** The day it is for these browsers, as file names carry it. */
export function fileDay(timeZone = "America/Chicago"): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(new Date());
}

/** What was saved by pressing something: the file's name, its header line and its rows. */
export async function saved(page: Page, press: () => Promise<void>) {
  const waiting = page.waitForEvent("download");
  await press();
  const file = await waiting;
  const text = readFileSync(await file.path(), "utf8");
  // Spreadsheets tell the encoding by the mark, and want the line ends of RFC 4180.
  expect(text.startsWith("\uFEFF")).toBe(true);
  expect(text.endsWith("\r\n")).toBe(true);
  const [header, ...lines] = text.slice(1).trimEnd().split("\r\n");
  return { name: file.suggestedFilename(), header, lines };
}

/** Keeps the browser's print dialog away, which waits for a person. */
export function stubPrint(page: Page) {
  return page.addInitScript(() => {
    window.print = () => {
      document.documentElement.dataset.printed = "yes";
    };
  });
}

/** Looks at the report that is on its way to paper; it alone stands there, and is gone afterwards. */
export async function printed(page: Page, look: (report: Locator) => Promise<void>) {
  const html = page.locator("html");
  await expect(html).toHaveAttribute("data-printed", "yes");
  const report = page.locator("[data-print-report]");
  await page.emulateMedia({ media: "print" });
  await expect(report).toBeVisible();
  await expect(page.getByRole("main")).toBeHidden();
  await look(report);
  // Drawing it tells the page that printing is over, as the dialog would.
  const paper = await page.pdf();
  expect(paper.toString("latin1")).toMatch(/\/Type\s*\/Page\b/);
  await expect(report).toHaveCount(0);
  await html.evaluate((element) => delete element.dataset.printed);
  await page.emulateMedia({ media: "screen" });
}
