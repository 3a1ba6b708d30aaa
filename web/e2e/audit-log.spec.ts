import { expect, type Page } from "@playwright/test";
import { test, type Open, type Screen } from "./fixtures";
import * as v from "valibot";
import { fileDay, saved } from "./files";
import {
  company,
  machine,
  operatorPassword,
  send,
  toast,
  unique,
  type StorageState,
} from "./people";
import { words, type Language } from "./words";

let business: string;
const hostile = '=HYPERLINK("x")';
const password = "a-password-of-nobody";

let owner: StorageState;

test.beforeAll(async ({ browser }) => {
  business = unique("Ledger Works");
  const { email, call, signedIn } = await company(await browser.newContext(), business);
  owner = signedIn;
  await call("POST", "/api/company-settings", {
    masterPassword: operatorPassword,
  });
  await call("POST", "/api/employees", {
    firstName: hostile,
    lastName: "Salazar",
  });
  const boss = {
    firstName: "Tom",
    lastName: "Boss",
    role: "manager",
    email: `tom.${email}`,
  };
  const made = await call("POST", "/api/employees", boss);
  const temporary = v.parse(v.object({ temporaryPassword: v.string() }), made).temporaryPassword;
  const dozer = await machine(call, "Old Dozer");
  await call("DELETE", `/api/equipment/${dozer}`);
  await call("GET", "/api/equipment-history/export");
  await call("POST", "/api/fuel/reset");

  const stranger = await browser.newContext();
  const wrong = { emailOrBusinessName: email, password };
  expect((await send(stranger, "POST", "/api/auth/login", wrong)).status()).toBe(401);
  const right = { emailOrBusinessName: boss.email, password: temporary };
  expect((await send(stranger, "POST", "/api/auth/login", right)).ok()).toBe(true);
});

async function at(open: Open, path: string, screen: Screen, language: Language) {
  const context = await open(screen, language, { storageState: owner });
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

/** The rows of the log, as a table or as cards. */
const lines = (page: Page, screen: Screen) =>
  screen === "desktop"
    ? page
        .getByRole("main")
        .getByRole("row")
        .filter({ has: page.getByRole("cell") })
    : page.getByRole("main").getByRole("listitem");

/** The actions above as the reader sees them, newest first. */
function sentences(language: Language): string[] {
  const t = words(language);
  const said = (word: string, more = {}) =>
    t(`audit-log.words.${word}`, { actor: business, target: "", ...more });
  return [
    said("sign_in.done", { actor: "Tom Boss" }),
    said("sign_in.tried", {
      actor: t("audit-log.actors.anonymous"),
      target: business,
    }),
    said("fuel_reset.done"),
    said("export.done"),
    said("equipment_deleted.done", { target: "Old Dozer" }),
    said("manager_added.done", { target: "Tom Boss" }),
    said("operator_added.done", { target: `${hostile} Salazar` }),
    said("operator_password_set.done"),
    said("operator_password_tried.done"),
    said("sign_in.done"),
    said("sign_up.done"),
  ];
}

test("the log lists actions, newest first, on a phone in es", async ({ open }) => {
  const t = words("es");
  const page = await at(open, "/audit-log", "phone", "es");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("shell.titles.auditLog"));
  await expect(lines(page, "phone")).toContainText(sentences("es"));
  const refused = lines(page, "phone").filter({
    hasText: sentences("es")[1] ?? "",
  });
  await expect(refused).toContainText(t("audit-log.outcomes.failed"));
  await expect(refused).toContainText("127.0.0.0/24");
  await expect(page.getByText(t("audit-log.end"))).toBeVisible();
  expect(await page.getByRole("main").textContent()).not.toContain(password);
});

