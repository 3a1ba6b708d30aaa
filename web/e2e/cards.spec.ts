import { expect, type Locator, type Page, type Route } from "@playwright/test";
import { test, type Open } from "./fixtures";
import { QRCodeSVG } from "qrcode.react";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { stubPrint } from "./files";
import { ageSignIn, confirmPassword } from "./old-sign-in";
import { company, hire, operatorPassword, rows, unique } from "./people";
import { storedData } from "./stored";
import { words, type Language, type Words } from "./words";

const hostile = `<img src=x onerror="document.title='owned'">`;
const inch = 96;

async function office(open: Open, language: Language = "en") {
  const context = await open("desktop", language);
  const business = unique("Card Works");
  const { call } = await company(context, business);
  await call("POST", "/api/company-settings", {
    masterPassword: operatorPassword,
  });
  const page = await context.newPage();
  await stubPrint(page);
  return { context, business, call, page };
}

/** Prints all cards and waits until the print dialog has opened. */
async function print(page: Page, t: Words, cards: number) {
  await page.getByRole("button", { name: t("operators.cards.print") }).click();
  const text = cards === 1 ? "operators.cards.printCount_one" : "operators.cards.printCount_other";
  await page.getByRole("button", { name: t(text, { cards }) }).click();
}

async function onPaper(page: Page): Promise<Locator> {
  await expect(page.locator("html")).toHaveAttribute("data-printed", "yes");
  await page.emulateMedia({ media: "print" });
  const report = page.locator('[data-print-report="letter-cards"]');
  await expect(report).toBeVisible();
  await expect(page.getByRole("main")).toBeHidden();
  return report;
}

/** The printed sheets; rendering a PDF fires the page's afterprint event. */
async function sheets(page: Page): Promise<string[]> {
  const paper = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
  return [...paper.matchAll(/\/MediaBox\s*\[(?<box>[^\]]+)\]/g)].map((found) => {
    const sizes = (found.groups?.box ?? "").trim().split(/\s+/).map(Number);
    return sizes.map(Math.round).join(" ");
  });
}

const letter = "0 0 612 792";

/** The dark modules of a QR code with this text, drawn like the card's. */
function squares(value: string): string | undefined {
  const drawn = renderToStaticMarkup(
    createElement(QRCodeSVG, { value, level: "M", marginSize: 4 }),
  );
  return [...drawn.matchAll(/ d="(?<path>[^"]+)"/g)].at(-1)?.groups?.path;
}

/** The one-time codes of the cards that are about to be printed, by operator. */
async function createdCodes(page: Page): Promise<Map<string, string>> {
  // Read before the page gets it, because Chromium may drop the body of a past response.
  const text = await new Promise<string>((resolve, reject) => {
    const read = async (route: Route) => {
      const response = await route.fetch();
      resolve((await response.body()).toString("latin1"));
      await route.fulfill({ response });
    };
    page.route("**/CreateCardCodes", read, { times: 1 }).catch(reject);
  });
  const pairs = text.matchAll(/(?<id>[0-9a-f-]{36})\W+(?<code>[a-z0-9]{5}(?:-[a-z0-9]{5}){3})/g);
  return new Map([...pairs].map(({ groups }) => [groups?.id ?? "", groups?.code ?? ""]));
}

const drawnOn = (card: Locator) => card.locator("svg path").last().getAttribute("d");

test("a card contains the sign-in data, and its code opens the sign-in", async ({
  open,
  baseURL,
}) => {
  const t = words("en");
  const { business, call, page } = await office(open);
  const maria = await hire(call, "María", "Salazar");
  const luis = await hire(call, hostile, "Peña & Söhne");
  await call("POST", "/api/admin/reset-user-password", {
    targetUserId: luis.id,
    newPassword: "luis-only-4711",
  });
  await page.goto("/employees");
  await ageSignIn(page, "RevealOperatorPassword");
  await print(page, t, 2);
  const created = createdCodes(page);
  await confirmPassword(page, t);

  const report = await onPaper(page);
  const cards = report.getByRole("article");
  await expect(cards).toHaveCount(2);
  const card = cards.filter({ hasText: maria.operatorUsername });
  await expect(card.getByText(business, { exact: true })).toBeVisible();
  await expect(card.getByText("María Salazar", { exact: true })).toBeVisible();
  const facts = card.getByRole("definition");
  await expect(facts).toHaveText([maria.operatorUsername, operatorPassword]);
  await expect(card.getByText(t("operators.cards.stepSignIn"))).toBeVisible();
  const size = await card.boundingBox();
  expect(size?.width).toBeCloseTo(3.5 * inch, 0);
  expect(size?.height).toBeCloseTo(2.2 * inch, 0);

  const own = cards.filter({ hasText: luis.operatorUsername });
  await expect(own.getByText(`${hostile} Peña & Söhne`, { exact: true })).toBeVisible();
  await expect(own.getByRole("definition")).toHaveText([
    luis.operatorUsername,
    `${t("operators.cards.personal")} / ${words("es")("operators.cards.personal")}`,
  ]);
  await expect(own).not.toContainText(operatorPassword);
  await expect(own).not.toContainText("luis-only-4711");
  await expect(report.locator("img, script")).toHaveCount(0);
  await expect(page).toHaveTitle(`${t("operators.cards.title")} - ${business}`);

  const codes = await created;
  const address = ({ id, operatorUsername }: typeof maria) =>
    `${baseURL}/employee-login?operator=${operatorUsername}#${codes.get(id)}`;
  expect(await drawnOn(card)).toBe(squares(address(maria)));
  expect(await drawnOn(own)).toBe(squares(address(luis)));
  expect(codes.size).toBe(2);

  expect(await sheets(page)).toEqual([letter]);
  await expect(report).toHaveCount(0);
  await page.emulateMedia({ media: "screen" });
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("operators.pageTitle"));
  expect(await page.content()).not.toContain(operatorPassword);
  expect(JSON.stringify(await storedData(page))).not.toContain(operatorPassword);

  const field = await open("phone", "en");
  const phone = await field.newPage();
  await phone.goto(address(maria));
  await expect(phone.getByLabel(t("auth.operatorLogin.name"))).toHaveValue(maria.operatorUsername);
  await phone.getByRole("button", { name: t("auth.operatorLogin.submit") }).click();
  await expect(phone.getByRole("dialog", { name: t("phone.dialog.title") })).toBeVisible();
  await phone.keyboard.press("Escape");
  await expect(
    phone.getByRole("heading", {
      level: 1,
      name: t("shell.titles.equipmentUpdates"),
    }),
  ).toBeVisible();
  expect(await (await field.request.get("/api/auth/user")).json()).toMatchObject({
    operatorUsername: maria.operatorUsername,
    role: "operator",
  });

  const second = await (await open("phone", "en")).newPage();
  await second.goto(address(maria));
  await second.getByRole("button", { name: t("auth.operatorLogin.submit") }).click();
  await expect(second.getByText(t("auth.operatorLogin.cardUsed"))).toBeVisible();
  const password = second.getByLabel(t("auth.password"), { exact: true });
  await expect(password).toHaveValue("");
  await password.fill(operatorPassword);
  await password.press("Enter");
  await expect(second.getByRole("dialog", { name: t("phone.dialog.title") })).toBeVisible();
});

