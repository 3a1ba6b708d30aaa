import { readFileSync } from "node:fs";
import { expect, type Locator, type Page } from "@playwright/test";

/** The current day of these browsers as it appears in file names. */
export function fileDay(timeZone = "America/Chicago"): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(new Date());
}

/** Presses a button and returns the downloaded file: its name, its header and its rows. */
export async function saved(page: Page, press: () => Promise<void>) {
  const waiting = page.waitForEvent("download");
  await press();
  const file = await waiting;
  const text = readFileSync(await file.path(), "utf8");
  // A byte order mark and CRLF line ends (RFC 4180), for spreadsheets.
  expect(text.startsWith("\uFEFF")).toBe(true);
  expect(text.endsWith("\r\n")).toBe(true);
  const [header, ...lines] = text.slice(1).trimEnd().split("\r\n");
  return { name: file.suggestedFilename(), header, lines };
}

/** Disables the browser's print dialog, which would wait for a person. */
export function stubPrint(page: Page) {
  return page.addInitScript(() => {
    window.print = () => {
      document.documentElement.dataset.printed = "yes";
    };
  });
}

/** Checks the report while it is printed; afterwards it is removed from the page. */
export async function printed(page: Page, look: (report: Locator) => Promise<void>) {
  const html = page.locator("html");
  await expect(html).toHaveAttribute("data-printed", "yes");
  const report = page.locator("[data-print-report]");
  await page.emulateMedia({ media: "print" });
  await expect(report).toBeVisible();
  await expect(page.getByRole("main")).toBeHidden();
  await look(report);
  // Rendering a PDF fires the page's afterprint event.
  const paper = await page.pdf();
  expect(paper.toString("latin1")).toMatch(/\/Type\s*\/Page\b/);
  await expect(report).toHaveCount(0);
  await html.evaluate((element) => delete element.dataset.printed);
  await page.emulateMedia({ media: "screen" });
}