test("the filters by kind, person and day are part of the URL", async ({ open }) => {
  const t = words("en");
  const [tomIn, stranger, fuel, exported, deleted, , added, , , ownerIn, signedUp] =
    sentences("en");
  const page = await at(open, "/audit-log", "desktop", "en");
  const rows = lines(page, "desktop");
  const kind = page.getByLabel(t("audit-log.filter.category"), { exact: true });
  const person = page.getByLabel(t("audit-log.filter.person"), { exact: true });
  await kind.selectOption({ label: t("audit-log.categories.equipment") });
  await expect(rows).toContainText([fuel ?? "", exported ?? "", deleted ?? ""]);
  await expect(rows).toHaveCount(3);
  await kind.selectOption({ label: t("audit-log.categories.access") });
  await expect(rows).toContainText([tomIn ?? "", stranger ?? "", ownerIn ?? "", signedUp ?? ""]);

  await person.selectOption(await person.getByText(/^Tom Boss/).getAttribute("value"));
  await expect(rows).toContainText([tomIn ?? ""]);
  await expect(rows).toHaveCount(1);
  await page.reload();
  await expect(rows).toHaveCount(1);
  await expect(kind).toHaveValue("access");

  await kind.selectOption("");
  await person.selectOption("");
  const from = page.getByLabel(t("audit-log.filter.from"), { exact: true });
  const to = page.getByLabel(t("audit-log.filter.to"), { exact: true });
  await from.fill(fileDay());
  await to.fill(fileDay());
  await expect(rows).toHaveCount(11);
  await expect(rows.filter({ hasText: added ?? "" })).toHaveCount(1);
  await from.fill("2199-01-01");
  await expect(page.getByRole("alert")).toHaveText(t("audit-log.filter.wrongOrder"));
  await to.fill("2199-01-02");
  await expect(page.getByText(t("audit-log.noMatch.title"))).toBeVisible();
  await expect(page).toHaveURL(/from=2199-01-01&to=2199-01-02/);
  await page.getByRole("button", { name: t("audit-log.filter.clear") }).click();
  await expect(rows).toHaveCount(11);
  await expect(page).toHaveURL(/\/audit-log$/);
});

test("the filtered log is exported without spreadsheet formulas", async ({ open }) => {
  const t = words("en");
  const page = await at(open, "/audit-log?category=people", "desktop", "en");
  await expect(lines(page, "desktop")).toHaveCount(4);
  const press = () => page.getByRole("button", { name: t("audit-log.export.action") }).click();
  const { name, header, lines: file } = await saved(page, press);
  expect(name).toBe(`audit-log-${fileDay()}.csv`);
  expect(header).toBe(
    "Time (America/Chicago),Time (UTC),Person,What Happened,Result,Concerns,Detail,Session,Network,Request ID,Event",
  );
  expect(file).toHaveLength(4);
  expect(file[0]).toMatch(
    new RegExp(
      String.raw`^${fileDay()} \d\d:\d\d:\d\d,\d{4}-\d\d-\d\dT[\d:.]+Z,${business},` +
        String.raw`${business} added the manager Tom Boss,Done,Tom Boss,,Full,127\.0\.0\.0/24,[\w-]+,manager_added$`,
    ),
  );
  expect(file[1]).toContain(`,"'=HYPERLINK(""x"") Salazar",`);
  expect(file.join("\n")).not.toMatch(/(^|,)"?=/m);
  await expect(toast(page, t("audit-log.export.done"))).toBeVisible();

  // The log records its own export.
  await page.goto("/audit-log?category=equipment");
  await expect(lines(page, "desktop")).toHaveCount(4);
  await expect(lines(page, "desktop").first()).toContainText(t("audit-log.details.auditLog"));
});

test("a manager sees the 404 page, and the call is refused", async ({ open, team }) => {
  const t = words("en");
  const context = await open("desktop", "en", {
    storageState: team.manager,
  });
  const page = await context.newPage();
  await page.goto("/audit-log");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(t("shell.notFound.title"));
  await page.getByRole("button", { name: t("shell.more") }).click();
  await expect(page.getByRole("menuitem").first()).toBeVisible();
  await expect(page.getByRole("menuitem", { name: t("shell.titles.auditLog") })).toHaveCount(0);
  expect((await send(context, "GET", "/api/audit-log")).status()).toBe(403);
});