test("thirty operators, five of them with hostile names, fit on four sheets, in Spanish too", async ({
  open,
}) => {
  const t = words("es");
  const { call, page } = await office(open, "es");
  const names = ["</article><h1>", "=1+1", "محمد", "O'Neil", "W".repeat(100)];
  for (let count = 0; count < 30; count += 1) {
    await hire(call, names[count] ?? `Operador ${count}`, "Cruz");
  }
  await page.goto("/employees");
  await print(page, t, 30);
  const report = await onPaper(page);
  const cards = report.getByRole("article");
  await expect(cards).toHaveCount(30);
  for (const name of names) {
    await expect(cards.getByText(`${name} Cruz`, { exact: true })).toHaveCount(1);
  }
  await expect(report.getByRole("heading")).toHaveCount(0);
  const printed = await cards.getByRole("definition").allTextContents();
  const usernames = (await rows(call, "/api/employees")).flatMap((row) =>
    row.role === "operator" ? [row.operatorUsername] : [],
  );
  expect(printed.filter((_, at) => at % 2 === 0).toSorted()).toEqual(usernames.toSorted());
  expect(new Set(printed.filter((_, at) => at % 2 === 1))).toEqual(new Set([operatorPassword]));
  // No content is cut off, and every card keeps its size.
  const cut = await cards.evaluateAll((all) =>
    all
      .filter(
        (card) =>
          card.scrollHeight > card.clientHeight + 1 ||
          Math.round(card.getBoundingClientRect().width) !== 336 ||
          Math.abs(card.getBoundingClientRect().height - 211.2) > 1,
      )
      .map((card) => card.textContent),
  );
  expect(cut).toEqual([]);
  expect(await sheets(page)).toEqual([letter, letter, letter, letter]);
  await expect(report).toHaveCount(0);
  expect(await page.content()).not.toContain(operatorPassword);
});

test("only selected operators get a card, and a canceled confirmation prints nothing", async ({
  open,
}) => {
  const t = words("en");
  const { call, page } = await office(open);
  await hire(call, "Ana", "Cruz");
  await hire(call, "Beto", "Cruz");
  await page.goto("/employees");
  await page.getByRole("button", { name: t("operators.cards.print") }).click();
  const dialog = page.getByRole("dialog", { name: t("operators.cards.print") });
  await dialog.getByRole("button", { name: t("operators.cards.none") }).click();
  await expect(
    dialog.getByRole("button", {
      name: t("operators.cards.printCount_other", { cards: 0 }),
    }),
  ).toHaveAttribute("aria-disabled", "true");
  await dialog.getByRole("checkbox", { name: /^Beto/ }).check();
  const one = dialog.getByRole("button", {
    name: t("operators.cards.printCount_one", { cards: 1 }),
  });
  await ageSignIn(page, "RevealOperatorPassword");
  await one.click();
  await page
    .getByRole("dialog", { name: t("auth.reauth.title") })
    .getByRole("button", { name: t("common.cancel") })
    .click();
  await expect(page.locator("html")).not.toHaveAttribute("data-printed");
  await expect(page.locator("[data-print-report]")).toHaveCount(0);
  await one.click();
  const report = await onPaper(page);
  await expect(report.getByRole("article")).toHaveCount(1);
  await expect(report.getByRole("article")).toContainText("Beto Cruz");
  // Some browsers fire no event when the print dialog closes; the next key press ends printing.
  await page.emulateMedia({ media: "screen" });
  await page.keyboard.press("Tab");
  await expect(report).toHaveCount(0);
  expect(await page.content()).not.toContain(operatorPassword);
});
